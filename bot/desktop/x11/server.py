"""Mouse and keyboard through the X server itself.

A press goes to where the pointer is, into whatever window shows there, together with whatever keys are held down. So
the server is grabbed for a click: it serves no other program until the button is up again. Meanwhile it is asked where
the window is that is meant, which window shows at that place of it, where the pointer was, and what a person holds
down. Only where the window is the same one still, and nothing is held, the pointer is taken there and presses. A
person who moved the pointer meanwhile is given it back after the click, and whoever looks where it is knows.

A window manager may freeze the pointer at a press, until it has seen to it: what comes after waits, and the server
tells for a while of a place where the pointer was before (`Trail`).

A key goes to whatever window has the keyboard when the server takes it, and a window manager may give that to another
between any two calls. So the server is grabbed for a key: it is asked who has the keyboard, and told of the key, while
it serves no other program.

Keys that a person presses for the bot are kept from all windows: this connection grabs them, and whoever hears raw
events still hears them. The grab freezes nothing, and ends with the connection, however the process ends.

What an X server says about itself, its programs and their windows.

A program is the client of the server that made a window. Whoever asks now and then who has the keyboard does not see
whom it was given to in between: a window manager gives it to the window that is clicked. So the server is asked to
tell.
"""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from Xlib import X, Xatom, error
from Xlib.display import Display
from Xlib.error import BadAccess, CatchError, ConnectionClosedError, XError
from Xlib.ext import xinput, xtest
from Xlib.protocol import request
from Xlib.protocol.event import ClientMessage

from bot.desktop.general.screen import Trail
from bot.desktop.keys import KEYS, MODIFIERS
from bot.desktop.protocols import dialogs_of
from bot.errors import ScreenError
from bot.models import Button, Click, Held, Pixel, Refusal, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from bot.desktop.protocols import HotKeys


_SCALE_VARIABLES = ("GDK_SCALE", "GDK_DPI_SCALE", "QT_SCALE_FACTOR")
_DISPLAY_ADVICE = "start it, or set DISPLAY to the one that runs, and XAUTHORITY to the file that lets you in"
_MOST_NESTED = 30
_FROM_A_LIST = 2  # a source of requests that window managers obey
_DPI_SETTING, _USUAL_DPI = "Xft.dpi=", 96
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
        self._heard: set[int] = set()
        self._root.change_attributes(event_mask=X.PropertyChangeMask)
        self._hear_windows()

    def focused(self) -> int | None:
        """The program that has the keyboard, None where none has."""
        window = _focus_of(self._display)
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
        return _whole_window(self._display, _focus_of(self._display))

    def window_at(self, pixel: Pixel) -> int | None:
        """The whole window that shows at a pixel, None where there is only the desktop."""
        return _whole_window(self._display, self._innermost_at(pixel))

    def has_window(self, window: int) -> bool:
        """Whether a whole window is still there, be it hidden or an icon."""
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
        """Let go of the X server."""
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


def _focus_of(display: Any) -> Any:
    """The window that has the keyboard, None where none has."""
    window = display.get_input_focus().focus
    return None if isinstance(window, int) else window


def _whole_window(display: Any, window: Any) -> int | None:
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
                f"start it with these extensions: {', '.join(_NEEDED.values())}"
            )
        return f"the X server has {' and '.join(_NEEDED)}"

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
        """What the resource Xft.dpi says, for all monitors; None without it."""
        for setting in self._resources():
            dpi = setting.removeprefix(_DPI_SETTING)
            if dpi != setting and dpi.replace(".", "", 1).isdecimal():
                return float(dpi) / _USUAL_DPI
        return None

    def scale_settings(self) -> list[str]:
        """What makes programs draw larger, as `name=value`: the resource Xft.dpi and some environment variables."""
        return self._resources() + [f"{name}={os.environ[name]}" for name in _SCALE_VARIABLES if os.environ.get(name)]

    def _resources(self) -> list[str]:
        """The resource Xft.dpi as `name=value`, where it is set."""
        display = Display()
        try:
            resources = display.screen().root.get_full_property(Xatom.RESOURCE_MANAGER, X.AnyPropertyType)
        finally:
            display.close()
        text = "" if resources is None else _as_text(resources.value)
        lines = [line.partition(":") for line in text.splitlines()]
        return [f"{name.strip()}={value.strip()}" for name, _, value in lines if name.strip() == "Xft.dpi"]


