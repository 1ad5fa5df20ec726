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
from contextlib import suppress
from ctypes import wintypes
from typing import TYPE_CHECKING

from bot.errors import ScreenError, WindowClosedError
from bot.models import Pixel
from bot.ports.windows import user32
from bot.ports.windows_picture import WindowsPicture

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Region, Sheet
    from bot.ports.windows_watch import WindowsWatch

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


class _Blend(ctypes.Structure):
    """BLENDFUNCTION."""

    _fields_ = (
        ("operation", ctypes.c_uint8),
        ("flags", ctypes.c_uint8),
        ("alpha", ctypes.c_uint8),
        ("has_alpha", ctypes.c_uint8),
    )


class WindowsOverlay:
    """Sheets over a window that is watched. Use it from the thread that made it only.

    Args:
        watch: the window.
    """

    def __init__(self, watch: WindowsWatch) -> None:
        self._watch = watch
        self._panes: list[_Pane] = []
        """The lowest first."""

    def show(self, sheets: Sequence[Sheet]) -> None:
        """Draw these, each over those before, and nothing else any more; their places are in the window.

        Raises:
            ScreenError: Windows does not let them be drawn.
        """
        place = self._watch.place()
        if place is None:
            self.hide()
            return
        while len(self._panes) > len(sheets):
            self._panes.pop().close()
        while len(self._panes) < len(sheets):
            self._panes.append(_Pane())
        for pane, sheet in zip(self._panes, sheets, strict=True):
            pane.draw(sheet, place)
        if not self._is_stacked():
            self._stack()
        _take_messages()

    def hide(self) -> None:
        """Draw nothing."""
        for pane in self._panes:
            pane.close()
        self._panes = []
        _take_messages()

    def follow(self) -> None:
        """Go where the window went since, and above it again where it was raised."""
        _take_messages()
        if not self._panes:
            return
        try:
            place = self._watch.place()
        except WindowClosedError:
            place = None
        if place is None:
            self.hide()
            return
        for pane in self._panes:
            pane.go_to(place)
        if not self._is_stacked():
            self._stack()

    def close(self) -> None:
        """Draw nothing ever again."""
        self.hide()

    def _is_stacked(self) -> bool:
        """Whether what is shown lies above the window, with nothing that can be seen between."""
        below = self._watch.window
        for pane in self._panes:
            above = _next_above(below)
            while above is not None and not user32().IsWindowVisible(above):
                above = _next_above(above)
            if above != pane.window:
                return False
            below = above
        return True

    def _stack(self) -> None:
        """Lie right above the window, the first sheet lowest, and be seen."""
        own = {pane.window for pane in self._panes}
        above = _next_above(self._watch.window)
        while above in own:
            above = _next_above(above)
        is_topmost = _is_topmost(self._watch.window)
        for pane in reversed(self._panes):
            if above is not None and (is_topmost or not _is_topmost(above)):
                pane.put_below(above)
            else:  # the game is above all others, or above all that are not always on top
                pane.put_below(_TOPMOST_ONES)
                if not is_topmost:
                    pane.put_below(_OTHER_ONES)
            above = pane.window


class _Pane:
    """One window of the overlay, seen from the first `put_below` on.

    Attributes:
        window: its number.
    """

    def __init__(self) -> None:
        style = _LAYERED | _TRANSPARENT | _TOOL_WINDOW | _NO_ACTIVATE
        made = user32().CreateWindowExW(
            *(style, "STATIC", "minebot coach", _POPUP, 0, 0, 1, 1), *(None, None, None, None)
        )
        if not made:
            raise ScreenError("Windows lets no window be made here")
        self.window: int = made
        self._sheet: Sheet | None = None
        self._corner: Pixel | None = None
        with suppress(AttributeError):  # other programs' captures are without it where Windows can do that (10 of 2020)
            user32().SetWindowDisplayAffinity(made, _EXCLUDE_FROM_CAPTURE)

    def draw(self, sheet: Sheet, place: Region) -> None:
        """Look so, in a window that is there.

        Raises:
            ScreenError: Windows does not let it be drawn.
        """
        if sheet is not self._sheet:
            self._paint(sheet)
            self._sheet = sheet
        self.go_to(place)

    def go_to(self, place: Region) -> None:
        """Lie where the sheet lies in a window that is there."""
        assert self._sheet is not None, "something is drawn before it is shown"
        picture = self._sheet.picture
        corner = Pixel(place.left + picture.left, place.top + picture.top)
        if corner != self._corner:
            user32().SetWindowPos(self.window, None, *corner, 0, 0, _NO_SIZE | _NO_ORDER | _NOT_ACTIVE)
            self._corner = corner

    def put_below(self, window: int) -> None:
        """Lie right below another window, and be seen."""
        user32().SetWindowPos(self.window, window, 0, 0, 0, 0, _NO_SIZE | _NO_MOVE | _NOT_ACTIVE | _SHOW)

    def close(self) -> None:
        """Be gone."""
        user32().DestroyWindow(self.window)

    def _paint(self, sheet: Sheet) -> None:
        """Give Windows the pixels of a sheet; those that are not drawn are nothing at all."""
        height, width = sheet.is_drawn.shape
        picture = WindowsPicture(width, height)
        try:
            picture.pixels_bgra[:, :, :3] = sheet.picture.pixels_bgr
            picture.pixels_bgra[:, :, 3] = _OPAQUE
            picture.pixels_bgra[~sheet.is_drawn] = 0
            size, corner, blend = wintypes.POINT(width, height), wintypes.POINT(0, 0), _Blend(0, 0, _OPAQUE, 1)
            is_drawn = user32().UpdateLayeredWindow(
                *(self.window, None, None, ctypes.byref(size), picture.context, ctypes.byref(corner)),
                *(0, ctypes.byref(blend), _BY_ALPHA),
            )
        finally:
            picture.close()
        if not is_drawn:
            raise ScreenError("Windows does not let anything be drawn over the game")


def _next_above(window: int) -> int | None:
    """The window that lies right above another, seen or not; None above the highest."""
    above: int | None = user32().GetWindow(window, _ABOVE)
    return above


def _is_topmost(window: int) -> bool:
    return bool(user32().GetWindowLongW(window, _EXTENDED_STYLE) & _TOPMOST)


def _take_messages() -> None:
    """Answer what Windows tells or asks the windows of this thread."""
    message = wintypes.MSG()
    while user32().PeekMessageW(ctypes.byref(message), None, 0, 0, _REMOVE):
        user32().DispatchMessageW(ctypes.byref(message))
