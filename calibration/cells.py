"""A board of an unknown look, cut into cells.

Cells in rows and columns on a picture, wherever they begin and however large they are: cut out, all of one size.

Cells of whole pixels are cut as they are. Where the pitch is no whole number, the board is drawn anew at the next
smaller one. Of tiles (cells with gaps between them), which are drawn larger or smaller by a pixel, only what lies
between the gaps is taken.

Boards of tiles of an unknown look: flat fields of one size with gaps of one colour between them. Columns and rows of
such a clone need not be evenly wide (`bot.vision.gapped`). What is learned of it is good at other sizes too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from bot.models import Frame, Grid
from bot.vision.alike import insides
from bot.vision.gapped import LEAST_GAP_PX, lines_of
from bot.vision.gapped_match import Corners, InsetMeter
from bot.vision.lattice import find_flat_lattices, flat_boxes
from bot.vision.matching import cut_cells
from bot.vision.sites import MIN_SIDE
from calibration.appearances import ALIKE, ALIKE_ANEW, FEW, MOST_LOOKS, looks_of, nearest, often
from skins.pixels import distinct_colours
from skins.skin import MOST_GROUNDS, Alike, Drawing, OwnPixels, Tiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Region

    Cells = NDArray[np.uint8]
    from collections.abc import Iterator, Sequence

    from bot.models import Frame
    from bot.vision.gapped import Lines
    from bot.vision.lattice import Boxes, Lattice
    from calibration.appearances import Codebook


Part = tuple[int, int, int, int]
"""Rows and columns of a raster: top, left, bottom, right, the last two outside."""


@dataclass(frozen=True)
class Cutter:
    """How the cells of a board are cut out, all of one size.

    Attributes:
        cell_px: (width, height) they are brought to; None where they are cut as they are.
        inset_px: how much of a cell does not count: left, top, right, bottom. Of tiles that is the gap; None where the
            cells have none.
        codebook: of cells that are alike, and cut at whole pixels: makes them equal. None where they are equal.
    """

    cell_px: tuple[int, int] | None = None
    inset_px: tuple[int, int, int, int] | None = None
    codebook: Codebook | None = field(default=None, compare=False)

    @property
    def alike(self) -> float:
        """How far apart cells that look the same may be, where no two are equal."""
        return ALIKE if self.cell_px is None or self.inset_px is not None else ALIKE_ANEW

    def cells(self, frame: Frame, grid: Grid) -> Cells:
        """The cells of a board: uint8, rows x cols x height x width x 3.

        Args:
            frame: shows all of it.
            grid: where it lies; of whole cells where they are cut as they are.
        """
        if self.codebook is not None:
            assert self.cell_px is not None, "the insides of cells have a size"
            assert self.inset_px is not None, "and an edge around"
            cells = insides(frame.crop(grid.region).pixels_bgr, grid, self.inset_px[0], self.cell_px)
            cells = self.codebook.equalled(cells)
        elif self.cell_px is None:
            cells = cut_cells(frame.crop(grid.region).pixels_bgr, grid.rows, grid.cols)
        elif self.inset_px is None:
            cells = cut_cells(_drawn_anew(frame, grid, self.cell_px), grid.rows, grid.cols)
        else:
            places = np.ndindex(grid.rows, grid.cols)
            cells = np.stack([_tile(frame, grid.place_region(*place), self.inset_px, self.cell_px) for place in places])
        return cells.reshape(grid.rows, grid.cols, *cells.shape[1:])


def _tile(frame: Frame, cell: Region, inset_px: tuple[int, int, int, int], size: tuple[int, int]) -> Cells:
    """The tile in a cell, of another size: uint8, height x width x 3."""
    pixels = frame.crop(cell).pixels_bgr
    left, top, right, bottom = inset_px
    tile = pixels[top : pixels.shape[0] - bottom, left : pixels.shape[1] - right]
    return np.asarray(cv2.resize(tile, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _drawn_anew(frame: Frame, grid: Grid, cell_px: tuple[int, int]) -> Cells:
    """The picture of an even board with cells of another size: uint8, height x width x 3."""
    places = []
    for axis, first, n in ((0, frame.left, grid.cols), (1, frame.top, grid.rows)):
        scale = grid.pitch_px[axis] / cell_px[axis]
        middle = (np.arange(n * cell_px[axis]) + 0.5) * scale
        places.append((grid.corner[axis] - first + middle - 0.5).astype(np.float32))
    x, y = np.meshgrid(*places)
    drawn = cv2.remap(frame.pixels_bgr, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(drawn, dtype=np.uint8)


AS_THEY_ARE = Cutter()  # the way to cut cells of whole pixels


@dataclass(frozen=True, eq=False)
class Raster:
    """Cells on a picture, (0, 0) of which begins at `corner`; there are others on all sides.

    Attributes:
        frame: the picture.
        corner: (x, y) in the picture.
        pitch_px: (width, height) of a cell.
        is_whole: whether cells have a whole number of pixels.
    """

    frame: Frame
    corner: tuple[float, float]
    pitch_px: tuple[float, float]
    is_whole: bool = True

    @property
    def cell_px(self) -> tuple[int, int]:
        """(width, height) of a cell that was cut out."""
        return int(self.pitch_px[0]), int(self.pitch_px[1])

    @property
    def cutter(self) -> Cutter:
        """How cells are cut here."""
        return AS_THEY_ARE if self.is_whole else Cutter(self.cell_px)

    def moved(self, dx: float, dy: float) -> Raster:
        """This raster, moved to the right and down."""
        return replace(self, corner=(self.corner[0] + dx, self.corner[1] + dy))

    def clipped(self, part: Part) -> Part:
        """The rows and columns of a part that lie on the picture whole."""
        n_high, n_wide = self.frame.pixels_bgr.shape[:2]
        (x, y), (width, height) = self.corner, self.pitch_px
        top, left = max(part[0], -int(y // height)), max(part[1], -int(x // width))
        bottom, right = min(part[2], int((n_high - y) // height)), min(part[3], int((n_wide - x) // width))
        return top, left, max(bottom, top), max(right, left)

    def grid(self, part: Part) -> Grid:
        """Where a part lies on the screen."""
        top, left, bottom, right = part
        x, y = self.frame.left + self.corner[0], self.frame.top + self.corner[1]
        corner = x + left * self.pitch_px[0], y + top * self.pitch_px[1]
        return Grid.at(corner, self.cell_px if self.is_whole else self.pitch_px, bottom - top, right - left)

    def cells(self, part: Part) -> Cells:
        """The cells of a part, row by row: uint8, N x height x width x 3."""
        cells = self.cutter.cells(self.frame, self.grid(part))
        return cells.reshape(-1, *cells.shape[2:])


_IN_ORDER = 0.8
_OWN_PIXELS = OwnPixels()


@dataclass(frozen=True, eq=False)
class Cut:
    """A board cut into cells.

    Attributes:
        frame: the picture it is on.
        grid: where it lies there.
        cells: uint8, rows x cols x height x width x 3; of one size, brought to it where the pitch is no whole number.
        n_looks: how many looks its cells have.
        share_alike: the share of cells that look like some others: nearly all, on a board in order.
        cutter: how the cells were cut out; it cuts those of the same grid on another picture likewise.
        drawing: how its cells are drawn: as `Tiles` with gaps of some colour, or at their own pixels, which touch.
    """

    frame: Frame
    grid: Grid
    cells: NDArray[np.uint8]
    n_looks: int
    share_alike: float
    cutter: Cutter = AS_THEY_ARE
    drawing: Drawing = _OWN_PIXELS

    @classmethod
    def of(cls, frame: Frame, grid: Grid, cutter: Cutter, drawing: Drawing = _OWN_PIXELS) -> Cut:
        """Cut a board out of a picture."""
        cells = cutter.cells(frame, grid)
        return cls(
            frame, grid, cells, *_share_alike(cells.reshape(-1, *cells.shape[2:]), cutter.alike), cutter, drawing
        )

    @property
    def is_in_order(self) -> bool:
        """Whether nearly all cells look like some others, as on a board that nothing covers."""
        return self.share_alike >= _IN_ORDER and self.n_looks <= MOST_LOOKS

    @property
    def rank(self) -> tuple[bool, int]:
        """Boards in order come first, and of those the largest."""
        return not self.is_in_order, -self.grid.rows * self.grid.cols

    def overlaps(self, other: Cut) -> bool:
        """Whether both lie in one place, in part."""
        return self.grid.region.shared(other.grid.region).n_pixels > 0


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


class _Found(NamedTuple):
    """A board of tiles: where it lies, and the colour of its gaps."""

    grid: Grid
    gap_bgr: Colour


def _share_alike(cells: NDArray[np.uint8], alike: float) -> tuple[int, float]:
    """How many looks cells have, and the share of them that look like some others."""
    counts = np.bincount(looks_of(cells, alike))
    counts = counts[counts > 0]
    return counts.size, int(counts[counts >= FEW].sum()) / len(cells)


def find_tiled_cuts(frame: Frame, cell_px: tuple[int, int] | None = None) -> list[Cut]:
    """Boards of tiles on a picture, their tiles of the size of the smallest one, or of the size given."""
    cuts: list[Cut] = []
    for found in _boards(frame):
        cut = _cut(frame, found, cell_px)
        if cut is not None and not any(cut.overlaps(other) for other in cuts):
            cuts.append(cut)
    return cuts


def find_tiled_like(frame: Frame, known: Cut) -> Cut | None:
    """The largest board of tiles that look like those of a known one."""
    looks = often(known.cells)
    flat = looks.reshape(len(looks), -1).astype(np.float32)
    like = []
    for cut in find_tiled_cuts(frame, known.cutter.cell_px):
        n_like = int((nearest(cut.cells.reshape(-1, *cut.cells.shape[2:]), flat) <= _NEAR).sum())
        if n_like >= MIN_SIDE**2:
            like.append(cut)
    return max(like, key=lambda cut: cut.grid.rows * cut.grid.cols, default=None)


def joined_drawing(cuts: Sequence[Cut]) -> Drawing:
    """How the cells of a clone are drawn, by several boards of it: as tiles of all their colours, or as they are."""
    alike = [cut.drawing for cut in cuts if isinstance(cut.drawing, Alike)]
    if alike:
        return alike[0]
    tiles = [cut.drawing for cut in cuts if isinstance(cut.drawing, Tiles)]
    if not tiles:
        return OwnPixels()
    return Tiles(tiles[0].gap_bgr, _apart([ground for one in tiles for ground in one.grounds_bgr]))


def _cut(frame: Frame, found: _Found, cell_px: tuple[int, int] | None) -> Cut | None:
    """The tiles of a board, and their colours; None where there is no gap, or no tile has most of one colour."""
    grid = found.grid
    grounds = _grounds(frame, grid, found.gap_bgr)
    if not grounds:
        return None
    tiles = Tiles(found.gap_bgr, grounds)
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
    return _apart(sorted(colours, key=lambda one: -colours[one]))


def _apart(colours: Sequence[Colour]) -> tuple[Colour, ...]:
    """Those of the colours that differ from all before them, as many as tiles may have."""
    grounds: list[Colour] = []
    for colour in colours:
        if all(max(abs(a - b) for a, b in zip(colour, other, strict=True)) > _TOLERANCE for other in grounds):
            grounds.append(colour)
    return tuple(grounds[:MOST_GROUNDS])


def _boards(frame: Frame) -> Iterator[_Found]:
    """The boards of tiles near lattices of flat areas."""
    lattices = list(dict.fromkeys(find_flat_lattices(frame.pixels_bgr)))[:_MOST_HINTS]
    boxes = flat_boxes(frame.pixels_bgr) if lattices else None
    for lattice in lattices:
        assert boxes is not None, "there are areas where there is a lattice of them"
        found = _board_near(frame, lattice, boxes)
        if found is not None:
            yield found


def _board_near(frame: Frame, lattice: Lattice, boxes: Boxes) -> _Found | None:
    """The board of tiles that a lattice is a part of."""
    x, y = lattice.corner
    width, height = lattice.cols * lattice.pitch_px[0], lattice.rows * lattice.pitch_px[1]
    found: _Found | None = None
    for _ in range(_MOST_GROWTHS):
        near_x, near_y = (_AROUND_CELLS * pitch for pitch in lattice.pitch_px)
        is_near = (boxes.left >= x - near_x) & (boxes.left + boxes.width <= x + width + near_x)
        is_near &= (boxes.top >= y - near_y) & (boxes.top + boxes.height <= y + height + near_y)
        lines = _lines(boxes.chosen(is_near))
        if lines is None:
            return None
        across, down = lines
        before = found
        found = _found(frame, across, down)
        if found is None or (before is not None and before.grid == found.grid):
            break
        own = found.grid.region
        x, y, width, height = own.left - frame.left, own.top - frame.top, own.width, own.height
    return found


def _lines(boxes: Boxes) -> tuple[Lines, Lines] | None:
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


def _found(frame: Frame, across: Lines, down: Lines) -> _Found | None:
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
    return _Found(grid, (blue, green, red))
