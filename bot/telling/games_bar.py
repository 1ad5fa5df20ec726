"""A progress bar of games: on a terminal only, and only when they take over a second."""

from __future__ import annotations

import time
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_PATIENCE_S = 1.0


class GamesBar:
    """Shows how many games are played.

    Args:
        n_games: of how many.
        what: is being done.
    """

    def __init__(self, n_games: int, what: str) -> None:
        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
        self._task = self._progress.add_task(what, total=n_games)
        self._what = what
        self._is_shown = False
        self._begun_at_s = time.monotonic()

    def show(self, n_played: int, remark: str) -> None:
        """Say how far it is."""
        if self._progress.disable:
            return
        if not self._is_shown:
            if time.monotonic() - self._begun_at_s < _PATIENCE_S:
                return
            self._progress.start()
            self._is_shown = True
        self._progress.update(self._task, completed=n_played, description=f"{self._what}, {remark}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        if self._is_shown:
            self._progress.stop()
