"""The window of the built-in game: menu, header, board, and what the mouse and keys do to them.

Everything is drawn at 1:1 on one canvas; nothing ever lies over the cells, and neither the title nor the size changes
during a game, so that what is read from the screen is exactly what the painter paints.
"""

from __future__ import annotations

import tkinter as tk
from functools import partial
from typing import TYPE_CHECKING, Any

from bot.clone import art
from bot.clone.board_view import BoardView
from bot.clone.dialogs import CustomDialog, show_about, show_how_to_play
from bot.clone.header import Header
from bot.clone.mouse import Gesture
from bot.clone.pictures import picture
from bot.clone.plan import plan_window
from bot.errors import ScreenError
from bot.models import Button, Pixel
from bot.ports.windows import use_true_pixels
from solver.board import MINE
from solver.game import LEVELS, Level

if TYPE_CHECKING:
    from types import TracebackType

    from bot.clone.session import Session
    from skins.skin import Skin

TITLE = "Minebot"
_TICK_MS = 100  # the timer is never later than this; also how often Ctrl-C in the terminal is noticed
_HELD_MASKS = {1: 0x100, 2: 0x200, 3: 0x400}  # bits of a Tk event's state, by Tk's button number


def play_in_window(session: Session, skin: Skin, position: Pixel | None = None) -> None:
    """Open the window and stay until it is closed.

    Args:
        session: the games.
        skin: what the cells look like.
        position: where the window's top left corner goes; None leaves it to the desktop.

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
    window = Window(root, session, skin)
    root.iconphoto(True, picture(root, sprites[MINE]))
    root.focus_force()  # without a window manager nobody else gives it the keyboard
    root.mainloop()
    if window.failure is not None:
        raise window.failure


class Window:
    """What is in the window, and what happens there.

    Attributes:
        failure: what a handler raised; the window closes then.
    """

    def __init__(self, root: tk.Tk, session: Session, skin: Skin) -> None:
        self.failure: BaseException | None = None
        self._root = root
        self._session = session
        self._skin = skin
        self._buttons = _button_numbers(root)
        self._canvas = tk.Canvas(root, background=art.WINDOW, highlightthickness=0, borderwidth=0)
        self._canvas.pack()
        root.title(TITLE)
        root.resizable(width=False, height=False)
        root.report_callback_exception = self._fail
        self._fill_menu()
        self._bind()
        self._lay_out()
        self._tick()

    def _fail(self, _kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
        """End the window on the first error: Tk would print it and go on."""
        self.failure = error
        self._root.destroy()

    def _fill_menu(self) -> None:
        look: dict[str, Any] = {
            "background": art.WINDOW,
            "foreground": art.TEXT,
            "activebackground": art.ACCENT,
            "activeforeground": art.TEXT,
            "relief": "flat",
            "borderwidth": 0,
            "activeborderwidth": 2,
        }
        bar = tk.Menu(self._root, **look)
        game = tk.Menu(bar, tearoff=False, **look)
        game.add_command(label="New", accelerator="F2", command=self._new_game)
        game.add_separator()
        for name, level in LEVELS.items():
            game.add_command(label=_level_label(name, level), command=partial(self._new_game, level))
        game.add_command(label="Custom...", command=self._ask_level)
        game.add_separator()
        game.add_command(label="Quit", accelerator="Ctrl+Q", command=self._root.destroy)
        about = tk.Menu(bar, tearoff=False, **look)
        about.add_command(label="How to play", command=lambda: show_how_to_play(self._root))
        about.add_command(label="About", command=lambda: show_about(self._root))
        bar.add_cascade(label="Game", menu=game)
        bar.add_cascade(label="Help", menu=about)
        self._root.configure(menu=bar, background=art.WINDOW)

    def _bind(self) -> None:
        self._root.bind("<F2>", lambda _event: self._new_game())
        self._root.unbind_all("<F10>")  # the bot's key: Tk on X11 would open the menu, over the board
        self._root.bind("<Control-q>", lambda _event: self._root.destroy())
        self._canvas.bind("<ButtonPress>", self._press)
        self._canvas.bind("<Motion>", self._move)
        self._canvas.bind("<ButtonRelease>", self._release)

    def _lay_out(self) -> None:
        """Build the canvas anew for the session's level."""
        self._plan = plan_window(self._skin, self._session.level)
        self._canvas.delete("all")
        self._canvas.configure(width=self._plan.width, height=self._plan.height)
        board = self._plan.grid.region
        self._canvas.create_rectangle(
            board.left - 2,
            board.top - 2,
            board.left + board.width + 2,
            board.top + board.height + 2,
            fill=art.FRAME,
            width=0,
        )
        self._board_view = BoardView(self._canvas, self._plan.grid, art.cell_sprites(self._skin))
        self._header = Header(self._canvas, self._plan)
        self._gesture = Gesture()
        self._is_face_held = False
        self._show()

    def _show(self, *, is_face_pressed: bool = False) -> None:
        """Bring the screen up to date, at once."""
        game = self._session.game
        self._board_view.show(game.board.cells, self._gesture.pressed_cells(game))
        is_worried = self._gesture.is_active and not game.is_over
        self._header.show_face(game.state, is_worried=is_worried, is_pressed=is_face_pressed)
        self._header.show_counts(self._session.mines_left, self._session.elapsed_s)
        self._canvas.update_idletasks()

    def _tick(self) -> None:
        self._header.show_counts(self._session.mines_left, self._session.elapsed_s)
        self._root.after(_TICK_MS, self._tick)

    def _new_game(self, level: Level | None = None) -> None:
        is_other_size = level is not None and level != self._session.level
        self._session.new_game(level)
        self._gesture = Gesture()
        if is_other_size:
            self._lay_out()
        else:
            self._show()

    def _ask_level(self) -> None:
        CustomDialog(self._root, self._session.level, self._new_game)

    def _press(self, event: tk.Event[tk.Canvas]) -> None:
        button = self._buttons.get(int(event.num))
        if button is None:
            return
        pixel = Pixel(event.x, event.y)
        if button is Button.LEFT and self._plan.face.has_pixel(pixel):
            self._is_face_held = True
            self._show(is_face_pressed=True)
            return
        held = [self._buttons[number] for number, mask in _HELD_MASKS.items() if int(event.state) & mask]
        move = self._gesture.press(button, self._plan.cell_at(pixel), held)
        if move is not None:
            self._session.act(move)
        self._show()

    def _move(self, event: tk.Event[tk.Canvas]) -> None:
        pixel = Pixel(event.x, event.y)
        if self._is_face_held:
            self._show(is_face_pressed=self._plan.face.has_pixel(pixel))
        elif self._gesture.drag(self._plan.cell_at(pixel)):
            self._show()

    def _release(self, event: tk.Event[tk.Canvas]) -> None:
        button = self._buttons.get(int(event.num))
        if button is None:
            return
        pixel = Pixel(event.x, event.y)
        if self._is_face_held and button is Button.LEFT:
            self._is_face_held = False
            if self._plan.face.has_pixel(pixel):
                self._new_game()
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


def _level_label(name: str, level: Level) -> str:
    return f"{name.capitalize()} ({level.rows} x {level.cols}, {level.mines} mines)"
