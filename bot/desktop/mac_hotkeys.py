"""Hot keys on macOS. Written by the book."""

from __future__ import annotations

import os
import time
from typing import Any

from pynput import keyboard

from bot.desktop.keys import KEYS
from bot.desktop.pynput_hotkeys import PynputHotKeys
from bot.errors import UsageError

_SENT_BY = 41
"""The field of an event that names the process which sent it: kCGEventSourceUnixProcessID."""


class MacHotKeys(PynputHotKeys):
    """Hears these keys; no window is kept from them."""

    def _make_listener(self) -> Any:
        """Pynput's listener.

        Raises:
            UsageError: macOS has no such key.
        """
        names = {key: name for name in reversed(self._pressed.names) for key in _keys_named(name)}

        def press(key: keyboard.Key | keyboard.KeyCode | None) -> None:
            number = _number_of(key)
            if number in names:
                self._pressed.press(names[number], number, time.monotonic())

        def release(key: keyboard.Key | keyboard.KeyCode | None) -> None:
            self._pressed.release(_number_of(key))

        return _Listener(press, release)


class _Listener(keyboard.Listener):
    """A pynput 1.8 listener that does not hear what this process sends."""

    def _handle_message(self, proxy: Any, kind: Any, event: Any, *more: Any) -> None:
        from Quartz import CGEventGetIntegerValueField  # noqa: PLC0415 - macOS alone has it

        if CGEventGetIntegerValueField(event, _SENT_BY) != os.getpid():
            of_pynput: Any = super()
            of_pynput._handle_message(proxy, kind, event, *more)  # noqa: SLF001 - it has no public name


def _keys_named(name: str) -> list[int]:
    """The numbers of the keys with this name."""
    if len(name) == 1:
        return [_number_of(keyboard.KeyCode.from_char(name))]
    code = KEYS[name].mac
    if code is not None:
        return [_number_of(keyboard.KeyCode.from_vk(code))]
    found = [keyboard.Key[one] for one in (name, f"{name}_l", f"{name}_r") if one in keyboard.Key.__members__]
    if not found:
        raise UsageError(f"macOS has no key {name!r}")
    return [_number_of(key) for key in found]


_ON_NUMBER_PAD = {key.mac for key in KEYS.values()} - {None}
_SIGNS = 0x1000
"""Where the numbers of signs begin: those of keys are below."""


def _number_of(key: keyboard.Key | keyboard.KeyCode | None) -> int:
    """One number a key: a sign counts as what it is without Shift; -1 for no key."""
    if isinstance(key, keyboard.Key):
        key = key.value
    if key is None:
        return -1
    if key.char is not None and key.vk not in _ON_NUMBER_PAD:
        return _SIGNS + ord(key.char.lower()[0])
    return -1 if key.vk is None else key.vk
