"""Keys on X11: each goes into the window that it is for, or into none, whatever other programs do meanwhile."""

from __future__ import annotations

import threading
import time

import pytest
from bystander import bystander
from person import person
from Xlib import XK, X
from Xlib.display import Display
from xwatch import XWatch

from bot.errors import ScreenError, UsageError

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
    from bot.ports.mouse import real_keyboard

    opened = real_keyboard()
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
    with XWatch(bare_display) as witness, person(bare_display) as someone:
        codes = [] if held is None else [someone.hold(held)]
        before = len(codes)
        keyboard.tap_unseen("shiftleft")
        deadline = time.monotonic() + 5
        while len(witness.of("key")) < before + 1 and time.monotonic() < deadline:
            time.sleep(0.005)
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
        with XWatch(bare_display) as witness, pytest.raises(ScreenError, match="keeps the key shiftleft"):
            keyboard.tap_unseen("shiftleft")
        assert witness.of("key") == []
    finally:
        keeper.close()
