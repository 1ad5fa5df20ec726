"""Compares pixels of cells: exactly, by fingerprints, and by how far apart they are.

A fingerprint is 64 bits for a cell's exact pixels. It is not cryptographic: it tells a few dozen known sprites from
everything else a screen can show. Its value is part of the profile format, so it never changes: bytes in row-by-row BGR
order, zero-padded to whole little-endian 64-bit words; each word is xored with a key of its place, multiplied, folded,
and the words are summed modulo 2^64. Keys follow splitmix64 [1].

What all reading of pixels spends its time on stands here too, each in its fastest form.

[1] Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014).
"""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from skins.skin import Sprite

    Floats = NDArray[np.float32]

_Scalar = TypeVar("_Scalar", bound=np.generic)

_GOLDEN = 0x9E3779B97F4A7C15
_MIX_1 = 0xBF58476D1CE4E5B9
_MIX_2 = 0x94D049BB133111EB
_MASK = 2**64 - 1
_MOST_NOISE = 8  # most steps a channel by which two pictures of the same thing may differ: noise of two levels in each


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


def largest_channel(pixels: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """The largest of three channels; of truth values, whether any is true.

    Many times as fast as numpy's own reduction of so short an axis.

    Args:
        pixels: of any type, ... x 3.

    Returns:
        The same type, without the last axis.
    """
    largest: NDArray[Any] = np.maximum(np.maximum(pixels[..., 0], pixels[..., 1]), pixels[..., 2])
    return largest


def pixels_apart(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """How far two pictures are apart at each pixel, in the channel in which they differ most.

    Args:
        one: uint8, height x width x 3.
        other: uint8, of the same shape.

    Returns:
        uint8, height x width.
    """
    return largest_channel(np.maximum(one, other) - np.minimum(one, other))


def is_same_picture(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> bool:
    """Whether two pictures (uint8, height x width x 3) differ by noise alone."""
    return one.shape == other.shape and bool((pixels_apart(one, other) <= _MOST_NOISE).all())


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
    """Fingerprint every cell of a stack, its four corner pixels taken for black: neighbours may paint over those.

    Args:
        cells_bgr: uint8, N x height x width x 3, channels blue, green, red.

    Returns:
        uint64, N.
    """
    blunt = cells_bgr.copy()
    blunt[:, [0, 0, -1, -1], [0, -1, 0, -1]] = 0
    return fingerprint(blunt)


def distinct_colours(pixels_bgr: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """The colours that pixels have, and how many pixels have each.

    It does what `np.unique` does along the last axis, by one number a pixel: ten to twenty times as fast.

    Args:
        pixels_bgr: uint8, ... x 3, channels blue, green, red.

    Returns:
        Colours (B, G, R), each once, in their order, uint8, N x 3; and the counts, N.
    """
    flat = pixels_bgr.reshape(-1, 3)
    padded = np.zeros((len(flat), 4), dtype=np.uint8)
    padded[:, 1:] = flat
    numbers, counts = np.unique(padded.view(">u4")[:, 0].astype(np.uint32), return_counts=True)
    return numbers.astype(">u4")[:, None].view(np.uint8)[:, 1:], counts


class DistinctRows(NamedTuple):
    """The rows of a table, each once, in the order of their bytes.

    Attributes:
        rows: uint8, N x what a row of the table is.
        first: the place of each one's first row in the table: intp, N.
        which: the number of each row of the table among `rows`: intp, one for each row of the table.
        counts: how many rows of the table equal each: intp, N.
    """

    rows: NDArray[np.uint8]
    first: NDArray[np.intp]
    which: NDArray[np.intp]
    counts: NDArray[np.intp]


def distinct_rows(table: NDArray[np.uint8]) -> DistinctRows:
    """The distinct rows of a table, each compared as one run of bytes.

    It does what `np.unique` does along the first axis, a hundred times as fast.

    Args:
        table: uint8, rows x bytes; or with more axes, of which all but the first make a row.
    """
    flat = np.ascontiguousarray(table.reshape(len(table), -1))
    _, first, which, counts = np.unique(
        flat.view(f"V{flat.shape[1]}")[:, 0], return_index=True, return_inverse=True, return_counts=True
    )
    return DistinctRows(table[first], first, which.ravel(), counts)


def most_frequent(pixels_bgr: NDArray[np.uint8]) -> tuple[int, int, int]:
    """The colour (B, G, R) that most pixels (uint8, ... x 3) have."""
    colours, counts = distinct_colours(pixels_bgr)
    blue, green, red = (int(channel) for channel in colours[counts.argmax()])
    return blue, green, red


class Pair(NamedTuple):
    """Two sprites of different states, and how far apart they are (root mean square of the channels, 0-255)."""

    apart: float
    states: tuple[str, str]


def _distance(a_bgr: NDArray[np.uint8], b_bgr: NDArray[np.uint8]) -> float:
    """The root mean square difference of two pictures' channels, 0-255."""
    return float(np.sqrt(np.mean((a_bgr.astype(np.float64) - b_bgr) ** 2)))


def nearest_pair(sprites: Sequence[Sprite]) -> Pair:
    """The two sprites of different states that are nearest to each other, those drawn alike left out.

    Raises:
        ValueError: no two sprites of different states differ.
    """
    pairs = (
        Pair(_distance(a.pixels_bgr, b.pixels_bgr), (a.state, b.state))
        for a, b in itertools.combinations(sprites, 2)
        if a.state != b.state and not np.array_equal(a.pixels_bgr, b.pixels_bgr)
    )
    return min(pairs)


def safe_accept(nearest: float, most: float) -> float:
    """How far a cell may be from its sprite: half the distance of the nearest two, so that it is nearer to no other.

    Rounded down to a tenth; `most` where the sprites are far apart.
    """
    return min(most, int(nearest * 5) / 10)


_MOST = 250_000  # number of multiplications that OpenBLAS keeps to the calling thread (its threshold is 262,144)


def product_of(left: Floats, right: Floats) -> Floats:
    """`left @ right` (float32, n x k and k x m) on one thread, a few rows or columns at a time.

    For matrices of this size, waking other threads costs more than the work itself.
    """
    (n, k), m = left.shape, right.shape[1]
    if n * k * m <= _MOST:
        return left @ right
    product = np.empty((n, m), dtype=np.float32)
    if n > m:
        height = max(_MOST // (k * m), 1)
        for start in range(0, n, height):
            product[start : start + height] = left[start : start + height] @ right
    else:
        width = max(_MOST // (n * k), 1)
        for start in range(0, m, width):
            product[:, start : start + width] = left @ right[:, start : start + width]
    return product
