"""The hot keys, fed with the events that keyboards and systems really send, and heard on a virtual screen."""

from __future__ import annotations

import importlib
import socket
import subprocess
import threading
import time
import types

import pytest
from bot_process import environment
from Xlib import X
from Xlib.display import Display

from bot.errors import ScreenError, UsageError
from bot.playing.control import OWN_KEY_S, Control

pytestmark = [pytest.mark.safety, pytest.mark.screen]


class Modules:
    """The modules with hot keys, imported on a virtual screen: pynput needs one to be imported."""

    def __init__(self):
        self.shared = importlib.import_module("bot.desktop.hotkeys")
        self.x11 = importlib.import_module("bot.desktop.x11.hotkeys").X11HotKeys
        self.windows = importlib.import_module("bot.desktop.win32.hotkeys").WindowsHotKeys
        self.keyboard = self.shared.keyboard

    def on_x11(self, control):
        return self.x11(control.hot_keys(), control)


@pytest.fixture
def hotkeys(bare_display, monkeypatch):
    for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", bare_display)
    return Modules()


class Keys:
    """Hot keys that are fed by hand, at times that are set by hand."""

    def __init__(self, modules, monkeypatch, **names):
        self.control = Control(**names)
        self.module = modules
        self.now = 50.0
        monkeypatch.setattr(modules.shared, "time", self)
        self.keys = modules.windows(self.control.hot_keys(), self.control)

    def monotonic(self):
        return self.now

    def press(self, key, *, after_s=0.0):
        self.now += after_s
        self.keys._on_press(key)

    def release(self, key, *, after_s=0.0):
        self.now += after_s
        self.keys._on_release(key)


@pytest.fixture
def feed(hotkeys, monkeypatch):
    return lambda **names: Keys(hotkeys, monkeypatch, **names)


def test_hotkeys_names_of_keys(hotkeys):
    keyboard = hotkeys.keyboard
    assert hotkeys.shared._parse_key("f10") == keyboard.Key.f10
    assert hotkeys.shared._parse_key("ESC") == keyboard.Key.esc
    assert hotkeys.shared._parse_key("Pause") == keyboard.Key.pause
    assert hotkeys.shared._parse_key("a") == keyboard.KeyCode.from_char("a")
    assert hotkeys.shared._parse_key("A") == keyboard.KeyCode.from_char("a")


@pytest.mark.parametrize("name", ["f99", "", "no key", "control+a"])
def test_hotkeys_unknown_name_is_an_error(hotkeys, name):
    with pytest.raises(UsageError, match="expected the name of a key"):
        hotkeys.on_x11(Control(start_key=name))


@pytest.mark.parametrize(("start", "abort"), [("esc", "esc"), ("F9", "f9"), ("q", "Q")])
def test_hotkeys_one_key_for_both_is_an_error(hotkeys, start, abort):
    with pytest.raises(UsageError, match="expected different hot keys, got"):
        hotkeys.on_x11(Control(start_key=start, abort_key=abort))


def test_hotkeys_start_key_toggles_at_each_press(feed):
    keys = feed()
    f10 = keys.module.keyboard.Key.f10
    states = []
    for _ in range(4):
        keys.press(f10, after_s=0.3)
        states.append(keys.control.is_running)
        keys.release(f10, after_s=0.1)
    assert states == [True, False, True, False]


def test_hotkeys_two_quick_presses_of_a_person_are_two(feed):
    keys = feed()
    f10 = keys.module.keyboard.Key.f10
    for _ in range(2):
        keys.press(f10, after_s=0.08)
        keys.release(f10, after_s=0.06)
    assert not keys.control.is_running
    assert keys.control.n_pauses == 1


