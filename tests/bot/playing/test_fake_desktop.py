"""The fake screen itself: windows lie where they are said to, and captures and clicks know what is uppermost."""

from __future__ import annotations

import numpy as np
import pytest
from desktop_hands import CORNER, cells_seen, click, middle, shows_truth
from fake_desktop import SCREEN, CoverKind, FakeDesktop, Target

from bot.errors import ScreenError
from bot.models import Click, Pixel, Region
from bot.vision.finding import find_boards, locate_board
from bot.vision.reading import read_board
from skins import load_shipped_skin
from solver import board as codes
from solver.board import GameState

CLASSIC = load_shipped_skin("classic")
SKINS = [CLASSIC, load_shipped_skin("minebot"), load_shipped_skin("winemine")]


@pytest.fixture
def desktop():
    return FakeDesktop(CLASSIC, (9, 9, 3), layouts=[CORNER])


# --- captures


def make_a_mess(desktop):
    desktop.rescale(125)
    desktop.scroll_text("bottom", 3)
    desktop.move_window(-290, 411)
    desktop.cover_with(CoverKind.BOARD, (0.5, -0.3, 1, 1), seed=4)
    desktop.cover_with(CoverKind.TOOLTIP, (-0.4, 0.5, 0, 0))
    desktop.raise_dialog(0.0)
    desktop.draws_pointer = True
    desktop.pointer = Pixel(-415, 500)


