"""Cuts the cells of a board out of a picture, wherever they begin and however large they are: all of one size.

Cells of whole pixels are cut as they are. Where the pitch is no whole number, the board is drawn anew at the next
smaller one. Of cells with gaps between them, which are drawn larger or smaller by a pixel, only the tile is taken: what
lies between the gaps.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import cv2
import numpy as np

from bot.models import Grid
from bot.vision.alike import insides
from bot.vision.matching import cut_cells
from calibration.appearances import ALIKE, ALIKE_ANEW, FEW, MOST_APPEARANCES, appearances_of
from skins.skin import Drawing, OwnPixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Region
    from calibration.appearances import Codebook

    Cells = NDArray[np.uint8]


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
            cells = cut_cells(_redrawn_board(frame, grid, self.cell_px), grid.rows, grid.cols)
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


def _redrawn_board(frame: Frame, grid: Grid, cell_px: tuple[int, int]) -> Cells:
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


class Part(NamedTuple):
    """Rows and columns of a raster; the last two are outside."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns it has."""
        return self.bottom - self.top, self.right - self.left

    def grown(self, margin: int) -> Part:
        """This part with so many more rows and columns on each side."""
        return Part(self.top - margin, self.left - margin, self.bottom + margin, self.right + margin)

    def slices_in(self, wide: Part) -> tuple[slice, slice]:
        """Its rows and columns in a part that holds it."""
        return slice(self.top - wide.top, self.bottom - wide.top), slice(self.left - wide.left, self.right - wide.left)


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
        top, left = max(part.top, -int(y // height)), max(part.left, -int(x // width))
        bottom, right = min(part.bottom, int((n_high - y) // height)), min(part.right, int((n_wide - x) // width))
        return Part(top, left, max(bottom, top), max(right, left))

    def grid(self, part: Part) -> Grid:
        """Where a part lies on the screen."""
        x, y = self.frame.left + self.corner[0], self.frame.top + self.corner[1]
        corner = x + part.left * self.pitch_px[0], y + part.top * self.pitch_px[1]
        return Grid.at(corner, self.cell_px if self.is_whole else self.pitch_px, *part.shape)

    def cells(self, part: Part) -> Cells:
        """The cells of a part: uint8, rows x cols x height x width x 3."""
        return self.cutter.cells(self.frame, self.grid(part))


IN_ORDER = 0.8  # least share of cells of a board in order that look like some others
_OWN_PIXELS = OwnPixels()


@dataclass(frozen=True, eq=False)
class Cut:
    """A board of unknown appearances, its cells cut out.

    Attributes:
        frame: the picture it is on.
        grid: where it lies there.
        cells: uint8, rows x cols x height x width x 3; of one size, brought to it where the pitch is no whole number.
        n_appearances: how many appearances its cells have.
        share_alike: the share of cells that look like some others: nearly all, on a board in order.
        cutter: how the cells were cut out; it cuts those of the same grid on another picture likewise.
        drawing: how its cells are drawn: as `Tiles` with gaps of some colour, or at their own pixels, which touch.
    """

    frame: Frame
    grid: Grid
    cells: NDArray[np.uint8]
    n_appearances: int
    share_alike: float
    cutter: Cutter = AS_THEY_ARE
    drawing: Drawing = _OWN_PIXELS

    @classmethod
    def of(cls, frame: Frame, grid: Grid, cutter: Cutter, drawing: Drawing = _OWN_PIXELS) -> Cut:
        """Cut a board out of a picture."""
        cells = cutter.cells(frame, grid)
        _, counts = np.unique(appearances_of(cells, cutter.alike), return_counts=True)
        share_alike = int(counts[counts >= FEW].sum()) / int(counts.sum())
        return cls(frame, grid, cells, counts.size, share_alike, cutter, drawing)

    @property
    def n_cells(self) -> int:
        """How many cells it has."""
        return self.grid.rows * self.grid.cols

    @property
    def is_in_order(self) -> bool:
        """Whether nearly all cells look like some others, as on a board that nothing covers."""
        return self.share_alike >= IN_ORDER and self.n_appearances <= MOST_APPEARANCES

    @property
    def rank(self) -> tuple[bool, int]:
        """Boards in order come first, and of those the largest."""
        return not self.is_in_order, -self.n_cells

    def overlaps(self, other: Cut) -> bool:
        """Whether both lie in one place, in part."""
        return self.grid.region.shared(other.grid.region).n_pixels > 0
