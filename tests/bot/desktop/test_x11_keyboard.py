"""Keys on X11: each goes into the window that it is for, or into none, whatever other programs do meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from bot_process import environment
from bystander import bystander
from patience import wait_until
from person import person
from xledger import XLedger
from Xlib import XK, X
from Xlib.display import Display

from bot.desktop import this_platform
from bot.errors import ScreenError, UsageError
from bot.playing.control import Control

pytestmark = [
    pytest.mark.safety,
    pytest.mark.screen,
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),  # pyscreeze leaves its pipes open
]

N_KEYS = 150


@pytest.fixture
def keyboard(bare_display, monkeypatch):
    for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", bare_display)
    opened = this_platform().keyboard()
    yield opened
    opened.close()


@pytest.fixture
def game(bare_display):
    with bystander(bare_display, 100, 100) as window:
        window.take_keyboard()
        yield window


def keysyms(*names):
    return [("key", XK.string_to_keysym(name)) for name in names]


@pytest.mark.parametrize(
    ("key", "heard"),
    [
        ("enter", ["Return"]),
        ("escape", ["Escape"]),
        ("n", ["n"]),
        ("alt+c", ["Alt_L", "c"]),
        ("ctrl+r", ["Control_L", "r"]),
        ("?", ["Shift_L", "slash"]),
    ],
)
def test_key_arrives_in_the_window_that_it_is_for(game, keyboard, bare_display, key, heard):
    assert keyboard.press(key, game.id)
    assert game.heard() == keysyms(*heard)
    with person(bare_display) as someone:
        assert someone.pressed() == (0, [])


def test_key_is_not_pressed_where_another_window_has_the_keyboard(game, keyboard, bare_display):
    with bystander(bare_display) as other:
        other.take_keyboard()
        assert not keyboard.press("n", game.id)
        game.take_keyboard()
        assert keyboard.press("enter", game.id)
        assert (game.heard(), other.heard()) == (keysyms("Return"), [])


def test_key_that_the_keyboard_lacks_is_an_error(game, keyboard):
    with pytest.raises(UsageError, match="no key 'entre'"):
        keyboard.press("ctrl+entre", game.id)
    assert game.heard() == []


def test_keys_never_arrive_in_a_window_that_takes_the_keyboard_at_any_moment(game, keyboard, bare_display):
    """The keyboard changes hands as fast as the server has it."""
    stop = threading.Event()

    def change_hands():
        while not stop.is_set():
            other.take_keyboard()
            game.take_keyboard()

    with bystander(bare_display) as other:
        changing = threading.Thread(target=change_hands)
        changing.start()
        try:
            n_pressed = 0
            while n_pressed < N_KEYS:
                n_pressed += keyboard.press("n", game.id)
        finally:
            stop.set()
            changing.join()
        assert other.heard() == []
        assert game.heard() == keysyms("n") * N_KEYS


@pytest.mark.parametrize("held", ["Alt_L", "Control_L", None])
def test_key_tapped_unseen_is_heard_by_listeners_and_by_no_window(game, keyboard, bare_display, held):
    with XLedger(bare_display) as witness, person(bare_display) as someone:
        codes = [] if held is None else [someone.hold(held)]
        before = len(codes)
        keyboard.tap_unseen("shiftleft")
        wait_until(lambda: len(witness.of("key")) > before, "nobody heard it")
        if held is not None:
            someone.let_go(held)
        assert len(witness.of("key")) == before + 1
        assert game.heard() == ([] if held is None else keysyms(held))


def test_key_that_another_program_keeps_is_not_tapped(game, keyboard, bare_display):
    keeper = Display(bare_display)
    code = keeper.keysym_to_keycode(XK.XK_Shift_L)
    keeper.screen().root.grab_key(code, X.AnyModifier, False, X.GrabModeAsync, X.GrabModeAsync)
    keeper.sync()
    try:
        with XLedger(bare_display) as witness, pytest.raises(ScreenError, match="keeps the key shiftleft"):
            keyboard.tap_unseen("shiftleft")
        assert witness.of("key") == []
    finally:
        keeper.close()


# --- keys that are pressed for the bot


@pytest.fixture
def heard_keys(bare_display):
    """Hot keys that listen, and what they steer."""
    control = Control()
    keys = this_platform().hot_keys(control.hot_keys(), control)
    keys.start()
    yield keys, control
    keys.stop()


@pytest.mark.parametrize("locked", ["Num_Lock", "Caps_Lock", None])
def test_keys_for_the_bot_are_heard_by_it_and_by_no_window_while_it_plays(
    game, keyboard, bare_display, heard_keys, locked
):
    keys, control = heard_keys
    locks = [] if locked is None else [locked]
    with person(bare_display) as someone:
        for lock in locks:
            someone.key(lock)
        try:
            with keyboard.keeping(keys):
                for name in ("F10", "Escape", "Return"):
                    someone.key(name)
                wait_until(lambda: control._aborted)
                assert control._running
            someone.key("Escape")
        finally:
            for lock in locks:
                someone.key(lock)
    assert game.heard() == keysyms(*locks, "Return", "Escape", *locks)


def test_key_for_the_bot_that_it_presses_itself_arrives_also_while_a_person_holds_one(
    game, keyboard, bare_display, heard_keys
):
    keys, control = heard_keys
    with person(bare_display) as someone, keyboard.keeping(keys):
        someone.hold("F10")
        assert keyboard.press("escape", game.id)
        assert keyboard.press("enter", game.id)
        someone.let_go("F10")
        someone.key("Escape")
        wait_until(lambda: control._aborted)
    assert game.heard() == keysyms("Escape", "Return")


def test_letters_for_the_bot_are_typed_as_ever(game, keyboard, bare_display):
    control = Control(start_key="s")
    keys = this_platform().hot_keys(control.hot_keys(), control)
    keys.start()
    with person(bare_display) as someone, keyboard.keeping(keys):
        for name in ("s", "Escape"):
            someone.key(name)
    keys.stop()
    assert game.heard() == keysyms("s")


def test_keys_that_another_program_keeps_are_left_to_it(game, keyboard, bare_display, heard_keys):
    keys, control = heard_keys
    keeper = Display(bare_display)
    code = keeper.keysym_to_keycode(XK.XK_Escape)
    keeper.screen().root.grab_key(code, X.AnyModifier, False, X.GrabModeAsync, X.GrabModeAsync)
    keeper.sync()
    try:
        with person(bare_display) as someone, keyboard.keeping(keys):
            someone.key("F10")
            someone.key("Escape")
            wait_until(lambda: control._aborted)
        events = iter(keeper.next_event, None)
        assert next(event.detail for event in events if event.type == X.KeyPress) == code  # all hear of new key maps
        assert game.heard() == []
    finally:
        keeper.close()


def is_kept(game, someone):
    n_before = len(game.heard())
    someone.key("F10")
    return len(game.heard()) == n_before


KEEPER = """
import sys, time
sys.path.insert(0, {root!r})
from bot.playing.control import Control
from bot.desktop import open_desktop
from bot.playing.session import listening
with open_desktop() as desktop, listening(Control(), desktop.keyboard):
    print("kept", flush=True)
    while True:
        time.sleep(0.01)
"""


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTSTP])
def test_keys_for_the_bot_are_everybodys_again_when_it_is_killed_or_suspended(game, bare_display, end):
    keeper = subprocess.Popen(
        [sys.executable, "-c", KEEPER.format(root=str(Path(__file__).parents[3]))],
        env=environment(bare_display),
        stdout=subprocess.PIPE,
        text=True,
        process_group=0,  # an orphaned group would not be stopped
    )
    with keeper, person(bare_display) as someone:
        try:
            assert keeper.stdout.readline() == "kept\n"
            someone.key("F10")
            assert game.heard() == []
            keeper.send_signal(end)
            if end is signal.SIGTSTP:
                os.waitid(os.P_PID, keeper.pid, os.WSTOPPED)
            else:
                keeper.wait(10)
            someone.key("F10")
            wait_until(lambda: game.heard() == keysyms("F10"))
            if end is signal.SIGTSTP:
                keeper.send_signal(signal.SIGCONT)
                wait_until(lambda: is_kept(game, someone))
        finally:
            keeper.kill()
