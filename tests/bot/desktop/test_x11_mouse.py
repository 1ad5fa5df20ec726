"""The mouse on X11, and a person who moves it between two of the bot's acts; the server's own list is the witness."""

from __future__ import annotations

import contextlib
import signal
from functools import partial

import pytest
from patience import wait_until
from person import person
from xdevices import BUTTON, real_device
from xledger import XLedger
from Xlib import XK, X
from Xlib.display import Display
from Xlib.ext import xtest

from bot.models import Button, Click, Held, Pixel, Refusal

pytestmark = [pytest.mark.safety, pytest.mark.screen]

CELL, ELSEWHERE = Pixel(300, 200), Pixel(900, 800)


@pytest.fixture
def someone(bare_display):
    with person(bare_display) as hands:
        hands.jump(5, 5)
        yield hands


@pytest.fixture
def mouse(bare_display, monkeypatch):
    for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "XAUTHORITY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", bare_display)
    from bot.desktop.x11.input import X11Mouse

    opened = X11Mouse()
    yield opened
    opened.close()


def buttons(ledger):
    """What was pressed and released, and where."""
    return [(entry.kind, entry.detail, Pixel(entry.x, entry.y)) for entry in ledger.of("press", "release")]


def test_witness_knows_each_press_as_soon_as_it_was_made(bare_display):
    hands = Display(bare_display)
    try:
        with XLedger(bare_display) as ledger:
            for n_presses in range(1, 61):
                for event in (X.ButtonPress, X.ButtonRelease):
                    xtest.fake_input(hands, event, 1)
                hands.sync()
                assert ledger.n_presses() == n_presses
    finally:
        hands.close()


@pytest.mark.parametrize(
    ("button", "numbers"), [(Button.LEFT, [1]), (Button.MIDDLE, [2]), (Button.RIGHT, [3]), (Button.BOTH, [1, 3])]
)
def test_mouse_presses_and_releases_where_it_is_told(bare_display, someone, mouse, button, numbers):
    with XLedger(bare_display) as ledger:
        mouse.position()
        mouse.click(Click(CELL, button))
    assert buttons(ledger) == [(kind, number, CELL) for kind in ("press", "release") for number in numbers]
    assert mouse.position() == CELL


def test_mouse_that_a_person_moved_just_before_a_click_is_given_back(bare_display, someone, mouse):
    with XLedger(bare_display) as ledger:
        mouse.position()
        someone.jump(*ELSEWHERE)
        mouse.click(Click(CELL, Button.LEFT))
    assert buttons(ledger) == [("press", 1, CELL), ("release", 1, CELL)]
    assert mouse.position() == ELSEWHERE


def test_mouse_that_a_person_moved_just_before_a_move_is_given_back(someone, mouse):
    mouse.position()
    someone.jump(*ELSEWHERE)
    mouse.move(CELL)
    assert mouse.position() == ELSEWHERE


def test_mouse_that_was_seen_elsewhere_in_between_is_not_taken(someone, mouse):
    mouse.move(CELL)
    someone.jump(*ELSEWHERE)
    assert mouse.position() == ELSEWHERE
    mouse.click(Click(CELL, Button.LEFT))
    assert mouse.position() == CELL


def test_mouse_that_is_where_the_bot_left_it_before_is_no_persons(someone, mouse):
    for pixel in (CELL, Pixel(400, 200)):
        mouse.move(pixel)
    someone.jump(*CELL)  # as a frozen pointer tells of it
    mouse.move(Pixel(500, 200))
    assert mouse.position() == Pixel(500, 200)
    someone.jump(*CELL)
    assert mouse.position() == CELL, "it stays there: a person put it there"


@pytest.mark.parametrize("by_px", [(0, 0), (40, -30), (16, 0)])
def test_mouse_click_follows_a_window_that_has_moved(bare_display, someone, mouse, by_px):
    there = Pixel(CELL.x + by_px[0], CELL.y + by_px[1])
    with XLedger(bare_display) as ledger, someone.window(250, 150, 100, 100, is_managed=False) as window:
        mouse.follow(Pixel(270, 170))
        someone.move_window(window.id, 250 + by_px[0], 150 + by_px[1])
        assert mouse.click(Click(CELL, Button.LEFT)) == there
        someone.now_ms()
    assert buttons(ledger) == [("press", 1, there), ("release", 1, there)]
    assert mouse.position() == there, "that is where the bot left it: no person has moved it"
    assert len(someone.hits_ms) == 1


