"""The game that is played on a `Layout`: `Game`.

It opens, floods, flags and chords as desktop clones do, in any number of dimensions and on rings, and shows the player
a `solver.board.Board`. Knows nothing of screens, clocks or strategy.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from solver.board import CLOSED, EXPLODED, FLAG, MINE, WRONG_FLAG, Board, GameState
from solver.errors import BoardValueError
from solver.layout import FirstClick, Layout
from solver.topology import Topology
from solver.words import name_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from solver.topology import Cell


@dataclass(frozen=True, eq=False)
class SavedGame:
    """How a game stood: what `Game.save` keeps and `Game.restore` takes.

    Attributes:
        board: what the player saw.
        state: whether it was fresh, going on or over.
        layout: where the mines were; None while that was not decided yet.
        n_opened: how many cells were open.
    """

    board: Board
    state: GameState
    layout: Layout | None
    n_opened: int


class Game:
    """One game, from fresh to won or lost.

    What a clone would ignore has no effect here either: opening a cell with a flag, chording where flags and number
    differ, anything once the game is over. Every action returns the cells it opened.

    Args:
        shape: cells along each axis.
        mines: how many mines.
        seed: equal seeds and equal first cells give equal layouts; None draws one from the system.
        first_click: what is promised about the first cell opened; the layout is drawn only then.
        wrap: whether every axis is a ring.

    Raises:
        BoardValueError: no such shape, or more mines than the promise leaves room for wherever the first cell is.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        mines: int,
        *,
        seed: int | str | None = None,
        first_click: FirstClick = FirstClick.SAFE,
        wrap: bool = False,
    ) -> None:
        self.topology = Topology(shape, wrap=wrap)
        self.mines = mines
        self.first_click = first_click
        self._seed = seed
        self._layout: Layout | None = None
        self._state = GameState.FRESH
        self._codes = np.full(self.topology.n_cells, CLOSED, dtype=np.int16)
        self._n_opened = 0
        most = first_click.most_mines(self.topology)
        if not 0 <= mines <= most:
            raise BoardValueError(
                f"expected 0 to {most} mines for {name_shape(shape)} (first click: {first_click.value}), got {mines}"
            )

    @classmethod
    def on(cls, layout: Layout) -> Game:
        """Start a game on a given layout; nothing is promised about the first click."""
        game = cls(layout.shape, layout.n_mines, first_click=FirstClick.ANY, wrap=layout.wrap)
        game._layout = layout
        return game

    @property
    def state(self) -> GameState:
        """How the game stands."""
        return self._state

    @property
    def is_over(self) -> bool:
        """Whether it is won or lost."""
        return self._state in (GameState.WON, GameState.LOST)

    @property
    def layout(self) -> Layout | None:
        """Where the mines are; None while that is not decided yet."""
        return self._layout

    @property
    def n_flags(self) -> int:
        """How many flags stand on the board (on a won board: as many as mines)."""
        return int(((self._codes == FLAG) | (self._codes == WRONG_FLAG)).sum())

    @property
    def board(self) -> Board:
        """What the player sees now. Lost: mines, the exploded ones and wrong flags shown; won: every mine flagged."""
        return Board(self._codes.reshape(self.topology.shape), self.mines, self.topology.wrap)

    def code(self, cell: Cell) -> int:
        """What the player sees of one cell: a code of `solver.board`.

        Raises:
            BoardValueError: off the grid.
        """
        return int(self._codes[self._index(cell)])

    def open(self, cell: Cell) -> tuple[Cell, ...]:
        """Open a closed cell without a flag; a 0 opens its neighbours too.

        Raises:
            BoardValueError: off the grid.
        """
        index = self._index(cell)
        if self.is_over or self._codes[index] != CLOSED:
            return ()
        if self._layout is None:
            self._layout = Layout.random(
                self.topology.shape,
                self.mines,
                random.Random(self._seed),
                first_cell=cell,
                first_click=self.first_click,
                wrap=self.topology.wrap,
            )
        return self._open_all([index], self._layout)

    def toggle_flag(self, cell: Cell) -> None:
        """Put a flag on a closed cell, or take it away.

        Raises:
            BoardValueError: off the grid.
        """
        index = self._index(cell)
        if not self.is_over and self._codes[index] in (CLOSED, FLAG):
            self._codes[index] = FLAG if self._codes[index] == CLOSED else CLOSED

    def chord(self, cell: Cell) -> tuple[Cell, ...]:
        """Open the neighbours of an open number that has as many flags beside it; a wrong flag costs the game.

        A 0 is such a number: beside it only cells are closed that had a flag when it was opened.

        Raises:
            BoardValueError: off the grid.
        """
        index = self._index(cell)
        if self.is_over or self._layout is None or self._codes[index] < 0:
            return ()
        near = self.topology.near_of(index)
        n_flags = sum(1 for i in near if self._codes[i] == FLAG)
        if n_flags != self._codes[index]:
            return ()
        return self._open_all([i for i in near if self._codes[i] == CLOSED], self._layout)

    def save(self) -> SavedGame:
        """Keep how the game stands."""
        return SavedGame(self.board, self._state, self._layout, self._n_opened)

    def restore(self, saved: SavedGame) -> None:
        """Go back to how this game, or one on the same grid, stood."""
        self._codes = saved.board.cells.ravel().copy()
        self._state, self._layout, self._n_opened = saved.state, saved.layout, saved.n_opened

    def _index(self, cell: Cell) -> int:
        self.topology.check_cell(cell)
        return self.topology.index(cell)

    def _open_all(self, indices: list[int], layout: Layout) -> tuple[Cell, ...]:
        self._state = GameState.PLAYING
        has_mine = layout.has_mine.ravel()
        exploded = [index for index in indices if has_mine[index]]
        opened: set[int] = set(exploded)
        for index in indices:
            if not has_mine[index] and self._codes[index] == CLOSED:
                flooded = layout.opened_by(index, self._codes == CLOSED)
                where = list(flooded)
                self._codes[where] = layout.numbers.ravel()[where]
                self._n_opened += len(flooded)
                opened |= flooded
        if exploded:
            self._lose(exploded, has_mine)
        elif self._n_opened == has_mine.size - layout.n_mines:
            self._state = GameState.WON
            self._codes[has_mine] = FLAG
        return tuple(self.topology.cell(index) for index in sorted(opened))

    def _lose(self, exploded: list[int], has_mine: NDArray[np.bool_]) -> None:
        self._state = GameState.LOST
        self._codes[(self._codes == FLAG) & ~has_mine] = WRONG_FLAG
        self._codes[(self._codes == CLOSED) & has_mine] = MINE
        self._codes[exploded] = EXPLODED
