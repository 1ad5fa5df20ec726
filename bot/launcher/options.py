"""The part of the window in which a person says how to play: what `settings.toml` keeps, and two facts of the board."""

from __future__ import annotations

import re
import tkinter as tk
from typing import TYPE_CHECKING

from bot.desktop.keys import parse_combination
from bot.errors import UsageError
from bot.playing.speeds import SPEEDS
from bot.preferences import load_preferences, save_preferences

if TYPE_CHECKING:
    from bot.launcher.look import Widgets

_NUMBER = re.compile(r"[1-9][0-9]{0,5}")
_CHORDS = {"where it saves time": None, "always": True, "never": False}


class Options(tk.Frame):
    """The fields.

    Attributes:
        kept: the settings as they were loaded or saved last.

    Args:
        parent: where they go.
        widgets: their colours.

    Raises:
        UsageError: the settings have a mistake.
    """

    def __init__(self, parent: tk.Misc, widgets: Widgets) -> None:
        super().__init__(parent, background=widgets.palette.window, padx=widgets.px(10), pady=widgets.px(4))
        self.kept = kept = load_preferences()
        self._games = tk.StringVar(self, str(kept.games))
        self._speed = tk.StringVar(self, kept.speed)
        self._flags = tk.BooleanVar(self, kept.flags)
        self._chord = tk.StringVar(self, next(words for words, value in _CHORDS.items() if value == kept.chord))
        self._start_key = tk.StringVar(self, kept.hotkey)
        self._stop_key = tk.StringVar(self, kept.abort_key)
        self._mines = tk.StringVar(self, "")
        self._whole = tk.BooleanVar(self, value=False)
        rows = (
            (
                ("Games", widgets.counter(self, self._games, 5)),
                ("Speed", widgets.choice(self, self._speed, tuple(SPEEDS))),
            ),
            (
                ("Start and pause", widgets.entry(self, self._start_key, 7)),
                ("Stop", widgets.entry(self, self._stop_key, 7)),
            ),
            (
                ("Click numbers", widgets.choice(self, self._chord, tuple(_CHORDS))),
                ("", widgets.check(self, "Flag proven mines", self._flags)),
            ),
            (
                ("Mines, if not shown", widgets.entry(self, self._mines, 7)),
                ("", widgets.check(self, "All of the board is in view", self._whole)),
            ),
        )
        for row, fields in enumerate(rows):
            for column, (words, field) in enumerate(fields):
                if words:
                    label = widgets.label(self, words)
                    label.grid(row=row, column=2 * column, sticky="e", padx=widgets.px(4))
                field.grid(row=row, column=2 * column + 1, sticky="w", pady=widgets.px(2))
                field.lift()  # the keyboard goes through them in this order

    def save(self) -> None:
        """Keep what was changed here; what was changed in the file meanwhile stays.

        Raises:
            UsageError: a field holds what cannot be, or the file cannot be read or written.
        """
        save_preferences({name: value for name, value in self._now().items() if value != getattr(self.kept, name)})
        self.kept = load_preferences()

    def board_facts(self) -> list[str]:
        """What was said of the board, as options of `play`.

        Raises:
            UsageError: the mine count is no number.
        """
        mines = self._mines.get().strip()
        if mines and not _NUMBER.fullmatch(mines):
            raise UsageError(f"expected a number of mines, got {mines!r}")
        return [*(["--mines", mines] if mines else []), *(["--whole"] if self._whole.get() else [])]

    def _now(self) -> dict[str, str | int | bool | None]:
        games = self._games.get().strip()
        if not _NUMBER.fullmatch(games):
            raise UsageError(f"expected a number of games, got {games!r}")
        for name in (self._start_key, self._stop_key):
            parse_combination(name.get().strip().lower())
        return {
            "games": int(games),
            "speed": self._speed.get(),
            "flags": self._flags.get(),
            "chord": _CHORDS[self._chord.get()],
            "hotkey": self._start_key.get().strip().lower(),
            "abort_key": self._stop_key.get().strip().lower(),
        }
