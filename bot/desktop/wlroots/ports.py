"""Screen, mouse and keyboard of a compositor built on wlroots.

A picture is one that the compositor draws after it was asked for: whatever was clicked before shows on it. Nobody tells
where the pointer is, nor what a person holds down: a hand on the mouse is not noticed here.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.desktop.keys import keysyms_of, parse_combination
from bot.desktop.protocols import Keyboard, MachineScreen, Mouse
from bot.desktop.wlroots.hotkeys import SwayHotKeys
from bot.desktop.wlroots.wayland import CAPTURES, KEYBOARDS, POINTERS, Connection
from bot.errors import ScreenError
from bot.models import Button, Frame, Pixel, Refusal, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.desktop.protocols import HotKeys
    from bot.desktop.wlroots.sway import Sway
    from bot.models import Click

_BUTTONS = {Button.LEFT: (0x110,), Button.RIGHT: (0x111,), Button.MIDDLE: (0x112,), Button.BOTH: (0x110, 0x111)}
_DOWN, _UP = 1, 0
_MOST_MS = 0xFFFFFFFF


def _now_ms() -> int:
    return int(time.monotonic() * 1000) & _MOST_MS


class WlrootsScreen(MachineScreen):
    """Captures outputs by screencopy.

    Raises:
        ScreenError: there is no such compositor, or no output.
    """

    def __init__(self) -> None:
        self._connection = Connection()
        self._captures = self._connection.bind(CAPTURES)
        self._outputs = self._connection.outputs()
        if not self._outputs:
            raise ScreenError("no output shows anything\nswitch a monitor on, and turn it upright")

    @property
    def monitors(self) -> list[Region]:
        return [output.region for output in self._outputs]

    def grab(self, region: Region | None = None) -> Frame:
        everything = _around(self.monitors)
        asked = everything if region is None else region
        if not everything.holds(asked):
            raise ScreenError(f"expected a part of the screen, which is {everything}, got {asked}")
        picture = Frame(np.zeros((asked.height, asked.width, 3), np.uint8), asked.left, asked.top)
        for output in self._outputs:
            part = output.region.shared(asked)
            if part.n_pixels:
                seen = Frame(self._connection.capture(self._captures, output), *output.region.corner)
                picture.crop(part).pixels_bgr[:] = seen.crop(part).pixels_bgr
        return picture

    def close(self) -> None:
        self._connection.close()


def _around(regions: list[Region]) -> Region:
    """The smallest rectangle that holds all of these."""
    left, top = min(one.left for one in regions), min(one.top for one in regions)
    return Region(left, top, max(one.right for one in regions) - left, max(one.bottom for one in regions) - top)


class WlrootsMouse(Mouse):
    """A virtual pointer for each output.

    Args:
        sway: who tells of windows; None where nobody does.

    Raises:
        ScreenError: there is no such compositor.
    """

    def __init__(self, sway: Sway | None) -> None:
        self._connection = Connection()
        self._sway = sway
        self._followed: tuple[int | None, Pixel] | None = None
        """The window that clicks are meant for, None for no window, and where its corner was then."""
        manager, seat = self._connection.bind(POINTERS), self._connection.seat()
        self._pointers = [
            (output.region, manager.create_virtual_pointer_with_output(seat, output.proxy))
            for output in self._connection.outputs()
        ]
        self._at = Pixel(0, 0)
        self._connection.roundtrip()  # windows without a mouse until now learn of this one

    def follow(self, pixel: Pixel) -> None:
        window = None if self._sway is None else self._sway.window_at(pixel)
        self._followed = (None, pixel) if window is None else (window.number, window.region.corner)

    def click(self, click: Click) -> Pixel | Refusal:
        """Move there, press and release, all in one message; returns where that was.

        Refused where another window has come up there, or the one that is meant is closed.
        """
        at = self._place_now(click.pixel)
        if at is None:
            return Refusal.COVERED
        pointer = self._send_to(at)
        for state in (_DOWN, _UP):
            for button in _BUTTONS[click.button]:
                pointer.button(_now_ms(), button, state)
            pointer.frame()
        self._connection.roundtrip()
        return at

    def move(self, pixel: Pixel) -> None:
        self._send_to(pixel)
        self._connection.roundtrip()

    def position(self) -> Pixel:
        """Where it was left: nobody tells where it is."""
        return self._at

    def close(self) -> None:
        if self._sway is not None:
            self._sway.close()
        self._connection.close()

    def _send_to(self, pixel: Pixel) -> Any:
        """Ask that the pointer goes there; returns the pointer of the output that this is on, else of the nearest."""
        region, pointer = min(self._pointers, key=lambda one: _distance(one[0], pixel))
        at = Pixel(min(max(pixel.x, region.left), region.right - 1), min(max(pixel.y, region.top), region.bottom - 1))
        pointer.motion_absolute(_now_ms(), at.x - region.left, at.y - region.top, region.width, region.height)
        pointer.frame()
        self._at = at
        return pointer

    def _place_now(self, pixel: Pixel) -> Pixel | None:
        """Where the place in the followed window is now; None where that window does not show there any more."""
        if self._followed is None or self._sway is None:
            return pixel
        number, corner = self._followed
        if number is None:
            return pixel if self._sway.window_at(pixel) is None else None
        window = self._sway.window(number)
        if window is None:
            return None
        at = Pixel(pixel.x + window.region.left - corner.x, pixel.y + window.region.top - corner.y)
        shows = self._sway.window_at(at)
        return at if shows is not None and shows.number == number else None


def _distance(region: Region, pixel: Pixel) -> int:
    """How far a place is from a region, in pixels; 0 in it."""
    across = max(region.left - pixel.x, 0, pixel.x - region.right + 1)
    return across + max(region.top - pixel.y, 0, pixel.y - region.bottom + 1)


_MODIFIER_BITS = {"shift": 1, "ctrl": 4, "alt": 8, "cmd": 64}  # in the order that keymaps have them in
_OTHER_NAMES = {"escape": "esc", "return": "enter", "shiftleft": "shift_l"}
"""The names that skins and pyautogui have for keys, and ours."""
_CODE = 2  # the key <AE01>, as the kernel numbers it
_KEYMAP = """xkb_keymap {{
    xkb_keycodes {{ include "evdev" }};
    xkb_types {{ include "complete" }};
    xkb_compat {{ include "complete" }};
    xkb_symbols {{ include "pc" key <AE01> {{ [ {keysym:#x} ] }}; }};
}};"""
"""A keyboard whose key 1 means something else."""
_XKB_TEXT = 1  # the format of a keymap: text that xkbcommon compiles


class WlrootsKeyboard(Keyboard):
    """A virtual keyboard, with a key for whatever is asked for.

    Args:
        sway: who tells which window has the keyboard; None where nobody does, and then no key is pressed.

    Raises:
        ScreenError: there is no such compositor.
    """

    def __init__(self, sway: Sway | None) -> None:
        self._connection = Connection()
        self._sway = sway
        self._keyboard = self._connection.bind(KEYBOARDS).create_virtual_keyboard(self._connection.seat())
        self._listener: SwayHotKeys | None = None
        self._send_keymap(keysyms_of("enter")[0])  # windows hear of a keyboard only when it has a map

    def press(self, key: str, window: int) -> bool:
        sway = self._sway
        return sway is not None and self._tap(key, lambda: sway.focused_window() == window)

    @contextmanager
    def keeping(self, keys: HotKeys) -> Iterator[bool]:
        """The keys are bound while they are listened to: no window gets them. They are unbound for the bot's own."""
        self._listener = keys if isinstance(keys, SwayHotKeys) else None
        try:
            yield True
        finally:
            self._listener = None

    def tap_unseen(self, key: str) -> None:
        self._tap(key, lambda: True)

    def close(self) -> None:
        if self._sway is not None:
            self._sway.close()
        self._connection.close()

    def _tap(self, key: str, may_go: Callable[[], bool]) -> bool:
        """Press and release a key where it may go; whether it went there."""
        combination = parse_combination("+".join(_OTHER_NAMES.get(part, part) for part in key.split("+")))
        bits = sum(_MODIFIER_BITS[name] for name in combination.modifiers)
        self._send_keymap(keysyms_of(combination.key)[0])
        with ExitStack() as stack:
            if self._listener is not None:
                stack.enter_context(self._listener.let_through(combination.key))
            if not may_go():
                return False
            self._keyboard.modifiers(bits, 0, 0, 0)
            for state in (_DOWN, _UP):
                self._keyboard.key(_now_ms(), _CODE, state)
            self._keyboard.modifiers(0, 0, 0, 0)
            self._connection.roundtrip()
            return True

    def _send_keymap(self, keysym: int) -> None:
        """Have the key mean this."""
        text = _KEYMAP.format(keysym=keysym).encode() + b"\0"
        file = os.memfd_create("minebot")
        try:
            os.write(file, text)
            self._keyboard.keymap(_XKB_TEXT, file, len(text))
            self._connection.roundtrip()
        finally:
            os.close(file)
