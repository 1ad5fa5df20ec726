"""A window on X11 that is watched and drawn over: pixel for pixel, on a virtual screen without a window manager."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack

import numpy as np
import pytest
from bot_process import environment
from desktop_game import desk
from patience import PATIENCE_S, wait_until
from plain_windows import plain_windows
from Xlib.display import Display

from bot.desktop import this_platform
from bot.errors import ScreenError, WindowClosedError
from bot.models import Frame, Pixel, Region, Sheet
from bot.virtual_screen import xvfb

pytestmark = pytest.mark.screen

PLACE = "300x200+40+30"
INSIDE = Pixel(100, 100)


@pytest.fixture
def hands(bare_display, monkeypatch):
    monkeypatch.setenv("DISPLAY", bare_display)
    with desk(bare_display) as opened:
        opened.move(0, 0)
        yield opened


def sheet_of(rng, left, top, height, width):
    """A sheet of pixels of any colour, half of them drawn."""
    pixels = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Sheet(Frame(pixels, left, top), rng.integers(0, 2, (height, width)).astype(bool))


def drawn_over(window, *sheets):
    """What is seen of a window's picture with sheets over it."""
    pixels = window.pixels_bgr.copy()
    for sheet in sheets:
        (left, top), (height, width) = sheet.picture.region.corner, sheet.is_drawn.shape
        there = pixels[top : top + height, left : left + width]
        there[sheet.is_drawn] = sheet.picture.pixels_bgr[sheet.is_drawn]
    return pixels


def test_what_is_seen_is_the_window_with_the_sheets_and_what_is_grabbed_is_the_window(hands):
    rng = np.random.default_rng(1)
    with plain_windows(hands.name, "clone", PLACE), this_platform().overlay_at(INSIDE) as (watch, overlay):
        window = watch.grab()
        large, small = sheet_of(rng, 20, 10, 100, 160), sheet_of(rng, 200, 120, 60, 70)
        changed = Sheet(large.picture, large.is_drawn.copy())
        changed.is_drawn[30:50, 40:90] ^= True
        repainted = Sheet(Frame(large.picture.pixels_bgr.copy(), 20, 10), changed.is_drawn)
        repainted.picture.pixels_bgr[70:75, 10:150] = (1, 2, 3)
        other_size = sheet_of(rng, 5, 5, 40, 30)
        for sheets in ([large, small], [changed, small], [repainted], [repainted, other_size], [other_size], [large]):
            overlay.show(sheets)
            assert np.array_equal(watch.grab().pixels_bgr, window.pixels_bgr)
            assert np.array_equal(hands.capture(40, 30, 300, 200), drawn_over(window, *sheets))
        overlay.hide()
        watch.grab()
        assert np.array_equal(hands.capture(40, 30, 300, 200), window.pixels_bgr)


def test_the_pointer_is_on_the_window_below_what_is_drawn(hands):
    everything = Sheet(Frame(np.full((200, 300, 3), 7, dtype=np.uint8)), np.ones((200, 300), dtype=bool))
    with plain_windows(hands.name, "clone", PLACE), this_platform().overlay_at(INSIDE) as (watch, overlay):
        overlay.show([everything])
        hands.move(*INSIDE)
        assert watch.pointer() == (60, 70)
        with plain_windows(hands.name, "cover", "100x100+80+80"):
            assert watch.pointer() is None
        hands.move(0, 0)
        assert watch.pointer() is None


def test_has_changed_tells_of_painting_in_the_window_only(hands):
    with plain_windows(hands.name, "clone", PLACE), this_platform().overlay_at(INSIDE) as (watch, overlay):
        watch.has_changed()
        overlay.show([sheet_of(np.random.default_rng(1), 20, 10, 100, 160)])
        watch.grab()
        assert not watch.has_changed()
        hands.move(*INSIDE)  # the button under the pointer lights up
        wait_until(watch.has_changed, "the button did not light up")
        assert np.array_equal(watch.grab(Region(60, 10, 5, 5)).pixels_bgr, watch.grab().pixels_bgr[10:15, 60:65])


def test_a_closed_window_is_told_of(hands):
    with plain_windows(hands.name, "clone", PLACE) as (window,), this_platform().overlay_at(INSIDE) as (watch, overlay):
        overlay.show([sheet_of(np.random.default_rng(1), 20, 10, 100, 160)])
        display = Display(hands.name)
        display.create_resource_object("window", watch.window.id).destroy()
        display.sync()
        display.close()
        with pytest.raises(WindowClosedError):
            watch.place()
        overlay.follow()
        watch.has_changed()
        assert window.number


def test_the_bare_desktop_is_no_window(hands):
    with pytest.raises(ScreenError, match="no window shows at"), this_platform().overlay_at(Pixel(1000, 900)):
        pytest.fail("nothing is there")


STOPPED = """
import sys
from contextlib import ExitStack, closing, suppress
from Xlib.error import ConnectionClosedError
from bot.desktop import this_platform
from bot.errors import Aborted
from bot.models import Pixel
try:
    with ExitStack() as stack:  # as the coach holds them
        stack.enter_context(closing(this_platform().keyboard()))
        stack.enter_context(closing(this_platform().mouse()))
        watch, overlay = stack.enter_context(this_platform().overlay_at(Pixel(100, 100)))
        print("watching", flush=True)
        sys.stdin.readline()
        with suppress(ConnectionClosedError):
            watch.place()
        raise Aborted("stopped by Esc")
except Aborted:
    print("stopped")
"""
"""What is stopped after its X server is gone."""


def test_a_stop_while_the_server_goes_away_stays_a_stop(require_program):
    """It was followed by an error of each thing that was closed, and then the process never ended."""
    require_program("Xvfb", "xvfb")
    with ExitStack() as screen, ExitStack() as programs:
        display = screen.enter_context(xvfb())
        programs.enter_context(plain_windows(display, "clone", PLACE))
        stopped = subprocess.Popen(
            [sys.executable, "-c", STOPPED],
            env=environment(display),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        programs.enter_context(stopped)
        programs.callback(stopped.kill)
        assert stopped.stdout.readline() == "watching\n"
        screen.close()
        told, _ = stopped.communicate("\n", timeout=PATIENCE_S)
    assert (told, stopped.returncode) == ("stopped\n", 0)
