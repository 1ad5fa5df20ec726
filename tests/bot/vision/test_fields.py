"""Chequered boards as a browser draws them, at any zoom and in any font, are found to the pixel and read."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from fields_page import LEVELS, PICTURES, SCREENS

from bot.images import load_frame
from bot.models import Frame
from bot.paint import Desk, paint_board
from bot.vision.finding import find_boards
from bot.vision.mine_counter import count_on
from bot.vision.reading import Reader, read_board
from skins import load_shipped_skins
from solver.board import GameState, format_rows

SKINS = load_shipped_skins()
SKIN = next(skin for skin in SKINS if skin.name == "google")


def truth(name):
    return (SCREENS / f"{name}.txt").read_text().split()


def reading_of(frame):
    (board,) = find_boards(frame, SKINS)
    assert board.skin is SKIN
    return read_board(frame, board.grid, SKIN)


def test_every_picture_has_its_truth():
    assert {path.stem for path in SCREENS.iterdir()} == {*PICTURES}


@pytest.mark.parametrize("name", PICTURES)
def test_boards_on_a_page_are_found_and_read_exactly(name):
    level, _, zoom, _ = PICTURES[name]
    rows, cols, mines, side = LEVELS[level]
    frame = load_frame(SCREENS / f"{name}.png")
    reading = reading_of(frame)
    assert format_rows(reading.board.cells) == truth(name)
    corner = [13 * zoom, 31 * zoom]  # of the canvas on the page
    far = [corner[0] + cols * side * zoom, corner[1] + rows * side * zoom]
    region = reading.grid.region
    ends = (region.left, region.top, region.left + region.width, region.top + region.height)
    assert np.abs(np.subtract(ends, corner + far)).max() <= 1.5
    assert reading.state is {"easy-fresh": GameState.FRESH, "easy-lost": GameState.LOST}.get(name, GameState.PLAYING)
    _, count = count_on(frame, reading, SKIN)
    assert (count.mines, count.source) == (mines, "size")


@pytest.mark.parametrize("scale", [0.55, 0.8, 1.37, 2.0, 2.6])
def test_a_page_that_was_scaled_as_a_picture_is_never_read_wrongly(scale):
    frame = load_frame(SCREENS / "medium-mid.png")
    pixels = cv2.resize(frame.pixels_bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_LINEAR)
    reading = reading_of(Frame(np.asarray(pixels, dtype=np.uint8)))
    pairs = list(zip("".join(format_rows(reading.board.cells)), "".join(truth("medium-mid")), strict=True))
    assert [pair for pair in pairs if pair[0] not in ("!", pair[1])] == []
    assert sum(named == "!" for named, _ in pairs) <= 0.05 * len(pairs)


def painted(rows):
    words = np.array([[{"#": "closed", "F": "flag"}.get(sign, sign) for sign in row] for row in rows], dtype=object)
    return paint_board(SKIN, words, Desk(3, (255, 255, 255)))


BOARD = ["########", "##2#1111", "#2110000", "#1000000", "#1000111", "#11001##", "##1001##", "##1001##"]


def test_a_field_out_of_turn_is_unknown():
    frame, grid = painted(BOARD)
    cell = grid.cell_region((0, 4))
    frame.pixels_bgr[cell.top : cell.top + cell.height, cell.left : cell.left + cell.width] = (73, 209, 162)
    reading = reading_of(frame)
    assert reading.grid == grid
    assert reading.unknown == ((0, 4),)


def test_a_sign_that_is_no_digit_on_an_open_field_is_unknown():
    frame, grid = painted(BOARD)
    left, top = grid.cell_region((3, 4)).corner
    cv2.line(frame.pixels_bgr, (left + 6, top + 6), (left + 14, top + 14), (120, 20, 90), 2)
    assert reading_of(frame).unknown == ((3, 4),)


def test_half_a_board_under_a_dialog_keeps_its_place():
    frame, grid = painted(BOARD)
    region = grid.region
    frame.pixels_bgr[region.top + 47 : region.top + 127, region.left - 13 : region.left + 93] = 255
    reading = reading_of(frame)
    assert reading.grid == grid
    assert {cell for cell in np.ndindex(8, 8) if 3 <= cell[0] <= 5 and cell[1] <= 3} <= {*reading.unknown}


def test_a_reader_looks_again_at_what_changed():
    frame, grid = painted(BOARD)
    after, _ = painted([*BOARD[:-2], "##1001F#", "##1001#1"])
    reader = Reader(SKIN, grid)
    assert format_rows(reader.read(frame).board.cells) == BOARD
    assert format_rows(reader.read(after).board.cells)[-2:] == ["##1001F#", "##1001#1"]


def test_a_green_page_is_no_board():
    pixels = np.full((600, 800, 3), (81, 215, 170), dtype=np.uint8)
    pixels[:, ::7] = (73, 209, 162)
    pixels[::40] = (73, 209, 162)
    assert find_boards(Frame(pixels), SKINS) == []
