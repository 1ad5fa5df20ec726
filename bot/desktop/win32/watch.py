"""One window on Windows, seen by itself, through what the system keeps of it.

Since Windows 8 every window paints into memory of its own. A copy of that memory shows the window even where others lie
over it. Programs that draw through the graphics card leave that memory blank. PrintWindow shows them, more slowly.
Windows tells nobody when another program has painted. So the window is compared with what it was.
"""

from __future__ import annotations

import ctypes
import struct
import time
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
    from collections.abc import Callable

    from numpy.typing import NDArray

_BITMAP_HEADER = struct.Struct("<IiiHHIIiiII")  # BITMAPINFOHEADER; without a palette it is a whole BITMAPINFO


class WindowsPicture:
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
        top_down = -height  # rows are counted from the top where it is negative
        header = _BITMAP_HEADER.pack(_BITMAP_HEADER.size, width, top_down, 1, 32, *[0] * 6)
        bits = ctypes.c_void_p()
        self.context: Any = library.CreateCompatibleDC(None)
        self._bitmap: Any = library.CreateDIBSection(self.context, header, 0, ctypes.byref(bits), None, 0)
        if not self._bitmap or bits.value is None:
            library.DeleteDC(self.context)
            raise ScreenError(f"Windows has no memory for a picture of {width} x {height} pixels")
        self._before: Any = library.SelectObject(self.context, self._bitmap)
        memory = (ctypes.c_uint8 * (4 * width * height)).from_address(bits.value)
        self.pixels_bgra: NDArray[np.uint8] = np.ctypeslib.as_array(memory).reshape(height, width, 4)

    def close(self) -> None:
        gdi32().SelectObject(self.context, self._before)
        gdi32().DeleteObject(self._bitmap)
        gdi32().DeleteDC(self.context)


_COPY = 0x00CC0020  # SRCCOPY
_FULL_CONTENT = 2  # PW_RENDERFULLCONTENT
_CLOAKED = 14  # DWMWA_CLOAKED
_TRUE_PIXELS = 2  # DPI_AWARENESS_PER_MONITOR_AWARE
_AROUND_PX = 120  # no board is of one colour so far around its middle
_REST = 4  # rest after a look, as a multiple of its time: with large windows, too, others have the processor


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
        self._copy: Callable[[int, WindowsPicture], bool] = _copy_of
        self._picture: WindowsPicture | None = None
        self._last: NDArray[np.uint8] | None = None
        self._due_at = 0.0
        place = self.place()
        if place is not None:
            self._choose_copy(Pixel(pixel.x - place.left, pixel.y - place.top), place)

    def grab(self, region: Region | None = None) -> Frame:
        place = self.place()
        if place is None:
            raise ScreenError("the window does not show")
        asked = Region(0, 0, place.width, place.height) if region is None else region
        everything = Region(0, 0, place.width, place.height)
        if not everything.holds(asked):
            raise ScreenError(f"the window cannot be captured at {asked}: it has {place.width} x {place.height} pixels")
        part = np.ascontiguousarray(self._capture_whole(place)[asked.slices])
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
            pixels, before = self._capture_whole(place), self._last
        except ScreenError:  # whoever looks will meet it, too
            return True
        has_changed = before is None or not np.array_equal(pixels, before)
        if has_changed:
            self._last = pixels.copy()
        now = time.perf_counter()
        self._due_at = now + _REST * (now - began_at)
        return has_changed

    def pointer(self) -> Pixel | None:
        place, at = self.place(), pointer()
        if place is None or at is None or whole_window_at(at) != self.window:
            return None
        return Pixel(at.x - place.left, at.y - place.top)

    def monitor(self) -> Region:
        info = _MonitorInfo(ctypes.sizeof(_MonitorInfo))
        user32().GetMonitorInfoW(user32().MonitorFromWindow(self.window, NEAREST_MONITOR), ctypes.byref(info))
        at = info.monitor
        return Region(at.left, at.top, at.right - at.left, at.bottom - at.top)

    def close(self) -> None:
        if self._picture is not None:
            self._picture.close()
            self._picture = None

    def _choose_copy(self, pixel: Pixel, place: Region) -> None:
        """Copy the window in the way that shows something around a pixel of it.

        Raises:
            ScreenError: none does.
        """
        left, top = max(0, pixel.x - _AROUND_PX), max(0, pixel.y - _AROUND_PX)
        around = slice(top, pixel.y + _AROUND_PX), slice(left, pixel.x + _AROUND_PX)
        for copy in (_copy_of, _print_of):
            self._copy = copy
            seen = self._capture_whole(place)[around]
            if (seen != seen[0, 0]).any():
                return
        self.close()
        raise ScreenError("the window cannot be captured: Windows gives a picture of one colour for it")

    def _capture_whole(self, place: Region) -> NDArray[np.uint8]:
        """The pixels of the whole window, of its size on the screen: uint8, height x width x 4, until the next look."""
        scale = _enlargement(self.window)
        width, height = round(place.width / scale), round(place.height / scale)
        if self._picture is None or self._picture.pixels_bgra.shape[:2] != (height, width):
            self.close()
            self._picture = WindowsPicture(width, height)
        if not self._copy(self.window, self._picture):
            raise ScreenError("the window cannot be captured: it is closed, or does not let itself be seen")
        gdi32().GdiFlush()  # what draws may go on beside, where it is not asked
        pixels = self._picture.pixels_bgra
        if (width, height) == (place.width, place.height):
            return pixels
        enlarged = cv2.resize(pixels, (place.width, place.height), interpolation=cv2.INTER_LINEAR)
        return np.asarray(enlarged, dtype=np.uint8)


def _copy_of(window: int, picture: WindowsPicture) -> bool:
    """Copy what a window has painted; returns whether that was possible."""
    context = user32().GetWindowDC(window)
    if not context:
        return False
    height, width = picture.pixels_bgra.shape[:2]
    try:
        return bool(gdi32().BitBlt(picture.context, 0, 0, width, height, context, 0, 0, _COPY))
    finally:
        user32().ReleaseDC(window, context)


def _print_of(window: int, picture: WindowsPicture) -> bool:
    """Have a window that the graphics card draws paint itself anew; returns whether that was possible."""
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
