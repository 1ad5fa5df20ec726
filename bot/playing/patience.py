"""Waits for what keeps play from going on to pass."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bot.playing.situation import State
from bot.playing.transitions import PATIENCE_S, Obstruction

if TYPE_CHECKING:
    from bot.playing.reporter import Reporter


class Patience:
    """Knows what keeps play from going on, and since when.

    Args:
        reporter: told why play stops.
    """

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self.obstruction: Obstruction | None = None
        """What keeps play from going on; None where nothing does."""
        self.has_parked = False
        """Whether the pointer was taken off the board because cells under it cannot be read."""
        self.n_idle = 0
        """Queues of moves in a row that ended before their first click."""

    def has_lasted(self, seconds: float) -> bool:
        """Whether there is an obstruction, and has been for that long."""
        return self.obstruction is not None and self.obstruction.has_lasted(seconds)

    def wait_for(self, what: str, helps: str | None = None) -> State:
        """Wait for an obstruction to pass, no longer than `PATIENCE_S`.

        Args:
            what: the obstruction.
            helps: what a person may do about it; None: by what is seen.

        Raises:
            UnreadableError: it has not passed in that time.
        """
        if self.obstruction is None:
            self.obstruction = Obstruction(what, time.perf_counter())
        elif self.obstruction.has_lasted(PATIENCE_S):
            raise self._reporter.stop(what, self._reporter.what_helps if helps is None else helps)
        self.obstruction.what = what
        return State.WAITING

    def end(self) -> None:
        """Nothing keeps play from going on, or something was done about it."""
        self.obstruction = None
