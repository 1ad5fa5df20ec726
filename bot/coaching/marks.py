"""What is marked on which cell. Pure: knowledge in, marks out; what they look like is `drawing`'s."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.vision.neighbourhood import is_near
from solver.board import CLOSED, FLAG

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.coaching.knowledge import Knowledge
    from solver.board import Board
    from solver.topology import Cell


@dataclass(frozen=True)
class Marks:
    """The marks of a board: no cell has two, but for the best move.

    Attributes:
        safe: cells proven safe, row by row.
        mines: cells proven to be mines, row by row.
        risks: for the other cells of the frontier their risk, where it is known.
        best: the cell of the best move; None where there is none.
    """

    safe: tuple[Cell, ...] = ()
    mines: tuple[Cell, ...] = ()
    risks: Mapping[Cell, float] = field(default_factory=lambda: MappingProxyType({}))
    best: Cell | None = None

    def still_true(self, board: Board) -> Marks:
        """The marks that hold for a later picture of the same game, whatever else it shows: what is proven stays so.

        Args:
            board: what can be read by now; cells that may be in the middle of a repaint are left out.
        """
        safe, mines = (
            tuple(cell for cell in cells if board[cell] in (CLOSED, FLAG)) for cells in (self.safe, self.mines)
        )
        return Marks(safe, mines)

    def as_json(self) -> dict[str, Any]:
        """For one JSON object."""
        return {
            "safe": self.safe,
            "mines": self.mines,
            "risks": [{"cell": cell, "p_mine": p_mine} for cell, p_mine in self.risks.items()],
            "best": self.best,
        }


NO_MARKS = Marks()


def mark(knowledge: Knowledge) -> Marks:
    """Mark what is proven, the risks of the frontier, and the best move."""
    analysis = knowledge.analysis
    if analysis is None:
        return NO_MARKS
    cells = knowledge.board.cells
    frontier = np.isin(cells, (CLOSED, FLAG)) & is_near(cells >= 0) & ~analysis.is_forced & ~np.isnan(analysis.p_mine)
    risks = {tuple(cell): float(analysis.p_mine[tuple(cell)]) for cell in np.argwhere(frontier).tolist()}
    best = None if knowledge.move is None else knowledge.move.cell
    return Marks(analysis.safe, analysis.mines, MappingProxyType(risks), best)
