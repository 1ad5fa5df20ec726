"""The keyboard's cursor: which cell it is on, and where an arrow takes it. Knows no window system."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.models import Grid
    from solver.topology import Cell

ARROWS = {"Up": (-1, 0), "Down": (1, 0), "Left": (0, -1), "Right": (0, 1)}
"""(rows, columns) that each arrow goes, by its name in Tk."""


def middle_cell(grid: Grid) -> Cell:
    """Where a cursor begins."""
    return grid.cell_of(grid.rows // 2 * grid.cols + grid.cols // 2)


def moved(grid: Grid, cell: Cell, arrow: str) -> Cell:
    """The next cell on the screen in an arrow's direction, from block to block too; at the board's edge the same."""
    row, col = cell if grid.blocks is None else grid.blocks.place_of(cell)
    down, right = ARROWS[arrow]
    row, col = min(max(row + down, 0), grid.rows - 1), min(max(col + right, 0), grid.cols - 1)
    return grid.cell_of(row * grid.cols + col)
