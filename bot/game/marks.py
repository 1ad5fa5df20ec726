"""What is drawn over the cells of the window and beside them: each part is drawn and taken away by itself.

Nothing of it is there but what a person asked for, so that a bot that looks on sees cells alone.
"""

from __future__ import annotations

import tkinter as tk
from tkinter import font
from typing import TYPE_CHECKING

import numpy as np

from bot.game import art
from bot.images import encode_png, encode_ppm
from bot.reporting.drawing.marks import mark_of_risk, stamp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from bot.game.plan import WindowPlan
    from bot.models import Grid, Region
    from bot.reporting.drawing.marks import Mark
    from solver.topology import Cell

_CURTAIN = "curtain"
_RULER_TEXT_PX = 11
_CURTAIN_TEXT_PX = 18
_LINE_OF_LETTERS = 1.2  # how much taller a line is than its letters


class MarkLayer:
    """Marks on the cells of one board, one a cell.

    Args:
        canvas: where to draw.
        grid: where the cells are.
        ground_bgr: the picture of the cells that are marked, where all are alike: uint8, H x W x 3. It makes drawing a
            hundred marks ten times as fast.
    """

    def __init__(self, canvas: tk.Canvas, grid: Grid, ground_bgr: NDArray[np.uint8] | None = None) -> None:
        self._canvas = canvas
        self._grid = grid
        self._ground_bgr = ground_bgr
        self._pictures: dict[Mark, tk.PhotoImage] = {}
        self._shown: dict[Cell, tuple[Mark, int]] = {}
        """By cell the mark that is drawn there, and the canvas item."""

    def show(self, wanted: Mapping[Cell, Mark]) -> None:
        """Draw these marks and no others."""
        for cell, (mark, item) in list(self._shown.items()):
            if wanted.get(cell) is not mark:
                self._canvas.delete(item)
                del self._shown[cell]
        for cell, mark in wanted.items():
            if cell not in self._shown:
                place = self._grid.cell_region(cell)
                picture = self._picture(mark, place)
                item = self._canvas.create_image(place.left, place.top, anchor="nw", image=picture)
                self._shown[cell] = mark, item

    def raise_all(self) -> None:
        """Put them above what was drawn since."""
        for _, item in self._shown.values():
            self._canvas.tag_raise(item)

    def _picture(self, mark: Mark, place: Region) -> tk.PhotoImage:
        if mark not in self._pictures:
            drawn = stamp(mark, place.width, place.height)
            self._pictures[mark] = (
                tk.PhotoImage(master=self._canvas, data=encode_png(drawn.as_bgra), format="PNG")
                if self._ground_bgr is None
                else picture_of(self._canvas, drawn.on(self._ground_bgr))
            )
        return self._pictures[mark]


def risk_marks(p_mine: NDArray[np.float64]) -> dict[Cell, Mark]:
    """The marks of an array of risks, of the board's shape; a cell whose risk is NaN gets none."""
    cells = [tuple(cell) for cell in np.argwhere(~np.isnan(p_mine)).tolist()]
    return {cell: mark_of_risk(float(p_mine[cell])) for cell in cells}


class Rulers:
    """The numbers of rows and columns, left of the board and below it.

    Args:
        canvas: where to draw.
        plan: at which places; it has room for them.
        zoom: how many times as large as they are drawn.
    """

    def __init__(self, canvas: tk.Canvas, plan: WindowPlan, zoom: float) -> None:
        grid, gap = plan.grid, round(4 * zoom)
        board = grid.region
        letters = _font(canvas, _RULER_TEXT_PX * zoom)
        for row in range(grid.rows):
            place = grid.cell_region(grid.cell_of(row * grid.cols))
            text = _label(grid, 1, row)
            canvas.create_text(board.left - gap, place.middle.y, text=text, anchor="e", font=letters, fill=art.TEXT)
        for col in range(grid.cols):
            place = grid.cell_region(grid.cell_of(col))
            text = _label(grid, 0, col)
            below = board.bottom + gap
            canvas.create_text(place.middle.x, below, text=text, anchor="n", font=letters, fill=art.TEXT)


def _font(root: tk.Misc, height_px: float) -> tuple[str, int]:
    """The usual letters, this tall. They are measured: where X11 has a resource Xft.dpi, Tk's pixels are others."""
    family, size = str(font.nametofont("TkDefaultFont", root).actual("family")), round(height_px)
    line_px = font.Font(root, family=family, size=-size).metrics("linespace")
    return family, -max(1, round(size * _LINE_OF_LETTERS * size / line_px))


