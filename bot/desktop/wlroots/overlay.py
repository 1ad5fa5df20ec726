"""Draws over an output by the protocol for layers [1]: surfaces above all windows, which take no click and no key.

[1] wlr-protocols: wlr-layer-shell-unstable-v1.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
from pywayland.protocol.viewporter import WpViewporter
from pywayland.protocol.wayland import WlCompositor

from bot.desktop.overlay import Pane
from bot.desktop.wayland.overlay import OutputOverlay
from bot.desktop.wlroots.wayland import ARGB, LAYERS

if TYPE_CHECKING:
    from bot.desktop.wayland.outputs import Output
    from bot.desktop.wayland.overlay import OutputWatch
    from bot.desktop.wlroots.wayland import Connection
    from bot.models import Pixel, Sheet

NEEDED_TO_DRAW = (LAYERS, WpViewporter)
_ABOVE_ALL = 3  # the layer
_TOP_LEFT = 1 | 4  # the edges that margins count from
_OVER_PANELS = -1  # the exclusive zone of a surface that heeds no other one's


class LayerOverlay(OutputOverlay):
    """Sheets over an output.

    Args:
        watch: the output.
        connection: the connection to the compositor that knows it.
    """

    def __init__(self, watch: OutputWatch, connection: Connection) -> None:
        super().__init__(watch)
        self._connection = connection
        self._compositor = connection.bind(WlCompositor, 4)
        self._layers, self._viewports = (connection.bind(one) for one in NEEDED_TO_DRAW)

    def _make_pane(self) -> Pane:
        return _LayerPane(self._connection, self._compositor, self._layers, self._viewports, self._output)

    def _flush_requests(self) -> None:
        for pane in self._panes:
            pane.window.commit()
        self._connection.roundtrip()


class _LayerPane(Pane):
    """A surface of the uppermost layer.

    Args:
        connection: the connection to the compositor.
        compositor: the compositor's object that makes surfaces.
        layers: the one that puts them into layers.
        viewports: the one that scales them.
        output: where it shows.
    """

    def __init__(self, connection: Connection, compositor: Any, layers: Any, viewports: Any, output: Output) -> None:
        super().__init__(compositor.create_surface())
        self._connection = connection
        self._output = output
        self._viewport = viewports.get_viewport(self.window)
        self._layer = layers.get_layer_surface(self.window, output.handle, _ABOVE_ALL, "minebot coach")
        self._layer.set_anchor(_TOP_LEFT)
        self._layer.set_exclusive_zone(_OVER_PANELS)
        self._is_configured = False
        self._layer.dispatcher["configure"] = self._note_configured
        nothing = compositor.create_region()
        self.window.set_input_region(nothing)
        nothing.destroy()
        self._buffers: list[Any] = []
        """The one that shows is the last; the compositor may still have the one before."""

    def close(self) -> None:
        """Be gone."""
        for one in (self._layer, self._viewport, self.window, *self._buffers):
            one.destroy()

    def _paint(self, sheet: Sheet) -> None:
        height, width = sheet.is_drawn.shape
        size = ceil(width / self._output.scale), ceil(height / self._output.scale)
        self._layer.set_size(*size)
        if not self._is_configured:  # before that it may show nothing
            self.window.commit()
            self._connection.wait_until(lambda: self._is_configured)
        buffer, pixels = self._connection.share_picture(ARGB, width, height, 4 * width)
        pixels[:] = cv2.cvtColor(sheet.picture.pixels_bgr, cv2.COLOR_BGR2BGRA) * sheet.is_drawn[:, :, np.newaxis]
        self.window.attach(buffer, 0, 0)
        self.window.damage_buffer(0, 0, width, height)
        self._viewport.set_destination(*size)
        self._buffers.append(buffer)
        for old in self._buffers[:-2]:
            old.destroy()
        del self._buffers[:-2]

    def _move_to(self, corner: Pixel) -> None:
        place, scale = self._output.region, self._output.scale
        left, top = round((corner.x - place.left) / scale), round((corner.y - place.top) / scale)
        self._layer.set_margin(top, 0, 0, left)

    def _note_configured(self, layer: Any, serial: int, _width: int, _height: int) -> None:
        layer.ack_configure(serial)
        self._is_configured = True
