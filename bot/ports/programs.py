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
_ROOT_WINDOW = 2


class X11Programs:
    """Asks the X server. Use it from the thread that made it only."""

    def __init__(self) -> None:
        from Xlib import X  # noqa: PLC0415 - as below
        from Xlib.display import Display  # noqa: PLC0415 - pynput brings it where the display is X11, and only there
        from Xlib.error import CatchError, XError  # noqa: PLC0415 - as above

        self._error, self._ignored, self._x = XError, CatchError, X
        self._display: Any = Display()
        self._root = self._display.screen().root
        self._is_own = self._display.display.info.resource_id_mask
        self._list_of_windows = self._display.intern_atom("_NET_CLIENT_LIST")
        self._heard: set[int] = set()
        self._root.change_attributes(event_mask=X.PropertyChangeMask)
        self._hear_windows()
        # A key that is grabbed, or a pointer that rests over a window without the focus, tells of no change.
        self._modes = (X.NotifyNormal, X.NotifyWhileGrabbed)
        self._details = (
            X.NotifyAncestor,
            X.NotifyVirtual,
            X.NotifyInferior,
            X.NotifyNonlinear,
            X.NotifyNonlinearVirtual,
        )

    def focused(self) -> int | None:
        """The program that has the keyboard, None where none has."""
        window = self._focus()
        return None if window is None else self._program_of(window)

    def turned_to(self) -> list[int]:
        """The programs that got the keyboard since this was asked last, in that order.

        The server tells of windows that a window manager lists, and of a new one from the first question after it came.
        """
        found = []
        while self._display.pending_events():
            event = self._display.next_event()
            if event.type == self._x.PropertyNotify and event.atom == self._list_of_windows:
                self._hear_windows()
            elif event.type == self._x.FocusIn and event.mode in self._modes and event.detail in self._details:
                found.append(self._program_of(event.window))
        return found

    def at(self, pixel: Pixel) -> int | None:
        """The program whose window shows at a pixel, None where there is only the desktop."""
        window = self._innermost_at(pixel)
        return None if window is None else self._program_of(window)

    def focused_window(self) -> int | None:
        """The whole window that has the keyboard, None where none has."""
        return self._whole(self._focus())

    def window_at(self, pixel: Pixel) -> int | None:
        """The whole window that shows at a pixel, None where there is only the desktop."""
        return self._whole(self._innermost_at(pixel))

    def close(self) -> None:
        """Let go of the X server."""
        self._display.close()

    def _hear_windows(self) -> None:
        """Ask to be told when one of the listed windows gets the keyboard."""
        listed = self._root.get_full_property(self._list_of_windows, self._x.AnyPropertyType)
        numbers = set() if listed is None else set(listed.value)
        for number in numbers - self._heard:
            window = self._display.create_resource_object("window", number)
            window.change_attributes(onerror=self._ignored(), event_mask=self._x.FocusChangeMask)
        self._heard = numbers

    def _focus(self) -> Any:
        window = self._display.get_input_focus().focus
        return None if isinstance(window, int) else window

    def _innermost_at(self, pixel: Pixel) -> Any:
        """Through the window manager's frame and the program's own windows to the last of them."""
        window, found = self._root, None
        for _ in range(_MOST_NESTED):
            try:
                inner = window.translate_coords(self._root, pixel.x, pixel.y).child
            except self._error:  # it closed meanwhile
                return None
            if isinstance(inner, int):
                break
            window = found = inner
        return found

    def _whole(self, window: Any) -> int | None:
        """The outermost window that the same program made around this one."""
        for _ in range(_MOST_NESTED if window is not None else 0):
            try:
                parent = window.query_tree().parent
            except self._error:
                return None
            if isinstance(parent, int) or self._program_of(parent) != self._program_of(window):
                break
            window = parent
        return None if window is None else int(window.id)

    def _program_of(self, window: Any) -> int:
        return int(window.id & ~self._is_own)  # what is left names the connection that made the window


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
    return MacPrograms() if sys.platform == "darwin" else X11Programs()


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
