"""Which cells of one board look the same, before anything is known of them; by pixels alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from skins.fingerprint import fingerprint

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALIKE = 6.0
"""Cells this near each other (root mean square) may be the same, something drawn over them,"""
_ALIKE_BLURRED = 10.0
"""so near where hardly any two are equal: the picture was compressed,"""
ALIKE_ANEW = 13.0
"""and so near where they were drawn anew at another size: lines fall on pixels, or between."""
FEW = 3
"""A look that fewer cells have may be anything."""
_LOOK_BITS = 8.0
_MOST_TOLD = 100
_MOST_AT_ONCE = 1200
"""More cells are not all compared with all at once: that takes memory."""
MOST_LOOKS = 60
"""No board in order has more."""


def looks_of(cells: NDArray[np.uint8], alike: float = ALIKE) -> NDArray[np.intp]:
    """The number of each cell's look: equal pixel for pixel, or nearly so where hardly any two cells are equal."""
    return looks_within(cells, how_alike(cells, alike))


def looks_within(cells: NDArray[np.uint8], alike: float) -> NDArray[np.intp]:
    """The same where it is known how far apart cells may be that look the same (`how_alike`)."""
    if alike <= ALIKE:
        return np.asarray(np.unique(fingerprint(cells), return_inverse=True)[1].ravel())
    flat = cells.reshape(len(cells), -1).astype(np.float32)
    number_of = np.full(len(cells), -1, dtype=np.intp)
    near = all_apart(cells, flat) <= alike if len(cells) <= _MOST_AT_ONCE else None
    for number in range(len(cells)):
        free = np.flatnonzero(number_of < 0)
        if not free.size:
            break
        if number >= _MOST_TOLD:  # no board: each is its own
            number_of[free] = number + np.arange(free.size)
            break
        first = int(free[0])
        is_near = all_apart(cells[free], flat[first : first + 1])[:, 0] <= alike if near is None else near[first, free]
        number_of[free[is_near]] = number
        number_of[first] = number
    return number_of


def how_alike(cells: NDArray[np.uint8], alike: float) -> float:
    """How far apart cells may be that look the same: farther where hardly any two are equal."""
    return alike if has_equals(cells) else max(alike, _ALIKE_BLURRED)


def has_equals(cells: NDArray[np.uint8]) -> bool:
    """Whether half of the cells (N x height x width x 3) or more are equal to others, pixel for pixel."""
    _, number_of, counts = np.unique(fingerprint(cells), return_inverse=True, return_counts=True)
    return 2 * int((counts[number_of] > 1).sum()) >= len(cells)


def share_alike(cells: NDArray[np.uint8], alike: float = ALIKE) -> tuple[int, float]:
    """How many looks cells have, and the share of them that look like some others."""
    counts = np.bincount(looks_of(cells, alike))
    counts = counts[counts > 0]
    return counts.size, int(counts[counts >= FEW].sum()) / len(cells)


def diversity(number_of: NDArray[np.intp]) -> float:
    """How many bits it takes to say which look each cell has, and what the looks are."""
    counts = np.bincount(number_of)
    counts = counts[counts > 0]
    return float((counts * np.log2(number_of.size / counts)).sum() + _LOOK_BITS * counts.size)


def often(cells: NDArray[np.uint8], alike: float = ALIKE) -> NDArray[np.uint8]:
    """The looks that come often on a board (rows x cols x height x width x 3), one cell of each."""
    flat = cells.reshape(-1, *cells.shape[2:])
    number_of = looks_of(flat, alike)
    frequent = np.flatnonzero(np.bincount(number_of) >= FEW)
    return flat[[int(np.flatnonzero(number_of == number)[0]) for number in frequent]]


def nearest(cells: NDArray[np.uint8], flat: NDArray[np.float32]) -> NDArray[np.float32]:
    """How far each cell is from the nearest of some looks (flattened): root mean square of the channels."""
    apart: NDArray[np.float32] = all_apart(cells, flat).min(axis=1)
    return apart


def all_apart(cells: NDArray[np.uint8], flat: NDArray[np.float32]) -> NDArray[np.float32]:
    """How far each cell is from each of some looks (flattened): root mean square of the channels."""
    own = cells.reshape(len(cells), -1).astype(np.float32)
    squares = (own**2).sum(axis=1)[:, None] + (flat**2).sum(axis=1) - 2 * own @ flat.T
    apart: NDArray[np.float32] = np.sqrt(np.maximum(squares, 0) / own.shape[1])
    return apart
