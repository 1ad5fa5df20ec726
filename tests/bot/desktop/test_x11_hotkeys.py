"""Hot keys on a virtual screen: every press is heard, whoever presses and whatever else happens.

`MINEBOT_KEY_PRESSES` says how many presses; `--log-cli-level=INFO` shows how long they took.
"""

from __future__ import annotations

import contextlib
import logging
import subprocess
import threading
import time

import pytest
from amounts import count
from bot_process import environment
from bystander import bystander
from patience import PATIENCE_S, wait_until
from person import person
from xdevices import KEY, real_device
from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import xtest

from bot.desktop import HotKey, this_platform
from bot.errors import ScreenError, UsageError
from bot.playing.control import Control

N_PRESSES = count("MINEBOT_KEY_PRESSES", gate=100, full=5_000)
"""Half of them are F10, half Esc; each of the four tests presses as often."""
pytestmark = [
    pytest.mark.safety,
    pytest.mark.screen,
    pytest.mark.timeout(900 + N_PRESSES),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # pyscreeze leaves its pipes open
]

SOON_MS = 50
log = logging.getLogger("hot keys")


@pytest.fixture
def display(bare_display, monkeypatch):
    for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", bare_display)
    with person(bare_display) as someone:
        assert someone.pressed() == (0, []), "an earlier test left it held"
    return bare_display


@contextlib.contextmanager
def listening(control):
    keys = this_platform().hot_keys(control.hot_keys(), control)
    keys.start()
    try:
        yield keys
    finally:
        keys.stop()


class ByXTest:
    """A program that presses keys and asks for no reply."""

    def __init__(self, display_name):
        self._display = Display(display_name)

    def press(self, code):
        xtest.fake_input(self._display, X.KeyPress, code)
        self._display.flush()

    def release(self, code):
        xtest.fake_input(self._display, X.KeyRelease, code)
        self._display.flush()

    def close(self):
        self._display.sync()
        self._display.close()


PRESSERS = {"a program": ByXTest, "a keyboard": lambda name: real_device(name, KEY)}


@contextlib.contextmanager
def presser(kind, display_name):
    made = PRESSERS[kind](display_name)
    with made if hasattr(made, "__enter__") else contextlib.closing(made) as opened:
        yield opened


def code_of(display_name, keysym):
    asked = Display(display_name)
    try:
        return asked.keysym_to_keycode(XK.string_to_keysym(keysym))
    finally:
        asked.close()


@contextlib.contextmanager
def busy_display(display_name):
    """Somebody paints, moves the pointer and types other keys, as fast as the server takes it."""
    stop = threading.Event()

    def bustle():
        own = Display(display_name)
        window = own.screen().root.create_window(0, 0, 300, 300, 0, X.CopyFromParent, event_mask=X.KeyPressMask)
        pen = window.create_gc()
        window.map()
        code = own.keysym_to_keycode(XK.XK_x)
        n = 0
        while not stop.is_set():
            n += 1
            window.fill_rectangle(pen, n % 200, 0, 100, 100)
            xtest.fake_input(own, X.MotionNotify, x=n % 300, y=5)
            for kind in (X.KeyPress, X.KeyRelease):
                xtest.fake_input(own, kind, code)
            own.sync()
            time.sleep(0.001)
        own.close()

    thread = threading.Thread(target=bustle)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("kind", PRESSERS)
