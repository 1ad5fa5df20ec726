"""What the end of a game tells about its layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solver import board as codes
from solver.layout import Layout

if TYPE_CHECKING:
    from solver.board import Board


def bbbv_of_end(board: Board) -> int | None:
    """The 3BV of a finished game's layout, or None when the end does not show where every mine was."""
    has_mine = np.isin(board.cells, (codes.MINE, codes.EXPLODED, codes.FLAG))
    if int(has_mine.sum()) != board.mines:
        has_mine |= board.cells == codes.CLOSED
    if int(has_mine.sum()) != board.mines:
        return None
    return Layout(has_mine, wrap=board.wrap).bbbv
