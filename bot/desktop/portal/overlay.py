"""Draws over an output by Xwayland: a window without a frame, which the desktop draws above all others."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from Xlib.error import ConnectionClosedError

from bot.desktop.wayland.overlay import OutputOverlay
from bot.desktop.xlib import XlibPane, open_display
from bot.errors import ScreenError
from bot.models import Frame, Pixel, Sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.desktop.overlay import Pane
    from bot.desktop.wayland.outputs import Output
    from bot.desktop.wayland.overlay import OutputWatch


_SERVER = "X server of this Wayland session"
_OLDEST = 12_401_000
"""The oldest release of Xwayland that is known to pass clicks on to what lies below, 24.1; 22.1 keeps them."""


def require_xwayland() -> None:
    """Make sure that there is an Xwayland that passes clicks on.

    Raises:
        ScreenError: there is none.
    """
    if not os.environ.get("DISPLAY"):
        raise ScreenError(
            "the coach draws by Xwayland, and this session has none: DISPLAY is not set\n"
            "Debian, Ubuntu: install xwayland, and log in again."
        )
    with closing(open_display(_SERVER)) as display:
        release = display.display.info.release_number
    if release < _OLDEST:
        raise ScreenError(
            f"the coach would keep clicks from the game: that needs Xwayland 24.1, and this one is "
            f"{release // 100_000 % 100}.{release // 1000 % 100}\n"
            "Let minebot advise look at a screenshot: minebot advise PICTURE --why --picture OUT.png"
        )


class XwaylandOverlay(OutputOverlay):
    """Sheets over an output.

    Args:
        watch: the output.
        outputs: all outputs.

    Raises:
        ScreenError: Xwayland cannot be reached.
    """

    def __init__(self, watch: OutputWatch, outputs: Sequence[Output]) -> None:
        super().__init__(watch)
        self._display = open_display(_SERVER)
        width = max(one.logical.right for one in outputs) - min(one.logical.left for one in outputs)
        self._x_scale = self._display.screen().root.get_geometry().width / width
        """Xwayland's pixels a logical unit."""

    def close(self) -> None:
        """Draw nothing ever again. If the server is gone, so is what was drawn."""
        with suppress(ConnectionClosedError):
            super().close()
            self._display.sync()
            self._display.close()

    def _make_pane(self) -> Pane:
        return _XwaylandPane(self._display, self._output, self._x_scale)

    def _flush_requests(self) -> None:
        self._display.flush()


class _XwaylandPane(XlibPane):
    """A window of Xwayland. Its places are in Xwayland's pixels, not in the output's.

    Args:
        display: the connection to the server.
        output: where it shows.
        x_scale: Xwayland's pixels a logical unit.
    """

    def __init__(self, display: Any, output: Output, x_scale: float) -> None:
        super().__init__(display, is_blended=True)
        self._output = output
        self._x_scale = x_scale

    def _paint(self, sheet: Sheet) -> None:
        height, width = (max(1, self._scaled(side)) for side in sheet.is_drawn.shape)
        if (height, width) != sheet.is_drawn.shape:
            pixels = cv2.resize(sheet.picture.pixels_bgr, (width, height), interpolation=cv2.INTER_AREA)
            is_drawn = cv2.resize(sheet.is_drawn.astype(np.uint8), (width, height), interpolation=cv2.INTER_NEAREST)
            sheet = Sheet(Frame(np.asarray(pixels, dtype=np.uint8)), is_drawn.astype(bool))
        super()._paint(sheet)

    def _move_to(self, corner: Pixel) -> None:
        place, logical = self._output.region, self._output.logical
        left = round(logical.left * self._x_scale) + self._scaled(corner.x - place.left)
        top = round(logical.top * self._x_scale) + self._scaled(corner.y - place.top)
        super()._move_to(Pixel(left, top))

    def _scaled(self, n_px: int) -> int:
        """A length in pixels of the output, in Xwayland's."""
        return round(n_px * self._x_scale / self._output.scale)
