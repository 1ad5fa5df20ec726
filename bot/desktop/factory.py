"""Chooses among the platforms; the one place that asks which system this is.

A platform is a folder with a class that extends `Platform`, and a case in `this_platform`. Each is imported only where
it is made.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Literal

from bot.desktop.protocols import Desktop
from bot.errors import ScreenError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.desktop.protocols import Platform

Kind = Literal["x11", "wlroots", "portal", "win32", "general"]  # the folders of platforms
_KINDS: dict[str, Kind] = {"win32": "win32", "darwin": "general"}  # by the names of systems that have one alone


_chosen: list[Kind] = []  # what the person chose; the last counts


def choose(kind: Kind) -> None:
    """Have this process take a kind of desktop, whatever answers.

    Raises:
        UsageError: this system has another one alone.
    """
    if sys.platform in _KINDS:
        raise UsageError(f"a kind of desktop is chosen on Linux alone, got {kind!r}: leave --desktop out")
    _chosen.append(kind)


def kind_here() -> Kind:
    """The kind of this machine's desktop; in a Wayland session of no known kind that is x11, which says why not."""
    if sys.platform in _KINDS:
        return _KINDS[sys.platform]
    if _chosen:
        return _chosen[-1]
    is_wayland = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("XDG_SESSION_TYPE") == "wayland"
    if not is_wayland:
        return "x11"
    return "wlroots" if _is_wlroots() else "portal" if _has_portals() else "x11"


def _is_wlroots() -> bool:
    """Whether the Wayland compositor lets programs see its outputs and press buttons, by the protocols of wlroots."""
    from bot.desktop.wlroots import missing_interfaces
    from bot.desktop.wlroots.sway import SOCKET_VARIABLE

    try:
        return not missing_interfaces()
    except ScreenError:
        return SOCKET_VARIABLE in os.environ  # sway cannot be reached, and that is to be said


def _has_portals() -> bool:
    """Whether the desktop lets programs press buttons by its portals."""
    from bot.desktop.portal import missing_portals

    try:
        return not missing_portals()
    except ScreenError:
        return False


def this_platform(kind: Kind | None = None) -> Platform:
    """The platform of this machine, or of another kind; nothing is asked of it yet."""
    match kind or kind_here():
        case "x11":
            from bot.desktop.x11 import X11Desktop

            return X11Desktop()
        case "wlroots":
            from bot.desktop.wlroots import WlrootsDesktop

            return WlrootsDesktop()
        case "portal":
            from bot.desktop.portal import PortalDesktop

            return PortalDesktop()
        case "win32":
            from bot.desktop.win32 import WindowsDesktop

            return WindowsDesktop()
        case "general":
            from bot.desktop.general import GeneralDesktop

            return GeneralDesktop()


@contextmanager
def open_desktop(kind: Kind | None = None) -> Iterator[Desktop]:
    """The screen, mouse, keyboard and programs of `this_platform`, while the block runs.

    Raises:
        ScreenError: one of them cannot be used here.
    """
    platform = this_platform(kind)
    with ExitStack() as stack:
        screen = stack.enter_context(closing(platform.screen()))  # mss comes before pyautogui
        programs = stack.enter_context(closing(platform.programs()))
        keyboard = stack.enter_context(closing(platform.keyboard()))
        mouse = stack.enter_context(closing(platform.mouse()))
        yield Desktop(screen, mouse, keyboard, programs)
