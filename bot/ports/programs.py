"""Which program has the keyboard, and whose window shows at a pixel: by X11, Windows or macOS itself.

A program is a number: the client of the X server, the process elsewhere. Nothing of it is kept or sent anywhere. The
lines for Windows and macOS are written by the book: they have not been run there.
"""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

from bot.ports.session import check_session

if TYPE_CHECKING:
    from bot.models import Pixel
    from bot.ports.protocols import Programs

_MOST_NESTED = 30


class X11Programs:
    """Asks the X server. Use it from the thread that made it only."""

    def __init__(self) -> None:
        from Xlib.display import Display  # noqa: PLC0415 - pynput brings it where the display is X11, and only there

        self._display: Any = Display()
        self._root = self._display.screen().root
        self._is_own = self._display.display.info.resource_id_mask

    def focused(self) -> int | None:
        """The program that has the keyboard, None where none has."""
        window = self._display.get_input_focus().focus
        return None if isinstance(window, int) else self._program_of(window.id)

    def at(self, pixel: Pixel) -> int | None:
        """The program whose window shows at a pixel, None where there is only the desktop."""
        from Xlib import error  # noqa: PLC0415 - as above

        window, child = self._root, None
        for _ in range(_MOST_NESTED):  # through the window manager's frame to the program's own window
            try:
                inner = window.translate_coords(self._root, pixel.x, pixel.y).child
            except error.XError:  # it closed meanwhile
                return None
            if isinstance(inner, int):
                break
            window = child = inner
        return None if child is None else self._program_of(child.id)

    def close(self) -> None:
        """Let go of the X server."""
        self._display.close()

    def _program_of(self, window_id: int) -> int:
        return int(window_id & ~self._is_own)  # what is left names the connection that made the window


class WindowsPrograms:
    """Asks Windows."""

    def focused(self) -> int | None:
        """The process that has the keyboard, None where none has."""
        return _process_of(_user32().GetForegroundWindow()) if sys.platform == "win32" else None

    def at(self, pixel: Pixel) -> int | None:
        """The process whose window shows at a pixel, None where there is none."""
        if sys.platform == "win32":
            from ctypes import wintypes  # noqa: PLC0415 - of use there only

            return _process_of(_user32().WindowFromPoint(wintypes.POINT(pixel.x, pixel.y)))
        return None

    def close(self) -> None:
        """Nothing to give back."""


class MacPrograms:
    """Asks macOS; pyautogui brings the library for that."""

    def __init__(self) -> None:
        from AppKit import NSWorkspace  # noqa: PLC0415 - there only

        self._workspace: Any = NSWorkspace.sharedWorkspace()

    def focused(self) -> int | None:
        """The process that has the keyboard, None where none has."""
        program = self._workspace.frontmostApplication()
        return None if program is None else int(program.processIdentifier())

    def at(self, pixel: Pixel) -> int | None:  # noqa: ARG002 - a question for all systems
        """The process in front: macOS gives a click to another one only to bring it to the front."""
        return self.focused()

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
    return MacPrograms() if sys.platform == "darwin" else X11Programs()


def _user32() -> Any:
    library: Any = getattr(ctypes, "windll", None)  # there on Windows only
    user32 = library.user32
    user32.GetForegroundWindow.restype = user32.WindowFromPoint.restype = ctypes.c_void_p
    return user32


def _process_of(window: int | None) -> int | None:
    if not window:
        return None
    number = ctypes.c_ulong()
    _user32().GetWindowThreadProcessId(ctypes.c_void_p(window), ctypes.byref(number))
    return int(number.value) or None
