"""What a test does with a fake desktop by hand."""

from __future__ import annotations

import numpy as np

from bot.models import Button, Click
from bot.vision.reading import read_board
from solver.layout import Layout

CORNER = Layout.of_cells((9, 9), [(8, 7), (7, 7), (7, 8)])
"""One click on (0, 0) opens all but (8, 8)."""


def middle(desktop, cell):
    return desktop.grid.cell_region(cell).middle


def click(desktop, cell, button=Button.LEFT):
    """Click a cell where it lies now; returns the truth of it."""
    desktop.click(Click(middle(desktop, cell), button))
    return desktop.clicks[-1]


def cells_seen(desktop):
    """The codes of the cells, read from the screen."""
    return read_board(desktop.grab(), desktop.grid, desktop.skin).board.cells


def shows_truth(desktop):
    return np.array_equal(cells_seen(desktop), desktop.game.board.cells)
