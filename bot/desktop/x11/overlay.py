"""Draws over a window on X11: sheets lie right above the one that is watched, so what covers it covers them."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from Xlib import X
from Xlib.error import CatchError, ConnectionClosedError, XError

from bot.desktop.overlay import PaneOverlay
from bot.desktop.xlib import XlibPane

if TYPE_CHECKING:
    from bot.desktop.overlay import Pane
    from bot.desktop.x11.watch import X11Watch


class X11Overlay(PaneOverlay):
    """Sheets over a window on X11.

    Args:
        watch: the window; its connection to the server is used.
    """

    def __init__(self, watch: X11Watch) -> None:
        super().__init__(watch)
        self._below = watch.window
        self._display = watch.display

    def close(self) -> None:
        """Draw nothing ever again. If the server is gone, so is what was drawn."""
        with suppress(ConnectionClosedError):
            self.hide()
            self._display.sync()

    def _make_pane(self) -> Pane:
        return XlibPane(self._display)

    def _is_stacked(self) -> bool:
        try:
            numbers = [window.id for window in self._display.screen().root.query_tree().children]
            above = numbers.index(self._below.id) + 1
        except (XError, ValueError):  # it closed meanwhile
            return True
        return numbers[above : above + len(self._panes)] == [pane.window.id for pane in self._panes]

    def _stack_panes(self) -> None:
        for pane in reversed(self._panes):
            pane.window.configure(onerror=CatchError(), sibling=self._below, stack_mode=X.Above)

    def _flush_requests(self) -> None:
        self._display.flush()
