"""Finds and reads boards of numbers on tinted grounds, laid out in blocks (`skins.skin.Tints`).

A cell is a connected area of one of the skin's grounds around whatever sign is on it; its bounding box is exact to the
pixel. Boxes in line make columns and rows, these make blocks, and blocks make a board of four dimensions. Where cells
and blocks are all equally far apart, only a board with equal sides is one: nothing else would tell its shape. A board
whose sides differ might be part of a larger one: it counts only where all around it nothing but its background lies.

A number is told twice: by its ground and by its digits, and it counts only if the two agree. First the ground names
the sprites that it may show: one number, or none, or where tints have run out all that share the full colour. Then the
digits must be nearest to those of one of these, of all numbers there are. Where several numbers share the ground,
those of every other must also be clearly farther; what they do not tell stays a set. Signs that are no numbers are
compared as everywhere. Only the part of a cell that is known of the clone is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import cv2
import numpy as np

from bot.blocks import Blocks
from bot.models import FoundBoard, Grid, Pixel
from bot.vision.colours import ColourTable, areas_of
from bot.vision.matching import Match, Templates, code_of, nearest_of, rim
from bot.vision.sites import MIN_SIDE, board_of_named
from skins.pixels import fingerprint, largest_channel, product_of
from skins.skin import Tints
from solver import board as codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from skins.skin import Skin

    Cells = NDArray[np.uint8]
    Floats = NDArray[np.float32]
    Picture = NDArray[np.uint8]
    Places = NDArray[np.intp]


_MOST_SIDE = 16  # more cells along an axis no such game has: 16 blocks of 16 fill four screens


@dataclass(frozen=True, slots=True)
class _BlockLines:
    """The cells of a board along one axis.

    Attributes:
        starts: where they begin, in pixels, hidden ones among them.
        side: how many make a block; None where all are equally far apart.
    """

    starts: tuple[int, ...]
    side: int | None


def _fit_lines(places: Sequence[int]) -> _BlockLines | None:
    """The lines that begin at these pixels (ascending), some of them perhaps hidden; None where no one layout fits.

    Within a block cells are one pitch apart, the smallest distance that occurs; from block to block a little more.
    Of the layouts of whole blocks that put a line at every place the one with the fewest lines counts, if it is the
    only one. So the first and last lines may be others than the first and last places.
    """
    steps = {after - before for before, after in pairwise(places)}
    if not steps:
        return None
    pitch = min(steps)
    extras = {step % pitch for step in steps} - {0}
    if not extras:
        n_lines = (places[-1] - places[0]) // pitch + 1
        return _BlockLines(tuple(places[0] + k * pitch for k in range(n_lines)), None)
    layouts = (
        _layout(places, pitch, extra, side, n_before)
        for extra in sorted(extras)
        for side in range(2, _MOST_SIDE + 1)
        for n_before in range(side)
    )
    fitting = [lines for lines in layouts if lines is not None]
    fewest = min((len(lines.starts) for lines in fitting), default=0)
    best = [lines for lines in fitting if len(lines.starts) == fewest]
    return best[0] if len(best) == 1 else None


def _layout(places: Sequence[int], pitch: int, extra: int, side: int, n_before: int) -> _BlockLines | None:
    """Whole blocks of `side` lines, `n_before` of them before the first place, if every place is on a line."""
    period = side * pitch + extra
    first = places[0] - n_before * pitch
    n_blocks = (places[-1] - first) // period + 1
    starts = tuple(first + block * period + k * pitch for block in range(n_blocks) for k in range(side))
    return _BlockLines(starts, side) if n_blocks >= 2 and set(places) <= set(starts) else None


_Value = TypeVar("_Value", bound=np.generic)

_FULL = 255.0
_RED = 2


class _TintMatcher:
    """Names the cells of one skin with tints. Make it by `tint_matcher_of`."""

    def __init__(self, skin: Skin) -> None:
        tints = skin.drawing
        assert isinstance(tints, Tints), "asked only of skins that have tints"
        self.skin = skin
        self._left, self._top, self._width, self._height = tints.known_px
        cells = np.stack([self._known(sprite.pixels_bgr[None])[0] for sprite in skin.sprites])
        self.states = np.array([sprite.state for sprite in skin.sprites])
        self._templates = Templates(cells.reshape(len(cells), -1).astype(np.float32))
        self._is_rival = self.states[:, None] != self.states
        self._grounds = _flat_grounds(cells)
        self.grounds_bgr = np.unique(self._grounds, axis=0)
        """Every colour of a ground: B, G, R."""
        self._contrast = np.sqrt((self._grounds**2).mean(axis=1))
        ink = [self._known(tints.ink(n, skin.pitch_px[0])[None])[0] for n in range(tints.most + 1)]
        self._ink = np.stack(ink).reshape(len(ink), -1).astype(np.float32)
        self._number = np.array([int(state) if state.isdecimal() else -1 for state in self.states])
        alike = [frozenset(self.states[row].tolist()) for row in self._shares_ground(self._grounds)]
        self.sets: list[frozenset[str]] = list(dict.fromkeys([*(frozenset({s}) for s in self.states.tolist()), *alike]))
        """Every set of states that a cell may be left with."""
        self._place = {states: i for i, states in enumerate(self.sets)}

    def name(self, frame: Frame, grid: Grid, numbers: NDArray[np.intp]) -> Match:
        """Name these cells of a grid (numbers count places row by row); equal ones are looked at once."""
        cells = self._known(self._cut(frame, grid, numbers))
        _, first, which = np.unique(fingerprint(cells), return_index=True, return_inverse=True)
        alike, scores = self._matched(cells[first])
        named = [next(iter(self.sets[i])) if i >= 0 and len(self.sets[i]) == 1 else None for i in alike]
        board_codes = np.array([codes.UNREADABLE if state is None else code_of(state) for state in named])
        scores = np.where(board_codes == codes.UNREADABLE, 0.0, scores)
        back = which.reshape(-1)
        match = Match(board_codes[back].astype(np.int16), scores[back], alike[back])
        match.leave_out(np.flatnonzero(~self._has_gaps(frame, grid, numbers)))
        return match

    def _has_gaps(self, frame: Frame, grid: Grid, numbers: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of these cells have the colour between cells all around them: others are covered."""
        width, height = self.skin.pitch_px
        rows, cols = np.divmod(numbers, grid.cols)
        x, y = (np.array(grid.edges(axis)[:-1]) - grid.edges(axis)[0] for axis in (0, 1))
        board = frame.crop(grid.region).pixels_bgr
        gap = np.median(board[y[1:, None] - 1, x[1:] - 1].reshape(-1, 3), axis=0)
        pixels = cv2.copyMakeBorder(board, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=gap.tolist())
        down = y[rows][:, None, None] + np.arange(height + 2)[:, None]
        around = rim(pixels[down, x[cols][:, None, None] + np.arange(width + 2)])
        return np.asarray((np.abs(around - gap) <= self.skin.tolerance.colour).all(axis=(1, 2)))

    def _cut(self, frame: Frame, grid: Grid, numbers: NDArray[np.intp]) -> Cells:
        width, height = self.skin.pitch_px
        rows, cols = np.divmod(numbers, grid.cols)
        x, y = np.array(grid.edges(0)) - frame.left, np.array(grid.edges(1)) - frame.top
        down = y[rows][:, None, None] + np.arange(height)[:, None]
        return frame.pixels_bgr[down, x[cols][:, None, None] + np.arange(width)]

    def _known(self, cells: NDArray[_Value]) -> NDArray[_Value]:
        """The known part of whole cells: N x height x width (x 3)."""
        return cells[:, self._top : self._top + self._height, self._left : self._left + self._width]

    def _shares_ground(self, grounds: Floats) -> NDArray[np.bool_]:
        """Which sprites have these grounds (N x 3), within the tolerance: bool, N x sprites."""
        apart = np.abs(grounds[:, None].astype(np.int16) - self._grounds[None].astype(np.int16)).max(axis=2)
        shares: NDArray[np.bool_] = apart <= self.skin.tolerance.colour
        return shares

    def _matched(self, cells: Cells) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Which of `sets` cells are, -1 where none, and how near they are: 1 is no distance."""
        tolerance = self.skin.tolerance
        grounds = _flat_grounds(cells)
        may_be = self._shares_ground(grounds)
        values = cells.reshape(len(cells), -1).astype(np.float32)
        apart = self._templates.distances(values) * (_FULL / self._contrast)  # as on a white ground
        apart[~may_be] = np.inf
        best, nearest, is_clear = nearest_of(apart, self._is_rival, tolerance.accept, tolerance.margin)
        is_number = self._number[best] >= 0
        says_so = self._number_by_digits(cells, grounds) == self._number[best]
        is_known = is_clear & (says_so | ~is_number)
        alike = np.array([self._place[frozenset({state})] for state in self.states[best].tolist()], dtype=np.intp)
        is_doubtful = (nearest <= tolerance.accept) & ~is_known & is_number
        for i in np.flatnonzero(is_doubtful):
            alike[i] = self._place.get(frozenset(self.states[may_be[i]].tolist()), -1)
        alike[~(is_known | is_doubtful)] = -1
        with np.errstate(invalid="ignore"):
            scores = np.where(is_known, 1.0 - nearest / (2.0 * tolerance.accept), 0.0)
        return alike, scores.astype(np.float64)

    def _number_by_digits(self, cells: Cells, grounds: Floats) -> NDArray[np.intp]:
        """The number whose digits the ink on cells is nearest to: every ground of a number is full of red."""
        full = np.maximum(grounds[:, _RED], 1.0)[:, None]
        ink = 1.0 - cells[..., _RED].reshape(len(cells), -1).astype(np.float32) / full
        squares = (self._ink**2).sum(axis=1) - 2 * product_of(self._ink, np.ascontiguousarray(ink.T)).T
        return np.asarray(squares.argmin(axis=1), dtype=np.intp)


tint_matcher_of = lru_cache(maxsize=64)(_TintMatcher)
"""The matcher of a skin with tints, made once a session."""


def _flat_grounds(cells: Cells) -> Floats:
    """The colour of most of every cell's rim: float32, N x 3."""
    return np.asarray(np.median(rim(cells), axis=1), dtype=np.float32)


