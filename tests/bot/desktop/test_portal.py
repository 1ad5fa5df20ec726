"""The portal's ports on a real mutter: pictures by PipeWire, and what the portal is asked to do, by its own record."""

from __future__ import annotations

import json
import time
from contextlib import closing

import numpy as np
import pytest
from gnome_mines import PROGRAM, gnome_mines
from mutter_desk import PROGRAMS, SIZE, mutter_desk
from patience import wait_until

from bot.cli import main
from bot.desktop import this_platform
from bot.errors import Aborted, ScreenError, UsageError
from bot.models import Button, Click, Pixel, Region
from bot.playing.control import Control

pytestmark = pytest.mark.screen

SCREEN = Region(0, 0, *SIZE)


@pytest.fixture(scope="module")
def hands(require_program):
    require_program(PROGRAM, "gnome-mines")
    for program, package in PROGRAMS.items():
        require_program(program, package)
    with mutter_desk() as opened:
        yield opened


@pytest.fixture
def here(hands, monkeypatch):
    for name, value in hands.variables.items():
        monkeypatch.setenv(name, value)
    hands.forget_acts()
    return this_platform()


def test_screen_is_asked_for_alone_and_the_mouse_when_it_is_needed(hands, here):
    with closing(here.screen()) as screen:
        assert screen.monitors == [SCREEN]
        assert hands.acts("devices") == []
        here.mouse()
        assert [told for _, told in hands.acts("devices")] == [3]
        assert screen.grab().region == SCREEN


def test_token_of_the_last_session_is_shown_to_the_next_one(hands, here):
    for _ in range(2):
        with closing(here.screen()):
            here.mouse()
    (first, second) = (told for _, told in hands.acts("token"))
    assert second.startswith("token ")
    assert first != second


def test_click_goes_where_the_pixel_is_and_a_picture_after_it_shows_the_pointer_gone_there(hands, here):
    with gnome_mines(hands, "small"), closing(here.screen()) as screen:
        mouse = here.mouse()
        middle = SCREEN.middle
        before = screen.grab().pixels_bgr
        assert mouse.click(Click(middle, Button.LEFT)) == middle
        assert mouse.position() == middle
        wait_until(lambda: not np.array_equal(screen.grab().pixels_bgr, before), "the click opened nothing")
        assert [at for _, *at in hands.presses()] == [[*middle]]
        buttons = [told for _, told in hands.acts("PointerButton")]
        assert buttons == [[0x110, 1], [0x110, 0]]


def test_pointer_goes_all_the_way_where_gnome_takes_logical_places_for_pixels(hands, here):
    hands.answer("scale", "2")
    try:
        with closing(here.screen()) as screen:
            mouse = here.mouse()
            assert screen.monitors == [SCREEN]
            there = Pixel(1001, 700)
            mouse.move(there)
            assert mouse.position() == there
            hands.wait_for_pointer(there)
    finally:
        hands.answer("scale")


def test_desktop_whose_pointer_does_not_go_where_it_is_sent_is_refused(hands, here):
    hands.answer("scale", "2", "absolute")
    try:
        with pytest.raises(ScreenError, match="point at all of a monitor at 200 %"):
            here.mouse()
    finally:
        hands.answer("scale")


def test_picture_that_may_be_kept_back_is_brought_by_a_pixel_and_back_once(hands, here):
    with closing(here.screen()) as screen:
        here.mouse().move(Pixel(300, 300))
        hands.forget_acts()
        time.sleep(0.2)
        for _ in range(3):
            screen.grab()
            time.sleep(0.1)
        assert [told[1:] for _, told in hands.acts("PointerMotionAbsolute")] == [[301, 300], [300, 300]]


def test_hand_that_moves_the_pointer_is_seen(hands, here):
    with closing(here.screen()):
        mouse = here.mouse()
        mouse.move(Pixel(300, 300))
        wait_until(lambda: mouse.position() == (300, 300), "it is not seen where it was sent")
        hands.move(500, 400)
        wait_until(lambda: mouse.position() == (500, 400), "the hand is not seen")


def test_pointer_that_is_seen_late_was_moved_by_no_hand(hands, here):
    with closing(here.screen()):
        mouse = here.mouse()
        mouse.move(Pixel(300, 300))
        wait_until(lambda: mouse.position() == (300, 300), "it is not seen where it was sent")
        with hands.without_pictures():
            for x in (400, 500):
                mouse.move(Pixel(x, 300))
                assert mouse.position() == (x, 300)
        wait_until(lambda: mouse.position() == (500, 300), "it is not seen where it was sent last")