def test_mouse_click_in_a_part_of_a_window_that_has_left_the_screen_is_refused(bare_display, someone, mouse):
    with XLedger(bare_display) as ledger, someone.window(250, 150, 100, 100, is_managed=False) as window:
        mouse.follow(Pixel(270, 170))
        for corner in ((1240, 150), (-60, 150), (250, 980), (250, -60)):
            someone.move_window(window.id, *corner)
            assert mouse.click(Click(CELL, Button.LEFT)) is Refusal.COVERED
        someone.now_ms()
    assert buttons(ledger) == [], "the server would press at the screen's edge"


def test_mouse_click_in_a_window_that_has_closed_is_refused(bare_display, someone, mouse):
    with XLedger(bare_display) as ledger:
        with someone.window(250, 150, 100, 100, is_managed=False):
            mouse.follow(CELL)
        for _ in range(2):
            assert mouse.click(Click(CELL, Button.LEFT)) is Refusal.COVERED
    assert buttons(ledger) == []


@pytest.mark.parametrize("is_on_desktop", [False, True])
def test_mouse_click_is_refused_where_another_window_came_up_since_the_look(
    bare_display, someone, mouse, is_on_desktop
):
    """Right before the press of all: what is followed was seen there, and is_as_seen had its look."""
    game = contextlib.nullcontext() if is_on_desktop else someone.window(250, 150, 100, 100, is_managed=False)
    with XLedger(bare_display) as ledger, game:
        mouse.follow(CELL)
        with person(bare_display) as other, other.window(280, 180, 60, 60, is_managed=False):
            assert mouse.click(Click(CELL, Button.LEFT)) is Refusal.COVERED
            other.now_ms()
            assert other.hits_ms == []
        assert buttons(ledger) == []
        assert mouse.click(Click(CELL, Button.LEFT)) == CELL
    assert len(buttons(ledger)) == 2


def hold(someone, name):
    """Press a key, or a button by its number, and keep it down; returns how to let it go."""
    display = someone._display
    is_key = isinstance(name, str)
    detail = display.keysym_to_keycode(XK.string_to_keysym(name)) if is_key else name
    down, up = (X.KeyPress, X.KeyRelease) if is_key else (X.ButtonPress, X.ButtonRelease)
    xtest.fake_input(display, down, detail)
    display.sync()

    def let_go():
        xtest.fake_input(display, up, detail)
        display.sync()

    return let_go


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("Shift_L", Held(("Shift",))),
        ("Control_R", Held(("Ctrl",))),
        ("Alt_L", Held(("Alt",))),
        ("Super_L", Held(("Super",))),
        (1, Held(has_button=True)),
        (3, Held(has_button=True)),
    ],
)
def test_mouse_click_is_refused_while_a_person_holds_a_key_or_a_button(bare_display, someone, mouse, name, held):
    with someone.window(250, 150, 100, 100, is_managed=False):
        mouse.follow(CELL)
        let_go = hold(someone, name)
        try:
            with XLedger(bare_display) as ledger:
                assert mouse.click(Click(CELL, Button.LEFT)) is Refusal.HELD
                assert mouse.held() == held
            assert buttons(ledger) == [], "nothing is pressed, and a person's button is not let go"
        finally:
            let_go()
        assert mouse.held() == Held()
        assert mouse.click(Click(CELL, Button.LEFT)) == CELL


@contextlib.contextmanager
def frozen_click(display, someone, mouse):
    """A click that a window manager holds back while the block runs, or until what it yields is called."""
    manager = Display(display)
    root = manager.screen().root
    root.grab_button(1, X.AnyModifier, False, X.ButtonPressMask, X.GrabModeSync, X.GrabModeAsync, X.NONE, X.NONE)
    manager.sync()

    def thaw():
        manager.allow_events(X.ReplayPointer, X.CurrentTime)
        manager.sync()

    try:
        with someone.window(250, 150, 100, 100, is_managed=False):
            mouse.follow(CELL)
            assert mouse.click(Click(CELL, Button.LEFT)) == CELL
            assert someone.pressed() == (X.Button1Mask, []), "the manager has not seen to it yet"
            yield thaw
    finally:
        manager.close()


