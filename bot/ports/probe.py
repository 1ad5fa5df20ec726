"""What the machine says about itself: scaling, permissions, extensions. Asks, and changes nothing.

The lines for Windows have been run under wine; those for macOS are written by the book.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.models import Region

_SCALE_VARIABLES = ("GDK_SCALE", "GDK_DPI_SCALE", "QT_SCALE_FACTOR")
_DOTS_PER_INCH_AT_100 = 96
_NEAREST_MONITOR = 2
_APPLICATION_SERVICES = "/System/Library/Frameworks/ApplicationServices.framework/ApplicationServices"


def missing_x11_extensions() -> list[str]:
    """Which of the extensions that the mouse (XTEST) and the hot keys (RECORD) need the X server lacks.

    Raises:
        Xlib.error.DisplayError: there is no such server.
    """
    display = _x11_display()
    try:
        return [name for name in ("XTEST", "RECORD") if not display.has_extension(name)]
    finally:
        display.close()


def x11_scale() -> list[str]:
    """What makes programs draw larger on X11, as `name=value`: the resource Xft.dpi and some environment variables.

    Raises:
        Xlib.error.DisplayError: there is no such server.
    """
    from Xlib import X, Xatom  # noqa: PLC0415 - pynput brings it where the display is X11, and only there

    display = _x11_display()
    try:
        resources = display.screen().root.get_full_property(Xatom.RESOURCE_MANAGER, X.AnyPropertyType)
    finally:
        display.close()
    text = "" if resources is None else _as_text(resources.value)
    lines = [line.partition(":") for line in text.splitlines()]
    found = [f"{name.strip()}={value.strip()}" for name, _, value in lines if name.strip() == "Xft.dpi"]
    return found + [f"{name}={os.environ[name]}" for name in _SCALE_VARIABLES if os.environ.get(name)]


def windows_scale(monitor: Region) -> float | None:
    """How much larger Windows draws on this monitor, 1.0 at 100 %; None where Windows does not say."""
    if sys.platform == "win32":
        from ctypes import wintypes  # noqa: PLC0415 - of use there only

        middle = wintypes.POINT(monitor.middle.x, monitor.middle.y)
        handle = ctypes.windll.user32.MonitorFromPoint(middle, _NEAREST_MONITOR)
        across, down = wintypes.UINT(), wintypes.UINT()
        if ctypes.windll.shcore.GetDpiForMonitor(handle, 0, ctypes.byref(across), ctypes.byref(down)) == 0:
            return float(across.value) / _DOTS_PER_INCH_AT_100
    return None


def missing_mac_permissions() -> list[str]:
    """Which of macOS's three permissions the program that started this one lacks; asks for none."""
    services = ctypes.CDLL(_APPLICATION_SERVICES)
    questions = {
        "Screen Recording": "CGPreflightScreenCaptureAccess",
        "Accessibility": "AXIsProcessTrusted",
        "Input Monitoring": "CGPreflightListenEventAccess",
    }
    missing = []
    for permission, function in questions.items():
        ask = getattr(services, function)
        ask.restype = ctypes.c_bool
        if not ask():
            missing.append(permission)
    return missing


def _x11_display() -> Any:
    from Xlib.display import Display  # noqa: PLC0415 - pynput brings it where the display is X11, and only there

    return Display()


def _as_text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)
