"""Fits lattices, the lines of rows and columns, to flat areas of one size that repeat on a picture.

The face of a cell is the flat area that repeats wherever cells of one sprite lie side by side. A closed cell is a face
inside a bevel or between gaps; an open cell is a face between lines. Faces are connected areas of one colour. The
middle of each one's bounding box is a point of a cell whose size the box tells: a mark. Marks a pitch or two apart
belong together and vote for pitch and phase on each axis; a straight line through (number, place) makes both exact to
a fraction of a pixel.

Where no skin fits, flat areas in any colours (pixels that hardly differ from their neighbours) are taken for faces: how
far apart most of them lie in a row is the pitch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Grid, Region
from bot.vision.sites import MIN_SIDE
from skins.pixels import largest_channel, most_frequent
from skins.skin import CLOSED, FLAG, is_open_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    from bot.models import Frame
    from bot.vision.row_repeats import Repeat
    from skins.skin import Skin, Sprite
    from solver.topology import Cell


_MIN_MARKS = 5  # fewer marks are no lattice
_MAX_LATTICES = 10  # most lattices that are followed up, those of most marks first
_STEPS = ((1, 0), (0, 1), (1, 1), (1, -1), (2, 0), (0, 2), (2, 1), (1, 2), (2, -1), (1, -2))
"""Steps between marks that belong together, in columns and rows."""
_TIE_PX = 2  # largest distance of a mark from its place a step from another, in pixels
_CLOSE = 0.9  # no two cells of one row are nearer to each other than this share of the pitch
_ALIKE = 0.08  # boxes are whole pixels: pitches taken from them are alike within this share
_FAR = 1.2  # faces may look smaller than they are by this factor
_MAX_ROUNDS = 3  # of making a pitch exact
_SAME_PX = 0.1  # a pitch that changes by less is exact
_MAX_MODES = 24  # number of pitches that are tried
_N_SAMPLES = 9  # marks of a lattice that stand for all
_STRAY_PX = 1.3  # a mark farther from its place on a lattice is not counted


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

    @staticmethod
    def joined(several: Sequence[Boxes]) -> Boxes:
        """All boxes of several groups."""
        return Boxes(*(np.concatenate([getattr(boxes, one.name) for boxes in several]) for one in fields(Boxes)))


@dataclass(frozen=True, eq=False)
class _Marks:
    """Points of cells: arrays of one length, of float64 where nothing else is said.

    Attributes:
        x: pixels; likewise `y`.
        share_x: how far right of its cell's corner the point lies, as a share of the cell; likewise `share_y`.
        pitch_x: about how far the next cell is, in pixels; likewise `pitch_y`.
        is_telling: whether the cell tells of a board (bool). A group of points is a board only if one of them does.
    """

    x: Floats
    y: Floats
    share_x: Floats
    share_y: Floats
    pitch_x: Floats
    pitch_y: Floats
    is_telling: NDArray[np.bool_]

    @property
    def count(self) -> int:
        """How many there are."""
        return self.x.size

    @property
    def mean_pitch(self) -> Floats:
        """The geometric mean of both pitches."""
        return np.sqrt(self.pitch_x * self.pitch_y)

    def chosen(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> _Marks:
        """Some of them."""
        return _Marks(*(getattr(self, one.name)[which] for one in fields(self)))


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


def _boxes_of(mask: NDArray[np.uint8], *, least_px: float, most_px: float, grow_px: int = 0) -> Boxes:
    """The bounding boxes of a mask's areas whose sides are within these limits and that fill half of it.

    Pixels that touch by a corner belong together. `grow_px` is added to every side's length: what `_parted` took away.
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
    total = np.asarray(cv2.integral(mask))  # int32: a huge picture overflows it; differences stay right
    area = (total[bottom, right] - total[top, right] - total[bottom, left] + total[top, left]) // 255
    is_full = 2 * area >= (right - left) * (bottom - top)
    sides = (left, top, right - left + grow_px, bottom - top + grow_px)
    return Boxes(*(side[is_full].astype(np.float64) for side in sides))


