"""Draws over a window on X11, with Xlib alone: windows without a frame, shaped as what is drawn (extension SHAPE [1]).

A window has two shapes: one is seen, the other takes the pointer. The second is empty, so that every click, and the
pointer itself, goes to what lies below as if nothing were there. The windows are stacked right above the one that is
watched: what covers it covers them. Where no desktop compositor runs there is no half-transparent pixel, and none is
needed: what is drawn is drawn upon the window's own pixels before.

Tk is everywhere, but on X11 it has neither shapes nor clicks that pass through: both are made by Xlib on its windows.
And it takes 18 ms to show a change of an Expert board, where Xlib alone, sending no more than that change, takes 2
(`scripts/bench_coach.py --toolkits`).

[1] K. Packard: X Nonrectangular Window Shape Extension, version 1.1 (shapeproto of X.Org).

One window on X11, seen by itself, through the server's extensions Composite and DAMAGE.

The server keeps the pixels of a window that is redirected apart from the screen's [1], and puts the screen together of
them as before: so the window can be read whatever lies over it, pixel for pixel as it shows where nothing does. And it
tells when something is painted there [2]: between two changes nothing needs to be captured.

[1] K. Packard, D. Gibson: Composite Extension, version 0.4 (compositeproto.txt of X.Org).
[2] K. Packard, E. Anholt: The DAMAGE Extension, version 1.1 (damageproto.txt of X.Org).
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

import cv2
import numpy as np
from Xlib import X
from Xlib.display import Display
from Xlib.error import CatchError, ConnectionClosedError, XError
from Xlib.ext import composite, damage, shape, xinerama

from bot.desktop.x11.server import let_go
from bot.errors import ScreenError, WindowClosedError
from bot.models import Frame, Pixel, Region

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Sheet


_NEEDED = {
    "Composite": "reading a window that is drawn over",
    "DAMAGE": "hearing when a window is painted",
    "SHAPE": "drawing over a window without taking its clicks",
}
_DEPTHS = (24, 32)
"""Bits of a pixel that take four bytes."""
_ALL_PLANES = 0xFFFFFFFF


class X11Watch:
    """The whole window that shows at a pixel of the screen, with its frame. Use it from the thread that made it only.

    Attributes:
        display: the connection to the server.
        window: the window, a child of the root.

    Args:
        pixel: where it shows.

    Raises:
        ScreenError: no window is there, or the server cannot do it.
    """

    def __init__(self, pixel: Pixel) -> None:
        try:
            self.display: Any = Display()
        except Exception as why:  # Xlib raises whatever the display's fault is
            raise ScreenError(f"the screen cannot be used here: {why}") from why
        self.display.set_error_handler(lambda *_error: None)  # a window may close at any time: `place` tells
        self._root = self.display.screen().root
        self._pixmap: Any = None
        self._size = (0, 0)
        try:
            self._check_server()
            found = self._root.translate_coords(self._root, pixel.x, pixel.y).child
            if isinstance(found, int):
                raise ScreenError(f"no window shows at {tuple(pixel)}: what is there is painted on the desktop itself")  # noqa: TRY301 - as every error here it closes the connection
            self.window: Any = found
            self.display.composite_query_version()
            self.display.damage_query_version()
            self.window.composite_redirect_window(composite.RedirectAutomatic)
            self._damage = self.window.damage_create(damage.DamageReportNonEmpty)
            self.display.sync()
        except BaseException:
            self.display.close()
            raise

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, or of the whole window, in the window's own places.

        Raises:
            ScreenError: the window does not show, or not there; or it is closed.
        """
        place = self.place()
        if place is None:
            raise ScreenError("the window does not show")
        asked = Region(0, 0, place.width, place.height) if region is None else region
        try:
            image = self._pixmap.get_image(asked.left, asked.top, asked.width, asked.height, X.ZPixmap, _ALL_PLANES)
        except XError as error:
            raise ScreenError(f"the window cannot be captured at {asked}: it has {self._size} pixels") from error
        if image.depth not in _DEPTHS:
            raise ScreenError(
                f"expected a screen with {' or '.join(map(str, _DEPTHS))} bits a pixel, got {image.depth}"
            )
        bgrx: NDArray[np.uint8] = np.frombuffer(image.data, dtype=np.uint8).reshape(asked.height, asked.width, 4)
        return Frame(np.asarray(cv2.cvtColor(bgrx, cv2.COLOR_BGRA2BGR), dtype=np.uint8), asked.left, asked.top)

    def place(self) -> Region | None:
        """Where it shows on the screen, None where it does not.

        Raises:
            WindowClosedError: it is closed.
        """
        try:
            shows = self.window.get_attributes().map_state == X.IsViewable
            at = self.window.get_geometry()
        except XError as error:
            raise WindowClosedError("the window was closed") from error
        border = at.border_width
        size = (at.width + 2 * border, at.height + 2 * border)
        if not shows:
            self._forget_pixels()
            return None
        if self._pixmap is None or size != self._size:
            self._forget_pixels()
            self._pixmap, self._size = self.window.composite_name_window_pixmap(), size
        return Region(at.x, at.y, *size)

    def has_changed(self) -> bool:
        """Whether anything was painted in it since this was asked last."""
        has_changed = False
        while self.display.pending_events():
            has_changed |= self.display.next_event().type == self.display.extension_event.DamageNotify
        if has_changed:
            self.display.damage_subtract(self._damage)
        return has_changed

    def pointer(self) -> Pixel | None:
        """Where the pointer is in it; None elsewhere, and where another window covers this one."""
        place = self.place()
        answer = self._root.query_pointer()
        is_over = not isinstance(answer.child, int) and answer.child.id == self.window.id
        return Pixel(answer.root_x - place.left, answer.root_y - place.top) if place is not None and is_over else None

    def monitor(self) -> Region:
        """The monitor that the window's middle is on; the whole screen where nobody tells."""
        place = self.place()
        screen = self._root.get_geometry()
        everything = Region(0, 0, screen.width, screen.height)
        if place is None or not self.display.has_extension(xinerama.extname):
            return everything
        monitors = [
            Region(one.x, one.y, one.width, one.height) for one in self.display.xinerama_query_screens().screens
        ]
        return next((monitor for monitor in monitors if monitor.has_pixel(place.middle)), everything)

    def close(self) -> None:
        """Let go of the window and of the server, which puts the window back on the screen itself."""
        let_go(self.display)

    def _check_server(self) -> None:
        missing = [f"{name} ({what})" for name, what in _NEEDED.items() if not self.display.has_extension(name)]
        if missing:
            raise ScreenError(
                f"the X server lacks {', '.join(missing)}\nstart it with these extensions: every X.Org server has them"
            )
        if self.display.display.info.image_byte_order != X.LSBFirst:
            raise ScreenError("the X server keeps the bytes of a pixel in an order that cannot be read here")

    def _forget_pixels(self) -> None:
        """The pixels of a window that is hidden or gets another size are kept elsewhere from then on."""
        if self._pixmap is not None:
            self._pixmap.free()
            self._pixmap = None


