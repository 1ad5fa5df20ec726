"""Finds and reads boards of fields in two colours in turn, by their colours, at any size (`skins.skin.Fields`).

A page in a browser has no size of its own: any zoom is possible, and its cells need not begin on whole pixels. What it
keeps are its colours. Two fields side by side never have the same one: where along a row one colour of a pair gives way
to the other, a column of cells ends. Such places, of many rows together, are lines to a fraction of a pixel, and a
straight line through (number, place) says where the others are. Digits and flags lie inside a field and make no such
place; lines that are drawn between closed and open cells only hide some.

A cell is named by the colour around the middle of it and by the sign on that (`matching.SignReader`): numbers by their
ink, and where that is another than known by their shape, which is that of bold digits of any font. A field of the wrong
colour for its place in turn is no cell of the board.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from bot.models import FoundBoard, Grid
from bot.vision.colours import ColourTable, areas_of
from bot.vision.matching import NOTHING, UNNUMBERED, CellNamer, Match, code_of, rim, sign_reader_of
from bot.vision.sites import MIN_SIDE, board_of_named
from skins.pixels import fingerprint, largest_channel
from skins.skin import CLOSED, FLAG, MINE, OPEN, Fields, is_open_state
from solver import board as codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame, Region
    from skins.skin import Skin

    Picture = NDArray[np.uint8]
    Numbers = NDArray[np.intp]
    Places = NDArray[np.float64]
    Cell = tuple[int, int, bytes]

_EDGE_SHARE = 0.14  # share of a cell's side, on each side, where a line between closed and open cells may be drawn
_GROUND_SHARE = 0.7  # least share of the pixels around a cell's middle part that is its ground
_LEAST_STEPS = 8  # least difference of a sign from its ground
_FLAG_STEPS = 32  # most steps a channel from the ink of a flag, which has shades
_FLAG_SHARE = 0.04  # least share of a cell's middle part in the ink of its flag
_DISC_SHADE = (0.5, 0.8)  # how bright the disc of a mine is, over its field
_DISC_SHARE = (0.08, 0.6)  # how much of a cell's middle part the disc of a mine takes
_MOST_SEEN = 5000  # number of different cells that no board has: something moves there
_NUMBERS = tuple(map(str, range(9)))
_STATES = (CLOSED, FLAG, MINE, OPEN, *_NUMBERS)


class _Named(NamedTuple):
    """What one cell shows.

    Attributes:
        alike: the place of its state in `_STATES`, -1 where it is not known.
        turn: 0 or 1, which colour of its pair it has; -1 where none.
    """

    alike: int
    turn: int


class _FieldMatcher:
    """Names the cells of one skin of fields. Make it by `_field_matcher_of`."""

    def __init__(self, skin: Skin) -> None:
        fields = skin.drawing
        assert isinstance(fields, Fields), "asked only of skins that have fields"
        assert skin.signs is not None, "numbers on fields are signs"
        self.skin = skin
        pairs = [*fields.closed_bgr, *fields.open_bgr]
        self.colours = [*(colour for pair in pairs for colour in pair), *fields.mines_bgr]
        self.table = ColourTable(self.colours, skin.tolerance.colour)
        self.n_closed, self.n_fields = 2 * len(fields.closed_bgr), 2 * len(pairs)
        self._flag = np.array(fields.flag_bgr, dtype=np.int16)
        self._signs = sign_reader_of(skin.signs)
        self._learned = {value: state for value, state in skin.exact.items() if is_open_state(state)}

    def turns(self, pixels_bgr: Picture) -> NDArray[np.int8]:
        """1 where a pixel has the one colour of a pair, -1 where it has the other, else 0: int8, height x width."""
        bits = self.table.bits(pixels_bgr)
        one, other = (sum(1 << k for k in range(first, self.n_fields, 2)) for first in (0, 1))
        return np.asarray(np.subtract((bits & one) != 0, (bits & other) != 0, dtype=np.int8))

    def name(self, cell_bgr: Picture) -> _Named:
        """Name one cell, of whatever size: uint8, height x width x 3."""
        middle = _middle(cell_bgr)
        ground = self._ground(middle)
        if ground is None:
            return _Named(-1, -1)
        apart = middle.astype(np.int16) - np.array(self.colours[ground], dtype=np.int16)
        if ground >= self.n_fields:
            return _Named(_STATES.index(MINE) if self._has_disc(middle, ground) else -1, -1)
        is_closed, is_bare = ground < self.n_closed, int(np.abs(apart).max()) < _LEAST_STEPS
        if is_bare:
            return _Named(_STATES.index(CLOSED if is_closed else "0"), ground % 2)
        if is_closed:
            is_ink = largest_channel(np.abs(middle.astype(np.int16) - self._flag)) <= _FLAG_STEPS
            state = FLAG if is_ink.mean() >= _FLAG_SHARE else None
        else:
            state = self._numbered(cell_bgr, middle, apart)
        return _Named(-1 if state is None else _STATES.index(state), ground % 2)

    def is_open_number(self, cell_bgr: Picture) -> bool:
        """Whether a cell is an open field with a sign of unknown meaning that fits no other field."""
        middle = _middle(cell_bgr)
        return int(self._signs.read(middle[None]).numbers[0]) == UNNUMBERED

    def _ground(self, middle: Picture) -> int | None:
        """The number of the colour around a cell's middle part; None where something else is there."""
        bits = self.table.bits(rim(middle[None]))[0]
        found, counts = np.unique(bits, return_counts=True)  # a few: hardly any pixel has two of the colours
        best = int(counts.argmax())
        if counts[best] < _GROUND_SHARE * bits.size or not found[best]:
            return None
        return int(found[best]).bit_length() - 1

    def _numbered(self, cell_bgr: Picture, middle: Picture, apart: NDArray[np.int16]) -> str | None:
        number = int(self._signs.read(middle[None]).numbers[0])
        if number > NOTHING:
            return str(number)
        learned = self._learned.get(int(fingerprint(cell_bgr[None])[0]))
        if learned is not None:
            return learned
        by_shape = self._signs.number_by_shape(apart.astype(np.float64))
        return str(by_shape) if by_shape else None

    def _has_disc(self, middle: Picture, ground: int) -> bool:
        """Whether a darker shade of its field is in the middle of a cell, and about as much as a disc takes."""
        height, width = middle.shape[:2]
        field = np.array(self.colours[ground], dtype=np.float64)
        shade = middle[height // 2, width // 2] @ field / (field @ field)
        steps = largest_channel(np.abs(middle - shade * field))
        share = float((steps <= _FLAG_STEPS // 2).mean())
        return bool(
            steps[height // 2, width // 2] <= _FLAG_STEPS // 2
            and _DISC_SHADE[0] <= shade <= _DISC_SHADE[1]
            and _DISC_SHARE[0] <= share <= _DISC_SHARE[1]
        )


def _middle(cell_bgr: Picture) -> Picture:
    """A cell without its edges."""
    edge = math.ceil(_EDGE_SHARE * min(cell_bgr.shape[:2]))
    return cell_bgr[edge:-edge, edge:-edge]


_field_matcher_of = lru_cache(maxsize=64)(_FieldMatcher)
"""The matcher of a skin of fields, made once a session."""


class FieldCells(CellNamer):
    """Fields in two colours in turn: by the colour of each and the sign on it."""

    tells_new_appearances = True

    def __init__(self, skin: Skin, grid: Grid, seen: dict[Cell, _Named] | None = None) -> None:
        self._matcher = _field_matcher_of(skin)
        self._grid = grid
        self._edges = np.array(grid.edges(0)), np.array(grid.edges(1))
        self._seen: dict[Cell, _Named] = {} if seen is None else seen
        self._turn: int | None = None
        self.sets = [frozenset({state}) for state in _STATES]

    def has_number(self, frame: Frame, cell: Picture) -> bool | None:  # noqa: ARG002 - as `CellNamer`
        """Whether a cell is an open field with a sign of unknown meaning that fits no other field."""
        return self._matcher.is_open_number(cell)

    def name(self, frame: Frame, pixels: Picture, numbers: Numbers) -> Match:  # noqa: ARG002 - as `CellNamer`
        """Name some cells: equal ones are looked at once, and a field of a colour out of turn is none."""
        if len(self._seen) > _MOST_SEEN:
            self._seen.clear()
        named = [self._named(pixels, *divmod(number, self._grid.cols)) for number in numbers.tolist()]
        alike = np.array([one.alike for one in named], dtype=np.intp)
        turns = np.array([one.turn for one in named])
        place = np.add(*np.divmod(numbers, self._grid.cols)) % 2
        has_turn = turns >= 0
        if self._turn is None and has_turn.any():
            self._turn = int(2 * int((turns != place)[has_turn].sum()) > int(has_turn.sum()))
        alike[self._are_out_of_turn(turns, place)] = -1
        found = [codes.UNREADABLE if number < 0 else code_of(_STATES[number]) for number in alike.tolist()]
        return Match(np.array(found, dtype=np.int16), (alike >= 0).astype(np.float64), alike)

    def strays(self, pixels: Picture) -> NDArray[np.bool_]:
        """Which cells, all of them named before, have a field's colour out of turn: bool, rows x cols."""
        rows, cols = self._grid.rows, self._grid.cols
        turns = np.array([self._named(pixels, *divmod(number, cols)).turn for number in range(rows * cols)])
        place = np.add(*np.divmod(np.arange(rows * cols), cols)) % 2
        return self._are_out_of_turn(turns, place).reshape(rows, cols)

    def _are_out_of_turn(self, turns: Numbers, place: Numbers) -> NDArray[np.bool_]:
        return np.asarray((turns >= 0) & ((turns + place) % 2 != (self._turn or 0)))

    def _named(self, pixels: Picture, row: int, col: int) -> _Named:
        x, y = self._edges
        left, right, top, bottom = x[col] - x[0], x[col + 1] - x[0], y[row] - y[0], y[row + 1] - y[0]
        cell = pixels[top:bottom, left:right]
        key = (bottom - top, right - left, cell.tobytes())
        if key not in self._seen:
            self._seen[key] = self._matcher.name(cell)
        return self._seen[key]


_STEP_PX = 4  # stride of the first look, in pixels of both ways
_LEAST_SEEN = 24  # fewest pixels of the first look, of each colour of a pair, that may be a board
_BRIDGED = 7  # steps of the first look that are bridged: signs, lines and what moves over a board
_MOST_BLEND_PX = 6  # most pixels between two fields that are neither's: a page that is zoomed blends them
_LEAST_PX = 10  # side of the smallest cell, in pixels
_FAINT_LINE = 0.1  # a place where colours change in fewer rows than this share of the most is no line
_STRAY_PX = 1.0  # a line may be so far from where its number says
_SURE_PX = 0.3  # a fit this near to a whole pixel means that one
_SHARE_OF_MOST = 0.9
"""A pitch that is met by this share of the lines that the best one meets is as good, and the larger one is right."""
_MOST_STRAYS = 0.3
"""Share of an outer row's or column's fields that are out of turn, from which on it is none of the board."""
_LEAST_OUTER = 0.25
_MOSTLY_NAMED = 0.7
"""Least share of an outer row's or column's cells that are named, where more than that share of all cells is."""
_LEAST_ADDED = 0.7  # least share of the cells of one more row or column that must be named


def find_fields(frame: Frame, skins: Sequence[Skin], explained: Sequence[Region] = ()) -> list[FoundBoard]:
    """Every board of these skins, which have fields, at whatever size, outside of what is `explained` already."""
    found = []
    for skin in skins:
        matcher = _field_matcher_of(skin)
        for left, top, right, bottom in _areas(frame, matcher, explained):
            turns = matcher.turns(frame.pixels_bgr[top:bottom, left:right])
            across, down = _lines(turns), _lines(np.ascontiguousarray(turns.T))
            if across is not None and down is not None:
                board = _board_of(frame, skin, across.moved(left), down.moved(top))
                found += [] if board is None else [board]
    return found


class _FieldLines(NamedTuple):
    """The columns or rows of a board.

    Attributes:
        edges: where they begin and the last one ends, in pixels of the frame.
        pitch: from one to the next, as exact as they tell.
    """

    edges: tuple[int, ...]
    pitch: float

    def moved(self, by_px: int) -> _FieldLines:
        """The lines, so far right or down."""
        return _FieldLines(tuple(edge + by_px for edge in self.edges), self.pitch)

    def inside(self, length: int) -> _FieldLines:
        """The lines that are within a picture of that length."""
        first, last = sum(edge < 0 for edge in self.edges), sum(edge <= length for edge in self.edges)
        return _FieldLines(self.edges[first:last], self.pitch)

    def narrower(self, side: int) -> _FieldLines:
        """The lines without the first (side 0) or the last (side 1)."""
        return _FieldLines(self.edges[:-1] if side else self.edges[1:], self.pitch)

    def wider(self, side: int) -> _FieldLines:
        """The lines with one more before the first (side 0) or after the last (side 1)."""
        n = len(self.edges)
        if side:
            return _FieldLines((*self.edges, round(self.edges[0] + n * self.pitch)), self.pitch)
        return _FieldLines((round(self.edges[-1] - n * self.pitch), *self.edges), self.pitch)


def _areas(frame: Frame, matcher: _FieldMatcher, explained: Sequence[Region]) -> list[tuple[int, int, int, int]]:
    """Where boards may be, at a glance: left, top, right and bottom of areas with both colours of pairs."""
    bits = matcher.table.glance(frame, _STEP_PX, explained)
    one, other = (sum(1 << k for k in range(first, matcher.n_fields, 2)) for first in (0, 1))
    if min(cv2.countNonZero((bits & both != 0).view(np.uint8)) for both in (one, other)) < _LEAST_SEEN:
        return []
    bridged = cv2.dilate((bits != 0).view(np.uint8), np.ones((_BRIDGED, _BRIDGED), dtype=np.uint8))
    height, width = frame.pixels_bgr.shape[:2]
    areas = []
    for left, top, wide, high, _ in areas_of(bridged).tolist():
        part = bits[top : top + high, left : left + wide]
        if min(int((part & both != 0).sum()) for both in (one, other)) >= _LEAST_SEEN:
            right, bottom = min((left + wide + 1) * _STEP_PX, width), min((top + high + 1) * _STEP_PX, height)
            areas.append((max((left - 1) * _STEP_PX, 0), max((top - 1) * _STEP_PX, 0), right, bottom))
    return areas


def _lines(turns: NDArray[np.int8]) -> _FieldLines | None:
    """The columns on a chart of the two colours; None where there are none."""
    places, counts = _changes(turns)
    if places.size < MIN_SIDE - 1:
        return None
    pitch = _pitch(places, counts)
    if pitch is None:
        return None
    number = np.rint((places - places[counts.argmax()]) / pitch)
    first = 0.0
    for _ in range(2):  # the second time by a better pitch, which may put lines far off in their places
        is_on = np.abs(places - places[counts.argmax()] - number * pitch) <= _STRAY_PX + 0.02 * np.abs(number)
        if np.unique(number[is_on]).size < MIN_SIDE - 1:
            return None
        pitch, first = (float(value) for value in np.polyfit(number[is_on], places[is_on], 1))
        number = np.rint((places - first) / pitch)
    is_on = np.abs(places - first - number * pitch) <= _STRAY_PX
    if np.unique(number[is_on]).size < MIN_SIDE - 1:
        return None
    lines = np.arange(number[is_on].min() - 1, number[is_on].max() + 2)
    edges = np.floor(first + lines * pitch + 0.5).astype(int)
    seen = (number[is_on] - lines[0]).astype(int)
    edges[seen] = np.floor(places[is_on] + 0.5).astype(int)
    shown = (turns != 0).mean(axis=0)
    edges[0], edges[-1] = (_outer(shown, first + lines[end] * pitch) for end in (0, -1))
    return _FieldLines(tuple(int(edge) for edge in edges), pitch)


def _changes(turns: NDArray[np.int8]) -> tuple[Places, NDArray[np.intp]]:
    """Where along rows one colour gives way to the other, to a fraction of a pixel, and in how many rows."""
    width = turns.shape[1]
    counts = np.zeros(2 * width, dtype=np.intp)
    for blend in range(_MOST_BLEND_PX + 1):
        before, after = turns[:, : width - 1 - blend], turns[:, 1 + blend :]
        changes = before * after < 0
        for k in range(1, blend + 1):
            changes &= turns[:, k : width - 1 - blend + k] == 0
        n_rows = np.count_nonzero(changes, axis=0)
        counts[2 + blend : 2 + blend + 2 * n_rows.size : 2] += n_rows
    at = np.flatnonzero(counts)
    if not at.size:
        return np.empty(0), counts[:0]
    groups = np.split(at, np.flatnonzero(np.diff(at) > 3) + 1)
    total = np.array([counts[group].sum() for group in groups])
    place = np.array([(group * counts[group]).sum() / 2 for group in groups]) / total
    is_line = total >= _FAINT_LINE * total.max()
    return place[is_line], total[is_line]


def _pitch(places: Places, counts: NDArray[np.intp]) -> float | None:
    """The largest distance between neighbouring lines that puts nearly as many lines in step as any other."""
    steps = np.unique(np.round(np.diff(places), 1))
    steps = steps[steps >= _LEAST_PX]
    if not steps.size:
        return None
    apart = places - places[counts.argmax()]
    stray = np.abs(apart - np.rint(apart / steps[:, None]) * steps[:, None])
    n_on = (stray <= _STRAY_PX + 0.02 * np.abs(apart / steps[:, None])).sum(axis=1)
    return float(steps[n_on >= _SHARE_OF_MOST * n_on.max()].max())


def _outer(shown: Places, place: float) -> int:
    """The pixel of an outer edge that the fit has at `place`: where that is between two, where colours begin or end.

    Args:
        shown: the share of every column that is of the colours.
        place: in pixels.
    """
    near = math.floor(place), math.ceil(place)
    if abs(place - round(place)) < _SURE_PX or not 0 < near[0] <= near[1] < shown.size:
        return math.floor(place + 0.5)
    return max(near, key=lambda edge: abs(shown[edge] - shown[edge - 1]))


def _board_of(frame: Frame, skin: Skin, across: _FieldLines, down: _FieldLines) -> FoundBoard | None:
    """The board in these columns and rows, if its cells say that it is one.

    The line before an outermost row is not seen where all of it is drawn over: rows and columns of cells go on there.
    A line may be seen where a board ends, at something of its colours: there fields are out of turn.
    """
    seen: dict[Cell, _Named] = {}
    across, down = _trimmed(frame, skin, across, down, seen)
    grid, named = _grid(frame, across, down), _named(frame, skin, across, down, seen)
    for axis, side in ((0, 0), (0, 1), (1, 0), (1, 1)):
        while named is not None:
            wider = (across.wider(side), down) if axis == 0 else (across, down.wider(side))
            more = _named(frame, skin, *wider, seen)
            if more is None:
                break
            added = (more[:, -side] if axis == 0 else more[-side]) != codes.UNREADABLE
            if added.mean() < _LEAST_ADDED:
                break
            (across, down), named = wider, more
            grid = _grid(frame, across, down)
    return None if named is None else board_of_named(skin, grid, named)


def _trimmed(
    frame: Frame, skin: Skin, across: _FieldLines, down: _FieldLines, seen: dict[Cell, _Named]
) -> tuple[_FieldLines, _FieldLines]:
    """The columns and rows without outer ones that are no part of the board.

    These are not on the frame, few of their cells are named, or many of their fields are out of turn.
    """
    height, width = frame.pixels_bgr.shape[:2]
    across = across.inside(width)
    down = down.inside(height)
    for axis, side in ((0, 0), (0, 1), (1, 0), (1, 1)):
        while min(len(across.edges), len(down.edges)) > MIN_SIDE + 1:
            grid = _grid(frame, across, down)
            cells, pixels = FieldCells(skin, grid, seen), frame.crop(grid.region).pixels_bgr
            named = cells.name(frame, pixels, np.arange(grid.rows * grid.cols)).is_known.reshape(grid.rows, grid.cols)
            strays = cells.strays(pixels)
            n_strays, n_named = ((chart[:, -side] if axis == 0 else chart[-side]).mean() for chart in (strays, named))
            is_strange = n_named < _LEAST_OUTER and named.mean() > _MOSTLY_NAMED
            if n_strays < _MOST_STRAYS and not is_strange:
                break
            across, down = (across.narrower(side), down) if axis == 0 else (across, down.narrower(side))
    return across, down


def _grid(frame: Frame, across: _FieldLines, down: _FieldLines) -> Grid:
    return Grid.of_edges([frame.left + x for x in across.edges], [frame.top + y for y in down.edges])


def _named(
    frame: Frame, skin: Skin, across: _FieldLines, down: _FieldLines, seen: dict[Cell, _Named]
) -> NDArray[np.int16] | None:
    """The board codes of the cells in these columns and rows: int16, rows x cols; None where not all are on the frame.

    Cells that were `seen` are not looked at again; those of this time are added.
    """
    grid = _grid(frame, across, down)
    if not frame.region.holds(grid.region):
        return None
    cells = FieldCells(skin, grid, seen)
    named = cells.name(frame, frame.crop(grid.region).pixels_bgr, np.arange(grid.rows * grid.cols)).codes
    for number in np.flatnonzero(named == codes.UNREADABLE).tolist():
        cell = frame.crop(grid.cell_region(grid.cell_of(number))).pixels_bgr
        if cells.has_number(frame, cell):
            named[number] = codes.OPEN_UNKNOWN
    return named.reshape(grid.rows, grid.cols)
