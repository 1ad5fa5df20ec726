"""Undo the scaling of a board: its cells on the screen back to the size of the clone's own sprites.

Displays and programs enlarge pictures by one of a few kernels, each of them linear and separable: screen = R_y N R_x^T
for the native picture N. For every cell the few native rows and columns around it are solved for by regularised least
squares, so that a picture enlarged by a known kernel comes back as it was, but for the rounding of pixels; nearest
neighbours come back exactly, by sampling.

Which kernel it was tells a sample of cells: the right one gives cells that look like the skin's. What they mean is not
known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.models import Kernel
from skins.pixels import product_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from bot.vision.matching import Matcher

    Weights = NDArray[np.float32]

_MARGIN = 2  # native pixels beyond a cell's edge that are solved for together with it: kernels reach no farther
_DAMPING = 1e-3  # keeps the least squares from blowing up noise where the screen says little about a native pixel


_AT_EDGE = 0.02  # distance to a native pixel's edge, as a share of it, at which a place may belong to either side

FAR = 45.0  # a covered cell counts as this far away, no more
_AS_DRAWN = 0.5  # cells this near their sprites, on average, are as their clone draws them: no further kernel is tried
_N_ACROSS = 7
_N_DOWN = 6


@dataclass(frozen=True, eq=False)
class _Strip:
    """The pixels of the screen that give the native pixels of one row or column of cells, and how they do.

    Attributes:
        first: the first of them.
        down: float32, native pixels x pixels of the screen.
        across: the same transposed, for B, G, R in turn: float32, 3 * pixels of the screen x 3 * native pixels.
    """

    first: int
    down: Weights
    across: Weights

    @classmethod
    def by(cls, first: int, down: Weights) -> _Strip:
        """A strip of these weights, `down`."""
        return cls(first, down, np.kron(down.T, np.eye(3, dtype=np.float32)))

    def at(self, offset: int) -> _Strip:
        """The strip of these weights that begins so many pixels on."""
        return _Strip(self.first + offset, self.down, self.across)

    def piece(self, pixels: NDArray[np.uint8], first: int, axis: int) -> NDArray[np.uint8]:
        """Its part of a picture that begins at `first` along that axis; beyond it, the outermost pixels go on."""
        start, n_px = self.first - first, self.down.shape[1]
        if start >= 0 and start + n_px <= pixels.shape[axis]:
            return pixels[start : start + n_px] if axis == 0 else pixels[:, start : start + n_px]
        return pixels.take(np.arange(start, start + n_px), axis=axis, mode="clip")


class Unscaler:
    """Brings the cells of one grid to their native size.

    Args:
        grid: where they are.
        native_px: (width, height) of a cell in the clone's own size.
        kernel: how they were enlarged.
        is_strict: of a pixel that was repeated take the mean of all of its copies, not the middle one: the same where
            grid and kernel are exactly right, and far from it where they are a pixel off.
    """

    def __init__(self, grid: Grid, native_px: tuple[int, int], kernel: Kernel, *, is_strict: bool = False) -> None:
        self.grid = grid
        self._is_strict = is_strict
        self.kernel = kernel
        self._native_px = native_px
        self._strips: tuple[dict[int, _Strip], dict[int, _Strip]] = ({}, {})

    def _strip(self, axis: int, k: int) -> _Strip:
        strips = self._strips[axis]
        if k not in strips:
            strips[k] = _strip(self.grid, axis, k, self._native_px[axis], self.kernel, self._is_strict)
        return strips[k]

    def cell(self, frame: Frame, row: int, col: int) -> NDArray[np.uint8]:
        """One cell: uint8, native height x width x 3."""
        cell: NDArray[np.uint8] = self.sample(frame, [row], [col])[0]
        return cell

    def cells(self, frame: Frame) -> NDArray[np.uint8]:
        """Every cell of the grid, row by row: uint8, rows*cols x native height x width x 3."""
        return self.sample(frame, range(self.grid.rows), range(self.grid.cols))

    def sample(self, frame: Frame, rows: Sequence[int], cols: Sequence[int]) -> NDArray[np.uint8]:
        """The cells where these rows and columns cross, row by row: uint8, N x native height x width x 3.

        Beyond the frame its outermost pixels go on.
        """
        width, height = self._native_px
        across = [self._strip(0, col) for col in cols]
        lines = []
        for row in rows:
            strip = self._strip(1, row)
            part = strip.piece(frame.pixels_bgr, frame.top, 0)
            pieces = [one.piece(part, frame.left, 1) for one in across]
            values = np.concatenate(pieces, axis=1, dtype=np.float32)
            lines.append(product_of(strip.down, values.reshape(len(part), -1)))
        lined = np.concatenate(lines)
        ends = np.cumsum([len(strip.across) for strip in across])
        cells = np.stack(
            [
                product_of(lined[:, end - len(strip.across) : end], strip.across)
                for strip, end in zip(across, ends.tolist(), strict=True)
            ],
            axis=1,
        )
        rounded = np.clip(np.rint(cells, out=cells), 0, 255, out=cells).astype(np.uint8)
        native = rounded.reshape(len(rows), height, len(cols), 3 * width)
        return native.swapaxes(1, 2).reshape(-1, height, width, 3)


@dataclass(frozen=True)
class Fit:
    """A grid, the kernel it was enlarged by, and how far its cells are from the skin's sprites on average."""

    grid: Grid
    kernel: Kernel
    distance: float


