"""Chooses among the platforms; the one place that asks which system this is.

A platform is a folder with a class that extends `Platform`, and a case in `this_platform`. Each is imported only where
it is made.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing, contextmanager
from typing import TYPE_CHECKING, Literal

from bot.desktop.protocols import Desktop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.desktop.protocols import Platform

Kind = Literal["x11", "win32", "general"]  # the folders of platforms


def kind_here() -> Kind:
    """The kind of this machine's desktop."""
    if sys.platform == "win32":
        return "win32"
    return "general" if sys.platform == "darwin" else "x11"


def this_platform(kind: Kind | None = None) -> Platform:
    """The platform of this machine, or of another kind; nothing is asked of it yet."""
    match kind or kind_here():
        case "x11":
            from bot.desktop.x11 import X11Desktop

            return X11Desktop()
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
        yield Desktop(screen, platform.mouse(), keyboard, programs)
