"""Boards to order: plain ones, boards without a guess, of a level, with a range of 3BV; each from a seed.

A board of a seed begins as a random layout. One that has to go without a guess is played from its first cell by proofs
alone; where they end, mines are moved, and at the end it is played again from the beginning, until that takes no move.
One that needs too many is a dead end: the next layout is drawn.

The truth and what is open of it. Everything is proven anew from the open numbers alone, so a mine may move at any time:
the numbers that are open then change with it, and what is open stays open. A board is finished only when it was played
from its first cell to its end without such a change.

Which mines to move where nothing is proven any more. One open number beside doubtful cells is settled: all its mines
move away, or all its doubtful cells become mines. The other half of the exchange is with uncharted cells, and where
they have no room with any other. Whether mines are taken from the uncharted cells or brought there is decided by where
they lie thicker: so they crowd nowhere. And the border keeps its share: `_BorderBalance` counts how many mines have
come to lie on it or have left it, and the next to move make up for it.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver import kernel
from solver.analysis import analyse
from solver.board import CLOSED, Board
from solver.errors import BoardValueError, GenerationError
from solver.layout import FirstClick, Layout
from solver.rules import LEVELS, deduce
from solver.topology import Topology, box_sum
from solver.words import name_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from solver.rules import Level
    from solver.topology import Cell

MOST_TRIES = 1_000  # layouts that are drawn for one board
_MOVES_AT_LEAST, _CELLS_A_MOVE = 30, 4
"""Most moves of a layout: these, and one more for every few cells."""


@dataclass(frozen=True)
class Order:
    """What boards should be like.

    Attributes:
        shape: cells along each axis.
        mines: how many mines.
        wrap: whether every axis is a ring.
        start: the cell to begin at: a zero where the mines leave room for that, else safe. None: the board's own hint,
            `find_hint`.
        level: proofs of this level suffice from the first cell on, those of the level below do not; None: whatever.
        is_guess_free: whether it takes no guess; with a level it never does.
        bbbv: the least and the largest 3BV; None: any.

    Raises:
        BoardValueError: no board is like that.
    """

    shape: tuple[int, ...]
    mines: int
    wrap: bool = False
    start: Cell | None = None
    level: Level | None = None
    is_guess_free: bool = False
    bbbv: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        topology = self.topology
        if self.start is not None:
            topology.check_cell(self.start)
        if not 0 <= self.mines < topology.n_cells:
            raise BoardValueError(
                f"expected 0 to {topology.n_cells - 1} mines for {name_shape(self.shape)}, got {self.mines}"
            )
        if self.level not in (None, *LEVELS):
            raise BoardValueError(f"expected a level ({', '.join(LEVELS)}), got {self.level!r}")
        if self.has_proofs and topology.is_large:
            raise BoardValueError(f"expected a board whose neighbours can be listed, got {name_shape(self.shape)}")

    @property
    def topology(self) -> Topology:
        """The shape of the boards."""
        return Topology(self.shape, wrap=self.wrap)

    @property
    def has_proofs(self) -> bool:
        """Whether a board has to be solved by proofs alone."""
        return self.is_guess_free or self.level is not None

    @property
    def level_below(self) -> Level | None:
        """The level whose proofs must not suffice."""
        place = 0 if self.level is None else LEVELS.index(self.level)
        return LEVELS[place - 1] if place else None


@dataclass(frozen=True)
class Generated:
    """A board that was ordered.

    Attributes:
        seed: what it is called by.
        layout: where the mines are.
        hint: the cell to begin at.
        n_tries: layouts that were drawn for it.
        n_moves: how often mines were moved, in the last of them.
        cpu_s: processor time of this thread, in seconds.
    """

    seed: int
    layout: Layout
    hint: Cell
    n_tries: int
    n_moves: int
    cpu_s: float


@dataclass(frozen=True)
class Moved:
    """Mines that were moved, as told while a board is made.

    Attributes:
        n_tries: in which layout of this board.
        n_closed: how many cells were closed when proofs ended.
        sources, targets: where the mines were, and where they are now.
    """

    n_tries: int
    n_closed: int
    sources: tuple[Cell, ...]
    targets: tuple[Cell, ...]


def generate(
    order: Order, seed: int, *, patience_s: float = 60.0, watch: Callable[[Moved], None] | None = None
) -> Generated:
    """Make the board of a seed.

    Equal orders and seeds are equal boards. An expert board without a guess takes 3 ms, one of the level full 1 s.

    Args:
        order: what it should be like.
        seed: what it is called by.
        patience_s: when to give up, in seconds; that decides whether there is a board, never which.
        watch: called at every move of mines, when given.

    Raises:
        GenerationError: there is none after `MOST_TRIES` layouts, or when patience ends; says what was tried.
    """
    kernel.load()  # half a second, once: no part of a board
    begun_at_s, cpu_begun_at_s = time.monotonic(), time.thread_time()
    rng = random.Random(seed)
    failures: Counter[str] = Counter()
    for n_tries in range(1, MOST_TRIES + 1):
        attempt = _Attempt(order, rng, n_tries, begun_at_s + patience_s, watch)
        failure = attempt.run()
        if failure is None:
            cpu_s = time.thread_time() - cpu_begun_at_s
            return Generated(seed, attempt.layout, attempt.hint, n_tries, attempt.n_moves, cpu_s)
        failures[failure] += 1
        if time.monotonic() - begun_at_s > patience_s:
            break
    tried = ", ".join(f"{n} {what}" for what, n in failures.most_common())
    spent_s = time.monotonic() - begun_at_s
    raise GenerationError(f"seed {seed}: no board like that in {failures.total()} tries and {spent_s:.1f} s: {tried}")


_DEAD_END = "came to a dead end"
_LATE = "took too long"


class _Attempt:
    """One layout, and what becomes of it."""

    def __init__(
        self,
        order: Order,
        rng: random.Random,
        n_tries: int,
        deadline_s: float,
        watch: Callable[[Moved], None] | None,
    ) -> None:
        self._order, self._rng, self._n_tries, self._deadline_s, self._watch = order, rng, n_tries, deadline_s, watch
        self._topology = order.topology
        self._position = _PlayedPosition(_draw(order, rng))
        self.n_moves = 0

    @property
    def layout(self) -> Layout:
        """Where the mines are."""
        return self._position.layout

    @property
    def hint(self) -> Cell:
        """The cell to begin at."""
        return self._topology.cell(self._first)

    def run(self) -> str | None:
        """Make the board; return what came between."""
        order = self._order
        if order.has_proofs and (failure := self._free_of_guesses()) is not None:
            return failure
        if order.bbbv is not None and not order.bbbv[0] <= (bbbv := self.layout.bbbv) <= order.bbbv[1]:
            return "had too small a 3BV" if bbbv < order.bbbv[0] else "had too large a 3BV"
        below = order.level_below
        if below is not None and _is_solved_by(self.layout, self.hint, below):
            return f"needed no more than {below}"
        return None

    @property
    def _first(self) -> int:
        position = self._position
        if self._order.start is not None:
            return self._topology.index(self._order.start)
        return _hint_index(self._topology.shape, position.has_mine, position.numbers)

    def _free_of_guesses(self) -> str | None:
        """Play and move mines, until it is played to its end without a move."""
        position, level = self._position, self._order.level or "full"
        ledger = _BorderBalance(self._topology)
        most_moves = _MOVES_AT_LEAST + self._topology.n_cells // _CELLS_A_MOVE
        while True:
            first, n_before = self._first, self.n_moves
            position.begin(first)
            kept_free = self._kept_free(first)
            proven = position.play_on(level)
            while not position.is_solved:
                n_closed = position.n_closed
                move = _unblock(position, proven, kept_free, ledger, self._rng)
                self.n_moves += 1
                if move is None or self.n_moves > most_moves:
                    return _DEAD_END
                if time.monotonic() > self._deadline_s:
                    return _LATE
                if self._watch is not None:
                    cells = [tuple(map(self._topology.cell, moved)) for moved in move]
                    self._watch(Moved(self._n_tries, n_closed, *cells))
                proven = position.play_on(level)
            if self.n_moves == n_before:
                return None

    def _kept_free(self, first: int) -> NDArray[np.bool_]:
        """The cells that must stay free of mines: the first, and those beside it when it is a zero."""
        kept_free = np.zeros(self._topology.n_cells, dtype=np.bool_)
        kept_free[first] = True
        if self._position.numbers[first] == 0:
            kept_free[list(self._topology.near_of(first))] = True
        return kept_free


def _draw(order: Order, rng: random.Random) -> Layout:
    """A random layout; equal to that of `solver.simulation.SeededDeals` with the same seed and promise."""
    topology = order.topology
    kept_free: set[int] = set()
    if order.start is not None:
        kept_free = FirstClick.ZERO.kept_free(topology, order.start)
        if order.mines > topology.n_cells - len(kept_free):
            kept_free = FirstClick.SAFE.kept_free(topology, order.start)
    allowed = [index for index in range(topology.n_cells) if index not in kept_free]
    has_mine = np.zeros(topology.n_cells, dtype=np.bool_)
    has_mine[rng.sample(allowed, order.mines)] = True
    return Layout(has_mine.reshape(order.shape), order.wrap)


def find_hint(layout: Layout) -> Cell:
    """Return the zero nearest the centre, without a zero the safe cell nearest it; of equals the first row by row.

    Raises:
        BoardValueError: every cell is a mine.
    """
    return layout.topology.cell(_hint_index(layout.shape, layout.has_mine.ravel(), layout.numbers.ravel()))


def level_of(layout: Layout, first_cell: Cell) -> Level | None:
    """The weakest level whose proofs alone solve a layout from a first cell, which has no mine; None: it takes a guess.

    Some 0.1 s for an expert board.
    """
    return next((level for level in LEVELS if _is_solved_by(layout, first_cell, level)), None)


class _PlayedPosition:
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


class _Move(NamedTuple):
    """Mines that changed their places.

    Attributes:
        sources, targets: flat indices: where they were, and where they are now; as many.
    """

    sources: list[int]
    targets: list[int]


class _BorderBalance:
    """How many mines the border has gained since the layout was drawn, and which cells it is."""

    def __init__(self, topology: Topology) -> None:
        n_near = np.diff(topology.neighbour_table[0])
        self.is_border: NDArray[np.bool_] = n_near < n_near.max()
        self.gained = 0

    def count(self, sources: list[int], targets: list[int]) -> None:
        """Enter mines that were taken away, or put there."""
        self.gained += int(self.is_border[targets].sum()) - int(self.is_border[sources].sum())

    def prefer(self, cells: list[int], *, is_source: bool, rng: random.Random) -> int:
        """Choose one of the cells, on the border or off it as the border's balance asks, and enter it."""
        wants_border = self.gained > 0 if is_source else self.gained < 0
        fitting = [cell for cell in cells if self.is_border[cell] == wants_border]
        chosen = rng.choice(fitting or cells)
        self.count([chosen] if is_source else [], [] if is_source else [chosen])
        return chosen


