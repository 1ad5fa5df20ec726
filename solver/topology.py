"""Where cells are and which are neighbours, in any number of dimensions.

Knows nothing of mines or numbers. A topology is a box of cells, each axis plain or (with `wrap`) closed
into a ring. Two cells are neighbours when they differ by at most one step along every axis and are not the
same cell; under wrap, sides of 1 and 2 count no neighbour twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from solver.errors import BoardValueError
from solver.words import name_cell, name_shape

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.number[Any] | np.bool_)
Cell = tuple[int, ...]
"""A place on the grid: (row, col), 0-based; in N dimensions one index an axis."""
LARGEST_NEIGHBOURHOOD = 255
"""Most neighbours of a cell that are listed: a board of six dimensions has up to 728, one of seven 2,186."""
_MOST_LISTED = 10_000_000
"""Most neighbours of all cells together that are listed: the lists, and what the kernel keeps beside them, take 20
bytes each, and some time more while they are made."""


def check_whole(value: object, what: str) -> None:
    """Raise `BoardValueError` unless this is a whole number: Python's or numpy's, and no bool."""
    if not _is_whole(value):
        raise BoardValueError(f"expected {what}, got {value!r}")


def _is_whole(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


@dataclass(frozen=True)
class Topology:
    """The shape of a grid and how its edges join.

    Attributes:
        shape: cells along each axis, rows first; every side at least 1.
        wrap: whether each axis is a ring.

    Raises:
        BoardValueError: no axis, or a side that is no whole number or below 1.
    """

    shape: tuple[int, ...]
    wrap: bool = False

    def __post_init__(self) -> None:
        for side in self.shape:
            check_whole(side, "a whole number of cells along every axis")
        if not self.shape or min(self.shape) < 1:
            raise BoardValueError(f"expected at least one cell along every axis, got {name_shape(self.shape)}")

    @cached_property
    def n_cells(self) -> int:
        """How many cells there are."""
        return math.prod(self.shape)

    def has_cell(self, cell: Cell) -> bool:
        """Whether `cell` lies on the grid: a whole number an axis."""
        return len(cell) == len(self.shape) and all(
            _is_whole(i) and 0 <= i < n for i, n in zip(cell, self.shape, strict=True)
        )

    def check_cell(self, cell: Cell) -> None:
        """Raise `BoardValueError` if the grid has no such cell."""
        if not self.has_cell(cell):
            raise BoardValueError(f"expected a cell of the {name_shape(self.shape)} board, got {name_cell(cell)}")

    def index(self, cell: Cell) -> int:
        """The cell's place in row-by-row order (last index fastest)."""
        flat = 0
        for i, n in zip(cell, self.shape, strict=True):
            flat = flat * n + i
        return flat

    def cell(self, index: int) -> Cell:
        """The cell at a place in row-by-row order: the inverse of `index`."""
        indices: list[int] = []
        for n in reversed(self.shape):
            index, i = divmod(index, n)
            indices.append(i)
        return tuple(reversed(indices))

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        """The neighbours of `cell`, in row-by-row order, each once."""
        return tuple(self.cell(i) for i in self.near_of(self.index(cell)))

    @cached_property
    def most_neighbours(self) -> int:
        """How many neighbours the cell with the most has."""
        return math.prod(min(side, 3) for side in self.shape) - 1

    @property
    def is_large(self) -> bool:
        """Whether its cells have too many neighbours, each or together, to list them all: then `box_sum` serves."""
        n = self.most_neighbours
        return n > LARGEST_NEIGHBOURHOOD or n * self.n_cells > _MOST_LISTED

    @property
    def near_of(self) -> Callable[[int], tuple[int, ...]]:
        """A function from a cell to its neighbours, all as flat indices, sorted; it looks them up unless `is_large`."""
        return self._near if self.is_large else self.neighbour_indices.__getitem__

    def _near(self, index: int) -> tuple[int, ...]:
        reached = np.zeros(1, dtype=np.int64)
        for i, side in zip(self.cell(index), self.shape, strict=True):
            along = {i + step for step in _distinct_steps(side, wrap=self.wrap)}
            there = [j % side for j in along] if self.wrap else [j for j in along if 0 <= j < side]
            reached = np.add.outer(reached * side, np.array(there)).ravel()
        reached.sort()
        return tuple(reached[reached != index].tolist())

    @property
    def neighbour_indices(self) -> tuple[tuple[int, ...], ...]:
        """For every cell, in row-by-row order, the sorted indices of its neighbours.

        Costs O(cells * 3^dimensions) for a new shape, sides of 1 not counted; the last few shapes are remembered, since
        a game asks again with every board. Not for a topology that `is_large`: see `near_of`.
        """
        return _neighbour_indices(self)

    @property
    def neighbour_table(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """`neighbour_indices` as two flat arrays, for compiled code; read-only, and remembered likewise.

        Returns:
            Where each cell's neighbours start (one more entry than cells), and all neighbours in that order.
        """
        return _neighbour_table(self)


@lru_cache(maxsize=8)
def topology_of(shape: tuple[int, ...], *, wrap: bool) -> Topology:
    """Return the topology of a shape; the last few are remembered, since a game asks again with every board.

    Raises:
        BoardValueError: as `Topology`.
    """
    return Topology(shape, wrap)


def box_sum(values: NDArray[Number], *, wrap: bool) -> NDArray[Number]:
    """For every cell, the sum of its value and its neighbours', none counted twice.

    One axis after the other, without lists of neighbours: O(cells * dimensions). Sums wrap around as the type does.

    Args:
        values: one a cell, of the grid's shape; not bool, whose sums are no numbers.
        wrap: whether every axis is a ring.
    """
    for axis in range(values.ndim):
        values = sum_of_three(values, axis, wrap=wrap)
    return values


def sum_of_three(values: NDArray[Number], axis: int, *, wrap: bool) -> NDArray[Number]:
    """For every cell: its value plus those one step before and after along `axis`; none counted twice."""
    side = values.shape[axis]
    if wrap and side <= 2:
        return np.broadcast_to(values.sum(axis=axis, keepdims=True, dtype=values.dtype), values.shape).copy()
    moved: NDArray[Any] = values.swapaxes(0, axis)
    summed = moved.copy()
    summed[1:] += moved[:-1]
    summed[:-1] += moved[1:]
    if wrap:
        summed[0] += moved[-1]
        summed[-1] += moved[0]
    return summed.swapaxes(0, axis)


@lru_cache(maxsize=8)
def _neighbour_indices(topology: Topology) -> tuple[tuple[int, ...], ...]:
    start, near = (array.tolist() for array in _neighbour_table(topology))
    return tuple(tuple(near[a:b]) for a, b in pairwise(start))


@lru_cache(maxsize=8)
def _neighbour_table(topology: Topology) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    here = np.indices(topology.shape).reshape(len(topology.shape), -1)
    n_cells = topology.n_cells
    columns = []
    for steps in product(*[_distinct_steps(n, wrap=topology.wrap) for n in topology.shape]):
        if not any(steps):
            continue
        index = np.zeros(n_cells, dtype=np.int64)
        is_outside = np.zeros(n_cells, dtype=np.bool_)
        for along, step, n in zip(here, steps, topology.shape, strict=True):
            moved = (along + step) % n if topology.wrap else along + step
            is_outside |= (moved < 0) | (moved >= n)
            index = index * n + moved
        columns.append(np.where(is_outside, n_cells, index))
    table = np.sort(np.array(columns, dtype=np.int64).reshape(-1, n_cells).T, axis=1)
    is_inside = table < n_cells
    start = np.concatenate(([0], np.cumsum(is_inside.sum(axis=1)))).astype(np.int32)
    near = table[is_inside].astype(np.int32)
    start.setflags(write=False)
    near.setflags(write=False)
    return start, near


def _distinct_steps(side: int, *, wrap: bool) -> tuple[int, ...]:
    """The steps along one axis; where there is one cell, or two on a ring, each neighbour is reached once."""
    if side == 1:
        return (0,)
    return (0, 1) if wrap and side == 2 else (-1, 0, 1)
