"""Pictures caught in the middle of a repaint, and cells that are held down: an open 0 beside a closed cell."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from bot.vision.neighbourhood import is_near
from solver.board import CLOSED
from solver.game import GameState

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bot.models import Reading
    from solver.board import Board
    from solver.topology import Cell

Excused = AbstractSet["Cell"]
"""Closed cells that may stand beside an open 0: they had a flag."""


def is_half_painted(reading: Reading, excused: Excused = frozenset()) -> bool:
    """Whether the picture cannot be a whole one: in a running game, an open 0 touches no closed cell.

    Catches floods on their way, and cells that are held down: they look like an open 0. A flag beside a 0 proves
    nothing: floods leave a person's wrong flag standing, and where it was taken off again the cell is excused.
    """
    if reading.state is GameState.LOST:
        return False
    return bool(zeros_beside_closed(reading.board, excused).any())


def zeros_beside_closed(board: Board, excused: Excused = frozenset()) -> NDArray[np.bool_]:
    """Which open zeros have a closed neighbour without a flag: bool, of the board's shape."""
    closed = board.cells == CLOSED
    for cell in excused:
        closed[cell] = False
    touched: NDArray[np.bool_] = (board.cells == 0) & is_near(closed)
    return touched