def _unblock(
    position: _PlayedPosition,
    proven: NDArray[np.bool_],
    kept_free: NDArray[np.bool_],
    ledger: _BorderBalance,
    rng: random.Random,
) -> _Move | None:
    """Move mines so that something is proven that was not.

    Args:
        position: where nothing is proven safe; changed.
        proven: which closed cells are proven mines.
        kept_free: which cells must not get a mine.
        ledger: of the mines moved so far.
        rng: what chooses.

    Returns:
        What was moved; None when nothing can be.
    """
    is_closed = position.codes == CLOSED
    is_doubtful = is_closed & ~proven
    n_doubtful = _beside(position, is_doubtful)
    clues = np.flatnonzero(~is_closed & (n_doubtful > 0)).tolist()
    if not clues:
        move = _break_wall(position, is_doubtful, proven, n_doubtful, ledger, rng)
    else:
        is_uncharted = is_doubtful & (_beside(position, ~is_closed) == 0)
        move = _settle(position, rng.choice(clues), is_doubtful, is_uncharted, kept_free, ledger, rng)
    if move is not None:
        position.move_mines(*move)
    return move


def _beside(position: _PlayedPosition, is_meant: NDArray[np.bool_]) -> NDArray[np.int16]:
    """How many cells beside each cell, itself included, are meant."""
    grid = is_meant.reshape(position.topology.shape).astype(np.int16)
    return box_sum(grid, wrap=position.topology.wrap).ravel()


