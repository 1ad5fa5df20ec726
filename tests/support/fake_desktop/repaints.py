"""What has happened in a game and cannot be seen yet: repaints come late, in pieces, or not at all."""

from __future__ import annotations

from typing import NamedTuple


class _Paint(NamedTuple):
    """One cell that is still to be painted; a repaint begins with its first cell."""

    at_s: float
    begins_s: float
    cell: tuple[int, int]
    word: str
    made_s: float


class Repaints:
    """The repaints of one window that are on their way."""

    def __init__(self, clock):
        self._clock = clock
        self._due = []
        self._stands_still_since = None

    def add(self, at_s, words, *, flood_s=0.0):
        """Have cells painted from a time on, (cell, word) after (cell, word)."""
        step = flood_s / max(1, len(words) - 1)
        now = self._clock.now
        self._due += [_Paint(at_s + i * step, at_s, cell, word, now) for i, (cell, word) in enumerate(words)]

    def add_pressed(self, at_s, pressed_s, cell, word):
        """Have a cell look pressed for a while first."""
        now = self._clock.now
        self._due += [_Paint(at_s, at_s, cell, "0", now), _Paint(at_s + pressed_s, at_s, cell, word, now)]

    def drop(self):
        """Forget all of them."""
        self._due.clear()

    def stop(self):
        """Paint nothing from now on."""
        self._stands_still_since = self._clock.now

    def go_on(self):
        """Paint again, at once what has become due meanwhile."""
        self._stands_still_since = None

    def paint(self, window):
        """Paint what is due."""
        if self._stands_still_since is not None:
            return
        now = self._clock.now
        for paint in sorted(paint for paint in self._due if paint.at_s <= now):
            window.show(paint.cell, paint.word)
        self._due = [paint for paint in self._due if paint.at_s > now]

    def is_half_done(self, words):
        """Whether part of a repaint can be seen and part of it cannot yet; `words` are what is seen."""
        seen_s = self._clock.now if self._stands_still_since is None else self._stands_still_since
        return any(paint.begins_s <= seen_s < paint.at_s and words[paint.cell] != paint.word for paint in self._due)

    def stale_s(self, words):
        """For how long something has happened that cannot be seen: seconds, 0.0 where all can."""
        made = [paint.made_s for paint in self._due if words[paint.cell] != paint.word]
        return self._clock.now - min(made) if made else 0.0
