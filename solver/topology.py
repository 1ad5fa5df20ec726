"""Where cells are and which are neighbours, in any number of dimensions.

Knows nothing of mines or numbers. A topology is a box of cells, each axis plain or (with `wrap`) closed
into a ring. Two cells are neighbours when they differ by at most one step along every axis and are not the
same cell; under wrap, sides of 1 and 2 count no neighbour twice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from solver.errors import BoardValueError

Cell = tuple[int, ...]
"""A place on the grid: (row, col), 0-based; in N dimensions one index an axis."""


@dataclass(frozen=True)
class Topology:
    """The shape of a grid and how its edges join.

    Attributes:
        shape: cells along each axis, rows first; every side at least 1.
        wrap: whether each axis is a ring.

    Raises:
        BoardValueError: no axis, or a side below 1.
    """

    shape: tuple[int, ...]
    wrap: bool = False

    def __post_init__(self) -> None:
        if not self.shape or min(self.shape) < 1:
            raise BoardValueError(f"expected at least one cell along every axis, got shape {self.shape}")

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return math.prod(self.shape)

    def has_cell(self, cell: Cell) -> bool:
        """Whether `cell` lies on the grid."""
        return len(cell) == len(self.shape) and all(0 <= i < n for i, n in zip(cell, self.shape, strict=True))

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
        return tuple(self.cell(i) for i in self.neighbour_indices[self.index(cell)])

    @property
    def neighbour_indices(self) -> tuple[tuple[int, ...], ...]:
        """For every cell, in row-by-row order, the sorted indices of its neighbours.

        Costs O(cells * 3^dimensions) for a new shape; the last few shapes are remembered, since a game asks again
        with every board. Meant for boards, not for 4^8.
        """
        return _neighbour_indices(self)

    def _neighbours_of(self, cell: Cell) -> tuple[int, ...]:
        along_axes = []
        for i, n in zip(cell, self.shape, strict=True):
            steps = (i - 1, i, i + 1)
            along_axes.append({s % n for s in steps} if self.wrap else {s for s in steps if 0 <= s < n})
        indices = {self.index(near) for near in product(*along_axes)}
        return tuple(sorted(indices - {self.index(cell)}))


@lru_cache(maxsize=8)
def _neighbour_indices(topology: Topology) -> tuple[tuple[int, ...], ...]:
    return tuple(topology._neighbours_of(topology.cell(index)) for index in range(topology.n_cells))  # noqa: SLF001 - its other half
