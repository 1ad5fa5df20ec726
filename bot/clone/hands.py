"""What a person's hands do on the board: mouse and keyboard of the window become moves. Tk's events end here."""

from __future__ import annotations

import tkinter as tk
from functools import partial
from typing import TYPE_CHECKING, Protocol

from bot.clone.cursor import ARROWS, middle_cell, moved
from bot.clone.mouse import Gesture
from bot.models import Button, Pixel
from solver.board import Action, Move

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.clone.plan import WindowPlan
    from bot.clone.session import Session
    from solver.topology import Cell

_HELD_MASKS = {1: 0x100, 2: 0x200, 3: 0x400}  # bits of a Tk event's state, by Tk's button number
_KEYS = {Action.OPEN: ("space", "Return"), Action.FLAG: ("f", "F"), Action.CHORD: ("c", "C")}


class Table(Protocol):
    """What the hands are on.

    Attributes:
        session: the games.
        plan: where things stand now.
    """

    session: Session
    plan: WindowPlan

    @property
    def is_asking(self) -> bool:
        """Whether cells are asked about, not played."""

    def show(self, *, is_face_pressed: bool = False) -> None:
        """Bring the screen up to date."""

    def new_game(self) -> None:
        """Start over."""

    def ask_why(self, cell: Cell) -> None:
        """Explain a cell."""


class Hands:
    """Mouse and keyboard over one window.

    Attributes:
        gesture: what the mouse is doing.
        cursor: the keyboard's cell; None while the mouse plays.
        pointed: the cell under the pointer; None off the board.
    """

    def __init__(self, root: tk.Tk, canvas: tk.Canvas, table: Table) -> None:
        self._table = table
        self._buttons = _button_numbers(root)
        self.pointed: Cell | None = None
        self.forget()
        canvas.bind("<ButtonPress>", self._press)
        canvas.bind("<Motion>", self._move)
        canvas.bind("<ButtonRelease>", self._release)
        for arrow in ARROWS:
            _on(root, arrow, partial(self._move_cursor, arrow))
        for action, keys in _KEYS.items():
            for key in keys:
                _on(root, key, partial(self._act_at_cursor, action))

    def forget(self) -> None:
        """Begin anew, for another game: nothing is held, and the keyboard's cursor is nowhere."""
        self.gesture = Gesture()
        self.cursor: Cell | None = None
        self._is_face_held = False

    def _move_cursor(self, arrow: str) -> None:
        """Move the keyboard's cursor; the first arrow only shows it, where the pointer is or in the middle."""
        table = self._table
        if self.cursor is None:
            self.cursor = self.pointed or table.session.hint or middle_cell(table.plan.grid)
        else:
            self.cursor = moved(table.plan.grid, self.cursor, arrow)
        if table.is_asking:
            table.ask_why(self.cursor)
        else:
            table.show()

    def _act_at_cursor(self, action: Action) -> None:
        if self.cursor is not None:
            self._table.session.act(Move(action, self.cursor))
            self._table.show()

    def _press(self, event: tk.Event[tk.Canvas]) -> None:
        button = self._buttons.get(int(event.num))
        if button is None:
            return
        table, pixel = self._table, Pixel(event.x, event.y)
        cell = table.plan.cell_at(pixel)
        self.cursor = None
        if button is Button.LEFT and table.plan.face.has_pixel(pixel):
            self._is_face_held = True
            table.show(is_face_pressed=True)
        elif table.is_asking and cell is not None:
            table.ask_why(cell)
        else:
            held = [self._buttons[number] for number, mask in _HELD_MASKS.items() if int(event.state) & mask]
            self._act(self.gesture.press(button, cell, held))

    def _move(self, event: tk.Event[tk.Canvas]) -> None:
        table, pixel = self._table, Pixel(event.x, event.y)
        before, self.pointed = self.pointed, table.plan.cell_at(pixel)
        if self._is_face_held:
            table.show(is_face_pressed=table.plan.face.has_pixel(pixel))
        elif self.gesture.drag(self.pointed) or (table.plan.grid.blocks and before != self.pointed):
            table.show()

    def _release(self, event: tk.Event[tk.Canvas]) -> None:
        button = self._buttons.get(int(event.num))
        if button is None:
            return
        table, pixel = self._table, Pixel(event.x, event.y)
        if self._is_face_held and button is Button.LEFT:
            self._is_face_held = False
            if table.plan.face.has_pixel(pixel):
                table.new_game()
            table.show()
        else:
            self._act(self.gesture.release(table.plan.cell_at(pixel)))

    def _act(self, move: Move | None) -> None:
        if move is not None:
            self._table.session.act(move)
        self._table.show()


def _on(root: tk.Tk, key: str, do: Callable[[], None]) -> None:
    root.bind(f"<{key}>", lambda _event: do())


def _button_numbers(root: tk.Tk) -> dict[int, Button]:
    """Tk's button numbers. Before Tk 8.7 the right button is 2 on a Mac, and the middle one 3."""
    is_swapped = root.tk.call("tk", "windowingsystem") == "aqua" and tk.TkVersion < 8.7
    right, middle = (2, 3) if is_swapped else (3, 2)
    return {1: Button.LEFT, right: Button.RIGHT, middle: Button.MIDDLE}
