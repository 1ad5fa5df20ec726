"""The window of the built-in game: menu, header, board, and what the mouse and keys do to them.

Nothing ever lies over the cells but the marks that a person asked for (`cell_marks`), and neither the title nor the
size changes during a game, so that what is read from the screen is exactly what the painter paints.
"""

from __future__ import annotations

import tkinter as tk
from pathlib import Path
from tkinter import filedialog
from typing import TYPE_CHECKING

from bot.clone import art, dialogs
from bot.clone.board_view import BoardView
from bot.clone.cell_marks import CellMarks
from bot.clone.footer import Footer
from bot.clone.hands import Hands
from bot.clone.header import Header
from bot.clone.menu import ZOOMS, MenuBar
from bot.clone.pictures import picture
from bot.clone.plan import plan_window
from bot.clone.why import ask_why, asked_first
from bot.clone.why_panel import WhyPanel
from bot.clone.words import describe
from bot.errors import ScreenError, UsageError
from bot.ports.windows import use_true_pixels
from bot.ports.x11_end import end_with_the_screen
from skins import SkinError, find_skin, known_skins
from skins.sprite_sheet import load_sheet
from solver.board import MINE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from bot.clone.plan import WindowPlan
    from bot.clone.session import Session
    from bot.clone.sizes import BoardSize
    from bot.models import Pixel
    from skins.skin import Skin
    from solver.topology import Cell

