"""Which program has the keyboard, and whose window shows at a pixel, by the X server.

A program is the client of the server that made a window. Whoever asks now and then who has the keyboard does not see
whom it was given to in between: a window manager gives it to the window that is clicked. So the server is asked to
tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from Xlib import X
from Xlib.display import Display
from Xlib.error import CatchError, XError

if TYPE_CHECKING:
    from bot.models import Pixel

_MOST_NESTED = 30
# A key that is grabbed, or a pointer that rests over a window without the focus, tells of no change.
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

        The server tells of windows that a window manager lists, and of a new one from the first question after it came.
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