_STEP_PX = 12  # stride of the first look, in rows of pixels: it meets two of every cell
_LEAST_ROWS = 2  # rows in which a cell's width of one ground begins at the same pixel: that makes a column of cells
_AROUND_CELLS = 4  # margin around what the first look sees, in cells: the board may be that much larger
_LEAST_SHARE = 0.3  # least share of a cell that shows its ground: digits and flags cover less than half
_LEAST_IN_LINE = 3
_FEW_IN_LINE = 0.15  # lines with fewer boxes than this share of the fullest line's are something beside the board
_AROUND_PX = 8  # room beyond its outermost gap that is empty beside a board whose sides differ, in pixels


class _Grounds:
    """Tells the grounds of one skin from everything else, all in one pass."""

    def __init__(self, matcher: _TintMatcher) -> None:
        tolerance = matcher.skin.tolerance.colour
        zeros = {tuple(sprite.pixels_bgr[0, 0].tolist()) for sprite in matcher.skin.sprites_of("0")}
        grounds: list[tuple[int, ...]] = []
        for ground in [tuple(map(int, row)) for row in matcher.grounds_bgr.tolist()]:
            apart = [max(abs(a - b) for a, b in zip(ground, other, strict=True)) for other in grounds]
            if ground in zeros or all(steps > tolerance for steps in apart):
                grounds.append(ground)
        self._table = ColourTable(grounds, tolerance)
        self._zeros = [1 << number for number, ground in enumerate(grounds) if ground in zeros]
        self._telling = (1 << len(grounds)) - 1 - sum(self._zeros)

    def runs(self, pixels_bgr: Picture, length: int) -> tuple[Places, Places]:
        """Where runs of exactly this many pixels of one ground begin: their rows and columns.

        Only grounds count that hardly anything but a cell has.
        """
        bits = self._table.bits(pixels_bgr)
        flat = bits.ravel()
        changes = np.flatnonzero(flat[1:] != flat[:-1]) + 1
        starts = changes[:-1][np.diff(changes) == length]
        row, col = np.divmod(starts[(flat[starts] & self._telling) > 0], bits.shape[1])
        return row, col

    def masks(self, pixels_bgr: Picture) -> list[Picture]:
        """Where the telling grounds are, and one by one those of a 0, which windows have as well."""
        bits = self._table.bits(pixels_bgr)
        return [np.where(bits & wanted, np.uint8(255), np.uint8(0)) for wanted in (self._telling, *self._zeros)]


