"""How likely layouts are before anything is seen of them: by the clone's rule for the first click.

Where a mine that is hit first moves to the first free cell, row by row from the top left, a layout comes about in 1 + k
ways: as it is, or by a move of any of the k mines that stand without a gap from the top left on, the cell that was
opened first left out. By every other rule each layout that keeps the promise comes about in one way.

So what is known is a mixture. A layout counts once among all layouts, once more among those with a mine on the first
cell, once more among those with mines on the first two, and so on. Each of these is a board of its own, on which the
layouts are equally likely. A free cell in sight ends the run, and with it the mixture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.board import KNOWN_MINE, Board
from solver.constraints import MINE_CODES, UNKNOWN_CODES
from solver.errors import BoardValueError
from solver.layout import FirstClick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.topology import Cell


@dataclass(frozen=True, slots=True)
class Prior:
    """How likely layouts are before anything is seen of them.

    Attributes:
        rule: the clone's rule for the first click.
        start: the cell that was opened first.
    """

    rule: FirstClick
    start: Cell

    def is_even(self, board: Board) -> bool:
        """Whether all layouts that agree with a board are equally likely.

        Raises:
            BoardValueError: they are not, and their number of mines or their top left is not known; or the board has
                no such first cell.
        """
        board.topology.check_cell(self.start)
        if self.rule is not FirstClick.MOVED:
            return True
        first = next(self._run(board), None)
        if first is None or board.cells.ravel()[first] not in (*MINE_CODES, *UNKNOWN_CODES):
            return True
        if board.mines is None or board.cut:
            raise BoardValueError(f"expected a whole board with a mine count for the rule {self.rule.value}")
        return False

    def iter_boards(self, board: Board) -> Iterator[Board]:
        """Generate the boards of the mixture: the board itself, then with mines on the first 1, 2, 3, ... cells.

        Once a board has no layout, neither have those after it.
        """
        yield board
        if self.is_even(board):
            return
        cells = board.cells.copy()
        codes = cells.ravel()
        for index in self._run(board):
            if codes[index] in UNKNOWN_CODES:
                codes[index] = KNOWN_MINE
            elif codes[index] not in MINE_CODES:
                return
            yield Board(cells, board.mines, board.wrap)

    def _run(self, board: Board) -> Iterator[int]:
        """The cells in the order in which the first free one is looked for."""
        start = board.topology.index(self.start)
        return (index for index in range(board.cells.size) if index != start)
