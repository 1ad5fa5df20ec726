"""How fast one clone can be clicked, learned from what it does with clicks. Pure: told times, never asks a clock.

A click takes effect after some milliseconds, or it is lost. From the times of those that had an effect follows when one
without must be lost; from the share of the lost, how often to try before the game is taken for dead. Clones that
repaint slowly are clicked ahead: a next cell before the last one's effect is seen, one cell more after every few clicks
without a loss, and less again with one (as the width of a line is found: Jacobson, Congestion avoidance and control,
1988).
"""

from __future__ import annotations

from collections import deque

FIRST_RETRY_S = 0.03
"""No click is taken for lost sooner, however quick the clone has been."""
SLOWEST_RETRY_S = 0.5
"""At most so long between two tries."""
DEAD_S = 12.0
"""A game without any reaction for so long is taken for dead."""
SURE = 1e-6
"""How unlikely it must be, by the share of losses seen, that all tries were lost by chance."""
SLOW_S = 0.015
"""A clone whose effects take longer is clicked ahead: looking is quicker than its repaint."""
MOST_AHEAD = 8
CLICKS_PER_STEP = 6
"""Clicks without a loss before one more is made ahead."""
_REMEMBERED = 60
_ENOUGH = 20
"""So many effects tell how slow the slowest is."""
_SPREAD = 4.0


class Pace:
    """What is known of one clone's speed.

    Args:
        retry_s: when a click counts as lost on a clone of which nothing is known yet: the skin's.
        most_ahead: how many clicks may be under way at once, however slow the clone.
    """

    def __init__(self, retry_s: float, most_ahead: int = MOST_AHEAD) -> None:
        self._retry_s = retry_s
        self._effects_s: deque[float] = deque(maxlen=_REMEMBERED)
        self._were_lost: deque[bool] = deque(maxlen=_REMEMBERED)
        self._n_since_loss = 0
        self._most_ahead = most_ahead
        self.n_ahead = 1
        """How many clicks may be under way at once."""

    @property
    def effect_s(self) -> float | None:
        """Median time from a click to the first sight of its effect, None where nothing is known yet."""
        return sorted(self._effects_s)[len(self._effects_s) // 2] if self._effects_s else None

    @property
    def p_lost(self) -> float:
        """How likely the next click is lost, by those before: 0.05 to 0.9."""
        return min(max((sum(self._were_lost) + 0.5) / (len(self._were_lost) + 5), 0.05), 0.9)

    def had_effect(self, after_s: float, n_tries: int) -> None:
        """A cell changed, so long after its last click, and after so many."""
        self._were_lost.extend([True] * (n_tries - 1) + [False])
        if n_tries > 1:  # whichever click it was
            return
        self._effects_s.append(after_s)
        self._n_since_loss += 1
        if self._n_since_loss % CLICKS_PER_STEP == 0 and (self.effect_s or 0.0) > SLOW_S:
            self.n_ahead = min(self.n_ahead + 1, self._most_ahead)

    def was_lost(self) -> None:
        """A click had no effect in its time."""
        self._n_since_loss = 0
        if self.n_ahead > 1:
            self._most_ahead = self.n_ahead - 1
            self.n_ahead = max(1, self.n_ahead // 2)

    def patience_s(self, n_tries: int) -> float:
        """How long after the n-th click a cell's click counts as lost: ever longer, so that no repaint is starved."""
        first = self._retry_s
        if len(self._effects_s) >= _ENOUGH:
            first = min(first, max(FIRST_RETRY_S, _SPREAD * max(self._effects_s)))
        return float(min(first * 2.0 ** min(n_tries - 1, 30), max(SLOWEST_RETRY_S, first)))

    def gives_up(self, n_tries: int, waited_s: float) -> bool:
        """Whether a cell without change after so many clicks and seconds is on a board that takes no clicks."""
        return waited_s >= DEAD_S and self.p_lost**n_tries < SURE
