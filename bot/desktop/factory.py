"""Which platform this is: the one place that asks. The bot gets its screen, mouse and keys here.

A new platform is a folder with a class that fits `Platform`, and a line here.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bot.desktop.protocols import Keyboard, Mouse, Platform, Programs, Screen


@dataclass(frozen=True, slots=True)
class Desktop:
    """What play sees and touches: the real machine, or one that a test made up."""

    screen: Screen
    mouse: Mouse
    keyboard: Keyboard
    programs: Programs


def this_platform() -> Platform:
    """The platform of this machine; nothing is asked of it yet."""
    if sys.platform == "win32":
        from bot.desktop.win32 import WindowsDesktop  # noqa: PLC0415 - of use there only

        return WindowsDesktop()
    if sys.platform == "darwin":
        from bot.desktop.macos import MacDesktop  # noqa: PLC0415 - of use there only

        return MacDesktop()
    from bot.desktop.x11 import X11Desktop  # noqa: PLC0415 - of use there only

    return X11Desktop()


@contextmanager
def open_desktop() -> Iterator[Desktop]:
    """This machine's screen, mouse, keyboard and programs, while the block runs.

    Raises:
        ScreenError: one of them cannot be used here.
    """
    platform = this_platform()
    with ExitStack() as stack:
        screen = stack.enter_context(closing(platform.screen()))  # mss comes before pyautogui
        programs = stack.enter_context(closing(platform.programs()))
        keyboard = stack.enter_context(closing(platform.keyboard()))
        yield Desktop(screen, platform.mouse(), keyboard, programs)
