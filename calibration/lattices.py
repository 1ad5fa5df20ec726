"""Where something on a picture may repeat as the cells of a board do: lattices, one way to find them after the other.

Areas of one colour come first (`bot.vision.lattice`). Old clones draw grey as dots of two colours in turn. Such an area
repeats every two pixels, and so at every even pitch: how large the cells are is seen only when it is taken for the
colour that it makes for the eye (`undithered`).

Textured and shaded cells have no area of one colour. There the picture is laid over itself, moved by one pitch after
the other: at the right one most of what is no plain area lies on its like. Where that ends, the board ends.

Where a pitch is no whole number of pixels, what changes along an axis, added up across, is a comb of it; its Fourier
sums are largest at the right one (`refined`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.vision.lattice import Lattice, find_flat_lattices
from skins.pixels import largest_channel, pixels_apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Mask = NDArray[np.uint8]


_SUBTLE = 3  # difference that the two shades of a checkered board just exceed


def generate_lattices(pixels_bgr: NDArray[np.uint8]) -> Iterator[tuple[list[Lattice], bool]]:
    """What every way finds, the likeliest way first, and whether its corners are anywhere in a cell.

    Args:
        pixels_bgr: uint8, height x width x 3.
    """
    yield find_flat_lattices(pixels_bgr), False
    yield find_flat_lattices(pixels_bgr, _SUBTLE), False
    plain = undithered(pixels_bgr)
    if plain is not None:
        yield find_flat_lattices(plain), False
    yield _find_textures(pixels_bgr if plain is None else plain), True


_LEAST_DITHERED = 0.002
"""Least share of dots in a picture that is dithered: a small board on a large screen makes twice as much."""


def undithered(pixels_bgr: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """The picture with the mean colour where a pattern repeats every two pixels; None where there is none.

    Args:
        pixels_bgr: uint8, height x width x 3.
    """
    height, width = pixels_bgr.shape[:2]
    if min(height, width) < 3:
        return None
    here, right, below = pixels_bgr[:-2, :-2], pixels_bgr[:-2, 1:-1], pixels_bgr[1:-1, :-2]
    breaks = (here != pixels_bgr[:-2, 2:]) | (here != pixels_bgr[2:, :-2])
    breaks |= (right != pixels_bgr[2:, 1:-1]) | (below != pixels_bgr[1:-1, 2:])
    is_dots = ~largest_channel(breaks) & largest_channel(here != right) & largest_channel(here != below)
    if is_dots.mean() < _LEAST_DITHERED:
        return None
    plain = pixels_bgr.copy()
    mean = np.asarray(cv2.blur(pixels_bgr, (2, 2), anchor=(0, 0)), dtype=np.uint8)
    plain[:-2, :-2][is_dots] = mean[:-2, :-2][is_dots]
    return plain


_LEAST_PX, _MOST_PX = 8, 80
_SAME = 10
"""Largest difference of a channel between pixels that are alike; neighbours that differ by more are no plain area."""
_BEST = 0.75  # share of the best repeat that the smallest pitch must reach: twice the pitch repeats as well
_LEAST_SHARE = 0.25  # least share of what is no plain area that repeats: in a board, and in each cell's surroundings
_N_LINES = 150  # number of rows, or columns, that tell the pitch
_MIN_SIDE = 4


def _find_textures(pixels_bgr: NDArray[np.uint8]) -> list[Lattice]:
    """Lattices of cells that repeat pixel for pixel, at whole pitches; their corners are anywhere in a cell."""
    uneven = _uneven_pixels(pixels_bgr)
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


def _uneven_pixels(pixels_bgr: NDArray[np.uint8]) -> Mask:
    """1 where a pixel differs from the one to the right or below."""
    uneven = np.zeros(pixels_bgr.shape[:2], dtype=np.uint8)
    uneven[:, :-1] |= pixels_apart(pixels_bgr[:, :-1], pixels_bgr[:, 1:]) > _SAME
    uneven[:-1] |= pixels_apart(pixels_bgr[:-1], pixels_bgr[1:]) > _SAME
    return uneven


def _repeats(pixels_bgr: NDArray[np.uint8], uneven: Mask, lag: int, axis: int) -> Mask:
    """1 where no plain area lies and the pixel `lag` to the right (axis 1) or below (0) is alike."""
    n = pixels_bgr.shape[axis] - lag
    here = np.take(pixels_bgr, range(n), axis=axis)
    there = np.take(pixels_bgr, range(lag, lag + n), axis=axis)
    repeats = np.zeros_like(uneven)
    part = (slice(None), slice(n)) if axis else (slice(n), slice(None))
    repeats[part] = (pixels_apart(here, there) <= _SAME) & (uneven[part] > 0)
    return repeats


def _extent(
    pixels_bgr: NDArray[np.uint8], middle: tuple[int, int, int, int], lag: int, axis: int
) -> tuple[int, int] | None:
    """From where to where along an axis everything repeats around a part of the picture; None where not all does."""
    left, top, right, bottom = middle
    part = pixels_bgr[top:bottom] if axis else pixels_bgr[:, left:right]
    n = part.shape[axis] - lag
    apart = pixels_apart(np.take(part, range(n), axis=axis), np.take(part, range(lag, lag + n), axis=axis))
    is_alike = apart.max(axis=1 - axis) <= _SAME
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


_N_HARMONICS = 4
PITCH_ERROR_PX = 0.8  # largest error of the pitch, at the far end of the lattice, in pixels
_STEP_PX = 0.05


def refined(pixels_bgr: NDArray[np.uint8], lattice: Lattice) -> Lattice:
    """The lattice with the exact pitch, around the same middle."""
    grey = pixels_bgr.astype(np.float32).sum(axis=2)
    (x, y), (width, height) = lattice.corner, lattice.pitch_px
    left, top = max(int(x), 0), max(int(y), 0)
    part = grey[top : int(y + lattice.rows * height) + 1, left : int(x + lattice.cols * width) + 1]
    corner, pitches = [], []
    for axis, n, first in ((0, lattice.cols, x), (1, lattice.rows, y)):
        change = np.abs(np.diff(part, axis=1 - axis)).sum(axis=axis)
        before = lattice.pitch_px[axis]
        pitch = _exact_pitch(change, before, n) if change.size > 2 * before else before
        pitches.append(pitch)
        corner.append(first + (before - pitch) * n / 2)
    return replace(lattice, corner=(corner[0], corner[1]), pitch_px=(pitches[0], pitches[1]))


def _exact_pitch(change: NDArray[np.float32], pitch: float, n: int) -> float:
    """The pitch near this one whose comb fits best."""
    places = np.arange(change.size)
    pitches = pitch + np.arange(-PITCH_ERROR_PX, PITCH_ERROR_PX + _STEP_PX / 2, _STEP_PX) / n
    angles = 2 * np.pi * np.arange(1, _N_HARMONICS + 1)[None, :, None] * places / pitches[:, None, None]
    rough = change - change.mean()
    sums = np.hypot(np.cos(angles) @ rough, np.sin(angles) @ rough).sum(axis=1)  # no complex exp: wine has none
    return float(pitches[int(sums.argmax())])
