"""Which program has the keyboard, and whose window shows at a pixel: by Windows, macOS or the X server itself.

A program is a number: the client of the X server (`x11_programs`), the process elsewhere. Nothing of it is kept or sent
anywhere. The lines for Windows have been run under wine; those for macOS are written by the book.
"""

from __future__ import annotations

import ctypes
import queue
import sys
import threading
from contextlib import suppress
from ctypes import wintypes
from typing import TYPE_CHECKING, Any

from bot.desktop.session import check_session
from bot.desktop.windows import user32, whole_window, whole_window_at, window_at

if TYPE_CHECKING:
    from bot.desktop.protocols import Programs
    from bot.models import Pixel

_ASK_AGAIN_S = 0.003
"""How often Windows is asked who has the keyboard; asking takes some microseconds."""


class WindowsPrograms:
    """Asks Windows, and keeps asking who has the keyboard: a click of the bot's may take it back soon after."""

    def __init__(self) -> None:
        self._turned_to: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._is_closed = threading.Event()
        threading.Thread(target=self._keep_asking, daemon=True).start()

    def focused(self) -> int | None:
        """The process that has the keyboard, None where none has."""
        return _process_of(user32().GetForegroundWindow())

    def turned_to(self) -> list[int]:
        """The processes that got the keyboard since this was asked last, for some milliseconds at least."""
        found: list[int] = []
        with suppress(queue.Empty):
            while True:
                found.append(self._turned_to.get_nowait())
        return found

    def at(self, pixel: Pixel) -> int | None:
        """The process whose window shows at a pixel, None where there is none."""
        return _process_of(window_at(pixel))

    def focused_window(self) -> int | None:
        """The whole window that has the keyboard, None where none has."""
        return whole_window(user32().GetForegroundWindow())

    def window_at(self, pixel: Pixel) -> int | None:
        """The whole window that shows at a pixel, None where there is none."""
        return whole_window_at(pixel)

    def close(self) -> None:
        """Ask no more."""
        self._is_closed.set()

    def _keep_asking(self) -> None:
        before = self.focused()
        while not self._is_closed.wait(_ASK_AGAIN_S):
            now = self.focused()
            if now not in (None, before):
                self._turned_to.put(now)
                before = now


class _MacPrograms:
    """Asks macOS; pyautogui brings the library for that."""

    def __init__(self) -> None:
        from AppKit import NSWorkspace  # noqa: PLC0415 - there only

        self._workspace: Any = NSWorkspace.sharedWorkspace()

    def focused(self) -> int | None:
        """The process that has the keyboard, None where none has."""
        program = self._workspace.frontmostApplication()
        return None if program is None else int(program.processIdentifier())

    def turned_to(self) -> list[int]:
        """Not known here."""
        return []

    def at(self, pixel: Pixel) -> int | None:  # noqa: ARG002 - a question for all systems
        """The process in front: macOS gives a click to another one only to bring it to the front."""
        return self.focused()

    def focused_window(self) -> int | None:
        """Not known here."""
        return None

    def window_at(self, pixel: Pixel) -> int | None:  # noqa: ARG002 - as above
        """Not known here."""
        return None

    def close(self) -> None:
        """Nothing to give back."""


def programs() -> Programs:
    """Who can be asked here.

    Raises:
        ScreenError: there is no display.
    """
    check_session()
    if sys.platform == "win32":
        return WindowsPrograms()
    if sys.platform == "darwin":
        return _MacPrograms()
    from bot.desktop.x11_programs import X11Programs  # noqa: PLC0415 - Xlib is there where the display is X11, and only there

    return X11Programs()


def _process_of(window: int | None) -> int | None:
    if not window:
        return None
    number = wintypes.DWORD()
    user32().GetWindowThreadProcessId(window, ctypes.byref(number))
    return int(number.value) or None
