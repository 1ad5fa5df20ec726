"""The best guess on a board whose looks may mean several things. Pure: boards in, a cell out.

Every labelling that fits makes another board of it, with risks of its own: `solver.strategy.guess_among` weighs them.
What is added here is the mine count, where nothing tells it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.vision.mines import STANDARD_MINES
from solver.board import Board
from solver.strategy import guess_among

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from solver.topology import Cell

_USUAL_DENSITY = 0.16
"""Mines a cell, where nothing tells how many there are."""


def guess(
    boards: Sequence[NDArray[np.int16]], closed: NDArray[np.bool_], proven: Sequence[Cell], mines: int | None
) -> Cell | None:
    """The closed cell with the least risk over all labellings; None where nothing is left to open.

    Args:
        boards: the codes of the board under each labelling that fits, the likeliest first: rows x cols each.
        closed: bool, rows x cols: the closed cells.
        proven: those that are mines under every labelling.
        mines: how many the board has, None where that is not known.
    """
    can_open = closed.copy()
    for cell in proven:
        can_open[cell] = False
    if not can_open.any():
        return None
    rows, cols = closed.shape
    usual = STANDARD_MINES.get((rows, cols), max(round(_USUAL_DENSITY * rows * cols), len(proven) + 1))
    for count in dict.fromkeys((mines, usual, None)):
        move = guess_among([Board(board, count) for board in boards], can_open)
        if move is not None:
            return move.cell
    row, col = np.argwhere(can_open)[0].tolist()
    return row, col