_grounds_of = lru_cache(maxsize=64)(_Grounds)
"""The grounds of the skin of a matcher, made once a session."""


class _Boxes(NamedTuple):
    """Corners of boxes of one size, in pixels."""

    left: Places
    top: Places

    def chosen(self, which: NDArray[np.bool_]) -> _Boxes:
        return _Boxes(self.left[which], self.top[which])


def find_tinted(frame: Frame, skins: Sequence[Skin]) -> list[FoundBoard]:
    """Every board of these skins, which have tints."""
    found = []
    for skin in skins:
        matcher = tint_matcher_of(skin)
        grids = (_grid_of(group, frame, matcher) for group in _groups(_boxes_on(frame.pixels_bgr, matcher), skin))
        boards = (_board_of(frame, matcher, grid, n_seen) for grid, n_seen in filter(None, grids))
        found += [board for board in boards if board is not None]
    return found


def _boxes_on(pixels_bgr: Picture, matcher: _TintMatcher) -> _Boxes:
    """What may be cells: squares of the clone's size, exact to the pixel."""
    grounds = _grounds_of(matcher)
    width, height = matcher.skin.pitch_px
    row, col = grounds.runs(np.ascontiguousarray(pixels_bgr[::_STEP_PX]), width)
    columns, counts = np.unique(col, return_counts=True)
    columns = columns[counts >= _LEAST_ROWS]
    if columns.size < MIN_SIDE:
        return _Boxes(*(np.empty(0, dtype=np.intp) for _ in range(2)))
    rows = _STEP_PX * row[np.isin(col, columns)]
    left, top = (
        max(int(first) - _AROUND_CELLS * side, 0) for first, side in ((columns[0], width), (rows.min(), height))
    )
    right, bottom = int(columns[-1]) + (_AROUND_CELLS + 1) * width, int(rows.max()) + (_AROUND_CELLS + 1) * height
    part = np.ascontiguousarray(pixels_bgr[top:bottom, left:right])
    boxes = []
    for mask in grounds.masks(part):
        stats = areas_of(mask)
        is_cell = (stats[:, 2] == width) & (stats[:, 3] == height) & (stats[:, 4] >= _LEAST_SHARE * width * height)
        boxes.append(stats[is_cell, :2].astype(np.intp))
    corners = np.concatenate(boxes)
    return _Boxes(corners[:, 0] + left, corners[:, 1] + top)


