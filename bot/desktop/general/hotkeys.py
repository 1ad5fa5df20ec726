"""Hot keys by pynput, whichever window has the keyboard. The class for Windows extends the one here."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any

from pynput import keyboard

from bot.desktop.hotkeys import PressedKeys
from bot.desktop.keys import KEYS
from bot.desktop.protocols import HotKeys
from bot.errors import ScreenError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner

START_S = 5.0  # the longest time until the system passes keys on; it takes some milliseconds
_STOP_S = 2.0  # the longest time until the listener has ended
_SENT_BY = 41  # kCGEventSourceUnixProcessID: the field of an event that names the process which sent it
_SIGNS = 0x1000  # where the numbers of signs begin: those of keys are below
_ON_NUMBER_PAD = {key.mac for key in KEYS.values()} - {None}


class PynputHotKeys(HotKeys):
    """Does what each key is for when a person presses it, but not where the bot itself pressed it.

    Each press says itself by whom it was made. No window is kept from the keys.

    Args:
        keys: the keys, and what each does.
        owner: told when no key can be heard any more.

    Raises:
        UsageError: there is no such key, or two are the same.
    """

    def __init__(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> None:
        self._pressed = PressedKeys(keys, owner)
        self._listener: Any = self._make_listener()
        self._is_stopping = False
        self._watcher = threading.Thread(target=self._watch_listener, name="watches the hot keys", daemon=True)

    def start(self) -> None:
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

    def _make_listener(self) -> Any:
        """Pynput's listener, not started; it leaves the bot's own presses out."""
        names = {key: name for name in reversed(self._pressed.names) for key in _keys_named(name)}

        def press(key: keyboard.Key | keyboard.KeyCode | None) -> None:
            number = _number_of(key)
            if number in names:
                self._pressed.press(names[number], number, time.monotonic())

        def release(key: keyboard.Key | keyboard.KeyCode | None) -> None:
            self._pressed.release(_number_of(key))

        return _Listener(press, release)

    def _is_heard(self) -> bool:
        """Wait until keys are passed on, for `START_S` at most; whether they are.

        Raises:
            ScreenError: macOS does not pass them on to this program.
        """
        if not getattr(self._listener, "IS_TRUSTED", True):  # pynput's word for what macOS answered
            raise ScreenError(
                "macOS lets this program hear and press no key\n"
                "System Settings > Privacy & Security: allow the terminal under Screen Recording, Accessibility and "
                "Input Monitoring, then start it anew"
            )
        return True

    def _watch_listener(self) -> None:
        """Stop play when the listener has ended unasked."""
        threading.Thread.join(self._listener)  # its own `join` raises what ended it
        if not self._is_stopping:
            self._pressed.fail()


class _Listener(keyboard.Listener):
    """A pynput 1.8 listener that does not hear what this process sends; other programs' keys are a person's."""

    def _handle_message(self, proxy: Any, kind: Any, event: Any, *more: Any) -> None:
        from Quartz import CGEventGetIntegerValueField

        if CGEventGetIntegerValueField(event, _SENT_BY) != os.getpid():
            of_pynput: Any = super()
            of_pynput._handle_message(proxy, kind, event, *more)  # noqa: SLF001 - it has no public name


def _keys_named(name: str) -> list[int]:
    """The numbers of the keys with this name.

    Raises:
        UsageError: macOS has no such key.
    """
    if len(name) == 1:
        return [_number_of(keyboard.KeyCode.from_char(name))]
    code = KEYS[name].mac
    if code is not None:
        return [_number_of(keyboard.KeyCode.from_vk(code))]
    found = [keyboard.Key[one] for one in (name, f"{name}_l", f"{name}_r") if one in keyboard.Key.__members__]
    if not found:
        raise UsageError(f"macOS has no key {name!r}")
    return [_number_of(key) for key in found]


def _number_of(key: keyboard.Key | keyboard.KeyCode | None) -> int:
    """One number a key: a sign counts as what it is without Shift; -1 for no key."""
    if isinstance(key, keyboard.Key):
        key = key.value
    if key is None:
        return -1
    if key.char is not None and key.vk not in _ON_NUMBER_PAD:
        return _SIGNS + ord(key.char.lower()[0])
    return -1 if key.vk is None else key.vk
