"""Draws over a window on Windows: layered windows [1] without a frame, whose every pixel is seen or not.

They are transparent for the pointer as well (WS_EX_TRANSPARENT), so that every click goes to what lies below; they
never get the keyboard and are on no task bar. They are stacked right above the window that is watched: what covers it
covers them. They are not owned by it: that would tie the game's input to this process. A thread with windows has to
take its messages, or whoever tells all windows something waits for it: `follow` takes them, and what is hidden has no
window.

[1] https://learn.microsoft.com/windows/win32/winmsg/window-features#layered-windows

A picture in Windows' own memory, that its functions draw into and this process reads and writes as an array.

One window on Windows, seen by itself, through what the system keeps of it.

Since Windows 8 every window paints into memory of its own, and the system puts the screen together of these: a copy
from a window's own device context has the window whatever lies over it. Programs that draw through the graphics card
leave that memory blank; what these show is asked for by PrintWindow, which is slower. Windows tells nobody when another
program has painted: the window is compared with what it was.
"""

from __future__ import annotations

import ctypes
import time
from contextlib import suppress
from ctypes import wintypes
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

from bot.desktop.win32.system import (
    NEAREST_MONITOR,
    dots_per_inch_of,
    dwmapi,
    gdi32,
    place_of,
    pointer,
    use_true_pixels,
    user32,
    whole_window_at,
)
from bot.errors import ScreenError, WindowClosedError
from bot.models import Frame, Pixel, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.models import Sheet


_TOP_DOWN = -1
"""Rows are counted from the top where the height is negative."""


class _BitmapHeader(ctypes.Structure):
    """BITMAPINFOHEADER; without a palette it is a whole BITMAPINFO."""

    _fields_ = (
        ("size", wintypes.DWORD),
        ("width", wintypes.LONG),
        ("height", wintypes.LONG),
        ("planes", wintypes.WORD),
        ("bits", wintypes.WORD),
        ("compression", wintypes.DWORD),
        ("n_bytes", wintypes.DWORD),
        ("across", wintypes.LONG),
        ("down", wintypes.LONG),
        ("used", wintypes.DWORD),
        ("important", wintypes.DWORD),
    )


class _WindowsPicture:
    """A DIB section of 32 bits a pixel, and the device context that draws into it.

    Attributes:
        context: the device context.
        pixels_bgra: uint8, height x width x 4, the very memory that is drawn into; not to be used after `close`.

    Args:
        width: in pixels.
        height: in pixels.

    Raises:
        ScreenError: Windows has no memory for it.
    """

    def __init__(self, width: int, height: int) -> None:
        library = gdi32()
        header = _BitmapHeader(ctypes.sizeof(_BitmapHeader), width, _TOP_DOWN * height, 1, 32)
        bits = ctypes.c_void_p()
        self.context: Any = library.CreateCompatibleDC(None)
        self._bitmap: Any = library.CreateDIBSection(self.context, ctypes.byref(header), 0, ctypes.byref(bits), None, 0)
        if not self._bitmap or bits.value is None:
            library.DeleteDC(self.context)
            raise ScreenError(f"Windows has no memory for a picture of {width} x {height} pixels")
        self._before: Any = library.SelectObject(self.context, self._bitmap)
        memory = (ctypes.c_uint8 * (4 * width * height)).from_address(bits.value)
        self.pixels_bgra: NDArray[np.uint8] = np.ctypeslib.as_array(memory).reshape(height, width, 4)

    def close(self) -> None:
        """Give the memory back."""
        gdi32().SelectObject(self.context, self._before)
        gdi32().DeleteObject(self._bitmap)
        gdi32().DeleteDC(self.context)


_COPY = 0x00CC0020  # SRCCOPY
_FULL_CONTENT = 2  # PW_RENDERFULLCONTENT
_CLOAKED = 14  # DWMWA_CLOAKED
_TRUE_PIXELS = 2  # DPI_AWARENESS_PER_MONITOR_AWARE
_AROUND_PX = 120
"""No board is of one colour so far around its middle."""
_REST = 4
"""Rest after a look, as a multiple of its time: with large windows, too, others have the processor."""


class _MonitorInfo(ctypes.Structure):
    _fields_ = (
        ("size", wintypes.DWORD),
        ("monitor", wintypes.RECT),
        ("work", wintypes.RECT),
        ("flags", wintypes.DWORD),
    )


