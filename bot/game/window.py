"""The window of the built-in game: menu, header, board, and what the mouse and keys do to them.

Nothing ever lies over the cells but the marks that a person asked for (`marks`), and neither the title nor the
size changes during a game, so that what is read from the screen is exactly what the painter paints.

The line below the board changes when a game begins and ends, and when a person asks for something: a bot that looks on
sees nothing change but the board.

Over a flat board there is no mark that a person did not ask for, so that a bot reads nothing but cells.
"""

from __future__ import annotations

import tkinter as tk
from pathlib import Path
from tkinter import filedialog
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import UsageError
from bot.game import art, dialogs
from bot.game.input import Hands
from bot.game.marks import Curtain, picture_of
from bot.game.menu import MenuBar, WindowStyle
from bot.game.stage import Footer, Stage, open_root, run_window
from bot.game.why import ask_why, asked_first
from skins import SkinError, find_skin, known_skins
from skins.sprite_sheet import load_sheet
from solver.board import CLOSED, FLAG, MINE, WRONG_FLAG, GameState

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.game.plan import WindowPlan
    from bot.game.session import Session
    from bot.game.sizes import BoardSize
    from bot.models import Pixel
    from skins.skin import Skin
    from solver.topology import Cell


def _describe(session: Session) -> str:
    """How the game stands, in one or two sentences."""
    if session.game.state is GameState.WON:
        text = f"Won: {_score(session)}."
    elif session.game.state is GameState.LOST:
        text = f"Lost: {_score(session)}. {_flags(session)}W: why?"
    else:
        text = _level(session)
    aid = " Practice: no best time." if session.is_aided else ""
    remark = f" {session.remark[0].upper()}{session.remark[1:]}" if session.remark else ""
    return text + aid + remark


def _level(session: Session) -> str:
    size = session.size
    kind = ", guess-free" if session.rules.is_guess_free else ""
    best = session.best_times.best(session.record_key)
    told = "" if best is None else f" Best time: {best.seconds:.2f} s."
    start = " Begin at the cross." if session.hint is not None and session.game.state is GameState.FRESH else ""
    return f"{size.title}: {size.label}{kind}.{told}{start}"


def _score(session: Session) -> str:
    score = session.score
    assert score is not None, "a game that is over was begun"
    return score.text


def _flags(session: Session) -> str:
    codes = session.game.board.cells
    right, wrong = int(np.sum(codes == FLAG)), int(np.sum(codes == WRONG_FLAG))
    return f"Flags: {right} right, {wrong} wrong. " if right or wrong else ""


_WHY_TITLE = "Why?"
_INVITATION = "\n\nClick any cell of the board to ask about it. Escape closes this."
_ASKED_SIGN = "Orange corners: the cell that is asked about."
_CLUES_SIGN = "Purple rings: the numbers that decide it."
_BEST_SIGN = "Yellow ring: what would have been best."
_CHARS, _LINES = 46, 24
_GAP_PX = 12


class _WhyPanel:
    """Text beside the game's window, never over the board where the screen has room for both.

    It may have the keyboard: the game's keys work in it.

    Args:
        root: the game's window.
        closed: called when a person closes it.
    """

    def __init__(self, root: tk.Tk, closed: Callable[[], None]) -> None:
        self._window = tk.Toplevel(root, background=art.WINDOW, padx=14, pady=12)
        self._window.title(_WHY_TITLE)
        self._window.protocol("WM_DELETE_WINDOW", closed)
        self._window.bindtags((*self._window.bindtags(), str(root)))  # the game's keys work here too, Escape among them
        self._text = tk.Text(self._window, width=_CHARS, height=_LINES, wrap="word", state="disabled", takefocus=False)
        self._text.configure(background=art.FRAME, foreground=art.TEXT, font="TkDefaultFont", relief="flat")
        self._text.configure(highlightthickness=0, padx=10, pady=8)
        self._text.pack()
        self._window.update_idletasks()
        top = root.wm_geometry().split("+", 2)[2]  # winfo_y is that below title and menu with some window managers
        self._window.geometry(f"+{_left_of_free(root, self._window.winfo_reqwidth())}+{top}")

    def show(self, text: str) -> None:
        """Show an answer."""
        self._text.configure(state="normal")
        self._text.replace("1.0", "end", text + _INVITATION)
        self._text.configure(state="disabled")

    def close(self) -> None:
        """Take it away."""
        self._window.destroy()


def _left_of_free(root: tk.Tk, width_px: int) -> int:
    """Where a window of this width begins: right of the game, else left of it, else at the screen's right edge."""
    right = root.winfo_rootx() + root.winfo_width() + _GAP_PX
    left = root.winfo_rootx() - width_px - _GAP_PX
    room = root.winfo_screenwidth() - width_px - _GAP_PX
    if right <= room:
        return right
    return left if left >= 0 else max(room, 0)


TITLE = "Minebot"
_TICK_MS = 100  # the timer is never later than this; also how often Ctrl-C in the terminal is noticed


def play_in_window(session: Session, skin: Skin, position: Pixel | None = None, zoom: float | None = None) -> None:
    """Open the window and stay until it is closed.

    Args:
        session: the games.
        skin: what the cells look like.
        position: where the window's top left corner goes; None leaves it to the desktop.
        zoom: how many times as large as it is drawn; None for what the desktop's scale asks for and the screen has room
            for.

    Raises:
        ScreenError: no window can be opened here.
        SkinError: the skin lacks a state that the game shows.
        UsageError: the session's log can no longer be written.
    """
    sprites = art.cell_sprites(skin)
    root = open_root(TITLE, "game", position)
    _Window(root, session, skin, zoom)
    root.iconphoto(True, picture_of(root, sprites[MINE]))
    root.focus_force()  # without a window manager nobody else gives it the keyboard
    run_window(root)


