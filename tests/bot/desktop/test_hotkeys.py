"""What hot keys make of presses: names, repeats, modifiers; Windows' hook, fed with what Windows sends."""

from __future__ import annotations

import importlib
import types

import pytest

from bot.desktop.hotkeys import _REPEAT_S, PressedKeys
from bot.desktop.keys import KEYS, Combination, label_key, parse_combination, windows_number
from bot.errors import ScreenError, UsageError
from bot.playing.control import Control

pytestmark = pytest.mark.safety


@pytest.mark.parametrize(
    ("name", "due"),
    [
        ("f10", Combination("f10")),
        ("ESC", Combination("esc")),
        ("Pause", Combination("pause")),
        ("a", Combination("a")),
        ("A", Combination("a")),
        ("ß", Combination("ß")),
        ("+", Combination("+")),
        ("ctrl++", Combination("+", frozenset({"ctrl"}))),
        ("ctrl+f10", Combination("f10", frozenset({"ctrl"}))),
        ("Shift+Alt+num_5", Combination("num_5", frozenset({"alt", "shift"}))),
        ("num_add", Combination("num_add")),
    ],
)
def test_parse_combination_takes_keys_signs_and_combinations(name, due):
    assert parse_combination(name) == due


@pytest.mark.parametrize("name", ["f99", "", "no key", "control+a", "ctrl+", "+f10", "ctrl+f99", "f9+f10", "a+b"])
def test_parse_combination_unknown_name_is_an_error(name):
    with pytest.raises(UsageError, match="expected the name of a key"):
        parse_combination(name)


@pytest.mark.parametrize("numbers", [lambda key: key.keysyms, lambda key: key.windows])
def test_keys_no_two_names_have_a_key_in_common_but_the_sides_of_modifiers(numbers):
    sides = {name for name in KEYS if name.endswith(("_l", "_r")) or name == "alt_gr"}
    found = [number for name, key in KEYS.items() if name not in sides for number in numbers(key)]
    assert len(found) == len(set(found))


def test_label_key_is_as_messages_have_it():
    assert [label_key(name) for name in ("f10", "ctrl+f10", "esc")] == ["F10", "Ctrl+F10", "Esc"]


@pytest.mark.parametrize(("start", "abort"), [("esc", "esc"), ("F9", "f9"), ("q", "Q"), ("alt+ctrl+f9", "ctrl+alt+f9")])
def test_hotkeys_one_key_for_both_is_an_error(start, abort):
    control = Control(start_key=start, abort_key=abort)
    with pytest.raises(UsageError, match="expected different hot keys, got"):
        PressedKeys(control.hot_keys(), control)


class Keys:
    """Hot keys that are fed by hand."""

    def __init__(self, **names):
        self.control = Control(**names)
        self.pressed = PressedKeys(self.control.hot_keys(), self.control)
        self.now_s = 50.0

    def press(self, name, *, after_s=0.0, number=None):
        self.now_s += after_s
        return self.pressed.press(name, number or hash(name), self.now_s)

    def release(self, name, *, after_s=0.0, number=None):
        self.now_s += after_s
        return self.pressed.release(number or hash(name))

    def tap(self, name):
        self.press(name, after_s=0.2)
        self.release(name, after_s=0.1)


def test_hotkeys_start_key_toggles_at_each_press():
    keys = Keys()
    states = []
    for _ in range(4):
        keys.press("f10", after_s=0.3)
        states.append(keys.control.is_running)
        keys.release("f10", after_s=0.1)
    assert states == [True, False, True, False]


@pytest.mark.parametrize("apart_s", [0.08, 0.001, 0.0])
def test_hotkeys_two_presses_are_two_however_soon_the_second_comes(apart_s):
    """A busy server hands out both at once, at one and the same time of its own."""
    keys = Keys()
    for _ in range(2):
        keys.press("f10", after_s=apart_s)
        keys.release("f10", after_s=apart_s)
    assert not keys.control.is_running
    assert keys.control.n_pauses == 1


