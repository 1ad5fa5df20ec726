"""Start, pause and stop: what the hot keys set and the player asks.

The listener's thread only calls `toggle` and `abort`, which never block; the player's thread checks before every
click and sleeps only in `wait`, so that the abort key is obeyed at once wherever the player is.
"""

from __future__ import annotations

import threading
import time

from bot.desktop import HotKey
from bot.errors import Aborted, BotError, ScreenError

OWN_KEY_S = 0.5
"""Longest time until a key that the bot pressed is heard, in seconds; it takes some milliseconds."""
_SLICE_S = 0.5
_SAME_KEYS = {"escape": "esc", "return": "enter"}


class Control:
    """The state of the two hot keys.

    Args:
        running: whether play may begin without a key.
    """

    def __init__(self, *, running: bool = False) -> None:
        self._changed = threading.Condition()
        self._running = running
        self._aborted = False
        self._why: BotError | None = None
        self._own_keys: list[tuple[str, float]] = []
        self.n_pauses = 0
        """How often play was paused: whoever paused may have changed everything."""

    @property
    def is_running(self) -> bool:
        """Whether clicks may be made now."""
        return self._running and not self._aborted

    def hot_keys(self, start_key: str = "f10", abort_key: str = "esc") -> list[HotKey]:
        """The keys that steer it: one starts, pauses and resumes, the other stops for good."""
        return [HotKey(start_key, self.toggle), HotKey(abort_key, self.abort, acts_on_repeat=True)]

    def toggle(self) -> None:
        """Start, pause or go on: what the start key does."""
        with self._changed:
            self.n_pauses += self._running
            self._running = not self._running
            self._changed.notify_all()

    def pause(self) -> None:
        """Pause until the start key is pressed."""
        with self._changed:
            self.n_pauses += self._running
            self._running = False

    def abort(self, why: str = "stopped by the abort key") -> None:
        """Stop for good: what the abort key does."""
        with self._changed:
            self._end(Aborted(why))

    def fail(self, why: str) -> None:
        """Stop for good: the hot keys cannot be heard any more, so nobody could stop play."""
        with self._changed:
            self._end(ScreenError(why))

    def _end(self, error: BotError) -> None:
        self._why = self._why or error
        self._aborted = True
        self._changed.notify_all()

    def presses(self, key: str) -> None:
        """Know that the bot itself presses a key now, such as "escape" or "ctrl+r": hearing it is no order."""
        until = time.monotonic() + OWN_KEY_S
        with self._changed:
            self._own_keys += [(name, until) for name in _names_of(key)]

    def has_not_pressed(self, key: str) -> None:
        """Know that it did not, after all: hearing that key is an order again."""
        for name in _names_of(key):
            self.is_own(name)

    def is_own(self, key: str) -> bool:
        """Whether a press of a hot key is the bot's own; ask once for each press that is heard."""
        name, now = _SAME_KEYS.get(key.lower(), key.lower()), time.monotonic()
        with self._changed:
            self._own_keys = [own for own in self._own_keys if own[1] > now]
            found = next((own for own in self._own_keys if own[0] == name), None)
            if found is not None:
                self._own_keys.remove(found)
        return found is not None

    def check(self) -> None:
        """Go on only if nobody stopped or paused; while paused, block.

        Raises:
            Aborted: the abort key was pressed.
            ScreenError: it cannot be heard any more.
        """
        with self._changed:
            # In slices: on Windows an endless wait would not hear Ctrl-C.
            while not self._changed.wait_for(lambda: self._running or self._aborted, timeout=_SLICE_S):
                pass
            self.raise_if_aborted()

    def wait(self, seconds: float) -> None:
        """Sleep, but wake at once for the abort key.

        Raises:
            Aborted: the abort key was pressed.
            ScreenError: it cannot be heard any more.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._aborted, timeout=seconds)
            self.raise_if_aborted()

    def raise_if_aborted(self) -> None:
        """Go on only if nobody stopped.

        Raises:
            Aborted: the abort key was pressed.
            ScreenError: it cannot be heard any more.
        """
        if self._why is not None:
            raise self._why


def _names_of(key: str) -> list[str]:
    """The keys that are pressed together for a key such as "ctrl+r", each by its one name."""
    return [_SAME_KEYS.get(name, name) for name in key.split("+")]
