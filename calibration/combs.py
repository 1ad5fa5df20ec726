"""The exact pitch of a lattice that is known to about a hundredth of a pixel: by where brightness changes, all of it.

What changes along an axis, added up across, is a comb of the pitch; its Fourier sums are largest at the right one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.vision.lattice import Lattice

_N_HARMONICS = 4
_REACH_PX = 0.8
"""The pitch may be so much off, at the far end of the lattice."""
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
        pitch = _exact(change, before, n) if change.size > 2 * before else before
        pitches.append(pitch)
        corner.append(first + (before - pitch) * n / 2)
    return replace(lattice, corner=(corner[0], corner[1]), pitch_px=(pitches[0], pitches[1]))


def _exact(change: NDArray[np.float32], pitch: float, n: int) -> float:
    """The pitch near this one whose comb fits best."""
    places = np.arange(change.size)
    pitches = pitch + np.arange(-_REACH_PX, _REACH_PX + _STEP_PX / 2, _STEP_PX) / n
    angles = 2j * np.pi * np.arange(1, _N_HARMONICS + 1)[None, :, None] * places / pitches[:, None, None]
    sums = np.abs((np.exp(angles) * (change - change.mean())).sum(axis=2)).sum(axis=1)
    return float(pitches[int(sums.argmax())])
