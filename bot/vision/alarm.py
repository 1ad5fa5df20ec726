"""The position's own logic as an alarm: numbers that contradict each other were misread, or caught half painted.

A single misread number makes most positions contradictory; who reads can look again before anything is clicked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bot.vision.half_painted import n_near
from solver import board as codes
from solver.analysis import analyse
from solver.errors import InconsistentError
from solver.game import GameState

if TYPE_CHECKING:
    from bot.models import Reading
    from solver.board import Board
    from solver.topology import Cell


def find_contradiction(reading: Reading) -> Cell | None:
    """A cell whose number cannot be right together with the others; None where all agree.

    Costs as much as the analysis of the position. Unreadable cells may be anything. A lost game shows wrong flags and
    mines; there only each number by itself is looked at.
    """
    cell = find_impossible(reading.board)
    if cell is not None or reading.state is GameState.LOST:
        return cell
    cells = reading.board.cells.copy()
    cells[cells == codes.UNREADABLE] = codes.CLOSED
    # A cell that cannot be read may be open: then it holds no mine, and the count is no help.
    board = replace(reading.board, cells=cells, mines=None if reading.unknown else reading.board.mines)
    try:
        analyse(board)
    except InconsistentError as error:
        return error.clue or (0,) * board.cells.ndim
    return None


def find_impossible(board: Board) -> Cell | None:
    """The first number with fewer places for mines around it than it says, or more mines shown than it says."""
    cells = board.widened.cells
    # A number's own cell counts for neither: it is open.
    places, shown = n_near(cells < 0), n_near(np.isin(cells, (codes.MINE, codes.EXPLODED)))
    wrong = np.argwhere((cells >= 0) & ((cells > places) | (cells < shown)))
    return board.cell_of(board.widened.topology.index(tuple(wrong[0].tolist()))) if wrong.size else None
