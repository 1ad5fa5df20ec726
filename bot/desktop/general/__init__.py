"""The general desktop: what libraries do on any system (mss, pyautogui, pynput). macOS has it, where it was never run.

The other platforms extend it, and override what their system does better.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from bot.desktop.protocols import Machine, Platform, Programs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner, HotKeys, Keyboard, MachineScreen, Mouse
    from bot.models import Pixel


class GeneralDesktop(Platform):
    """A desktop that libraries see and click."""

    def machine(self) -> Machine:
        return _GeneralMachine()

    def screen(self) -> MachineScreen:
        self.prepare()
        from bot.desktop.general.screen import MssScreen

        return MssScreen()

    def mouse(self) -> Mouse:
        from bot.desktop.general.input import AutoGuiMouse

        return AutoGuiMouse()

    def keyboard(self) -> Keyboard:
        from bot.desktop.general.input import AutoGuiKeyboard

        return AutoGuiKeyboard()

    def programs(self) -> Programs:
        return _ProgramInFront()

    def hot_keys(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> HotKeys:
        from bot.desktop.general.hotkeys import PynputHotKeys

        return PynputHotKeys(keys, owner)


class _GeneralMachine(Machine):
    """A machine that says nothing itself."""

    def describe(self) -> str:
        return "macOS" if sys.platform == "darwin" else sys.platform

    def describe_permissions(self) -> str:
        """What a person has to grant; nobody is asked whether that was done: the other checks show it."""
        return "macOS asks for Screen Recording, Accessibility and Input Monitoring: allow the terminal all three"

    def check_mouse(self) -> None:
        """The mouse can be tried."""


class _ProgramInFront(Programs):
    """Knows one program by the number of its process; pyautogui brings macOS's library for that."""

    def __init__(self) -> None:
        from AppKit import NSWorkspace

        self._workspace: Any = NSWorkspace.sharedWorkspace()

    def focused(self) -> int | None:
        program = self._workspace.frontmostApplication()
        return None if program is None else int(program.processIdentifier())

    def at(self, pixel: Pixel) -> int | None:
        """The process in front: macOS gives a click to another one only to bring it to the front."""
        return self.focused()

    def activate(self, window: int) -> None:
        """Nothing: no window is known here."""

    def close(self) -> None:
        """Nothing to give back."""
