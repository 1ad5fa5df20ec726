"""What the machine says about itself: session, permissions, scaling. Asks, and changes nothing.

What X11 says is in `x11_machine`. The lines for Windows have been run under wine; those for macOS are written by the
book.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import wintypes
from typing import TYPE_CHECKING, Any

from bot.desktop.windows import NEAREST_MONITOR, awareness, dots_per_inch_of, use_true_pixels, user32
from bot.errors import ScreenError

if TYPE_CHECKING:
    from bot.desktop.protocols import Machine
    from bot.models import Region

_DOTS_PER_INCH_AT_100 = 96
_APPLICATION_SERVICES = "/System/Library/Frameworks/ApplicationServices.framework/ApplicationServices"
_MAC_PERMISSIONS = {
    "Screen Recording": "CGPreflightScreenCaptureAccess",
    "Accessibility": "AXIsProcessTrusted",
    "Input Monitoring": "CGPreflightListenEventAccess",
}
"""What macOS asks a person for, and the question whether that was granted; it asks nobody."""


class _CGPoint(ctypes.Structure):
    _fields_ = (("x", ctypes.c_double), ("y", ctypes.c_double))


class WindowsMachine:
    """A machine with Windows."""

    shows_colours = True

    def describe(self) -> str:
        """What it is."""
        return "Windows"

    def describe_permissions(self) -> str:
        """What lets programs click and listen here."""
        return "none are needed, but a game that runs as administrator can be clicked only by one that does, too"

    def check_mouse(self) -> None:
        """The mouse can be tried."""

    def monitors(self) -> list[Region]:
        """None: the capture library knows all of them."""
        return []

    def scale_of(self, monitor: Region) -> float | None:
        """How much larger Windows draws on this monitor, 1.0 at 100 %; None where Windows does not say."""
        middle = wintypes.POINT(monitor.middle.x, monitor.middle.y)
        dots_per_inch = dots_per_inch_of(user32().MonitorFromPoint(middle, NEAREST_MONITOR))
        return None if dots_per_inch is None else dots_per_inch / _DOTS_PER_INCH_AT_100

    def scale_settings(self) -> list[str]:
        """By what Windows counts this process's pixels, beside the monitors' own scales."""
        use_true_pixels()
        return [f"DPI awareness={awareness()}"]


class MacMachine:
    """A machine with macOS."""

    shows_colours = True

    def describe(self) -> str:
        """What it is."""
        return "macOS"

    def describe_permissions(self) -> str:
        """The permissions of the program that started this one; asks for none.

        Raises:
            ScreenError: some are missing.
        """
        services = _load(_APPLICATION_SERVICES)
        missing = [
            permission for permission, name in _MAC_PERMISSIONS.items() if not _answer(services, name, ctypes.c_bool)
        ]
        if missing:
            allowed = " and ".join(missing)
            raise ScreenError(
                f"missing: {', '.join(missing)}\n"
                f"System Settings > Privacy & Security: allow the terminal under {allowed}, then start it anew"
            )
        return "Screen Recording, Accessibility and Input Monitoring are granted"

    def check_mouse(self) -> None:
        """The mouse can be tried."""

    def monitors(self) -> list[Region]:
        """None: the capture library knows all of them."""
        return []

    def scale_of(self, monitor: Region) -> float | None:
        """How many pixels a point has on this monitor, each way: 2.0 for Retina; None where macOS does not say."""
        services = _load(_APPLICATION_SERVICES)
        display, n_found = ctypes.c_uint32(), ctypes.c_uint32()
        found = (ctypes.byref(display), ctypes.byref(n_found))
        services.CGGetDisplaysWithPoint.argtypes = [_CGPoint, ctypes.c_uint32, *[ctypes.POINTER(ctypes.c_uint32)] * 2]
        failed = services.CGGetDisplaysWithPoint(_CGPoint(*monitor.middle), 1, *found)
        if failed or not n_found.value:
            return None
        mode = ctypes.c_void_p(_answer(services, "CGDisplayCopyDisplayMode", ctypes.c_void_p, display))
        if not mode:
            return None
        sizes = ("CGDisplayModeGetPixelWidth", "CGDisplayModeGetWidth")
        n_pixels, n_points = (_answer(services, name, ctypes.c_size_t, mode) for name in sizes)
        services.CGDisplayModeRelease(mode)
        return n_pixels / n_points if n_points else None

    def scale_settings(self) -> list[str]:
        """Nothing."""
        return []


def machine() -> Machine:
    """This machine; nothing is asked of it yet."""
    if sys.platform == "win32":
        return WindowsMachine()
    if sys.platform == "darwin":
        return MacMachine()
    from bot.desktop.x11_machine import X11Machine  # noqa: PLC0415 - of use there only

    return X11Machine()


def _load(path: str) -> Any:
    return ctypes.CDLL(path)


def _answer(services: Any, name: str, kind: Any, *arguments: Any) -> Any:
    """What a function of macOS returns, which is of this kind; as an int it would be cut off, or too long."""
    ask = getattr(services, name)
    ask.restype = kind
    return ask(*arguments)