class Fits:
    """How well grids and kernels fit the sprites of one skin on one frame; none is tried twice.

    Args:
        frame: the picture.
        matcher: of the skin.
    """

    def __init__(self, frame: Frame, matcher: Matcher) -> None:
        self.frame = frame
        self.matcher = matcher
        self._tried: dict[tuple[Grid, Kernel], Fit] = {}

    def by(self, grid: Grid, kernel: Kernel) -> Fit:
        """How far the cells of a grid are from the skin's sprites, were they enlarged by this kernel."""
        if (grid, kernel) not in self._tried:
            unscaler = Unscaler(grid, self.matcher.skin.pitch_px, kernel, is_strict=True)
            cells = unscaler.sample(self.frame, *sampled_of(grid))
            distance = float(np.minimum(self.matcher.distances(cells).min(axis=1), FAR).mean())
            self._tried[grid, kernel] = Fit(grid, kernel, distance)
        return self._tried[grid, kernel]

    def best(self, grid: Grid) -> Fit:
        """By the kernel under which cells look most like the skin's; the first of those that do equally well."""
        fits = []
        for kernel in Kernel:
            fits.append(self.by(grid, kernel))
            if fits[-1].distance <= _AS_DRAWN:
                break
        return min(fits, key=lambda fit: fit.distance)


def sampled_of(grid: Grid) -> tuple[list[int], list[int]]:
    """Rows and columns of the cells that stand for all."""
    return _spread(grid.rows, _N_DOWN), _spread(grid.cols, _N_ACROSS)


def _spread(n: int, most: int) -> list[int]:
    places: NDArray[np.intp] = np.unique(np.linspace(0, n - 1, min(n, most)).round().astype(int))
    return [int(place) for place in places]


def _strip(grid: Grid, axis: int, k: int, n_native: int, kernel: Kernel, is_strict: bool) -> _Strip:
    if kernel is Kernel.CELLWISE:
        edges = grid.edges(axis)
        return _cellwise(edges[k + 1] - edges[k], n_native).at(edges[k])
    corner, pitch = grid.corner[axis], grid.pitch_px[axis]
    exact = corner + k * pitch
    first = int(np.floor(exact))
    phase = round(exact - first, 3)
    by_copies = is_strict and kernel in {Kernel.NEAREST, Kernel.CORNER}
    return (_copies if by_copies else _solved)(phase, pitch / n_native, n_native, kernel).at(first)


