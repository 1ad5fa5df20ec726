"""Lattices on a picture: where things of one size repeat along rows and columns.

The flat faces of a board's cells are connected areas of one colour. The middle of each one's bounding box is a point
of a cell whose size the box tells: a mark. Marks of one pitch that lie together vote for pitch and phase on each axis;
a straight line through (number, place) makes both exact to a fraction of a pixel. What it shows is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MIN_MARKS = 5
"""Fewer marks are no lattice."""
MAX_LATTICES = 6
"""How many lattices are followed up, those of most marks first."""
_REACH = 3
"""Marks about so many pitches apart belong together."""
_ALIKE = 0.08
"""Boxes are whole pixels: pitches taken from them are alike within this share."""
_MAX_MODES = 24
"""How many pitches are tried."""
_STRAY_PX = 1.3
"""A mark farther from its place on a lattice is not counted."""


@dataclass(frozen=True, eq=False)
class Boxes:
    """Bounding boxes of connected areas: float64 arrays of one length, in pixels."""

    left: Floats
    top: Floats
    width: Floats
    height: Floats

    @property
    def count(self) -> int:
        """How many there are."""
        return self.left.size

    def chosen(self, which: NDArray[np.bool_]) -> Boxes:
        """Those for which `which` is true."""
        return Boxes(self.left[which], self.top[which], self.width[which], self.height[which])


@dataclass(frozen=True, eq=False)
class Marks:
    """Points of cells: float64 arrays of one length.

    Attributes:
        x: pixels; likewise `y`.
        share_x: how far right of its cell's corner the point lies, as a share of the cell; likewise `share_y`.
        pitch_x: about how far the next cell is, in pixels; likewise `pitch_y`.
    """

    x: Floats
    y: Floats
    share_x: Floats
    share_y: Floats
    pitch_x: Floats
    pitch_y: Floats

    @property
    def count(self) -> int:
        """How many there are."""
        return self.x.size

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> Marks:
        """Some of them."""
        return Marks(*(getattr(self, one.name)[which] for one in fields(self)))


@dataclass(frozen=True)
class Lattice:
    """Cells whose corners lie at `corner + k * pitch`, along x and y.

    Attributes:
        corner: exact (x, y) of the top left corner of the first marked column and row.
        pitch_px: (x, y) from corner to corner.
        cols: from the leftmost to the rightmost mark.
        rows: from the topmost to the lowest.
        n_marks: how many marks lie on it.
    """

    corner: tuple[float, float]
    pitch_px: tuple[float, float]
    cols: int
    rows: int
    n_marks: int


def boxes_of(mask: NDArray[np.uint8], *, least_px: float, most_px: float) -> Boxes:
    """The bounding boxes of a mask's 4-connected areas whose sides are within these limits and that fill half of it."""
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4, ltype=cv2.CV_32S)
    stats = stats[1:]
    width, height, area = stats[:, 2], stats[:, 3], stats[:, 4]
    fits = (np.minimum(width, height) >= least_px) & (np.maximum(width, height) <= most_px)
    fits &= 2 * area >= width * height
    left, top, width, height = (stats[fits, column].astype(np.float64) for column in range(4))
    return Boxes(left, top, width, height)


def marks_of(
    boxes: Boxes, centre: tuple[float, float], size: tuple[float, float], *, least: float, most: float
) -> Marks:
    """Take boxes for parts of cells: which cells would that be?

    Args:
        boxes: candidates, others among them.
        centre: (x, y) of such a box's middle, as a share of the cell.
        size: (width, height) of such a box, as a share of the cell.
        least: the smallest pitch.
        most: the largest.
    """
    pitch_x, pitch_y = boxes.width / size[0], boxes.height / size[1]
    slack = 1.5 / np.minimum(boxes.width, boxes.height)
    mean = np.sqrt(pitch_x * pitch_y)
    fits = np.abs(np.log(pitch_x / pitch_y)) <= slack + 0.03
    fits &= (mean >= least * (1 - slack)) & (mean <= most * (1 + slack))
    share_x, share_y = (np.full(mean.size, share) for share in centre)
    x, y = boxes.left + boxes.width / 2, boxes.top + boxes.height / 2
    return Marks(x, y, share_x, share_y, pitch_x, pitch_y).chosen(fits)


def joined(several: Sequence[Marks]) -> Marks:
    """All marks of several kinds."""
    return Marks(*(np.concatenate([getattr(marks, one.name) for marks in several]) for one in fields(Marks)))


