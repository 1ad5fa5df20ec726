"""Draws over a window on Windows: layered windows [1] without a frame, whose every pixel is seen or not.

They are transparent for the pointer as well (WS_EX_TRANSPARENT), so that every click goes to what lies below; they
never get the keyboard and are on no task bar. They are stacked right above the window that is watched: what covers it
covers them. They are not owned by it: that would tie the game's input to this process. A thread with windows has to
take its messages, or whoever tells all windows something waits for it: `follow` takes them, and what is hidden has no
window.

[1] https://learn.microsoft.com/windows/win32/winmsg/window-features#layered-windows
"""

from __future__ import annotations

import ctypes
from ctypes import wintypes
from typing import TYPE_CHECKING

from bot.desktop.overlay import Pane, PaneOverlay
from bot.desktop.win32.system import user32
from bot.desktop.win32.watch import WindowsPicture
from bot.errors import ScreenError

if TYPE_CHECKING:
    from bot.desktop.win32.watch import WindowsWatch
    from bot.models import Pixel, Sheet

_POPUP = 0x80000000  # WS_POPUP
_LAYERED, _TRANSPARENT, _TOOL_WINDOW, _NO_ACTIVATE = 0x00080000, 0x00000020, 0x00000080, 0x08000000  # WS_EX_...
_TOPMOST = 0x00000008  # WS_EX_TOPMOST
_EXTENDED_STYLE = -20  # GWL_EXSTYLE
_ABOVE = 3  # GW_HWNDPREV
_TOPMOST_ONES, _OTHER_ONES = -1, -2  # HWND_TOPMOST, HWND_NOTOPMOST
_NO_SIZE, _NO_MOVE, _NO_ORDER, _NOT_ACTIVE, _SHOW = 0x0001, 0x0002, 0x0004, 0x0010, 0x0040  # SWP_...
_BY_ALPHA = 2  # ULW_ALPHA
_EXCLUDE_FROM_CAPTURE = 0x11  # WDA_EXCLUDEFROMCAPTURE
_REMOVE = 1  # PM_REMOVE
_OPAQUE = 255
_BLENDED = bytes((0, 0, _OPAQUE, 1))  # BLENDFUNCTION: drawn over, each pixel by its own alpha


class WindowsOverlay(PaneOverlay):
    """Sheets over a window on Windows.

    Args:
        watch: the window.
    """

    def __init__(self, watch: WindowsWatch) -> None:
        super().__init__(watch)
        self._below = watch.window

    def _make_pane(self) -> Pane:
        return _WindowsPane()

    def _is_stacked(self) -> bool:
        """Whether what is shown lies above the window, with nothing that can be seen between."""
        below = self._below
        for pane in self._panes:
            above = _next_above(below)
            while above is not None and not user32().IsWindowVisible(above):
                above = _next_above(above)
            if above != pane.window:
                return False
            below = pane.window
        return True

    def _stack_panes(self) -> None:
        own: set[int] = {pane.window for pane in self._panes}
        above = _next_above(self._below)
        while above in own:
            above = _next_above(above)
        is_topmost = _is_topmost(self._below)
        for pane in reversed(self._panes):
            if above is not None and (is_topmost or not _is_topmost(above)):
                _put_below(above, pane.window)
            else:  # the game is above all others, or above all that are not always on top
                _put_below(_TOPMOST_ONES, pane.window)
                if not is_topmost:
                    _put_below(_OTHER_ONES, pane.window)
            above = pane.window

    def _flush_requests(self) -> None:
        """Answer what Windows tells or asks the windows of this thread."""
        message = wintypes.MSG()
        while user32().PeekMessageW(ctypes.byref(message), None, 0, 0, _REMOVE):
            user32().DispatchMessageW(ctypes.byref(message))


class _WindowsPane(Pane):
    """A layered window, seen from the first `_put_below` on."""

    def __init__(self) -> None:
        style = _LAYERED | _TRANSPARENT | _TOOL_WINDOW | _NO_ACTIVATE
        made = user32().CreateWindowExW(
            *(style, "STATIC", "minebot coach", _POPUP, 0, 0, 1, 1), *(None, None, None, None)
        )
        if not made:
            raise ScreenError("Windows lets no window be made here")
        super().__init__(made)
        # Other programs' captures are without it where Windows can do that (10 of 2020).
        user32().SetWindowDisplayAffinity(made, _EXCLUDE_FROM_CAPTURE)

    def close(self) -> None:
        user32().DestroyWindow(self.window)

    def _move_to(self, corner: Pixel) -> None:
        user32().SetWindowPos(self.window, None, *corner, 0, 0, _NO_SIZE | _NO_ORDER | _NOT_ACTIVE)

    def _paint(self, sheet: Sheet) -> None:
        height, width = sheet.is_drawn.shape
        picture = WindowsPicture(width, height)
        try:
            picture.pixels_bgra[:, :, :3] = sheet.picture.pixels_bgr
            picture.pixels_bgra[:, :, 3] = _OPAQUE
            picture.pixels_bgra[~sheet.is_drawn] = 0
            size, corner = wintypes.POINT(width, height), wintypes.POINT(0, 0)
            is_drawn = user32().UpdateLayeredWindow(
                *(self.window, None, None, ctypes.byref(size), picture.context, ctypes.byref(corner)),
                *(0, _BLENDED, _BY_ALPHA),
            )
        finally:
            picture.close()
        if not is_drawn:
            raise ScreenError("Windows does not let anything be drawn over the game")


def _put_below(above: int, window: int) -> None:
    """Have a window lie right below another, and be seen."""
    user32().SetWindowPos(window, above, 0, 0, 0, 0, _NO_SIZE | _NO_MOVE | _NOT_ACTIVE | _SHOW)


def _next_above(window: int) -> int | None:
    """The window that lies right above another, seen or not; None above the highest."""
    above: int | None = user32().GetWindow(window, _ABOVE)
    return above


def _is_topmost(window: int) -> bool:
    return bool(user32().GetWindowLongW(window, _EXTENDED_STYLE) & _TOPMOST)