def _marks_of(boxes: Boxes, face: _Face, *, least: float, most: float, is_telling: bool) -> _Marks:
    """Take boxes for faces of cells: which cells would that be?

    Args:
        boxes: candidates, others among them.
        face: what they are taken for.
        least: the smallest pitch.
        most: the largest.
        is_telling: as `_Marks` has it.
    """
    pitch_x, pitch_y = boxes.width / face.size[0], boxes.height / face.size[1]
    slack = 1.5 / np.minimum(boxes.width, boxes.height)
    mean = np.sqrt(pitch_x * pitch_y)
    fits = np.abs(np.log(pitch_x / pitch_y)) <= slack + 0.03
    fits &= (mean >= least * (1 - slack)) & (mean <= most * (1 + slack))
    share_x, share_y = (np.full(mean.size, share) for share in face.centre)
    x, y = boxes.left + boxes.width / 2, boxes.top + boxes.height / 2
    return _Marks(x, y, share_x, share_y, pitch_x, pitch_y, np.full(mean.size, is_telling)).chosen(fits)


def _joined(several: Sequence[_Marks]) -> _Marks:
    """All marks of several kinds."""
    return _Marks(*(np.concatenate([getattr(marks, one.name) for marks in several]) for one in fields(_Marks)))


def _find_lattices(marks: _Marks, pitches: Sequence[float]) -> list[Lattice]:
    """Lattices of marks that lie together and have about one of these pitches. Those of most marks come first."""
    found: list[Lattice] = []
    is_free = np.ones(marks.count, dtype=np.bool_)
    for pitch in pitches:
        free = marks.chosen(is_free)
        for guess in dict.fromkeys([_usual_step(free, pitch), pitch]):
            found += _lattices_at(marks, is_free, _exact_pitch(free, guess))
        found += _lattices_at(marks, is_free, pitch)
    return sorted(found, key=lambda lattice: -lattice.n_marks)[:_MAX_LATTICES]


def _usual_step(marks: _Marks, pitch: float) -> float:
    """How far apart marks of about this pitch lie in their rows, most of them: kernels that ring make faces smaller."""
    alike = marks.chosen(np.abs(np.log(marks.mean_pitch / pitch)) < _ALIKE / 4)
    order = np.lexsort((alike.x, np.rint(alike.y)))
    steps = np.diff(alike.x[order])[np.diff(np.rint(alike.y)[order]) == 0]
    steps = steps[(steps > _CLOSE * pitch) & (steps < _FAR * pitch)]
    if steps.size < _MIN_MARKS:
        return pitch
    values, counts = np.unique(np.rint(steps), return_counts=True)
    return float(steps[np.abs(steps - values[counts.argmax()]) <= 1].mean())


def _exact_pitch(marks: _Marks, pitch: float) -> float:
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


def _lattices_at(marks: _Marks, is_free: NDArray[np.bool_], pitch: float) -> list[Lattice]:
    """Lattices of one pitch; their marks are free no more."""
    found = []
    free = np.flatnonzero(is_free)
    alike = free[_alike(marks.chosen(free), pitch)]
    for members in _neighbourhoods(marks.chosen(alike), pitch):
        own = alike[members]
        while own.size >= _MIN_MARKS and (fitted := _fitted(marks.chosen(own), pitch)) is not None:
            lattice, is_on = fitted
            found.append(lattice)
            is_free[own[is_on]] = False
            own = own[~is_on]
    return found


def _alike(marks: _Marks, pitch: float) -> NDArray[np.intp]:
    """The numbers of the marks of about this pitch, none of them of a table of smaller cells."""
    alike = np.flatnonzero((marks.mean_pitch >= pitch / _FAR) & (marks.mean_pitch <= pitch * (1 + _ALIKE)))
    if alike.size < _MIN_MARKS:
        return alike[:0]
    return alike[_has_room(marks.chosen(alike), pitch)]


def _modes(marks: _Marks, least: int = 1) -> list[float]:
    """The pitches that marks have, the most common first. Those of fewer than `least` marks are left out."""
    if marks.count < _MIN_MARKS:
        return []
    values, counts = np.unique(np.round(marks.mean_pitch * 2) / 2, return_counts=True)
    return [float(values[i]) for i in np.argsort(-counts, kind="stable")[:_MAX_MODES] if counts[i] >= least]


def _has_room(marks: _Marks, pitch: float) -> NDArray[np.bool_]:
    """Which marks have no other in their row or column nearer than a pitch: those of a table of smaller cells do."""
    has_room = np.ones(marks.count, dtype=np.bool_)
    for along, across in ((marks.x, marks.y), (marks.y, marks.x)):
        order = np.lexsort((along, across))
        steps = np.diff(along[order])
        is_close = (np.diff(across[order]) == 0) & (steps > 2 * _STRAY_PX) & (steps < _CLOSE * pitch)
        has_room[order[1:][is_close]] = False
        has_room[order[:-1][is_close]] = False
    return has_room


