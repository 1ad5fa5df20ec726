"""Boards of unknown appearances whose cells have gaps between them: where they lie, and how they are drawn.

A tile is what lies between the gaps: a flat field. All are of one size, and the gaps of one colour. Columns and rows of
such a clone need not be evenly wide (`bot.vision.gapped`). What is learned of it is good at other sizes too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.models import Grid
from bot.vision.gapped import LEAST_GAP_PX, lines_of
from bot.vision.gapped_match import Corners, InsetMeter
from bot.vision.lattice import find_flat_lattices, flat_boxes
from bot.vision.sites import MIN_SIDE
from calibration.appearances import frequent_appearances, rms_distances
from calibration.cells import Cut, Cutter
from skins.pixels import distinct_colours
from skins.skin import MOST_GROUNDS, Alike, Drawing, OwnPixels, Tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Frame
    from bot.vision.gapped import Lines
    from bot.vision.lattice import Boxes, Lattice

_MOST_HINTS = 4
_AROUND_CELLS = 2.5  # largest distance of a tile of a board from its lattice
_SIDE_PX = 2  # largest difference between the sides of one board's tiles, in pixels
_GAP_STEPS = 12
_GAP_SHARE = 0.8
"""Least share of both pixels in the middle between tiles that has the colour of the gap: a bevel has one in the
light."""
_MOST_GROWTHS = 6
_NEAR = 12.0  # largest distance (root mean square) of tiles that look the same at two sizes
_HARD = 0.1  # largest difference from the colour of the gap, as a share, of a pixel that is gap
_TOLERANCE = 6  # largest difference of a channel between grounds that are one


Colour = tuple[int, int, int]


class _GappedBoard(NamedTuple):
    """A board of tiles: where it lies, and the colour of its gaps."""

    grid: Grid
    gap_bgr: Colour


def find_gapped_cuts(frame: Frame, cell_px: tuple[int, int] | None = None) -> list[Cut]:
    """Boards of tiles on a picture, their tiles of the size of the smallest one, or of the size given."""
    lattices = list(dict.fromkeys(find_flat_lattices(frame.pixels_bgr)))[:_MOST_HINTS]
    if not lattices:
        return []
    cuts: list[Cut] = []
    boxes = flat_boxes(frame.pixels_bgr)
    for lattice in lattices:
        board = _board_near(frame, lattice, boxes)
        cut = None if board is None else _cut_of(frame, board, cell_px)
        if cut is not None and not any(cut.overlaps(other) for other in cuts):
            cuts.append(cut)
    return cuts


def find_gapped_like(frame: Frame, known: Cut) -> Cut | None:
    """The largest board of tiles that look like those of a known one."""
    frequent = frequent_appearances(known.cells)
    found = find_gapped_cuts(frame, known.cutter.cell_px)
    near = [rms_distances(cut.cells, frequent).min(axis=-1) <= _NEAR for cut in found]
    like = [cut for cut, is_like in zip(found, near, strict=True) if is_like.sum() >= MIN_SIDE**2]
    return max(like, key=lambda cut: cut.n_cells, default=None)


def joined_drawing(cuts: Sequence[Cut]) -> Drawing:
    """How the cells of a clone are drawn, by several boards of it: as tiles of all their colours, or as they are."""
    alike = [cut.drawing for cut in cuts if isinstance(cut.drawing, Alike)]
    if alike:
        return alike[0]
    tiles = [cut.drawing for cut in cuts if isinstance(cut.drawing, Tiles)]
    if not tiles:
        return OwnPixels()
    return Tiles(tiles[0].gap_bgr, _distinct_grounds([ground for one in tiles for ground in one.grounds_bgr]))


def _cut_of(frame: Frame, board: _GappedBoard, cell_px: tuple[int, int] | None) -> Cut | None:
    """The tiles of a board, and their colours; None where there is no gap, or no tile has most of one colour."""
    grid, gap_bgr = board
    grounds = _grounds(frame, grid, gap_bgr)
    if not grounds:
        return None
    tiles = Tiles(gap_bgr, grounds)
    sides = _insets(frame, grid, tiles)
    if min(sides[0] + sides[2], sides[1] + sides[3]) < LEAST_GAP_PX:
        return None
    widths, heights = (np.diff(grid.edges(axis)) for axis in (0, 1))
    smallest = int(widths.min()) - sides[0] - sides[2], int(heights.min()) - sides[1] - sides[3]
    return Cut.of(frame, grid, Cutter(cell_px or smallest, sides), tiles)


def _insets(frame: Frame, grid: Grid, tiles: Tiles) -> tuple[int, int, int, int]:
    """How much of a cell is gap alone: left, top, right, bottom; soft edges belong to the tile."""
    x, y = (np.array(grid.edges(axis)) - first for axis, first in ((0, frame.left), (1, frame.top)))
    rows, cols = np.divmod(np.arange(grid.rows * grid.cols), grid.cols)
    cells = Corners(x[cols], y[rows], x[cols + 1], y[rows + 1])
    measured = InsetMeter(tiles).insets(frame.pixels_bgr, cells, np.array(tiles.gap_bgr, dtype=np.float64))
    left, top, right, bottom = (int(side + _HARD) for side in np.median(measured.sides, axis=0).tolist())
    return left, top, right, bottom


def _grounds(frame: Frame, grid: Grid, gap: Colour) -> tuple[Colour, ...]:
    """The colours that most of a tile has, those of most tiles first."""
    colours: dict[Colour, int] = {}
    for row, col in np.ndindex(grid.rows, grid.cols):
        cell = frame.crop(grid.place_region(row, col)).pixels_bgr.reshape(-1, 3)
        inside = cell[np.abs(cell.astype(np.int16) - gap).max(axis=1) > _TOLERANCE]
        values, counts = distinct_colours(inside)
        if counts.size and 2 * int(counts.max()) >= len(inside):
            blue, green, red = (int(channel) for channel in values[counts.argmax()])
            colours[blue, green, red] = colours.get((blue, green, red), 0) + 1
    return _distinct_grounds(sorted(colours, key=lambda one: -colours[one]))


def _distinct_grounds(colours: Sequence[Colour]) -> tuple[Colour, ...]:
    """Those of the colours that differ from all before them, as many as tiles may have."""
    grounds: list[Colour] = []
    for colour in colours:
        if all(max(abs(a - b) for a, b in zip(colour, other, strict=True)) > _TOLERANCE for other in grounds):
            grounds.append(colour)
    return tuple(grounds[:MOST_GROUNDS])


def _board_near(frame: Frame, lattice: Lattice, boxes: Boxes) -> _GappedBoard | None:
    """The board of tiles that a lattice is a part of."""
    x, y = lattice.corner
    width, height = lattice.cols * lattice.pitch_px[0], lattice.rows * lattice.pitch_px[1]
    found: _GappedBoard | None = None
    for _ in range(_MOST_GROWTHS):
        near_x, near_y = (_AROUND_CELLS * pitch for pitch in lattice.pitch_px)
        is_near = (boxes.left >= x - near_x) & (boxes.left + boxes.width <= x + width + near_x)
        is_near &= (boxes.top >= y - near_y) & (boxes.top + boxes.height <= y + height + near_y)
        lines = _lines_of_most(boxes.chosen(is_near))
        if lines is None:
            return None
        before, found = found, _board_on(frame, *lines)
        if found is None or (before is not None and before.grid == found.grid):
            break
        own = found.grid.region
        x, y, width, height = own.left - frame.left, own.top - frame.top, own.width, own.height
    return found


def _lines_of_most(boxes: Boxes) -> tuple[Lines, Lines] | None:
    """Columns and rows of the boxes of the size that most have; None where they make none, or have no gaps."""
    if boxes.count < MIN_SIDE**2:
        return None
    sizes, counts = np.unique(np.stack([boxes.width, boxes.height], axis=1), axis=0, return_counts=True)
    side = sizes[counts.argmax()]
    own = boxes.chosen((np.abs(boxes.width - side[0]) <= _SIDE_PX) & (np.abs(boxes.height - side[1]) <= _SIDE_PX))
    across, down = lines_of(own.left, own.width), lines_of(own.top, own.height)
    if across is None or down is None or not (across.has_gaps and down.has_gaps):
        return None
    return across, down


def _board_on(frame: Frame, across: Lines, down: Lines) -> _GappedBoard | None:
    """The board on these lines; None where what lies between them is not of one colour."""
    n_high, n_wide = frame.pixels_bgr.shape[:2]
    x, y = np.clip(across.edges(), 0, n_wide), np.clip(down.edges(), 0, n_high)
    if min(x.size, y.size) <= MIN_SIDE:
        return None
    board = frame.pixels_bgr[y[0] : y[-1], x[0] : x[-1]]
    across_px, down_px = (np.concatenate([edges[1:-1] - 1, edges[1:-1]]) - edges[0] for edges in (x, y))
    gaps = np.concatenate([board[:, across_px].reshape(-1, 3), board[down_px].reshape(-1, 3)])
    gap = np.median(gaps, axis=0)
    if (np.abs(gaps - gap).max(axis=1) <= _GAP_STEPS).mean() < _GAP_SHARE:
        return None
    blue, green, red = (int(channel) for channel in gap)
    grid = Grid.of_edges((x + frame.left).tolist(), (y + frame.top).tolist())
    return _GappedBoard(grid, (blue, green, red))
