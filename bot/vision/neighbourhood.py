"""What is beside a cell, all over a board of any number of dimensions at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def is_near(marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which cells are marked or have a marked neighbour: bool, of the same shape."""
    near: NDArray[np.bool_] = n_near(marked) > 0
    return near


def n_near(marked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many cells are marked among each cell and its neighbours: int64, of the same shape."""
    total = marked.astype(np.int64)
    for axis in range(total.ndim):
        lines = np.moveaxis(total, axis, 0)
        summed = lines.copy()
        summed[1:] += lines[:-1]
        summed[:-1] += lines[1:]
        total = np.moveaxis(summed, 0, axis)
    return total


def joined(marked: NDArray[np.bool_], seeds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The marked cells that neighbours lead to from the seeds, themselves marked, through marked cells alone."""
    reached = seeds & marked
    while True:
        wider = is_near(reached) & marked
        if np.array_equal(wider, reached):
            return reached
        reached = wider
