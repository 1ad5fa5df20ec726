"""A board of an unknown look, cut into cells.

A board of an unknown look, cut into cells.

Cells in rows and columns on a picture, wherever they begin and however large they are: cut out, all of one size.

Cells of whole pixels are cut as they are. Where the pitch is no whole number, the board is drawn anew at the next
smaller one. Of tiles (cells with gaps between them), which are drawn larger or smaller by a pixel, only what lies
between the gaps is taken.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Frame, Grid
from bot.vision.exact import cut_cells
from calibration.appearances import ALIKE, ALIKE_ANEW, MOST_LOOKS, share_alike
from skins.skin import Drawing, OwnPixels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Region

    Cells = NDArray[np.uint8]


Part = tuple[int, int, int, int]
"""Rows and columns of a raster: top, left, bottom, right, the last two outside."""


@dataclass(frozen=True)
class Cutter:
    """How the cells of a board are cut out, all of one size.

    Attributes:
        cell_px: (width, height) they are brought to; None where they are cut as they are.
        inset_px: how much of a cell is gap: left, top, right, bottom; None where the cells are no tiles.
    """

    cell_px: tuple[int, int] | None = None
    inset_px: tuple[int, int, int, int] | None = None

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
        if self.cell_px is None:
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


AS_THEY_ARE = Cutter()
"""The way to cut cells of whole pixels."""


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
        """The same, moved to the right and below."""
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
        return cls(frame, grid, cells, *share_alike(cells.reshape(-1, *cells.shape[2:]), cutter.alike), cutter, drawing)

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
        a, b = self.grid.region, other.grid.region
        is_x = a.left < b.left + b.width and b.left < a.left + a.width
        return is_x and a.top < b.top + b.height and b.top < a.top + a.height
