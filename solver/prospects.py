"""What a cell would show if it were opened: the exact chance of every number.

The chance of number k is a ratio of two totals: the layouts that agree with the board and with a k on that cell, and
all layouts that agree with the board, each as often as it comes about. One count a number, by the kernel where it can,
else by its exact twin.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from solver.analysis import count_layouts
from solver.board import Board
from solver.constraints import UNKNOWN_CODES
from solver.errors import BoardValueError, InconsistentError
from solver.words import name_cell, name_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from solver.prior import Prior
    from solver.topology import Cell


_NEGLIGIBLE = Fraction(1, 10**16)  # share of all ways that changes nothing


def chances_of_number(
    board: Board | NDArray[Any], cell: Cell, mines: int | None = None, prior: Prior | None = None
) -> NDArray[np.float64]:
    """How likely a cell is to open as each number.

    Args:
        board: a board, or an array of the codes of `solver.board`.
        cell: a cell that is not open.
        mines: the total number of mines; replaces the board's own. One of the two must say it.
        prior: as `solver.analysis.analyse`.

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
    total = _count(board, prior)
    if total == 0:
        raise InconsistentError("no layout agrees with the position", None)
    n_near = len(board.topology.neighbours(cell))
    counts = [_count(board.with_cells(cell, number), prior) for number in range(n_near + 1)]
    if total is None or None in counts:
        return np.full(n_near + 1, np.nan)
    return np.array([_ratio(count, total) for count in counts if count is not None])


def _count(board: Board, prior: Prior | None) -> Fraction | None:
    """In how many ways the layouts of a board come about; None when a cluster is too wide."""
    n_ways = Fraction(0)
    for each in (board,) if prior is None else prior.iter_boards(board):
        counted = count_layouts(each)
        if counted is None:
            return None
        n_ways += counted[0]
        if counted[0] <= n_ways * _NEGLIGIBLE:
            break
    return n_ways


def _ratio(count: Fraction, total: Fraction) -> float:
    ratio = float(count / total)
    return ratio if ratio or not count else float(np.nextafter(0.0, 1.0))