def test_doctor_asks_the_person_for_nothing_unless_told_to(hands, here, capsys):
    assert main(["doctor"]) == 0
    assert "the desktop asks you first" in capsys.readouterr().out
    assert hands.acts("devices") == []
    assert main(["doctor", "--ask", "--json"]) == 0
    checks = {check["name"]: check["detail"] for check in json.loads(capsys.readouterr().out)["checks"]}
    assert "1280 x 800 at (0,0), 100%" in checks["displays"]
    assert "was moved by a pixel and back" in checks["mouse"]
    assert "gives F10, and Esc while the bot plays" in checks["hot keys"]


def test_part_beyond_the_screen_is_refused(here):
    with closing(here.screen()) as screen, pytest.raises(ScreenError, match="expected a part of the screen"):
        screen.grab(Region(1000, 700, 300, 300))


@pytest.mark.parametrize(
    ("about", "words", "message"),
    [
        ("refused", ["Start"], "you did not allow it"),
        ("devices", ["1"], "but not use the mouse"),
    ],
)
def test_what_the_person_refuses_is_said(hands, here, about, words, message):
    hands.answer(about, *words)
    try:
        with pytest.raises(ScreenError, match=message):
            here.mouse()
    finally:
        hands.answer(about)


def test_screen_is_shown_though_the_person_takes_the_mouse_back(hands, here):
    with closing(here.screen()):
        here.mouse()  # it is remembered that this was allowed
    hands.answer("devices", "1")
    try:
        with closing(here.screen()) as screen:
            assert screen.monitors == [SCREEN]
            with pytest.raises(ScreenError, match="but not use the mouse"):
                here.mouse()
    finally:
        hands.answer("devices")


def test_desktop_without_global_shortcuts_is_steered_by_commands(hands, here):
    control = Control()
    hands.answer("missing", "GlobalShortcuts")
    try:
        keys = here.hot_keys(control.hot_keys(), control)
    finally:
        hands.answer("missing")
    assert "bind a key to 'minebot toggle'" in keys.not_heard


def test_key_that_another_program_has_is_refused_by_name(hands, here):
    control = Control()
    hands.answer("taken", "F10")
    try:
        with pytest.raises(UsageError, match="does not give minebot the key F10"):
            here.hot_keys(control.hot_keys(), control).start()
    finally:
        hands.answer("taken")


@pytest.fixture
def control(here):
    """Steered by keys that are listened to."""
    control = Control(start_key="ctrl+f10")
    keys = here.hot_keys(control.hot_keys(), control)
    keys.start()
    yield control
    keys.stop()


@pytest.mark.parametrize("name", ["f10", "f9"])
def test_another_start_key_is_heard_though_the_desktop_remembers_the_first(hands, here, name):
    control = Control(start_key=name)
    keys = here.hot_keys(control.hot_keys(), control)
    keys.start()
    try:
        hands.type_key(name.upper())
        wait_until(lambda: control.is_running, "the start key is not heard")
    finally:
        keys.stop()


def is_stopped(control):
    try:
        control.raise_if_aborted()
    except Aborted:
        return True
    return False


def test_start_key_is_heard_each_time_and_the_stop_key_while_the_bot_plays(hands, control):
    for is_running in (True, False, True):
        hands.type_key("CTRL+F10")
        wait_until(lambda now=is_running: control.is_running is now, "the start key is not heard")
    hands.type_key("Escape")
    wait_until(lambda: is_stopped(control), "the stop key is not heard")


def test_stop_key_goes_to_windows_while_the_bot_does_not_play(hands, control):
    assert hands.n_listeners("Escape") == 0
    for n_listeners in (1, 0):
        hands.type_key("CTRL+F10")
        wait_until(lambda n=n_listeners: hands.n_listeners("Escape") == n)
    assert not is_stopped(control)


def test_screen_that_is_ended_on_the_desktop_is_said(hands, here):
    with closing(here.screen()) as screen:
        screen.grab()
        hands.end_sessions()
        with pytest.raises(ScreenError, match="shows its screen no more"):
            wait_until(lambda: screen.grab() is None, "the end of the pictures is not noticed")