_REQUEST_BYTES = 24
"""What a request that sends pixels has besides them."""


class X11Overlay:
    """Sheets over a window that is watched.

    Args:
        watch: the window; its connection to the server is used.
    """

    def __init__(self, watch: X11Watch) -> None:
        self._watch = watch
        self._display = watch.display
        self._root = self._display.screen().root
        self._panes: list[_Pane] = []

    def show(self, sheets: Sequence[Sheet]) -> None:
        """Draw these, each over those before, and nothing else any more; their places are in the window."""
        place = self._watch.place()
        if place is None:
            self.hide()
            return
        while len(self._panes) < len(sheets):
            self._panes.append(_Pane(self._display))
        for pane, sheet in zip(self._panes, sheets, strict=False):
            pane.draw(sheet)
            pane.go_to(place)
        for pane in self._panes[len(sheets) :]:
            pane.hide()
        self._stack()
        self._display.flush()

    def hide(self) -> None:
        """Draw nothing."""
        for pane in self._panes:
            pane.hide()
        self._display.flush()

    def follow(self) -> None:
        """Go where the window went since, and above it again where it was raised."""
        shown = [pane for pane in self._panes if pane.is_shown]
        if not shown:
            return
        try:
            place = self._watch.place()
        except WindowClosedError:
            place = None
        if place is None:
            self.hide()
            return
        for pane in shown:
            pane.go_to(place)
        if not self._is_stacked(shown):
            self._stack()
        self._display.flush()

    def close(self) -> None:
        """Draw nothing ever again. If the server is gone, so is what was drawn."""
        panes, self._panes = self._panes, []
        with suppress(ConnectionClosedError):
            for pane in panes:
                pane.close()
            self._display.sync()

    def _is_stacked(self, shown: list[_Pane]) -> bool:
        """Whether what is shown lies right above the window."""
        try:
            numbers = [window.id for window in self._root.query_tree().children]
            above = numbers.index(self._watch.window.id) + 1
        except (XError, ValueError):  # it closed meanwhile
            return True
        return set(numbers[above : above + len(shown)]) == {pane.number for pane in shown}

    def _stack(self) -> None:
        """Lie right above the window, the first sheet lowest."""
        for pane in reversed(self._panes):
            if pane.is_shown:
                pane.put_above(self._watch.window)


