"""A board of an unknown look, cut into cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibration.looks import MOST_LOOKS, share_alike
from calibration.rasters import AS_THEY_ARE, Cutter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from skins.skin import Tiles

_IN_ORDER = 0.8


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
        tiles: the colours of tiles and of the gaps between them, None where cells touch.
    """

    frame: Frame
    grid: Grid
    cells: NDArray[np.uint8]
    n_looks: int
    share_alike: float
    cutter: Cutter = AS_THEY_ARE
    tiles: Tiles | None = None

    @classmethod
    def of(cls, frame: Frame, grid: Grid, cutter: Cutter, tiles: Tiles | None = None) -> Cut:
        """Cut a board out of a picture."""
        cells = cutter.cells(frame, grid)
        return cls(frame, grid, cells, *share_alike(cells.reshape(-1, *cells.shape[2:]), cutter.alike), cutter, tiles)

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