class _Window:
    """What is in the window, and what happens there; the public methods are what the menu asks for.

    Attributes:
        session: the games.
    """

    def __init__(self, root: tk.Tk, session: Session, skin: Skin, zoom: float | None) -> None:
        self._root = root
        self.session = session
        self._panel: _WhyPanel | None = None
        self._has_risks = False
        root.title(TITLE)
        root.resizable(width=False, height=False)
        self._menu = MenuBar(root, self)
        self._stage = Stage(root, root, skin, zoom)
        self._footer = Footer(root, self._stage.scale)
        self._hands = Hands(root, self._stage.canvas, self)
        self._lay_out()
        self._tick()

    @property
    def plan(self) -> WindowPlan:
        """Where things stand now."""
        return self._stage.plan

    @property
    def is_asking(self) -> bool:
        """Whether cells are asked about, not played."""
        return self._panel is not None

    def show(self, *, is_face_pressed: bool = False) -> None:
        """Bring the screen up to date, at once."""
        session = self.session
        game = session.game
        self._stage.cells.show(session.shown, self._hands.gesture.pressed_cells(game))
        self._stage.show_risks(self._risks())
        if self._panel is None:
            self._stage.show_rings(self._hands.cursor, near=self._near())
        self._curtain.show(is_drawn=session.is_paused)
        is_worried = self._hands.gesture.is_active and not game.is_over
        self._stage.header.show_face(game.state, is_worried=is_worried, is_pressed=is_face_pressed)
        self._stage.header.show_counts(session.mines_left, session.elapsed_s)
        self._footer.show(_describe(session))
        self._menu.show(
            session.rules, WindowStyle(self._stage.zoom, self._stage.skin.name, self._stage.has_rulers, self._has_risks)
        )
        if self._hands.cursor is not None:
            self._stage.canvas.reveal(self.plan.grid.cell_region(self._hands.cursor))
        self._stage.canvas.update_idletasks()

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
        if name == "has_question_marks" and is_on and not art.has_question(self._stage.skin):
            self.session.remark = f"the skin {self._stage.skin.name} has no question mark"
            self.show()
        else:
            self._try(lambda: self.session.change_rules(**{name: is_on}))

    def toggle_pause(self) -> None:
        """Stop the clock, or go on."""
        self.session.toggle_pause()
        self.show()

    def toggle_rulers(self) -> None:
        """Number rows and columns, or do not."""
        self._stage.has_rulers = not self._stage.has_rulers
        self._lay_out()

    def toggle_risks(self) -> None:
        """Draw the risk of every closed cell, or do not."""
        self._has_risks = not self._has_risks
        self.show()

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
            self._panel = _WhyPanel(self._root, self.close_answer)
        if answer is None:
            self._panel.show("It was open from the beginning.")
            self._stage.show_rings(asked)
            return
        signs = [_ASKED_SIGN, *([_CLUES_SIGN] if answer.clues else []), *([_BEST_SIGN] if answer.best else [])]
        self._panel.show("\n".join([answer.text, "", *signs]))
        self._stage.show_rings(asked, best=answer.best, clues=answer.clues)

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

    def set_zoom(self, zoom: float | None) -> None:
        """Show everything at a multiple of the size that it is drawn at; None for the one that fits the screen."""
        self._stage.asked_zoom = zoom
        self._lay_out()

    def step_zoom(self, step: int) -> None:
        """Show everything one step larger or smaller."""
        self.set_zoom(self._stage.zoom_by(step))

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
        """The skins that have a sprite of all that the game shows."""
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
        self._stage.skin = skin
        if not art.has_question(skin):
            self.session.change_rules(has_question_marks=False)
        self._lay_out()

    def _lay_out(self) -> None:
        """Build the canvas anew for the session's size, the skin and the zoom."""
        room = self._stage.lay_out(self.session.size, self.session.game.topology.most_neighbours)
        self._curtain = Curtain(self._stage.canvas, self.plan.grid, self._stage.zoom)
        self._footer.fit(min(self.plan.width, room[0]))
        self._hands.forget()
        self.show()

    def _begin_game(self) -> None:
        """Show a game that has just begun, or that stayed because no other could."""
        self.close_answer()
        if self.session.size == self._stage.size:
            self._hands.forget()
            self.show()
        else:
            self._lay_out()

    def _risks(self) -> NDArray[np.float64] | None:
        """The risks to be drawn: of closed cells without a flag or a cross, which stay in sight."""
        p_mine = self.session.look_at_risks() if self._has_risks else None
        return None if p_mine is None else np.where(self.session.shown == CLOSED, p_mine, np.nan)

    def _near(self) -> tuple[Cell, ...]:
        """What touches the cell that is looked at, where that is hard to see: on a board of four dimensions."""
        cell = self._hands.cursor or self._hands.pointed
        if cell is None or self.plan.grid.blocks is None:
            return ()
        return tuple(self.session.game.topology.neighbours(cell))

    def _tick(self) -> None:
        self._stage.header.show_counts(self.session.mines_left, self.session.elapsed_s)
        self._root.after(_TICK_MS, self._tick)
