"""The line below the board: room for as much text as a game may tell, so that the window keeps its size."""

from __future__ import annotations

import tkinter as tk

from bot.clone import art

_LONGEST_PX = 1000
"""The longest text, on one line."""
_MOST_LINES = 5
_PADDING_PX = 12


class Footer:
    """Some lines of text below the board."""

    def __init__(self, root: tk.Tk) -> None:
        self._label = tk.Label(root, background=art.WINDOW, foreground=art.TEXT, anchor="nw", justify="left")
        self._label.configure(font="TkSmallCaptionFont", borderwidth=0, padx=_PADDING_PX, pady=0)
        self._label.pack(fill="x", pady=(0, 6))

    def fit(self, width_px: int) -> None:
        """Make room below a board of this width."""
        inner_px = width_px - 2 * _PADDING_PX
        self._label.configure(wraplength=inner_px, height=min(_MOST_LINES, -(-_LONGEST_PX // inner_px)))

    def show(self, text: str) -> None:
        """Show this text."""
        if self._label.cget("text") != text:
            self._label.configure(text=text)