def test_hotkeys_held_key_toggles_once():
    """Windows and some X servers send presses, and one release at the end."""
    keys = Keys()
    for n in range(30):
        keys.press("f10", after_s=0.5 if n == 1 else 0.033)
    keys.release("f10", after_s=0.02)
    assert keys.control.is_running
    assert keys.control.n_pauses == 0
    keys.press("f10", after_s=0.2)
    assert not keys.control.is_running


def test_hotkeys_key_whose_release_nobody_heard_is_heard_again():
    keys = Keys()
    keys.press("f10")
    keys.press("f10", after_s=_REPEAT_S + 0.01)
    assert not keys.control.is_running


def test_hotkeys_held_abort_key_acts_again():
    keys = Keys()
    stopped = []
    keys.control.abort = lambda: stopped.append(keys.now_s)
    pressed = PressedKeys(keys.control.hot_keys(), keys.control)
    for n in range(3):
        pressed.press("esc", 1, 0.03 * n)
    assert len(stopped) == 3


def test_hotkeys_other_keys_do_nothing():
    keys = Keys(start_key="s", abort_key="q")
    for name in ("f10", "esc", "x", "ctrl"):
        keys.tap(name)
    assert not keys.control.is_running
    keys.tap("s")
    assert keys.control.is_running
    keys.tap("q")
    assert keys.control._aborted


def test_hotkeys_combination_needs_its_modifiers_and_a_key_alone_needs_none():
    keys = Keys(start_key="ctrl+f10", abort_key="esc")
    keys.tap("f10")
    assert not keys.control.is_running
    keys.press("ctrl", number=37)
    keys.press("ctrl", number=105)
    keys.release("ctrl", number=37)
    keys.tap("f10")
    assert keys.control.is_running, "the other Ctrl is held still"
    keys.release("ctrl", number=105)
    keys.tap("f10")
    assert keys.control.is_running
    keys.press("shift")
    keys.tap("esc")
    assert keys.control._aborted, "whatever is held, Esc stops"


def test_hotkeys_of_two_with_one_key_the_one_with_more_modifiers_acts():
    keys = Keys(start_key="ctrl+f10", abort_key="f10")
    keys.press("ctrl")
    keys.tap("f10")
    assert (keys.control.is_running, keys.control._aborted) == (True, False)
    keys.release("ctrl")
    keys.tap("f10")
    assert keys.control._aborted


def test_hotkeys_modifier_that_was_held_before_counts():
    keys = Keys(start_key="ctrl+f10")
    keys.pressed.hold("ctrl", 37)
    keys.tap("f10")
    assert keys.control.is_running


@pytest.mark.parametrize(
    ("name", "is_kept"), [("f10", True), ("s", False), ("shift+s", False), ("ctrl+s", True), ("num_5", True)]
)
def test_hotkeys_that_are_typed_are_for_others_too(name, is_kept):
    keys = Keys(start_key=name)
    *modifiers, key = name.split("+")
    for modifier in modifiers:
        assert not keys.press(modifier)
    assert keys.press(key) == is_kept
    assert keys.release(key) == is_kept
    assert keys.control.is_running


class Hook:
    """What a listener on Windows is, to what filters its events."""

    def __init__(self):
        self.n_suppressed = 0

    def suppress_event(self):
        self.n_suppressed += 1


class OnWindows:
    """The hot keys of Windows, fed as its hook is."""

    def __init__(self, **names):
        self._module = importlib.import_module("bot.desktop.win32.hotkeys")
        self.control = Control(**names)
        self._keys = self._module.WindowsHotKeys(self.control.hot_keys(), self.control)
        self._keys._listener = self._hook = Hook()
        self._numbers = {
            number: name for name in self._keys._pressed.names for number in self._module._numbers_of(name)
        }
        self.time_ms = 0

    def send(self, virtual_key, *, is_own=False, is_extended=False, messages=(0x0100, 0x0101)):
        """Send a press and a release; returns how many of them no other program gets."""
        before = self._hook.n_suppressed
        for message in messages:
            data = types.SimpleNamespace(
                vkCode=virtual_key,
                flags=int(is_extended),
                time=self.time_ms,
                dwExtraInfo=self._module.OWN_MARK if is_own else None,
            )
            assert self._keys._hear(self._numbers, message, data) is False, "pynput has nothing to do with it"
        return self._hook.n_suppressed - before


