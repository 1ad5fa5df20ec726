"""Screen, mouse and windows of two real outputs of sway that differ in scale: pixels here, logical units there."""

from __future__ import annotations

from contextlib import ExitStack, closing

import cv2
import numpy as np
import pytest
from gnome_mines import PROGRAM, gnome_mines
from patience import wait_until
from sway_desk import PROGRAMS, sway_desk

from bot.desktop import this_platform
from bot.desktop.wlroots.hotkeys import _bound_in
from bot.errors import ScreenError, UsageError
from bot.models import Button, Click, Pixel, Refusal, Region
from bot.playing.control import Control

pytestmark = pytest.mark.screen

SECOND = Region(1600, 0, 1600, 1200)
"""The output at 200 %, in pixels: it stands 800 logical units from the left, and these count twice at most."""


@pytest.fixture(scope="module")
def hands(require_program):
    require_program(PROGRAM, "gnome-mines")
    for program, package in PROGRAMS.items():
        require_program(program, package)
    lines = ("output HEADLESS-1 position 0 0", "output HEADLESS-2 resolution 1600x1200 scale 2 position 800 0")
    with sway_desk(*lines, size="800x600") as opened:
        opened.ask("create_output")
        wait_until(lambda: len(opened.ask("-t", "get_outputs")) == 2)
        yield opened


@pytest.fixture
def here(hands, monkeypatch):
    for name, value in hands.variables.items():
        monkeypatch.setenv(name, value)
    return this_platform()


@pytest.fixture
def ports(here):
    """The screen, the mouse and the programs."""
    with ExitStack() as stack:
        screen = stack.enter_context(closing(here.screen()))
        yield screen, stack.enter_context(closing(here.mouse())), stack.enter_context(closing(here.programs()))


@pytest.fixture
def game(hands):
    with gnome_mines(hands, "small", size=(600, 480)) as opened:
        hands.ask("[title=Mines] move to output HEADLESS-2")
        hands.ask("[title=Mines] move absolute position 900 60")
        hands.wait_until_still()
        yield opened


def test_outputs_stand_apart_and_show_what_the_session_shows(hands, ports, game):
    screen, _, _ = ports
    assert screen.monitors == [Region(0, 0, 800, 600), SECOND]
    picture = hands.run("grim", "-t", "ppm", "-o", "HEADLESS-2", "-")
    expected = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR)
    assert np.array_equal(screen.grab(SECOND).pixels_bgr, expected)
    everything = screen.grab()
    assert everything.region == Region(0, 0, 3200, 1200)
    assert np.array_equal(everything.crop(SECOND).pixels_bgr, expected)


def test_part_beyond_all_outputs_is_refused(ports):
    with pytest.raises(ScreenError, match="expected a part of the screen"):
        ports[0].grab(Region(3000, 1000, 300, 300))


def test_click_goes_where_the_pixel_is_while_its_window_moves(hands, ports, game):
    screen, mouse, programs = ports
    inside = Pixel(SECOND.left + 2 * 100 + 300, 2 * 60 + 400)
    (window,) = [one["id"] for one in hands.windows()]
    assert programs.window_at(inside) == window
    assert programs.place_of(window).has_pixel(inside)
    assert programs.window_at(Pixel(10, 10)) is None
    before = screen.grab(SECOND).pixels_bgr
    mouse.follow(inside)
    assert mouse.click(Click(inside, Button.LEFT)) == inside
    wait_until(lambda: not np.array_equal(screen.grab(SECOND).pixels_bgr, before), "the click opened nothing")
    hands.ask("[title=Mines] move absolute position 950 70")
    assert mouse.click(Click(inside, Button.RIGHT)) == Pixel(inside.x + 100, inside.y + 20)


def test_click_is_refused_where_its_window_has_left_all_outputs(hands, ports):
    _, mouse, _ = ports
    with gnome_mines(hands, "small", size=(600, 480)):
        hands.ask("[title=Mines] move absolute position 100 60")
        mouse.follow(Pixel(300, 300))
        hands.ask("[title=Mines] move absolute position 100 400")
        assert mouse.click(Click(Pixel(300, 300), Button.LEFT)) is Refusal.COVERED


def test_click_is_refused_where_its_window_is_gone(hands, ports):
    _, mouse, _ = ports
    with gnome_mines(hands, "small", size=(600, 480)):
        hands.ask("[title=Mines] move absolute position 100 60")
        mouse.follow(Pixel(300, 300))
    wait_until(lambda: hands.windows() == [])
    assert mouse.click(Click(Pixel(300, 300), Button.LEFT)) is Refusal.COVERED


def test_key_that_the_configuration_binds_is_refused():
    bound = _bound_in(
        "set $mod Mod4\nbindsym --locked F10 exec foo\nbindsym Control+Shift+a nop\nbindcode 9 nop\n"
        'mode "resize" {\n    bindsym Escape mode default\n}\nbindsym $mod+j nop'
    )
    assert bound == {
        (0xFFC7, frozenset()),
        (ord("a"), frozenset({"ctrl", "shift"})),
        (ord("j"), frozenset({"cmd"})),
    }


def test_hot_key_of_the_sessions_own_configuration_is_named(require_program, monkeypatch):
    with sway_desk("bindsym F10 nop") as hands:
        for name, value in hands.variables.items():
            monkeypatch.setenv(name, value)
        control = Control()
        keys = this_platform().hot_keys(control.hot_keys(), control)
        with pytest.raises(UsageError, match="sway's configuration binds the key 'f10'"):
            keys.start()


def test_second_listener_of_a_session_is_refused(here):
    control = Control()
    first, second = (here.hot_keys(control.hot_keys(), control) for _ in range(2))
    first.start()
    try:
        with pytest.raises(ScreenError, match="another minebot listens"):
            second.start()
    finally:
        first.stop()
    second.start()
    second.stop()


def test_doctor_tells_the_scale_of_each_output(here, hands):
    machine = here.machine()
    assert [machine.scale_of(one) for one in (Region(0, 0, 800, 600), SECOND)] == [1.0, 2.0]
    assert machine.describe().startswith("Wayland, sway, display wayland-")
