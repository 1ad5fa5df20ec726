"""Which program has the keyboard, and whose window shows at a pixel: by Windows, macOS or the X server itself.

A program is a number: the client of the X server (`x11_programs`), the process elsewhere. Nothing of it is kept or sent
anywhere. The lines for Windows and macOS are written by the book: they have not been run there.
"""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any

from bot.ports.session import check_session

if TYPE_CHECKING:
    from bot.models import Pixel
    from bot.ports.protocols import Programs

_ROOT_WINDOW = 2


class WindowsPrograms:
    """Asks Windows."""

    def focused(self) -> int | None:
        """The process that has the keyboard, None where none has."""
        return _process_of(_user32().GetForegroundWindow()) if sys.platform == "win32" else None

    def turned_to(self) -> list[int]:
        """Not known here."""
        return []

    def at(self, pixel: Pixel) -> int | None:
        """The process whose window shows at a pixel, None where there is none."""
        if sys.platform == "win32":
            from ctypes import wintypes  # noqa: PLC0415 - of use there only

            return _process_of(_user32().WindowFromPoint(wintypes.POINT(pixel.x, pixel.y)))
        return None

    def focused_window(self) -> int | None:
        """The whole window that has the keyboard, None where none has."""
        return _whole(_user32().GetForegroundWindow()) if sys.platform == "win32" else None

    def window_at(self, pixel: Pixel) -> int | None:
        """The whole window that shows at a pixel, None where there is none."""
        if sys.platform == "win32":
            from ctypes import wintypes  # noqa: PLC0415 - of use there only

            return _whole(_user32().WindowFromPoint(wintypes.POINT(pixel.x, pixel.y)))
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
        return MacPrograms()
    from bot.ports.x11_programs import X11Programs  # noqa: PLC0415 - Xlib is there where the display is X11, and only there

    return X11Programs()


def _user32() -> Any:
    library: Any = getattr(ctypes, "windll", None)  # there on Windows only
    user32 = library.user32
    user32.GetForegroundWindow.restype = user32.WindowFromPoint.restype = ctypes.c_void_p
    return user32


def _whole(window: int | None) -> int | None:
    if not window:
        return None
    _user32().GetAncestor.restype = ctypes.c_void_p
    return int(_user32().GetAncestor(ctypes.c_void_p(window), _ROOT_WINDOW) or 0) or None


def _process_of(window: int | None) -> int | None:
    if not window:
        return None
    number = ctypes.c_ulong()
    _user32().GetWindowThreadProcessId(ctypes.c_void_p(window), ctypes.byref(number))
    return int(number.value) or None
