"""Mouse and keyboard of the built-in game: what a person's hands do on the board becomes moves.

Tk's events end here. The cursor of the keyboard and the gestures of the mouse know nothing of windows or pixels.

Left opens on release, right flags on press, and middle, or left and right together, chords on release. A gesture that
is released on another cell than it began on is cancelled.
"""

from __future__ import annotations

import tkinter as tk
from functools import partial
from typing import TYPE_CHECKING, Protocol

from bot.models import Button, Pixel
from solver.board import CLOSED, Action, Move

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from bot.game.plan import WindowPlan
    from bot.game.session import Session
    from bot.models import Grid
    from solver.game import Game
    from solver.topology import Cell


_ARROWS = {"Up": (-1, 0), "Down": (1, 0), "Left": (0, -1), "Right": (0, 1)}
"""(rows, columns) that each arrow goes, by its name in Tk."""


def _middle_cell(grid: Grid) -> Cell:
    """Where a cursor begins."""
    return grid.cell_of(grid.rows // 2 * grid.cols + grid.cols // 2)


def _moved(grid: Grid, cell: Cell, arrow: str) -> Cell:
    """The next cell on the screen in an arrow's direction, from block to block too; at the board's edge the same."""
    row, col = cell if grid.blocks is None else grid.blocks.place_of(cell)
    down, right = _ARROWS[arrow]
    row, col = min(max(row + down, 0), grid.rows - 1), min(max(col + right, 0), grid.cols - 1)
    return grid.cell_of(row * grid.cols + col)


_BOTH = {Button.LEFT, Button.RIGHT}


class _Gesture:
    """The mouse over one board: at most one gesture at a time. A cell of None is a place off the board."""

    def __init__(self) -> None:
        self._action: Action | None = None
        self._start: Cell | None = None
        self._here: Cell | None = None

    @property
    def is_active(self) -> bool:
        """Whether a button is held that will do something when released here."""
        return self._action is not None and self._start is not None and self._here == self._start

    def press(self, button: Button, cell: Cell | None, held: Collection[Button] = ()) -> Move | None:
        """A button goes down while others are `held`; returns the move that is made at once."""
        if button is Button.MIDDLE or {button, *held} >= _BOTH:
            self._begin(Action.CHORD, cell)
        elif button is Button.LEFT:
            self._begin(Action.OPEN, cell)
        elif cell is not None:
            return Move(Action.FLAG, cell)
        return None

    def drag(self, cell: Cell | None) -> bool:
        """The pointer is over this cell now; returns whether that changes what releasing would do."""
        was_active = self.is_active
        self._here = cell
        return self.is_active != was_active

    def release(self, cell: Cell | None) -> Move | None:
        """A button goes up; returns the move this completes. The second button of a chord completes nothing."""
        self.drag(cell)
        done = Move(self._action, self._start) if self.is_active and self._action and self._start else None
        self._action = None
        return done

    def pressed_cells(self, game: Game) -> tuple[Cell, ...]:
        """The closed cells to be drawn pushed in: what releasing the button here would try to open."""
        if not self.is_active or self._start is None or game.is_over:
            return ()
        is_chord = self._action is Action.CHORD or game.code(self._start) >= 0
        reach = (self._start, *game.topology.neighbours(self._start)) if is_chord else (self._start,)
        return tuple(cell for cell in reach if game.code(cell) == CLOSED)

    def _begin(self, action: Action, cell: Cell | None) -> None:
        self._action = action
        self._start = self._here = cell


_HELD_MASKS = {1: 0x100, 2: 0x200, 3: 0x400}  # bits of a Tk event's state, by Tk's button number
_WITH_CONTROL_OR_ALT = {"x11": 0xC, "aqua": 0xC, "win32": 0x2_0004}
"""Bits of a Tk event's state, by its windowing system: such keys are the menu's."""
_KEYS = {Action.OPEN: ("space", "Return"), Action.FLAG: ("f", "F"), Action.CHORD: ("c", "C")}


class _Table(Protocol):
    """What the hands are on.

    Attributes:
        session: the games.
    """

    session: Session

    @property
    def plan(self) -> WindowPlan:
        """Where things stand now."""

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

    def __init__(self, root: tk.Tk, canvas: tk.Canvas, table: _Table) -> None:
        self._table = table
        self._buttons = _button_numbers(root)
        self.pointed: Cell | None = None
        self.forget()
        canvas.bind("<ButtonPress>", self._press)
        canvas.bind("<Motion>", self._move)
        canvas.bind("<ButtonRelease>", self._release)
        for arrow in _ARROWS:
            _on(root, arrow, partial(self._move_cursor, arrow))
        for action, keys in _KEYS.items():
            for key in keys:
                _on(root, key, partial(self._act_at_cursor, action))

    def forget(self) -> None:
        """Begin anew, for another game: nothing is held, and the keyboard's cursor is nowhere."""
        self.gesture = _Gesture()
        self.cursor: Cell | None = None
        self._is_face_held = False

    def _move_cursor(self, arrow: str) -> None:
        """Move the keyboard's cursor; the first arrow only shows it, where the pointer is or in the middle."""
        table = self._table
        if self.cursor is None:
            self.cursor = self.pointed or table.session.hint or _middle_cell(table.plan.grid)
        else:
            self.cursor = _moved(table.plan.grid, self.cursor, arrow)
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
        table, pixel = self._table, _place_of(event)
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
        table, pixel = self._table, _place_of(event)
        before, self.pointed = self.pointed, table.plan.cell_at(pixel)
        if self._is_face_held:
            table.show(is_face_pressed=table.plan.face.has_pixel(pixel))
        elif self.gesture.drag(self.pointed) or (table.plan.grid.blocks and before != self.pointed):
            table.show()

    def _release(self, event: tk.Event[tk.Canvas]) -> None:
        button = self._buttons.get(int(event.num))
        if button is None:
            return
        table, pixel = self._table, _place_of(event)
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


class _Easel(Protocol):
    """What a brush paints on."""

    @property
    def plan(self) -> WindowPlan:
        """Where things stand now."""

    def paint(self, cell: Cell, code: int, *, is_joined: bool) -> None:
        """Make a cell another; joined to the stroke before, both are undone together."""

    def mark(self, cell: Cell) -> int:
        """What a right click on a cell paints."""

    def ask(self, cell: Cell) -> None:
        """Ask what if this cell is opened."""

    def type_sign(self, sign: str, cell: Cell | None) -> None:
        """A key with a sign on it was pressed over a cell, or off the board."""

    def clear(self) -> None:
        """Close every cell."""

    def look_at(self) -> None:
        """The pointer or the cursor is on another cell."""


class Brush:
    """Mouse and keyboard that paint a position.

    Left paints what is on the brush, or without it asks about a cell; right sets and takes flags; middle closes cells.
    Dragging goes on with it. The face closes all cells.

    Attributes:
        code: what the left button paints; None asks.
        pointed: the cell under the pointer; None off the board.
        cursor: the keyboard's cell; None while the mouse is used.
    """

    def __init__(self, root: tk.Tk, canvas: tk.Canvas, easel: _Easel) -> None:
        self._easel = easel
        self._buttons = _button_numbers(root)
        self._menu_keys = _WITH_CONTROL_OR_ALT[str(root.tk.call("tk", "windowingsystem"))]
        self.code: int | None = None
        self.forget()
        canvas.bind("<ButtonPress>", self._press)
        canvas.bind("<Motion>", self._move)
        canvas.bind("<ButtonRelease>", lambda _event: self._lift())
        canvas.bind("<Leave>", lambda _event: self._point(None))
        root.bind("<Key>", self._type)
        for arrow in _ARROWS:
            _on(root, arrow, partial(self._move_cursor, arrow))

    @property
    def cell(self) -> Cell | None:
        """The cell that keys are about."""
        return self.cursor or self.pointed

    def forget(self) -> None:
        """Begin anew, on another board."""
        self.pointed: Cell | None = None
        self.cursor: Cell | None = None
        self._lift()

    def _lift(self) -> None:
        self._stroke: int | None = None
        self._last: Pixel | None = None

    def _press(self, event: tk.Event[tk.Canvas]) -> None:
        button, pixel = self._buttons.get(int(event.num)), _place_of(event)
        cell = self._easel.plan.cell_at(pixel)
        self.cursor = None
        if button is Button.LEFT and self._easel.plan.face.has_pixel(pixel):
            self._easel.clear()
        if button is None or cell is None:
            return
        codes = {Button.LEFT: self.code, Button.RIGHT: self._easel.mark(cell), Button.MIDDLE: CLOSED}
        self._stroke, self._last = codes[button], pixel
        if self._stroke is None:
            self._easel.ask(cell)
        else:
            self._easel.paint(cell, self._stroke, is_joined=False)

    def _move(self, event: tk.Event[tk.Canvas]) -> None:
        pixel = _place_of(event)
        if self._stroke is not None and self._last is not None:
            for cell in self._cells_between(self._last, pixel):
                self._easel.paint(cell, self._stroke, is_joined=True)
            self._last = pixel
        self._point(self._easel.plan.cell_at(pixel))

    def _cells_between(self, start: Pixel, end: Pixel) -> list[Cell]:
        """The cells on the line between two places: a fast pointer jumps over some."""
        pitch = int(min(self._easel.plan.grid.pitch_px))
        n_steps = max(abs(end.x - start.x), abs(end.y - start.y)) * 2 // pitch + 1
        places = (
            Pixel(start.x + (end.x - start.x) * n // n_steps, start.y + (end.y - start.y) * n // n_steps)
            for n in range(1, n_steps + 1)
        )
        found = (self._easel.plan.cell_at(place) for place in places)
        return list(dict.fromkeys(cell for cell in found if cell is not None))

    def _point(self, cell: Cell | None) -> None:
        if cell != self.pointed:
            self.pointed, self.cursor = cell, None
            self._easel.look_at()

    def _move_cursor(self, arrow: str) -> None:
        grid = self._easel.plan.grid
        if self.cursor is None:
            self.cursor = self.pointed or _middle_cell(grid)
        else:
            self.cursor = _moved(grid, self.cursor, arrow)
        self._easel.look_at()

    def _type(self, event: tk.Event[tk.Misc]) -> None:
        if not int(event.state) & self._menu_keys:
            self._easel.type_sign(str(event.char).lower(), self.cell)


def _place_of(event: tk.Event[tk.Canvas]) -> Pixel:
    """Where on the whole canvas the mouse is, however it is scrolled."""
    return Pixel(int(event.widget.canvasx(event.x)), int(event.widget.canvasy(event.y)))


def _on(root: tk.Tk, key: str, do: Callable[[], None]) -> None:
    root.bind(f"<{key}>", lambda _event: do())


def _button_numbers(root: tk.Tk) -> dict[int, Button]:
    """Tk's button numbers. Before Tk 8.7 the right button is 2 on a Mac, and the middle one 3."""
    is_swapped = root.tk.call("tk", "windowingsystem") == "aqua" and tk.TkVersion < 8.7
    right, middle = (2, 3) if is_swapped else (3, 2)
    return {1: Button.LEFT, right: Button.RIGHT, middle: Button.MIDDLE}
