"""Where the mines are, and the game played on them: `Layout` and `Game`.

The only module of the solver that knows the truth. It opens, floods, flags and chords as desktop clones do, in any
number of dimensions and on rings, and shows the player a `solver.board.Board`. Knows nothing of screens, clocks or
strategy.

References for the words: opening, island and 3BV are the speed-running community's
(https://minesweepergame.com/wiki.php: "3BV": the fewest left clicks that clear a board without flags).
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.board import CLOSED, EXPLODED, FLAG, MINE, WRONG_FLAG, Board
from solver.errors import BoardValueError
from solver.topology import Cell, Topology, box_sum

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


class Level(NamedTuple):
    """The size of a two-dimensional board and its mine count."""

    rows: int
    cols: int
    mines: int


LEVELS = {
    "beginner": Level(9, 9, 10),
    "intermediate": Level(16, 16, 40),
    "expert": Level(16, 30, 99),
}
"""The classic difficulties."""


class FirstClick(Enum):
    """What a game promises about the first cell that is opened."""

    ANY = "any"
    """Nothing: it may be a mine."""
    SAFE = "safe"
    """It is no mine."""
    ZERO = "zero"
    """It is no mine, and none of its neighbours is: it starts an opening."""


class GameState(Enum):
    """How a game stands."""

    FRESH = "fresh"
    """No cell has been opened yet (there may be flags)."""
    PLAYING = "playing"
    WON = "won"
    LOST = "lost"


@lru_cache(maxsize=16)
def _topology(shape: tuple[int, ...], *, wrap: bool) -> Topology:
    """One shared topology a shape: its neighbour table is built once, not once a game."""
    return Topology(shape, wrap=wrap)


@dataclass(frozen=True, eq=False)
class Layout:
    """Where the mines are. Immutable; equal when shape, mines and wrap are.

    Attributes:
        has_mine: bool array, one axis a dimension (rows first). It is copied and made read-only.
        wrap: whether every axis is a ring.

    Raises:
        BoardValueError: not an array of bool, or no cell.
    """

    has_mine: NDArray[np.bool_]
    wrap: bool = False

    def __post_init__(self) -> None:
        given = np.asarray(self.has_mine)
        if given.dtype.kind != "b" or given.ndim == 0 or given.size == 0:
            raise BoardValueError(
                f"expected a bool array of at least one cell, got dtype {given.dtype}, shape {given.shape}"
            )
        checked = given.copy()
        checked.setflags(write=False)
        object.__setattr__(self, "has_mine", checked)

    @classmethod
    def of_cells(cls, shape: tuple[int, ...], mine_cells: Iterable[Cell], *, wrap: bool = False) -> Layout:
        """Make the layout with mines on exactly these cells.

        Raises:
            BoardValueError: no such shape, or a cell off the grid.
        """
        topology = _topology(shape, wrap=wrap)
        has_mine = np.zeros(shape, dtype=np.bool_)
        for cell in mine_cells:
            _check_on_grid(topology, cell)
            has_mine[cell] = True
        return cls(has_mine, wrap)

    @classmethod
    def random(
        cls,
        shape: tuple[int, ...],
        mines: int,
        rng: random.Random,
        *,
        first_cell: Cell | None = None,
        first_click: FirstClick = FirstClick.SAFE,
        wrap: bool = False,
    ) -> Layout:
        """Draw a layout, uniformly among those that keep the promise about `first_cell` (None: all of them).

        The cells are put in random order, and the first of them that may hold a mine do. So with equal seeds
        two first cells give the same layout, but for the mines that had to move away.

        Raises:
            BoardValueError: no such shape, a cell off the grid, or more mines than cells that may hold one.
        """
        topology = _topology(shape, wrap=wrap)
        kept_free = cells_kept_free(topology, first_cell, first_click)
        order = list(range(topology.n_cells))
        rng.shuffle(order)
        allowed = [index for index in order if index not in kept_free]
        if not 0 <= mines <= len(allowed):
            raise BoardValueError(
                f"expected 0 to {len(allowed)} mines on {topology.n_cells} cells of shape {shape} "
                f"(first click: {first_click.value}), got {mines}"
            )
        has_mine = np.zeros(topology.n_cells, dtype=np.bool_)
        has_mine[allowed[:mines]] = True
        return cls(has_mine.reshape(shape), wrap)

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each axis."""
        return self.has_mine.shape

    @cached_property
    def topology(self) -> Topology:
        """The shape of the grid and who neighbours whom."""
        return _topology(self.shape, wrap=self.wrap)

    @cached_property
    def n_mines(self) -> int:
        """How many mines there are."""
        return int(self.has_mine.sum())

    @cached_property
    def mine_cells(self) -> frozenset[Cell]:
        """The cells with a mine."""
        return frozenset(tuple(int(i) for i in cell) for cell in np.argwhere(self.has_mine))

    @cached_property
    def numbers(self) -> NDArray[np.int16]:
        """How many neighbours of each cell hold a mine: int16, the layout's shape, read-only; mines have one too.

        A box filter, one axis after the other: O(cells * dimensions).
        """
        has_mine = self.has_mine.astype(np.int16)
        numbers: NDArray[np.int16] = box_sum(has_mine, wrap=self.wrap) - has_mine
        numbers.setflags(write=False)
        return numbers

    @cached_property
    def bbbv(self) -> int:
        """The board's 3BV: its openings, plus the numbers that border no opening."""
        return self.bbbv_of(~self.has_mine)

    def bbbv_of(self, is_open: NDArray[np.bool_]) -> int:
        """How much of the board's 3BV the open cells are: bool, of the layout's shape; an opening counts when whole."""
        numbers, is_done = self.numbers.ravel(), is_open.ravel() & ~self.has_mine.ravel()
        reached: set[int] = set()
        n_openings = 0
        for start in np.flatnonzero((numbers == 0) & ~self.has_mine.ravel()).tolist():
            if start not in reached:
                opening = _flood(start, self)
                n_openings += bool(is_done[list(opening)].all())
                reached |= opening
        is_done[list(reached)] = False
        return n_openings + int(is_done.sum())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return np.array_equal(self.has_mine, other.has_mine) and self.wrap == other.wrap

    def __hash__(self) -> int:
        return hash((self.has_mine.tobytes(), self.shape, self.wrap))