def test_hotkeys_held_key_on_x11_toggles_once(feed):
    """X11 sends a release and a press for every repeat, a few microseconds apart."""
    keys = feed()
    f10 = keys.module.keyboard.Key.f10
    keys.press(f10)
    for n in range(30):
        keys.release(f10, after_s=0.5 if n == 0 else 0.04)
        keys.press(f10, after_s=0.0001)
    keys.release(f10, after_s=0.02)
    assert keys.control.is_running
    assert keys.control.n_pauses == 0
    keys.press(f10, after_s=0.2)
    assert not keys.control.is_running


def test_hotkeys_held_key_on_windows_toggles_once(feed):
    """Windows sends presses only, and one release at the end."""
    keys = feed()
    f10 = keys.module.keyboard.Key.f10
    for n in range(30):
        keys.press(f10, after_s=0.5 if n == 1 else 0.033)
    keys.release(f10, after_s=0.02)
    assert keys.control.is_running
    assert keys.control.n_pauses == 0
    keys.press(f10, after_s=0.2)
    assert not keys.control.is_running


def test_hotkeys_abort_key_aborts_running_or_not(feed):
    for n_toggles in (0, 1):
        keys = feed()
        for _ in range(n_toggles):
            keys.control.toggle()
        keys.press(keys.module.keyboard.Key.esc)
        assert keys.control._aborted


@pytest.mark.parametrize("name", ["esc", "escape", "alt+escape"])
def test_hotkeys_own_press_of_the_abort_key_is_no_order(feed, name):
    keys = feed()
    escape = keys.module.keyboard.Key.esc
    keys.control.presses(name)
    keys.press(escape)
    assert not keys.control._aborted
    keys.press(escape)
    assert keys.control._aborted, "the second press is a person's"


def test_hotkeys_abort_key_long_after_an_own_press_that_nobody_heard_is_an_order(feed, monkeypatch):
    keys = feed()
    monkeypatch.setattr("bot.playing.control.time", keys)
    keys.control.presses("escape")
    keys.press(keys.module.keyboard.Key.esc, after_s=OWN_KEY_S + 0.01)
    assert keys.control._aborted


def test_hotkeys_own_press_of_another_key_leaves_the_abort_key_as_it_is(feed):
    keys = feed()
    keys.control.presses("enter")
    keys.press(keys.module.keyboard.Key.esc)
    assert keys.control._aborted


def test_hotkeys_own_press_of_the_start_key_toggles_nothing(feed):
    keys = feed(start_key="F9")
    f9 = keys.module.keyboard.Key.f9
    keys.control.presses("f9")
    keys.press(f9)
    keys.release(f9)
    assert not keys.control.is_running
    keys.press(f9, after_s=0.2)
    assert keys.control.is_running


def test_hotkeys_other_keys_do_nothing(feed):
    keys = feed(start_key="s", abort_key="q")
    keyboard = keys.module.keyboard
    for key in (keyboard.Key.f10, keyboard.Key.esc, keyboard.KeyCode.from_char("x"), None):
        keys.press(key)
        keys.release(key)
    assert not keys.control.is_running
    assert not keys.control._aborted
    keys.press(keyboard.KeyCode.from_char("s"))
    assert keys.control.is_running
    keys.press(keyboard.KeyCode.from_char("q"))
    assert keys.control._aborted


class Hook:
    """What a listener on Windows is, to what filters its events."""

    def __init__(self):
        self.n_suppressed = 0

    def suppress_event(self):
        self.n_suppressed += 1


def test_hotkeys_on_windows_keep_both_keys_from_the_game_but_not_the_bots_own(feed, monkeypatch):
    keys = feed()
    key = keys.module.keyboard.Key
    monkeypatch.setattr("bot.playing.control.time", keys)
    keys.keys._listener = hook = Hook()

    def filtered(name, messages=(0x0100, 0x0101)):
        n_before = hook.n_suppressed
        data = types.SimpleNamespace(vkCode=key[name].value.vk)
        goes_on = {keys.keys._swallow_own_keys(message, data) for message in messages}
        return goes_on, hook.n_suppressed - n_before

    assert filtered("enter") == ({True}, 0)
    keys.control.presses("escape")
    assert filtered("esc") == ({False}, 0), "pynput's own handling would take it for a person's"
    assert not keys.control._aborted
    keys.control.presses("f10")
    assert filtered("f10") == ({False}, 0)
    assert not keys.control.is_running
    keys.now += 1.0
    assert filtered("f10", (0x0104, 0x0105)) == ({False}, 2)
    assert keys.control.is_running
    assert filtered("esc") == ({False}, 2)
    assert keys.control._aborted


