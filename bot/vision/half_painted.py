"""Pictures caught in the middle of a repaint, and cells that are held down: an open 0 beside a closed cell.

Closed cells that are held down look like open zeros: on a single picture, those that cannot be zeros are not known.

Who plays looks again instead (`bot.playing.board_view`).
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from skins import skin as states
from solver.board import CLOSED, UNREADABLE, GameState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Reading
    from solver.board import Board
    from solver.topology import Cell


def is_near(marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which cells are marked or have a marked neighbour: bool, of the same shape."""
    near: NDArray[np.bool_] = n_near(marked) > 0
    return near


def n_near(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many cells are marked among each cell and its neighbours: int64, of the same shape."""
    total = marked.astype(np.int64)
    for axis in range(total.ndim):
        lines = np.moveaxis(total, axis, 0)
        summed = lines.copy()
        summed[1:] += lines[:-1]
        summed[:-1] += lines[1:]
        total = np.moveaxis(summed, 0, axis)
    return total


def joined(marked: NDArray[np.bool_], seeds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The marked cells that neighbours lead to from the seeds, themselves marked, through marked cells alone."""
    reached = seeds & marked
    while True:
        wider = is_near(reached) & marked
        if np.array_equal(wider, reached):
            return reached
        reached = wider


IgnoredFlags = AbstractSet["Cell"]
"""Closed cells that may stand beside an open 0: they had a flag."""


def is_half_painted(reading: Reading, ignored_flags: IgnoredFlags = frozenset()) -> bool:
    """Whether the picture cannot be a whole one: in a running game, an open 0 touches no closed cell.

    Catches floods on their way, and cells that are held down: they look like an open 0. A flag beside a 0 proves
    nothing: floods leave a person's wrong flag standing, and a cell where it was taken off again is an ignored flag.
    """
    if reading.state is GameState.LOST:
        return False
    return bool(zeros_beside_closed(reading.board, ignored_flags).any())


def zeros_beside_closed(board: Board, ignored_flags: IgnoredFlags = frozenset()) -> NDArray[np.bool_]:
    """Which open zeros have a closed neighbour without a flag: bool, of the board's shape."""
    closed = board.cells == CLOSED
    for cell in ignored_flags:
        closed[cell] = False
    touched: NDArray[np.bool_] = (board.cells == 0) & is_near(closed)
    return touched


_MEANINGS = frozenset({"0", states.CLOSED})


def doubt_pressed(reading: Reading) -> Reading:
    """The reading, but zeros beside closed cells, and those that touch them, unreadable: an open 0 opens all around it.

    Where a game is lost nothing is held down any more.
    """
    if reading.state is GameState.LOST:
        return reading
    pressed = joined(reading.board.cells == 0, zeros_beside_closed(reading.board))
    if not pressed.any():
        return reading
    cells, scores = reading.board.cells.copy(), reading.scores.copy()
    cells[pressed], scores[pressed] = UNREADABLE, 0.0
    board = replace(reading.board, cells=cells)
    unknown = tuple(tuple(cell) for cell in np.argwhere(cells == UNREADABLE).tolist())
    alternatives = dict(reading.alternatives)
    alternatives.update((tuple(cell), _MEANINGS) for cell in np.argwhere(pressed).tolist())
    return replace(
        reading,
        board=board,
        scores=scores,
        unknown=unknown,
        state=board.state,
        alternatives=alternatives,
    )
