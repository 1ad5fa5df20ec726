"""The best guess on a board whose looks may mean several things. Pure: boards in, a cell out.

Every labelling that fits makes another board of it, with risks of its own. A labelling is as likely as it has layouts,
as every layout is: so risks are averaged, each labelling weighed by how many layouts agree with it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from bot.vision.mines import STANDARD_MINES
from solver.analysis import analyse
from solver.board import Board
from solver.errors import InconsistentError
from solver.strategy import rank_guesses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from solver.analysis import Analysis
    from solver.topology import Cell

_USUAL_DENSITY = 0.16
"""Mines a cell, where nothing tells how many there are."""
_EQUAL = 1e-9
"""Risks that differ by less are equal."""


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
        analyses = _fitting(boards, count)
        if analyses:
            return _least_risk(analyses, can_open)
    row, col = np.argwhere(can_open)[0].tolist()
    return row, col


def _fitting(boards: Sequence[NDArray[np.int16]], mines: int | None) -> list[Analysis]:
    """The boards that have a layout with so many mines, analysed."""
    found = []
    for board in boards:
        try:
            found.append(analyse(Board(board, mines)))
        except InconsistentError:
            continue
    return found


def _least_risk(analyses: Sequence[Analysis], can_open: NDArray[np.bool_]) -> Cell:
    """The cell with the least risk on average; of equal ones the one that tells most under the likeliest labelling."""
    logs = [_log(one.n_models) for one in analyses]
    weights = np.exp(np.array(logs) - max(logs))
    risks = np.stack([np.nan_to_num(one.p_mine, nan=1.0) for one in analyses])
    risk = np.where(can_open, np.tensordot(weights / weights.sum(), risks, axes=1), np.inf)
    best = analyses[int(weights.argmax())]
    equal = risk <= risk.min() + _EQUAL
    for ranked in rank_guesses(best):
        if equal[ranked.cell]:
            return ranked.cell
    row, col = np.argwhere(equal)[0].tolist()
    return row, col


def _log(n_models: int | None) -> float:
    """The logarithm of a number of layouts; one that could not be counted is taken for one."""
    return math.log(n_models) if n_models else 0.0
