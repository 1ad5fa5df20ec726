"""Boards at any scale are found exactly, and read without a wrong cell; what is damaged is unknown, never wrong."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest
from amounts import profile
from chunks import in_chunks
from rendered import (
    Frame,
    as_jpeg,
    covered,
    enlarged,
    late_position,
    noisy,
    not_a_board,
    pointed,
    screen,
    shifted,
)

from bot.images import load_frame
from bot.vision.finding import explain_not_found, find_boards
from bot.vision.reading import Reader, read_board
from skins import load_shipped_skin, load_shipped_skins
from skins.skin import CLOSED, FLAG, Tiles
from solver.board import UNREADABLE, parse_board

SKINS = [skin for skin in load_shipped_skins() if not skin.drawing.is_in_blocks]
NAMES = [skin.name for skin in SKINS]
MAINLY_TWO = [
    skin if skin.name in {"classic", "minebot"} else pytest.param(skin, marks=pytest.mark.slow) for skin in SKINS
]
MORE = pytest.mark.full("two other scales show the same")
FEW_LEFT = [
    (1.25, "linear", 1, CLOSED),
    pytest.param(1.5, "nearest", 2, FLAG, marks=MORE),
    pytest.param(1.71875, "area", 3, CLOSED, marks=MORE),
    (2.25, "cubic", 1, FLAG),
]
SIZE = (960, 680)
CASES = [
    (1.0, "nearest", "fresh", (0, 0)),
    (1.25, "linear", "mid", (1, 1)),
    (1.5, "cubic", "won", (0, 1)),
    (1.75, "area", "lost", (1, 0)),
    (2.0, "nearest", "mid", (0.4, 0.6)),
    (2.5, "linear", "won", (0, 0.5)),
    (3.0, "linear", "mid", (0.9, 0.1)),
    (1.71875, "linear", "fresh", (0.5, 0.5)),
]


def only_board(frame):
    boards = find_boards(frame, SKINS)
    assert len(boards) == 1, boards
    return boards[0]


def is_at(region, shown, skin):
    """Whether a board was found where it is; to a pixel where its outermost gaps are of the window's colour."""
    slack = 1 if isinstance(skin.drawing, Tiles) else 0
    sides = zip(dataclasses.astuple(region), dataclasses.astuple(shown.region), strict=True)
    return all(abs(found - true) <= slack for found, true in sides)


def n_wrong(reading, truth):
    """How many named cells are not what they are."""
    named = reading.board.cells != UNREADABLE
    return int((reading.board.cells[named] != truth[named]).sum())


@in_chunks("skin", SKINS, 1, name=lambda skin: skin.name)
@pytest.mark.parametrize(("scale", "kernel", "state", "place"), CASES, ids=[f"{c[0]} {c[1]} {c[2]}" for c in CASES])
def test_a_board_at_another_scale_is_found_and_read(skin, scale, kernel, state, place):
    shown = screen(skin, scale=scale, kernel=kernel, state=state, place=place, level="beginner", seed=4, size=SIZE)
    board = only_board(shown.frame)
    assert board.skin is skin
    assert board.grid.region == shown.region
    assert np.array_equal(read_board(shown.frame, board.grid, skin).board.cells, shown.codes)


@pytest.mark.parametrize(
    "name",
    [
        "msx-winxp-expert-mid",
        "winemine-expert-mid",
        "msx-skin-win98-lost",
        "arbiter-expert-fresh",
        "msx-skin-winxp-won",
        "msx-winxp-expert-won",
    ],
)
@pytest.mark.parametrize(("scale", "kernel"), [(1.25, "linear"), (1.5, "nearest"), (2.0, "cubic")])
def test_a_real_screen_enlarged_is_read_exactly(screens, name, scale, kernel):
    frame = Frame(enlarged(load_frame(screens / f"{name}.png").pixels_bgr, scale, kernel))
    board = only_board(frame)
    text = (screens / f"{name}.txt").read_text()
    assert np.array_equal(read_board(frame, board.grid, board.skin).board.cells, parse_board(text).cells)


DAMAGES = {
    "noise": lambda frame, _region: noisy(frame, 4),
    "colours": lambda frame, _region: shifted(frame, (-8, -4, 0)),
    "jpeg 90": lambda frame, _region: as_jpeg(frame, 90),
    "jpeg 70": lambda frame, _region: as_jpeg(frame, 70),
    "pointers": lambda frame, region: pointed(frame, region, 8),
    "cover": covered,
}


