"""Mouse and keyboard on Windows, where a person's hand may move the pointer between any two calls.

SendInput takes a whole list of events and lets nothing come between them: the pointer goes to the cell and presses and
releases there. It is sent to the cell by SetCursorPos before: what SendInput moves arrives some time later, and whoever
asked meanwhile where the pointer is would take the old place for a person's. Where it was is asked first: a person who
moved it is given it back after the click, and whoever looks where it is knows.

A window may move between the bot's last look and the press, or another may come up over it, and a person may hold a
key: where it is now, whose window shows there and what is held is asked right before it. Windows takes no place in a
window for one to press at, so what is left is the time that asking takes, some microseconds.

What Windows says may be late (`Trail`). Under wine the X server tells the program whose window the pointer is over
of every move, and that one tells Windows: of two moves in a breath the first is heard of again after the second.

A key that is sent carries a mark, by which the hook of the hot keys tells the bot's own keys from a person's.
"""

from __future__ import annotations

import ctypes
from ctypes import wintypes
from typing import TYPE_CHECKING

from bot.desktop.protocols import Keyboard
from bot.desktop.trail import Trail
from bot.desktop.win32.system import is_on_a_monitor, place_of, pointer, user32, whole_window_at
from bot.errors import ScreenError
from bot.models import Button, Click, Held, Pixel, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable
_MOVE = 0x0001 | 0x4000 | 0x8000  # MOUSEEVENTF_MOVE | VIRTUALDESK | ABSOLUTE
_DOWN = {Button.LEFT: 0x0002, Button.RIGHT: 0x0008, Button.MIDDLE: 0x0020}
_UP = {button: 2 * flag for button, flag in _DOWN.items()}
_EXCHANGED = {Button.LEFT: Button.RIGHT, Button.RIGHT: Button.LEFT, Button.MIDDLE: Button.MIDDLE}
_WHOLE = 65536  # steps that SendInput counts across all monitors
_DESKTOP = (76, 77, 78, 79)  # SM_XVIRTUALSCREEN, SM_YVIRTUALSCREEN, SM_CXVIRTUALSCREEN, SM_CYVIRTUALSCREEN
_BUTTONS_EXCHANGED = 23  # SM_SWAPBUTTON
_KEYS = {"Shift": (0x10,), "Ctrl": (0x11,), "Alt": (0x12,), "Windows": (0x5B, 0x5C)}
"""The keys that make another click of a click."""
_BUTTONS = (0x01, 0x02, 0x04, 0x05, 0x06)  # VK_LBUTTON, VK_RBUTTON, VK_MBUTTON, VK_XBUTTON1, VK_XBUTTON2
_IS_DOWN = 0x8000
_DESKTOP_ITSELF = 0  # no window is this one
_LATE_S = 0.25
"""Longest delay of what Windows says of the pointer, in seconds; under wine 1 to 13 ms were measured when busy."""
_REFUSED = (
    "Windows does not let the mouse be used.\n"
    "A game that runs as administrator can be clicked only by a program that does, too; a locked screen by none."
)


