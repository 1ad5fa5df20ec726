"""The exact pitch of a board that is no whole number of pixels: of a lattice, then of the cells.

What changes along an axis, added up across, is a comb of the pitch; its Fourier sums are largest at the right one. Once
it is known which cells look the same, the pitch is right where these are most equal: a half pixel at the far end is
told by every stroke of every digit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bot.models import Grid
from calibration.cuts import Cut
from calibration.looks import looks_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.vision.lattice import Lattice

_N_HARMONICS = 4
_REACH_PX = 0.8
"""The pitch may be so much off, at the far end of the lattice."""
_STEP_PX = 0.05
_EVEN_STEP_PX = 0.1
"""Cells are cut out anew at so many pixels more, or fewer, at the far end of the board."""


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
        pitch = _exact(change, before, n) if change.size > 2 * before else before
        pitches.append(pitch)
        corner.append(first + (before - pitch) * n / 2)
    return replace(lattice, corner=(corner[0], corner[1]), pitch_px=(pitches[0], pitches[1]))


def _exact(change: NDArray[np.float32], pitch: float, n: int) -> float:
    """The pitch near this one whose comb fits best."""
    places = np.arange(change.size)
    pitches = pitch + np.arange(-_REACH_PX, _REACH_PX + _STEP_PX / 2, _STEP_PX) / n
    angles = 2 * np.pi * np.arange(1, _N_HARMONICS + 1)[None, :, None] * places / pitches[:, None, None]
    rough = change - change.mean()
    sums = np.hypot(np.cos(angles) @ rough, np.sin(angles) @ rough).sum(axis=1)  # no complex exp: wine has none
    return float(pitches[int(sums.argmax())])


def evened(cut: Cut) -> Cut:
    """The board cut at the pitch at which cells that look the same are most equal, around the same middle."""
    number_of = looks_of(cut.cells.reshape(-1, *cut.cells.shape[2:]), cut.cutter.alike)
    grid = cut.grid
    steps = np.arange(-_REACH_PX, _REACH_PX + _EVEN_STEP_PX / 2, _EVEN_STEP_PX)
    for axis in (0, 1):
        tried = [_stretched(grid, axis, float(step)) for step in steps[np.argsort(np.abs(steps), kind="stable")]]
        grid = min(tried, key=lambda one: _unevenness(cut.cutter.cells(cut.frame, one), number_of))
    cell_px = int(grid.pitch_px[0]), int(grid.pitch_px[1])  # it may have come to the next whole pixel
    return Cut.of(cut.frame, grid, replace(cut.cutter, cell_px=cell_px))


def _stretched(grid: Grid, axis: int, more_px: float) -> Grid:
    """The grid, larger by so much along an axis, half of it at each end."""
    corner, pitch = list(grid.corner), list(grid.pitch_px)
    corner[axis] -= more_px / 2
    pitch[axis] += more_px / (grid.cols, grid.rows)[axis]
    return Grid.at((corner[0], corner[1]), (pitch[0], pitch[1]), grid.rows, grid.cols)


def _unevenness(cells: NDArray[np.uint8], number_of: NDArray[np.intp]) -> float:
    """How far cells are from the mean of their look: squared, added up."""
    flat = cells.reshape(number_of.size, -1).astype(np.float32)
    order = np.argsort(number_of, kind="stable")
    counts = np.bincount(number_of)
    counts = counts[counts > 0]
    sums = np.add.reduceat(flat[order], np.concatenate([[0], np.cumsum(counts)[:-1]]), axis=0)
    return float((flat**2).sum() - ((sums**2).sum(axis=1) / counts).sum())
