"""Windows itself, as the ports ask it: through user32, found when it is first asked for.

Only Windows has it; the module can be imported anywhere.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from functools import cache
from typing import TYPE_CHECKING, Any

from bot.remarks import tell

if TYPE_CHECKING:
    from bot.models import Pixel

_PER_MONITOR_2 = ctypes.c_void_p(-4)  # DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2
_PER_MONITOR = 2  # PROCESS_PER_MONITOR_DPI_AWARE

_AWARENESS = ("none", "system", "per monitor, version 1")
"""How Windows may count a process's pixels, by its own numbers; version 2 has none."""
_TRUE_PIXELS = frozenset({"per monitor, version 1", "per monitor, version 2"})

_ROOT_WINDOW = 2  # GA_ROOT


@cache
def user32() -> Any:
    """The library, its functions declared that take or give pointers, handles or points."""
    library = _load("user32")
    library.GetForegroundWindow.restype = wintypes.HWND
    library.WindowFromPoint.argtypes, library.WindowFromPoint.restype = [wintypes.POINT], wintypes.HWND
    library.GetAncestor.argtypes, library.GetAncestor.restype = [wintypes.HWND, wintypes.UINT], wintypes.HWND
    library.GetWindowThreadProcessId.argtypes = [wintypes.HWND, ctypes.POINTER(wintypes.DWORD)]
    library.IsIconic.argtypes = [wintypes.HWND]
    library.GetWindowRect.argtypes = [wintypes.HWND, ctypes.POINTER(wintypes.RECT)]
    library.GetCursorPos.argtypes = [ctypes.POINTER(wintypes.POINT)]
    library.MonitorFromPoint.argtypes = [wintypes.POINT, wintypes.DWORD]
    library.MonitorFromPoint.restype = wintypes.HMONITOR
    library.SendInput.argtypes = [wintypes.UINT, ctypes.c_void_p, ctypes.c_int]
    library.SendInput.restype = wintypes.UINT
    return library


@cache
def shcore() -> Any:
    """The library that knows of scaling.

    Raises:
        OSError: Windows 7 has none.
    """
    library = _load("shcore")
    library.GetDpiForMonitor.argtypes = [wintypes.HMONITOR, ctypes.c_int, *[ctypes.POINTER(wintypes.UINT)] * 2]
    return library


def _load(name: str) -> Any:
    library: Any = ctypes.WinDLL(name, use_last_error=True)  # type: ignore[attr-defined,unused-ignore] # there only
    return library


def window_at(pixel: Pixel) -> int | None:
    """The window, or part of one, that shows at a pixel, None where there is none."""
    found: int | None = user32().WindowFromPoint(wintypes.POINT(pixel.x, pixel.y))
    return found


def whole_window(window: int | None) -> int | None:
    """The whole window that something is a part of, None for nothing."""
    return user32().GetAncestor(window, _ROOT_WINDOW) or None if window else None


def whole_window_at(pixel: Pixel) -> int | None:
    """The whole window that shows at a pixel, None where there is none."""
    return whole_window(window_at(pixel))


@cache
def use_true_pixels() -> None:
    """Have Windows count this process's pixels as the monitors do, whatever their scale; elsewhere do nothing.

    Only the first who asks is heard, and mss, pyautogui and pyscreeze ask too, for less: call it before they are
    imported. Version 2 (Windows 10 of 2017) also holds for monitors that change their scale meanwhile. Where a person
    has set Python to something else, that holds, and is told of.
    """
    if sys.platform == "win32":
        _declare_true_pixels()
        if awareness() not in _TRUE_PIXELS:
            tell(
                f"Windows counts pixels by its own scaling here ({awareness()}): a scaled monitor may be clicked beside"
            )


def _declare_true_pixels() -> None:
    try:
        is_declared = bool(user32().SetProcessDpiAwarenessContext(_PER_MONITOR_2))
    except AttributeError:  # an older Windows
        is_declared = False
    if not is_declared:
        try:
            shcore().SetProcessDpiAwareness(_PER_MONITOR)
        except (AttributeError, OSError):  # Windows 7
            user32().SetProcessDPIAware()


def awareness() -> str:
    """By what Windows counts this process's pixels: "per monitor, version 2" or 1, "system" or "none"."""
    try:
        ask = user32().GetThreadDpiAwarenessContext
        ask.restype = ctypes.c_void_p
        context = ctypes.c_void_p(ask())
        if user32().AreDpiAwarenessContextsEqual(context, _PER_MONITOR_2):
            return "per monitor, version 2"
        return _AWARENESS[user32().GetAwarenessFromDpiAwarenessContext(context)]
    except AttributeError:  # Windows 8
        level = ctypes.c_int()
    try:
        shcore().GetProcessDpiAwareness(None, ctypes.byref(level))
    except (AttributeError, OSError):  # Windows 7
        level.value = int(bool(user32().IsProcessDPIAware()))
    return _AWARENESS[level.value]