def _settle(
    position: _PlayedPosition,
    clue: int,
    is_doubtful: NDArray[np.bool_],
    is_uncharted: NDArray[np.bool_],
    kept_free: NDArray[np.bool_],
    ledger: _BorderBalance,
    rng: random.Random,
) -> _Move | None:
    """Make all doubtful cells beside a number mines, or all safe."""
    cells = [near for near in position.topology.near_of(clue) if is_doubtful[near]]
    mined = [cell for cell in cells if position.has_mine[cell]]
    free = [cell for cell in cells if not position.has_mine[cell]]
    can_fill = not kept_free[free].any() and position.n_closed < position.has_mine.size - 1  # nor wall in the first
    elsewhere = np.ones(is_doubtful.size, dtype=np.bool_)
    elsewhere[cells] = False
    elsewhere[clue] = False
    for pool in (is_uncharted & elsewhere, elsewhere):
        sources = np.flatnonzero(pool & position.has_mine).tolist()
        targets = np.flatnonzero(pool & ~position.has_mine & ~kept_free).tolist()
        may_fill, may_empty = can_fill and len(sources) >= len(free), len(targets) >= len(mined)
        if may_fill and may_empty:
            is_thick = len(sources) * position.has_mine.size > position.n_mines * int(pool.sum())
            may_fill, may_empty = is_thick, not is_thick
        if may_fill:
            ledger.count([], free)
            return _Move(_choose(sources, len(free), ledger, is_source=True, rng=rng), free)
        if may_empty:
            ledger.count(mined, [])
            return _Move(mined, _choose(targets, len(mined), ledger, is_source=False, rng=rng))
    return None


