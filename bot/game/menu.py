"""The menu of the built-in game: every wish a person can have, and the keys for it. Knows how to ask, not what it does.

Each underlined letter works as usual: Alt with that of a menu opens it, and then the letter of an entry chooses it.
"""

from __future__ import annotations

import tkinter as tk
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from bot.game import art
from bot.game.plan import ZOOMS
from bot.game.sizes import SIZES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.game.session import Rules
    from bot.game.sizes import BoardSize


LOOK: dict[str, Any] = {
    "background": art.WINDOW,
    "foreground": art.TEXT,
    "activebackground": art.ACCENT,
    "activeforeground": art.TEXT,
    "selectcolor": art.TEXT,
    "relief": "flat",
    "borderwidth": 0,
    "activeborderwidth": 2,
    "tearoff": False,
}
"""What every menu of the windows looks like, as options of Tk."""


class WindowStyle(NamedTuple):
    """How the window looks.

    Attributes:
        zoom: how many times as large as it is drawn.
        skin: its name.
        has_rulers: rows and columns are numbered.
        has_risks: the risk of every closed cell is drawn over it.
    """

    zoom: float
    skin: str
    has_rulers: bool
    has_risks: bool


class _Wishes(Protocol):
    """What a person can ask of the window."""

    def new_game(self, size: BoardSize | None = None) -> None:
        """Begin another game, of another size where one is given."""

    def ask_size(self) -> None:
        """Ask for a size of the person's own, and begin a game of it."""

    def set_rule(self, name: str, *, is_on: bool) -> None:
        """Turn one of the rules on or off, by its name in `Rules`."""

    def toggle_pause(self) -> None:
        """Stop the clock, or go on."""

    def undo(self) -> None:
        """Take the last move back."""

    def show_hint(self) -> None:
        """Mark the best move."""

    def ask_why(self) -> None:
        """Say why, of a game that is over: of its end, and of any cell that is clicked then."""

    def show_best_times(self) -> None:
        """List the best times of this size."""

    def show_how_to_play(self) -> None:
        """Tell the mouse's and the keyboard's ways."""

    def show_about(self) -> None:
        """Say what this program is."""

    def set_zoom(self, zoom: float | None) -> None:
        """Show everything at a multiple of its size; None for the one that fits the screen."""

    def step_zoom(self, step: int) -> None:
        """Zoom in (1) or out (-1) by one step of `ZOOMS`."""

    def toggle_rulers(self) -> None:
        """Number rows and columns, or do not."""

    def toggle_risks(self) -> None:
        """Draw the risk of every closed cell, or do not."""

    def set_skin(self, name: str) -> None:
        """Wear the skin of this name."""

    def ask_sheet(self) -> None:
        """Ask for a sprite sheet, and wear it."""

    def close_answer(self) -> None:
        """Close the answer to why."""

    def quit(self) -> None:
        """End the program."""

    def skin_names(self) -> Sequence[str]:
        """The skins that can be worn."""