def _groups(boxes: _Boxes, skin: Skin) -> Iterator[_Boxes]:
    """Boxes that lie together, at least as many as a board has cells."""
    if boxes.left.size < MIN_SIDE**2:
        return
    col, row = ((places - places.min()) // side for places, side in zip(boxes, skin.pitch_px, strict=True))
    chart = np.zeros((int(row.max()) + 1, int(col.max()) + 1), dtype=np.uint8)
    chart[row, col] = 1
    n_labels, labels = cv2.connectedComponents(cv2.dilate(chart, np.ones((3, 3), dtype=np.uint8)), connectivity=8)
    for label in range(1, n_labels):
        group = _in_line(boxes.chosen(labels[row, col] == label))
        if group.left.size >= MIN_SIDE**2:
            yield group


def _in_line(boxes: _Boxes) -> _Boxes:
    """Those that have others in their column and in their row."""
    while boxes.left.size:
        kept = np.ones(boxes.left.size, dtype=np.bool_)
        for places in boxes:
            _, which, counts = np.unique(places, return_inverse=True, return_counts=True)
            kept &= (counts >= max(_LEAST_IN_LINE, _FEW_IN_LINE * counts.max()))[which.reshape(-1)]
        if kept.all():
            break
        boxes = boxes.chosen(kept)
    return boxes


def _grid_of(boxes: _Boxes, frame: Frame, matcher: _TintMatcher) -> tuple[Grid, int] | None:
    """The grid of boxes that lie together, and how many of its cells were seen; None where they make no blocks."""
    across, down = (_fit_lines(np.unique(places).tolist()) for places in boxes)
    if across is None or down is None:
        return None
    blocks = Blocks.of_sides(len(down.starts), len(across.starts), down.side, across.side)
    width, height = matcher.skin.pitch_px
    if blocks is None or min(_gaps(across, width) + _gaps(down, height)) < 1:
        return None
    x_edges = tuple(frame.left + x for x in (*across.starts, across.starts[-1] + width))
    y_edges = tuple(frame.top + y for y in (*down.starts, down.starts[-1] + height))
    grid = Grid(
        Pixel(x_edges[0], y_edges[0]),
        (across.starts[1] - across.starts[0], down.starts[1] - down.starts[0]),
        blocks.rows,
        blocks.cols,
        x_edges=x_edges,
        y_edges=y_edges,
        cell_px=(width, height),
        blocks=blocks,
    )
    if len(set(blocks.shape)) == 1:
        is_whole = frame.region.holds(grid.region)
    else:
        ends = (int(boxes.left.min()), int(boxes.left.max()), int(boxes.top.min()), int(boxes.top.max()))
        are_seen = ends == (across.starts[0], across.starts[-1], down.starts[0], down.starts[-1])
        around = max(_gaps(across, width) + _gaps(down, height)) + _AROUND_PX
        is_whole = are_seen and _stands_alone(frame, grid, around, matcher.skin.tolerance.colour)
    return (grid, boxes.left.size) if is_whole else None


def _gaps(lines: _BlockLines, side: int) -> list[int]:
    return [after - before - side for before, after in pairwise(lines.starts)]


def _stands_alone(frame: Frame, grid: Grid, depth: int, tolerance: int) -> bool:
    """Whether nothing but the colour between the cells lies around a board: no blocks of it are out of sight."""
    region = grid.region
    left, top = region.left - frame.left, region.top - frame.top
    right, bottom = left + region.width, top + region.height
    height, width = frame.pixels_bgr.shape[:2]
    if min(left, top) < depth or right + depth > width or bottom + depth > height:
        return False
    pixels = frame.pixels_bgr[top - depth : bottom + depth, left - depth : right + depth].astype(np.int16)
    is_like = largest_channel(np.abs(pixels - pixels[depth, depth - 1])) <= tolerance
    first_gap = depth + grid.place_region(0, 0).width
    is_like[depth:-depth, depth:-depth] = is_like[depth, first_gap]
    return bool(is_like.all())


def _board_of(frame: Frame, matcher: _TintMatcher, grid: Grid, n_seen: int) -> FoundBoard | None:
    """The board on a grid, if its cells say that it is one."""
    named = matcher.name(frame, grid, np.arange(grid.rows * grid.cols)).codes
    return board_of_named(matcher.skin, grid, named, n_seen, n_strange=int((named == codes.UNREADABLE).sum()))
