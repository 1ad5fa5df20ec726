"""A picture in Windows' own memory, that its functions draw into and this process reads and writes as an array."""

from __future__ import annotations

import ctypes
from ctypes import wintypes
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.errors import ScreenError
from bot.ports.windows import gdi32

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
