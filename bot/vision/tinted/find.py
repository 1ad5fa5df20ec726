"""Find boards of tinted cells: squares of known grounds and one size, in line, in blocks.

A cell is a connected area of one of the skin's grounds around whatever sign is on it; its bounding box is exact to the
pixel. Boxes in line make columns and rows, these make blocks, and blocks make a board of four dimensions. Where cells
and blocks are all equally far apart, only a board with equal sides is one: nothing else would tell its shape. A board
whose sides differ might be part of a larger one: it counts only where all around it nothing but its background lies.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from bot.blocks import Blocks
from bot.models import FoundBoard, Grid, Pixel
from bot.vision.colours import ColourTable
from bot.vision.sites import MIN_KNOWN, MIN_SIDE, MIN_TELLING
from bot.vision.tinted.lines import fit_lines
from bot.vision.tinted.match import tint_matcher_of
from solver import board as codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from bot.vision.tinted.lines import Lines
    from bot.vision.tinted.match import TintMatcher
    from skins.skin import Skin

    Picture = NDArray[np.uint8]
    Places = NDArray[np.intp]

_STEP_PX = 12
"""A first look takes every so manieth row of pixels: two of every cell."""
_LEAST_ROWS = 2
"""In so many of those a cell's width of one ground must begin at the same pixel, to be a column of cells,"""
_AROUND_CELLS = 4
"""What is seen at this first look may be so far from the edges of a board."""
_LEAST_SHARE = 0.3
"""Of a cell, so much is of its ground: digits and flags cover less than half."""
_LEAST_IN_LINE = 3
_FEW_IN_LINE = 0.15
"""Lines with fewer boxes than this share of the fullest line's are something beside the board."""
_MIN_NAMED = 0.75
"""So much of what is seen of a board's cells must be named."""
_AROUND_PX = 8
"""So far beyond its outermost gap nothing may lie beside a board whose sides differ."""


class _Grounds:
    """Tells the grounds of one skin from everything else, all in one pass."""

    def __init__(self, matcher: TintMatcher) -> None:
        tolerance = matcher.skin.tolerance.colour
        zeros = {tuple(look.pixels_bgr[0, 0].tolist()) for look in matcher.skin.looks_of("0")}
        grounds: list[tuple[int, ...]] = []
        for ground in [tuple(map(int, row)) for row in matcher.grounds_bgr.tolist()]:
            if ground in zeros or all(_apart(ground, other) > tolerance for other in grounds):
                grounds.append(ground)
        self._table = ColourTable(grounds, tolerance)
        self._zeros = [1 << number for number, ground in enumerate(grounds) if ground in zeros]
        self._telling = (1 << len(grounds)) - 1 - sum(self._zeros)

    def runs(self, pixels_bgr: Picture, length: int) -> tuple[Places, Places]:
        """Where so many pixels of one ground begin in rows, neither more nor fewer: their rows and columns.

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
        return [self._where(bits, wanted) for wanted in (self._telling, *self._zeros)]

    @staticmethod
    def _where(bits: NDArray[np.int32], wanted: int) -> Picture:
        return np.where(bits & wanted, np.uint8(255), np.uint8(0))


class _Boxes(NamedTuple):
    """Corners of boxes of one size, in pixels."""

    left: Places
    top: Places

    def chosen(self, which: NDArray[np.bool_]) -> _Boxes:
        return _Boxes(self.left[which], self.top[which])


def find_tinted(frame: Frame, skins: Sequence[Skin]) -> list[FoundBoard]:
    """Every board of those of the skins that have tints."""
    found = []
    for skin in skins:
        if skin.tints is not None:
            matcher = tint_matcher_of(skin)
            grids = (_grid_of(group, frame, matcher) for group in _groups(_boxes_on(frame.pixels_bgr, matcher), skin))
            boards = (_board_of(frame, matcher, grid, n_seen) for grid, n_seen in filter(None, grids))
            found += [board for board in boards if board is not None]
    return found


def _boxes_on(pixels_bgr: Picture, matcher: TintMatcher) -> _Boxes:
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
        _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4, ltype=cv2.CV_32S)
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


def _grid_of(boxes: _Boxes, frame: Frame, matcher: TintMatcher) -> tuple[Grid, int] | None:
    """The grid of boxes that lie together, and how many of its cells were seen; None where they make no blocks."""
    across, down = (fit_lines(np.unique(places).tolist()) for places in boxes)
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
        is_whole = _is_inside(grid, frame)
    else:
        ends = (int(boxes.left.min()), int(boxes.left.max()), int(boxes.top.min()), int(boxes.top.max()))
        are_seen = ends == (across.starts[0], across.starts[-1], down.starts[0], down.starts[-1])
        around = max(_gaps(across, width) + _gaps(down, height)) + _AROUND_PX
        is_whole = are_seen and _stands_alone(frame, grid, around, matcher.skin.tolerance.colour)
    return (grid, boxes.left.size) if is_whole else None


def _is_inside(grid: Grid, frame: Frame) -> bool:
    inner, outer = grid.region, frame.region
    fits_x = outer.left <= inner.left and inner.left + inner.width <= outer.left + outer.width
    return fits_x and outer.top <= inner.top and inner.top + inner.height <= outer.top + outer.height


def _gaps(lines: Lines, side: int) -> list[int]:
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
    is_like = np.abs(pixels - pixels[depth, depth - 1]).max(axis=2) <= tolerance
    first_gap = depth + grid.place_region(0, 0).width
    is_like[depth:-depth, depth:-depth] = is_like[depth, first_gap]
    return bool(is_like.all())


def _board_of(frame: Frame, matcher: TintMatcher, grid: Grid, n_seen: int) -> FoundBoard | None:
    """The board on a grid, if its cells say that it is one."""
    n_cells = grid.rows * grid.cols
    named = matcher.name(frame, grid, np.arange(n_cells)).codes
    n_known = int((named != codes.UNREADABLE).sum())
    is_seen = min(n_seen, n_known) >= max(MIN_KNOWN * n_cells, MIN_TELLING)
    has_mines = bool((named[named != codes.UNREADABLE] < 0).any())
    if not (is_seen and has_mines and n_known >= _MIN_NAMED * n_seen):
        return None
    return FoundBoard(matcher.skin, grid, n_known, n_known)


@lru_cache(maxsize=64)
def _grounds_of(matcher: TintMatcher) -> _Grounds:
    """Made once for every matcher."""
    return _Grounds(matcher)


def _apart(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))
