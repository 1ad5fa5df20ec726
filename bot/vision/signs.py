"""Which number is written on a cell, whatever font drew it (`skins.skin`): by its ink, its ground or its shape.

A sign counts only where the whole cell, but for its edges, is one ground and blends of that ground with one ink, up to
nearly the full ink: then nothing else lies on it. The shape is taken without its place, size and proportions, and must
be near one that is known, and clearly farther from those of every other number.

The shapes are means of the bold digits of 99 faces of 55 families of free fonts, a dozen groups a digit
(`scripts/digit_shapes.py`). Of 8,712 digits of 7 to 64 pixels an em, each read without the shapes of its own family and
its relatives, none was taken for another; from 13 pixels on 3 to 6 % were not known, at 9 pixels a quarter.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from skins.skin import ANY_SIGN, OPEN_SIGN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from skins.skin import Signs

    Cells = NDArray[np.uint8]
    Floats = NDArray[np.float64]

NOTHING, UNSURE, UNNUMBERED = 0, -1, -2
"""No sign that is known; a sign, but of no known number; such a one on a ground that only open cells have."""
_STEPS = 6
"""Most steps a channel between a pixel and a colour or blend that it counts as."""
_LEAST_STEPS = 8
"""Least difference of a sign from its ground; white on light grey is 33 away at full ink."""
_REACH = 0.45
"""Share of the full ink that a sign reaches somewhere: bold strokes do, a pixel wide."""
_FULL = 0.7
"""And so much where it could be another ink that reaches less: faint black is grey, which is 0.41 of black. The
thinnest digits of sgt-mines in 12 families, those of Inconsolata at 10 pixels, reach 0.71 in grey and 0.68 in black."""
_GROUND_SHARE = 0.7
"""Least share of the outermost pixels that is ground."""
_FAINT = 0.15
"""Ink fainter than this share of the sign's strongest is not part of its shape."""
_ACCEPT = 0.28
"""Root mean square from a shape, of full ink: 97 % of digits of left-out families are nearer."""
_MARGIN = 1.3
"""The least ratio of two distances, to another number's nearest shape and to the nearest of all. The worst misreading
of a left-out family had 1.2."""
_LEAST_PX = 5
"""The height of the lowest sign whose shape is told."""


class Told(NamedTuple):
    """What is written on N cells.

    Attributes:
        numbers: int8, N: the number, or `NOTHING`, `UNSURE`, `UNNUMBERED`.
        grounds: int, N: the index of the ground into `SignReader.grounds_bgr`, where there is a sign.
    """

    numbers: NDArray[np.int8]
    grounds: NDArray[np.intp]


