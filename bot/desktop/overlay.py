"""Watches one window and draws over it, so that neither disturbs the other: what can do that on this system."""

from __future__ import annotations

import sys
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bot.desktop.session import check_session
from bot.desktop.windows_overlay import WindowsOverlay, WindowsWatch
from bot.errors import ScreenError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.desktop.protocols import Overlay, WatchedWindow
    from bot.models import Pixel


def check_can_overlay(platform: str = sys.platform) -> None:
    """Make sure that windows can be drawn over on this system.

    Args:
        platform: as `sys.platform`.

    Raises:
        ScreenError: they cannot, or there is no display.
    """
    check_session(platform=platform)
    if platform == "darwin":
        raise ScreenError(
            "windows are drawn over on Windows and X11 only\n"
            "Elsewhere let minebot advise look at a screenshot: minebot advise PICTURE --why --picture OUT.png"
        )


@contextmanager
def overlay_at(pixel: Pixel) -> Iterator[tuple[WatchedWindow, Overlay]]:
    """Watch the window that shows at a pixel of the screen, and draw over it, while the block runs.

    Raises:
        ScreenError: no window is there, or it cannot be done on this system.
    """
    check_can_overlay()
    with ExitStack() as stack:
        watch, overlay = _on_windows(pixel, stack) if sys.platform == "win32" else _on_x11(pixel, stack)
        yield watch, overlay


def _on_windows(pixel: Pixel, stack: ExitStack) -> tuple[WatchedWindow, Overlay]:
    watch = WindowsWatch(pixel)
    stack.callback(watch.close)
    overlay = WindowsOverlay(watch)
    stack.callback(overlay.close)
    return watch, overlay


def _on_x11(pixel: Pixel, stack: ExitStack) -> tuple[WatchedWindow, Overlay]:
    from bot.desktop.x11_overlay import X11Overlay, X11Watch  # noqa: PLC0415 - only X11 has Xlib

    watch = X11Watch(pixel)
    stack.callback(watch.close)
    overlay = X11Overlay(watch)
    stack.callback(overlay.close)
    return watch, overlay
