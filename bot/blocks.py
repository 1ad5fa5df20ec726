"""Boards of any number of dimensions on a flat surface, a screen or a page: blocks of cells, and blocks of blocks.

A board's last index counts columns, the one before it rows, both within a block; the one before that counts blocks from
left to right, the next blocks from top to bottom, and so on in turn. So cell (x, y, z, w) of a board of shape
(X, Y, Z, W) lies in block (x, y), x from the top and y from the left, and there in row z and column w. This is the only
place where the two are turned into each other: everything that knows the board speaks of its cells, everything that
knows the surface of places (row, col).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from solver.topology import Cell

    Place = tuple[int, int]


@dataclass(frozen=True)
class Blocks:
    """The shape of a board, and where its cells are on the surface.

    Attributes:
        shape: cells along each axis; of four dimensions: blocks from top to bottom, blocks from left to right,
            rows of a block, columns of a block.
    """

    shape: tuple[int, ...]

    @classmethod
    def of_sides(cls, rows: int, cols: int, block_rows: int | None, block_cols: int | None) -> Blocks | None:
        """The blocks of a board of four dimensions that has this many rows and columns.

        Args:
            rows: of the whole screen board.
            cols: likewise.
            block_rows: rows of one block, None where nothing on the screen tells: then the board must be as many
                blocks high as a block has rows, as all boards with equal sides are.
            block_cols: likewise.

        Returns:
            None where that makes no whole blocks, or fewer than two a side.
        """
        high, wide = (_side(n, given) for n, given in ((rows, block_rows), (cols, block_cols)))
        if high is None or wide is None:
            return None
        return cls((rows // high, cols // wide, high, wide))

    @cached_property
    def axes(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The board's axes that columns of the surface count, and those that rows do, each from the outermost on."""
        n_axes = len(self.shape)
        return tuple(range((n_axes - 1) % 2, n_axes, 2)), tuple(range(n_axes % 2, n_axes, 2))

    @property
    def rows(self) -> int:
        """Rows on the surface."""
        return math.prod(self._sides(1))

    @property
    def cols(self) -> int:
        """Columns on the surface."""
        return math.prod(self._sides(0))

    def place_of(self, cell: Cell) -> Place:
        """Where on the surface a cell is: (row, col)."""
        col, row = (self._line_of(cell, axis) for axis in (0, 1))
        return row, col

    def cell_at(self, place: Place) -> Cell:
        """The cell at a place (row, col) of the surface: the inverse of `place_of`."""
        row, col = place
        cell = [0] * len(self.shape)
        for along, line in ((0, col), (1, row)):
            for axis, i in zip(self.axes[along], self.indices(along, line), strict=True):
                cell[axis] = i
        return tuple(cell)

    def indices(self, axis: int, line: int) -> Cell:
        """The indices that the cells of a column (axis 0) or row (axis 1) of the surface have in common."""
        found = []
        for side in reversed(self._sides(axis)):
            line, i = divmod(line, side)
            found.append(i)
        return tuple(reversed(found))

    def depth(self, axis: int, line: int) -> int:
        """How many blocks within each other begin with this column (axis 0) or row (axis 1): 0 inside of a block.

        The first line of all begins nothing that would have to be set apart.
        """
        indices = self.indices(axis, line)
        n_zeros = next((n for n, i in enumerate(reversed(indices)) if i), 0)
        return n_zeros if line else 0

    def to_board(self, values: NDArray[Any]) -> NDArray[Any]:
        """What is on the surface (rows x cols, or as many values row by row) in the order of the board's cells."""
        order = [*self.axes[1], *self.axes[0]]
        return np.ascontiguousarray(values.reshape([self.shape[axis] for axis in order]).transpose(np.argsort(order)))

    def to_surface(self, values: NDArray[Any]) -> NDArray[Any]:
        """What the board's cells hold as it lies on the surface, rows x cols: the inverse of `to_board`."""
        return values.reshape(self.shape).transpose([*self.axes[1], *self.axes[0]]).reshape(self.rows, self.cols)

    def _sides(self, axis: int) -> tuple[int, ...]:
        return tuple(self.shape[i] for i in self.axes[axis])

    def _line_of(self, cell: Cell, axis: int) -> int:
        line = 0
        for i in self.axes[axis]:
            line = line * self.shape[i] + cell[i]
        return line


def _side(n: int, given: int | None) -> int | None:
    side = math.isqrt(n) if given is None else given
    is_whole = side >= 2 and n % side == 0 and n // side >= 2
    return side if is_whole and (given is not None or side * side == n) else None
