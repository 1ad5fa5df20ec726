"""The board in the window: one canvas image a cell, of which only those that changed are exchanged.

Measured on 16 x 30 cells: opening the whole board takes 7 ms to the screen, one cell 0.3 ms. Copying sprites into one
large Tk picture took 41 ms for the whole board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.clone.pictures import picture

if TYPE_CHECKING:
    import tkinter as tk
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from bot.models import Grid
    from solver.topology import Cell

_NOTHING_DRAWN = -999
_PRESSED = 0  # a held cell looks like an open 0


class BoardView:
    """Draws one board on a canvas.

    Args:
        canvas: where to draw.
        grid: at which place, and which cells.
        sprites: the picture of every code, BGR, of a cell's size.
    """

    def __init__(self, canvas: tk.Canvas, grid: Grid, sprites: Mapping[int, NDArray[np.uint8]]) -> None:
        self._canvas = canvas
        self._sprites = {code: picture(canvas, pixels) for code, pixels in sprites.items()}
        self._drawn = np.full(grid.shape, _NOTHING_DRAWN, dtype=np.int16)
        self._items = np.zeros(grid.shape, dtype=np.int64)
        for cell in np.ndindex(grid.shape):
            place = grid.cell_region(cell)
            self._items[cell] = canvas.create_image(place.left, place.top, anchor="nw")

    def show(self, codes: NDArray[np.int16], pressed: Iterable[Cell] = ()) -> None:
        """Draw these codes, some closed cells pushed in; cost grows with the number of changed cells only."""
        wanted = codes.copy()
        for cell in pressed:
            wanted[cell] = _PRESSED
        for cell in map(tuple, np.argwhere(wanted != self._drawn).tolist()):
            self._canvas.itemconfigure(int(self._items[cell]), image=self._sprites[int(wanted[cell])])
        self._drawn = wanted