@pytest.mark.parametrize("skin", MAINLY_TWO, ids=NAMES)
@pytest.mark.parametrize(("damage", "scale"), list(zip(DAMAGES, [1.0, 1.5, 1.5, 1.0, 1.5, 1.0], strict=True)))
def test_a_damaged_board_has_unknown_cells_but_no_wrong_ones(skin, damage, scale):
    shown = screen(skin, scale=scale, kernel="linear", state="mid", level="beginner", seed=8, size=(640, 480))
    frame = DAMAGES[damage](shown.frame, shown.region)
    for board in find_boards(frame, SKINS):
        assert is_at(board.grid.region, shown, skin)
        assert n_wrong(read_board(frame, board.grid, board.skin), shown.codes) == 0
    reading = read_board(frame, find_boards(shown.frame, SKINS)[0].grid, skin)
    assert n_wrong(reading, shown.codes) == 0


def test_nothing_is_found_where_there_is_no_board():
    found = [(seed, find_boards(Frame(not_a_board(seed, (480, 360))), SKINS)) for seed in range(100)]
    assert [pair for pair in found if pair[1]] == []


def test_a_reader_at_another_scale_reads_what_changed():
    skin = SKINS[0]
    shown = screen(skin, scale=1.5, kernel="linear", state="mid", level="beginner", seed=1, size=SIZE)
    grid = only_board(shown.frame).grid
    reader = Reader(skin, grid)
    reader.read(shown.frame)
    pixels = shown.frame.pixels_bgr.copy()
    source, target = grid.cell_region((0, 0)), grid.cell_region((4, 4))
    pixels[target.top : target.top + target.height, target.left : target.left + target.width] = pixels[
        source.top : source.top + target.height, source.left : source.left + target.width
    ]
    cells = reader.read(Frame(pixels)).board.cells
    expected = shown.codes
    expected[4, 4] = expected[0, 0]
    assert n_wrong(reader.read(Frame(pixels)), expected) == 0
    assert (cells != UNREADABLE).sum() >= cells.size - 3


def with_table(shown, pitch, shade, left, top):
    """The frame with a table of empty cells in the colour of closed ones, from a place to the board's side."""
    pixels = shown.frame.pixels_bgr.copy()
    part = pixels[top : top + 14 * pitch, left : left + 14 * pitch]
    part[:] = shade
    part[::pitch] = part[:, ::pitch] = (128, 128, 128)
    return Frame(pixels)


@pytest.mark.parametrize(
    "skin", [skin for skin in SKINS if not isinstance(skin.drawing, Tiles)], ids=lambda skin: skin.name
)
@pytest.mark.parametrize("pitch", [19, *(pytest.param(pitch, marks=pytest.mark.slow) for pitch in (16, 20, 21, 24))])
def test_a_board_beside_a_table_of_its_own_colour_is_found(skin, pitch):
    scale = 20 / skin.pitch_px[0] if skin.pitch_px[0] == 16 else 1.25
    shown = screen(skin, scale=scale, kernel="linear", state="mid", place=(1, 1), level="beginner", size=(640, 480))
    left = shown.region.left - 14 * pitch
    frame = with_table(shown, pitch, skin.closed_bgr, left, shown.region.top - 107)
    board = only_board(frame)
    assert (board.skin, board.grid.region) == (skin, shown.region)


@in_chunks("skin", SKINS, 1, name=lambda skin: skin.name)
@pytest.mark.parametrize("kernel", ["nearest", "cubic"])
@pytest.mark.parametrize("state", ["lost", "won", "fresh"])
def test_boards_of_few_closed_cells_and_of_ringing_kernels_are_found(skin, kernel, state):
    shown = screen(
        skin, scale=1.25, kernel=kernel, state=state, place=(1, 1), level="beginner", seed=6, size=(640, 480)
    )
    board = only_board(shown.frame)
    assert board.skin is skin
    assert is_at(board.grid.region, shown, skin)


@pytest.mark.parametrize("skin", SKINS, ids=NAMES)
@pytest.mark.parametrize(("scale", "kernel", "n_left", "left"), FEW_LEFT)
def test_a_board_with_few_cells_left_is_found(skin, scale, kernel, n_left, left):
    words = late_position(random.Random(n_left), (16, 20), n_left, left)
    shown = screen(skin, scale=scale, kernel=kernel, place=(0.5, 0.5), size=(1100, 960), state=words)
    board = only_board(shown.frame)
    assert board.skin is skin
    assert is_at(board.grid.region, shown, skin)
    assert n_wrong(read_board(shown.frame, board.grid, skin), shown.codes) == 0


