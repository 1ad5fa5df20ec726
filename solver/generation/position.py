"""A game on a layout that may change under it: how far proofs of a level go, and mines that move.

The truth and what is open of it. Everything is proven anew from the open numbers alone, so a mine may move at any time:
the numbers that are open then change with it, and what is open stays open. A board is finished only when it was played
from its first cell to its end without such a change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solver import kernel
from solver.analysis import analyse
from solver.board import CLOSED, Board
from solver.layout import Layout
from solver.rules import LEVELS, deduce

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from solver.rules import Level
    from solver.topology import Cell


class Position:
    """A layout and what a player has opened of it. All arrays are flat, row by row.

    Attributes:
        topology: the shape, and who neighbours whom.
        n_mines: how many mines; a move changes only where they are.
        has_mine: bool.
        numbers: int16: the mines beside every cell, of mines too.
        codes: int16: what the player sees, codes of `solver.board`.
    """

    def __init__(self, layout: Layout) -> None:
        self.topology = layout.topology
        self.n_mines = layout.n_mines
        self.has_mine = layout.has_mine.ravel().copy()
        self.numbers = layout.numbers.ravel().copy()
        self.codes = np.full(self.has_mine.size, CLOSED, dtype=np.int16)

    @property
    def layout(self) -> Layout:
        """Where the mines are now."""
        return Layout(self.has_mine.reshape(self.topology.shape), self.topology.wrap)

    @property
    def board(self) -> Board:
        """What the player sees."""
        return Board(self.codes.reshape(self.topology.shape), self.n_mines, self.topology.wrap)

    @property
    def n_closed(self) -> int:
        """How many cells are closed."""
        return int((self.codes == CLOSED).sum())

    @property
    def is_solved(self) -> bool:
        """Whether every safe cell is open."""
        return self.n_closed == self.n_mines

    def begin(self, first: int) -> None:
        """Close every cell, and open the first, which has no mine."""
        self.codes.fill(CLOSED)
        self.open([first])

    def open(self, cells: Iterable[int]) -> None:
        """Open cells that have no mine, and what their zeros open."""
        near_of, waiting = self.topology.near_of, list(cells)
        while waiting:
            cell = waiting.pop()
            if self.codes[cell] != CLOSED:
                continue
            self.codes[cell] = self.numbers[cell]
            if self.numbers[cell] == 0:
                waiting.extend(near_of(cell))

    def move_mines(self, sources: Sequence[int], targets: Sequence[int]) -> None:
        """Move as many mines from cells that have one to cells that have none; open targets are closed again."""
        for cells, change in ((sources, -1), (targets, 1)):
            for cell in cells:
                self.has_mine[cell] = change > 0
                self.numbers[list(self.topology.near_of(cell))] += change
        self.codes[list(targets)] = CLOSED
        is_open = self.codes != CLOSED
        self.codes[is_open] = self.numbers[is_open]

    def play_on(self, level: Level) -> NDArray[np.bool_]:
        """Open what a level proves until it proves no cell safe any more.

        Returns:
            Which closed cells it proves mines, there; nothing is said of a solved board.
        """
        is_fast = kernel.load()
        while True:
            if is_fast:
                self._prove_fast(is_counting=level == "full")
            safe, mines = ((), ()) if self.is_solved else self._deduce(level, is_fast=is_fast)
            if not safe:
                proven = np.zeros(self.codes.size, dtype=np.bool_)
                proven[[self.topology.index(cell) for cell in mines]] = True
                return proven
            self.open(map(self.topology.index, safe))

    def _prove_fast(self, *, is_counting: bool) -> None:
        truth = np.where(self.has_mine, np.int16(-1), self.numbers)
        kernel.prove(truth, self.codes, self.topology, self.n_mines, is_counting=is_counting)

    def _deduce(self, level: Level, *, is_fast: bool) -> tuple[Sequence[Cell], Sequence[Cell]]:
        """What a level proves of the position: safe cells, and mines."""
        if level != "full":
            deduction = deduce(self.board.with_mines(None), level)
            if not deduction.safe:  # near the end rules take a hundred times as long about the mine count
                deduction = deduce(self.board, level)
            return deduction.safe, deduction.mines
        if not is_fast:
            analysis = analyse(self.board)
            return analysis.safe, analysis.mines
        found = kernel.analyse(self.board)
        if isinstance(found, int):  # too wide to be counted: then it is taken for one where nothing is proven
            return (), ()
        return (), [self.topology.cell(index) for index in np.flatnonzero(found.proof > 0).tolist()]


def is_solved_by(layout: Layout, first_cell: Cell, level: Level) -> bool:
    """Whether a level's proofs alone open every safe cell from a first cell, which has no mine."""
    position = Position(layout)
    position.begin(layout.topology.index(first_cell))
    position.play_on(level)
    return position.is_solved


def level_of(layout: Layout, first_cell: Cell) -> Level | None:
    """The weakest level whose proofs alone solve a layout from a first cell, which has no mine; None: it takes a guess.

    Some 0.1 s for an expert board.
    """
    return next((level for level in LEVELS if is_solved_by(layout, first_cell, level)), None)
