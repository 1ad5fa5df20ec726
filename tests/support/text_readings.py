"""Readings of boards drawn as text: what the reader would believe of a picture of them."""

from __future__ import annotations

import numpy as np

from bot.models import Grid, Pixel, Reading
from solver import board as codes
from solver.board import parse_board


def reading_of(text, mines=None, *, state=None):
    """A reading of a board as text, in any number of dimensions; its state as the reader judges it, or as given."""
    board = parse_board(text)
    board = board if mines is None else board.with_mines(mines)
    unknown = tuple(tuple(cell) for cell in np.argwhere(board.cells == codes.UNREADABLE).tolist())
    grid = Grid(Pixel(0, 0), (16, 16), board.shape[0], board.cells.size // board.shape[0])
    return Reading("classic", grid, board, np.ones(board.shape), unknown, state or board.state)