class SignReader:
    """Reads the signs of one skin. Make it by `sign_reader_of`."""

    def __init__(self, signs: Signs) -> None:
        self.grounds_bgr = tuple(dict.fromkeys(ink.ground_bgr for ink in signs.inks))
        """Every ground, in order."""
        self._inks = [[ink for ink in signs.inks if ink.ground_bgr == ground] for ground in self.grounds_bgr]
        self._full = [
            np.array([np.subtract(ink.ink_bgr, ink.ground_bgr) for ink in inks], dtype=np.float64)
            for inks in self._inks
        ]
        self.is_open = tuple(ANY_SIGN not in {ink.says for ink in inks} for inks in self._inks)
        """Of every ground, whether only open cells have it."""
        self._numbers = np.array([number for number, _ in signs.shapes], dtype=np.int8)
        self._shapes = np.array([shape for _, shape in signs.shapes], dtype=np.float64)

    def read(self, cells: Cells) -> Told:
        """Read cells without their edges: uint8, N x height x width x 3."""
        told = np.full(len(cells), NOTHING, dtype=np.int8)
        grounds = np.array(self.grounds_bgr, dtype=np.int16)
        off = np.abs(cells[:, 0, 0].astype(np.int16)[:, None] - grounds).max(axis=2)  # no sign reaches into a corner
        which = off.argmin(axis=1)
        for cell in np.flatnonzero(off.min(axis=1) <= _STEPS):
            apart = cells[cell] - grounds[which[cell]]
            if np.abs(apart).max() < _LEAST_STEPS:
                continue
            edges = (np.abs(edge).max(axis=1) <= _STEPS for edge in (apart[0], apart[-1], apart[:, 0], apart[:, -1]))
            if np.concatenate(list(edges)).mean() >= _GROUND_SHARE:
                told[cell] = self._told(apart.astype(np.float64), int(which[cell]))
        return Told(told, which)

    def _told(self, apart: Floats, ground: int) -> int:
        """What one cell says, by how far its pixels are from its ground: height x width x 3."""
        flat, full = apart.reshape(-1, 3), self._full[ground]
        strongest = flat[np.einsum("ij,ij->i", flat, flat).argmax()]
        reach = full @ strongest / np.einsum("ij,ij->i", full, full)
        fits = np.abs(strongest - reach[:, None] * full).max(axis=1) <= _STEPS
        fits &= (flat.min(axis=0) >= np.minimum(full, 0) - _STEPS).all(axis=1)
        fits &= (flat.max(axis=0) <= np.maximum(full, 0) + _STEPS).all(axis=1) & (reach > 0)
        if not fits.any():
            return NOTHING
        unknown = UNNUMBERED if self.is_open[ground] else UNSURE
        strong = np.flatnonzero(fits & (reach >= (_REACH if fits.sum() == 1 else _FULL)))
        if strong.size != 1:
            return unknown
        says, ink = self._inks[ground][strong[0]].says, full[strong[0]]
        if says not in (OPEN_SIGN, ANY_SIGN):
            return int(says)
        return self._number_of(apart @ ink / (ink @ ink)) or unknown

    def _number_of(self, ink: Floats) -> int:
        """The number that ink of this shape is (0.0 none to 1.0 full), 0 where that is not sure."""
        shape = without_place(ink, *self._shapes.shape[1:]) if len(self._shapes) else None
        if shape is None:
            return 0
        apart = np.sqrt(((self._shapes - shape) ** 2).mean(axis=(1, 2)))
        nearest = apart.argmin()
        others = apart[self._numbers != self._numbers[nearest]].min(initial=np.inf)
        is_known = apart[nearest] <= _ACCEPT and others >= _MARGIN * apart[nearest]
        return int(self._numbers[nearest]) if is_known else 0


def without_place(ink: Floats, height: int, width: int) -> Floats | None:
    """A sign brought to that size, whatever its own, and cut off at its edges; None where it is too small to tell.

    Args:
        ink: of every pixel, 0.0 none to 1.0 full; somewhere there is some.
        height: in pixels.
        width: in pixels.
    """
    strength = np.clip(ink, 0, None) / ink.max()
    down, across = _ends(strength.max(axis=1)), _ends(strength.max(axis=0))
    if down[1] - down[0] < _LEAST_PX:
        return None
    return np.asarray(_means(len(strength), *down, height) @ strength @ _means(strength.shape[1], *across, width).T)


def _ends(profile: Floats) -> tuple[float, float]:
    """Where ink begins and ends along a line of pixels: the first and last of them count by how strong they are."""
    inked = np.flatnonzero(profile > _FAINT)
    first, last = int(inked[0]), int(inked[-1])
    return (first + 1 - profile[first], last + profile[last]) if first < last else (first, last + 1)


def _means(n_px: int, start: float, end: float, n_bins: int) -> Floats:
    """Weights (bins x pixels) of the pixels between two places, shared out among bins."""
    cuts, px = np.linspace(start, end, n_bins + 1), np.arange(n_px)
    shared = np.minimum(cuts[1:, None], px + 1) - np.maximum(cuts[:-1, None], px)
    return np.asarray(np.maximum(shared, 0) / np.diff(cuts)[:, None])


@lru_cache(maxsize=64)
def sign_reader_of(signs: Signs) -> SignReader:
    """The reader of some signs, made once a session."""
    return SignReader(signs)
