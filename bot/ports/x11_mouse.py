"""The mouse on X11, where a person's hand may move the pointer between any two calls.

A press goes to where the pointer is, into whatever window shows there, together with whatever keys are held down. So
the server is grabbed for a click: it serves no other program until the button is up again. Meanwhile it is asked where
the window is that is meant, which window shows at that place of it, where the pointer was, and what a person holds
down. Only where the window is the same one still, and nothing is held, the pointer is taken there and presses. A
person who moved the pointer meanwhile is given it back after the click, and whoever looks where it is knows.

A window manager may freeze the pointer at a press, until it has seen to it: what comes after waits, and the server
tells for a while of a place where the pointer was before (`trail`).
"""

from __future__ import annotations

import math
import time
from typing import Any

from Xlib import X, error
from Xlib.display import Display
from Xlib.ext import xtest
from Xlib.protocol import request

from bot.errors import ScreenError
from bot.models import Button, Click, Held, Pixel, Refusal
from bot.ports.session import check_session
from bot.ports.trail import Trail
from bot.ports.x11_keys import modifier_bits
from bot.ports.x11_server import served_alone

_THAW_S = 0.05
"""How long a pointer may stay frozen; 1 to 4 ms were measured with openbox."""
_RELEASE_S = 0.25
"""How long the server may take a button of a click for pressed; the same, on a machine that is busy."""
_PAUSE_S = 0.001
_BUTTONS = X.Button1Mask | X.Button2Mask | X.Button3Mask | X.Button4Mask | X.Button5Mask
_NUMBERS = {Button.LEFT: (1,), Button.MIDDLE: (2,), Button.RIGHT: (3,), Button.BOTH: (1, 3)}


class X11Mouse:
    """A real pointer, through the server's extension XTEST.

    Raises:
        ScreenError: there is no such server.
    """

    def __init__(self) -> None:
        check_session()
        try:
            self._display: Any = Display()
        except Exception as why:  # Xlib raises whatever the display's fault is
            raise ScreenError(f"the mouse cannot be used here: {why}") from why
        self._root = self._display.screen().root
        self._trail = Trail(self._pointer, _THAW_S)
        self._followed: tuple[Any, Pixel] | None = None
        """The whole window that clicks are meant for, with its frame, and where its corner was then; the root itself
        where none showed, None where nobody said."""
        self._modifiers = {bit: name for name, bits in modifier_bits(self._display).items() for bit in bits}
        self._clicked_s = -math.inf

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
        with served_alone(self._display):
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
        self._clicked_s = time.perf_counter()
        self._leave(Pixel(asked.root_x, asked.root_y), at)
        return at

    def move(self, pixel: Pixel) -> None:
        """Move there."""
        with served_alone(self._display):
            asked = self._ask_pointer()
            self._send_to(pixel)
        asked.reply()
        self._leave(Pixel(asked.root_x, asked.root_y), pixel)

    def held(self) -> Held:
        """What a person holds down now; the button of a click that a window manager has frozen is no person's."""
        while (found := self._held_by(self._root.query_pointer().mask)).has_button and self._is_click_under_way:
            time.sleep(_PAUSE_S)
        return found

    def position(self) -> Pixel:
        """Where the pointer is."""
        return self._trail.see()

    def close(self) -> None:
        """Let go of the server."""
        self._display.close()

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

    @property
    def _is_click_under_way(self) -> bool:
        return time.perf_counter() < self._clicked_s + _RELEASE_S

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