class WindowsWatch:
    """The whole window that shows at a pixel of the screen, with its frame.

    Attributes:
        window: its number.

    Args:
        pixel: where it shows.

    Raises:
        ScreenError: no window is there, or it does not let itself be seen.
    """

    def __init__(self, pixel: Pixel) -> None:
        use_true_pixels()
        found = whole_window_at(pixel)
        if found is None or found == user32().GetDesktopWindow():
            raise ScreenError(f"no window shows at {tuple(pixel)}: what is there is painted on the desktop itself")
        self.window: int = found
        self._copy: Callable[[int, _WindowsPicture], bool] = _copy_of
        self._picture: _WindowsPicture | None = None
        self._last: NDArray[np.uint8] | None = None
        self._due_at = 0.0
        place = self.place()
        if place is not None:
            self._choose(Pixel(pixel.x - place.left, pixel.y - place.top), place)

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, or of the whole window, in the window's own places.

        Raises:
            ScreenError: the window does not show, or not there; or it is closed.
        """
        place = self.place()
        if place is None:
            raise ScreenError("the window does not show")
        asked = Region(0, 0, place.width, place.height) if region is None else region
        everything = Region(0, 0, place.width, place.height)
        if not everything.holds(asked):
            raise ScreenError(f"the window cannot be captured at {asked}: it has {place.width} x {place.height} pixels")
        rows, cols = slice(asked.top, asked.top + asked.height), slice(asked.left, asked.left + asked.width)
        part = np.ascontiguousarray(self._look(place)[rows, cols])
        return Frame(np.asarray(cv2.cvtColor(part, cv2.COLOR_BGRA2BGR), dtype=np.uint8), asked.left, asked.top)

    def place(self) -> Region | None:
        """Where it shows on the screen, None where it does not: minimised, hidden, or on another desktop.

        Raises:
            WindowClosedError: it is closed.
        """
        place = place_of(self.window)
        if not user32().IsWindow(self.window):
            raise WindowClosedError("the window was closed")
        shows = user32().IsWindowVisible(self.window) and not _is_cloaked(self.window)
        return place if shows else None

    def has_changed(self) -> bool:
        """Whether anything was painted in it since this was asked last; of large windows it is told a little later."""
        place, began_at = self.place(), time.perf_counter()
        if place is None or began_at < self._due_at:
            return False
        try:
            pixels, before = self._look(place), self._last
        except ScreenError:  # whoever looks will meet it, too
            return True
        has_changed = before is None or not np.array_equal(pixels, before)
        if has_changed:
            self._last = pixels.copy()
        now = time.perf_counter()
        self._due_at = now + _REST * (now - began_at)
        return has_changed

    def pointer(self) -> Pixel | None:
        """Where the pointer is in it; None elsewhere, and where another window covers this one."""
        place, at = self.place(), pointer()
        if place is None or at is None or whole_window_at(at) != self.window:
            return None
        return Pixel(at.x - place.left, at.y - place.top)

    def monitor(self) -> Region:
        """The monitor that most of the window is on."""
        info = _MonitorInfo(ctypes.sizeof(_MonitorInfo))
        user32().GetMonitorInfoW(user32().MonitorFromWindow(self.window, NEAREST_MONITOR), ctypes.byref(info))
        at = info.monitor
        return Region(at.left, at.top, at.right - at.left, at.bottom - at.top)

    def close(self) -> None:
        """Let go of the memory."""
        if self._picture is not None:
            self._picture.close()
            self._picture = None

    def _choose(self, pixel: Pixel, place: Region) -> None:
        """Copy the window in the way that shows something around a pixel of it.

        Raises:
            ScreenError: none does.
        """
        left, top = max(0, pixel.x - _AROUND_PX), max(0, pixel.y - _AROUND_PX)
        around = slice(top, pixel.y + _AROUND_PX), slice(left, pixel.x + _AROUND_PX)
        for copy in (_copy_of, _print_of):
            self._copy = copy
            seen = self._look(place)[around]
            if (seen != seen[0, 0]).any():
                return
        self.close()
        raise ScreenError("the window cannot be captured: Windows gives a picture of one colour for it")

    def _look(self, place: Region) -> NDArray[np.uint8]:
        """The pixels of the whole window, of its size on the screen: uint8, height x width x 4, until the next look."""
        scale = _enlargement(self.window)
        width, height = round(place.width / scale), round(place.height / scale)
        if self._picture is None or self._picture.pixels_bgra.shape[:2] != (height, width):
            self.close()
            self._picture = _WindowsPicture(width, height)
        if not self._copy(self.window, self._picture):
            raise ScreenError("the window cannot be captured: it is closed, or does not let itself be seen")
        gdi32().GdiFlush()  # what draws may go on beside, where it is not asked
        pixels = self._picture.pixels_bgra
        if (width, height) == (place.width, place.height):
            return pixels
        enlarged = cv2.resize(pixels, (place.width, place.height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(enlarged, dtype=np.uint8)


def _copy_of(window: int, picture: _WindowsPicture) -> bool:
    """Copy what a window has painted; returns whether that was possible."""
    context = user32().GetWindowDC(window)
    if not context:
        return False
    height, width = picture.pixels_bgra.shape[:2]
    try:
        return bool(gdi32().BitBlt(picture.context, 0, 0, width, height, context, 0, 0, _COPY))
    finally:
        user32().ReleaseDC(window, context)


def _print_of(window: int, picture: _WindowsPicture) -> bool:
    """As `_copy_of`, for a window that is drawn by the graphics card."""
    return bool(user32().PrintWindow(window, picture.context, _FULL_CONTENT))


def _enlargement(window: int) -> float:
    """How much larger Windows shows a window than its program paints it, which knows nothing of the monitor's scale."""
    try:
        awareness = user32().GetAwarenessFromDpiAwarenessContext(user32().GetWindowDpiAwarenessContext(window))
        painted = user32().GetDpiForWindow(window)
    except AttributeError:  # Windows 8
        return 1.0
    shown = dots_per_inch_of(user32().MonitorFromWindow(window, NEAREST_MONITOR))
    return shown / painted if shown and painted and awareness < _TRUE_PIXELS else 1.0


def _is_cloaked(window: int) -> bool:
    """Whether a window that says it shows is kept from the screen, as on another virtual desktop."""
    cloaked = wintypes.DWORD()
    error = dwmapi().DwmGetWindowAttribute(window, _CLOAKED, ctypes.byref(cloaked), ctypes.sizeof(cloaked))
    return error == 0 and cloaked.value != 0


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
        picture = _WindowsPicture(width, height)
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
