"""Boards to order: plain ones, boards without a guess, of a level, with a range of 3BV.

A board of a seed begins as a random layout. One that has to go without a guess is played from its first cell by proofs
alone; where they end, mines are moved (`solver.generation.position`), and at the end it is played again from the
beginning, until that takes no move. One that needs too many is a dead end: the next layout is drawn.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from solver import kernel
from solver.errors import BoardValueError, GenerationError
from solver.generation.position import BorderBalance, Position, hint_index, is_solved_by, unblock
from solver.layout import FirstClick, Layout, cells_kept_free
from solver.rules import LEVELS
from solver.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from solver.rules import Level
    from solver.topology import Cell

MOST_TRIES = 1_000
"""Layouts that are drawn for one board."""
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
            `solver.generation.find_hint`.
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
            cells_kept_free(topology, self.start, FirstClick.ANY)  # refuses one that is off the grid
        if not 0 <= self.mines < topology.n_cells:
            raise BoardValueError(
                f"expected 0 to {topology.n_cells - 1} mines on {topology.n_cells} cells of shape {self.shape}, "
                f"got {self.mines}"
            )
        if self.level not in (None, *LEVELS):
            raise BoardValueError(f"expected a level ({', '.join(LEVELS)}), got {self.level!r}")
        if self.has_proofs and topology.is_large:
            raise BoardValueError(f"expected a board whose neighbours can be listed, got shape {self.shape}")

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
        patience_s: when to give up, in seconds of processor time; that decides whether there is a board, never which.
        watch: called at every move of mines, when given.

    Raises:
        GenerationError: there is none after `MOST_TRIES` layouts, or when patience ends; says what was tried.
    """
    kernel.load()  # half a second, once: no part of a board
    begun_at_s = time.thread_time()
    rng = random.Random(seed)
    failures: Counter[str] = Counter()
    for n_tries in range(1, MOST_TRIES + 1):
        attempt = _Attempt(order, rng, n_tries, begun_at_s + patience_s, watch)
        failure = attempt.run()
        if failure is None:
            cpu_s = time.thread_time() - begun_at_s
            return Generated(seed, attempt.layout, attempt.hint, n_tries, attempt.n_moves, cpu_s)
        failures[failure] += 1
        if time.thread_time() - begun_at_s > patience_s:
            break
    tried = ", ".join(f"{n} {what}" for what, n in failures.most_common())
    spent_s = time.thread_time() - begun_at_s
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
        self._position = Position(_draw(order, rng))
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
        if below is not None and is_solved_by(self.layout, self.hint, below):
            return f"needed no more than {below}"
        return None

    @property
    def _first(self) -> int:
        position = self._position
        if self._order.start is not None:
            return self._topology.index(self._order.start)
        return hint_index(self._topology.shape, position.has_mine, position.numbers)

    def _free_of_guesses(self) -> str | None:
        """Play and move mines, until it is played to its end without a move."""
        position, level = self._position, self._order.level or "full"
        ledger = BorderBalance(self._topology)
        most_moves = _MOVES_AT_LEAST + self._topology.n_cells // _CELLS_A_MOVE
        while True:
            first, n_before = self._first, self.n_moves
            position.begin(first)
            kept_free = self._kept_free(first)
            proven = position.play_on(level)
            while not position.is_solved:
                n_closed = position.n_closed
                move = unblock(position, proven, kept_free, ledger, self._rng)
                self.n_moves += 1
                if move is None or self.n_moves > most_moves:
                    return _DEAD_END
                if time.thread_time() > self._deadline_s:
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
        kept_free = cells_kept_free(topology, order.start, FirstClick.ZERO)
        if order.mines > topology.n_cells - len(kept_free):
            kept_free = cells_kept_free(topology, order.start, FirstClick.SAFE)
    allowed = [index for index in range(topology.n_cells) if index not in kept_free]
    has_mine = np.zeros(topology.n_cells, dtype=np.bool_)
    has_mine[rng.sample(allowed, order.mines)] = True
    return Layout(has_mine.reshape(order.shape), order.wrap)
