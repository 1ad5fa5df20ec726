"""What an X server says about itself, its programs and their windows.

A program is the client of the server that made a window. Whoever asks now and then who has the keyboard does not see
whom it was given to in between: a window manager gives it to the window that is clicked. So the server is asked to
tell.
"""

from __future__ import annotations

import os
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.error import CatchError, ConnectionClosedError, XError
from Xlib.ext import xinput
from Xlib.protocol.event import ClientMessage

from bot.desktop.protocols import Machine, dialogs_of
from bot.errors import ScreenError
from bot.models import Pixel, Region

if TYPE_CHECKING:
    from collections.abc import Callable

_SCALE_VARIABLES = ("GDK_SCALE", "GDK_DPI_SCALE", "QT_SCALE_FACTOR")
_DISPLAY_ADVICE = "start it, or set DISPLAY to the one that runs, and XAUTHORITY to the file that lets you in"
_MOST_NESTED = 30
_FROM_A_LIST = 2  # a source of requests that window managers obey
_DPI_SETTING, _USUAL_DPI = "Xft.dpi", 96
# Neither a key that is grabbed nor a pointer that rests over a window without the focus is a change.
_MODES = (X.NotifyNormal, X.NotifyWhileGrabbed)
_DETAILS = (X.NotifyAncestor, X.NotifyVirtual, X.NotifyInferior, X.NotifyNonlinear, X.NotifyNonlinearVirtual)


