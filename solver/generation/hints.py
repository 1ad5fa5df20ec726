"""The cell that a generated board is begun at."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from solver.errors import BoardValueError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from solver.layout import Layout
    from solver.topology import Cell


def find_hint(layout: Layout) -> Cell:
    """Return the zero nearest the centre, without a zero the safe cell nearest it; of equals the first row by row.

    Raises:
        BoardValueError: every cell is a mine.
    """
    return layout.topology.cell(hint_index(layout.shape, layout.has_mine.ravel(), layout.numbers.ravel()))


def hint_index(shape: tuple[int, ...], has_mine: NDArray[np.bool_], numbers: NDArray[np.int16]) -> int:
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
    """Of every cell the square of twice its distance from the centre: whole numbers, so that equals are equal."""
    from_centre = [2 * along.ravel() - (side - 1) for along, side in zip(np.indices(shape), shape, strict=True)]
    distances: NDArray[np.int64] = np.sum([along.astype(np.int64) ** 2 for along in from_centre], axis=0)
    distances.setflags(write=False)
    return distances
