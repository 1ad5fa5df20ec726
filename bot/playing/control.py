"""Start, pause and stop: what the hot keys set and the player asks.

The listener's thread only calls `toggle` and `abort`, which never block; the player's thread checks before every
click and sleeps only in `wait`, so that the abort key is obeyed at once wherever the player is.
"""

from __future__ import annotations

import threading

from bot.errors import Aborted

_SLICE_S = 0.5


class Control:
    """The state of the two hot keys.

    Args:
        running: whether play may begin without a key.
    """

    def __init__(self, *, running: bool = False) -> None:
        self._changed = threading.Condition()
        self._running = running
        self._aborted = False
        self._why = ""
        self.n_pauses = 0
        """How often play was paused: whoever paused may have changed everything."""

    @property
    def is_running(self) -> bool:
        """Whether clicks may be made now."""
        return self._running and not self._aborted

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
            self._why = self._why or why
            self._aborted = True
            self._changed.notify_all()

    def check(self) -> None:
        """Go on only if nobody stopped or paused; while paused, block.

        Raises:
            Aborted: the abort key was pressed.
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
        """
        with self._changed:
            self._changed.wait_for(lambda: self._aborted, timeout=seconds)
            self.raise_if_aborted()

    def raise_if_aborted(self) -> None:
        """Go on only if nobody stopped.

        Raises:
            Aborted: the abort key was pressed.
        """
        if self._aborted:
            raise Aborted(self._why)
