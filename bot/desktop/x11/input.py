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
"""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from Xlib import X
from Xlib.error import BadAccess, CatchError, XError
from Xlib.ext import xinput, xtest
from Xlib.protocol import request
from Xlib.protocol.event import ClientMessage

from bot.desktop.keys import KEYS, MODIFIERS
from bot.desktop.trail import Trail
from bot.desktop.x11.system import focus_of, let_go, monitors_of, use_xinput, whole_window
from bot.desktop.xlib import open_display
from bot.errors import ScreenError
from bot.models import Button, Click, Held, Pixel, Refusal, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from bot.desktop.protocols import HotKeys


def _connect_hands(what: str) -> Any:
    """A connection that presses keys or buttons, and knows of devices."""
    display = open_display(what)
    if not display.has_extension("XTEST"):
        display.close()
        raise ScreenError(f"the {what} cannot be used here: the X server lacks its extension XTEST\nstart it with that")
    use_xinput(display)
    return display


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
_MODIFIERS = 0xFF  # the bits of a state that keys make; the others are buttons
OWN_PRESSES = "MINEBOT_PRESSES"  # the message by which a keyboard says that it begins to press keys, or is done


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
        codes = self._codes_of(key)
        with _served_alone(self._display):
            if whole_window(self._display, focus_of(self._display)) != window:
                return False
            is_kept = any(code in codes for code, _ in self._kept)
            if is_kept:
                self._release_keys()
            self._display.ungrab_keyboard(X.CurrentTime)  # it is ours alone while a person holds one that is kept
            self._tell_listener(is_pressing=True)
            self._tap_keys(codes)
            self._tell_listener(is_pressing=False)
            if is_kept:
                self._grab_keys()
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
                refusals = self._grab_keys()
            self._display.sync()  # from here on they are kept
            try:
                yield all(refused.get_error() is None for refused in refusals)
            finally:
                with _served_alone(self._display):
                    self._release_keys()
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
                self._tap_keys([code])
                self._root.ungrab_key(code, held)
        if refused.get_error() is not None:
            raise ScreenError(f"another program keeps the key {key} for itself\nend that program, and try again")

    def close(self) -> None:
        let_go(self._display)

    @contextmanager
    def _minding_suspension(self) -> Iterator[None]:
        """While the block runs Ctrl-Z stops this process only when the keys are let through."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def suspend(number: int, _frame: FrameType | None) -> None:
            # Never in the middle of another request: Ctrl-Z waits while this connection is used.
            self._release_keys()
            self._display.flush()
            signal.signal(number, before)
            signal.raise_signal(number)
            signal.signal(number, suspend)
            self._grab_keys()
            self._display.flush()

        before = signal.signal(signal.SIGTSTP, suspend)
        try:
            yield
        finally:
            signal.signal(signal.SIGTSTP, before)

    def _grab_keys(self) -> list[CatchError]:
        """Ask for the keys; what is returned has, after the next `sync`, caught that another program keeps one."""
        refusals = []
        for code, held in self._kept_ways():
            refusals.append(CatchError(BadAccess))
            self._root.grab_key(code, held, False, X.GrabModeAsync, X.GrabModeAsync, onerror=refusals[-1])
        return refusals

    def _release_keys(self) -> None:
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

    def _tap_keys(self, codes: list[int]) -> None:
        for event, in_order in ((X.KeyPress, codes), (X.KeyRelease, codes[::-1])):
            for code in in_order:
                xtest.fake_input(self._display, event, code)


_THAW_S = 0.05  # the longest time that a pointer stays frozen; 1 to 4 ms were measured with openbox
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
        self._monitors: list[Region] = []
        """Where the pointer can go: beyond, the server would press at the nearest edge."""
        self._modifiers = {
            bit: _MODIFIERS_SHOWN[name] for name, bits in modifier_bits(self._display).items() for bit in bits
        }

    def follow(self, pixel: Pixel) -> None:
        self._monitors = monitors_of(self._display) or [self._whole_screen()]
        child = self._root.translate_coords(self._root, pixel.x, pixel.y).child
        window = self._root if isinstance(child, int) else child
        try:
            self._followed = (window, self._corner_of(window))
        except XError:  # it closed meanwhile: nothing can be clicked in it
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
            self._send_pointer(at)
            for event in (X.ButtonPress, X.ButtonRelease):
                for number in numbers:
                    xtest.fake_input(self._display, event, number)
        self._leave_pointer(Pixel(asked.root_x, asked.root_y), at)
        return at

    def move(self, pixel: Pixel) -> None:
        with _served_alone(self._display):
            asked = self._ask_pointer()
            self._send_pointer(pixel)
        asked.reply()
        self._leave_pointer(Pixel(asked.root_x, asked.root_y), pixel)

    def held(self) -> Held:
        """What is held down now; a button that is pressed on no device is that of a click which is held back."""
        found = self._held_by(self._root.query_pointer().mask)
        if found.has_button and not self._is_device_pressed():
            return replace(found, has_button=False, has_click=True)
        return found

    def position(self) -> Pixel:
        return self._trail.see()

    def close(self) -> None:
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
        except XError:  # it has closed
            return None
        shows = self._root if isinstance(answer.child, int) else answer.child
        at = Pixel(answer.x, answer.y)
        return at if shows.id == window.id and any(one.has_pixel(at) for one in self._monitors) else None

    def _whole_screen(self) -> Region:
        screen = self._root.get_geometry()
        return Region(0, 0, screen.width, screen.height)

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

    def _send_pointer(self, pixel: Pixel) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=pixel.x, y=pixel.y)

    def _leave_pointer(self, was: Pixel, at: Pixel) -> None:
        """Note where the pointer was left; a person who had moved it elsewhere before is given it back."""
        is_taken = self._trail.is_taken(was)
        self._trail.leave(at)
        if is_taken:
            self._send_pointer(was)
            self._display.sync()
            self._trail.last = was

    def _pointer(self) -> Pixel:
        answer = self._root.query_pointer()
        return Pixel(answer.root_x, answer.root_y)

    def _corner_of(self, window: Any) -> Pixel:
        answer = self._root.translate_coords(window, 0, 0)
        return Pixel(answer.x, answer.y)


def modifier_bits(display: Any) -> dict[str, tuple[int, ...]]:
    """The bits that the server tells each modifier by, such as "shift"."""
    carriers = [set(codes) - {0} for codes in display.get_modifier_mapping()]
    return {
        name: tuple(
            1 << bit
            for bit, codes in enumerate(carriers)
            if any(code in codes for keysym in KEYS[name].keysyms for code, _ in display.keysym_to_keycodes(keysym))
        )
        for name in MODIFIERS
    }
