"""Boards of tiles, drawn for the test at any pitch and gap, are found to the pixel and read; lookalikes are not.

The tests of real games of that kind are in `test_clones` and `test_clones_recorded`.
"""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from painted import paint
from rendered import screen
from tile_boards import OPEN, WINDOW, paint_tiles, rows_of, tile_skin

from bot.models import Frame, Grid, Region
from bot.vision.finding import find_boards
from bot.vision.gapped import find_gapped
from bot.vision.gapped_match import Corners, InsetMeter, gapped_matcher_of
from bot.vision.reading import read_board
from skins import load_shipped_skin, load_shipped_skins
from solver.board import CLOSED, UNREADABLE, GameState, format_rows

SKIN = tile_skin()
MIDDLE = """
    ####F#1001
    ##321211F1
    #F20011211
    #432112F10
    5F6###F210
    678####100
    ##########
"""
LOST = """
    =12*oo1=
    =*3*21X=
    1=2111=1
    oooo1=1o
    oooo111o
"""
N_COLS, N_ROWS = 10, 7


def find(picture, left=0, top=0):
    """The boards on a picture whose first pixel is there on the screen."""
    return find_gapped(Frame(picture, left, top), [SKIN])


def only_reading(picture):
    """What the one board on a picture is read as."""
    (board,) = find(picture)
    return read_board(Frame(picture), board.grid, SKIN)


@pytest.mark.parametrize("gap", [3, 4, 5, 8])
@pytest.mark.parametrize(
    ("widths", "heights"),
    [
        ([20] * N_COLS, [20] * N_ROWS),
        ([23, 23, 23] + [22] * 7, [22] * 6 + [23]),
        ([31] * 9 + [32], [32, 31] * 3 + [32]),
        ([62] * N_COLS, [62] * N_ROWS),
    ],
    ids=["even", "23 and 22", "31 and 32", "large"],
)
def test_tiles_are_found_edge_by_edge_and_read(widths, heights, gap):
    picture, x, y = paint_tiles(MIDDLE, widths, heights, gap)
    (board,) = find(picture, left=-1920, top=7)
    assert board.grid.edges(0) == [edge - 1920 for edge in x]
    assert board.grid.edges(1) == [edge + 7 for edge in y]
    reading = read_board(Frame(picture, -1920, 7), board.grid, SKIN)
    assert format_rows(reading.board.cells) == rows_of(MIDDLE)
    assert reading.unknown == ()


@pytest.mark.parametrize("factor", [1.25, 1.5, 2.0])
@pytest.mark.parametrize("kernel", [cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC])
def test_tiles_of_a_scaled_picture_are_where_they_are_to_a_pixel_and_none_is_wrong(factor, kernel):
    picture, x, y = paint_tiles(MIDDLE, [27] * N_COLS, [27] * N_ROWS, 4, size=(500, 400))
    scaled = cv2.resize(picture, None, fx=factor, fy=factor, interpolation=kernel)
    (board,) = find(scaled)
    for axis, edges in enumerate((x, y)):
        assert np.abs(np.array(board.grid.edges(axis)) - np.array(edges) * factor).max() <= 1.5  # a pixel, and rounding
    cells = read_board(Frame(scaled), board.grid, SKIN).board.cells
    truth = only_reading(picture).board.cells
    assert ((cells == truth) | (cells == UNREADABLE)).all()
    assert (cells == UNREADABLE).mean() <= 0.1


def test_tiles_under_a_window_are_unknown_and_their_board_keeps_its_place():
    picture, x, y = paint_tiles(MIDDLE, [24, 25] * 5, [25] * N_ROWS, 4)
    picture[y[2] + 9 : y[5] + 14, x[3] + 7 : x[7] + 12] = (200, 140, 90)
    (board,) = find(picture)
    assert (board.grid.edges(0), board.grid.edges(1)) == (x, y)
    shown = [list(row) for row in rows_of(MIDDLE)]
    for row in range(2, 6):
        for col in range(3, 8):
            shown[row][col] = "!"
    reading = read_board(Frame(picture), board.grid, SKIN)
    assert format_rows(reading.board.cells) == ["".join(row) for row in shown]
    assert len(reading.unknown) == 20


def test_tiles_of_two_boards_side_by_side_are_two_boards():
    text = "\n".join(line + "   " + line for line in rows_of(MIDDLE))
    picture, x, y = paint_tiles(text, [20] * 23, [20] * N_ROWS, 4, symbols=text.splitlines())
    boards = sorted(find(picture), key=lambda board: board.grid.origin)
    assert [board.grid.edges(0) for board in boards] == [x[:11], x[13:]]
    assert [board.grid.edges(1) for board in boards] == [y, y]


def test_a_board_of_tiles_that_lies_over_part_of_another_board_is_found():
    classic = load_shipped_skin("classic")
    over, x, y = paint_tiles(MIDDLE, [24] * N_COLS, [24] * N_ROWS, 4, corner=(150, 210))
    picture = over.copy()
    picture[20 : 20 + 16 * 16, 30 : 30 + 30 * 16] = paint(classic, [["closed"] * 30] * 16)
    picture[200:, 140:400] = over[200:, 140:400]
    under, found = find_boards(Frame(picture), [classic, SKIN])
    assert under.grid.region == Region(30, 20, 480, 256)
    assert (found.grid.edges(0), found.grid.edges(1)) == (x, y)


