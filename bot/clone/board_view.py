"""The board in the window: one picture, in which only the cells that changed are drawn again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.clone.pictures import blank_picture, picture, stamp

if TYPE_CHECKING:
    import tkinter as tk
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from bot.models import Grid
    from solver.topology import Cell

_NOTHING_DRAWN = -999
_PRESSED = 0  # a held cell looks like an open 0


class BoardView:
    """Draws one board on a canvas, at 1:1.

    Args:
        canvas: where to draw.
        grid: at which place, and how many cells.
        sprites: the picture of every code, BGR.
    """

    def __init__(self, canvas: tk.Canvas, grid: Grid, sprites: Mapping[int, NDArray[np.uint8]]) -> None:
        self._pitch_px = grid.pitch_px
        self._sprites = {code: picture(canvas, pixels) for code, pixels in sprites.items()}
        self._picture = blank_picture(canvas, grid.region)
        self._drawn = np.full((grid.rows, grid.cols), _NOTHING_DRAWN, dtype=np.int16)
        canvas.create_image(grid.origin.x, grid.origin.y, image=self._picture, anchor="nw")

    def show(self, codes: NDArray[np.int16], pressed: Iterable[Cell] = ()) -> None:
        """Draw these codes, some closed cells pushed in; cost grows with the number of changed cells only."""
        wanted = codes.copy()
        for cell in pressed:
            wanted[cell] = _PRESSED
        width, height = self._pitch_px
        for row, col in np.argwhere(wanted != self._drawn).tolist():
            stamp(self._picture, self._sprites[int(wanted[row, col])], col * width, row * height)
        self._drawn = wanted
