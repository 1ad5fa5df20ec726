"""Boards cut by the edges of pictures, or covered: nothing false is proven of them, and none is played."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import counters
import hidden_parts
import numpy as np
import pytest
import rendered
from amounts import count

from bot.errors import BoardNotFoundError
from bot.images import load_frame
from bot.models import Frame, Region
from bot.playing.board_view import BoardSearch
from bot.playing.control import Control
from bot.reporting.advice import advise
from bot.vision.finding import ClippedBoardError, find_boards
from bot.vision.reading import read_board
from skins import load_shipped_skin, load_shipped_skins
from solver.board import GameState

SKINS = load_shipped_skins()


class OneFrame:
    def __init__(self, frame):
        self._frame = frame

    def grab(self, region):
        return self._frame if region is None else self._frame.crop(region)


def cut_expert(screens, side, n_px):
    """A recorded Expert board without its outermost pixels on one side."""
    frame = load_frame(screens / "winemine-expert-mid.png")
    (board,) = find_boards(frame, SKINS)
    region, whole = board.grid.region, frame.region
    left = region.left + n_px if side == "left" else 0
    top = region.top + n_px if side == "top" else 0
    right = region.left + region.width - n_px if side == "right" else whole.width
    bottom = region.top + region.height - n_px if side == "bottom" else whole.height
    return Frame(frame.crop(Region(left, top, right - left, bottom - top)).pixels_bgr)


@pytest.mark.parametrize("side", ["left", "right", "bottom"])
def test_a_board_that_ends_with_the_picture_is_whole_where_size_and_counter_say_so(screens, side):
    (board,) = find_boards(cut_expert(screens, side, 0), SKINS)
    assert ((board.grid.rows, board.grid.cols), board.grid.clipped) == ((16, 30), frozenset())


def test_a_board_that_ends_with_the_picture_goes_on_there_where_no_counter_is_seen(screens):
    (board,) = find_boards(cut_expert(screens, "top", 0), SKINS)
    assert board.grid.clipped == {"top"}


@pytest.mark.parametrize("n_px", [1, 7, 32, 100])
@pytest.mark.parametrize("side", ["left", "top", "right", "bottom"])
def test_a_board_cut_by_the_edge_goes_on_past_it_and_is_not_played(screens, side, n_px):
    frame = cut_expert(screens, side, n_px)
    (board,) = find_boards(frame, SKINS)
    assert board.grid.clipped == {side}
    reading = read_board(frame, board.grid, board.skin)
    assert reading.board.cut == {side}
    assert reading.state is GameState.PLAYING
    with pytest.raises(BoardNotFoundError, match=f"goes on past the {side} edge of the screen: move it or make it"):
        BoardSearch(OneFrame(frame), SKINS, Control(running=True)).first()
    (whole,) = find_boards(frame, SKINS, is_whole=True)
    assert whole.grid.clipped == frozenset()


WHOLE = (
    *("winemine-expert-fresh", "winemine-expert-won", "winemine-expert-won-popup", "winemine-beginner-won-list"),
    *("msx-winxp-expert-mid", "msx-skin-win98-lost", "arbiter-expert-fresh", "minebot-expert-mid"),
)


@pytest.mark.parametrize("name", WHOLE)
def test_a_board_partly_under_a_dialog_is_not_called_cut(screens, name):
    """In WineMine's header, which is as black as its border, a dialog may hide all that is not black."""
    (board,) = find_boards(load_frame(screens / f"{name}.png"), SKINS)
    assert board.grid.clipped == frozenset()


def test_a_board_on_a_ground_of_its_borders_colour_is_not_called_cut(screens):
    """As WineMine without a frame on a black screen."""
    board = load_frame(screens / "winemine-expert-mid.png").crop(BOARD_AND_HEADER)
    around = np.zeros((800, 1000, 3), dtype=np.uint8)
    around[200 : 200 + board.region.height, 200 : 200 + board.region.width] = board.pixels_bgr
    (found,) = find_boards(Frame(around), SKINS)
    assert (found.grid.rows, found.grid.cols) == (16, 30)
    assert found.grid.clipped == frozenset()


BOARD_AND_HEADER = Region(11, 31, 488, 292)
"""WineMine's window on the recorded screens, less its frame."""
BORDERS = [(name, side) for name in ("classic", "minebot", "winemine") for side in ("left", "top", "right", "bottom")]


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize(("name", "side"), [one for one in BORDERS if one != ("winemine", "top")])
def test_window_of_the_colour_of_the_border_is_no_border(name, side, scale):
    """A white dialog over the white side of a board, exactly up to a cell: the cells under it are not forgotten."""
    skin = load_shipped_skin(name)
    shown = rendered.screen(skin, scale=scale, level="intermediate", place=(0.5, 0.5), size=(1000, 800), seed=1)
    pixels, board = shown.frame.pixels_bgr.copy(), shown.region
    depth_px = 3 * board.width // 16
    right, bottom = board.left + board.width, board.top + board.height
    over = {
        "left": (slice(None), slice(0, board.left + depth_px)),
        "top": (slice(0, board.top + depth_px), slice(None)),
        "right": (slice(None), slice(right - depth_px, None)),
        "bottom": (slice(bottom - depth_px, None), slice(None)),
    }
    pixels[over[side]] = getattr(skin.border, f"{side}_bgr")[0]
    (found,) = find_boards(Frame(pixels), [skin])
    assert found.grid.clipped or found.grid.region == board


