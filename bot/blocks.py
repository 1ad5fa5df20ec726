"""Boards of four dimensions on a flat screen: blocks of cells, side by side and one below the other.

Cell (x, y, z, w) of a board of shape (X, Y, Z, W) lies in block (x, y), x from the top and y from the left, and there
in row z and column w. This is the only place where the two are turned into each other: everything that knows the board
speaks of its cells, everything that knows the screen of places (row, col).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from solver.topology import Cell

    Place = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Blocks:
    """The shape of a board of four dimensions, and where its cells are on the screen.

    Attributes:
        shape: blocks from top to bottom, blocks from left to right, rows of a block, columns of a block.
    """

    shape: tuple[int, int, int, int]

    @classmethod
    def of_sides(cls, rows: int, cols: int, block_rows: int | None, block_cols: int | None) -> Blocks | None:
        """The blocks that so many rows and columns make up.

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

    @property
    def rows(self) -> int:
        """Rows on the screen."""
        return self.shape[0] * self.shape[2]

    @property
    def cols(self) -> int:
        """Columns on the screen."""
        return self.shape[1] * self.shape[3]

    def place_of(self, cell: Cell) -> Place:
        """Where on the screen a cell is: (row, col)."""
        x, y, z, w = cell
        return x * self.shape[2] + z, y * self.shape[3] + w

    def cell_at(self, place: Place) -> Cell:
        """The cell at a place (row, col) of the screen: the inverse of `place_of`."""
        (x, z), (y, w) = divmod(place[0], self.shape[2]), divmod(place[1], self.shape[3])
        return x, y, z, w

    def to_board(self, values: NDArray[Any]) -> NDArray[Any]:
        """What is on the screen (rows x cols, or as many values row by row) in the order of the board's cells."""
        n_x, n_y, n_z, n_w = self.shape
        return np.ascontiguousarray(values.reshape(n_x, n_z, n_y, n_w).transpose(0, 2, 1, 3))


def _side(n: int, given: int | None) -> int | None:
    side = math.isqrt(n) if given is None else given
    is_whole = side >= 2 and n % side == 0 and n // side >= 2
    return side if is_whole and (given is not None or side * side == n) else None
