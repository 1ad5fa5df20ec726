"""A 64-bit fingerprint of a cell's exact pixels, for many cells at once.

Not cryptographic: it tells a few dozen known looks from everything else a screen can show. The value is part
of the profile format, so it never changes: bytes in row-by-row BGR order, zero-padded to whole little-endian
64-bit words; each word is xored with a key of its place, multiplied, folded, and the words are summed
modulo 2^64. Keys follow splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_MASK = 2**64 - 1


@cache
def _keys(n_words: int) -> NDArray[np.uint64]:
    keys = np.empty(n_words, dtype=np.uint64)
    for i in range(n_words):
        z = (i + 1) * _GOLDEN & _MASK
        z = (z ^ (z >> 30)) * _MIX_1 & _MASK
        z = (z ^ (z >> 27)) * _MIX_2 & _MASK
        keys[i] = z ^ (z >> 31)
    keys.setflags(write=False)
    return keys


def fingerprint(cells_bgr: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Fingerprint every cell of a stack.

    Args:
        cells_bgr: uint8, N x height x width x 3, channels blue, green, red.

    Returns:
        uint64, N.
    """
    n_cells = cells_bgr.shape[0]
    flat = cells_bgr.reshape(n_cells, math.prod(cells_bgr.shape[1:]))
    padding = -flat.shape[1] % 8
    if padding:
        flat = np.pad(flat, ((0, 0), (0, padding)))
    words = np.ascontiguousarray(flat).view("<u8")
    mixed = (words ^ _keys(words.shape[1])) * np.uint64(_MIX_1)
    mixed ^= mixed >> np.uint64(32)
    mixed *= np.uint64(_MIX_2)
    total: NDArray[np.uint64] = (mixed ^ (mixed >> np.uint64(29))).sum(axis=1, dtype=np.uint64)
    return total


def blunt_fingerprint(cells_bgr: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """The same with the four corner pixels of every cell taken for black: neighbours may paint over those.

    Args:
        cells_bgr: uint8, N x height x width x 3, channels blue, green, red.

    Returns:
        uint64, N.
    """
    blunt = cells_bgr.copy()
    blunt[:, [0, 0, -1, -1], [0, -1, 0, -1]] = 0
    return fingerprint(blunt)