XINPUT = xinput.extname
XINPUT_VERSION = (2, 2)
"""The oldest version of that extension that sends raw events whoever has grabbed the keyboard."""
_NEEDED = {"XTEST": "XTEST carries clicks", XINPUT: f"{XINPUT} 2.2 carries hot keys"}


def missing_extensions() -> list[str]:
    """Which of the extensions that the mouse and the hot keys need the X server lacks.

    Raises:
        Xlib.error.DisplayError: there is no such server.
    """
    display = Display()
    try:
        has = {"XTEST": display.has_extension("XTEST"), XINPUT: use_xinput(display) >= XINPUT_VERSION}
        return [name for name in _NEEDED if not has[name]]
    finally:
        display.close()


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


def _connect_hands(what: str) -> Any:
    """A connection that presses keys or buttons, and knows of devices."""
    try:
        display: Any = Display()
    except Exception as why:  # Xlib raises whatever the display's fault is
        raise ScreenError(f"the {what} cannot be used here: {why}") from why
    if not display.has_extension("XTEST"):
        display.close()
        raise ScreenError(f"the {what} cannot be used here: the X server lacks its extension XTEST\nstart it with that")
    use_xinput(display)
    return display


def _as_text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def let_go(display: Any) -> None:
    """End a connection; one that the server has cut has ended already.

    python-xlib raises one error object again at every use of such a connection. Raised by two things that are closed
    one after the other it becomes its own context, and `ExitStack` follows that chain for ever.
    """
    with suppress(ConnectionClosedError):
        display.close()


@contextmanager
def _served_alone(display: Any) -> Iterator[None]:
    """While the block runs the server serves nobody but this connection, and Ctrl-Z waits."""
    with _never_suspended():
        display.grab_server()
        try:
            yield
        finally:
            display.ungrab_server()
            display.flush()


