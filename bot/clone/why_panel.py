"""The window beside the game that answers "why?"."""

from __future__ import annotations

import tkinter as tk
from typing import TYPE_CHECKING

from bot.clone import art

if TYPE_CHECKING:
    from collections.abc import Callable

TITLE = "Why?"
INVITATION = "\n\nClick any cell of the board to ask about it. Escape closes this."
_CHARS, _LINES = 46, 24
_GAP_PX = 12


class WhyPanel:
    """Text beside the game's window, never over the board where the screen has room for both.

    It may have the keyboard: the game's keys work in it.

    Args:
        root: the game's window.
        closed: called when a person closes it.
    """

    def __init__(self, root: tk.Tk, closed: Callable[[], None]) -> None:
        self._window = tk.Toplevel(root, background=art.WINDOW, padx=14, pady=12)
        self._window.title(TITLE)
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
        self._text.replace("1.0", "end", text + INVITATION)
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