CASES = Path(__file__).parents[2] / "screens" / "cases"


def test_a_board_with_its_top_behind_a_window_goes_on_there():
    frame = load_frame(CASES / "covered-top.png")
    (board,) = find_boards(frame, SKINS)
    assert (board.grid.rows, board.grid.cols) == (9, 16)
    assert board.grid.clipped == {"top"}
    advice = advise(read_board(frame, board.grid, board.skin).board)
    assert (1, 0) not in {*advice.analysis.safe, *advice.analysis.mines}
    assert (2, 0) not in advice.analysis.safe
    with pytest.raises(
        ClippedBoardError, match="ends at its top: something may lie over the rest: show all of it, or say --whole"
    ):
        BoardSearch(OneFrame(frame), SKINS, Control(running=True), mines=24).first()
    search = BoardSearch(OneFrame(frame), SKINS, Control(running=True), mines=24, is_whole=True)
    assert search.first().board.grid.clipped == frozenset()


N_HIDDEN = count("MINEBOT_HIDDEN_PARTS", gate=20, full=2000)
LAST_ROW_LACKS_A_PIXEL = 1212
"""The crop of that number: 36 of 37 pixels are left of an enlarged row."""


@pytest.mark.timeout(900 + 4 * N_HIDDEN)
@pytest.mark.parametrize("is_covered", [False, True], ids=["cut", "covered"])
def test_boards_hidden_in_part_at_random_prove_nothing_false_and_are_not_played(is_covered):
    seeds = [*range(1, 1 + N_HIDDEN), LAST_ROW_LACKS_A_PIXEL]
    counts = sum((hidden_parts.judge(seed, is_covered=is_covered) for seed in seeds), start=Counter())
    assert [name for name in counts if name.startswith("BROKEN")] == []
    assert counts["with proofs"] > N_HIDDEN // 8
    assert counts["not played"] > N_HIDDEN // 3


COVERS = {
    468: "noise between tiles",
    476: "a window that is a little lighter than open cells",
    512: "a page as white as cells of four dimensions",
    85: "parts of other windows in line with tiles",
    599: "dimmed open cells as grey as closed tiles",
    635: "a window of nearly the colour of open cells",
    658: "a window of the border's colour beside dark lines of cells",
    689: "a window with steps, far from the colour of the page",
    757: "a stepped window that ends a little past the corners",
    846: "noise on two borders of a small board",
    1386: "a window a little darker than the page, beside dotted cells",
    1452: "slightly shifted colours beside a window of other colours",
    1803: "a part of as many columns as a smaller level has",
}
"""Covers of these numbers show something that was taken for cells of a board, or for its end."""


@pytest.mark.parametrize("seed", COVERS, ids=COVERS.get)
def test_what_lies_over_a_board_is_neither_its_cells_nor_its_end(seed):
    counts = hidden_parts.judge(seed, is_covered=True)
    assert [name for name in counts if name.startswith("BROKEN")] == []


@pytest.mark.parametrize(("shown", "is_whole"), [("040", True), ("099", False), ("", False)])
def test_a_board_of_a_usual_size_is_whole_where_its_counter_has_the_mines_of_that_size(shown, is_whole):
    """Its border is none that the skin knows, and a window lies right beside it."""
    skin = load_shipped_skin("classic")
    frame, grid = counters.board_with_counter(skin, [["closed"] * 16] * 16, shown)
    frame.pixels_bgr[:, grid.region.left + grid.region.width :] = 200
    (board,) = find_boards(frame, [skin])
    assert (board.grid.clipped == frozenset()) is is_whole


def test_a_jpeg_does_not_shrink_a_board():
    """Where noise leaves gaps in a board of tiles, its outer cells are unknown ones of the board."""
    frame = load_frame(CASES / "gnome-q60.jpg")
    (board,) = find_boards(frame, SKINS, every_scale=True)
    assert (board.grid.rows, board.grid.cols, board.grid.clipped) == (16, 16, frozenset())
    recorded = load_frame(CASES.parent / "clones" / "gnome-mines-default-42px.png")
    (whole,) = find_boards(recorded, SKINS)
    for quality in range(40, 80, 5):
        for found in find_boards(rendered.as_jpeg(recorded, quality), SKINS, every_scale=True):
            assert found.grid.clipped or found.grid.shape == whole.grid.shape, quality
