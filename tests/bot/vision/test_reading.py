"""Cells are read from recorded screens, exactly; what cannot be read is unknown."""

from __future__ import annotations

import numpy as np
import pytest

from bot.images import load_frame
from bot.models import Frame, Grid, Pixel
from bot.vision.finding import find_boards
from bot.vision.reading import Reader, read_board
from skins import load_shipped_skin, load_shipped_skins
from solver.board import UNREADABLE, GameState, format_rows, parse_board

RECORDED = [
    "minebot-expert-mid",
    "arbiter-expert-fresh",
    "msx-skin-win98-fresh",
    "msx-skin-win98-lost",
    "msx-skin-win98-mid",
    "msx-skin-winxp-fresh",
    "msx-skin-winxp-mid",
    "msx-skin-winxp-won",
    "msx-winxp-expert-fresh",
    "msx-winxp-expert-mid",
    "msx-winxp-expert-won",
    "winemine-beginner-fresh",
    "winemine-beginner-won-list",
    "winemine-beginner-won-name",
    "winemine-expert-fresh",
    "winemine-expert-lost",
    "winemine-expert-mid",
    "winemine-expert-won",
    "winemine-expert-won-popup",
]


def truth(screens, name):
    lines = (screens / f"{name}.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith(";")]


def test_recorded_covers_every_text(screens):
    assert sorted(RECORDED) == sorted(path.stem for path in screens.glob("*.txt"))


@pytest.mark.parametrize("name", RECORDED)
def test_read_board_gives_the_exact_text(screens, name):
    frame = load_frame(screens / f"{name}.png")
    (board,) = find_boards(frame, load_shipped_skins())
    reading = read_board(frame, board.grid, board.skin)
    assert format_rows(reading.board.cells) == truth(screens, name)
    hidden = [(r, c) for r, row in enumerate(truth(screens, name)) for c, symbol in enumerate(row) if symbol == "!"]
    assert list(reading.unknown) == hidden
    assert np.array_equal(reading.scores == 0.0, reading.board.cells == UNREADABLE)


def expert(screens):
    frame = load_frame(screens / "msx-winxp-expert-mid.png")
    return frame, Grid(Pixel(21, 102), (16, 16), 16, 30), load_shipped_skin("classic")


def test_read_board_never_names_a_cell_under_a_pointer(screens):
    frame, grid, skin = expert(screens)
    before = read_board(frame, grid, skin)
    pixels = frame.pixels_bgr.copy()
    for cell in np.ndindex(grid.rows, grid.cols):
        region = grid.cell_region(cell)
        for i in range(9):  # a black arrow with a white rim, as pointers are drawn
            pixels[region.top + 3 + i, region.left + 4 : region.left + 5 + i] = 0
            pixels[region.top + 3 + i, region.left + 5 + i] = 255
    after = read_board(Frame(pixels), grid, skin)
    named = after.board.cells != UNREADABLE
    assert np.array_equal(after.board.cells[named], before.board.cells[named])
    assert named.mean() < 0.02


def test_read_board_takes_a_flat_field_for_unreadable():
    skin = load_shipped_skin("classic")
    grid = Grid(Pixel(0, 0), (16, 16), 8, 8)
    for shade in (192, 240, 128, 0):
        reading = read_board(Frame(np.full((128, 128, 3), shade, dtype=np.uint8)), grid, skin)
        assert len(reading.unknown) == 64, f"shade {shade}"


def test_read_board_stands_a_little_noise(screens):
    frame, grid, skin = expert(screens)
    noise = np.random.default_rng(2).integers(-3, 4, frame.pixels_bgr.shape)
    noisy = Frame(np.clip(frame.pixels_bgr + noise, 0, 255).astype(np.uint8))
    exact, read = read_board(frame, grid, skin).board.cells, read_board(noisy, grid, skin).board.cells
    named = read != UNREADABLE
    assert np.array_equal(read[named], exact[named])
    assert named[(exact == -1) | (exact == 0)].all()


def test_reader_reads_what_changed_and_keeps_the_rest(screens):
    frame, grid, skin = expert(screens)
    reader = Reader(skin, grid)
    first = reader.read(frame)
    pixels = frame.pixels_bgr.copy()
    closed, number = grid.cell_region((15, 0)), grid.cell_region((0, 0))
    shown = pixels[number.top : number.top + 16, number.left : number.left + 16].copy()
    pixels[closed.top : closed.top + 16, closed.left : closed.left + 16] = shown
    second = reader.read(Frame(pixels))
    changed = np.argwhere(first.board.cells != second.board.cells).tolist()
    assert changed in ([], [[15, 0]])
    assert second.board[15, 0] == first.board[0, 0]
    assert np.array_equal(reader.read(frame).board.cells, first.board.cells)


@pytest.mark.parametrize(
    ("text", "mines", "state"),
    [
        ("###\n#F#", 1, GameState.FRESH),
        ("1##\n###", 1, GameState.PLAYING),
        ("1#1\n111", 1, GameState.WON),
        ("1F1\n111", 1, GameState.WON),
        ("1#1\n111", None, GameState.PLAYING),
        ("1F1\n111", None, GameState.WON),
        ("1X#\n###", 2, GameState.LOST),
        ("1*#\n###", 2, GameState.LOST),
        ("1x#\n###", 2, GameState.LOST),
        ("1#1\n11!", 1, GameState.PLAYING),
        ("1*1*\n1111\n", 2, GameState.WON),
        ("1F1*\n1111\n", 2, GameState.WON),
        ("1#1*\n1111\n", 2, GameState.WON),
        ("1*#*\n1111\n", 2, GameState.LOST),
        ("1X1*\n1111\n", 2, GameState.WON),  # a clone's mines may have this sprite whenever they show
        ("1X1X\n1111\n", 2, GameState.WON),
        ("1X#*\n1111\n", 2, GameState.LOST),
        ("1*1x\n1#11\n", 2, GameState.LOST),
        ("1X1*\n1111\n", None, GameState.LOST),
        ("1*1*\n1111\n", None, GameState.LOST),
        ("1*1!\n1111\n", 2, GameState.LOST),
    ],
)
def test_state_of_a_board_from_the_cells_alone(text, mines, state):
    assert parse_board(text).with_mines(mines).state is state


def test_reader_answers_a_picture_that_shows_the_same_with_the_reading_it_has(screens):
    frame, grid, skin = expert(screens)
    reader = Reader(skin, grid)
    first = reader.read(frame)
    assert reader.read(Frame(frame.pixels_bgr.copy())) is first
    assert not first.scores.flags.writeable, "it is shared"
    reader.mines = 99
    assert reader.read(frame).board.mines == 99
    pixels = frame.pixels_bgr.copy()
    region = grid.cell_region((0, 0))
    pixels[region.top + 5, region.left + 5] ^= 255
    assert reader.read(Frame(pixels)) is not first
