"""How long trouble may last: a board that is hidden, half painted, contradictory or gone."""

from __future__ import annotations

import time
from dataclasses import dataclass

PATIENCE_S = 6.0
"""How long before play stops."""
SEARCH_AGAIN_S = 0.5
"""Between two searches of the whole screen while waiting; the first look of all is followed by one."""


@dataclass(slots=True)
class Trouble:
    """What keeps the player from going on, since when, and when the screen was last searched for the board."""

    what: str
    began_at: float
    searched_at: float = -float("inf")

    def has_lasted(self, seconds: float) -> bool:
        """Whether it has been there for so long."""
        return time.perf_counter() > self.began_at + seconds

    @property
    def is_time_to_search(self) -> bool:
        """Whether the last search is long enough ago."""
        return time.perf_counter() > self.searched_at + SEARCH_AGAIN_S

    def note_search(self) -> None:
        """The screen is searched now."""
        self.searched_at = time.perf_counter()