@contextmanager
def _never_suspended() -> Iterator[None]:
    """While the block runs Ctrl-Z waits: stopped while it has grabbed the server, it would stop every other program."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    waiting: list[int] = []
    before = signal.signal(signal.SIGTSTP, lambda number, _frame: waiting.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)
        if waiting:
            signal.raise_signal(signal.SIGTSTP)


_LOCKS = X.LockMask, X.Mod2Mask, X.Mod3Mask, X.Mod5Mask
"""What locks and what chooses among characters: with these a key is still that key."""
_MODIFIERS = 0xFF
"""The bits of a state that keys make; the others are buttons."""


OWN_PRESSES = "MINEBOT_PRESSES"
"""The kind of message by which a keyboard says that it begins to press keys, or is done."""


class X11Keyboard:
    """A real keyboard, through the server's extension XTEST.

    Args:
        codes_of: the codes of the keys that are held down together for a key such as "enter" or "ctrl+r".

    Raises:
        ScreenError: there is no such server, or nobody can press anything on it.
    """

    def __init__(self, codes_of: Callable[[str], list[int]]) -> None:
        self._codes_of = codes_of
        self._display = _connect_hands("keyboard")
        self._root = self._display.screen().root
        self._presses = self._display.intern_atom(OWN_PRESSES)
        self._kept: frozenset[tuple[int, int]] = frozenset()
        self._listener: Any = None
        """The window to send word of each press to; None where nobody listens."""

    def press(self, key: str, window: int) -> bool:
        """Press and release a key in a window; False, and no key, where another has the keyboard."""
        codes = self._codes_of(key)
        with _served_alone(self._display):
            if _whole_window(self._display, _focus_of(self._display)) != window:
                return False
            is_kept = any(code in codes for code, _ in self._kept)
            if is_kept:
                self._let_through()
            self._display.ungrab_keyboard(X.CurrentTime)  # it is ours alone while a person holds one that is kept
            self._tell_listener(is_pressing=True)
            self._tap(codes)
            self._tell_listener(is_pressing=False)
            if is_kept:
                self._keep()
        return True

    @contextmanager
    def keeping(self, keys: HotKeys) -> Iterator[bool]:
        """While the block runs no window gets these keys, but where `press` presses them; `press` tells who listens.

        A key that another program keeps already stays with that program, and false is yielded. Ctrl-Z releases the keys
        until play resumes.
        """
        self._kept = keys.own_keys
        self._listener = keys.window and self._display.create_resource_object("window", keys.window)
        with self._minding_suspension():
            with _served_alone(self._display):
                refusals = self._keep()
            self._display.sync()  # from here on they are kept
            try:
                yield all(refused.get_error() is None for refused in refusals)
            finally:
                with _served_alone(self._display):
                    self._let_through()
                self._display.sync()
                self._kept = frozenset()
                self._listener = None

    def tap_unseen(self, key: str) -> None:
        """Press and release one key that no window gets: only who listens to all keys hears it.

        It is this connection's own for that moment, with whatever else is held down.

        Raises:
            ScreenError: another program keeps that key for itself.
        """
        (code,) = self._codes_of(key)
        refused = CatchError(BadAccess)
        with _served_alone(self._display):
            held = self._root.query_pointer().mask & _MODIFIERS
            self._root.grab_key(code, held, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
            self._display.sync()
            if refused.get_error() is None:
                self._tap([code])
                self._root.ungrab_key(code, held)
        if refused.get_error() is not None:
            raise ScreenError(f"another program keeps the key {key} for itself\nend that program, and try again")

    def close(self) -> None:
        """Let go of the server."""
        let_go(self._display)

    @contextmanager
    def _minding_suspension(self) -> Iterator[None]:
        """While the block runs Ctrl-Z stops this process only when the keys are let through."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def suspend(number: int, _frame: FrameType | None) -> None:
            # Never in the middle of another request: Ctrl-Z waits while this connection is used.
            self._let_through()
            self._display.flush()
            signal.signal(number, before)
            signal.raise_signal(number)
            signal.signal(number, suspend)
            self._keep()
            self._display.flush()

        before = signal.signal(signal.SIGTSTP, suspend)
        try:
            yield
        finally:
            signal.signal(signal.SIGTSTP, before)

    def _keep(self) -> list[CatchError]:
        """Ask for the keys; what is returned has, after the next `sync`, caught that another program keeps one."""
        refusals = []
        for code, held in self._kept_ways():
            refusals.append(CatchError(BadAccess))
            self._root.grab_key(code, held, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refusals[-1])
        return refusals

    def _let_through(self) -> None:
        for code, held in self._kept_ways():
            self._root.ungrab_key(code, held)

    def _kept_ways(self) -> Iterator[tuple[int, int]]:
        """Each of the keys that are kept with its modifiers, and with whatever is locked."""
        for (code, modifiers), *locks in product(self._kept, *((0, lock) for lock in _LOCKS)):
            yield code, modifiers | sum(locks)

    def _tell_listener(self, *, is_pressing: bool) -> None:
        if self._listener is not None:
            data = (32, [int(is_pressing), 0, 0, 0, 0])
            self._listener.send_event(ClientMessage(window=self._listener, client_type=self._presses, data=data))

    def _tap(self, codes: list[int]) -> None:
        for event, in_order in ((X.KeyPress, codes), (X.KeyRelease, codes[::-1])):
            for code in in_order:
                xtest.fake_input(self._display, event, code)


_THAW_S = 0.05
"""Longest time that a pointer stays frozen, in seconds; 1 to 4 ms were measured with openbox."""
_BUTTONS = X.Button1Mask | X.Button2Mask | X.Button3Mask | X.Button4Mask | X.Button5Mask
_MODIFIERS_SHOWN = {"shift": "Shift", "ctrl": "Ctrl", "alt": "Alt", "cmd": "Super"}
"""The keys that make another click of a click, as messages name them; those that lock, and those that choose among
characters, do not."""
_NUMBERS = {Button.LEFT: (1,), Button.MIDDLE: (2,), Button.RIGHT: (3,), Button.BOTH: (1, 3)}