def _break_wall(
    position: _PlayedPosition,
    is_doubtful: NDArray[np.bool_],
    proven: NDArray[np.bool_],
    n_doubtful: NDArray[np.int16],
    ledger: _BorderBalance,
    rng: random.Random,
) -> _Move | None:
    """Where proven mines shut off all doubtful cells: move one of them in among those."""
    wall = np.flatnonzero(proven & (n_doubtful > 0)).tolist()
    inside = np.flatnonzero(is_doubtful & ~position.has_mine).tolist()
    if not wall or not inside:
        return None
    source = [rng.choice(wall)]
    ledger.count(source, [])
    return _Move(source, _choose(inside, 1, ledger, is_source=False, rng=rng))


def _choose(cells: list[int], n: int, ledger: _BorderBalance, *, is_source: bool, rng: random.Random) -> list[int]:
    """Choose cells one by one, as the border's balance asks."""
    left, chosen = cells, []
    for _ in range(n):
        chosen.append(ledger.prefer(left, is_source=is_source, rng=rng))
        left = [cell for cell in left if cell != chosen[-1]]
    return chosen


def _hint_index(shape: tuple[int, ...], has_mine: NDArray[np.bool_], numbers: NDArray[np.int16]) -> int:
    """`find_hint` on flat arrays, row by row.

    Raises:
        BoardValueError: every cell is a mine.
    """
    rank = np.where(has_mine, 2, numbers != 0)
    best = np.lexsort((_distances(shape), rank))[0]
    if has_mine[best]:
        raise BoardValueError("expected a cell without a mine to begin at, got mines only")
    return int(best)


@lru_cache(maxsize=8)
def _distances(shape: tuple[int, ...]) -> NDArray[np.int64]:
    """The square of twice each cell's distance from the centre: whole numbers, so that equals are equal."""
    from_centre = [2 * along.ravel() - (side - 1) for along, side in zip(np.indices(shape), shape, strict=True)]
    distances: NDArray[np.int64] = np.sum([along.astype(np.int64) ** 2 for along in from_centre], axis=0)
    distances.setflags(write=False)
    return distances


def _is_solved_by(layout: Layout, first_cell: Cell, level: Level) -> bool:
    """Whether a level's proofs alone open every safe cell from a first cell, which has no mine."""
    position = _PlayedPosition(layout)
    position.begin(layout.topology.index(first_cell))
    position.play_on(level)
    return position.is_solved
