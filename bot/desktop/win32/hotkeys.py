"""Hot keys on Windows: a hook that acts on them and keeps them from every window, so that F10 opens no menu."""

from __future__ import annotations

import importlib
import time
from typing import Any

from pynput import keyboard

from bot.desktop.hotkeys import START_S, PynputHotKeys

_KEYDOWN = (0x0100, 0x0104)  # WM_KEYDOWN, WM_SYSKEYDOWN: F10 comes as the second


class WindowsHotKeys(PynputHotKeys):
    """As `PynputHotKeys`. Letters and signs are not kept from windows: they are typed."""

    def _listener_options(self) -> dict[str, Any]:
        return {"win32_event_filter": self._swallow_own_keys}

    def _is_heard(self) -> bool:
        """Whether the hook of a pynput 1.8 listener gets in place.

        The listener calls itself ready before it hooks in. A key pressed in between would reach the game, and not the
        bot.
        """
        hooks = importlib.import_module("pynput._util.win32").SystemHook._HOOKS  # noqa: SLF001 - it has no public name
        latest_s = time.monotonic() + START_S
        while time.monotonic() < latest_s and self._listener.is_alive():
            hook = hooks.get(self._listener.ident)
            if hook is not None and hook._hook:  # noqa: SLF001 - the same
                return True
            time.sleep(0.001)
        return False

    def _swallow_own_keys(self, message: int, data: Any) -> bool:
        """Act on the keys and keep them from every other program, unless the bot pressed them.

        False for a key that was acted on, as nobody else is to act on it.
        """
        key = next((key for key in self._keys if _is_key(key.code, data.vkCode)), None)
        if key is None:
            return True
        (key.press if message in _KEYDOWN else key.release)()
        if not key.is_own:
            self._listener.suppress_event()
        return False


def _is_key(key: keyboard.Key | keyboard.KeyCode, code: int) -> bool:
    """Whether a key that is neither letter nor sign has this code."""
    return isinstance(key, keyboard.Key) and key.value.vk == code
