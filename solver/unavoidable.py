"""Guesses that have to be made: a 50/50, and a part of the board that is cut off.

The numbers beside a closed cell are all that tells of it. Two cells may have the same cells beside them, apart from
proven mines. Then every number counts them alike. If exactly one of them is a mine, no number can tell which.

Two cells are linked if one is beside the other, or if one open number is beside both. A part of the board is cut off
if its cells are linked to no others, and if every layout has the same number of mines there. Then neither a number
elsewhere nor the mine count tells anything of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.analysis import analyse
from solver.board import KNOWN_MINE, OPEN_UNKNOWN, UNREADABLE, WRONG_FLAG
from solver.constraints import Total, read_problem
from solver.sat import find_model
from solver.words import counted, format_cells

if TYPE_CHECKING:
    from solver.analysis import Analysis
    from solver.topology import Cell

_MOST_CELLS = 24  # of a part that is looked at: more is hardly ever cut off, and takes a search a cell
_WHOLE = 1e-6  # how near to a whole number the expected mines of a part are whose number is always the same


class Unavoidable(NamedTuple):
    """Cells of which nothing else can tell.

    Attributes:
        cells: row by row.
        n_mines: how many of them are mines.
        is_pair: whether they are a 50/50 of two cells, of which not even each other's number tells.
    """

    cells: tuple[Cell, ...]
    n_mines: int
    is_pair: bool

    @property
    def text(self) -> str:
        """It in words."""
        cells = format_cells(self.cells)
        if self.is_pair:
            return f"A 50/50 that nothing can decide: one of {cells} is a mine."
        mines = counted(self.n_mines, "mine")
        return f"No other cell can decide it: {cells} are cut off from the rest, with {mines} among them."


def find_unavoidable(analysis: Analysis, cell: Cell) -> Unavoidable | None:
    """Find the cells that have to be guessed together with one.

    Args:
        analysis: a position in which nothing is proven safe.
        cell: a cell that is not proven either way.

    Returns:
        The 50/50 that it is one of, or the part that is cut off. None where a cell elsewhere may still tell, where all
        cells that are left are linked, and where that is not known: a number is not read, risks are estimates, or a
        cell has thousands of neighbours.

    Cost: some analyses, for cells that look like a 50/50; a search for each cell of a part that looks cut off.
    """
    board = analysis.board
    is_read = not np.isin(board.cells, (OPEN_UNKNOWN, UNREADABLE, WRONG_FLAG)).any()
    is_exact = not analysis.is_estimate.any() and not np.isnan(analysis.p_mine[cell])
    if analysis.safe or board.cut or board.topology.is_large or not (is_read and is_exact):
        return None
    return _find_pair(analysis, cell) or _find_part(analysis, board.topology.index(cell))


def _find_pair(analysis: Analysis, cell: Cell) -> Unavoidable | None:
    """The 50/50 of which a cell is one half."""
    board, near_of = analysis.board, analysis.board.topology.near_of
    risks, index = analysis.p_mine.ravel(), board.topology.index(cell)
    if abs(risks[index] - 0.5) > _WHOLE:
        return None
    is_told = ~(risks == 1.0)
    for other in sorted({far for near in near_of(index) for far in near_of(near)} - {index}):
        sees = [{near for near in near_of(one) if is_told[near]} - {index, other} for one in (index, other)]
        if sees[0] == sees[1] and abs(risks[other] - 0.5) < _WHOLE:
            place = board.topology.cell(other)
            if analyse(board.with_cells(cell, KNOWN_MINE)).p_mine[place] == 0.0:
                return Unavoidable((min(cell, place), max(cell, place)), 1, is_pair=True)
    return None


def _find_part(analysis: Analysis, index: int) -> Unavoidable | None:
    """The cells that are linked to one, where they are cut off from others and always have as many mines."""
    board, near_of = analysis.board, analysis.board.topology.near_of
    risks, is_open = analysis.p_mine.ravel(), board.cells.ravel() >= 0
    is_left = ~is_open & (risks < 1.0)
    part, todo = {index}, [index]
    while todo and len(part) <= _MOST_CELLS:
        near = near_of(todo.pop())
        linked = {*near, *(far for one in near if is_open[one] for far in near_of(one))}
        new = {one for one in linked if is_left[one]} - part
        part |= new
        todo += new
    cells = tuple(sorted(part))
    expected = float(risks[list(cells)].sum())
    n_mines = round(expected)
    if len(cells) in (1, int(is_left.sum())) or len(cells) > _MOST_CELLS or abs(expected - n_mines) > _WHOLE:
        return None
    constraints = [one for one in read_problem(board).constraints if not part.isdisjoint(one.cells)]
    others = (n for n in range(len(cells) + 1) if n != n_mines)
    if any(find_model(constraints, {}, Total(cells, n)) is not None for n in others):
        return None
    return Unavoidable(tuple(map(board.topology.cell, cells)), n_mines, is_pair=False)
