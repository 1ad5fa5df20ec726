"""Where the cells of a fresh board begin: all of them look alike, so only how far the board goes tells.

A pattern that repeats can be cut anywhere, half a cell off as well; but then a row and a column less are whole. Cells
of one plain colour tell nothing: what is around a board may have it too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bot.models import Pixel
from bot.vision.native import cut_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Grid

_SAME = 10
_WHOLE = 0.97
"""A cell with so many pixels as the others have is one of them: some clones shade corners."""


def widest(frame: Frame, grid: Grid) -> Grid:
    """The cut of a fresh board that makes the most cells; the one it has where none makes more.

    Args:
        frame: a picture of the whole screen.
        grid: where the board lies, maybe cut off its cells, of whole pixels.
    """
    across = _widest(frame.pixels_bgr, grid.origin.x - frame.left, grid.origin.y - frame.top, grid)
    high = frame.pixels_bgr.swapaxes(0, 1)
    turned = replace(grid, pitch_px=grid.pitch_px[::-1], rows=grid.cols, cols=grid.rows)
    down = _widest(high, grid.origin.y - frame.top, grid.origin.x - frame.left, turned)
    origin = Pixel(grid.origin.x + across[0], grid.origin.y + down[0])
    return replace(grid, origin=origin, rows=down[1], cols=across[1])


def _widest(pixels_bgr: NDArray[np.uint8], x: int, y: int, grid: Grid) -> tuple[int, int]:
    """How far to the right to cut a board that begins at x, y, and how many columns it has then."""
    width, height = (int(px) for px in grid.pitch_px)
    best = (0, grid.cols)
    for moved in sorted(range(-width + 1, width), key=abs):
        first = x + moved
        if first < 0 or first + (grid.cols + 1) * width > pixels_bgr.shape[1]:
            continue
        part = pixels_bgr[y : y + grid.rows * height, first : first + (grid.cols + 1) * width]
        cells = cut_cells(np.ascontiguousarray(part), grid.rows, grid.cols + 1)
        typical = np.median(cells[: 4 * grid.cols], axis=0)
        if np.ptp(typical, axis=(0, 1)).max() <= _SAME:
            continue
        is_same = (np.abs(cells - typical) <= _SAME).all(axis=3).mean(axis=(1, 2)) >= _WHOLE
        if is_same.all() and best[1] == grid.cols:
            best = (moved, grid.cols + 1)
    return best