class _MouseInput(ctypes.Structure):
    _fields_ = (
        ("dx", wintypes.LONG),
        ("dy", wintypes.LONG),
        ("data", wintypes.DWORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("extra", ctypes.c_void_p),
    )


class _KeyInput(ctypes.Structure):
    _fields_ = (
        ("virtual_key", wintypes.WORD),
        ("scan_code", wintypes.WORD),
        ("flags", wintypes.DWORD),
        ("time", wintypes.DWORD),
        ("extra", ctypes.c_void_p),
    )


class _Union(ctypes.Union):
    _fields_ = (("mouse", _MouseInput), ("key", _KeyInput))


class _Input(ctypes.Structure):
    """INPUT: kind 0 is the mouse, 1 a key."""

    _anonymous_ = ("its",)
    _fields_ = (("kind", wintypes.DWORD), ("its", _Union))


class WindowsMouse:
    """A real pointer."""

    def __init__(self) -> None:
        self._trail = Trail(_pointer, _LATE_S)
        self._followed: tuple[int, Pixel] | None = None
        """The whole window that clicks are meant for, and where its corner was then; None where nobody said."""

    def follow(self, pixel: Pixel) -> None:
        window = whole_window_at(pixel) or _DESKTOP_ITSELF
        self._followed = (window, _corner_of(window) or pixel)

    def click(self, click: Click) -> Pixel | Refusal:
        """Move there, press and release: sent together, so that no button can stay down; returns where that was.

        Refused where another window has come up there, or the one that is meant is closed, or a person holds anything.

        Raises:
            ScreenError: Windows does not take it.
        """
        buttons = [Button.LEFT, Button.RIGHT] if click.button is Button.BOTH else [click.button]
        if user32().GetSystemMetrics(_BUTTONS_EXCHANGED):  # by a left-handed person; what is sent is exchanged again
            buttons = [_EXCHANGED[button] for button in buttons]
        presses = [(0, 0, _DOWN[button]) for button in buttons]
        releases = [(0, 0, _UP[button]) for button in buttons]
        at = self._place_now(click.pixel)
        if at is None:
            return Refusal.COVERED
        if self.held():
            return Refusal.HELD
        self._act_at(at, [*presses, *releases])
        return at

    def held(self) -> Held:
        keys = tuple(name for name, codes in _KEYS.items() if any(map(_is_down, codes)))
        return Held(keys, any(map(_is_down, _BUTTONS)))

    def move(self, pixel: Pixel) -> None:
        self._act_at(pixel, [])

    def position(self) -> Pixel:
        return self._trail.see()

    def close(self) -> None:
        """Nothing to give back."""

    def _place_now(self, pixel: Pixel) -> Pixel | None:
        """Where the place in the followed window is now; None where that window does not show there any more."""
        if self._followed is None:
            return pixel
        window, corner = self._followed
        now = _corner_of(window)
        if now is None:  # it is closed, or an icon
            return None
        at = Pixel(pixel.x + now.x - corner.x, pixel.y + now.y - corner.y)
        shows = whole_window_at(at) or _DESKTOP_ITSELF
        return at if shows == window and is_on_a_monitor(at) else None

    def _act_at(self, pixel: Pixel, events: list[tuple[int, int, int]]) -> None:
        """Take the pointer there and press and release buttons; give it back to a person who had moved it before."""
        was = _pointer()
        _move_pointer(pixel)
        if events:
            inputs = [_MouseInput(dx, dy, 0, flags, 0, None) for dx, dy, flags in (_moved_to(pixel), *events)]
            _send_inputs([_Input(0, _Union(mouse=one)) for one in inputs], _REFUSED)
        is_taken = self._trail.is_taken(was)
        self._trail.leave(pixel)
        if is_taken:
            _move_pointer(was)
            self._trail.last = was


def _corner_of(window: int) -> Pixel | None:
    """Where a whole window is; None where it is closed, or an icon."""
    if window == _DESKTOP_ITSELF:
        return Pixel(0, 0)
    place = place_of(window)
    return None if place is None else place.corner


def _is_down(code: int) -> bool:
    return bool(user32().GetAsyncKeyState(code) & _IS_DOWN)


def _pointer() -> Pixel:
    at = pointer()
    if at is None:
        raise ScreenError("Windows does not say where the pointer is: is the screen locked?")
    return at


def _move_pointer(pixel: Pixel) -> None:
    if not user32().SetCursorPos(pixel.x, pixel.y):
        raise ScreenError(_REFUSED)


def _moved_to(pixel: Pixel) -> tuple[int, int, int]:
    """The event that moves the pointer: to the middle of the pixel, so that no rounding leads to its neighbour."""
    left, top, width, height = (user32().GetSystemMetrics(which) for which in _DESKTOP)
    across = ((2 * (pixel.x - left) + 1) * _WHOLE) // (2 * width)
    down = ((2 * (pixel.y - top) + 1) * _WHOLE) // (2 * height)
    return across, down, _MOVE


def _send_inputs(events: list[_Input], refused: str) -> None:
    inputs = (_Input * len(events))(*events)
    if user32().SendInput(len(events), ctypes.byref(inputs), ctypes.sizeof(_Input)) != len(events):
        raise ScreenError(refused)


OWN_MARK = 0x6D696E65
"""What every key that the bot presses carries, and no other: whoever hears it knows it for the bot's own."""
_KEY_UP = 0x0002  # KEYEVENTF_KEYUP
_REFUSED_KEYS = _REFUSED.replace("the mouse", "the keyboard").replace("clicked", "typed into")


class WindowsKeyboard(Keyboard):
    """A real keyboard; the hook of the hot keys keeps them from windows.

    Args:
        codes_of: the virtual keys that are held down together for a key such as "enter" or "ctrl+r".
    """

    def __init__(self, codes_of: Callable[[str], list[int]]) -> None:
        self._codes_of = codes_of

    def press(self, key: str, window: int) -> bool:
        """Press and release it in whatever window has the keyboard: whoever asks for it has looked right before.

        Raises:
            ScreenError: Windows does not take it.
        """
        self._tap_keys(key, OWN_MARK)
        return True

    def tap_unseen(self, key: str) -> None:
        """Press and release it; the hook of the hot keys keeps it from every window."""
        self._tap_keys(key, 0)

    def close(self) -> None:
        """Nothing to give back."""

    def _tap_keys(self, key: str, mark: int) -> None:
        codes = self._codes_of(key)
        events = [(code, 0) for code in codes] + [(code, _KEY_UP) for code in reversed(codes)]
        _send_inputs(
            [_Input(1, _Union(key=_KeyInput(code, 0, flags, 0, mark))) for code, flags in events], _REFUSED_KEYS
        )
