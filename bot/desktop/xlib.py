"""A connection to an X server, and windows on it that show a sheet: what X11 and Wayland's Xwayland have alike.

A window has two shapes [1]: one is seen, the other takes the pointer. The second is empty, so that every click, and the
pointer itself, goes to what lies below as if nothing were there. Where no desktop compositor runs there is no
half-transparent pixel, and none is needed: what is drawn is drawn upon the window's own pixels before.

Tk is everywhere, but on X11 it has neither shapes nor clicks that pass through: both are made by Xlib on its windows.
It takes 18 ms to show a change of an Expert board. Xlib alone takes 2 ms, as it sends no more than that change.

[1] K. Packard: X Nonrectangular Window Shape Extension, version 1.1 (shapeproto of X.Org).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import cv2
import numpy as np
from Xlib import X
from Xlib.display import Display
from Xlib.ext import shape

from bot.desktop.overlay import Pane
from bot.errors import ScreenError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Pixel, Sheet

_BLENDED_DEPTH = 32  # bits of a pixel that has an alpha
_REQUEST_BYTES = 24  # what a request that sends pixels has besides them


def open_display(what: str) -> Any:
    """A connection to the server.

    Args:
        what: what it is for, as the error has it.

    Raises:
        ScreenError: there is no such server, or it does not let this process in.
    """
    try:
        return Display()
    except Exception as why:  # Xlib raises whatever the display's fault is
        raise ScreenError(f"the {what} cannot be used here: {why}") from why


class XlibPane(Pane):
    """A window without a frame, shaped as its sheet.

    Args:
        display: the connection to the server.
        is_blended: whether pixels that are not drawn are transparent by themselves: Wayland's compositors blend what
            Xwayland shows. Then the window has no shape, which would keep what was drawn where nothing is any more.
    """

    def __init__(self, display: Any, *, is_blended: bool = False) -> None:
        screen = display.screen()
        self._root = screen.root
        self._depth = _BLENDED_DEPTH if is_blended else screen.root_depth
        self._info = display.display.info
        look = {}
        visual = X.CopyFromParent
        if is_blended:
            visual = next(one.visuals[0].visual_id for one in screen.allowed_depths if one.depth == _BLENDED_DEPTH)
            colormap = self._root.create_colormap(visual, X.AllocNone)
            look = {"colormap": colormap, "border_pixel": 0, "background_pixel": 0}
        place = (0, 0, 1, 1, 0)
        window = self._root.create_window(
            *place, self._depth, X.InputOutput, visual, override_redirect=True, event_mask=0, **look
        )
        super().__init__(window)
        self.window.set_wm_name("minebot coach")
        self.window.shape_rectangles(shape.SO.Set, shape.SK.Input, X.Unsorted, 0, 0, [])
        self._words: NDArray[Any] | None = None
        """The pixels of the sheet, 0 where nothing is drawn."""
        self._pixmap: Any = None

    def close(self) -> None:
        """Be gone, and free what it needed."""
        self.window.destroy()
        if self._pixmap is not None:
            self._pixmap.free()

    def _move_to(self, corner: Pixel) -> None:
        self.window.configure(x=corner.x, y=corner.y)
        self.window.map()

    def _paint(self, sheet: Sheet) -> None:
        height, width = sheet.is_drawn.shape
        top, bottom, left, right = self._fill_pixmap(sheet)
        self.window.configure(width=width, height=height)
        self.window.change_attributes(background_pixmap=self._pixmap)
        if self._depth != _BLENDED_DEPTH:
            self._shape(sheet.is_drawn)
        if bottom > top:  # what a shape adds shows by itself, and all of it is asked for where width or height is 0
            self.window.clear_area(left, top, right - left, bottom - top)

    def _fill_pixmap(self, sheet: Sheet) -> tuple[int, int, int, int]:
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

    def _shape(self, is_drawn: NDArray[np.bool_]) -> None:
        """Have the window be seen at these pixels only."""
        height, width = is_drawn.shape
        mask = self._root.create_pixmap(width, height, 1)
        self._put(mask, self._as_bits(is_drawn), (0, 0), width, 1)
        self.window.shape_mask(shape.SO.Set, shape.SK.Bounding, 0, 0, mask)
        mask.free()

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


def _bounds(is_there: NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """The smallest rectangle with everything that is there: (top, bottom, left, right), last ones outside."""
    rows, cols = np.flatnonzero(is_there.any(axis=1)), np.flatnonzero(is_there.any(axis=0))
    if not rows.size:
        return 0, 0, 0, 0
    return int(rows[0]), int(rows[-1]) + 1, int(cols[0]), int(cols[-1]) + 1