class X11Programs:
    """Asks the X server. Use it from the thread that made it only."""

    def __init__(self) -> None:
        self._display: Any = Display()
        self._root = self._display.screen().root
        self._list_of_windows = self._display.intern_atom("_NET_CLIENT_LIST")
        self._active_window = self._display.intern_atom("_NET_ACTIVE_WINDOW")
        self._managers_window = self._display.intern_atom("_NET_SUPPORTING_WM_CHECK")
        self._manager = self._find_manager()
        """The window manager: it has the keyboard itself while no window has, as when a dialog has just been closed."""
        self._heard: set[int] = set()
        self._root.change_attributes(event_mask=X.PropertyChangeMask)
        self._hear_windows()

    def focused(self) -> int | None:
        window = focus_of(self._display)
        program = None if window is None else _program_of(self._display, window)
        return None if program == self._manager else program

    def turned_to(self) -> list[int]:
        """The programs that got the keyboard since this was asked last, in that order.

        The server reports windows that a window manager lists, a new one from the first question after it came.
        """
        found = []
        while self._display.pending_events():
            event = self._display.next_event()
            if event.type == X.PropertyNotify and event.atom == self._list_of_windows:
                self._hear_windows()
            elif event.type == X.PropertyNotify and event.atom == self._managers_window:
                self._manager = self._find_manager()
            elif event.type == X.FocusIn and event.mode in _MODES and event.detail in _DETAILS:
                found.append(_program_of(self._display, event.window))
        return found

    def at(self, pixel: Pixel) -> int | None:
        window = self._innermost_at(pixel)
        return None if window is None else _program_of(self._display, window)

    def focused_window(self) -> int | None:
        return whole_window(self._display, focus_of(self._display))

    def window_at(self, pixel: Pixel) -> int | None:
        return whole_window(self._display, self._innermost_at(pixel))

    def place_of(self, window: int) -> Region | None:
        """With the window manager's frame, which is the child of the root that the window is in."""
        frame = self._display.create_resource_object("window", window)
        try:
            while (parent := frame.query_tree().parent) != self._root:
                frame = parent
            at = frame.get_geometry()
        except (XError, AttributeError):  # it closed meanwhile, or is the root, which has no parent
            return None
        return Region(at.x, at.y, at.width + 2 * at.border_width, at.height + 2 * at.border_width)

    def has_window(self, window: int) -> bool:
        try:
            self._display.create_resource_object("window", window).get_geometry()
        except XError:
            return False
        return True

    def dialogs(self, window: int) -> list[int]:
        """The windows of the same program that show, and say that they are for this one, or for one that does not."""
        program = _program_of(self._display, self._display.create_resource_object("window", window))
        owners: dict[int, int | None] = {}
        for number in self._listed():
            one = self._display.create_resource_object("window", number)
            if _program_of(self._display, one) != program:
                continue
            with suppress(XError):  # it closed meanwhile
                if one.get_attributes().map_state == X.IsViewable:
                    told = one.get_full_property(Xatom.WM_TRANSIENT_FOR, X.AnyPropertyType)
                    owners[number] = None if told is None else told.value[0]
        return dialogs_of(window, owners)

    def activate(self, window: int) -> None:
        """Ask the window manager, as a list of windows does that a person chooses from."""
        asked = self._display.create_resource_object("window", window)
        told = ClientMessage(
            window=asked, client_type=self._active_window, data=(32, [_FROM_A_LIST, X.CurrentTime, 0, 0, 0])
        )
        self._root.send_event(told, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        self._display.flush()

    def close(self) -> None:
        let_go(self._display)

    def _hear_windows(self) -> None:
        """Ask to be told when one of the listed windows gets the keyboard."""
        numbers = set(self._listed())
        for number in numbers - self._heard:
            window = self._display.create_resource_object("window", number)
            window.change_attributes(onerror=CatchError(), event_mask=X.FocusChangeMask)
        self._heard = numbers

    def _listed(self) -> list[int]:
        """The windows that a window manager lists, none without one."""
        listed = self._root.get_full_property(self._list_of_windows, X.AnyPropertyType)
        return [] if listed is None else list(listed.value)

    def _find_manager(self) -> int | None:
        """The program that manages windows, None where it does not say so."""
        told = self._root.get_full_property(self._managers_window, X.AnyPropertyType)
        if told is None:
            return None
        return _program_of(self._display, self._display.create_resource_object("window", told.value[0]))

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


class X11Machine(Machine):
    """A machine with an X server.

    Args:
        check: raises ScreenError where there is no display, or none that can be used.
    """

    shows_colours = False  # an empty screen is one colour, and well

    def __init__(self, check: Callable[[], None]) -> None:
        self._check = check

    def describe(self) -> str:
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
        missing = missing_extensions()
        if missing:
            raise ScreenError(
                f"the X server lacks {' and '.join(missing)}\n"
                f"start it with these extensions: {', '.join(_NEEDED.values())}"
            )
        return f"the X server has {' and '.join(_NEEDED)}"

    def check_mouse(self) -> None:
        if "XTEST" in missing_extensions():
            raise ScreenError("not tried: the X server lacks XTEST\nsee to the permissions first")

    def monitors(self) -> list[Region]:
        with closing(Display()) as display:
            return monitors_of(display)

    def scale_of(self, monitor: Region) -> float | None:
        """What the resource Xft.dpi says, for all monitors; None without it."""
        return next((float(dpi) / _USUAL_DPI for dpi in _dpi_resource() if dpi.replace(".", "", 1).isdecimal()), None)

    def scale_settings(self) -> list[str]:
        """What makes programs draw larger, as `name=value`: the resource Xft.dpi and some environment variables."""
        variables = [f"{name}={os.environ[name]}" for name in _SCALE_VARIABLES if os.environ.get(name)]
        return [*(f"{_DPI_SETTING}={dpi}" for dpi in _dpi_resource()), *variables]


def monitors_of(display: Any) -> list[Region]:
    """Those that the extension XINERAMA names, which speaks for RANDR too where the server has that; none without it.

    The capture library asks RANDR alone: where several monitors make one screen by Xinerama it sees one, or none.
    """
    screens = display.xinerama_query_screens().screens if display.has_extension("XINERAMA") else []
    return [Region(one.x, one.y, one.width, one.height) for one in screens]


def _dpi_resource() -> list[str]:
    """The value of the resource Xft.dpi, where it is set."""
    with closing(Display()) as display:
        resources = display.screen().root.get_full_property(Xatom.RESOURCE_MANAGER, X.AnyPropertyType)
    told = b"" if resources is None else resources.value
    text = told.decode("latin-1") if isinstance(told, bytes) else str(told)
    lines = [line.partition(":") for line in text.splitlines()]
    return [value.strip() for name, _, value in lines if name.strip() == _DPI_SETTING]


XINPUT = xinput.extname
XINPUT_VERSION = (2, 2)  # the oldest that sends raw events whoever has grabbed the keyboard
_NEEDED = {"XTEST": "XTEST carries clicks", XINPUT: f"{XINPUT} 2.2 carries hot keys"}


def missing_extensions() -> list[str]:
    """Which of the extensions that the mouse and the hot keys need the X server lacks.

    Raises:
        Xlib.error.DisplayError: there is no such server.
    """
    with closing(Display()) as display:
        has = {"XTEST": display.has_extension("XTEST"), XINPUT: use_xinput(display) >= XINPUT_VERSION}
    return [name for name in _NEEDED if not has[name]]


def use_xinput(display: Any) -> tuple[int, int]:
    """Tell the server that this connection knows XInputExtension; returns the version that both know.

    Without the extension that is (0, 0). python-xlib itself asks for 2.0, with which another's grab would keep raw
    events away.
    """
    if not display.has_extension(XINPUT):
        return 0, 0
    major, minor = XINPUT_VERSION
    opcode = display.display.get_extension_major(XINPUT)
    answer = xinput.XIQueryVersion(display=display.display, opcode=opcode, major_version=major, minor_version=minor)
    return answer.major_version, answer.minor_version


def let_go(display: Any) -> None:
    """End a connection; one that the server has cut has ended already.

    python-xlib raises one error object again at every use of such a connection. Raised by two things that are closed
    one after the other it becomes its own context, and `ExitStack` follows that chain for ever.
    """
    with suppress(ConnectionClosedError):
        display.close()
