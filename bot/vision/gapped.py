"""Finds boards whose cells have known colours and gaps between them, at any size (`skins.skin.Tiles`).

What a cell shows between the gaps is its face: a connected area of the skin's grounds around whatever sign is on it;
its bounding box is exact to the pixel. Boxes of one size that lie together are sorted into columns and rows, some of
them perhaps hidden. These need not be evenly spaced: such a clone shares out what is left of its window's width among
the first columns. Each board is named before it counts as one.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from bot.models import FoundBoard, Grid
from bot.vision.colours import areas_of, thinned
from bot.vision.gapped_match import Corners, InsetMeter, gap_around, gapped_matcher_of
from bot.vision.lattice import Boxes, tied
from bot.vision.sites import MIN_SIDE, board_of_named
from solver import board as codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame, Region
    from bot.vision.gapped_match import GappedMatcher
    from skins.skin import Skin

    Places = NDArray[np.float64]


_ALIKE = 0.12  # faces of one board differ by a pixel or two, and this share of their side
LEAST_GAP_PX = 3
_MOST_GAP = 0.45  # of a face
_EVEN_PX = 0.4  # most that the middles of evenly spaced faces stray; those of a clone at 150 % stray 0.5 and more
_STRAY_PX = 2.0  # boxes in one line, and sides of one size, differ by no more, and a share of their side


@dataclass(frozen=True, eq=False)
class Lines:
    """The faces of a board along one axis: where each begins and ends, in pixels; NaN for lines that are all hidden."""

    start: Places
    end: Places

    def has(self, places: Places) -> NDArray[np.bool_]:
        """Which of the boxes that begin there lie on one of the lines."""
        near: NDArray[np.bool_] = np.abs(places[:, None] - self.start) <= _STRAY_PX
        return np.asarray(near.any(axis=1))

    def numbers(self, places: Places) -> NDArray[np.intp]:
        """The line nearest to each of the boxes that begin there."""
        seen = np.flatnonzero(~np.isnan(self.start))
        starts = np.interp(np.arange(self.start.size), seen, self.start[seen])
        return np.asarray(np.searchsorted((starts[1:] + starts[:-1]) / 2, places))

    def continues(self, places: Places) -> NDArray[np.bool_]:
        """Which of the boxes that begin there lie on one of the lines, or a step or two beyond the outermost."""
        seen = np.flatnonzero(~np.isnan(self.start))
        pitch = float(np.median(np.diff(self.start[seen]) / np.diff(seen)))
        wider = np.concatenate(
            [self.start[0] - pitch * np.array([2, 1]), self.start, self.start[-1] + pitch * np.array([1, 2])]
        )
        near: NDArray[np.bool_] = np.abs(places[:, None] - wider) <= _STRAY_PX + _ALIKE * pitch
        return np.asarray(near.any(axis=1))

    @property
    def gap(self) -> float:
        """How far most faces are apart."""
        gaps = self.start[1:] - self.end[:-1]
        return 0.0 if np.isnan(gaps).all() else float(np.nanmedian(gaps))

    @property
    def has_gaps(self) -> bool:
        """Whether faces are as far apart as a clone may draw them."""
        return LEAST_GAP_PX <= self.gap <= _MOST_GAP * float(np.nanmedian(self.end - self.start))

    @property
    def is_crisp(self) -> bool:
        """Whether all faces are equally far apart, as a clone draws them."""
        gaps = self.start[1:] - self.end[:-1]
        return bool((gaps[~np.isnan(gaps)] == self.gap).all())

    def edges(self) -> NDArray[np.intp]:
        """Where cells begin and the last one ends.

        A cell reaches to the middle of the gap; where gaps are not all alike, the picture was scaled after it was
        drawn, and cells are as even as their middles are.
        """
        number = np.arange(self.start.size)
        seen = ~np.isnan(self.start)
        middle = (self.start + self.end) / 2
        inner = seen & (number > 0) & (number < number.size - 1)  # beside the outermost lies who knows what
        pitch, origin = np.polyfit(number[inner] + 0.5, middle[inner], 1)
        is_even = float(np.abs(origin + pitch * (number + 0.5) - middle)[inner].max()) <= _EVEN_PX
        if is_even and not self.is_crisp:
            near, far = round(origin), round(origin + pitch * number.size)
            cuts = np.linspace(near, far, number.size + 1)
        else:
            cuts = np.interp(
                np.append(number, number.size),
                np.append(number[seen], number.size),
                np.append(self.start[seen] - self.gap / 2, self.end[-1] + self.gap / 2),
            )
        return np.floor(cuts + 0.5).astype(int)


def lines_of(places: Places, sides: Places) -> Lines | None:
    """Sort boxes into lines by where they begin; None where they do not make lines at about one distance."""
    if places.size < MIN_SIDE:
        return None
    order = np.argsort(places, kind="stable")
    splits = np.flatnonzero(np.diff(places[order]) > 0.3 * float(np.median(sides))) + 1
    groups = [members for members in np.split(order, splits) if members.size >= 2]
    if len(groups) < MIN_SIDE:
        return None
    start = np.array([median(places[members].tolist()) for members in groups])
    end = np.array([median((places[members] + sides[members]).tolist()) for members in groups])
    pitch = float(np.median(np.diff(start)))
    chosen = _in_step(start, np.array([members.size for members in groups]), pitch)
    if chosen.size < MIN_SIDE:
        return None
    number = np.concatenate([[0], np.cumsum(np.rint(np.diff(start[chosen]) / pitch))]).astype(int)
    lines = Lines(*(np.full(int(number[-1]) + 1, np.nan) for _ in range(2)))
    lines.start[number], lines.end[number] = start[chosen], end[chosen]
    return lines


def _in_step(start: Places, sizes: NDArray[np.intp], pitch: float) -> NDArray[np.intp]:
    """Which lines lie whole pitches from one another, seen from the one with most boxes."""
    best = int(sizes.argmax())
    chosen = [best]
    for direction in (1, -1):
        last = best
        for k in range(best + direction, len(start) if direction > 0 else -1, direction):
            steps = abs(start[k] - start[last]) / pitch
            n = round(steps)
            if n >= 1 and abs(steps - n) * pitch <= _STRAY_PX + _ALIKE * pitch * n:
                chosen.append(k)
                last = k
    return np.array(sorted(chosen), dtype=np.intp)


_STEP_PX = 4  # stride of the first look, in pixels of both ways
_CLOSE_PX = 2  # stride of the closer look, in pixels: no gap falls between
_LEAST_SEEN = 48  # fewest pixels of the first look of a closed cell's colour, in play or afterwards
_LEAST_CLOSED = 4  # fewest pixels, at the first look, of an area in the colour of closed cells; the smallest face has 4
_BRIDGED = 7  # steps of the first look that are bridged: gaps, and signs on faces
_LEAST_PX = 10  # side of the smallest face, in pixels
_LEAST_GAPS = 2
"""Fewest sides of a face with the gap beside them; things that only happen to be in line have something else there."""
_SHARP_PX = 0.2  # faces as a clone draws them begin and end between two pixels
_MANY = 240  # boxes of which some tell enough
_SHARE = 3  # stride among `_MANY` boxes: there are some in every line


class _Area(NamedTuple):
    """A rectangle of pixels: `right` and `bottom` are outside, and may lie beyond the picture."""

    left: int
    top: int
    right: int
    bottom: int

    def overlaps(self, other: _Area) -> bool:
        is_x = self.left < other.right and other.left < self.right
        return is_x and self.top < other.bottom and other.top < self.bottom

    def around(self, other: _Area) -> _Area:
        left, top = min(self.left, other.left), min(self.top, other.top)
        return _Area(left, top, max(self.right, other.right), max(self.bottom, other.bottom))


_Part = tuple[Boxes, Grid, int]
"""Boxes that lie together, the grid they make, and how many of its cells were seen."""


def find_gapped(frame: Frame, skins: Sequence[Skin], explained: Sequence[Region] = ()) -> list[FoundBoard]:
    """Every board of these skins, which have `Tiles`, at whatever size, outside of what is `explained` already."""
    matchers = [gapped_matcher_of(skin) for skin in skins]
    return [board for matcher in matchers for board in _boards_of(frame, matcher, explained)]


def _boards_of(frame: Frame, matcher: GappedMatcher, explained: Sequence[Region]) -> list[FoundBoard]:
    pixels = frame.pixels_bgr
    seen = [_faces_in(pixels, area, matcher) for area in _areas(frame, matcher, explained)]
    if not seen:
        return []
    boxes = Boxes.joined(seen)
    groups: list[Boxes] = []
    for group in sorted(_groups(boxes), key=lambda group: -group.count):
        if not any(np.isin(_corners(group), _corners(other)).all() for other in groups):
            groups.append(_gathered(group, boxes))
    grids = _joined([(group, *found) for group in groups if (found := _grid_of(group, frame, matcher))], frame, matcher)
    boards = (_board_of(frame, matcher, grid, n_seen) for _, grid, n_seen in grids)
    return [board for board in boards if board is not None]


def _joined(parts: list[_Part], frame: Frame, matcher: GappedMatcher) -> list[_Part]:
    """Boards, of which some were parts: parts that touch, and together lie on lines as each does alone, are one."""
    joined: list[_Part] = []
    for part in sorted(parts, key=lambda part: -part[2]):
        for n, other in enumerate(joined):
            boxes = Boxes.joined([other[0], part[0]])
            whole = _grid_of(boxes, frame, matcher) if _touch(part[1], other[1]) else None
            if whole is not None and whole[1] >= part[2] + other[2]:
                joined[n] = (boxes, *whole)
                break
        else:
            joined.append(part)
    return joined


def _touch(one: Grid, other: Grid) -> bool:
    """Whether the regions of two grids overlap, or lie less than a cell apart."""
    a, b = one.region, other.region
    near_x, near_y = (min(p, q) for p, q in zip(one.pitch_px, other.pitch_px, strict=True))
    is_near_x = a.left < b.right + near_x and b.left < a.right + near_x
    return is_near_x and a.top < b.bottom + near_y and b.top < a.bottom + near_y


def _areas(frame: Frame, matcher: GappedMatcher, explained: Sequence[Region]) -> list[_Area]:
    """Where boards may be, at a glance: areas with the colours of cells close together, closed cells among them."""
    if min(frame.pixels_bgr.shape[:2]) < MIN_SIDE * _LEAST_PX:
        return []
    bits = matcher.grounds.glance(frame, _STEP_PX, explained)
    closed = (bits & matcher.closed_bits != 0).view(np.uint8)
    if cv2.countNonZero(closed) < _LEAST_SEEN:
        return []
    mask = (bits != 0).view(np.uint8)
    bridged = cv2.dilate(mask, np.ones((_BRIDGED, _BRIDGED), dtype=np.uint8))
    areas = [
        _Area(left * _STEP_PX, top * _STEP_PX, (left + width) * _STEP_PX, (top + height) * _STEP_PX)
        for left, top, width, height, n_pixels in areas_of(bridged).tolist()
        if n_pixels >= _LEAST_SEEN
        and min(width, height) * _STEP_PX >= MIN_SIDE * _LEAST_PX
        and cv2.countNonZero(closed[top : top + height, left : left + width]) >= _LEAST_CLOSED
    ]
    return _merged(areas)


def _merged(areas: list[_Area]) -> list[_Area]:
    """Areas of which none overlaps another: those that did are one."""
    left = list(areas)
    merged: list[_Area] = []
    while left:
        area = left.pop()
        over = next((other for other in merged if area.overlaps(other)), None)
        if over is None:
            merged.append(area)
        else:
            merged.remove(over)
            left.append(area.around(over))
    return merged


def _faces_in(pixels_bgr: NDArray[np.uint8], area: _Area, matcher: GappedMatcher) -> Boxes:
    """What may be the faces of cells: about square areas of the grounds."""
    part = pixels_bgr[area.top : area.bottom, area.left : area.right]
    # the same ground twice, or blends at the corners of faces would bridge the gaps
    bits = matcher.grounds.bits(thinned(part[:-1, :-1], _CLOSE_PX))
    bits &= matcher.grounds.bits(thinned(part[1:, 1:], _CLOSE_PX))
    step = _STEP_PX // _CLOSE_PX
    occurring = np.bitwise_or.reduce(bits[::step, ::step], axis=None)  # other grounds are blends at the edges of faces
    is_ground = (bits & occurring != 0).view(np.uint8)
    stats = areas_of(is_ground)
    is_field = (stats[:, 2:4].min(axis=1) >= _LEAST_PX // _CLOSE_PX) & (2 * stats[:, 4] >= stats[:, 2] * stats[:, 3])
    if not is_field.any():
        return Boxes(*np.empty((4, 0)))
    left, top, width, height = _CLOSE_PX * stats[is_field, :4].T.astype(np.intp)
    right, bottom, middle_x, middle_y = left + width, top + height, left + width // 2, top + height // 2
    y, x = np.stack([middle_y, top - 1, middle_y, bottom]), np.stack([left - 1, middle_x, right, middle_x])
    inside = (y >= 0) & (x >= 0) & (y < part.shape[0]) & (x < part.shape[1])
    fell_between = inside & (
        matcher.grounds.bits(part[np.where(inside, y, 0), np.where(inside, x, 0)]) & occurring != 0
    )
    left, top, right, bottom = np.stack([left, top, right, bottom]) + fell_between * [[-1], [-1], [1], [1]]
    boxes = Boxes(*np.array([left + area.left, top + area.top, right - left, bottom - top], dtype=np.float64))
    least, most = np.minimum(boxes.width, boxes.height), np.maximum(boxes.width, boxes.height)
    return boxes.chosen((least >= _LEAST_PX) & (most - least <= 2 + _ALIKE * most))


def _groups(boxes: Boxes) -> list[Boxes]:
    """Boxes of one size that lie together, as many as a board has at least."""
    found = []
    rest = boxes
    while rest.left.size >= MIN_SIDE**2:
        sides, counts = np.unique(rest.width, return_counts=True)
        side = float(sides[counts.argmax()])
        slack = _STRAY_PX + _ALIKE * side
        is_alike = (np.abs(rest.width - side) <= slack) & (np.abs(rest.height - side) <= slack)
        found += _neighbourhoods(rest.chosen(is_alike), side)
        rest = rest.chosen(~is_alike & (rest.width != side))
    return found


def _neighbourhoods(boxes: Boxes, side: float) -> list[Boxes]:
    """Boxes of one size, in groups of those in line with a next one: desktops have more of that size."""
    if boxes.count < MIN_SIDE**2:
        return []
    label = tied(boxes.count, *_links(boxes, side))
    return [boxes.chosen(label == first) for first in np.flatnonzero(np.bincount(label) >= MIN_SIDE**2)]


def _links(boxes: Boxes, side: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The numbers of boxes, and of those beside or below them that a gap parts from them."""
    col, row = (((places - places.min()) // side).astype(int) for places in (boxes.left, boxes.top))
    chart = np.full((int(row.max()) + 4, int(col.max()) + 4), -1, dtype=np.intp)
    chart[row + 1, col + 1] = np.arange(col.size)
    ones, others = [], []
    stray = _STRAY_PX + _ALIKE * side
    for along, across in ((boxes.left, boxes.top), (boxes.top, boxes.left)):
        for ahead in (1, 2):
            for aside in (-1, 0, 1):
                down, right = (aside, ahead) if along is boxes.left else (ahead, aside)
                other = chart[row + 1 + down, col + 1 + right]
                gap = along[other] - along - side
                is_next = (other >= 0) & (np.abs(across[other] - across) <= stray)
                is_next &= (gap >= LEAST_GAP_PX - _STRAY_PX) & (gap <= _MOST_GAP * side + stray)
                ones.append(np.flatnonzero(is_next))
                others.append(other[is_next])
    return np.concatenate(ones), np.concatenate(others)


def _corners(boxes: Boxes) -> NDArray[np.complex128]:
    return np.asarray(boxes.left + 1j * boxes.top)


def _gathered(group: Boxes, boxes: Boxes) -> Boxes:
    """A group with all boxes that lie whole steps from its own: noise on a picture leaves gaps in a board."""
    side = float(np.median(group.width))
    slack = _STRAY_PX + _ALIKE * side
    alike = boxes.chosen((np.abs(boxes.width - side) <= slack) & (np.abs(boxes.height - side) <= slack))
    while True:
        across, down = lines_of(group.left, group.width), lines_of(group.top, group.height)
        if across is None or down is None:
            return group
        wider = alike.chosen(across.continues(alike.left) & down.continues(alike.top))
        if wider.count <= group.count:
            return group
        group = wider


def _grid_of(boxes: Boxes, frame: Frame, matcher: GappedMatcher) -> tuple[Grid, int] | None:
    """The grid of boxes that lie together, and how many of its cells were seen; None where they make no grid."""
    across, down = lines_of(boxes.left, boxes.width), lines_of(boxes.top, boxes.height)
    if across is None or down is None or not (across.has_gaps and down.has_gaps):
        return None
    is_on = across.has(boxes.left) & down.has(boxes.top)
    places = across.numbers(boxes.left) * down.start.size + down.numbers(boxes.top)
    n_seen = np.unique(places[is_on]).size
    if boxes.left.size > _MANY:
        boxes = boxes.chosen((across.numbers(boxes.left) + down.numbers(boxes.top)) % _SHARE == 0)
    boxes, exact = _refined(boxes, frame.pixels_bgr, matcher.meter, min(across.gap, down.gap))
    if np.abs(exact.width - boxes.width).max(initial=0) > _SHARP_PX or not (across.is_crisp and down.is_crisp):
        across, down = lines_of(exact.left, exact.width) or across, lines_of(exact.top, exact.height) or down
    height, width = frame.pixels_bgr.shape[:2]
    x_edges, y_edges = np.clip(across.edges(), 0, width), np.clip(down.edges(), 0, height)
    return Grid.of_edges((x_edges + frame.left).tolist(), (y_edges + frame.top).tolist()), n_seen


def _refined(boxes: Boxes, pixels_bgr: NDArray[np.uint8], meter: InsetMeter, gap: float) -> tuple[Boxes, Boxes]:
    """Those of the boxes that have the gap of most beside them: as they are, and to a fraction of a pixel.

    Where the picture was scaled, faces and gaps mix. A side that has something else beside it stays where it is.
    """
    reach = max(int(gap / 2), 1)
    height, width = pixels_bgr.shape[:2]
    known = np.stack([boxes.left, boxes.top, boxes.left + boxes.width, boxes.top + boxes.height], axis=1)
    outer = np.clip(known + reach * np.array([-1, -1, 1, 1]), 0, [width, height, width, height]).astype(np.intp)
    cells = Corners(*outer.T)
    insets = meter.insets(pixels_bgr, cells, gap_around(pixels_bgr, cells))
    edges = np.where(insets.has_gap, outer + insets.sides * [1, 1, -1, -1], known)
    is_face = insets.has_gap.sum(axis=1) >= _LEAST_GAPS
    left, top, right, bottom = edges[is_face].T
    return boxes.chosen(is_face), Boxes(left, top, right - left, bottom - top)


def _board_of(frame: Frame, matcher: GappedMatcher, grid: Grid, n_seen: int) -> FoundBoard | None:
    """The board on a grid, if its cells say that it is one."""
    inset = matcher.measure(frame, grid)
    match = matcher.name(frame, grid, np.arange(grid.rows * grid.cols), inset)
    named = matcher.settle(match.alike)
    if (named == codes.UNREADABLE).all():  # other cells, whose numbers would pass for those of this skin
        return None
    n_strange = 0
    for number in np.flatnonzero(named == codes.UNREADABLE).tolist():
        cell = frame.crop(grid.cell_region(grid.cell_of(number))).pixels_bgr
        n_strange += int(matcher.is_uncovered(cell[None], inset)[0])
        if matcher.is_open_number(cell[None], inset)[0]:
            named[number] = codes.OPEN_UNKNOWN
    grid, named = _without_unknown_lines(grid, named)
    return board_of_named(matcher.skin, grid, named, n_seen, n_strange)


def _without_unknown_lines(grid: Grid, named: NDArray[np.int16]) -> tuple[Grid, NDArray[np.int16]]:
    """A grid and its cells without outer lines of which no cell is known: what else is on the desktop lies in line."""
    board = named.reshape(grid.rows, grid.cols)
    lines = [np.flatnonzero((board != codes.UNREADABLE).any(axis=axis)) for axis in (0, 1)]
    (left, right), (top, bottom) = ((int(known[0]), int(known[-1]) + 1) for known in lines)
    inner = Grid.of_edges(grid.edges(0)[left : right + 1], grid.edges(1)[top : bottom + 1])
    return inner, board[top:bottom, left:right].ravel()
