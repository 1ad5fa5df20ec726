"""Draws over a window on X11, with Xlib alone: windows without a frame, shaped as what is drawn (extension SHAPE [1]).

A window has two shapes: one is seen, the other takes the pointer. The second is empty, so that every click, and the
pointer itself, goes to what lies below as if nothing were there. The windows are stacked right above the one that is
watched: what covers it covers them. Where no desktop compositor runs there is no half-transparent pixel, and none is
needed: what is drawn is drawn upon the window's own pixels before.

Tk is everywhere, but on X11 it has neither shapes nor clicks that pass through: both are made by Xlib on its windows.
And it takes 18 ms to show a change of an Expert board, where Xlib alone, sending no more than that change, takes 2
(`scripts/bench_coach.py --toolkits`).

[1] K. Packard: X Nonrectangular Window Shape Extension, version 1.1 (shapeproto of X.Org).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import cv2
import numpy as np
from Xlib import X
from Xlib.error import CatchError, XError
from Xlib.ext import shape

from bot.errors import WindowClosedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Region, Sheet
    from bot.ports.x11_watch import X11Watch

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
        """Draw nothing ever again."""
        for pane in self._panes:
            pane.close()
        self._panes = []
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
        """Make the pixmap of a sheet: from the last one, as far as they are alike, for sending takes the most time.

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
