"""One window on X11, seen by itself, through the server's extensions Composite and DAMAGE.

The server keeps the pixels of a window that is redirected apart from the screen's [1], and puts the screen together of
them as before: so the window can be read whatever lies over it, pixel for pixel as it shows where nothing does. And it
tells when something is painted there [2]: between two changes nothing needs to be captured.

[1] K. Packard, D. Gibson: Composite Extension, version 0.4 (compositeproto.txt of X.Org).
[2] K. Packard, E. Anholt: The DAMAGE Extension, version 1.1 (damageproto.txt of X.Org).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from Xlib import X
from Xlib.error import XError
from Xlib.ext import composite, damage

from bot.desktop.x11.system import let_go, monitors_of
from bot.desktop.xlib import open_display
from bot.errors import ScreenError, WindowClosedError
from bot.models import Frame, Pixel, Region

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEEDED = {
    "Composite": "reading a window that is drawn over",
    "DAMAGE": "hearing when a window is painted",
    "SHAPE": "drawing over a window without taking its clicks",
}
_DEPTHS = (24, 32)  # bits of a pixel that take four bytes
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
        self.display = open_display("screen")
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
        has_changed = False
        while self.display.pending_events():
            has_changed |= self.display.next_event().type == self.display.extension_event.DamageNotify
        if has_changed:
            self.display.damage_subtract(self._damage)
        return has_changed

    def pointer(self) -> Pixel | None:
        place = self.place()
        answer = self._root.query_pointer()
        is_over = not isinstance(answer.child, int) and answer.child.id == self.window.id
        return Pixel(answer.root_x - place.left, answer.root_y - place.top) if place is not None and is_over else None

    def monitor(self) -> Region:
        """The monitor that the window's middle is on; the whole screen where nobody tells."""
        place = self.place()
        screen = self._root.get_geometry()
        everything = Region(0, 0, screen.width, screen.height)
        if place is None:
            return everything
        return next((one for one in monitors_of(self.display) if one.has_pixel(place.middle)), everything)

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
