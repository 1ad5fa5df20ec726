"""Candidates that `strong` leaves out: cells close to the numbers.

`strong` looks at the 16 safest cells. In the hunt for an opening hundreds are equally safe, far away from all numbers,
and of those it takes the corners, then edges. But an uncharted cell beside the frontier tells something of the frontier
as well, and now and then that makes it the best guess (`solver/strategy/LOG.md`).
"""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from solver.analysis import analyse
from solver.board import Board
from solver.prospects import chances_of_number
from solver.strategy.rating import RatedGuess

if TYPE_CHECKING:
    from collections.abc import Collection

    from solver.analysis import Analysis
    from solver.topology import Cell

SHARE = 0.85
"""Of the safest cell's chance to be safe; what is less safe is no candidate, as in `solver.kernel.lookahead`."""


def rate_linked(analysis: Analysis, left_out: Collection[Cell], most_s: float = inf) -> list[RatedGuess]:
    """Rate the cells on the frontier and those beside it by their survival over two clicks.

    Args:
        analysis: a position with a mine count, in which nothing is proven safe and all risks are exact.
        left_out: cells that are not wanted.
        most_s: in seconds, how long it may take: then the cells that are not yet rated are left out too, those of more
            risk. On an Expert board 0.06 s on average and 0.15 at most; on one of 10x10x10 it can take ten.

    Returns:
        The best first.
    """
    board = analysis.board
    topology, codes, p_mine = board.topology, board.cells.ravel(), analysis.p_mine.ravel()
    is_closed = ~analysis.is_forced.ravel() & ~np.isnan(p_mine)
    frontier = {near for cell in np.flatnonzero(codes >= 0) for near in topology.neighbour_indices[cell]}
    linked = frontier | {near for cell in frontier if is_closed[cell] for near in topology.neighbour_indices[cell]}
    most_risk = 1.0 - SHARE * (1.0 - float(p_mine[is_closed].min()))
    wanted = [index for index in linked if is_closed[index] and p_mine[index] <= most_risk]
    end_s = time.monotonic() + most_s
    rated = []
    for index in sorted(wanted, key=lambda index: (p_mine[index], index)):
        cell = topology.cell(index)
        if cell not in left_out:
            rated.append((survival_over_two(board, cell), cell, float(p_mine[index])))
        if time.monotonic() >= end_s:
            break
    rated.sort(reverse=True)
    return [RatedGuess(cell, risk, survival) for survival, cell, risk in rated]


def survival_over_two(board: Board, cell: Cell) -> float:
    """The chance to survive opening a cell and the safest one after it; arguments and errors as `chances_of_number`."""
    survival = 0.0
    chances = chances_of_number(board, cell)
    for number in np.flatnonzero(chances):
        cells = board.cells.copy()
        cells[cell] = number
        after = analyse(Board(cells, board.mines, board.wrap))
        risks = after.p_mine[(after.board.cells < 0) & (after.p_mine < 1.0)]  # none when all that is left is mines
        survival += float(chances[number]) * (1.0 - (float(risks.min()) if risks.size else 0.0))
    return survival