def _neighbourhoods(marks: _Marks, pitch: float) -> list[NDArray[np.intp]]:
    """Groups of marks (their numbers) tied together by others one or two pitches away, the largest group first.

    Each has one that tells of a board.
    """
    if marks.count < _MIN_MARKS:
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
    label = tied(marks.count, *(np.concatenate(ends) for ends in zip(*ties, strict=True)))
    sizes = np.bincount(label, minlength=marks.count)
    sizes[np.bincount(label[marks.is_telling], minlength=marks.count) == 0] = 0
    order = [group for group in np.argsort(-sizes, kind="stable")[:_MAX_LATTICES] if sizes[group] >= _MIN_MARKS]
    return [np.flatnonzero(label == group) for group in order]


def tied(n: int, one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.intp]:
    """The smallest number of those that each of `n` numbers is tied to, directly or by way of others.

    Args:
        n: how many numbers there are, from 0 on.
        one: numbers that are tied.
        other: what each of those is tied to.
    """
    label = np.arange(n)
    while True:
        before = label.copy()
        least = np.minimum(label[one], label[other])
        np.minimum.at(label, label[one], least)
        np.minimum.at(label, label[other], least)
        label = label[label[label]]
        if np.array_equal(label, before):
            return label


def _fitted(marks: _Marks, pitch: float) -> tuple[Lattice, NDArray[np.bool_]] | None:
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
        if taken.count < _MIN_MARKS:
            return None
        across_on = _fit_axis(taken.x, taken.share_x, pitch * stretch)
        if across_on is None:
            return None
        across = across_on.extended(marks.x, marks.share_x)
        is_on = across.is_on & down.is_on
        if int(is_on.sum()) < max(_MIN_MARKS, marks.count / 4):
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
        """The comb, and which of other places lie on it."""
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


_LEAST_FACE = 0.3  # a face takes at least this share of a cell's width and height
_LEAST_EVEN = 0.6  # least share of a face that is exactly of its colour: half of a dotted one has another
_DOTS_PX = 4
"""Lines of some skins are dotted: areas that flow together through narrower gaps than this are parted (3 at 300 %)."""


@dataclass(frozen=True)
class _Face:
    """The face of one sprite.

    Attributes:
        colour: its B, G, R.
        centre: (x, y) of its middle, as a share of the cell.
        size: (width, height), as a share of the cell.
        is_open: whether it is an open cell's.
        is_dotted: whether open cells of its colour flow together through the gaps of dotted lines.
        is_even: whether most of it is exactly of its colour.
    """

    colour: tuple[int, int, int]
    centre: tuple[float, float]
    size: tuple[float, float]
    is_open: bool
    is_dotted: bool = False
    is_even: bool = True


@lru_cache(maxsize=256)
def _faces_of(skin: Skin) -> tuple[_Face, ...]:
    """The faces of closed cells, open ones without a number, and flags; sprites whose cells flow together have none."""
    sprites = [sprite for state in (CLOSED, "0", FLAG) for sprite in skin.sprites_of(state)]
    faces = [_face(sprite, skin.tolerance.colour, skin.closed_bgr) for sprite in sprites]
    numbers = [_face(sprite, skin.tolerance.colour) for sprite in skin.sprites if sprite.state.isdecimal()]
    dotted = {face.colour for face in numbers if face is not None and face.is_dotted}
    found = (replace(face, is_dotted=face.colour in dotted) for face in faces if face is not None)
    return tuple(dict.fromkeys(found))


