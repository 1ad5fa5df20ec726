"""Windows itself, as the ports ask it: through user32, found when it is first asked for.

Only Windows has it; the module can be imported anywhere.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from functools import cache
from typing import Any

_PER_MONITOR_2 = ctypes.c_void_p(-4)  # DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2
_PER_MONITOR = 2  # PROCESS_PER_MONITOR_DPI_AWARE


@cache
def user32() -> Any:
    """The library, its functions declared that take or give pointers, handles or points."""
    library: Any = ctypes.WinDLL("user32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore] # there only
    library.GetForegroundWindow.restype = wintypes.HWND
    library.WindowFromPoint.argtypes, library.WindowFromPoint.restype = [wintypes.POINT], wintypes.HWND
    library.GetAncestor.argtypes, library.GetAncestor.restype = [wintypes.HWND, wintypes.UINT], wintypes.HWND
    library.GetWindowThreadProcessId.argtypes = [wintypes.HWND, ctypes.POINTER(wintypes.DWORD)]
    library.GetCursorPos.argtypes = [ctypes.POINTER(wintypes.POINT)]
    library.SendInput.argtypes = [wintypes.UINT, ctypes.c_void_p, ctypes.c_int]
    library.SendInput.restype = wintypes.UINT
    return library


def use_true_pixels() -> None:
    """Have Windows count this process's pixels as the monitors do, whatever their scale; elsewhere do nothing.

    Only the first who asks is heard, and mss, pyautogui and pyscreeze ask too, for less: call it before they are
    imported. Version 2 (Windows 10 of 2017) also holds for monitors that change their scale meanwhile.
    """
    if sys.platform == "win32":
        try:
            is_declared = bool(user32().SetProcessDpiAwarenessContext(_PER_MONITOR_2))
        except AttributeError:  # an older Windows
            is_declared = False
        if not is_declared:
            try:
                ctypes.WinDLL("shcore").SetProcessDpiAwareness(_PER_MONITOR)
            except (AttributeError, OSError):  # Windows 7
                user32().SetProcessDPIAware()