@lru_cache(maxsize=4096)
def _cellwise(n_px: int, n_native: int) -> _Strip:
    """A cell enlarged by itself, from pixel 0 on: its outermost pixels go on beyond it."""
    at = np.clip((np.arange(n_px) + 0.5) * n_native / n_px - 0.5, 0, n_native - 1)
    return _Strip.by(0, _pseudo_inverse(_linear(at, 0, n_native)))


@lru_cache(maxsize=4096)
def _solved(phase: float, scale: float, n_native: int, kernel: Kernel) -> _Strip:
    """A cell that begins in pixel 0, `phase` behind its edge."""
    if kernel in {Kernel.NEAREST, Kernel.CORNER}:
        if kernel is Kernel.NEAREST:
            taken = np.floor(phase + (np.arange(n_native) + 0.5) * scale).astype(int)
        else:
            taken = np.floor(phase + (np.arange(n_native) + 0.5) * scale + 0.5).astype(int)
        weights = np.zeros((n_native, int(taken[-1]) + 1), dtype=np.float32)
        weights[np.arange(n_native), taken] = 1
        return _Strip.by(0, weights)
    low = int(np.ceil(phase - _MARGIN * scale))
    high = int(np.floor(phase + (n_native + _MARGIN) * scale))
    px = np.arange(low, high)
    n_around = n_native + 2 * _MARGIN + 4
    first = -_MARGIN - 2
    if kernel is Kernel.AREA:
        forward = _area((px - phase) / scale, 1 / scale, first, n_around)
    else:
        at = (px + 0.5 - phase) / scale - 0.5
        forward = (_linear if kernel is Kernel.LINEAR else _cubic)(at, first, n_around)
    return _Strip.by(low, _pseudo_inverse(forward)[-first : -first + n_native])


@lru_cache(maxsize=4096)
def _copies(phase: float, scale: float, n_native: int, kernel: Kernel) -> _Strip:
    """A cell that begins in pixel 0, `phase` behind its edge, of repeated pixels: the mean of the copies of each.

    A copy right at an edge may go either way, as its program rounds: it does not count where there is another one. At
    whole scales there is nothing to round.
    """
    shift = 0.5 if kernel is Kernel.NEAREST else 0.0
    first = int(np.floor(phase))
    px = np.arange(first, int(np.ceil(phase + n_native * scale)) + 1)
    at = (px + shift - phase) / scale
    of = np.floor(at + 1e-3).astype(int)
    near = _AT_EDGE if abs(scale - round(scale)) > _AT_EDGE else 0.0
    counts = np.where(np.abs(at - np.rint(at)) < near, 1e-6, 1.0)
    weights = np.where(of == np.arange(n_native)[:, None], counts, 0.0)
    for native in np.flatnonzero(weights.sum(axis=1) == 0):  # a picture made smaller: it has no copy
        weights[native, np.abs(at - native - 0.5).argmin()] = 1.0
    return _Strip.by(first, (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32))


def _linear(at: NDArray[Any], first: int, n: int) -> NDArray[Any]:
    return np.maximum(0.0, 1.0 - np.abs(at[:, None] - (first + np.arange(n))))


def _cubic(at: NDArray[Any], first: int, n: int) -> NDArray[Any]:
    """The cubic convolution kernel with a = -0.75, OpenCV's (Keys, 1981)."""
    d = np.abs(at[:, None] - (first + np.arange(n)))
    a = -0.75
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((d - 5) * d + 8) * d * a - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0.0))


def _area(start: NDArray[Any], length: float, first: int, n: int) -> NDArray[Any]:
    native = first + np.arange(n)
    shared = np.minimum(start[:, None] + length, native + 1) - np.maximum(start[:, None], native)
    overlap: NDArray[Any] = np.maximum(shared, 0.0) / length
    return overlap


def _pseudo_inverse(forward: NDArray[Any]) -> Weights:
    n = forward.shape[1]
    return np.linalg.solve(forward.T @ forward + _DAMPING * np.eye(n), forward.T).astype(np.float32)
