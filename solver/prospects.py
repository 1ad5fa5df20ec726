"""What a cell would show if it were opened: the exact chance of every number.

The chance of number k is a ratio of two totals: the layouts that agree with the board and with a k on that cell, and
all layouts that agree with the board. One count a number, by the kernel where it can, else by its exact twin.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from solver import kernel
from solver.board import Board
from solver.constraints import UNKNOWN_CODES
from solver.errors import BoardValueError, InconsistentError
from solver.exact import analyse_exactly
from solver.kernel import NO_MODEL
from solver.words import name_cell, name_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from solver.topology import Cell


def chances_of_number(board: Board | NDArray[Any], cell: Cell, mines: int | None = None) -> NDArray[np.float64]:
    """How likely a cell is to open as each number.

    Args:
        board: a board, or an array of the codes of `solver.board`.
        cell: a cell that is not open.
        mines: the total number of mines; replaces the board's own. One of the two must say it.

    Returns:
        float64: at place k the chance that the cell is no mine and shows k, for every k up to the number of its
        neighbours; the sum is 1 less the risk of the cell. Exactly 0 only for what cannot be. All NaN when a cluster is
        too wide to be counted.

    Raises:
        BoardValueError: no board, no such cell, an open one, or no mine count.
        InconsistentError: no layout agrees with the position.
    """
    board = Board.of(board, mines)
    if not board.topology.has_cell(cell) or board[cell] not in UNKNOWN_CODES:
        raise BoardValueError(f"expected a closed cell of the {name_shape(board.shape)} board, got {name_cell(cell)}")
    if board.mines is None:
        raise BoardValueError("expected a mine count: without it the chance of a number is not known")
    total = _count(board)
    if total == 0:
        raise InconsistentError("no layout agrees with the position", None)
    n_near = len(board.topology.neighbours(cell))
    counts = [_count(_opened(board, cell, number)) for number in range(n_near + 1)]
    if total is None or None in counts:
        return np.full(n_near + 1, np.nan)
    return np.array([_ratio(count, total) for count in counts if count is not None])


def _opened(board: Board, cell: Cell, number: int) -> Board:
    cells = board.cells.copy()
    cells[cell] = number
    return Board(cells, board.mines, board.wrap)


def _count(board: Board) -> Fraction | None:
    """The number of layouts, up to the kernel's rounding; None when a cluster is too wide."""
    if kernel.load():
        weighed = kernel.count_models(board)
        if weighed == NO_MODEL:
            return Fraction(0)
        if not isinstance(weighed, int):
            return Fraction(weighed.fraction) * Fraction(2) ** weighed.power * comb(weighed.n_free, weighed.n_mines)
    try:
        exact = analyse_exactly(board)
    except InconsistentError:
        return Fraction(0)
    return None if exact is None else Fraction(exact.n_models)


def _ratio(count: Fraction, total: Fraction) -> float:
    ratio = float(count / total)
    return ratio if ratio or not count else float(np.nextafter(0.0, 1.0))