def _check_on_grid(topology: Topology, cell: Cell) -> None:
    if not topology.has_cell(cell):
        raise BoardValueError(f"expected a cell of the {topology.shape} grid, got {cell}")


def cells_kept_free(topology: Topology, first_cell: Cell | None, first_click: FirstClick) -> set[int]:
    """The cells, as flat indices, that must not have a mine when this cell is opened first.

    Raises:
        BoardValueError: a cell off the grid.
    """
    if first_cell is None:
        return set()
    _check_on_grid(topology, first_cell)
    index = topology.index(first_cell)
    if first_click is FirstClick.ANY:
        return set()
    if first_click is FirstClick.SAFE:
        return {index}
    if first_click is FirstClick.ZERO:
        return {index, *topology.near_of(index)}
    raise AssertionError(f"unknown rule {first_click!r}")


def _flood(start: int, layout: Layout, may_open: NDArray[np.bool_] | None = None) -> set[int]:
    """The cells that opening `start` opens: itself, and from every 0 on all neighbours, as far as `may_open`."""
    numbers, near_of = layout.numbers.ravel(), layout.topology.near_of
    opened = {start}
    waiting = [start]
    while waiting:
        index = waiting.pop()
        if numbers[index] != 0:
            continue
        for near in near_of(index):
            if near not in opened and (may_open is None or may_open[near]):
                opened.add(near)
                waiting.append(near)
    return opened


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
        self.topology = _topology(shape, wrap=wrap)
        self.mines = mines
        self.first_click = first_click
        self._seed = seed
        self._layout: Layout | None = None
        self._state = GameState.FRESH
        self._codes = np.full(self.topology.n_cells, CLOSED, dtype=np.int16)
        self._n_opened = 0
        most = most_mines(shape, first_click, wrap=wrap)
        if not 0 <= mines <= most:
            raise BoardValueError(
                f"expected 0 to {most} mines for shape {shape} (first click: {first_click.value}), got {mines}"
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

        Raises:
            BoardValueError: off the grid.
        """
        index = self._index(cell)
        if self.is_over or self._layout is None or self._codes[index] <= 0:
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
        _check_on_grid(self.topology, cell)
        return self.topology.index(cell)

    def _open_all(self, indices: list[int], layout: Layout) -> tuple[Cell, ...]:
        self._state = GameState.PLAYING
        has_mine = layout.has_mine.ravel()
        exploded = [index for index in indices if has_mine[index]]
        opened: set[int] = set(exploded)
        for index in indices:
            if not has_mine[index] and self._codes[index] == CLOSED:
                flooded = _flood(index, layout, self._codes == CLOSED)
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


def most_mines(shape: tuple[int, ...], first_click: FirstClick = FirstClick.SAFE, *, wrap: bool = False) -> int:
    """The most mines a game of this shape can have, wherever its first cell is.

    Raises:
        BoardValueError: no such shape.
    """
    topology = _topology(shape, wrap=wrap)
    if first_click is FirstClick.ANY:
        return topology.n_cells
    if first_click is FirstClick.SAFE:
        return topology.n_cells - 1
    if first_click is FirstClick.ZERO:
        return topology.n_cells - 1 - topology.most_neighbours
    raise AssertionError(f"unknown rule {first_click!r}")
