"""The window's dialogs: a level of one's own, how to play, about."""

from __future__ import annotations

import tkinter as tk
from typing import TYPE_CHECKING

from bot.console import version_in_words
from bot.errors import UsageError
from bot.game.art import ACCENT, FRAME, TEXT, WARNING, WINDOW
from bot.game.sizes import MAX_SIDE, SIZES, checked_size

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.game.records import BestTimes
    from bot.game.sizes import BoardSize

_HOW_TO_PLAY = """Open every cell without a mine. A number says how many of the cells around it hold one.

Left click: open a cell.

Right click: set or remove a flag; with question marks on, one of these comes between.

Left click on a number, middle click, or left and right together: when as many flags stand beside it, \
open its other neighbours.

The first cell opened is never a mine. F2 or a click on the face starts a new game.

Keys: arrows move a mark; Space opens, F flags, C chords. P stops the clock. H shows the best move, M a map of the \
risks, U takes a move back: then no best time is kept. W, once a game is over: why? R shows rulers. Ctrl with +, - and \
0 zooms.

Boards of four dimensions: a cell touches those around it in its own block and, at the same places, in the blocks \
around."""

_ABOUT = """Minebot {version}, the built-in Minesweeper.

The same program finds Minesweeper on the screen and plays it: run "minebot play" and press F10."""


def show_how_to_play(root: tk.Tk) -> None:
    """Explain the game."""
    _show_text(root, "How to play", _HOW_TO_PLAY)


def show_analysis_keys(root: tk.Tk, text: str) -> None:
    """Explain the analysis board."""
    _show_text(root, "Keys", text, wrap_px=420)


def show_about(root: tk.Tk) -> None:
    """Say what this is."""
    _show_text(root, "About Minebot", _ABOUT.format(version=version_in_words()))


def _open_dialog(root: tk.Tk, title: str) -> tk.Toplevel:
    """An empty dialog that stays in front of the window and closes on Escape."""
    dialog = tk.Toplevel(root, padx=18, pady=14, background=WINDOW)
    dialog.title(title)
    dialog.transient(root)
    dialog.resizable(width=False, height=False)
    dialog.geometry(f"+{root.winfo_rootx() + 24}+{root.winfo_rooty() + 24}")
    dialog.bind("<Escape>", lambda _event: dialog.destroy())
    return dialog


def _show_text(root: tk.Tk, title: str, text: str, font: str = "TkDefaultFont", wrap_px: int = 320) -> None:
    dialog = _open_dialog(root, title)
    tk.Label(dialog, text=text, font=font, wraplength=wrap_px, justify="left", bg=WINDOW, fg=TEXT).pack()
    button = _button(dialog, "OK", dialog.destroy)
    button.pack(anchor="e", pady=(12, 0))
    button.focus_set()
    dialog.bind("<Return>", lambda _event: dialog.destroy())


def _button(parent: tk.Misc, text: str, command: Callable[[], None]) -> tk.Button:
    return tk.Button(
        parent,
        text=text,
        command=command,
        background=ACCENT,
        foreground=TEXT,
        activebackground=FRAME,
        activeforeground=TEXT,
        highlightthickness=0,
        relief="flat",
        padx=14,
    )


def show_best_times(root: tk.Tk, best_times: BestTimes) -> None:
    """List the best times, the levels with a name first."""
    names = {size.key + kind: size.title + kind for size in SIZES.values() for kind in ("", " guess-free")}
    keys = [*(key for key in names if key in best_times.kept), *(key for key in best_times.kept if key not in names)]
    lines = []
    for key in keys:
        lines.append(names.get(key, key))
        for place, time in enumerate(best_times.kept[key], 1):
            per_s = f"{time.bbbv / time.seconds:5.2f}" if time.seconds else "    -"
            lines.append(f"{place:3}  {time.seconds:8.2f} s   3BV {time.bbbv:3}   3BV/s {per_s}   {time.date}")
        lines.append("")
    _show_text(root, "Best times", "\n".join(lines[:-1]) or "None yet.", font="TkFixedFont", wrap_px=0)


class CustomDialog:
    """Asks for rows, columns and mines, and hands a size that can be played to `start`, until that raises nothing.

    Args:
        root: the window.
        size: what stands there at first.
        start: what is done with the size.
        title: of the dialog.
        action: on the button that does it.
    """

    def __init__(
        self,
        root: tk.Tk,
        size: BoardSize,
        start: Callable[[BoardSize], None],
        title: str = "Custom game",
        action: str = "Play",
    ) -> None:
        self._start = start
        self._window = _open_dialog(root, title)
        self._fields = [
            self._field(row, label, value, most)
            for row, (label, value, most) in enumerate(
                (
                    ("Rows", size.rows, MAX_SIDE),
                    ("Columns", size.cols, MAX_SIDE),
                    ("Mines", size.mines, MAX_SIDE**2 - 1),
                )
            )
        ]
        self._problem = tk.Label(self._window, bg=WINDOW, fg=WARNING, wraplength=240, justify="left")
        self._problem.grid(row=3, column=0, columnspan=2, sticky="w")
        buttons = tk.Frame(self._window, background=WINDOW)
        buttons.grid(row=4, column=0, columnspan=2, sticky="e", pady=(8, 0))
        _button(buttons, action, self._accept).pack(side="left", padx=(0, 8))
        _button(buttons, "Cancel", self._window.destroy).pack(side="left")
        self._window.bind("<Return>", lambda _event: self._accept())
        self._fields[0].focus_set()
        self._fields[0].selection_range(0, len(self._fields[0].get()))  # as the Tab key does with the others

    def _field(self, row: int, label: str, value: int, most: int) -> tk.Spinbox:
        tk.Label(self._window, text=label, bg=WINDOW, fg=TEXT).grid(row=row, column=0, sticky="w", padx=(0, 16), pady=3)
        field = tk.Spinbox(self._window, from_=0, to=most, width=8, justify="right")
        field.configure(background=FRAME, foreground=TEXT, insertbackground=TEXT, highlightthickness=0, relief="flat")
        field.configure(buttonbackground=ACCENT)
        field.delete(0, "end")
        field.insert(0, str(value))
        field.grid(row=row, column=1, pady=3)
        return field

    def _accept(self) -> None:
        texts = [field.get().strip() for field in self._fields]
        try:
            rows, cols, mines = (int(text) for text in texts)
        except ValueError:
            self._problem.configure(text="Please enter whole numbers.")
            return
        try:
            self._start(checked_size((rows, cols), mines))
        except UsageError as error:
            message = str(error)
            self._problem.configure(text=f"{message[0].upper()}{message[1:]}.")
            return
        self._window.destroy()
