"""The mouse on X11, where a person's hand may move the pointer between any two calls.

A press goes to where the pointer is. So the server is told in one breath to take it to the cell and to press, and
asked just before where it was: a person who moved it meanwhile is given it back after the click, and whoever looks
where it is knows. Moving and pressing in two calls would, now and then, press where the person had moved to. Even one
breath is not enough: a busy server may serve another program in the middle of it, unless it is grabbed meanwhile.

A window may move between the bot's last look and the press. So the server itself works out where the press goes, from
where the window is at that moment: the pointer is taken to a place in the window, not to one on the screen.

A window manager may freeze the pointer at a press, until it has seen to it: what comes after waits, and the server
tells for a while of a place where the pointer was before (`trail`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from Xlib import X, error
from Xlib.display import Display
from Xlib.ext import xtest
from Xlib.protocol import request

from bot.errors import ScreenError
from bot.models import Button, Click, Pixel
from bot.ports.session import check_session
from bot.ports.trail import Trail

if TYPE_CHECKING:
    from collections.abc import Sequence

_THAW_S = 0.05
"""How long a pointer may stay frozen; 1 to 4 ms were measured with openbox."""
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
        """The whole window that clicks are meant for, with its frame, and where its corner was then."""

    def follow(self, pixel: Pixel) -> None:
        """From now on clicks go where they are meant in the window that shows at this pixel now, should it move."""
        try:
            window = self._root.translate_coords(self._root, pixel.x, pixel.y).child
            self._followed = None if isinstance(window, int) else (window, self._corner_of(window))
        except error.XError:  # it closed meanwhile
            self._followed = None

    def click(self, click: Click) -> Pixel:
        """Move there, press and release: sent together, so that no button can stay down; returns where that was."""
        numbers = _NUMBERS[click.button]
        presses = [(X.ButtonPress, number) for number in numbers]
        events = (*presses, *((X.ButtonRelease, number) for number in numbers))
        taken_to, at = self._act(click.pixel, events, self._followed)
        self._give_back(taken_to)
        return at

    def move(self, pixel: Pixel) -> None:
        """Move there."""
        self._give_back(self._act(pixel)[0])

    def position(self) -> Pixel:
        """Where the pointer is."""
        return self._trail.see()

    def close(self) -> None:
        """Let go of the server."""
        self._display.close()

    def _act(
        self,
        pixel: Pixel,
        events: Sequence[tuple[int, int]] = (),
        followed: tuple[Any, Pixel] | None = None,
    ) -> tuple[Pixel | None, Pixel]:
        """Take the pointer there and press and release buttons, all at once.

        Returns:
            Where a person had moved it before, None where nobody had; and where the pointer was taken.
        """
        display: Any = self._display.display
        asked: Any = request.QueryPointer(defer=1, display=display, window=self._root)
        self._display.grab_server()
        xtest.fake_input(self._display, X.MotionNotify, x=pixel.x, y=pixel.y)
        if followed is not None:
            window, corner = followed
            window.warp_pointer(pixel.x - corner.x, pixel.y - corner.y, onerror=error.CatchError())
        for event, number in events:
            xtest.fake_input(self._display, event, number)
        self._display.ungrab_server()
        at = pixel
        if followed is not None:
            at = self._moved_with(*followed, pixel)  # sends all of it together
        asked.reply()
        was = Pixel(asked.root_x, asked.root_y)
        is_taken = self._trail.is_taken(was)
        self._trail.leave(at)
        return was if is_taken else None, at

    def _moved_with(self, window: Any, corner: Pixel, pixel: Pixel) -> Pixel:
        """Where a place in a window is now whose corner was elsewhere when it was at `pixel`."""
        try:
            now = self._corner_of(window)
        except error.XError:  # it closed meanwhile
            self._followed = None
            return pixel
        return Pixel(pixel.x + now.x - corner.x, pixel.y + now.y - corner.y)

    def _pointer(self) -> Pixel:
        answer = self._root.query_pointer()
        return Pixel(answer.root_x, answer.root_y)

    def _corner_of(self, window: Any) -> Pixel:
        answer = self._root.translate_coords(window, 0, 0)
        return Pixel(answer.x, answer.y)

    def _give_back(self, taken_to: Pixel | None) -> None:
        if taken_to is not None:
            xtest.fake_input(self._display, X.MotionNotify, x=taken_to.x, y=taken_to.y)
            self._display.sync()
            self._trail.last = taken_to
