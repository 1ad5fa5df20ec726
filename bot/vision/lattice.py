"""Lattices on a picture: where things of one size repeat along rows and columns.

The flat faces of a board's cells are connected areas of one colour. The middle of each one's bounding box is a point
of a cell whose size the box tells: a mark. Marks a pitch or two apart belong together and vote for pitch and phase on
each axis; a straight line through (number, place) makes both exact to a fraction of a pixel. What it shows is not
known here.
"""

from __future__ import annotations

import math
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
_MAX_LATTICES = 10
"""Most lattices that are followed up, those of most marks first."""
_STEPS = ((1, 0), (0, 1), (1, 1), (1, -1), (2, 0), (0, 2), (2, 1), (1, 2), (2, -1), (1, -2))
"""Steps between marks that belong together, in columns and rows."""
_TIE_PX = 2
"""Largest distance of such a mark from its place, in pixels."""
_CLOSE = 0.9
"""No two cells of one row are nearer to each other than this share of the pitch."""
_ALIKE = 0.08
"""Boxes are whole pixels: pitches taken from them are alike within this share."""
_FAR = 1.2
"""Faces may look smaller than they are by this factor."""
_MAX_ROUNDS = 3
_SAME_PX = 0.1
_MAX_MODES = 24
"""Number of pitches that are tried."""
_N_SAMPLES = 9
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

    @property
    def mean_pitch(self) -> Floats:
        """The geometric mean of both pitches."""
        return np.sqrt(self.pitch_x * self.pitch_y)

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
        samples: (row, col) of a few of them.
    """

    corner: tuple[float, float]
    pitch_px: tuple[float, float]
    cols: int
    rows: int
    n_marks: int
    samples: tuple[tuple[int, int], ...]


def boxes_of(mask: NDArray[np.uint8], *, least_px: float, most_px: float, grow_px: int = 0) -> Boxes:
    """The bounding boxes of a mask's areas whose sides are within these limits and that fill half of it.

    Pixels that touch by a corner belong together. `grow_px` is added to every side's length: what `parted` took away.
    """
    outlines, levels = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    if not outlines:
        return Boxes(*np.zeros((4, 0)))
    outer = [
        outline for outline, level in zip(outlines, levels.reshape(-1, 4)[:, 3].tolist(), strict=True) if level < 0
    ]
    starts = np.cumsum([0, *map(len, outer[:-1])])
    points = np.concatenate(outer).reshape(-1, 2)
    first, last = np.minimum.reduceat(points, starts, axis=0), np.maximum.reduceat(points, starts, axis=0) + 1
    width, height = (last - first).T
    fits = (np.minimum(width, height) >= least_px) & (np.maximum(width, height) <= most_px)
    (left, top), (right, bottom) = first[fits].T, last[fits].T
    total = np.asarray(cv2.integral(mask // 255))
    area = total[bottom, right] - total[top, right] - total[bottom, left] + total[top, left]
    is_full = 2 * area >= (right - left) * (bottom - top)
    sides = (left, top, right - left + grow_px, bottom - top + grow_px)
    return Boxes(*(side[is_full].astype(np.float64) for side in sides))


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
    for pitch in _modes(marks.mean_pitch):
        free = marks.chosen(is_free)
        for guess in dict.fromkeys([_usual_step(free, pitch), pitch]):
            found += _lattices_at(marks, is_free, _exact_pitch(free, guess))
        found += _lattices_at(marks, is_free, pitch)
    return sorted(found, key=lambda lattice: -lattice.n_marks)[:_MAX_LATTICES]


def _usual_step(marks: Marks, pitch: float) -> float:
    """How far apart marks of about this pitch lie in their rows, most of them: kernels that ring make faces smaller."""
    alike = marks.chosen(np.abs(np.log(marks.mean_pitch / pitch)) < _ALIKE / 4)
    order = np.lexsort((alike.x, np.rint(alike.y)))
    steps = np.diff(alike.x[order])[np.diff(np.rint(alike.y)[order]) == 0]
    steps = steps[(steps > _CLOSE * pitch) & (steps < _FAR * pitch)]
    if steps.size < MIN_MARKS:
        return pitch
    values, counts = np.unique(np.rint(steps), return_counts=True)
    return float(steps[np.abs(steps - values[counts.argmax()]) <= 1].mean())


def _exact_pitch(marks: Marks, pitch: float) -> float:
    """The pitch of the largest lattice of about this pitch."""
    for _ in range(_MAX_ROUNDS):
        alike = _alike(marks, pitch)
        groups = _neighbourhoods(marks.chosen(alike), pitch)
        fitted = _fitted(marks.chosen(alike[groups[0]]), pitch) if groups else None
        if fitted is None:
            break
        before, pitch = pitch, math.sqrt(math.prod(fitted[0].pitch_px))
        if abs(pitch - before) < _SAME_PX:
            break
    return pitch


def _lattices_at(marks: Marks, is_free: NDArray[np.bool_], pitch: float) -> list[Lattice]:
    """Lattices of one pitch; their marks are free no more."""
    found = []
    free = np.flatnonzero(is_free)
    alike = free[_alike(marks.chosen(free), pitch)]
    for members in _neighbourhoods(marks.chosen(alike), pitch):
        own = alike[members]
        while own.size >= MIN_MARKS and (fitted := _fitted(marks.chosen(own), pitch)) is not None:
            lattice, is_on = fitted
            found.append(lattice)
            is_free[own[is_on]] = False
            own = own[~is_on]
    return found


def _alike(marks: Marks, pitch: float) -> NDArray[np.intp]:
    """The numbers of the marks of about this pitch, none of them of a table of smaller cells."""
    alike = np.flatnonzero((marks.mean_pitch >= pitch / _FAR) & (marks.mean_pitch <= pitch * (1 + _ALIKE)))
    if alike.size < MIN_MARKS:
        return alike[:0]
    return alike[_has_room(marks.chosen(alike), pitch)]


def _modes(pitches: Floats) -> list[float]:
    """Pitches that come often, the most common first."""
    if pitches.size < MIN_MARKS:
        return []
    values, counts = np.unique(np.round(pitches * 2) / 2, return_counts=True)
    return [float(values[i]) for i in np.argsort(-counts, kind="stable")[:_MAX_MODES]]


def _has_room(marks: Marks, pitch: float) -> NDArray[np.bool_]:
    """Which marks have no other in their row or column nearer than a pitch: those of a table of smaller cells do."""
    has_room = np.ones(marks.count, dtype=np.bool_)
    for along, across in ((marks.x, marks.y), (marks.y, marks.x)):
        order = np.lexsort((along, across))
        steps = np.diff(along[order])
        is_close = (np.diff(across[order]) == 0) & (steps > 2 * _STRAY_PX) & (steps < _CLOSE * pitch)
        has_room[order[1:][is_close]] = False
        has_room[order[:-1][is_close]] = False
    return has_room


def _neighbourhoods(marks: Marks, pitch: float) -> list[NDArray[np.intp]]:
    """Groups of marks (their numbers) tied together by others one or two pitches away, the largest group first."""
    if marks.count < MIN_MARKS:
        return []
    # Marks of several kinds are points in different places of their cells: compare the cells' corners.
    corners = np.stack([marks.x - marks.share_x * pitch, marks.y - marks.share_y * pitch])
    x, y = np.rint(corners - corners.min(axis=1, keepdims=True)).astype(int) + _TIE_PX
    chart = np.full((int(y.max()) + 1 + _TIE_PX, int(x.max()) + 1 + _TIE_PX), -1, dtype=np.int32)
    numbers = np.arange(marks.count, dtype=np.int32)
    for dx in range(-_TIE_PX, _TIE_PX + 1):
        for dy in range(-_TIE_PX, _TIE_PX + 1):
            chart[y + dy, x + dx] = numbers
    chart[y, x] = numbers
    ties = [(numbers, chart[y, x])]
    for cols, rows in _STEPS:
        at_x, at_y = np.rint(x + cols * pitch).astype(int), np.rint(y + rows * pitch).astype(int)
        inside = np.flatnonzero((at_x >= 0) & (at_x < chart.shape[1]) & (at_y >= 0) & (at_y < chart.shape[0]))
        other = chart[at_y[inside], at_x[inside]]
        ties.append((numbers[inside][other >= 0], other[other >= 0]))
    label = _joined_up(marks.count, *(np.concatenate(ends) for ends in zip(*ties, strict=True)))
    sizes = np.bincount(label, minlength=marks.count)
    order = [group for group in np.argsort(-sizes, kind="stable")[:_MAX_LATTICES] if sizes[group] >= MIN_MARKS]
    return [np.flatnonzero(label == group) for group in order]


def _joined_up(n: int, one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    """The smallest number of those that each of `n` numbers is tied to, directly or by way of others."""
    label = np.arange(n, dtype=np.int32)
    while True:
        before = label.copy()
        least = np.minimum(label[one], label[other])
        np.minimum.at(label, label[one], least)
        np.minimum.at(label, label[other], least)
        label = label[label[label]]
        if np.array_equal(label, before):
            return label


def _fitted(marks: Marks, pitch: float) -> tuple[Lattice, NDArray[np.bool_]] | None:
    """The lattice of most marks that lie together, and which of them lie on it; None where too few do.

    Where two lattices touch, each axis by itself could follow another one: each is fitted to the marks on the other.
    """
    stretch = math.sqrt(float(np.median(marks.pitch_x / marks.pitch_y)))
    across = _fit_axis(marks.x, marks.share_x, pitch * stretch)
    if across is None:
        return None
    is_on = across.is_on
    down = across
    for _ in range(2):
        taken = marks.chosen(is_on)
        down_on = _fit_axis(taken.y, taken.share_y, pitch / stretch)
        if down_on is None:
            return None
        down = down_on.extended(marks.y, marks.share_y)
        taken = marks.chosen(down.is_on & is_on)
        if taken.count < MIN_MARKS:
            return None
        across_on = _fit_axis(taken.x, taken.share_x, pitch * stretch)
        if across_on is None:
            return None
        across = across_on.extended(marks.x, marks.share_x)
        is_on = across.is_on & down.is_on
        if int(is_on.sum()) < max(MIN_MARKS, marks.count / 4):
            return None
        if is_on.all():
            break
    (x, pitch_x, cols), (y, pitch_y, rows) = across.span(is_on), down.span(is_on)
    n_marks = int(is_on.sum())
    chosen = np.flatnonzero(is_on)[np.linspace(0, n_marks - 1, _N_SAMPLES).astype(int)]
    col, row = across.number - across.number[is_on].min(), down.number - down.number[is_on].min()
    samples = tuple((int(row[i]), int(col[i])) for i in chosen)
    return Lattice((x, y), (pitch_x, pitch_y), cols, rows, n_marks, samples), is_on


@dataclass(frozen=True, eq=False)
class _Comb:
    """Places at `origin + number * pitch`, and which of them lie there."""

    origin: float
    pitch: float
    number: Floats
    is_on: NDArray[np.bool_]

    def extended(self, places: Floats, shares: Floats) -> _Comb:
        """The same comb, and which of other places lie on it."""
        number = np.rint((places - self.origin) / self.pitch - shares)
        is_on = np.abs(places - self.origin - (number + shares) * self.pitch) <= _STRAY_PX
        return _Comb(self.origin, self.pitch, number, is_on)

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
    values, counts = np.unique(np.round(places, 1) + 1j * shares, return_counts=True)  # pairs of place and share
    angles = 2 * np.pi * (values.real / pitches[:, None] - values.imag)
    turns = np.cos(angles) @ counts + 1j * (np.sin(angles) @ counts)  # in half the time of the complex exp
    best = int(np.abs(turns).argmax())
    pitch = float(pitches[best])
    origin = float(np.angle(turns[best]) / (2 * np.pi) * pitch)
    for _ in range(3):
        number = np.rint((places - origin) / pitch - shares)
        is_on = np.abs(places - origin - (number + shares) * pitch) <= _STRAY_PX
        teeth, at = (number + shares)[is_on], places[is_on]
        if np.unique(number[is_on]).size < 2:
            return None
        apart = teeth - teeth.mean()
        pitch = float((apart * at).sum() / (apart**2).sum())
        origin = float(at.mean() - pitch * teeth.mean())
    return _Comb(origin, pitch, number, is_on)