class X11Mouse:
    """A real pointer, through the server's extension XTEST.

    Raises:
        ScreenError: there is no such server, or nobody can press anything on it.
    """

    def __init__(self) -> None:
        self._display = _connect_hands("mouse")
        self._root = self._display.screen().root
        self._trail = Trail(self._pointer, _THAW_S)
        self._followed: tuple[Any, Pixel] | None = None
        """The whole window that clicks are meant for, with its frame, and where its corner was then; the root itself
        where none showed, None where nobody said."""
        self._modifiers = {
            bit: _MODIFIERS_SHOWN[name] for name, bits in modifier_bits(self._display).items() for bit in bits
        }

    def follow(self, pixel: Pixel) -> None:
        """From now on clicks go where they are meant in the window that shows at this pixel now, should it move."""
        child = self._root.translate_coords(self._root, pixel.x, pixel.y).child
        window = self._root if isinstance(child, int) else child
        try:
            self._followed = (window, self._corner_of(window))
        except error.XError:  # it closed meanwhile: nothing can be clicked in it
            self._followed = (window, pixel)

    def click(self, click: Click) -> Pixel | Refusal:
        """Move there, press and release: sent together, so that no button can stay down; returns where that was.

        Refused where another window has come up there, or the one that is meant is closed, or a person holds anything.
        """
        numbers = _NUMBERS[click.button]
        with _served_alone(self._display):
            asked = self._ask_pointer()
            at = self._place_now(click.pixel)
            asked.reply()
            if at is None:
                return Refusal.COVERED
            if self._held_by(asked.mask):
                return Refusal.HELD
            self._send_to(at)
            for event in (X.ButtonPress, X.ButtonRelease):
                for number in numbers:
                    xtest.fake_input(self._display, event, number)
        self._leave(Pixel(asked.root_x, asked.root_y), at)
        return at

    def move(self, pixel: Pixel) -> None:
        """Move there."""
        with _served_alone(self._display):
            asked = self._ask_pointer()
            self._send_to(pixel)
        asked.reply()
        self._leave(Pixel(asked.root_x, asked.root_y), pixel)

    def held(self) -> Held:
        """What is held down now; a button that is pressed on no device is that of a click which is held back."""
        found = self._held_by(self._root.query_pointer().mask)
        if found.has_button and not self._is_device_pressed():
            return replace(found, has_button=False, has_click=True)
        return found

    def position(self) -> Pixel:
        """Where the pointer is."""
        return self._trail.see()

    def close(self) -> None:
        """Let go of the server."""
        let_go(self._display)

    def _ask_pointer(self) -> Any:
        """Ask where the pointer is and what is held down; the answer can be had later, together with others."""
        return request.QueryPointer(defer=1, display=self._display.display, window=self._root)

    def _place_now(self, pixel: Pixel) -> Pixel | None:
        """Where the place in the followed window is now; None where that window does not show there any more."""
        if self._followed is None:
            return pixel
        window, corner = self._followed
        try:
            answer = self._root.translate_coords(window, pixel.x - corner.x, pixel.y - corner.y)
        except error.XError:  # it has closed
            return None
        shows = self._root if isinstance(answer.child, int) else answer.child
        return Pixel(answer.x, answer.y) if shows.id == window.id else None

    def _held_by(self, mask: int) -> Held:
        keys = tuple(dict.fromkeys(name for bit, name in self._modifiers.items() if mask & bit))
        return Held(keys, bool(mask & _BUTTONS))

    def _is_device_pressed(self) -> bool:
        """Whether a button is down on any mouse, or on the device of programs that press buttons.

        A window manager that freezes the pointer holds back what windows see of it, not what its devices do.
        """
        devices = self._display.xinput_query_device(xinput.AllDevices).devices
        return any(
            part.state[button]
            for device in devices
            if device.use == xinput.SlavePointer
            for part in device.classes
            if part.type == xinput.ButtonClass
            for button in range(len(part.state))
        )

    def _send_to(self, pixel: Pixel) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=pixel.x, y=pixel.y)

    def _leave(self, was: Pixel, at: Pixel) -> None:
        """Note where the pointer was left; a person who had moved it elsewhere before is given it back."""
        is_taken = self._trail.is_taken(was)
        self._trail.leave(at)
        if is_taken:
            self._send_to(was)
            self._display.sync()
            self._trail.last = was

    def _pointer(self) -> Pixel:
        answer = self._root.query_pointer()
        return Pixel(answer.root_x, answer.root_y)

    def _corner_of(self, window: Any) -> Pixel:
        answer = self._root.translate_coords(window, 0, 0)
        return Pixel(answer.x, answer.y)


def modifier_bits(display: Any) -> dict[str, tuple[int, ...]]:
    """Of each modifier, such as "shift", the bits that the server tells it by."""
    carriers = [set(codes) - {0} for codes in display.get_modifier_mapping()]
    return {
        name: tuple(
            1 << bit
            for bit, codes in enumerate(carriers)
            if any(code in codes for keysym in KEYS[name].keysyms for code, _ in display.keysym_to_keycodes(keysym))
        )
        for name in MODIFIERS
    }