def test_hotkeys_are_heard_wherever_the_focus_is(hotkeys, bare_display):
    control = Control()
    keys = hotkeys.on_x11(control)
    n_threads = threading.active_count()
    keys.start()
    try:
        for key, has_happened in (("F10", lambda: control.is_running), ("Escape", lambda: control._aborted)):
            assert not has_happened()
            subprocess.run(["xdotool", "key", key], env=environment(bare_display), check=True, timeout=10)
            deadline = time.monotonic() + 10
            while not has_happened():
                assert time.monotonic() < deadline, f"{key} was not heard"
                time.sleep(0.005)
    finally:
        keys.stop()
    assert threading.active_count() == n_threads


def test_hotkeys_hear_the_very_first_key_after_start(hotkeys, bare_display):
    """Ten times over: a listener that is merely about to listen hears one in two of these."""
    display = Display(bare_display)
    code = display.keysym_to_keycode(0xFFC7)  # F10
    for _ in range(10):
        control = Control()
        keys = hotkeys.on_x11(control)
        keys.start()
        for kind in (X.KeyPress, X.KeyRelease):
            display.xtest_fake_input(kind, code)
        display.sync()
        deadline = time.monotonic() + 5
        while not control.is_running and time.monotonic() < deadline:
            time.sleep(0.002)
        keys.stop()
        assert control.is_running
    display.close()


@pytest.mark.parametrize("name", ["ß", "!"])
def test_hotkeys_a_key_that_the_keyboard_lacks_is_an_error(hotkeys, name):
    with pytest.raises(UsageError, match=f"no key '{name}'"):
        hotkeys.on_x11(Control(start_key=name)).start()


def test_hotkeys_are_heard_among_other_keys_and_with_a_modifier(hotkeys, bare_display):
    control = Control(start_key="s", abort_key="q")
    keys = hotkeys.on_x11(control)
    keys.start()
    try:
        for typed, due in (("asa", (True, False)), ("xyz", (True, False)), ("s", (False, False)), ("Q", (False, True))):
            subprocess.run(["xdotool", "type", typed], env=environment(bare_display), check=True, timeout=10)
            deadline = time.monotonic() + 10
            while (control.is_running, control._aborted) != due and time.monotonic() < deadline:
                time.sleep(0.005)
            assert (control.is_running, control._aborted) == due
    finally:
        keys.stop()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_hotkeys_that_can_be_heard_no_more_stop_play_at_once(hotkeys):
    control = Control(running=True)
    keys = hotkeys.on_x11(control)
    keys.start()
    try:
        recording = keys._listener._display_record.display.socket
        recording.shutdown(socket.SHUT_RDWR)  # as when the X server cuts the connection
        with pytest.raises(ScreenError, match="F10 and Esc would not be heard"):
            control.wait(10)
        assert not control.is_running
        with pytest.raises(ScreenError):
            control.raise_if_aborted()
    finally:
        keys.stop()
        for display in (keys._listener._display_stop, keys._listener._display_record):
            display.display.socket.close()  # the listener did not come to that


def test_hotkeys_that_are_stopped_stop_nothing_else(hotkeys):
    control = Control(running=True)
    keys = hotkeys.on_x11(control)
    keys.start()
    keys.stop()
    keys._listener.join()
    time.sleep(0.1)
    assert control.is_running
