"""The window of the built-in game: menu, header, board, and what the mouse and keys do to them.

Nothing ever lies over the cells but the marks that a person asked for (`cell_marks`), and neither the title nor the
size changes during a game, so that what is read from the screen is exactly what the painter paints.
"""

from __future__ import annotations

import tkinter as tk
from functools import partial
from pathlib import Path
from tkinter import filedialog
from typing import TYPE_CHECKING

from bot.clone import art, dialogs
from bot.clone.board_view import BoardView
from bot.clone.cell_marks import CellMarks
from bot.clone.cursor import ARROWS, middle_cell, moved
from bot.clone.footer import Footer
from bot.clone.header import Header
from bot.clone.menu import ZOOMS, MenuBar
from bot.clone.mouse import Gesture
from bot.clone.pictures import picture
from bot.clone.plan import plan_window
from bot.clone.sizes import SIZES
from bot.clone.why import ask_why, asked_first
from bot.clone.why_panel import WhyPanel
from bot.clone.words import describe
from bot.errors import ScreenError, UsageError
from bot.models import Button, Pixel
from bot.ports.windows import use_true_pixels
from skins import SkinError, find_skin, known_skins
from skins.sheet import load_sheet
from solver.board import MINE
from solver.moves import Action, Move

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from bot.clone.session import Session
    from bot.clone.sizes import BoardSize
    from skins.skin import Skin
    from solver.topology import Cell

TITLE = "Minebot"
_TICK_MS = 100  # the timer is never later than this; also how often Ctrl-C in the terminal is noticed
_HELD_MASKS = {1: 0x100, 2: 0x200, 3: 0x400}  # bits of a Tk event's state, by Tk's button number


def play_in_window(session: Session, skin: Skin, position: Pixel | None = None, zoom: float = 1.0) -> None:
    """Open the window and stay until it is closed.

    Args:
        session: the games.
        skin: what the cells look like.
        position: where the window's top left corner goes; None leaves it to the desktop.
        zoom: how many times as large as it is drawn.

    Raises:
        ScreenError: no window can be opened here.
        SkinError: the skin lacks a state that the game shows.
        UsageError: the session's log can no longer be written.
    """
    sprites = art.cell_sprites(skin)
    use_true_pixels()
    try:
        root = tk.Tk(className=TITLE)
    except tk.TclError as error:
        raise ScreenError(
            f"cannot open a window ({error}): run this on a desktop, set DISPLAY, or start a virtual screen with "
            "'xvfb-run -a minebot game'"
        ) from error
    if position is not None:
        root.geometry(f"+{position.x}+{position.y}")
    window = Window(root, session, skin, zoom)
    root.iconphoto(True, picture(root, sprites[MINE]))
    root.focus_force()  # without a window manager nobody else gives it the keyboard
    root.mainloop()
    if window.failure is not None:
        raise window.failure


