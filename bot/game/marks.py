"""What is drawn over the cells of the window and beside them: each part is drawn and taken away by itself.

Nothing of it is there but what a person asked for, so that a bot that looks on sees cells alone.
"""

from __future__ import annotations

import tkinter as tk
from tkinter import font
from typing import TYPE_CHECKING

import numpy as np

from bot.game import art
from bot.images import encode_ppm

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.game.plan import WindowPlan
    from bot.models import Grid, Region
    from solver.topology import Cell

_MARKS, _RISKS, _CURTAIN = "cell-mark", "risk", "curtain"
_RULER_TEXT_PX = 11
_CURTAIN_TEXT_PX = 18
_LINE_OF_LETTERS = 1.2  # how much taller a line is than its letters


class CellMarks:
    """Frames and rings on the cells of one board."""

    def __init__(self, canvas: tk.Canvas, grid: Grid) -> None:
        self._canvas = canvas
        self._grid = grid
        self._shown: tuple[object, ...] = ()

    def show(
        self,
        *,
        cursor: Cell | None = None,
        asked: Cell | None = None,
        best: Cell | None = None,
        near: tuple[Cell, ...] = (),
        clues: tuple[Cell, ...] = (),
    ) -> None:
        """Draw these marks and no others.

        Args:
            cursor: gets a frame.
            asked: the cell that "why?" is about gets a frame.
            best: what would have been best gets a ring.
            near: cells beside the one that is looked at get a thin frame.
            clues: the numbers that an answer rests on get a frame of another colour.
        """
        wanted = (cursor, asked, best, near, clues)
        if wanted == self._shown:
            return
        self._shown = wanted
        self._canvas.delete(_MARKS)
        for cell in near:
            *box, _ = self._box(cell, 0.06)
            self._canvas.create_rectangle(*box, outline=art.NEAR, width=1, tags=_MARKS)
        for cell in clues:
            self._frame(cell, art.CLUE)
        if asked is not None:
            self._frame(asked, art.ASKED)
        if cursor is not None:
            self._frame(cursor, art.CURSOR)
        if best is not None:
            *box, line = self._box(best, 0.12)
            self._canvas.create_oval(*box, outline=art.EDGE, width=line + 2, tags=_MARKS)
            self._canvas.create_oval(*box, outline=art.BEST, width=line, tags=_MARKS)

    def _frame(self, cell: Cell, colour: str) -> None:
        """A frame with a dark edge: it is seen on cells of any colour."""
        *box, line = self._box(cell, 0.1)
        self._canvas.create_rectangle(*box, outline=art.EDGE, width=line + 2, tags=_MARKS)
        self._canvas.create_rectangle(*box, outline=colour, width=line, tags=_MARKS)

    def _box(self, cell: Cell, inset: float) -> tuple[int, int, int, int, int]:
        """A cell's left, top, right and bottom, moved in by this many parts of it; and how thick a line is there.

        Whole pixels: of lines between them Tk leaves traces where they were.
        """
        place = self._grid.cell_region(cell)
        x, y = round(place.width * inset), round(place.height * inset)
        right, bottom = place.right - 1 - x, place.bottom - 1 - y
        return place.left + x, place.top + y, right, bottom, max(2, place.width // 9)


class RiskMap:
    """The risk of every closed cell, drawn over it.

    Args:
        canvas: where to draw.
        grid: where the cells are.
        closed_bgr: the picture of a closed cell, uint8, H x W x 3.
    """

    def __init__(self, canvas: tk.Canvas, grid: Grid, closed_bgr: NDArray[np.uint8]) -> None:
        self._canvas = canvas
        self._grid = grid
        self._closed_bgr = closed_bgr
        self._pictures: dict[int, tk.PhotoImage] = {}
        self._shown: dict[Cell, tuple[int, int]] = {}
        """By cell the percent that is drawn there, and the canvas item."""

    def show(self, p_mine: NDArray[np.float64] | None) -> None:
        """Draw these risks and no others: an array of the board's shape, NaN where there is none; None draws none."""
        wanted: dict[Cell, int] = {}
        if p_mine is not None:
            cells = [tuple(cell) for cell in np.argwhere(~np.isnan(p_mine)).tolist()]
            wanted = {cell: art.percent_of(float(p_mine[cell])) for cell in cells}
        for cell, (percent, item) in list(self._shown.items()):
            if wanted.get(cell) != percent:
                self._canvas.delete(item)
                del self._shown[cell]
        for cell, percent in wanted.items():
            if cell not in self._shown:
                place = self._grid.cell_region(cell)
                picture = self._picture(percent)
                item = self._canvas.create_image(place.left, place.top, anchor="nw", image=picture, tags=_RISKS)
                self._shown[cell] = percent, item
        if wanted:
            self._canvas.tag_raise(_MARKS)

    def _picture(self, percent: int) -> tk.PhotoImage:
        if percent not in self._pictures:
            self._pictures[percent] = picture_of(self._canvas, art.risk_sprite(self._closed_bgr, percent))
        return self._pictures[percent]


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
