"""macOS: what it says about itself and its programs; screen, mouse and keys go through libraries. Written by the book.

A program is a number, that of its process. Nothing of it is kept or sent anywhere.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from bot.desktop.protocols import Platform
from bot.errors import ScreenError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner, HotKeys, Machine, Mouse, Programs
    from bot.models import Pixel, Region

_APPLICATION_SERVICES = "/System/Library/Frameworks/ApplicationServices.framework/ApplicationServices"
_MAC_PERMISSIONS = {
    "Screen Recording": "CGPreflightScreenCaptureAccess",
    "Accessibility": "AXIsProcessTrusted",
    "Input Monitoring": "CGPreflightListenEventAccess",
}
"""What macOS asks a person for, and the question whether that was granted; it asks nobody."""


class MacDesktop(Platform):
    """The desktop of macOS."""

    def prepare(self) -> None:
        """Nothing: programs may capture and click, or `mouse` says what is missing."""

    def prepare_own_window(self) -> None:
        """Nothing."""

    def machine(self) -> Machine:
        """What it says about itself."""
        return _MacMachine()

    def mouse(self) -> Mouse:
        """The mouse.

        Raises:
            ScreenError: permissions are missing; without them macOS drops clicks and keys without a word.
        """
        _MacMachine().describe_permissions()
        from bot.desktop.autogui import AutoGuiMouse  # noqa: PLC0415 - needs a display

        return AutoGuiMouse()

    def programs(self) -> Programs:
        """Its programs."""
        return _MacPrograms()

    def hot_keys(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> HotKeys:
        """Listens for these keys."""
        from bot.desktop.mac_hotkeys import MacHotKeys  # noqa: PLC0415 - needs a display

        return MacHotKeys(keys, owner)

    def check_can_overlay(self) -> None:
        """Windows cannot be drawn over.

        Raises:
            ScreenError: always.
        """
        raise ScreenError(
            "windows are drawn over on Windows and X11 only\n"
            "Elsewhere let minebot advise look at a screenshot: minebot advise PICTURE --why --picture OUT.png"
        )


class _CGPoint(ctypes.Structure):
    _fields_ = (("x", ctypes.c_double), ("y", ctypes.c_double))


class _MacMachine:
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


class _MacPrograms:
    """Asks macOS; pyautogui brings the library for that."""

    def __init__(self) -> None:
        from AppKit import NSWorkspace  # noqa: PLC0415 - there only

        self._workspace: Any = NSWorkspace.sharedWorkspace()

    def focused(self) -> int | None:
        """The process that has the keyboard, None where none has."""
        program = self._workspace.frontmostApplication()
        return None if program is None else int(program.processIdentifier())

    def turned_to(self) -> list[int]:
        """Not known here."""
        return []

    def at(self, pixel: Pixel) -> int | None:  # noqa: ARG002 - a question for all systems
        """The process in front: macOS gives a click to another one only to bring it to the front."""
        return self.focused()

    def focused_window(self) -> int | None:
        """Not known here."""
        return None

    def window_at(self, pixel: Pixel) -> int | None:  # noqa: ARG002 - as above
        """Not known here."""
        return None

    def has_window(self, window: int) -> bool:  # noqa: ARG002 - as above
        """Not known here."""
        return False

    def dialogs(self, window: int) -> list[int]:  # noqa: ARG002 - nobody asks the windows here
        """Not known here."""
        return []

    def activate(self, window: int) -> None:  # as above
        """Nothing: no window is known here."""

    def close(self) -> None:
        """Nothing to give back."""


def _load(path: str) -> Any:
    return ctypes.CDLL(path)


def _answer(services: Any, name: str, kind: Any, *arguments: Any) -> Any:
    """What a function of macOS returns, which is of this kind; as an int it would be cut off, or too long."""
    ask = getattr(services, name)
    ask.restype = kind
    return ask(*arguments)
