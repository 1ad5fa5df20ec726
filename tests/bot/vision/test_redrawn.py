"""Boards of a made-up clone that draws its cells anew at every size, with corners that its neighbours paint over."""

from __future__ import annotations

import random

import cv2
import numpy as np
import pytest

from bot.models import Frame, Grid, Pixel
from bot.vision.finding import find_boards
from bot.vision.reading import Reader, read_board
from skins import Skin, Sprite, fingerprint
from skins.pixels import blunt_fingerprint
from skins.skin import CLOSED, FLAG, Sizes
from solver.board import format_rows

BOARD = """
    001#######
    00112F####
    0000112###
    12110012F#
    ##F1001###
    ###21135##
    #########4
"""
ROWS = [line.strip() for line in BOARD.strip().splitlines()]
FACE, OPEN, LINE = 200, 216, 120
LEAST, MOST = 12, 40
STATES = {"#": CLOSED, "F": FLAG}


def cell(symbol, px):
    """One cell: grey but for its sign, whose strokes are of whole pixels whatever the size."""
    picture = np.full((px, px, 3), FACE if symbol in STATES else OPEN, dtype=np.uint8)
    bevel = max(px // 10, 1)
    if symbol in STATES:
        picture[:bevel] = picture[:, :bevel] = 250
        picture[-bevel:] = picture[:, -bevel:] = LINE
    else:
        picture[0] = picture[:, 0] = LINE
    if symbol == "F":
        picture[px // 4 : px // 2, px // 4 : 3 * px // 4] = (0, 0, 230)
    elif symbol not in "#0":
        n = int(symbol)
        stroke = max(px // 12, 1)
        for k in range(n):
            x, y = px // 4 + k % 3 * (px // 5), px // 4 + k // 3 * (px // 5)
            picture[y : y + 2 * stroke, x : x + 2 * stroke] = ((37 * n) % 160, (91 * n) % 160, (53 * n) % 160)
    return picture


def made_up_skin():
    symbols = "#F012345678"
    states = [STATES.get(symbol, symbol) for symbol in symbols]
    sizes = range(LEAST, MOST + 1)
    exact = {
        int(blunt_fingerprint(cell(s, px)[None])[0]): state
        for px in sizes
        for s, state in zip(symbols, states, strict=True)
    }
    rims = set()
    for px in sizes:
        one = cell("0", px)[None]
        rim = np.concatenate([one[:, 0], one[:, -1], one[:, 1:-1, 0], one[:, 1:-1, -1]], axis=1)
        rims.add(int(fingerprint(rim)[0]))
    sprites = tuple(Sprite(state, cell(symbol, 20)) for symbol, state in zip(symbols, states, strict=True))
    return Skin(
        name="made-up",
        title="Drawn for tests",
        pitch_px=(20, 20),
        closed_bgr=(FACE, FACE, FACE),
        sprites=sprites,
        drawing=Sizes(LEAST, MOST, exact, frozenset(rims)),
    )


SKIN = made_up_skin()


def paint(px, left=53, top=41, rows=ROWS, seed=0):
    """A window with the board: corner pixels of closed cells are of any colour."""
    rng = random.Random(seed)
    picture = np.full((700, 900, 3), 90, dtype=np.uint8)
    for row, line in enumerate(rows):
        for col, symbol in enumerate(line):
            one = cell(symbol, px)
            if symbol in STATES:
                for corner in ((0, 0), (0, -1), (-1, 0), (-1, -1)):
                    one[corner] = rng.randrange(256)
            picture[top + row * px : top + row * px + px, left + col * px : left + col * px + px] = one
    return picture


@pytest.mark.parametrize("px", [12, 13, 16, 17, 20, 24, 29, 33, 40])
def test_a_redrawn_board_is_found_to_the_pixel_and_read_at_every_size(px):
    frame = Frame(paint(px, seed=px), left=-300, top=11)
    (board,) = find_boards(frame, [SKIN], every_scale=True)
    assert (board.grid.origin, board.grid.pitch_px) == ((53 - 300, 41 + 11), (px, px))
    reading = read_board(frame, board.grid, SKIN)
    assert format_rows(reading.board.cells) == ROWS
    assert reading.scores.min() == 1.0


@pytest.mark.parametrize("px", [14, 27])
def test_covered_cells_of_a_redrawn_board_are_unknown(px):
    picture = paint(px)
    picture[41 + 2 * px + 3 : 41 + 5 * px - 4, 53 + 3 * px + 2 : 53 + 6 * px - 3] = (70, 130, 30)
    (board,) = find_boards(Frame(picture), [SKIN])
    assert board.grid == Grid(Pixel(53, 41), (px, px), 7, 10)
    expected = [
        "".join("!" if 2 <= row <= 4 and 3 <= col <= 5 else symbol for col, symbol in enumerate(line))
        for row, line in enumerate(ROWS)
    ]
    assert format_rows(read_board(Frame(picture), board.grid, SKIN).board.cells) == expected


def test_a_reader_of_a_redrawn_board_reads_what_changed():
    grid = Grid(Pixel(53, 41), (17, 17), 7, 10)
    reader = Reader(SKIN, grid)
    assert format_rows(reader.read(Frame(paint(17))).board.cells) == ROWS
    later = [line.replace("F", "#") for line in ROWS[:-1]] + ["6########4"]
    assert format_rows(reader.read(Frame(paint(17, rows=later, seed=1))).board.cells) == later


def n_wrong(frame, grid):
    """How many cells are read as something else than they are; unknown ones are not wrong."""
    rows = format_rows(read_board(frame, grid, SKIN).board.cells)
    pairs = zip("".join(rows), "".join(ROWS), strict=True)
    return sum(read not in {true, "!"} for read, true in pairs)


@pytest.mark.parametrize("px", [10, 11, 41, 44])
def test_a_redrawn_board_of_an_unknown_size_is_never_read_wrongly(px):
    frame = Frame(paint(px))
    assert n_wrong(frame, Grid(Pixel(53, 41), (px, px), 7, 10)) == 0
    assert [board.skin.name for board in find_boards(frame, [SKIN]) if n_wrong(frame, board.grid)] == []


@pytest.mark.parametrize("px", [14, 24])
def test_a_blurred_redrawn_board_is_never_read_wrongly(px):
    frame = Frame(np.asarray(cv2.GaussianBlur(paint(px), (3, 3), 0)))
    assert n_wrong(frame, Grid(Pixel(53, 41), (px, px), 7, 10)) == 0


def test_blunt_fingerprint_sees_every_pixel_but_the_corners():
    plain = np.full((1, 9, 9, 3), 77, dtype=np.uint8)
    expected = blunt_fingerprint(plain)
    for row, col in np.ndindex(9, 9):
        changed = plain.copy()
        changed[0, row, col, 1] ^= 1
        is_corner = row in {0, 8} and col in {0, 8}
        assert (blunt_fingerprint(changed) == expected).all() == is_corner
    assert (plain == 77).all()


@pytest.mark.parametrize(("pitch", "is_known"), [((12, 12), True), ((40.0, 40.0), True), ((41, 41), False)])
def test_sizes_has_whole_square_cells_from_the_least_to_the_most(pitch, is_known):
    assert SKIN.drawing.is_known_at(pitch) is is_known
    assert not SKIN.drawing.is_known_at((pitch[0] + 0.5, pitch[1] + 0.5))
    assert not SKIN.drawing.is_known_at((pitch[0], pitch[1] + 1))