def test_mouse_button_of_a_click_that_a_window_manager_has_frozen_is_no_persons(bare_display, someone, mouse):
    with frozen_click(bare_display, someone, mouse) as thaw:
        assert mouse.held() == Held(has_click=True)
        assert mouse.click(Click(CELL, Button.LEFT)) is Refusal.HELD
        thaw()
        assert mouse.held() == Held()


@contextlib.contextmanager
def held_button(someone, device):
    """Hold the left button down: on a real device, or by a program where there is none."""
    if device is None:
        let_go = hold(someone, 1)
    else:
        device.press(1)
        let_go = partial(device.release, 1)
    someone.now_ms()
    try:
        yield
    finally:
        let_go()


@pytest.mark.parametrize("is_program", [False, True])
def test_mouse_button_that_a_person_holds_while_a_click_is_held_back_is_a_persons(
    bare_display, someone, mouse, is_program
):
    """Also where another program presses it, by the device that the bot clicks with."""
    with frozen_click(bare_display, someone, mouse), real_device(bare_display, BUTTON) as hand:
        assert mouse.held() == Held(has_click=True)
        with held_button(someone, None if is_program else hand):
            assert mouse.held() == Held(has_button=True)


@pytest.mark.parametrize("is_program", [False, True])
def test_mouse_button_that_a_person_holds_right_after_a_click_is_a_persons(bare_display, someone, mouse, is_program):
    with real_device(bare_display, BUTTON) as hand:
        mouse.click(Click(CELL))
        with held_button(someone, None if is_program else hand):
            assert mouse.held() == Held(has_button=True)
        someone.now_ms()
        assert mouse.held() == Held()


@pytest.mark.parametrize("name", ["Caps_Lock", "Num_Lock"])
def test_mouse_click_is_made_whatever_is_locked(someone, mouse, name):
    with someone.window(250, 150, 100, 100, is_managed=False):
        mouse.follow(CELL)
        before = someone._root.query_pointer().mask
        someone.key(name)
        try:
            wait_until(lambda: someone._root.query_pointer().mask != before, "nothing was locked")
            assert mouse.click(Click(CELL, Button.LEFT)) == CELL
        finally:
            someone.key(name)


def test_mouse_that_has_grabbed_the_server_is_not_suspended(someone, mouse, monkeypatch):
    """Ctrl-Z between the grab and its end would stop every program on the screen; it waits for the end."""
    done = []
    before = signal.signal(signal.SIGTSTP, lambda *_: done.append("suspended"))
    ungrab = mouse._display.ungrab_server
    monkeypatch.setattr(mouse._display, "ungrab_server", lambda: (done.append("ungrabbed"), ungrab()))
    monkeypatch.setattr(mouse, "_send_pointer", lambda _pixel: signal.raise_signal(signal.SIGTSTP))
    try:
        mouse.click(Click(CELL, Button.LEFT))
    finally:
        signal.signal(signal.SIGTSTP, before)
    assert done == ["ungrabbed", "suspended"]


def test_mouse_follows_the_last_window_it_was_told_of_and_none_on_the_desktop(someone, mouse):
    with someone.window(250, 150, 100, 100, is_managed=False) as window:
        mouse.follow(CELL)
        mouse.follow(ELSEWHERE)
        someone.move_window(window.id, 400, 400)
        assert mouse.click(Click(ELSEWHERE, Button.LEFT)) == ELSEWHERE


def test_mouse_lets_nobody_in_between_the_move_and_the_press(someone, mouse, monkeypatch):
    """A busy server turns to other programs whenever it likes: their moves came in between 3 of 92,115 clicks."""
    display = mouse._display.display
    sent, send = [], display.send_request
    monkeypatch.setattr(display, "send_request", lambda one, wait: (sent.append(type(one).__name__), send(one, wait)))
    with someone.window(250, 150, 100, 100, is_managed=False):
        mouse.follow(CELL)
        sent.clear()
        mouse.click(Click(CELL, Button.BOTH))
    grabbed = sent[sent.index("GrabServer") + 1 : sent.index("UngrabServer")]
    assert grabbed == ["QueryPointer", "TranslateCoords", *["FakeInput"] * 5]
    assert sent.count("FakeInput") == grabbed.count("FakeInput")
