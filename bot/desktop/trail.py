"""Where a mouse was left: it tells a person's move from a late answer about one of the bot's own.

What a system says of the pointer may be late: for a moment it names a place where the pointer was before. A place where
the bot itself was lately is no person's, unless the pointer stays there.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models import Pixel

_LATELY_S = 2.0  # the age of a place that is reported late
_PAUSE_S = 0.001


class Trail:
    """The places where the pointer was left, and when.

    Args:
        ask: asks the system where the pointer is.
        late_s: how long its answers may be late.
    """

    def __init__(self, ask: Callable[[], Pixel], late_s: float) -> None:
        self._ask = ask
        self._late_s = late_s
        self._left_at_s: dict[Pixel, float] = {}
        """When the bot took the pointer away from each place."""
        self.last: Pixel | None = None
        """Where it was left, or seen, last."""

    def leave(self, at: Pixel) -> None:
        """Note that the bot took the pointer there."""
        if self.last is not None:
            self._left_at_s[self.last] = time.perf_counter()
        self.last = at

    def see(self) -> Pixel:
        """Where the pointer is: asked until the answer is no late one, or has stayed for too long to be one."""
        deadline = time.perf_counter() + self._late_s
        while self._may_be_late(at := self._ask()) and time.perf_counter() < deadline:
            time.sleep(_PAUSE_S)
        self.last = at
        return at

    def is_taken(self, at: Pixel) -> bool:
        """Whether a person took the pointer there, where one is known to have been told of."""
        return self.last not in (None, at) and not self._may_be_late(at)

    def _may_be_late(self, at: Pixel) -> bool:
        return at != self.last and time.perf_counter() - self._left_at_s.get(at, -math.inf) < _LATELY_S
