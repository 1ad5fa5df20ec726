"""Hot keys, heard with pynput wherever the focus is: what Windows and macOS have alike."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from bot.desktop.hotkeys import PressedKeys
from bot.errors import ScreenError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner

START_S = 5.0
"""Longest time until the system passes keys on, in seconds; it takes some milliseconds."""
_STOP_S = 2.0
"""Longest time until the listener has ended, in seconds."""


class PynputHotKeys(ABC):
    """Does what each key is for when a person presses it, but not where the bot itself pressed it.

    Attributes:
        own_keys: none; `HotKeys` says what they are.
        window: none.

    Args:
        keys: the keys, and what each does.
        owner: told when no key can be heard any more.

    Raises:
        UsageError: there is no such key, or two are the same.
    """

    own_keys: frozenset[tuple[int, int]] = frozenset()
    window: int | None = None

    def __init__(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> None:
        self._pressed = PressedKeys(keys, owner)
        self._listener: Any = self._make_listener()
        self._is_stopping = False
        self._watcher = threading.Thread(target=self._watch_listener, name="watches the hot keys", daemon=True)

    def start(self) -> None:
        """Begin to listen; returns when key presses are being seen.

        Raises:
            ScreenError: the keyboard cannot be listened to.
        """
        self._pressed.begin()
        self._listener.start()
        self._listener.wait()
        if not self._listener.is_alive():
            raise ScreenError("the keyboard cannot be listened to here: the listener ended at once")
        if not self._is_heard():
            raise ScreenError(f"the keyboard cannot be listened to here: no key is heard within {START_S:.0f} s")
        self._watcher.start()

    def stop(self) -> None:
        """Stop listening; returns when the listener has ended."""
        self._is_stopping = True
        if self._listener.is_alive():
            self._listener.stop()
            self._listener.join(_STOP_S)
        if self._watcher.is_alive():
            self._watcher.join(_STOP_S)
        self._pressed.end()

    @abstractmethod
    def _make_listener(self) -> Any:
        """Pynput's listener, not started; it leaves the bot's own presses out."""

    def _is_heard(self) -> bool:
        """Wait until keys are passed on, for `START_S` at most; whether they are."""
        return True

    def _watch_listener(self) -> None:
        """Stop play when the listener has ended unasked."""
        threading.Thread.join(self._listener)  # its own `join` raises what ended it
        if not self._is_stopping:
            self._pressed.fail()