def _face(sprite: Sprite, tolerance: int, closed_bgr: tuple[int, int, int] | None = None) -> _Face | None:
    """The face of a sprite: of the colour most of it has, or of closed cells where that covers more, as of dots."""
    blue, green, red = most_frequent(sprite.pixels_bgr)
    if closed_bgr is not None and sprite.state == CLOSED:
        own, closed = (colour_mask(sprite.pixels_bgr, one, tolerance) for one in ((blue, green, red), closed_bgr))
        if cv2.countNonZero(closed) > cv2.countNonZero(own):
            blue, green, red = closed_bgr
    mask = colour_mask(np.tile(sprite.pixels_bgr, (3, 3, 1)), (blue, green, red), tolerance)
    height, width = sprite.pixels_bgr.shape[:2]
    for gap_px in (1, 2):
        left, top, box_width, box_height = _largest_inside(_parted(mask, gap_px), width, height)
        if min(box_width / width, box_height / height) < _LEAST_FACE:
            return None
        size = (box_width + gap_px - 1, box_height + gap_px - 1)
        if size[0] <= width and size[1] <= height:
            centre = ((left + size[0] / 2) / width - 1, (top + size[1] / 2) / height - 1)
            share = (size[0] / width, size[1] / height)
            n_exact = int((sprite.pixels_bgr == (blue, green, red)).all(axis=2).sum())
            is_even = n_exact > _LEAST_EVEN * size[0] * size[1]
            return _Face((blue, green, red), centre, share, is_open_state(sprite.state), gap_px > 1, is_even)
    return None


def _largest_inside(mask: NDArray[np.uint8], width: int, height: int) -> tuple[int, int, int, int]:
    """(left, top, width, height) of the area that takes most of the middle one of 3 x 3 cells; zeros for none."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    inside = labels[height : 2 * height, width : 2 * width]
    areas = np.bincount(inside[inside > 0].astype(np.intp), minlength=1)
    if not areas.any():
        return 0, 0, 0, 0
    left, top, box_width, box_height, _ = (int(value) for value in stats[int(areas.argmax())])
    return left, top, box_width, box_height


def _parted(mask: NDArray[np.uint8], gap_px: int) -> NDArray[np.uint8]:
    """The mask without what is narrower than `gap_px`: areas lose `gap_px - 1` columns and rows, right and below."""
    return np.asarray(cv2.erode(mask, np.ones((gap_px, gap_px), dtype=np.uint8), anchor=(0, 0)), dtype=np.uint8)


def colour_mask(pixels_bgr: NDArray[np.uint8], colour: tuple[int, int, int], tolerance: int) -> NDArray[np.uint8]:
    """255 where every channel is within `tolerance` of `colour` (B, G, R), else 0: uint8, height x width."""
    low = tuple(max(channel - tolerance, 0) for channel in colour)
    high = tuple(min(channel + tolerance, 255) for channel in colour)
    return np.asarray(cv2.inRange(pixels_bgr, low, high), dtype=np.uint8)


_LEAST_FACE_PX, _MOST_FACE_PX = 5, 200  # the sides of the flat faces of cells, of all skins and scales
MIN_SCALE = 0.95
_MAX_SCALE = 5.0
"""Boards at 100 to 300 %, and a little slack; small boards of clones that fill their window are larger still."""


class Faces:
    """The boxes of one frame's areas of a colour, made when asked for: skins share colours."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self._boxes: dict[tuple[tuple[int, int, int], int, int], Boxes] = {}

    def boxes(self, face: _Face, tolerance: int, gap_px: int = 2) -> Boxes:
        """The boxes of areas of a face's colour, parted where they are narrower than `gap_px`."""
        key = (face.colour, tolerance, gap_px)
        if key not in self._boxes:
            mask = colour_mask(self.frame.pixels_bgr, face.colour, tolerance)
            is_worth_it = cv2.countNonZero(mask) > _MIN_MARKS * _LEAST_FACE_PX**2 / 2
            areas = _parted(mask if is_worth_it else mask[:1, :1], gap_px)
            self._boxes[key] = _boxes_of(areas, least_px=_LEAST_FACE_PX, most_px=_MOST_FACE_PX, grow_px=gap_px - 1)
        return self._boxes[key]


_OFF_PX = 1.5  # error of the pitch of what repeats
_LONGER_PX = 1.0  # by how much a run may be longer than its face, and what has its colour higher
_MOST_BLENDED = 4.5
"""The pixels of a face, across or down, in the clone's own size, that kernels blend with what is on both sides."""
_SAME_COLOUR = 12  # most steps a channel between a face's colour and that of runs


