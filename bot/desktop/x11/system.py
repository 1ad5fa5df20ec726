"""What an X server says about itself, its programs and their windows.

A program is the client of the server that made a window. Whoever asks now and then who has the keyboard does not see
whom it was given to in between: a window manager gives it to the window that is clicked. So the server is asked to
tell.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import CatchError, XError

from bot.errors import ScreenError
from bot.models import Region

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models import Pixel

_SCALE_VARIABLES = ("GDK_SCALE", "GDK_DPI_SCALE", "QT_SCALE_FACTOR")
_DISPLAY_ADVICE = "start it, or set DISPLAY to the one that runs, and XAUTHORITY to the file that lets you in"
_MOST_NESTED = 30
# Neither a key that is grabbed nor a pointer that rests over a window without the focus is a change.
_MODES = (X.NotifyNormal, X.NotifyWhileGrabbed)
_DETAILS = (X.NotifyAncestor, X.NotifyVirtual, X.NotifyInferior, X.NotifyNonlinear, X.NotifyNonlinearVirtual)


class X11Programs:
    """Asks the X server. Use it from the thread that made it only."""

    def __init__(self) -> None:
        self._display: Any = Display()
        self._root = self._display.screen().root
        self._list_of_windows = self._display.intern_atom("_NET_CLIENT_LIST")
        self._heard: set[int] = set()
        self._root.change_attributes(event_mask=X.PropertyChangeMask)
        self._hear_windows()

    def focused(self) -> int | None:
        """The program that has the keyboard, None where none has."""
        window = focus_of(self._display)
        return None if window is None else _program_of(self._display, window)

    def turned_to(self) -> list[int]:
        """The programs that got the keyboard since this was asked last, in that order.

        The server reports windows that a window manager lists, a new one from the first question after it came.
        """
        found = []
        while self._display.pending_events():
            event = self._display.next_event()
            if event.type == X.PropertyNotify and event.atom == self._list_of_windows:
                self._hear_windows()
            elif event.type == X.FocusIn and event.mode in _MODES and event.detail in _DETAILS:
                found.append(_program_of(self._display, event.window))
        return found

    def at(self, pixel: Pixel) -> int | None:
        """The program whose window shows at a pixel, None where there is only the desktop."""
        window = self._innermost_at(pixel)
        return None if window is None else _program_of(self._display, window)

    def focused_window(self) -> int | None:
        """The whole window that has the keyboard, None where none has."""
        return whole_window(self._display, focus_of(self._display))

    def window_at(self, pixel: Pixel) -> int | None:
        """The whole window that shows at a pixel, None where there is only the desktop."""
        return whole_window(self._display, self._innermost_at(pixel))

    def close(self) -> None:
        """Let go of the X server."""
        self._display.close()

    def _hear_windows(self) -> None:
        """Ask to be told when one of the listed windows gets the keyboard."""
        listed = self._root.get_full_property(self._list_of_windows, X.AnyPropertyType)
        numbers = set() if listed is None else set(listed.value)
        for number in numbers - self._heard:
            window = self._display.create_resource_object("window", number)
            window.change_attributes(onerror=CatchError(), event_mask=X.FocusChangeMask)
        self._heard = numbers

    def _innermost_at(self, pixel: Pixel) -> Any:
        """Through the window manager's frame and the program's own windows to the last of them."""
        window, found = self._root, None
        for _ in range(_MOST_NESTED):
            try:
                inner = window.translate_coords(self._root, pixel.x, pixel.y).child
            except XError:  # it closed meanwhile
                return None
            if isinstance(inner, int):
                break
            window = found = inner
        return found


def focus_of(display: Any) -> Any:
    """The window that has the keyboard, None where none has."""
    window = display.get_input_focus().focus
    return None if isinstance(window, int) else window


def whole_window(display: Any, window: Any) -> int | None:
    """The outermost window that the same program made around this one; None where it is gone, or is None."""
    for _ in range(_MOST_NESTED if window is not None else 0):
        try:
            parent = window.query_tree().parent
        except XError:
            return None
        if isinstance(parent, int) or _program_of(display, parent) != _program_of(display, window):
            break
        window = parent
    return None if window is None else int(window.id)


def _program_of(display: Any, window: Any) -> int:
    # What the mask leaves names the connection that made the window.
    return int(window.id & ~display.display.info.resource_id_mask)


class X11Machine:
    """A machine with an X server.

    Args:
        check: raises ScreenError where there is no display, or none that can be used.
    """

    shows_colours = False
    """An empty screen is one colour, and well."""

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check

    def describe(self) -> str:
        """What it is.

        Raises:
            ScreenError: there is no display, or none that can be reached.
        """
        self._check()
        display = os.environ["DISPLAY"]
        try:
            missing_extensions()
        except Exception as error:  # Xlib raises whatever the display's fault is
            raise ScreenError(
                f"X11, but the display {display} cannot be reached: {error}\n{_DISPLAY_ADVICE}"
            ) from error
        return f"X11, display {display}"

    def describe_permissions(self) -> str:
        """What lets programs click and listen here.

        Raises:
            ScreenError: something that does is missing.
        """
        missing = missing_extensions()
        if missing:
            raise ScreenError(
                f"the X server lacks {' and '.join(missing)}\n"
                "start it with these extensions: XTEST carries clicks, RECORD carries hot keys"
            )
        return "the X server has XTEST and RECORD"

    def check_mouse(self) -> None:
        """Make sure that the mouse can be tried.

        Raises:
            ScreenError: it cannot.
        """
        if "XTEST" in missing_extensions():
            raise ScreenError("not tried: the X server lacks XTEST\nsee to the permissions first")

    def monitors(self) -> list[Region]:
        """Those that the extension XINERAMA names, which speaks for RANDR too where the server has that.

        The capture library asks RANDR alone: where several monitors make one screen by Xinerama it sees one, or none.
        """
        display = Display()
        try:
            if not display.has_extension("XINERAMA"):
                return []
            screens = display.xinerama_query_screens().screens
        finally:
            display.close()
        return [Region(one.x, one.y, one.width, one.height) for one in screens]

    def scale_of(self, monitor: Region) -> float | None:  # noqa: ARG002 - a question for all systems
        """None: the server knows of none."""
        return None

    def scale_settings(self) -> list[str]:
        """What makes programs draw larger, as `name=value`: the resource Xft.dpi and some environment variables."""
        display = Display()
        try:
            resources = display.screen().root.get_full_property(Xatom.RESOURCE_MANAGER, X.AnyPropertyType)
        finally:
            display.close()
        text = "" if resources is None else _as_text(resources.value)
        lines = [line.partition(":") for line in text.splitlines()]
        found = [f"{name.strip()}={value.strip()}" for name, _, value in lines if name.strip() == "Xft.dpi"]
        return found + [f"{name}={os.environ[name]}" for name in _SCALE_VARIABLES if os.environ.get(name)]


def missing_extensions() -> list[str]:
    """Which of the extensions that the mouse (XTEST) and the hot keys (RECORD) need the X server lacks.

    Raises:
        Xlib.error.DisplayError: there is no such server.
    """
    display = Display()
    try:
        return [name for name in ("XTEST", "RECORD") if not display.has_extension(name)]
    finally:
        display.close()


def _as_text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
