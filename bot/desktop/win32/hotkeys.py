"""Hot keys on Windows: a hook that acts on them and keeps them from every window, so that F10 opens no menu."""

from __future__ import annotations

import importlib
import time
from typing import Any

from pynput import keyboard

from bot.desktop.general.hotkeys import START_S, PynputHotKeys
from bot.desktop.keys import KEYS, windows_number
from bot.desktop.win32.input import OWN_MARK
from bot.desktop.win32.system import user32
from bot.errors import UsageError

_KEYDOWN = (0x0100, 0x0104)  # WM_KEYDOWN, WM_SYSKEYDOWN: F10 comes as the second
_IS_EXTENDED = 0x01  # LLKHF_EXTENDED
_NO_KEY = -1  # what Windows answers for a sign that no key types


class WindowsHotKeys(PynputHotKeys):
    """Hears these keys. Letters and signs are not kept from windows: they are typed."""

    def _make_listener(self) -> Any:
        """A listener whose hook does it all.

        Raises:
            UsageError: this keyboard has no such key.
        """
        names = {number: name for name in reversed(self._pressed.names) for number in _numbers_of(name)}
        return keyboard.Listener(win32_event_filter=lambda message, data: self._hear(names, message, data))

    def _is_heard(self) -> bool:
        """Whether the hook of a pynput 1.8 listener gets in place.

        The listener calls itself ready before it hooks in. A key pressed in between would reach the game, and not the
        bot.
        """
        hooks = importlib.import_module("pynput._util.win32").SystemHook._HOOKS  # noqa: SLF001 - it has no public name
        latest_s = time.monotonic() + START_S
        while time.monotonic() < latest_s and self._listener.is_alive():
            hook = hooks.get(self._listener.ident)
            if hook is not None and hook._hook:  # noqa: SLF001 - it has no public name
                return True
            time.sleep(0.001)
        return False

    def _hear(self, names: dict[int, str], message: int, data: Any) -> bool:
        """Act on a key, and keep it from every other program where it is for the bot only.

        False: pynput has nothing to do with it.
        """
        number = windows_number(data.vkCode, is_extended=bool(data.flags & _IS_EXTENDED))
        if number in names and data.dwExtraInfo != OWN_MARK:
            if message in _KEYDOWN:
                is_kept = self._pressed.press(names[number], number, data.time / 1000)
            else:
                is_kept = self._pressed.release(number)
            if is_kept:
                self._listener.suppress_event()
        return False


def _numbers_of(name: str) -> tuple[int, ...]:
    """The keys with this name, each as `windows_number` has it."""
    if name in KEYS:
        return KEYS[name].windows
    if name.isascii() and name.isalnum():
        return (ord(name.upper()),)
    answer = int(user32().VkKeyScanW(ord(name)))
    if answer == _NO_KEY or answer >> 8:  # with Shift, Ctrl or Alt only
        raise UsageError(f"this keyboard has no key {name!r} that can be pressed alone")
    return (answer,)
