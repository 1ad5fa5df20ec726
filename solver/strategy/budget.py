"""How long the policy `max` may think about a guess."""

from __future__ import annotations

import time
from math import inf

PATIENT_S = 4.0
"""With less time than this the base policy plays on until late. `strong` takes three times as long, but what the base
policy makes of two good candidates is 0.3 points off before that, which no number of games mends."""


class Budget:
    """How many games a guess may take, and how much time from now on.

    Attributes:
        playouts: the games.
        seconds: the time; None for no limit.
    """

    def __init__(self, playouts: int, seconds: float | None = None) -> None:
        self.playouts, self.seconds = playouts, seconds
        self._begun_at_s = time.monotonic()

    @property
    def is_patient(self) -> bool:
        """Whether there is time for games of `strong`, and to solve an ending."""
        return self.seconds is None or self.seconds >= PATIENT_S

    def elapsed_s(self) -> float:
        """The time that is spent, in seconds."""
        return time.monotonic() - self._begun_at_s

    def has_time(self, for_s: float = 0.0) -> bool:
        """Whether there is time left for what takes so many seconds."""
        return self.seconds is None or self.elapsed_s() + for_s < self.seconds

    def share_s(self, share: float) -> float:
        """A share of the time, in seconds; infinite where there is no limit."""
        return inf if self.seconds is None else share * self.seconds

    def spent(self, n_played: int) -> float:
        """The share that is spent once so many games are played."""
        by_games = n_played / self.playouts
        return by_games if self.seconds is None else max(by_games, self.elapsed_s() / max(self.seconds, 1e-9))