def find_lattices(marks: Marks) -> list[Lattice]:
    """Lattices of marks of one pitch that lie together, those of most marks first."""
    found: list[Lattice] = []
    is_free = np.ones(marks.count, dtype=np.bool_)
    mean = np.sqrt(marks.pitch_x * marks.pitch_y)
    for pitch in _modes(mean):
        near = np.abs(np.log(mean / pitch))
        if int((is_free & (near < 0.02)).sum()) < MIN_MARKS / 2:
            continue
        alike = np.flatnonzero(is_free & (near <= _ALIKE))
        for members in _neighbourhoods(marks.chosen(alike), pitch):
            own = alike[members]
            fitted = _fitted(marks.chosen(own))
            if fitted is not None:
                lattice, is_on = fitted
                found.append(lattice)
                is_free[own[is_on]] = False
    return sorted(found, key=lambda lattice: -lattice.n_marks)[:MAX_LATTICES]


def _modes(pitches: Floats) -> list[float]:
    """Pitches that come often, the most common first."""
    if pitches.size < MIN_MARKS:
        return []
    values, counts = np.unique(np.round(pitches * 2) / 2, return_counts=True)
    return [float(values[i]) for i in np.argsort(-counts, kind="stable")[:_MAX_MODES]]


def _neighbourhoods(marks: Marks, pitch: float) -> list[NDArray[np.bool_]]:
    """Marks that lie together, as masks, the largest group first."""
    if marks.count < MIN_MARKS:
        return []
    x = ((marks.x - marks.x.min()) / pitch).astype(int)
    y = ((marks.y - marks.y.min()) / pitch).astype(int)
    chart = np.zeros((int(y.max()) + 1, int(x.max()) + 1), dtype=np.uint8)
    chart[y, x] = 1
    near = cv2.dilate(chart, np.ones((_REACH, _REACH), dtype=np.uint8))
    n_groups, labels = cv2.connectedComponents(near, connectivity=8)
    label = labels[y, x]
    sizes = np.bincount(label, minlength=n_groups)
    order = [group for group in np.argsort(-sizes, kind="stable") if group != 0 and sizes[group] >= MIN_MARKS]
    return [label == group for group in order[:MAX_LATTICES]]


def _fitted(marks: Marks) -> tuple[Lattice, NDArray[np.bool_]] | None:
    """The lattice of marks that lie together, and which of them lie on it; None where too few do."""
    across = _fit_axis(marks.x, marks.share_x, float(np.median(marks.pitch_x)))
    down = _fit_axis(marks.y, marks.share_y, float(np.median(marks.pitch_y)))
    if across is None or down is None:
        return None
    is_on = across.is_on & down.is_on
    if int(is_on.sum()) < max(MIN_MARKS, marks.count / 4):
        return None
    (x, pitch_x, cols), (y, pitch_y, rows) = across.span(is_on), down.span(is_on)
    return Lattice((x, y), (pitch_x, pitch_y), cols, rows, int(is_on.sum())), is_on


@dataclass(frozen=True, eq=False)
class _Comb:
    """Places at `origin + number * pitch`, and which of them lie there."""

    origin: float
    pitch: float
    number: Floats
    is_on: NDArray[np.bool_]

    def span(self, which: NDArray[np.bool_]) -> tuple[float, float, int]:
        """(place of the first tooth, pitch, number of teeth) of some of the places."""
        first, last = float(self.number[which].min()), float(self.number[which].max())
        return self.origin + first * self.pitch, self.pitch, int(last - first) + 1


def _fit_axis(places: Floats, shares: Floats, guess: float) -> _Comb | None:
    """The comb through most places; None where none fits them."""
    extent = max(float(np.ptp(places)), guess)
    low, high = guess * (1 - _ALIKE) - 0.25, guess * (1 + _ALIKE) + 0.25
    n_steps = int(np.clip((high - low) * extent / guess**2 * 12, 30, 4000))
    pitches = np.linspace(low, high, n_steps)
    values, counts = np.unique(np.stack([np.round(places, 1), shares]), axis=1, return_counts=True)
    turns = np.exp(2j * np.pi * (values[0] / pitches[:, None] - values[1])) @ counts
    best = int(np.abs(turns).argmax())
    pitch = float(pitches[best])
    origin = float(np.angle(turns[best]) / (2 * np.pi) * pitch)
    for _ in range(3):
        number = np.rint((places - origin) / pitch - shares)
        is_on = np.abs(places - origin - (number + shares) * pitch) <= _STRAY_PX
        if np.unique(number[is_on]).size < 2:
            return None
        pitch, origin = (float(value) for value in np.polyfit((number + shares)[is_on], places[is_on], 1))
    return _Comb(origin, pitch, number, is_on)
