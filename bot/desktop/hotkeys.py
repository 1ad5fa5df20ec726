"""Hot keys, heard with pynput wherever the focus is. Platforms that need more derive a class from this one."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from bot.errors import ScreenError, UsageError

try:
    from pynput import keyboard
except Exception as error:
    # On a broken display Xlib raises whatever the display's fault is.
    raise ScreenError(f"the keyboard cannot be listened to here: {error}") from error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner

START_S = 5.0
"""Longest time until the system passes keys on, in seconds; it takes some milliseconds."""
_REPEAT_S = 0.05
"""A press this soon after a release is the keyboard repeating a held key: X11 sends the pair, a person cannot."""
_STOP_S = 2.0
"""Longest time until the listener has ended, in seconds."""
_TURN_S = 0.0005
"""Time until the listener's thread has its turn while the player's computes, in seconds; Python's 5 ms add up."""


class PynputHotKeys:
    """Does what each key is for when a person presses it, but not where the bot itself pressed it.

    What it does only sets flags: Windows drops a hook that takes its time.

    Attributes:
        own_codes: as `HotKeys` has it.

    Args:
        keys: the keys, and what each does.
        owner: knows which presses are the bot's own, and is told when no key can be heard any more.

    Raises:
        UsageError: there is no such key, or two are the same.
    """

    def __init__(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> None:
        self._owner = owner
        self._keys = [_HeldKey(key, owner) for key in keys]
        for n, key in enumerate(self._keys):
            if any(key.code == other.code for other in self._keys[:n]):
                raise UsageError(f"expected different hot keys, got {key.name!r} twice: name another by an option")
        self._listener: Any = keyboard.Listener(self._on_press, self._on_release, **self._listener_options())
        self._is_stopping = False
        self._watcher = threading.Thread(target=self._watch_listener, name="watches the hot keys", daemon=True)
        self._usual_turn_s = sys.getswitchinterval()
        self.own_codes: frozenset[int] = frozenset()

    def start(self) -> None:
        """Begin to listen; returns when key presses are being seen.

        Raises:
            ScreenError: the keyboard cannot be listened to.
            UsageError: this keyboard has no such key.
        """
        self._prepare()
        sys.setswitchinterval(_TURN_S)
        self._listener.start()
        self._listener.wait()
        if not self._listener.is_alive():
            raise ScreenError("the keyboard cannot be listened to here: the listener ended at once")
        if not self._is_heard():
            raise ScreenError(f"the keyboard cannot be listened to here: no key is heard within {START_S:.0f} s")
        self._watcher.start()

    def stop(self) -> None:
        """Stop listening; returns when the listener has let go of the display."""
        self._is_stopping = True
        if self._listener.is_alive():
            self._end_listener()
            self._listener.join(_STOP_S)
        if self._watcher.is_alive():
            self._watcher.join(_STOP_S)
        sys.setswitchinterval(self._usual_turn_s)

    def _listener_options(self) -> dict[str, Any]:
        """What else pynput's listener is made with."""
        return {}

    def _prepare(self) -> None:
        """What comes before the listener's start."""

    def _is_heard(self) -> bool:
        """Wait until keys are passed on, for `START_S` at most; whether they are."""
        return True

    def _end_listener(self) -> None:
        """Have the listener end."""
        self._listener.stop()

    def _watch_listener(self) -> None:
        """Stop play when the listener has ended unasked: from then on nobody could."""
        threading.Thread.join(self._listener)  # its own `join` waits for ever for one whose connection was cut
        if not self._is_stopping:
            names = " and ".join(key.name.capitalize() for key in self._keys)
            self._owner.fail(
                f"the keyboard cannot be listened to any more: {names} would not be heard, so play has stopped; start "
                "it again"
            )

    def _on_press(self, pressed: keyboard.Key | keyboard.KeyCode | None) -> None:
        for key in self._keys:
            if key.code == pressed:
                key.press()

    def _on_release(self, released: keyboard.Key | keyboard.KeyCode | None) -> None:
        for key in self._keys:
            if key.code == released:
                key.release()


class _HeldKey:
    """A hot key, and whether it is held.

    Attributes:
        name: as a person gave it.
        code: as pynput has it.
        is_own: whether the bot pressed it last.
    """

    def __init__(self, key: HotKey, owner: HotKeyOwner) -> None:
        self.name = key.name
        self.code = _parse_key(key.name)
        self.is_own = False
        self._key = key
        self._owner = owner
        self._is_down = False
        self._released_at = -_REPEAT_S

    def press(self) -> None:
        """It went down, or is held and repeats itself."""
        self.is_own = self._owner.is_own(self.name)
        if self.is_own:
            return
        is_repeat = self._is_down or time.monotonic() - self._released_at < _REPEAT_S
        self._is_down = True
        if self._key.acts_on_repeat or not is_repeat:
            self._key.act()

    def release(self) -> None:
        """It went up."""
        self._is_down = False
        self._released_at = time.monotonic()


def _parse_key(name: str) -> keyboard.Key | keyboard.KeyCode:
    if len(name) == 1:
        return keyboard.KeyCode.from_char(name.lower())
    try:
        return keyboard.Key[name.lower()]
    except KeyError:
        raise UsageError(f"expected the name of a key such as f10, esc or a, got {name!r}") from None