@pytest.mark.parametrize("name", ["classic", "minebot", "xdemineur"])
def test_open_cells_with_a_closed_one_that_no_number_knows_of_are_no_board(name):
    words = [["0"] * 20 for _ in range(16)]
    words[5][7] = CLOSED
    shown = screen(load_shipped_skin(name), scale=1.5, kernel="linear", place=(0.5, 0.5), size=(1100, 960), state=words)
    assert find_boards(shown.frame, SKINS) == []


@pytest.mark.slow
def test_every_scale_adds_nothing_to_boards_at_their_own_size(screens):
    for path in sorted(screens.rglob("*.png"))[:: 1 if profile() == "full" else 8]:
        frame = load_frame(path)
        places = [
            [(board.skin.name, board.grid) for board in find_boards(frame, SKINS, every_scale=every_scale)]
            for every_scale in (False, True)
        ]
        assert places[0] == places[1], path.name


def test_every_scale_finds_an_enlarged_board_beside_one_at_its_own_size():
    small, large = (
        screen(skin, scale=scale, kernel="linear", state="mid", place=(0.5, 0.5), level="beginner", size=(500, 480))
        for skin, scale in ((SKINS[0], 1.0), (SKINS[-1], 1.5))
    )
    frame = Frame(np.concatenate([small.frame.pixels_bgr, large.frame.pixels_bgr], axis=1))
    assert [board.grid.region for board in find_boards(frame, SKINS)] == [small.region]
    found = find_boards(frame, SKINS, every_scale=True)
    expected = [(SKINS[0], small.region.left), (SKINS[-1], 500 + large.region.left)]
    assert sorted(((board.skin, board.grid.region.left) for board in found), key=lambda pair: pair[1]) == expected


def test_explain_not_found_names_a_grid_that_no_skin_fits(screens):
    frame = load_frame(screens / "msx-skin-mario-mid.png")
    assert "16x16 grid at 16 px" in explain_not_found(frame, SKINS)
    assert "minebot-calibrate --live --name NAME" in explain_not_found(frame, SKINS)
    assert "calibrate" not in explain_not_found(Frame(np.full((400, 400, 3), 90, dtype=np.uint8)), SKINS)


def test_explain_not_found_names_a_grid_of_fields_in_two_colours_that_hardly_differ():
    pixels = np.full((400, 500, 3), 240, dtype=np.uint8)
    for row, col in np.ndindex(9, 12):
        pixels[30 + 33 * row :, 40 + 33 * col :][:33, :33] = ((90, 90, 200), (97, 96, 207))[(row + col) % 2]
    told = explain_not_found(Frame(pixels), SKINS)
    assert "no skin fits the 9x12 grid at 33 px, from (40,30) on" in told
    assert "minebot-calibrate --live --name NAME" in told
    assert told.count("\n") == 1


def test_explain_not_found_names_the_skin_that_came_nearest_in_one_line():
    blank = Frame(np.full((400, 400, 3), 90, dtype=np.uint8))
    here, help_ = explain_not_found(blank, SKINS).split("\n")
    assert here == f"no board found on 400 x 400 pixels: nothing on it is like closed cells of {len(SKINS)} skins"
    assert help_.startswith("Show the whole board")
    pixels = blank.pixels_bgr.copy()
    cell = load_shipped_skin("winemine").sprites_of("closed")[0].pixels_bgr
    for row, col in np.ndindex(2, 6):
        pixels[100 + 16 * row :, 100 + 16 * col :][:16, :16] = cell
    here, _ = explain_not_found(Frame(pixels), SKINS).split("\n")
    assert "nearest came winemine (16 x 16 px cells), 12 cells in line, " in here


@pytest.mark.parametrize(("name", "scale", "seed"), [("classic", 2.5, 9), ("classic-98", 1.25, 7)])
def test_a_table_whose_empty_fields_pass_for_closed_cells_is_no_board(name, scale, seed):
    """On these desktops buttons with and without words stand in rows; every third is blank."""
    shown = screen(load_shipped_skin(name), scale=scale, state="won", kernel="linear", seed=seed)
    (board,) = find_boards(shown.frame, load_shipped_skins())
    assert board.grid.region == shown.region
