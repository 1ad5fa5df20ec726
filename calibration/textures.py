"""Find what repeats along rows and columns where nothing has an area of one colour: textured and shaded cells.

A pattern is laid over itself, moved by one pitch after the other: at the right one most of what is no plain area lies
on its like. As far as that goes reaches the board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.vision.lattice import Lattice

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.uint8]

_LEAST_PX, _MOST_PX = 8, 80
_SAME = 10
"""Pixels that differ by no more in any channel are alike; neighbours that differ by more are no plain area."""
_BEST = 0.75
"""The smallest pitch at which nearly as much repeats as at the best: twice the pitch does as well."""
_LEAST_SHARE = 0.25
"""So much of what is no plain area repeats in a board; and in each cell's surroundings."""
_N_LINES = 150
"""So many rows, or columns, are looked at to tell the pitch."""
_MIN_SIDE = 4


def find_textures(pixels_bgr: NDArray[np.uint8]) -> list[Lattice]:
    """Lattices of cells that repeat pixel for pixel, at whole pitches; their corners are anywhere in a cell."""
    uneven = _uneven(pixels_bgr)
    found = []
    pitches = [_pitch(pixels_bgr, uneven, axis) for axis in (1, 0)]
    if pitches[0] is None or pitches[1] is None:
        return []
    width, height = pitches[0], pitches[1]
    repeats = _repeats(pixels_bgr, uneven, width, 1) | _repeats(pixels_bgr, uneven, height, 0)
    around = (2 * width + 1, 2 * height + 1)
    share = cv2.blur(repeats.astype(np.float32), around) / np.maximum(cv2.blur(uneven.astype(np.float32), around), 0.02)
    _, _, stats, _ = cv2.connectedComponentsWithStats((share >= _LEAST_SHARE).astype(np.uint8), connectivity=4)
    for left, top, wide, high, _ in stats[1:].tolist():
        if min(wide // width, high // height) < _MIN_SIDE:
            continue
        middle = (left + wide // 4, top + high // 4, left + 3 * wide // 4, top + 3 * high // 4)
        first_x, last_x = _extent(pixels_bgr, middle, width, 1) or (left, left + wide)
        first_y, last_y = _extent(pixels_bgr, middle, height, 0) or (top, top + high)
        cols, rows = (last_x - first_x) // width, (last_y - first_y) // height
        found.append(Lattice((first_x, first_y), (width, height), cols, rows, rows * cols, ()))
    return sorted(found, key=lambda lattice: -lattice.n_marks)


def _uneven(pixels_bgr: NDArray[np.uint8]) -> Mask:
    """1 where a pixel differs from the one to the right or below."""
    uneven = np.zeros(pixels_bgr.shape[:2], dtype=np.uint8)
    uneven[:, :-1] |= np.asarray(cv2.absdiff(pixels_bgr[:, :-1], pixels_bgr[:, 1:])).max(axis=2) > _SAME
    uneven[:-1] |= np.asarray(cv2.absdiff(pixels_bgr[:-1], pixels_bgr[1:])).max(axis=2) > _SAME
    return uneven


def _repeats(pixels_bgr: NDArray[np.uint8], uneven: Mask, lag: int, axis: int) -> Mask:
    """1 where no plain area lies and the pixel so far right (axis 1) or below (0) is alike."""
    n = pixels_bgr.shape[axis] - lag
    here = np.take(pixels_bgr, range(n), axis=axis)
    there = np.take(pixels_bgr, range(lag, lag + n), axis=axis)
    repeats = np.zeros_like(uneven)
    part = (slice(None), slice(n)) if axis else (slice(n), slice(None))
    repeats[part] = (np.asarray(cv2.absdiff(here, there)).max(axis=2) <= _SAME) & (uneven[part] > 0)
    return repeats


def _extent(
    pixels_bgr: NDArray[np.uint8], middle: tuple[int, int, int, int], lag: int, axis: int
) -> tuple[int, int] | None:
    """From where to where along an axis everything repeats around a part of the picture; None where not all does."""
    left, top, right, bottom = middle
    part = pixels_bgr[top:bottom] if axis else pixels_bgr[:, left:right]
    n = part.shape[axis] - lag
    apart = np.asarray(cv2.absdiff(np.take(part, range(n), axis=axis), np.take(part, range(lag, lag + n), axis=axis)))
    is_alike = apart.max(axis=(1 - axis, 2)) <= _SAME
    first, last = (left, right) if axis else (top, bottom)
    if not is_alike[first : last - lag].all():
        return None
    uneven = np.flatnonzero(~is_alike)
    start = int(uneven[uneven < first].max(initial=-1)) + 1
    return start, int(uneven[uneven >= last - lag].min(initial=n)) + lag


def _pitch(pixels_bgr: NDArray[np.uint8], uneven: Mask, axis: int) -> int | None:
    """How far apart things repeat along an axis; None where nothing stands out."""
    most = min(_MOST_PX, pixels_bgr.shape[axis] // _MIN_SIDE)
    lags = range(_LEAST_PX, most + 1)
    if len(lags) < 3:
        return None
    step = max(1, pixels_bgr.shape[1 - axis] // _N_LINES)
    lines = np.s_[::step] if axis else np.s_[:, ::step]
    part, uneven = np.ascontiguousarray(pixels_bgr[lines]), np.ascontiguousarray(uneven[lines])
    counts = np.array([int(_repeats(part, uneven, lag, axis).sum()) for lag in lags], dtype=np.float64)
    above = counts - np.median(counts)
    best = above.max()
    if best < _LEAST_SHARE * 0.2 * max(int(uneven.sum()), 1):
        return None
    return lags[int(np.flatnonzero(above >= _BEST * best)[0])]
