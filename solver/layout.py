"""Where the mines are: `Layout`, and what a first click promises about it.

In any number of dimensions and on rings. References for the words: opening, island and 3BV are the speed-running
community's (https://minesweepergame.com/wiki.php: "3BV": the fewest left clicks that clear a board without flags).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.errors import BoardValueError
from solver.topology import Cell, Topology, box_sum, check_whole
from solver.words import name_shape

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from numpy.typing import NDArray


class _Level(NamedTuple):
    """The size of a two-dimensional board and its mine count."""

    rows: int
    cols: int
    mines: int


LEVELS = {
    "beginner": _Level(9, 9, 10),
    "intermediate": _Level(16, 16, 40),
    "expert": _Level(16, 30, 99),
}
"""The classic difficulties."""


_LARGE_BOARD = 480  # fewest cells of a board on which a zero is best opened at (3, 3); on smaller ones at (2, 2)


class FirstClick(StrEnum):
    """What a game promises about the first cell that is opened."""

    ANY = "any"
    """Nothing: it may be a mine."""
    SAFE = "safe"
    """It is no mine."""
    ZERO = "zero"
    """It is no mine, and none of its neighbours is: it starts an opening."""
    MOVED = "moved-to-corner"
    """It is no mine: one that is hit moves to the first free cell, row by row from the top left."""

    def kept_free(self, topology: Topology, first_cell: Cell | None) -> set[int]:
        """The cells, as flat indices, that no mine is drawn for when this cell is opened first.

        Raises:
            BoardValueError: a cell off the grid.
        """
        if first_cell is None:
            return set()
        topology.check_cell(first_cell)
        index = topology.index(first_cell)
        if self in (FirstClick.ANY, FirstClick.MOVED):
            return set()
        if self is FirstClick.SAFE:
            return {index}
        if self is FirstClick.ZERO:
            return {index, *topology.near_of(index)}
        raise AssertionError(f"unknown rule {self!r}")

    def clear(self, has_mine: NDArray[np.bool_], first: int) -> None:
        """Move the mine away that was drawn for the first cell, where the rule has it moved.

        Args:
            has_mine: bool, row by row, with a cell that is free; changed in place.
            first: the cell that is opened first, as a flat index.
        """
        if self is FirstClick.MOVED and has_mine[first]:
            has_mine[int(np.flatnonzero(~has_mine)[0])] = True
            has_mine[first] = False

    def best_start(self, shape: tuple[int, ...], *, wrap: bool = False) -> Cell:
        """The cell to begin with: no other one wins as many games.

        A corner, where fewest neighbours can be mines: the last one, where mines move to the first. But for a zero
        (3, 3) on expert boards, (2, 2) on smaller ones.
        """
        if self is FirstClick.MOVED:
            return tuple(side - 1 for side in shape)
        if self is FirstClick.ZERO and len(shape) == 2 and not wrap:
            best = 3 if math.prod(shape) >= _LARGE_BOARD else 2
            return tuple(min(best, (side - 1) // 2) for side in shape)
        return (0,) * len(shape)

    def most_mines(self, topology: Topology) -> int:
        """The most mines a game of this shape can have, wherever its first cell is."""
        if self is FirstClick.ANY:
            return topology.n_cells
        if self in (FirstClick.SAFE, FirstClick.MOVED):
            return topology.n_cells - 1
        if self is FirstClick.ZERO:
            return topology.n_cells - 1 - topology.most_neighbours
        raise AssertionError(f"unknown rule {self!r}")


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
        topology = Topology(shape, wrap=wrap)
        has_mine = np.zeros(shape, dtype=np.bool_)
        for cell in mine_cells:
            topology.check_cell(cell)
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
        """Draw a layout as a clone of this rule does; `first_cell` None: one that nothing was opened on.

        The cells are put in random order, and the first of them that may hold a mine do. So with equal seeds
        two first cells give the same layout, but for the mines that had to move away.

        Raises:
            BoardValueError: no such shape, a cell off the grid, or more mines than cells that may hold one.
        """
        topology = Topology(shape, wrap=wrap)
        kept_free = first_click.kept_free(topology, first_cell)
        order = list(range(topology.n_cells))
        rng.shuffle(order)
        allowed = [index for index in order if index not in kept_free]
        check_whole(mines, "a whole number of mines")
        most = len(allowed) - (first_click is FirstClick.MOVED and first_cell is not None)
        if not 0 <= mines <= most:
            raise BoardValueError(
                f"expected 0 to {most} mines for {name_shape(shape)} (first click: {first_click.value}), got {mines}"
            )
        has_mine = np.zeros(topology.n_cells, dtype=np.bool_)
        has_mine[allowed[:mines]] = True
        if first_cell is not None:
            first_click.clear(has_mine, topology.index(first_cell))
        return cls(has_mine.reshape(shape), wrap)

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each axis."""
        return self.has_mine.shape

    @cached_property
    def topology(self) -> Topology:
        """The shape of the grid and who neighbours whom."""
        return Topology(self.shape, wrap=self.wrap)

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
                opening = self.opened_by(start)
                n_openings += bool(is_done[list(opening)].all())
                reached |= opening
        is_done[list(reached)] = False
        return n_openings + int(is_done.sum())

    def opened_by(self, start: int, may_open: NDArray[np.bool_] | None = None) -> set[int]:
        """The cells that opening `start` opens: itself, and from every 0 on all neighbours that `may_open` allows."""
        numbers, near_of = self.numbers.ravel(), self.topology.near_of
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

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return np.array_equal(self.has_mine, other.has_mine) and self.wrap == other.wrap

    def __hash__(self) -> int:
        return hash((self.has_mine.tobytes(), self.shape, self.wrap))
