"""The boards of a simulation: layouts, each with the cell its game begins with.

The board of a seed is the same everywhere: `sorted(random.Random(seed).sample(allowed, mines))`, where `allowed` are
the indices, row by row, of the cells that the first-click rule lets have a mine. Knows nothing of files, nor of who
plays.
"""

from __future__ import annotations

import hashlib
import math
import random
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from solver.errors import BoardValueError
from solver.layout import FirstClick, Layout, cells_kept_free
from solver.topology import Topology, check_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.topology import Cell

HINT = "hint"
"""The first-click rule by which the game names a cell to begin with: a zero where the board has one, else a safe cell.
The mines lie anywhere."""
RULES = (*(rule.value for rule in FirstClick), HINT)
MOST_DEALS = 10**15
"""More boards than anybody plays; Python counts to some thousand times as many."""
_LARGE_BOARD = 480
"""From so many cells on a zero is best opened at (3, 3), on smaller boards at (2, 2)."""


class Deal(NamedTuple):
    """A board to play.

    Attributes:
        seed: what it is called by.
        layout: where the mines are.
        first_cell: the cell to open first.
    """

    seed: int
    layout: Layout
    first_cell: Cell


class Deals(Protocol):
    """Boards in an order."""

    def __len__(self) -> int: ...

    def __getitem__(self, place: int) -> Deal: ...

    def seed_of(self, place: int) -> int:
        """Return what the board at this place is called by."""

    def part(self, start: int, stop: int) -> Deals:
        """Return those from one place up to another."""

    def describe(self) -> dict[str, Any]:
        """Say which boards these are, as JSON: equal for equal boards, however many of them are asked for."""


@dataclass(frozen=True)
class SeededDeals:
    """Boards of seeds that follow each other.

    Attributes:
        shape: cells along each axis.
        mines: how many mines.
        wrap: whether every axis is a ring.
        rule: what is promised about the first cell, one of RULES.
        first_cell: the cell to open first; None only with the rule HINT.
        seed: the first seed.
        n: how many boards.

    Raises:
        BoardValueError: no such shape or rule, more mines than the rule leaves room for, a first cell off the grid,
            more boards than `MOST_DEALS`.
    """

    shape: tuple[int, ...]
    mines: int
    wrap: bool
    rule: str
    first_cell: Cell | None
    seed: int
    n: int

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise BoardValueError(f"expected a rule for the first click ({', '.join(RULES)}), got {self.rule!r}")
        if (self.first_cell is None) != (self.rule == HINT):
            raise BoardValueError(f"expected a first cell, or the rule {HINT}, got {self.first_cell} and {self.rule}")
        check_whole(self.mines, "a whole number of mines")
        if not 0 <= self.n <= MOST_DEALS:
            raise BoardValueError(f"expected 0 to {MOST_DEALS} boards, got {self.n}")
        most = self.most_mines
        if not 0 <= self.mines <= most:
            raise BoardValueError(
                f"expected 0 to {most} mines for shape {self.shape} (first click: {self.rule}), got {self.mines}"
            )

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, place: int) -> Deal:
        if not 0 <= place < self.n:
            raise IndexError(f"expected a place from 0 to {self.n - 1}, got {place}")
        seed = self.seed + place
        rng = random.Random(seed)
        has_mine = np.zeros(self._topology.n_cells, dtype=np.bool_)
        has_mine[rng.sample(self._allowed, self.mines)] = True
        layout = Layout(has_mine.reshape(self.shape), self.wrap)
        return Deal(seed, layout, self.first_cell or _hint(layout, rng))

    def seed_of(self, place: int) -> int:
        """Return the seed of the board at this place."""
        return self.seed + place

    def part(self, start: int, stop: int) -> SeededDeals:
        """Return those from one place up to another."""
        return replace(self, seed=self.seed + start, n=stop - start)

    def describe(self) -> dict[str, Any]:
        """Say which boards these are."""
        return {
            "shape": list(self.shape),
            "mines": self.mines,
            "wrap": self.wrap,
            "first": self.rule,
            "start": None if self.first_cell is None else list(self.first_cell),
            "seed": self.seed,
        }

    @property
    def n_cells(self) -> int:
        """How many cells a board has."""
        return self._topology.n_cells

    @property
    def most_mines(self) -> int:
        """How many mines the rule leaves room for."""
        return len(self._allowed) - (self.rule == HINT)

    @cached_property
    def _topology(self) -> Topology:
        return Topology(self.shape, wrap=self.wrap)

    @cached_property
    def _allowed(self) -> list[int]:
        n_cells = self._topology.n_cells
        if self.first_cell is None:
            return list(range(n_cells))
        kept_free = cells_kept_free(self._topology, self.first_cell, FirstClick(self.rule))
        return [index for index in range(n_cells) if index not in kept_free]

    def __getstate__(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}  # not what is cached: it goes to workers


@dataclass(frozen=True)
class ListedDeals:
    """Given boards, in their order."""

    deals: tuple[Deal, ...]

    def __len__(self) -> int:
        return len(self.deals)

    def __getitem__(self, place: int) -> Deal:
        return self.deals[place]

    def seed_of(self, place: int) -> int:
        """Return what the board at this place is called by."""
        return self.deals[place].seed

    def part(self, start: int, stop: int) -> ListedDeals:
        """Return those from one place up to another."""
        return ListedDeals(self.deals[start:stop])

    def describe(self) -> dict[str, Any]:
        """Say which boards these are: by a hash of all of them."""
        digest = hashlib.sha256()
        for seed, layout, first_cell in self.deals:
            digest.update(repr((seed, layout.shape, layout.wrap, first_cell)).encode())
            digest.update(np.packbits(layout.has_mine).tobytes())
        return {"boards": digest.hexdigest()[:16]}


def usual_first_cell(shape: Sequence[int], rule: str, *, wrap: bool) -> Cell | None:
    """Return the cell to begin with unless a person wants another: None where the game names it.

    A corner, where fewest neighbours can be mines; but for a zero (3, 3) on expert boards, (2, 2) on smaller ones:
    no other cell wins as many games.
    """
    if rule == HINT:
        return None
    if rule == FirstClick.ZERO.value and len(shape) == 2 and not wrap:
        best = 3 if math.prod(shape) >= _LARGE_BOARD else 2
        return tuple(min(best, (side - 1) // 2) for side in shape)
    return (0,) * len(shape)


def _hint(layout: Layout, rng: random.Random) -> Cell:
    is_safe = ~layout.has_mine.ravel()
    zeros = np.flatnonzero(is_safe & (layout.numbers.ravel() == 0))
    return layout.topology.cell(int(rng.choice(zeros if zeros.size else np.flatnonzero(is_safe))))
