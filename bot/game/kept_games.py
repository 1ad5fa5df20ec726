"""The last games of the built-in game, kept for `minebot review`: one file a game, in RAWVF.

Only flat boards have such a form; others are not kept, nor is a game that was never over.

Files are written beside themselves and then exchanged. Their names begin with the time, so the oldest come first.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import platformdirs

from bot.errors import UsageError
from bot.images import save_bytes
from bot.reviewing.rawvf import SUFFIX, format_rawvf
from solver.board import GameState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from solver.board import Move
    from solver.layout import Layout

MOST_KEPT = 100


class TimedMove(NamedTuple):
    """A move, and when it was made: in seconds since the first cell was opened, 0 before that."""

    seconds: float
    move: Move


def usual_folder() -> Path:
    """Where games are kept: in the platform's folder for data of minebot."""
    return platformdirs.user_data_path("minebot", appauthor=False) / "games"


class KeptGames:
    """The games of one folder; None keeps nothing."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    @property
    def last(self) -> Path | None:
        """The file of the last game; None where none is kept."""
        files = self.files
        return files[-1] if files else None

    @property
    def files(self) -> list[Path]:
        """The files of all games, the oldest first."""
        return [] if self._folder is None else sorted(self._folder.glob(f"*{SUFFIX}"))

    def keep(
        self, layout: Layout, moves: Sequence[TimedMove], state: GameState, seconds: float, *, has_marks: bool
    ) -> None:
        """Keep a game that is over, and forget the oldest beyond a hundred.

        Args:
            layout: where the mines were.
            moves: all that were tried, in order.
            state: won or lost.
            seconds: how long it took.
            has_marks: whether a second right click makes a question mark of a flag.

        Raises:
            UsageError: the folder cannot be written to.
        """
        if self._folder is None or len(layout.shape) != 2 or layout.wrap:
            return
        clicks = [(at_s, move.action, move.cell) for at_s, move in moves]
        text = format_rawvf(layout, clicks, seconds, is_won=state is GameState.WON, has_marks=has_marks)
        name = datetime.now().strftime("%Y-%m-%d-%H%M%S-%f")  # noqa: DTZ005 - the player's own time
        path = self._folder / f"{name}{SUFFIX}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            save_bytes(path, text.encode())
            for old in self.files[:-MOST_KEPT]:
                old.unlink(missing_ok=True)
        except OSError as error:
            raise UsageError(f"the game cannot be kept in {self._folder} ({error.strerror})") from error
