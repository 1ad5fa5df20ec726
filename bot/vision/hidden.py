"""How far a board goes on behind a window or dialog that hides a whole side of it.

`locate` sees a board as far as cells can be seen. Where a side does not end in the skin's border, something lies
over the rest; the levels that all clones share say how much that is. A size that is no shared level is left as it is
seen: nothing is made up. What is left of a board may be as large as a smaller level: its sides tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.models import Grid
from bot.vision.mines import STANDARD_MINES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame
    from skins.skin import Skin


def complete_grid(grid: Grid, frame: Frame, skin: Skin) -> Grid:
    """Extend a grid over its hidden cells, where just one shared level fits, and in one place only.

    A side at the very edge of the frame counts as ended: nothing lies beyond it that could be read or clicked.
    """
    if skin.border is None:
        return grid
    ends = _find_ends(grid, frame, skin)
    if all(ends.values()):
        return grid
    larger = [level for level in STANDARD_MINES if level != (grid.rows, grid.cols)]
    wholes = [_extended(grid, rows, cols, ends) for rows, cols in larger]
    fitting = [whole for whole in wholes if whole is not None and _is_inside(whole, frame)]
    return fitting[0] if len(fitting) == 1 else grid


def ends_everywhere(grid: Grid, frame: Frame, skin: Skin) -> bool:
    """Whether every side of a grid surely is the board's own: False where the skin knows no border."""
    return skin.border is not None and all(_find_ends(grid, frame, skin).values())


def _extended(grid: Grid, rows: int, cols: int, ends: dict[str, bool]) -> Grid | None:
    """The grid made this large, its visible ends kept; None where it is larger already, or could lie anywhere."""
    rows_before = _n_before(rows - grid.rows, is_first_seen=ends["top"], is_last_seen=ends["bottom"])
    cols_before = _n_before(cols - grid.cols, is_first_seen=ends["left"], is_last_seen=ends["right"])
    if rows_before is None or cols_before is None:
        return None
    width, height = grid.pitch_px
    corner = (grid.corner[0] - cols_before * width, grid.corner[1] - rows_before * height)
    return Grid.at(corner, grid.pitch_px, rows, cols)


def _n_before(n_missing: int, *, is_first_seen: bool, is_last_seen: bool) -> int | None:
    """How many of the missing rows or columns come before the visible ones; None where that cannot be."""
    if n_missing == 0:
        return 0
    if n_missing < 0 or is_first_seen == is_last_seen:
        return None
    return n_missing if is_last_seen else 0


def _find_ends(grid: Grid, frame: Frame, skin: Skin) -> dict[str, bool]:
    """Which sides of the visible part are the board's own."""
    border = skin.border
    assert border is not None, "asked only of skins that know their border"
    region = grid.region
    scale = grid.pitch_px[0] / skin.pitch_px[0]
    tolerance = 0 if grid.is_whole and scale == 1 else skin.tolerance.colour
    skip = 0 if tolerance == 0 else int(scale)  # kernels mix the border with what lies beside it
    depth = max(round(border.depth_px * scale) - skip, skip + 1)
    x, y = region.left - frame.left, region.top - frame.top
    right, bottom = x + region.width, y + region.height
    pixels = frame.pixels_bgr
    width, height = grid.pitch_px
    sides = {
        "left": (pixels[y:bottom, max(x - depth, 0) : max(x - skip, 0)], border.left_bgr, height),
        "right": (pixels[y:bottom, right + skip : right + depth], border.right_bgr, height),
        "top": (pixels[max(y - depth, 0) : max(y - skip, 0), x:right].swapaxes(0, 1), border.top_bgr, width),
        "bottom": (pixels[bottom + skip : bottom + depth, x:right].swapaxes(0, 1), border.bottom_bgr, width),
    }
    return {side: _shows(strip, colours, n_px, tolerance) for side, (strip, colours, n_px) in sides.items()}


def _shows(strip: NDArray[np.uint8], colours: tuple[tuple[int, int, int], ...], n_px: float, tolerance: int) -> bool:
    """Whether a strip (uint8, along x across x 3) is of one of the colours for `n_px` pixels without a gap.

    One whole cell beside the border is enough: the rest may be covered. Parts of cells, dotted lines among them, have
    gaps.
    """
    if strip.shape[1] == 0:
        return True
    apart = [np.abs(strip.astype(np.int16) - colour).max(axis=(1, 2)) for colour in colours]
    return any(_longest_run(line <= tolerance) >= n_px for line in apart)


def _longest_run(flags: NDArray[np.bool_]) -> int:
    gaps = np.flatnonzero(np.concatenate([[True], ~flags, [True]]))
    return int(np.diff(gaps).max()) - 1


def _is_inside(grid: Grid, frame: Frame) -> bool:
    inner, outer = grid.region, frame.region
    fits_x = outer.left <= inner.left and inner.left + inner.width <= outer.left + outer.width
    return fits_x and outer.top <= inner.top and inner.top + inner.height <= outer.top + outer.height
