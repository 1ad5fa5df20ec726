"""Boards are found on recorded screens and on pictures made of them."""

from __future__ import annotations

import numpy as np
import pytest

from bot.errors import BoardNotFoundError
from bot.images import load_frame
from bot.models import Frame, Grid, Pixel
from bot.vision.finding import find_boards, locate_board
from skins import load_shipped_skin, load_shipped_skins

SKINS = load_shipped_skins()


def places(frame):
    return [
        (board.skin.name, board.grid.origin, board.grid.rows, board.grid.cols) for board in find_boards(frame, SKINS)
    ]


@pytest.mark.parametrize(
    ("name", "skin", "origin", "rows", "cols"),
    [
        ("arbiter-expert-fresh", "classic", (26, 145), 16, 30),
        ("msx-winxp-expert-fresh", "classic", (81, 162), 16, 30),
        ("msx-winxp-expert-mid", "classic", (21, 102), 16, 30),
        ("msx-winxp-expert-won", "classic", (21, 102), 16, 30),
        ("msx-skin-win98-lost", "classic-98", (21, 102), 16, 16),
        ("winemine-beginner-fresh", "winemine", (14, 62), 9, 9),
        ("winemine-expert-lost", "winemine", (15, 63), 16, 30),
        ("winemine-expert-won-popup", "winemine", (105, 133), 16, 30),
    ],
)
def test_find_boards_on_a_recorded_screen(screens, name, skin, origin, rows, cols):
    assert places(load_frame(screens / f"{name}.png")) == [(skin, origin, rows, cols)]


def test_find_boards_finds_two_in_line_from_top_to_bottom(screens):
    frame = load_frame(screens / "two-boards-msx-arbiter.png")
    assert places(frame) == [("classic", (75, 156), 16, 30), ("classic", (75, 556), 16, 30)]


def test_find_boards_finds_a_board_behind_another(screens):
    frame = load_frame(screens / "winemine-dpi144-first.png")
    assert places(frame) == [("winemine", (65, 93), 16, 16), ("winemine", (105, 333), 16, 30)]


def test_find_boards_at_the_very_edges_of_a_picture(screens):
    grid = Grid(Pixel(21, 102), (16, 16), 16, 30)
    board = load_frame(screens / "msx-winxp-expert-mid.png").crop(grid.region).pixels_bgr
    assert places(Frame(board)) == [("classic", (0, 0), 16, 30)]


def test_find_boards_counts_from_the_frame_s_place_on_the_screen(screens):
    pixels = load_frame(screens / "winemine-beginner-fresh.png").pixels_bgr
    assert places(Frame(pixels, left=-1280, top=40)) == [("winemine", (14 - 1280, 62 + 40), 9, 9)]


def test_find_boards_under_a_slight_colour_filter(screens):
    pixels = load_frame(screens / "winemine-expert-fresh.png").pixels_bgr
    warmer = np.clip(pixels.astype(np.int16) - (8, 4, 0), 0, 255).astype(np.uint8)
    assert places(Frame(warmer)) == [("winemine", (105, 133), 16, 30)]


def test_find_boards_takes_a_look_alike_as_one_whole_board(screens):
    # A skin nobody has a profile for, with classic closed cells: a part of it must not pass for a smaller board.
    assert places(load_frame(screens / "msx-skin-colorsonly-mid.png")) == [("classic", (21, 102), 16, 16)]


@pytest.mark.parametrize("shade", [0, 128, 192, 255])
def test_find_boards_finds_nothing_on_a_plain_screen(shade):
    assert places(Frame(np.full((768, 1024, 3), shade, dtype=np.uint8))) == []


def test_find_boards_finds_nothing_in_noise():
    noise = np.random.default_rng(1).integers(0, 256, (600, 800, 3), dtype=np.uint8)
    assert places(Frame(noise)) == []


def test_find_boards_finds_nothing_on_a_picture_smaller_than_a_cell():
    assert places(Frame(np.zeros((5, 5, 3), dtype=np.uint8))) == []


def test_locate_board_says_what_it_looked_for(screens):
    frame = load_frame(screens / "msx-skin-mario-mid.png")
    with pytest.raises(
        BoardNotFoundError, match=rf"300 x 380 pixels: nothing on it is like closed cells of {len(SKINS)} skins"
    ):
        locate_board(frame, SKINS)


def test_locate_board_takes_the_board_with_the_most_cells(screens):
    frame = load_frame(screens / "winemine-dpi144-first.png")
    assert locate_board(frame, [load_shipped_skin("winemine")]).grid.cols == 30


def hide(frame, rows, cols, shade=245):
    """Lay a plain dialog over everything of a picture but these cells of winemine's beginner board."""
    pixels = np.full_like(frame.pixels_bgr, shade)
    grid = Grid(Pixel(14, 62), (16, 16), 9, 9)
    first, last = grid.cell_region((rows[0], cols[0])), grid.cell_region((rows[-1], cols[-1]))
    edges = {"left": first.left, "top": first.top, "right": last.left + 16, "bottom": last.top + 16}
    edges["left"] -= 5 * (cols[0] == 0)
    edges["top"] -= 5 * (rows[0] == 0)
    edges["right"] += 5 * (cols[-1] == 8)
    edges["bottom"] += 5 * (rows[-1] == 8)
    shown = (slice(edges["top"], edges["bottom"]), slice(edges["left"], edges["right"]))
    pixels[shown] = frame.pixels_bgr[shown]
    return Frame(pixels)


@pytest.mark.parametrize(
    ("rows", "cols"),
    [
        (range(3, 9), range(9)),
        (range(6), range(9)),
        (range(9), range(4, 9)),
        (range(9), range(5)),
    ],
    ids=["top hidden", "bottom hidden", "left hidden", "right hidden"],
)
def test_find_boards_goes_on_behind_what_hides_a_side(screens, rows, cols):
    frame = hide(load_frame(screens / "winemine-beginner-fresh.png"), rows, cols)
    assert places(frame) == [("winemine", (14, 62), 9, 9)]


@pytest.mark.parametrize(
    ("rows", "cols", "place"),
    [
        (range(2, 8), range(9), ("winemine", (14, 62 + 2 * 16), 6, 9)),
        (range(4, 9), range(5), ("winemine", (14, 62 + 4 * 16), 5, 5)),
    ],
    ids=["both ends hidden", "8x8 or 9x9"],
)
def test_find_boards_makes_up_no_size(screens, rows, cols, place):
    assert places(hide(load_frame(screens / "winemine-beginner-fresh.png"), rows, cols)) == [place]


def test_find_boards_goes_on_behind_a_window_with_a_border_of_its_own(screens):
    assert places(load_frame(screens / "arbiter-counters-cover-board.png")) == [("classic", (25, 106), 8, 8)]