@pytest.fixture
def on_windows(bare_display, monkeypatch):
    for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", bare_display)  # pynput needs one to be imported here
    return OnWindows


@pytest.mark.screen
def test_hotkeys_on_windows_keep_both_keys_from_the_game_but_not_the_bots_own(on_windows):
    keys = on_windows()
    enter, escape, f10 = 0x0D, 0x1B, 0x79
    assert keys.send(enter) == 0
    assert keys.send(escape, is_own=True) == 0
    assert keys.send(f10, is_own=True) == 0
    assert not keys.control.is_running
    assert not keys.control._aborted
    assert keys.send(f10, messages=(0x0104, 0x0105)) == 2
    assert keys.control.is_running
    assert keys.send(escape) == 2
    assert keys.control._aborted


@pytest.mark.screen
def test_hotkeys_on_windows_own_press_while_a_person_holds_that_key_changes_nothing(on_windows):
    keys = on_windows()
    f10 = 0x79
    keys.send(f10, messages=(0x0100,))
    keys.send(f10, is_own=True)
    keys.time_ms = 500
    keys.send(f10, messages=(0x0100,))
    assert keys.control.is_running, "it is still held"
    assert keys.control.n_pauses == 0


@pytest.mark.screen
@pytest.mark.parametrize(("virtual_key", "is_extended", "is_meant"), [
    (0x65, False, True),  # Num Lock is on
    (0x0C, False, True),  # it is off
    (0x28, False, False),
])  # fmt: skip
def test_hotkeys_on_windows_key_of_the_number_pad_with_and_without_num_lock(
    on_windows, virtual_key, is_extended, is_meant
):
    keys = on_windows(start_key="num_5")
    keys.send(virtual_key, is_extended=is_extended)
    assert keys.control.is_running is is_meant


@pytest.mark.screen
def test_hotkeys_on_windows_tell_the_number_pad_from_its_twins(on_windows):
    keys = on_windows(start_key="num_2", abort_key="down")
    keys.send(0x28, is_extended=True)
    assert (keys.control._running, keys.control._aborted) == (False, True)
    keys.send(0x28)
    assert keys.control._running


@pytest.mark.screen
def test_hotkeys_on_windows_letter_with_ctrl_is_kept_and_alone_it_is_typed(on_windows):
    keys = on_windows(start_key="ctrl+s", abort_key="q")
    s, left_ctrl = ord("S"), 0xA2
    assert keys.send(s) == 0
    keys.send(left_ctrl, messages=(0x0100,))
    assert keys.send(s) == 2
    assert keys.control.is_running
    assert keys.send(ord("Q")) == 0
    assert keys.control._aborted


class Untrusted:
    """A listener on a Mac whose owner has allowed nothing: it runs and hears nothing."""

    IS_TRUSTED = False

    def start(self):
        self.is_running = True

    def wait(self):
        assert self.is_running

    def is_alive(self):
        return self.is_running

    def stop(self):
        self.is_running = False

    def join(self, _timeout_s=None):
        assert not self.is_running


@pytest.mark.screen
def test_hotkeys_that_macos_passes_on_to_nobody_are_an_error_that_says_what_to_allow(on_windows, monkeypatch):
    module = importlib.import_module("bot.desktop.general.hotkeys")
    monkeypatch.setattr(module, "_Listener", lambda *_callbacks: Untrusted())
    control = Control()
    keys = module.PynputHotKeys(control.hot_keys(), control)
    with pytest.raises(ScreenError, match="Privacy & Security: allow the terminal"):
        keys.start()
    keys.stop()


def test_windows_number_tells_twins_apart_and_nothing_else():
    enter, left_ctrl = 0x0D, 0xA2
    assert windows_number(enter, is_extended=True) in KEYS["num_enter"].windows
    assert windows_number(enter, is_extended=False) in KEYS["enter"].windows
    assert {windows_number(left_ctrl, is_extended=is_extended) for is_extended in (False, True)} == {left_ctrl}