def may_be_faces(repeat: Repeat, skin: Skin) -> bool:
    """Whether some of the runs that repeat somewhere may be rows of the faces of a skin's cells."""
    least, most = _pitches_of(skin)
    if not least - _OFF_PX <= repeat.pitch_px <= most + _OFF_PX:
        return False
    for face in _even_faces_of(skin):
        apart = largest_channel(np.abs(repeat.colours_bgr.astype(np.int16) - face.colour))
        is_like = (apart <= _SAME_COLOUR) & _fits(repeat.widths, face.size[0], skin.pitch_px[0], repeat.pitch_px)
        if np.count_nonzero(is_like) >= _MIN_MARKS:  # else the heights would be looked up for nothing
            is_like &= _fits(repeat.heights, face.size[1], skin.pitch_px[1], repeat.pitch_px)
        if np.count_nonzero(is_like) >= _MIN_MARKS:
            return True
    return False


def _fits(sides: NDArray[np.intp], share: float, native_px: int, pitch_px: float) -> NDArray[np.bool_]:
    """Which sides may be those of faces that take this share of a cell, enlarged from `native_px` to `pitch_px`."""
    least, most = share - _MOST_BLENDED / native_px, share + _LONGER_PX / pitch_px
    return (sides >= least * pitch_px) & (sides <= most * pitch_px)


@lru_cache(maxsize=256)
def _even_faces_of(skin: Skin) -> tuple[_Face, ...]:
    """The faces whose rows are runs of one colour: those of closed cells, or of any where closed cells have none."""
    faces = [_face(sprite, skin.tolerance.colour, skin.closed_bgr) for sprite in skin.sprites_of(CLOSED)]
    closed = tuple(face for face in faces if face is not None and face.is_even)
    return closed or tuple(face for face in _faces_of(skin) if face.is_even)


def lattices_of(
    faces: Faces, skin: Skin, *, of_many_closed: bool = False, pitch_px: float | None = None
) -> list[tuple[Grid, tuple[Cell, ...]]]:
    """Where cells of a skin may lie, to about half a pixel: grids of the cells seen, those of most cells first.

    With each a few of the cells seen.

    Args:
        faces: of the frame.
        skin: of the cells.
        of_many_closed: whether to look only beside closed cells and flags, and only if several have one size. That
            leaves out tables of empty fields. Screens have many of them.
        pitch_px: about how far cells are apart, where that is known.
    """
    own = _faces_of(skin)
    if of_many_closed:
        closed = _marks_on(faces, skin, [face for face in own if not face.is_open], is_telling=True)
        pitches = _modes(_joined(closed), _MIN_MARKS) if closed else []
        opened = [face for face in own if face.is_open] if pitches else []
        marks = closed + _marks_on(faces, skin, opened, is_telling=False)
    else:
        marks = _marks_on(faces, skin, own, is_telling=True)
        pitches = _modes(_joined(marks)) if marks else []
    if not pitches:
        return []
    joined, frame = _joined(marks), faces.frame
    if pitch_px is None:
        found = _find_lattices(joined, pitches)
    else:
        found = _lattices_at(joined, np.ones(joined.count, dtype=np.bool_), pitch_px)
    corners = [(frame.left + lattice.corner[0], frame.top + lattice.corner[1]) for lattice in found]
    return [
        (Grid.at(corner, lattice.pitch_px, lattice.rows, lattice.cols), lattice.samples)
        for corner, lattice in zip(corners, found, strict=True)
    ]


def _marks_on(faces: Faces, skin: Skin, sought: Sequence[_Face], *, is_telling: bool) -> list[_Marks]:
    """What may be cells of a skin on a frame, by some of their faces."""
    least, most = _pitches_of(skin)
    return [
        _marks_of(faces.boxes(face, skin.tolerance.colour, gap_px), face, least=least, most=most, is_telling=is_telling)
        for face in sought
        for gap_px in ((2, _DOTS_PX) if face.is_dotted else (2,))
    ]


def _pitches_of(skin: Skin) -> tuple[float, float]:
    """The smallest and the largest pitch of a skin's cells that are looked for."""
    mean, sizes = side_of(skin), skin.drawing.sizes
    least = MIN_SCALE * mean if sizes is None else min(sizes.least_px - 0.5, MIN_SCALE * mean)
    return least, _MAX_SCALE * mean


def side_of(skin: Skin) -> float:
    """The side of a square cell of a skin, or the mean of its sides."""
    width, height = skin.pitch_px
    return float((width * height) ** 0.5)


_FLAT = 8  # neighbours that differ by no more in any channel are one area
_LEAST_PX, _MOST_PX = 6, 120
_MOST_SIZES = 6
_SMALLEST_FACE = 0.4  # a face takes at least this share of the pitch
_LEAST_SEEN = 0.3  # share of a lattice's cells, between the outermost ones, that must be seen