def _label(grid: Grid, axis: int, line: int) -> str:
    """What the cells of a column (axis 0) or row (axis 1) have in common; of four dimensions two indices."""
    return str(line) if grid.blocks is None else ",".join(map(str, grid.blocks.indices(axis, line)))


class Curtain:
    """Hides a board while the clock stands."""

    def __init__(self, canvas: tk.Canvas, grid: Grid, zoom: float) -> None:
        self._canvas = canvas
        self._board = grid.region
        self._font = _font(canvas, _CURTAIN_TEXT_PX * zoom)
        self._is_drawn = False

    def show(self, *, is_drawn: bool) -> None:
        """Draw it, or take it away."""
        if is_drawn == self._is_drawn:
            return
        self._is_drawn = is_drawn
        self._canvas.delete(_CURTAIN)
        if is_drawn:
            board = self._board
            right, bottom = board.right, board.bottom
            self._canvas.create_rectangle(board.left, board.top, right, bottom, fill=art.FRAME, width=0, tags=_CURTAIN)
            self._canvas.create_text(*board.middle, text="Paused", font=self._font, fill=art.TEXT, tags=_CURTAIN)


class ScrolledCanvas(tk.Canvas):
    """A canvas that scrolls where the screen has no room for all of it: by bars, by the wheel, and to a place."""

    def __init__(self, root: tk.Misc) -> None:
        self._frame = tk.Frame(root, background=art.WINDOW, borderwidth=0)
        super().__init__(self._frame, background=art.WINDOW, highlightthickness=0, borderwidth=0)
        self._bars = (
            tk.Scrollbar(self._frame, orient="horizontal", command=self.xview),
            tk.Scrollbar(self._frame, orient="vertical", command=self.yview),
        )
        self.configure(xscrollcommand=self._bars[0].set, yscrollcommand=self._bars[1].set)
        self.grid(row=0, column=0)
        self._frame.pack()
        self._size = self._shown = (1, 1)
        for wheel, step in (("Button-4", -1), ("Button-5", 1)):  # X11's
            self.bind(f"<{wheel}>", lambda _event, step=step: self._turn(step), add=True)  # type: ignore[misc]  # of a default mypy infers nothing
        self.bind("<MouseWheel>", lambda event: self._turn(-1 if event.delta > 0 else 1))

    def fit(self, size: tuple[int, int], room: tuple[int, int]) -> None:
        """Be of this (width, height), and show as much of it as there is room for."""
        self._size = size
        bar = self._bars[1].winfo_reqwidth()
        is_narrow = size[0] > room[0]
        is_low = size[1] > room[1] - bar * is_narrow
        is_narrow = size[0] > room[0] - bar * is_low
        self._shown = min(size[0], room[0] - bar * is_low), min(size[1], room[1] - bar * is_narrow)
        self.configure(width=self._shown[0], height=self._shown[1], scrollregion=(0, 0, *size))
        self.xview_moveto(0)
        self.yview_moveto(0)
        places = (is_narrow, 1, 0, "ew"), (is_low, 0, 1, "ns")
        for scrollbar, (is_needed, row, column, sticky) in zip(self._bars, places, strict=True):
            if is_needed:
                scrollbar.grid(row=row, column=column, sticky=sticky)
            else:
                scrollbar.grid_remove()

    def reveal(self, region: Region) -> None:
        """Scroll until a region shows, where it does not."""
        parts = (
            (region.left, region.width, self.canvasx(0), 0, self.xview_moveto),
            (
                region.top,
                region.height,
                self.canvasy(0),
                1,
                self.yview_moveto,
            ),
        )
        for start, length, origin, axis, move in parts:
            if start < origin:
                move(start / self._size[axis])
            elif start + length > origin + self._shown[axis]:
                move((start + length - self._shown[axis]) / self._size[axis])

    def _turn(self, step: int) -> None:
        if self._shown[1] < self._size[1]:
            self.yview_scroll(step, "units")


def picture_of(root: tk.Misc, pixels_bgr: NDArray[np.uint8]) -> tk.PhotoImage:
    """Make a picture of these pixels: uint8, H x W x 3, BGR."""
    return tk.PhotoImage(master=root, data=encode_ppm(pixels_bgr), format="PPM")