class _Pane:
    """One window of the overlay."""

    def __init__(self, display: Any) -> None:
        self._root = display.screen().root
        self._depth = display.screen().root_depth
        self._info = display.display.info
        self._window: Any = self._root.create_window(
            *(0, 0, 1, 1, 0, X.CopyFromParent, X.InputOutput, X.CopyFromParent),
            override_redirect=True,
            event_mask=0,
        )
        self._window.set_wm_name("minebot coach")
        self._window.shape_rectangles(shape.SO.Set, shape.SK.Input, X.Unsorted, 0, 0, [])
        self._sheet: Sheet | None = None
        self._words: NDArray[Any] | None = None
        """The pixels of the sheet, 0 where nothing is drawn."""
        self._pixmap: Any = None
        self._corner: tuple[int, int] | None = None
        self.is_shown = False

    @property
    def number(self) -> int:
        """The window, as the server numbers it."""
        return int(self._window.id)

    def draw(self, sheet: Sheet) -> None:
        """Look so; seen from the next `go_to` on at the latest."""
        if sheet is self._sheet:
            return
        self._sheet = sheet
        height, width = sheet.is_drawn.shape
        top, bottom, left, right = self._paint(sheet)
        self._window.configure(width=width, height=height)
        self._window.change_attributes(background_pixmap=self._pixmap)
        bits = self._as_bits(sheet.is_drawn)
        mask = self._root.create_pixmap(width, height, 1)
        self._put(mask, bits, (0, 0), width, 1)
        self._window.shape_mask(shape.SO.Set, shape.SK.Bounding, 0, 0, mask)
        if bottom > top:  # what the mask adds shows by itself, and all of it is asked for where width or height is 0
            self._window.clear_area(left, top, right - left, bottom - top)
        mask.free()

    def _paint(self, sheet: Sheet) -> tuple[int, int, int, int]:
        """Make the pixmap of a sheet. Rows like those of the last one are copied from it: sending takes the most time.

        Returns:
            Where they differ, as `_bounds`.
        """
        height, width = sheet.is_drawn.shape
        pixels = np.asarray(cv2.cvtColor(sheet.picture.pixels_bgr, cv2.COLOR_BGR2BGRA), dtype=np.uint8)
        words = np.where(sheet.is_drawn, pixels.view(np.uint32)[:, :, 0], 0)
        before, self._words = self._words, words
        old, self._pixmap = self._pixmap, self._root.create_pixmap(width, height, self._depth)
        top, bottom, left, right = 0, height, 0, width
        if before is not None and before.shape == words.shape:
            context = old.create_gc()
            self._pixmap.copy_area(context, old, 0, 0, width, height, 0, 0)
            context.free()
            top, bottom, left, right = _bounds(words != before)
        if bottom > top:
            rows = np.ascontiguousarray(words[top:bottom, left:right]).view(np.uint8)
            self._put(self._pixmap, rows, (left, top), right - left, self._depth)
        if old is not None:
            old.free()
        return top, bottom, left, right

    def _as_bits(self, is_drawn: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Rows of a mask as the server takes them: a bit a pixel, every row of whole units."""
        order: Literal["little", "big"] = "big" if self._info.bitmap_format_bit_order == X.MSBFirst else "little"
        bits = np.packbits(is_drawn, axis=1, bitorder=order)
        return np.pad(bits, ((0, 0), (0, -bits.shape[1] % (self._info.bitmap_format_scanline_pad // 8))))

    def _put(self, pixmap: Any, rows: NDArray[np.uint8], corner: tuple[int, int], width: int, depth: int) -> None:
        """Send rows of pixels to a pixmap, in as many requests as the server's longest one takes."""
        left, top = corner
        context = pixmap.create_gc()
        n_rows = max(1, (4 * self._info.max_request_length - _REQUEST_BYTES) // rows.shape[1])
        for first in range(0, len(rows), n_rows):
            part = rows[first : first + n_rows]
            pixmap.put_image(context, left, top + first, width, len(part), X.ZPixmap, depth, 0, part.tobytes())
        context.free()

    def go_to(self, place: Region) -> None:
        """Show where the sheet lies in a window that shows there."""
        assert self._sheet is not None, "something is drawn before it is shown"
        picture = self._sheet.picture
        corner = place.left + picture.left, place.top + picture.top
        if corner != self._corner:
            self._window.configure(x=corner[0], y=corner[1])
            self._corner = corner
        if not self.is_shown:
            self._window.map()
            self.is_shown = True

    def put_above(self, window: Any) -> None:
        """Lie right above another window."""
        self._window.configure(onerror=CatchError(), sibling=window, stack_mode=X.Above)

    def hide(self) -> None:
        """Show nowhere."""
        if self.is_shown:
            self._window.unmap()
            self.is_shown = False

    def close(self) -> None:
        """Be gone."""
        self._window.destroy()


def _bounds(is_there: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """The smallest rectangle with everything that is there: (top, bottom, left, right), last ones outside."""
    rows, cols = np.flatnonzero(is_there.any(axis=1)), np.flatnonzero(is_there.any(axis=0))
    if not rows.size:
        return 0, 0, 0, 0
    return int(rows[0]), int(rows[-1]) + 1, int(cols[0]), int(cols[-1]) + 1