def test_grab_of_a_region_is_that_part_of_the_whole_screen(desktop):
    make_a_mess(desktop)
    rng = np.random.default_rng(1)
    now = desktop.clock.now
    whole = desktop.grab()
    assert whole.region == SCREEN
    for n in range(100):
        left, top = int(rng.integers(-420, 900)), int(rng.integers(-140, 700))
        region = Region(left, top, int(rng.integers(1, 980 - left)), int(rng.integers(1, 760 - top)))
        if n < 30:  # within the board
            region = desktop.grid.cell_region((n // 9, 2 + n % 7))
        desktop.clock.now = now  # or text scrolls on
        part = desktop.grab(region)
        assert part.region == region
        assert np.array_equal(part.pixels_bgr, whole.crop(region).pixels_bgr)


def test_grab_is_a_copy(desktop):
    desktop.grab().pixels_bgr[:] = 0
    assert desktop.grab().pixels_bgr.any()


@pytest.mark.parametrize("region", [Region(-421, 0, 9, 9), Region(975, 0, 9, 9), Region(0, 752, 9, 9)])
def test_grab_beyond_the_screen_is_refused(desktop, region):
    with pytest.raises(ScreenError, match="cannot be captured"):
        desktop.grab(region)


def test_grab_lets_time_pass(desktop):
    begun_at = desktop.clock.now
    desktop.grab()
    assert desktop.clock.now > begun_at


# --- where the window is


@pytest.mark.parametrize("by", [(1, 0), (0, -1), (16, 32), (-48, 0), (211, 133)])
def test_move_window_board_is_found_there_and_clicks_count_there(desktop, by):
    first, before = desktop.grid, middle(desktop, (4, 4))
    desktop.move_window(*by)
    assert desktop.grid.origin == (first.origin.x + by[0], first.origin.y + by[1])
    assert locate_board(desktop.grab(), [CLASSIC]).grid == desktop.grid
    desktop.click(Click(before))
    expected = first.cell_at(Pixel(before.x - by[0], before.y - by[1]))
    assert desktop.clicks[0].cell == expected
    assert (desktop.clicks[0].target is Target.BOARD) == (expected is not None)


def test_move_window_partly_off_the_screen_shows_the_rest_and_takes_no_click_beyond_it(desktop):
    region = desktop.grid.region
    desktop.move_window(SCREEN.left + SCREEN.width - region.left - 5 * 16, 0)
    found = locate_board(desktop.grab(), [CLASSIC]).grid
    assert (found.origin, found.cols) == (desktop.grid.origin, 5)
    assert click(desktop, (4, 4)).fate == "taken"
    beyond = click(desktop, (4, 6))
    assert (beyond.cell, beyond.target, beyond.fate) == ((4, 6), Target.OUTSIDE, "elsewhere")


@pytest.mark.parametrize("skin", SKINS, ids=lambda skin: skin.name)
@pytest.mark.parametrize("percent", [100, 125, 150, 200])
@pytest.mark.parametrize("n_opened", [0, 20])
def test_rescale_board_is_found_and_read_at_its_new_size(skin, percent, n_opened):
    desktop = FakeDesktop(skin, (9, 9, 10), origin=Pixel(700, 500))
    desktop.swap_game((16, 16, 40), n_opened)
    desktop.rescale(percent)
    assert locate_board(desktop.grab(), [skin]).grid == desktop.grid
    assert desktop.grid.pitch_px[0] * 100 == skin.pitch_px[0] * percent
    assert shows_truth(desktop)
    assert click(desktop, desktop.closed_cells()[0]).fate == "taken"
    assert desktop.face_region.has_pixel(desktop.spot)
    assert desktop.target_at(desktop.spot) is Target.SPOT


def test_frame_of_a_window_partly_off_the_screen_is_cut_not_shifted(desktop):
    whole = desktop.grab(desktop.grid.region)
    left = desktop.grid.region.left
    desktop.move_window(SCREEN.left - left - 40, 0)
    seen = Region(SCREEN.left, whole.top, whole.region.width - 40, whole.region.height)
    assert np.array_equal(desktop.grab(seen).pixels_bgr, whole.pixels_bgr[:, 40:])


def test_close_window_nothing_is_left_to_find_or_click(desktop):
    region = desktop.grid.region
    before = desktop.grab(region).pixels_bgr
    desktop.close_window()
    assert find_boards(desktop.grab(), [CLASSIC]) == []
    assert not np.array_equal(desktop.grab(region).pixels_bgr, before)
    press = click(desktop, (0, 0))
    assert (press.target, press.is_covered) == (Target.OUTSIDE, True)
    assert desktop.game.state is GameState.FRESH


# --- what lies over it


@pytest.mark.parametrize("kind", CoverKind)
def test_cover_takes_the_clicks_until_it_is_gone_and_leaves_no_trace(desktop, kind):
    before = desktop.grab(desktop.grid.region)
    cover = desktop.cover_with(kind, (0.2, 0.3, 0.5, 0.5))
    under = next(cell for cell in desktop.closed_cells() if cover.region.has_pixel(middle(desktop, cell)))
    press = click(desktop, under)
    assert (press.target, press.cell, press.is_covered, press.fate) == (Target.COVER, under, True, "elsewhere")
    assert desktop.game.state is GameState.FRESH
    assert read_board(desktop.grab(), desktop.grid, CLASSIC).unknown != () or kind is CoverKind.BOARD
    assert not np.array_equal(desktop.grab(desktop.grid.region).pixels_bgr, before.pixels_bgr)
    desktop.uncover(cover)
    assert np.array_equal(desktop.grab(desktop.grid.region).pixels_bgr, before.pixels_bgr)
    click(desktop, under)
    assert desktop.clicks[-1].fate == "taken as focus", "the other window had the keyboard"
    assert click(desktop, under).fate == "taken"


def test_cover_stays_where_it_is_when_the_window_moves(desktop):
    cover = desktop.cover_with(CoverKind.PLAIN, (0, 0, 0.2, 0.2))
    assert desktop.target_at(cover.region.middle) is Target.COVER
    desktop.move_window(300, 0)
    assert desktop.target_at(cover.region.middle) is Target.COVER
    assert not desktop.is_covered


def test_cover_with_a_picture_of_a_board_is_found_as_one(desktop):
    cover = desktop.cover_with(CoverKind.BOARD, (1.2, 0, 1, 1), seed=3)
    found = find_boards(desktop.grab(), [CLASSIC])
    assert len(found) == 2
    other = next(board.grid for board in found if board.grid != desktop.grid)
    assert cover.region.has_pixel(other.region.middle)
    picture = read_board(desktop.grab(), other, CLASSIC)
    assert picture.unknown == ()
    assert picture.state is GameState.PLAYING


@pytest.mark.parametrize("side", ["left", "top", "right", "bottom"])
@pytest.mark.parametrize("gap_px", [1, 8])
def test_scrolling_text_moves_beside_the_board_and_not_on_it(desktop, side, gap_px):
    desktop.scroll_text(side, gap_px)
    near = desktop.grid.region
    near = Region(near.left - 11, near.top - 11, near.width + 22, near.height + 22)
    looks = []
    for _ in range(20):
        desktop.control.wait(0.1)
        looks.append(desktop.grab(near))
    changed = np.any([look.pixels_bgr != looks[0].pixels_bgr for look in looks], axis=(0, 3))
    rows, cols = np.nonzero(changed)
    first, last = {"left": (cols, 10), "right": (cols, 155), "top": (rows, 10), "bottom": (rows, 155)}[side]
    nearest = first.max() if last == 10 else first.min()
    assert abs(nearest - last) <= gap_px + 1
    assert not changed[11:-11, 11:-11].any()
    assert shows_truth(desktop)


def test_scrolling_text_stands_still_in_a_frozen_window(desktop):
    desktop.scroll_text("bottom", 2)
    desktop.freeze()
    before = desktop.grab().pixels_bgr
    desktop.control.wait(1.0)
    assert np.array_equal(desktop.grab().pixels_bgr, before)
    desktop.thaw()
    assert not np.array_equal(desktop.grab().pixels_bgr, before)


def test_pointer_is_drawn_only_when_asked_for(desktop):
    before = desktop.grab()
    desktop.person_moves(middle(desktop, (4, 4)))
    assert np.array_equal(desktop.grab().pixels_bgr, before.pixels_bgr)
    desktop.draws_pointer = True
    changed = (desktop.grab().pixels_bgr != before.pixels_bgr).any(axis=2)
    assert 50 < changed.sum() < 400
    assert cells_seen(desktop)[4, 4] == codes.UNREADABLE
