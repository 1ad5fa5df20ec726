"""The button for a new game: its edge stays the same whatever face it has, and tells of what lies over it."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from fake_desktop import SCREEN, FakeDesktop
from player_table import BEGINNER, CLASSIC

from bot.images import load_frame
from bot.models import Frame, Grid, Pixel, Region
from bot.playing.new_game import NewGameButton, _spot_of, layer_over
from bot.vision.finding import find_boards
from skins import load_shipped_skins
from solver.board import GameState

SCREENS = Path(__file__).parents[2] / "screens"


@cache
class Picture:
    """A recorded screen with one board."""

    def __init__(self, name):
        self._frame = load_frame(SCREENS / f"{name}.png")
        (self.board,) = find_boards(self._frame, load_shipped_skins())

    def grab(self, region):
        return self._frame.crop(region)


class Shown:
    """A screen that shows one picture after the other."""

    def __init__(self, picture):
        self.picture = picture

    def grab(self, region):
        return self.picture.grab(region)


def is_in_sight(first, then):
    """Whether the button is, on a recorded screen, as it was on another one: the boards need not be in one place."""
    screen = Shown(Picture(first))
    watch = NewGameButton(screen, screen.picture.board.skin)
    watch.learn(screen.picture.board.grid)
    screen.picture = Picture(then)
    return watch.is_in_sight(screen.picture.board.grid)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("winemine-expert-fresh", "winemine-expert-mid"),
        ("winemine-expert-fresh", "winemine-expert-lost"),
        ("msx-skin-winxp-fresh", "msx-skin-winxp-mid"),
        ("msx-skin-winxp-fresh", "msx-skin-winxp-won"),
        ("msx-skin-winxp-fresh", "msx-pressed"),
        ("msx-skin-win98-fresh", "msx-skin-win98-lost"),
        ("clones/xdemineur-expert-fresh", "clones/xdemineur-expert-lost"),
        ("clones/xdemineur-expert-fresh", "clones/xdemineur-mid"),
        ("clones/xdemineur-expert-fresh", "clones/xdemineur-expert-flags"),
    ],
)
def test_spot_of_a_recorded_clone_is_in_sight_whatever_its_face(first, then):
    assert is_in_sight(first, then)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("winemine-expert-fresh", "winemine-expert-won"),
        ("winemine-expert-fresh", "winemine-expert-won-popup"),
        ("winemine-beginner-fresh", "winemine-beginner-won-name"),
        ("winemine-beginner-fresh", "winemine-beginner-won-list"),
        ("msx-winxp-expert-mid", "msx-winxp-expert-won"),
    ],
)
def test_spot_of_a_recorded_clone_is_not_in_sight_under_a_dialog(first, then):
    assert not is_in_sight(first, then)


@pytest.fixture
def desktop():
    return FakeDesktop(CLASSIC, BEGINNER, seed=1)


@pytest.fixture
def watch(desktop):
    made = NewGameButton(desktop, CLASSIC)
    made.learn(desktop.grid)
    return made


def test_spot_is_in_sight_after_a_game_and_where_the_window_went(desktop, watch):
    assert watch.is_in_sight(desktop.grid)
    face = desktop.grab(desktop.face_region).pixels_bgr.copy()
    while desktop.game.state is not GameState.LOST:
        desktop.person_clicks()
    desktop.clock.advance(1.0)
    assert (desktop.grab(desktop.face_region).pixels_bgr != face).any()
    assert watch.is_in_sight(desktop.grid)
    desktop.move_window(33, 21)
    assert watch.is_in_sight(desktop.grid)


@pytest.mark.parametrize("at_px", [(-14, -14), (-14, 14), (14, -14), (14, 14), (0, 12), (-13, 0)])
def test_spot_is_not_in_sight_where_a_window_covers_a_part_of_its_edge(desktop, watch, at_px):
    where = Pixel(desktop.spot.x + at_px[0], desktop.spot.y + at_px[1])
    cover = desktop.cover_pixels(where.x - 2, where.y - 2, 5, 5)
    assert not watch.is_in_sight(desktop.grid)
    desktop.uncover(cover)
    assert watch.is_in_sight(desktop.grid)


def test_spot_that_was_found_under_a_window_is_not_in_sight_without_it(desktop):
    cover = desktop.cover_pixels(desktop.spot.x - 2, desktop.spot.y - 14, 5, 5)
    watch = NewGameButton(desktop, CLASSIC)
    watch.learn(desktop.grid)
    desktop.uncover(cover)
    watch.learn(desktop.grid)
    assert not watch.is_in_sight(desktop.grid), "what is known of it is not what it looks like"


def test_spot_off_the_screen_or_never_seen_is_not_in_sight(desktop, watch):
    assert not NewGameButton(desktop, CLASSIC).is_in_sight(desktop.grid), "nothing was learned"
    desktop.move_window(0, SCREEN.top - desktop.spot.y)
    assert not watch.is_in_sight(desktop.grid)


def test_spot_watch_learns_a_board_of_another_scale_anew(desktop, watch):
    desktop.rescale(200)
    assert not watch.is_in_sight(desktop.grid)
    watch.learn(desktop.grid)
    assert watch.is_in_sight(desktop.grid)


def test_spot_follows_the_board():
    assert _spot_of(CLASSIC, Grid(Pixel(-1000, 500), (16, 16), 4, 6)) == Pixel(-952, 472)
    assert _spot_of(CLASSIC, Grid(Pixel(0, 500), (32, 32), 4, 6)) == Pixel(96, 444)


class OwnWindow:
    """Knows that the board's window has the keyboard, and where another one lies over it."""

    window = 7

    def __init__(self, other=None):
        self._other = other

    def has_keyboard(self, window):
        return window == self.window

    def is_all_of_window(self, pixels):
        return not any(self._other is not None and self._other.has_pixel(pixel) for pixel in pixels)


@pytest.mark.parametrize(
    ("other", "is_in_place", "hidden_px", "is_layer"),
    [
        (None, False, 60, True),
        (Region(100, 90, 70, 50), False, 60, False),  # a menu is a window
        (None, True, 60, False),
        (None, False, 144, False),  # nothing of the board is to be seen
    ],
)
def test_only_what_is_of_the_boards_own_window_is_laid_over_it(other, is_in_place, hidden_px, is_layer):
    grid = Grid(Pixel(80, 70), (16, 16), 9, 9)
    pixels = np.full((300, 300, 3), 200, dtype=np.uint8)
    pixels[70:215:16, 80:224] = pixels[70:214, 80:225:16] = 90
    pixels[70 : 70 + hidden_px, 80 : 80 + 2 * hidden_px] = 250
    seen = SimpleNamespace(is_in_place=is_in_place, wide=Frame(pixels))
    view = SimpleNamespace(grid=grid, look=lambda: seen)
    assert (layer_over(view, OwnWindow(other)) is seen) == is_layer