class MenuBar:
    """The menu bar of one window, and what is ticked there."""

    def __init__(self, root: tk.Tk, wishes: _Wishes) -> None:
        self._wishes = wishes
        self._is_guess_free = tk.BooleanVar(root)
        self._has_question_marks = tk.BooleanVar(root)
        self._zoom = tk.DoubleVar(root)
        self._skin = tk.StringVar(root)
        self._has_rulers = tk.BooleanVar(root)
        self._has_risks = tk.BooleanVar(root)
        bar = tk.Menu(root, **LOOK)
        bar.add_cascade(label="Game", underline=0, menu=self._game_menu(bar))
        bar.add_cascade(label="View", underline=0, menu=self._view_menu(bar))
        bar.add_cascade(label="Help", underline=0, menu=self._help_menu(bar))
        root.configure(menu=bar, background=art.WINDOW)
        self._bind(root)

    def show(self, rules: Rules, look: WindowStyle) -> None:
        """Tick what holds."""
        self._is_guess_free.set(rules.is_guess_free)
        self._has_question_marks.set(rules.has_question_marks)
        self._zoom.set(look.zoom)
        self._skin.set(look.skin)
        self._has_rulers.set(look.has_rulers)
        self._has_risks.set(look.has_risks)

    def _bind(self, root: tk.Tk) -> None:
        root.unbind_all("<F10>")  # the bot's key: Tk on X11 would open the menu, over the board
        wishes = self._wishes
        keys: list[tuple[str, Callable[[], None]]] = [
            ("F2", wishes.new_game),
            *((f"Control-Key-{n}", partial(wishes.new_game, size)) for n, size in enumerate(SIZES.values(), 1)),
            *((key, wishes.undo) for key in ("u", "U", "Control-z")),
            *((key, wishes.toggle_pause) for key in ("p", "P")),
            *((key, wishes.toggle_rulers) for key in ("r", "R")),
            *((key, wishes.toggle_risks) for key in ("m", "M")),
            *((key, wishes.show_hint) for key in ("h", "H")),
            *((key, wishes.ask_why) for key in ("w", "W")),
            ("Escape", wishes.close_answer),
            *((f"Control-{key}", partial(wishes.step_zoom, 1)) for key in ("plus", "equal", "KP_Add")),
            *((f"Control-{key}", partial(wishes.step_zoom, -1)) for key in ("minus", "KP_Subtract")),
            ("Control-Key-0", partial(wishes.set_zoom, None)),
            ("Control-q", wishes.quit),
        ]
        for key, wish in keys:
            root.bind(f"<{key}>", lambda _event, wish=wish: wish())  # type: ignore[misc]  # of a default mypy infers nothing

    def _game_menu(self, bar: tk.Menu) -> tk.Menu:
        wishes, menu = self._wishes, tk.Menu(bar, **LOOK)
        menu.add_command(label="New", underline=0, accelerator="F2", command=wishes.new_game)
        menu.add_separator()
        four = tk.Menu(menu, **LOOK)
        for number, size in enumerate(SIZES.values(), 1):
            add = (
                partial(menu.add_command, underline=0)
                if size.blocks is None
                else partial(four.add_command, underline=3)
            )
            label = f"{size.title} ({size.label})"
            add(label=label, accelerator=f"Ctrl+{number}", command=partial(wishes.new_game, size))
        menu.add_cascade(label="4 dimensions", underline=0, menu=four)
        menu.add_command(label="Custom...", underline=0, command=wishes.ask_size)
        menu.add_separator()
        for label, underline, name, variable in (
            ("Guess-free boards", 0, "is_guess_free", self._is_guess_free),
            ("Question marks", 9, "has_question_marks", self._has_question_marks),
        ):
            ticked = partial(self._set_rule, name, variable)
            menu.add_checkbutton(label=label, underline=underline, variable=variable, command=ticked)
        menu.add_separator()
        menu.add_command(label="Pause", underline=0, accelerator="P", command=wishes.toggle_pause)
        menu.add_command(label="Undo", underline=0, accelerator="U", command=wishes.undo)
        menu.add_command(label="Hint", underline=0, accelerator="H", command=wishes.show_hint)
        menu.add_command(label="Why?", underline=0, accelerator="W", command=wishes.ask_why)
        menu.add_command(label="Best times...", underline=5, command=wishes.show_best_times)
        menu.add_separator()
        menu.add_command(label="Quit", underline=0, accelerator="Ctrl+Q", command=wishes.quit)
        return menu

    def _set_rule(self, name: str, variable: tk.BooleanVar) -> None:
        self._wishes.set_rule(name, is_on=variable.get())

    def _view_menu(self, bar: tk.Menu) -> tk.Menu:
        wishes, menu = self._wishes, tk.Menu(bar, **LOOK)
        for zoom in ZOOMS:
            command = partial(wishes.set_zoom, zoom)
            underline = 1 if zoom == 1.5 else 0  # the 5: 100 % has the 1
            menu.add_radiobutton(
                label=f"{zoom:.0%}", underline=underline, variable=self._zoom, value=zoom, command=command
            )
        fit = partial(wishes.set_zoom, None)
        menu.add_command(label="Fit the screen", underline=0, accelerator="Ctrl+0", command=fit)
        menu.add_separator()
        for label, underline, key, variable, toggle in (
            ("Rulers", 0, "R", self._has_rulers, wishes.toggle_rulers),
            ("Risk map", 5, "M", self._has_risks, wishes.toggle_risks),
        ):
            menu.add_checkbutton(label=label, underline=underline, accelerator=key, variable=variable, command=toggle)
        menu.add_separator()
        self._skins = tk.Menu(menu, postcommand=self._list_skins, **LOOK)
        menu.add_cascade(label="Skin", underline=0, menu=self._skins)
        menu.add_command(label="Sprite sheet...", underline=1, command=wishes.ask_sheet)
        return menu

    def _list_skins(self) -> None:
        """Look which skins there are when somebody wants to see them: loading them all takes a moment."""
        self._skins.delete(0, "end")
        for name in self._wishes.skin_names():
            command = partial(self._wishes.set_skin, name)
            self._skins.add_radiobutton(label=name, variable=self._skin, value=name, command=command)

    def _help_menu(self, bar: tk.Menu) -> tk.Menu:
        menu = tk.Menu(bar, **LOOK)
        menu.add_command(label="How to play", underline=0, command=self._wishes.show_how_to_play)
        menu.add_command(label="About", underline=0, command=self._wishes.show_about)
        return menu