TITLE = "Minebot"
_TICK_MS = 100  # the timer is never later than this; also how often Ctrl-C in the terminal is noticed


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
    if root.tk.call("tk", "windowingsystem") == "x11":
        end_with_the_screen()
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
        session: the games.
        plan: where things stand now.
    """

    def __init__(self, root: tk.Tk, session: Session, skin: Skin, zoom: float) -> None:
        self.failure: BaseException | None = None
        self._root = root
        self.session = session
        self._skin = skin
        self._zoom = zoom
        self._panel: WhyPanel | None = None
        root.title(TITLE)
        root.resizable(width=False, height=False)
        root.report_callback_exception = self._fail
        self._menu = MenuBar(root, self)
        self._canvas = tk.Canvas(root, background=art.WINDOW, highlightthickness=0, borderwidth=0)
        self._canvas.pack()
        self._footer = Footer(root)
        self._hands = Hands(root, self._canvas, self)
        self._lay_out()
        self._tick()

    @property
    def is_asking(self) -> bool:
        """Whether cells are asked about, not played."""
        return self._panel is not None

    def show(self, *, is_face_pressed: bool = False) -> None:
        """Bring the screen up to date, at once."""
        session = self.session
        game = session.game
        self._board_view.show(session.shown, self._hands.gesture.pressed_cells(game))
        if self._panel is None:
            self._marks.show(cursor=self._hands.cursor, near=self._near())
        is_worried = self._hands.gesture.is_active and not game.is_over
        self._header.show_face(game.state, is_worried=is_worried, is_pressed=is_face_pressed)
        self._header.show_counts(session.mines_left, session.elapsed_s)
        self._footer.show(describe(session))
        self._menu.show(session.rules, self._zoom, self._skin.name)
        self._canvas.update_idletasks()

    def new_game(self, size: BoardSize | None = None) -> None:
        """Start over, on a board of another size if one is given."""
        self._try(lambda: self.session.new_game(size))

    def ask_size(self) -> None:
        """Ask for a size of one's own."""

        def start(size: BoardSize) -> None:
            self.session.new_game(size)
            self._begin_game()

        dialogs.CustomDialog(self._root, self.session.size, start)

    def set_rule(self, name: str, *, is_on: bool) -> None:
        """Turn one of the session's rules on or off."""
        if name == "has_question_marks" and is_on and not art.has_question(self._skin):
            self.session.remark = f"the skin {self._skin.name} has no question mark"
            self.show()
        else:
            self._try(lambda: self.session.change_rules(**{name: is_on}))

    def undo(self) -> None:
        """Take the last move back."""
        self.session.undo()
        self.close_answer()
        self.show()

    def show_hint(self) -> None:
        """Mark the best move."""
        self.session.ask_hint()
        self.show()

    def ask_why(self, cell: Cell | None = None) -> None:
        """Explain a cell of a game that is over: this one, else the keyboard's or the pointer's, else the last."""
        session = self.session
        if not session.game.is_over:
            session.remark = "why is told once the game is over"
            self.show()
            return
        wanted = (cell, self._hands.cursor, self._hands.pointed, asked_first(session))
        asked = next(place for place in wanted if place is not None)
        answer = ask_why(session, asked)
        if self._panel is None:
            self._panel = WhyPanel(self._root, self.close_answer)
        self._panel.show("It was open from the beginning." if answer is None else answer.text)
        self._marks.show(asked=asked, best=None if answer is None else answer.best)

    def close_answer(self) -> None:
        """Take the answer to "why?" away."""
        if self._panel is not None:
            self._panel.close()
            self._panel = None
            self.show()

    def show_best_times(self) -> None:
        """List the best times."""
        dialogs.show_best_times(self._root, self.session.best_times)

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

    def step_zoom(self, step: int) -> None:
        """Show everything one step larger or smaller."""
        place = min(range(len(ZOOMS)), key=lambda n: abs(ZOOMS[n] - self._zoom)) + step
        self.set_zoom(ZOOMS[min(max(place, 0), len(ZOOMS) - 1)])

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
        try:
            known = known_skins()
        except SkinError as error:
            self.session.remark = str(error)
            self.show()
            return []
        return [entry.name for entry in known if entry.skin is not None and art.can_paint(entry.skin)]

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
            self.session.remark = str(error)
        self._begin_game()

    def _wear(self, load: Callable[[], Skin]) -> None:
        try:
            skin = load()
            art.cell_sprites(skin)
        except SkinError as error:
            self.session.remark = str(error)
            self.show()
            return
        self._skin = skin
        if not art.has_question(skin):
            self.session.change_rules(has_question_marks=False)
        self._lay_out()

    def _lay_out(self) -> None:
        """Build the canvas anew for the session's size, the skin and the zoom."""
        size, zoom = self.session.size, self._zoom
        self._laid_out_size = size
        self.plan: WindowPlan = plan_window(self._skin, size, zoom)
        self._canvas.delete("all")
        self._canvas.configure(width=self.plan.width, height=self.plan.height)
        self._footer.fit(self.plan.width)
        grid = self.plan.grid
        board, edge = grid.region, round(2 * zoom)
        right, bottom = board.left + board.width + edge, board.top + board.height + edge
        self._canvas.create_rectangle(board.left - edge, board.top - edge, right, bottom, fill=art.FRAME, width=0)
        most = self.session.game.topology.most_neighbours
        self._board_view = BoardView(self._canvas, grid, art.cell_sprites(self._skin, zoom, most))
        self._marks = CellMarks(self._canvas, grid)
        self._header = Header(self._canvas, self.plan, zoom)
        self._hands.forget()
        self.show()

    def _begin_game(self) -> None:
        """Show a game that has just begun, or that stayed because no other could."""
        self.close_answer()
        if self.session.size == self._laid_out_size:
            self._hands.forget()
            self.show()
        else:
            self._lay_out()

    def _near(self) -> tuple[Cell, ...]:
        """What touches the cell that is looked at, where that is hard to see: on a board of four dimensions."""
        cell = self._hands.cursor or self._hands.pointed
        if cell is None or self.plan.grid.blocks is None:
            return ()
        return tuple(self.session.game.topology.neighbours(cell))

    def _tick(self) -> None:
        self._header.show_counts(self.session.mines_left, self.session.elapsed_s)
        self._root.after(_TICK_MS, self._tick)
