"""Marks over cells: the keyboard's cursor, what "why?" is about, and in four dimensions what touches a cell.

Over a flat board there is none that a person did not ask for, so that a bot reads nothing but cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.clone import art

if TYPE_CHECKING:
    import tkinter as tk

    from bot.models import Grid
    from solver.topology import Cell

_TAG = "cell-mark"


class CellMarks:
    """Draws the marks of one board on a canvas, over its cells."""

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
    ) -> None:
        """Draw these marks and no others.

        Args:
            cursor: gets a frame.
            asked: the cell that "why?" is about gets a frame.
            best: what would have been best gets a ring.
            near: cells beside the one that is looked at get a thin frame.
        """
        wanted = (cursor, asked, best, near)
        if wanted == self._shown:
            return
        self._shown = wanted
        self._canvas.delete(_TAG)
        for cell in near:
            self._frame(cell, art.NEAR, 1)
        if asked is not None:
            self._frame(asked, art.ASKED)
        if cursor is not None:
            self._frame(cursor, art.CURSOR)
        if best is not None:
            *box, line = self._box(best, 0.12)
            self._canvas.create_oval(*box, outline=art.BEST, width=line, tags=_TAG)

    def _frame(self, cell: Cell, colour: str, line: int = 0) -> None:
        *box, usual = self._box(cell, 0.06)
        self._canvas.create_rectangle(*box, outline=colour, width=line or usual, tags=_TAG)

    def _box(self, cell: Cell, inset: float) -> tuple[int, int, int, int, int]:
        """A cell's left, top, right and bottom, so many parts of it further in; and how thick a line is there.

        Whole pixels: of lines between them Tk leaves traces where they were.
        """
        place = self._grid.cell_region(cell)
        x, y = round(place.width * inset), round(place.height * inset)
        right, bottom = place.left + place.width - 1 - x, place.top + place.height - 1 - y
        return place.left + x, place.top + y, right, bottom, max(2, place.width // 9)
