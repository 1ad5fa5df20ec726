"""Numbers of GNOME Mines in a font that nobody knows: open cells at once, and worked out by the rules."""

from __future__ import annotations

import random

import cv2
import numpy as np

from bot.learning.unknown_appearances import UnknownAppearances
from bot.models import Frame, Grid
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from skins import load_shipped_skin
from solver.board import CLOSED, OPEN_UNKNOWN
from solver.game import Game
from solver.layout import Layout

GAP, FIELD, OPEN, INK = (244, 245, 246), (182, 189, 186), (220, 222, 222), (54, 52, 46)
PX = 34
SKIN = load_shipped_skin("gnome-mines")


def sign(number):
    """As many strokes as the number says, in two columns: no digit of any font."""
    cell = np.full((PX - 4, PX - 4, 3), OPEN, dtype=np.uint8)
    for stroke in range(number):
        left, top = 7 + 9 * (stroke % 2), 6 + 5 * (stroke // 2)
        cv2.rectangle(cell, (left, top), (left + 6, top + 2), INK, -1)
    return cell


def painted(cells):
    """A window that shows these cells."""
    rows, cols = cells.shape
    picture = np.full((rows * PX + 80, cols * PX + 80, 3), GAP, dtype=np.uint8)
    for (row, col), code in np.ndenumerate(cells):
        tile = np.full((PX - 4, PX - 4, 3), FIELD, dtype=np.uint8) if code == CLOSED else sign(max(code, 0))
        top, left = 42 + row * PX, 42 + col * PX
        picture[top : top + PX - 4, left : left + PX - 4] = tile
    return Frame(picture)


def begun(seed, share, shape=(9, 12), n_mines=18):
    """A game with an opening and this share of its safe cells open."""
    rng = random.Random(seed)
    cells = list(np.ndindex(*shape))
    game = Game.on(Layout.of_cells(shape, rng.sample([cell for cell in cells if max(cell) > 2], n_mines)))
    game.open((0, 0))
    safe = [cell for cell in cells if not game.layout.has_mine[cell]]
    for cell in rng.sample(safe, round(share * len(safe))):
        if game.code(cell) == CLOSED:
            game.open(cell)
    return game


def test_numbers_that_no_font_draws_are_worked_out_and_none_is_wrong():
    told = []
    newcomers = UnknownAppearances(SKIN)
    for seed in range(4):
        game = begun(seed, 0.8)
        frame = painted(game.board.cells)
        (board,) = find_boards(frame, [SKIN])
        assert board.grid == Grid.of_edges([40 + PX * col for col in range(13)], [40 + PX * row for row in range(10)])
        first = read_board(frame, board.grid, newcomers.skin, 18)
        newcomers.meet(frame, first, None, ())
        reading = read_board(frame, board.grid, newcomers.skin, 18)
        shown = reading.board.cells
        assert reading.unknown == ()
        assert ((shown == game.board.cells) | ((shown == OPEN_UNKNOWN) & (game.board.cells > 0))).all()
        told += newcomers.narrow(frame, reading)
        now = read_board(frame, board.grid, newcomers.skin, 18).board.cells
        assert ((now == game.board.cells) | ((now == OPEN_UNKNOWN) & (game.board.cells > 0))).all()
    assert {f"the look that was new is a {number}" for number in range(1, 5)} <= set(told)


def test_another_sign_on_an_open_cell_is_not_learned():
    game = begun(1, 0.5)
    frame = painted(game.board.cells)
    (board,) = find_boards(frame, [SKIN])
    (row, col) = next(cell for cell in np.ndindex(9, 12) if game.code(cell) > 0)
    frame.pixels_bgr[50 + row * PX : 60 + row * PX, 50 + col * PX : 60 + col * PX] = (0, 0, 255)
    newcomers = UnknownAppearances(SKIN)
    assert newcomers.meet(frame, read_board(frame, board.grid, SKIN, 18), None, ()) == []
    assert newcomers.skin is SKIN