def test_tiles_of_a_lost_board_say_which_light_cells_are_open():
    picture, _, _ = paint_tiles(LOST, [22] * 8, [22] * 5, 4)
    reading = only_reading(picture)
    expected = [row.replace("o", "0").replace("=", "#") for row in rows_of(LOST)]
    assert format_rows(reading.board.cells) == expected
    assert reading.state is GameState.LOST


def test_a_light_tile_beside_closed_cells_of_a_game_in_play_is_closed():
    rows = rows_of(MIDDLE)
    rows[0] = "##o#F#1001"
    picture, _, _ = paint_tiles(None, [22] * N_COLS, [22] * N_ROWS, 4, symbols=rows)
    assert format_rows(only_reading(picture).board.cells) == rows_of(MIDDLE)


@pytest.mark.parametrize(("others", "meaning"), [("", UNREADABLE), ("#F", CLOSED), ("=", 0), ("#=", UNREADABLE)])
def test_settle_believes_a_light_tile_nothing_unless_the_board_says_all_of_one_kind(others, meaning):
    matcher = gapped_matcher_of(SKIN)
    picture, x, y = paint_tiles(None, [22] * (1 + len(others)), [22], 4, symbols=["o" + others])
    grid = Grid.of_edges(x, y)
    alike = matcher.name(Frame(picture), grid, np.arange(grid.cols), matcher.measure(Frame(picture), grid)).alike
    assert matcher.sets[alike[0]] == {"closed", "0"}
    assert matcher.settle(alike)[0] == meaning


@pytest.mark.parametrize("spoil", ["stripe", "field", "no gap"])
def test_a_tile_that_is_not_one_of_the_skin_is_unknown(spoil):
    picture, x, y = paint_tiles(MIDDLE, [30] * N_COLS, [30] * N_ROWS, 4)
    tile = picture[y[3] + 2 : y[4] - 2, x[1] + 2 : x[2] - 2]
    if spoil == "stripe":
        tile[8:22] = (30, 160, 30)
    elif spoil == "field":
        tile[:] = (200, 160, 120)
    else:
        whole = tile.copy()
        picture[y[3] : y[4], x[1] : x[2]] = (0, 50, 100)
        tile[:] = whole
    expected = [list(row) for row in rows_of(MIDDLE)]
    expected[3][1] = "!"
    assert format_rows(read_board(Frame(picture), Grid.of_edges(x, y), SKIN).board.cells) == [
        "".join(row) for row in expected
    ]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(["0" * 12] * 9),
        "\n".join(["#" * 5] * 5),
        "\n".join(["#" * 9] * 3),
        "\n".join(["#0"] * 9),
        "\n".join([" # # # # "] * 6),
    ],
    ids=["a table of open fields", "25 buttons", "three rows", "two columns", "columns apart"],
)
def test_tiles_that_make_no_board_are_none(text):
    rows = text.splitlines()
    picture, _, _ = paint_tiles(None, [22] * len(rows[0]), [22] * len(rows), 4, symbols=rows)
    assert find(picture) == []


@pytest.mark.parametrize(("widths", "gap"), [([22] * 9, 1), ([22] * 9, 15), ([14, 30, 21, 38, 11, 26, 33, 18, 24], 4)])
def test_tiles_too_near_too_far_apart_or_of_all_sizes_are_no_board(widths, gap):
    picture, _, _ = paint_tiles(None, widths, [22] * 9, gap, symbols=["#" * 9] * 9)
    assert find(picture) == []


def test_a_table_of_light_fields_beside_a_board_is_none_of_it():
    picture, x, y = paint_tiles(MIDDLE, [24] * N_COLS, [24] * N_ROWS, 4, corner=(60, 200))
    cv2.rectangle(picture, (400, 190), (880, 500), (255, 255, 255), -1)
    for left in range(410, 850, 30):
        for top in range(200, 480, 30):
            picture[top : top + 24, left : left + 24] = OPEN
    (board,) = find(picture)
    assert (board.grid.edges(0), board.grid.edges(1)) == (x, y)


def inset_of(cell):
    """How far the tile lies inside one cell: left, top, right, bottom."""
    corners = Corners(*(np.array([place]) for place in (0, 0, cell.shape[1], cell.shape[0])))
    (sides,) = InsetMeter(SKIN.drawing).insets(cell, corners, np.array(WINDOW, dtype=np.float64)).sides
    return sides


@pytest.mark.parametrize("sides", [(2, 2, 2, 2), (1, 3, 2, 4), (0, 0, 5, 5)])
def test_insets_measure_the_gap_on_each_side(sides):
    left, top, right, bottom = sides
    cell = np.full((40, 44, 3), WINDOW, dtype=np.uint8)
    cell[top : 40 - bottom, left : 44 - right] = OPEN
    assert inset_of(cell) == pytest.approx(sides, abs=0.05)


def test_insets_count_a_pixel_that_is_half_gap_as_half():
    cell = np.full((40, 40, 3), WINDOW, dtype=np.uint8)
    cell[2:38, 2:38] = OPEN
    cell[:, 2] = cell[:, 37] = np.mean([OPEN, WINDOW], axis=0)
    assert inset_of(cell) == pytest.approx((2.5, 2, 2.5, 2), abs=0.05)


def test_a_lost_board_whose_tiles_fall_apart_is_one_board():
    """Mines and flags leave some tiles without a neighbour of their size: the parts lie on the same lines."""
    shown = screen(load_shipped_skin("gnome-mines"), scale=1.5, state="lost", kernel="linear", place=(0, 1), seed=2)
    (board,) = find_boards(shown.frame, load_shipped_skins())
    assert board.grid.region == shown.region
    assert (board.grid.rows, board.grid.cols) == shown.codes.shape
