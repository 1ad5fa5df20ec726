"""The best guess where a position is one of several: a number is seen, and cannot be read.

Every layout is equally likely, and so a position is as likely as it has layouts: risks are averaged over the positions,
each weighed by its layouts. Nothing is proven that way: all of it holds only if one of the positions is the true one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from solver.analysis import analyse
from solver.board import closed_mask
from solver.errors import InconsistentError
from solver.moves import Action, Move
from solver.strategy.least_risk import rank_guesses
from solver.strategy.strong import choose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from solver.analysis import Analysis
    from solver.board import Board

_EQUAL = 1e-9
"""Risks that differ by less are equal."""
_LEAST_RISK = math.ulp(0.0)
"""The risk of a cell that is safe on all the positions: not 0, which says that it is proven."""


def guess_among(boards: Sequence[Board], may_open: NDArray[np.bool_] | None = None) -> Move | None:
    """Choose the guess with the least risk over all positions that have a layout.

    Args:
        boards: the positions, alike but for their numbers.
        may_open: which cells may be opened, bool of the boards' shape; None for every closed one.

    Returns:
        Opening that cell, with its mean risk. Of equal ones it is the one that tells most on the likeliest position.
        Where only one position has a layout, and leaves nothing but guesses, it is the guess of
        `solver.strategy.choose`. None when no position has a layout, or no cell may be opened.

    Cost: one analysis a position.
    """
    analyses = [analysis for board in boards if (analysis := _analysed(board)) is not None]
    if not analyses:
        return None
    can_open = closed_mask(boards[0].cells) if may_open is None else may_open
    if len(analyses) == 1 and not analyses[0].safe and may_open is None:
        return choose(analyses[0])
    weights = _weights(analyses)
    risks = np.stack([np.nan_to_num(analysis.p_mine, nan=1.0) for analysis in analyses])
    risk = np.where(can_open, np.tensordot(weights, risks, axes=1), np.inf)
    least = float(risk.min())
    if least >= 1.0:
        return None
    is_equal = risk <= least + _EQUAL
    ranked = rank_guesses(analyses[int(weights.argmax())])
    cell = next((guess.cell for guess in ranked if is_equal[guess.cell]), None)
    if cell is None:
        cell = boards[0].topology.cell(int(is_equal.ravel().argmax()))
    why = f"the least risk of all, over {len(analyses)} readings of numbers that are not known yet: {least:.1%}"
    return Move(Action.OPEN, cell, max(least, _LEAST_RISK), why)


def _analysed(board: Board) -> Analysis | None:
    """The analysis of a position; None where it has no layout."""
    try:
        return analyse(board)
    except InconsistentError:
        return None


def _weights(analyses: Sequence[Analysis]) -> NDArray[np.float64]:
    """How likely each position is; where the layouts of one cannot be counted, all are equally likely."""
    counts = [analysis.n_models for analysis in analyses]
    if any(count is None for count in counts):
        return np.full(len(counts), 1.0 / len(counts))
    logs = np.array([math.log(count) for count in counts if count is not None])
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)