def find_flat_lattices(pixels_bgr: NDArray[np.uint8], flat: int = _FLAT) -> list[Lattice]:
    """Lattices of at least 4 x 4 equal flat areas, those of most areas first.

    Args:
        pixels_bgr: the picture.
        flat: neighbours that differ by no more in any channel are one area.
    """
    boxes = flat_boxes(pixels_bgr, flat)
    if boxes.count == 0:
        return []
    sizes, counts = np.unique(np.stack([boxes.width, boxes.height], axis=1), axis=0, return_counts=True)
    found = []
    for i in np.argsort(-counts, kind="stable")[:_MOST_SIZES]:
        width, height = sizes[i]
        alike = boxes.chosen((np.abs(boxes.width - width) <= 1) & (np.abs(boxes.height - height) <= 1))
        pitch_x, pitch_y = _spacing(alike.left, alike.top, width), _spacing(alike.top, alike.left, height)
        if pitch_x is not None and pitch_y is not None:
            half, one = np.full(alike.count, 0.5), np.ones(alike.count)
            x, y = alike.left + alike.width / 2, alike.top + alike.height / 2
            marks = _Marks(x, y, half, half, pitch_x * one, pitch_y * one, one.astype(np.bool_))
            found += _find_lattices(marks, _modes(marks))
    found = [
        lattice
        for lattice in found
        if min(lattice.rows, lattice.cols) >= MIN_SIDE and lattice.n_marks >= _LEAST_SEEN * lattice.rows * lattice.cols
    ]
    return sorted(found, key=lambda lattice: -lattice.n_marks)


def flat_boxes(pixels_bgr: NDArray[np.uint8], flat: int = _FLAT) -> Boxes:
    """The boxes of flat areas as large as cells may be."""
    return _boxes_of(flat_areas(pixels_bgr, flat), least_px=_LEAST_PX, most_px=_MOST_PX, grow_px=1)


def flat_areas(pixels_bgr: NDArray[np.uint8], flat: int = _FLAT) -> NDArray[np.uint8]:
    """255 where a pixel and the one right of, below and diagonally below it are like theirs: uint8, height x width."""
    right = cv2.absdiff(pixels_bgr[:-1, :-1], pixels_bgr[:-1, 1:])
    below = cv2.absdiff(pixels_bgr[:-1, :-1], pixels_bgr[1:, :-1])
    most = largest_channel(np.asarray(cv2.max(right, below)))
    return _parted(np.where(most <= flat, 255, 0).astype(np.uint8), 2)


def _spacing(along: NDArray[np.float64], across: NDArray[np.float64], side: float) -> float | None:
    """How far most areas are from the next one in their line; None where that is not a cell's width."""
    order = np.lexsort((along, across))
    steps = np.diff(along[order])[np.diff(across[order]) == 0]
    steps = steps[(steps >= side) & (steps * _SMALLEST_FACE <= side)]
    if steps.size < MIN_SIDE:
        return None
    return float(np.median(steps[steps <= steps.min() * 1.1]))


_FLATS = (8, 2)  # steps a channel within which neighbouring pixels make one area: bare fields in turn may be 8 apart
_MOST_PLACES = 3  # most places where something repeats that are looked at, those of most repetitions first


@lru_cache(maxsize=1)
def find_places(frame: Frame) -> list[Lattice]:
    """Where something repeats like closed cells, the most repetitions first; no more than a few places."""
    found = (lattice for flat in _FLATS for lattice in find_flat_lattices(frame.pixels_bgr, flat)[:_MOST_PLACES])
    places: list[Lattice] = []
    for lattice in sorted(found, key=lambda lattice: -lattice.n_marks):
        middle = region_of(lattice, frame).middle
        if not any(region_of(place, frame).has_pixel(middle) for place in places):
            places.append(lattice)
    return places[:_MOST_PLACES]


def region_of(lattice: Lattice, frame: Frame) -> Region:
    """The part of a frame on which something repeats."""
    (left, top), (pitch_x, pitch_y) = lattice.corner, lattice.pitch_px
    corner = (frame.left + max(int(left), 0), frame.top + max(int(top), 0))
    size = (math.ceil(lattice.cols * pitch_x), math.ceil(lattice.rows * pitch_y))
    return Region(*corner, *size).widened(0, frame.region)