class Window:
    """What is in the window, and what happens there; the public methods are what the menu asks for.

    Attributes:
        failure: what a handler raised; the window closes then.
    """

    def __init__(self, root: tk.Tk, session: Session, skin: Skin, zoom: float) -> None:
        self.failure: BaseException | None = None
        self._root = root
        self._session = session
        self._skin = skin
        self._zoom = zoom
        self._buttons = _button_numbers(root)
        self._panel: WhyPanel | None = None
        self._pointed: Cell | None = None
        root.title(TITLE)
        root.resizable(width=False, height=False)
        root.report_callback_exception = self._fail
        self._menu = MenuBar(root, self)
        self._canvas = tk.Canvas(root, background=art.WINDOW, highlightthickness=0, borderwidth=0)
        self._canvas.pack()
        self._footer = Footer(root)
        self._bind()
        self._lay_out()
        self._tick()

    def new_game(self, size: BoardSize | None = None) -> None:
        """Start over, on a board of another size if one is given."""
        self._try(lambda: self._session.new_game(size))

    def ask_size(self) -> None:
        """Ask for a size of one's own."""

        def start(size: BoardSize) -> None:
            self._session.new_game(size)
            self._begin_game()

        dialogs.CustomDialog(self._root, self._session.size, start)

    def set_rule(self, name: str, *, is_on: bool) -> None:
        """Turn one of the session's rules on or off."""
        if name == "has_question_marks" and is_on and not art.has_question(self._skin):
            self._session.remark = f"the skin {self._skin.name} has no question mark"
            self._show()
        else:
            self._try(lambda: self._session.change_rules(**{name: is_on}))

    def undo(self) -> None:
        """Take the last move back."""
        self._session.undo()
        self._close_panel()
        self._show()

    def show_hint(self) -> None:
        """Mark the best move."""
        self._session.ask_hint()
        self._show()

    def ask_why(self, cell: Cell | None = None) -> None:
        """Explain a cell of a game that is over: this one, else the keyboard's or the pointer's, else the last."""
        session = self._session
        if not session.game.is_over:
            session.remark = "why is told once the game is over"
            self._show()
            return
        wanted = (cell, self._cursor, self._pointed, asked_first(session))
        asked = next(place for place in wanted if place is not None)
        answer = ask_why(session, asked)
        if self._panel is None:
            self._panel = WhyPanel(self._root, self._close_panel)
        self._panel.show("Nothing was asked of this cell." if answer is None else answer.text)
        self._marks.show(asked=asked, best=None if answer is None else answer.best)

    def show_best_times(self) -> None:
        """List the best times."""
        dialogs.show_best_times(self._root, self._session.best_times)

    def show_how_to_play(self) -> None:
        """Explain the game."""
        dialogs.show_how_to_play(self._root)

    def show_about(self) -> None:
        """Say what this is."""
        dialogs.show_about(self._root)

    def set_zoom(self, zoom: float) -> None:
        """Show everything so many times as large as it is drawn."""
        self._zoom = zoom
        self._lay_out()

    def set_skin(self, name: str) -> None:
        """Wear the skin of this name."""
        self._wear(lambda: find_skin(name))

    def ask_sheet(self) -> None:
        """Ask for a sprite sheet, and wear it."""
        kinds = [("Sprite sheets", "*.bmp *.png"), ("All files", "*")]
        name = filedialog.askopenfilename(parent=self._root, title="Sprite sheet", filetypes=kinds)
        if name:
            path = Path(name)
            self._wear(lambda: load_sheet(path, path.stem))

    def skin_names(self) -> Sequence[str]:
        """The skins that have a look of all that the game shows."""
        return [entry.name for entry in known_skins() if entry.skin is not None and art.can_paint(entry.skin)]

    def quit(self) -> None:
        """Close the window."""
        self._root.destroy()

    def _fail(self, _kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        """End the window on the first error: Tk would print it and go on."""
        self.failure = error
        self._root.destroy()

    def _try(self, change: Callable[[], None]) -> None:
        """Do what may be impossible, such as a board without a guess; then say so, and all stays as it was."""
        try:
            change()
        except UsageError as error:
            self._session.remark = str(error)
        self._begin_game()

    def _wear(self, load: Callable[[], Skin]) -> None:
        try:
            skin = load()
            art.cell_sprites(skin)
        except SkinError as error:
            self._session.remark = str(error)
            self._show()
            return
        self._skin = skin
        if not art.has_question(skin):
            self._session.change_rules(has_question_marks=False)
        self._lay_out()

    def _bind(self) -> None:
        self._root.unbind_all("<F10>")  # the bot's key: Tk on X11 would open the menu, over the board
        self._on(["<F2>"], self.new_game)
        self._on(["<Control-q>"], self.quit)
        for number, size in enumerate(SIZES.values(), 1):
            self._on([f"<Control-Key-{number}>"], partial(self.new_game, size))
        self._on(["<u>", "<U>", "<Control-z>"], self.undo)
        self._on(["<h>", "<H>"], self.show_hint)
        self._on(["<w>", "<W>"], self.ask_why)
        self._on(["<Escape>"], self._close_panel)
        self._on(["<Control-plus>", "<Control-equal>", "<Control-KP_Add>"], lambda: self._step_zoom(1))
        self._on(["<Control-minus>", "<Control-KP_Subtract>"], lambda: self._step_zoom(-1))
        self._on(["<Control-Key-0>"], lambda: self.set_zoom(1.0))
        for arrow in ARROWS:
            self._on([f"<{arrow}>"], partial(self._move_cursor, arrow))
        self._on(["<space>", "<Return>"], lambda: self._act_at_cursor(Action.OPEN))
        self._on(["<f>", "<F>"], lambda: self._act_at_cursor(Action.FLAG))
        self._on(["<c>", "<C>"], lambda: self._act_at_cursor(Action.CHORD))
        self._canvas.bind("<ButtonPress>", self._press)
        self._canvas.bind("<Motion>", self._move)
        self._canvas.bind("<ButtonRelease>", self._release)

    def _on(self, keys: Sequence[str], do: Callable[[], None]) -> None:
        for key in keys:
            self._root.bind(key, lambda _event: do())

    def _lay_out(self) -> None:
        """Build the canvas anew for the session's size, the skin and the zoom."""
        size, zoom = self._session.size, self._zoom
        self._laid_out_size = size
        self._plan = plan_window(self._skin, size, zoom)
        self._canvas.delete("all")
        self._canvas.configure(width=self._plan.width, height=self._plan.height)
        self._footer.fit(self._plan.width)
        grid = self._plan.grid
        board, edge = grid.region, round(2 * zoom)
        right, bottom = board.left + board.width + edge, board.top + board.height + edge
        self._canvas.create_rectangle(board.left - edge, board.top - edge, right, bottom, fill=art.FRAME, width=0)
        most = self._session.game.topology.most_neighbours
        self._board_view = BoardView(self._canvas, grid, art.cell_sprites(self._skin, zoom, most))
        self._marks = CellMarks(self._canvas, grid)
        self._header = Header(self._canvas, self._plan, zoom)
        self._forget_hands()
        self._show()

    def _begin_game(self) -> None:
        """Show a game that has just begun, or that stayed because no other could."""
        self._close_panel()
        if self._session.size == self._laid_out_size:
            self._forget_hands()
            self._show()
        else:
            self._lay_out()

    def _forget_hands(self) -> None:
        self._gesture = Gesture()
        self._is_face_held = False
        self._cursor: Cell | None = None

    def _show(self, *, is_face_pressed: bool = False) -> None:
        """Bring the screen up to date, at once."""
        session = self._session
        game = session.game
        self._board_view.show(session.shown, self._gesture.pressed_cells(game))
        if self._panel is None:
            self._marks.show(hint=session.hint, cursor=self._cursor, near=self._near())
        is_worried = self._gesture.is_active and not game.is_over
        self._header.show_face(game.state, is_worried=is_worried, is_pressed=is_face_pressed)
        self._header.show_counts(session.mines_left, session.elapsed_s)
        self._footer.show(describe(session))
        self._menu.show(session.rules, self._zoom, self._skin.name)
        self._canvas.update_idletasks()

    def _near(self) -> tuple[Cell, ...]:
        """What touches the cell that is looked at, where that is hard to see: on a board of four dimensions."""
        cell = self._cursor or self._pointed
        if cell is None or self._plan.grid.blocks is None:
            return ()
        return tuple(self._session.game.topology.neighbours(cell))

    def _tick(self) -> None:
        self._header.show_counts(self._session.mines_left, self._session.elapsed_s)
        self._root.after(_TICK_MS, self._tick)

    def _close_panel(self) -> None:
        if self._panel is not None:
            self._panel.close()
            self._panel = None
            self._show()

    def _step_zoom(self, step: int) -> None:
        place = min(range(len(ZOOMS)), key=lambda n: abs(ZOOMS[n] - self._zoom)) + step
        self.set_zoom(ZOOMS[min(max(place, 0), len(ZOOMS) - 1)])

    def _move_cursor(self, arrow: str) -> None:
        """Move the keyboard's cursor; the first arrow only shows it, where the pointer is or in the middle."""
        grid = self._plan.grid
        if self._cursor is None:
            self._cursor = self._pointed or self._session.hint or middle_cell(grid)
        else:
            self._cursor = moved(grid, self._cursor, arrow)
        if self._panel is None:
            self._show()
        else:
            self.ask_why(self._cursor)

    def _act_at_cursor(self, action: Action) -> None:
        if self._cursor is not None:
            self._session.act(Move(action, self._cursor))
            self._show()

    def _press(self, event: tk.Event[tk.Canvas]) -> None:
        button = self._buttons.get(int(event.num))
        if button is None:
            return
        pixel = Pixel(event.x, event.y)
        cell = self._plan.cell_at(pixel)
        self._cursor = None
        if button is Button.LEFT and self._plan.face.has_pixel(pixel):
            self._is_face_held = True
            self._show(is_face_pressed=True)
            return
        if self._panel is not None and cell is not None:
            self.ask_why(cell)
            return
        held = [self._buttons[number] for number, mask in _HELD_MASKS.items() if int(event.state) & mask]
        move = self._gesture.press(button, cell, held)
        if move is not None:
            self._session.act(move)
        self._show()

    def _move(self, event: tk.Event[tk.Canvas]) -> None:
        pixel = Pixel(event.x, event.y)
        before, self._pointed = self._pointed, self._plan.cell_at(pixel)
        if self._is_face_held:
            self._show(is_face_pressed=self._plan.face.has_pixel(pixel))
        elif self._gesture.drag(self._pointed) or (self._plan.grid.blocks and before != self._pointed):
            self._show()

    def _release(self, event: tk.Event[tk.Canvas]) -> None:
        button = self._buttons.get(int(event.num))
        if button is None:
            return
        pixel = Pixel(event.x, event.y)
        if self._is_face_held and button is Button.LEFT:
            self._is_face_held = False
            if self._plan.face.has_pixel(pixel):
                self.new_game()
        else:
            move = self._gesture.release(self._plan.cell_at(pixel))
            if move is not None:
                self._session.act(move)
        self._show()


def _button_numbers(root: tk.Tk) -> dict[int, Button]:
    """Tk's button numbers. Before Tk 8.7 the right button is 2 on a Mac, and the middle one 3."""
    is_swapped = root.tk.call("tk", "windowingsystem") == "aqua" and tk.TkVersion < 8.7
    right, middle = (2, 3) if is_swapped else (3, 2)
    return {1: Button.LEFT, right: Button.RIGHT, middle: Button.MIDDLE}