@pytest.mark.parametrize("is_busy", [False, True])
def test_hotkeys_every_press_is_heard(display, kind, is_busy):
    heard = []
    keys = [HotKey("f10", lambda: heard.append(("F10", time.perf_counter()))),
            HotKey("esc", lambda: heard.append(("Escape", time.perf_counter())))]  # fmt: skip
    listener = this_platform().hot_keys(keys, Control())
    codes = [(name, code_of(display, name)) for name in ("F10", "Escape")]
    took_ms = []
    listener.start()
    try:
        with busy_display(display) if is_busy else contextlib.nullcontext(), presser(kind, display) as hands:
            for n in range(N_PRESSES):
                name, code = codes[n % 2]
                pressed_s = time.perf_counter()
                hands.press(code)
                wait_until(lambda: len(heard) > n, f"press {n}, {name}, was not heard")  # noqa: B023 - called at once
                hands.release(code)
                took_ms.append((heard[n][1] - pressed_s) * 1000)
                assert heard[n][0] == name
    finally:
        listener.stop()
    assert len(heard) == N_PRESSES, "each once"
    ranked = sorted(took_ms)
    log.info("%s, %s: %d presses, median %.1f ms, longest %.1f ms, %d over %d ms",
             kind, "busy" if is_busy else "quiet", len(ranked), ranked[len(ranked) // 2], ranked[-1],
             sum(ms > SOON_MS for ms in ranked), SOON_MS)  # fmt: skip


@pytest.mark.parametrize("kind", PRESSERS)
def test_hotkeys_two_presses_that_the_server_takes_at_once_are_two(display, kind):
    """As a busy server does with two presses that are 80 ms apart."""
    code = code_of(display, "F10")
    for _ in range(10):
        control = Control(running=True)
        with listening(control), presser(kind, display) as hands:
            holder = Display(display)
            holder.grab_server()
            holder.sync()
            for _ in range(2):
                hands.press(code)
                hands.release(code)
            holder.close()
            wait_until(lambda: control.n_pauses == 1 and control.is_running)  # noqa: B023 - called at once


@pytest.mark.parametrize("kind", PRESSERS)
def test_hotkeys_held_key_toggles_once(display, kind):
    control = Control()
    code = code_of(display, "F10")
    with listening(control), presser(kind, display) as hands:
        for _ in range(3):
            hands.press(code)  # some servers repeat so; this one's own repeats begin after 660 ms
            time.sleep(0.5)
        hands.release(code)
        wait_until(lambda: control.is_running)
        hands.press(code)
        wait_until(lambda: not control.is_running)
        hands.release(code)
    assert control.n_pauses == 1


def test_hotkeys_are_heard_while_another_program_has_grabbed_the_keyboard(display):
    control = Control()
    grabber = Display(display)
    try:
        with listening(control), person(display) as someone:
            grabber.screen().root.grab_keyboard(False, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
            grabber.sync()
            someone.key("F10")
            wait_until(lambda: control.is_running)
    finally:
        grabber.close()


@pytest.mark.parametrize("name", ["esc", "alt+f10", "ctrl+r"])
def test_hotkeys_own_presses_are_no_orders_and_a_persons_at_the_same_time_are(display, name):
    """The same key by a person, once with each of the bot's own: as many orders as the person gave."""
    n_tries = 30
    orders = []
    keys = [HotKey(key, lambda key=key: orders.append(key)) for key in ("esc", "f10", "r")]
    listener = this_platform().hot_keys(keys, Control())
    listener.start()
    keyboard = this_platform().keyboard()
    pressed = name.rpartition("+")[2]
    code = code_of(display, {"esc": "Escape", "f10": "F10", "r": "r"}[pressed])
    name = name.replace("esc", "escape")
    try:
        with bystander(display) as game, keyboard.keeping(listener), real_device(display, KEY) as hands:
            game.take_keyboard()
            for n in range(n_tries):
                hand = threading.Thread(target=lambda: (hands.press(code), hands.release(code)))
                hand.start()
                assert keyboard.press(name, game.id)
                hand.join()
                wait_until(lambda: len(orders) > n)  # noqa: B023 - called at once
            for _ in range(n_tries):
                assert keyboard.press(name, game.id)
            hands.press(code)
            hands.release(code)
            wait_until(lambda: len(orders) > n_tries)
    finally:
        listener.stop()
        keyboard.close()
    assert orders == [pressed] * (n_tries + 1)


def test_hotkeys_by_other_programs_are_a_persons(display):
    """As those of xdotool and of a remote desktop are: the bot presses as the same device."""
    control = Control()
    with listening(control):
        for key, has_happened in (("F10", lambda: control.is_running), ("Escape", lambda: control._aborted)):
            assert not has_happened()
            subprocess.run(["xdotool", "key", key], env=environment(display), check=True)
            wait_until(has_happened, f"{key} was not heard")


def test_hotkeys_leave_no_thread_behind(display):
    n_threads = threading.active_count()
    control = Control(running=True)
    for _ in range(3):
        with listening(control):
            pass
    assert threading.active_count() == n_threads
    assert control.is_running


def test_hotkeys_hear_the_very_first_key_after_start(display):
    code = code_of(display, "F10")
    with presser("a program", display) as hands:
        for _ in range(10):
            control = Control()
            with listening(control):
                hands.press(code)
                hands.release(code)
                wait_until(lambda: control.is_running)  # noqa: B023 - called at once


@pytest.mark.parametrize("name", ["ß", "!", "ctrl+!"])
def test_hotkeys_a_key_that_the_keyboard_lacks_is_an_error(display, name):
    control = Control(start_key=name)
    keys = this_platform().hot_keys(control.hot_keys(), control)
    with pytest.raises(UsageError, match=r"no key '[ß!]'"):
        keys.start()
    keys.stop()


def test_hotkeys_are_heard_among_other_keys_and_with_a_modifier(display):
    control = Control(start_key="s", abort_key="q")
    with listening(control):
        for typed, due in (("asa", (True, False)), ("xyz", (True, False)), ("s", (False, False)), ("Q", (False, True))):
            subprocess.run(["xdotool", "type", typed], env=environment(display), check=True)
            wait_until(lambda: (control.is_running, control._aborted) == due)  # noqa: B023 - called at once


@pytest.mark.parametrize(
    ("name", "others", "pressed"),
    [
        ("ctrl+f10", [["F10"], ["Shift_L", "F10"]], ["Control_R", "F10"]),
        ("num_5", [["5"], ["Down"]], ["KP_5"]),
        ("num_decimal", [["period"], ["Delete"]], ["KP_Decimal"]),
        ("shift+alt+a", [["Alt_L", "a"]], ["Shift_L", "Alt_L", "a"]),
        ("page_up", [["KP_9"]], ["Prior"]),
    ],
)
@pytest.mark.parametrize("has_num_lock", [False, True])
def test_hotkeys_of_the_number_pad_and_combinations(display, name, others, pressed, has_num_lock):
    control = Control(start_key=name)

    def press(names):
        for one in names:
            someone.hold(one)
        for one in reversed(names):
            someone.let_go(one)

    with person(display) as someone, listening(control):
        if has_num_lock:
            someone.key("Num_Lock")
        try:
            for other in others:
                press(other)
            press(pressed)
        finally:
            if has_num_lock:
                someone.key("Num_Lock")
        wait_until(lambda: control.is_running)
    assert control.n_pauses == 0, "nothing else was heard"


def test_hotkeys_modifier_that_is_held_at_the_start_counts(display):
    control = Control(start_key="ctrl+f10")
    with person(display) as someone:
        someone.hold("Control_L")
        try:
            with listening(control):
                someone.key("F10")
                wait_until(lambda: control.is_running)
        finally:
            someone.let_go("Control_L")


def test_hotkeys_combination_is_kept_from_the_game_and_its_key_alone_is_not(display):
    control = Control(start_key="ctrl+f10")
    keyboard = this_platform().keyboard()
    with bystander(display) as game, person(display) as someone, listening(control) as keys, keyboard.keeping(keys):
        game.take_keyboard()
        someone.key("F10")
        someone.hold("Control_L")
        someone.key("F10")
        someone.let_go("Control_L")
        someone.key("Escape")
        wait_until(lambda: control._aborted)
        assert control._running
        assert game.heard() == [("key", XK.XK_F10), ("key", XK.XK_Control_L)]
    keyboard.close()


def test_hotkeys_letter_that_moves_to_another_key_is_heard_there(display):
    control = Control(start_key="y")
    with listening(control), person(display) as someone:
        own = Display(display)
        y, z = (own.keysym_to_keycode(XK.string_to_keysym(name)) for name in "yz")
        maps = [list(own.get_keyboard_mapping(code, 1)[0]) for code in (y, z)]
        try:
            for code, keysyms in zip((y, z), reversed(maps), strict=True):
                own.change_keyboard_mapping(code, [keysyms])
            own.sync()

            def is_heard(code):
                for kind in (X.KeyPress, X.KeyRelease):
                    xtest.fake_input(own, kind, code)
                own.sync()
                time.sleep(0.05)
                return control._running or control.n_pauses > 0

            wait_until(lambda: is_heard(z))
            before = control._running, control.n_pauses
            is_heard(y)
            someone.key("Escape")
            wait_until(lambda: control._aborted)
        finally:
            for code, keysyms in zip((y, z), maps, strict=True):
                own.change_keyboard_mapping(code, [keysyms])
            own.sync()
            own.close()
    assert (control._running, control.n_pauses) == before, "the other key is another letter now"


def test_hotkeys_that_can_be_heard_no_more_stop_play_at_once(display):
    control = Control(running=True)
    with listening(control) as keys:
        killer = Display(display)
        killer.create_resource_object("window", keys.window).kill_client()  # as when the server cuts the connection
        killer.sync()
        killer.close()
        with pytest.raises(ScreenError, match="F10 and Esc would not be heard"):
            control.wait(PATIENCE_S)
        assert not control.is_running


def test_hotkeys_need_the_extension_that_tells_of_keys(display, monkeypatch):
    monkeypatch.setattr("bot.desktop.x11.system.XINPUT_VERSION", (2, 99))
    monkeypatch.setattr("bot.desktop.x11.hotkeys.XINPUT_VERSION", (2, 99))
    control = Control()
    keys = this_platform().hot_keys(control.hot_keys(), control)
    with pytest.raises(ScreenError, match=r"the X server lacks its extension XInputExtension 2\.2"):
        keys.start()
    keys.stop()
    with pytest.raises(ScreenError, match="the X server lacks XInputExtension\n"):
        this_platform().machine().describe_permissions()
