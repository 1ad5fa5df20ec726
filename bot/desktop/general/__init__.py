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
        """What Python says of it."""
        return _GeneralMachine()

    def screen(self) -> MachineScreen:
        """The screen, by mss."""
        self.prepare()
        from bot.desktop.general.screen import MssScreen  # noqa: PLC0415 - after `prepare`

        return MssScreen()

    def mouse(self) -> Mouse:
        """The mouse, by pyautogui."""
        from bot.desktop.general.input import AutoGuiMouse  # noqa: PLC0415 - needs a display

        return AutoGuiMouse()

    def keyboard(self) -> Keyboard:
        """The keyboard, by pyautogui."""
        from bot.desktop.general.input import AutoGuiKeyboard  # noqa: PLC0415 - needs a display

        return AutoGuiKeyboard()

    def programs(self) -> Programs:
        """The program in front."""
        return _ProgramInFront()

    def hot_keys(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> HotKeys:
        """Listens for these keys, by pynput."""
        from bot.desktop.general.hotkeys import PynputHotKeys  # noqa: PLC0415 - needs a display

        return PynputHotKeys(keys, owner)


class _GeneralMachine(Machine):
    """A machine that says nothing itself."""

    def describe(self) -> str:
        """What it is."""
        return "macOS" if sys.platform == "darwin" else sys.platform

    def describe_permissions(self) -> str:
        """What a person has to grant; nobody is asked whether that was done: the other checks show it."""
        return "macOS asks for Screen Recording, Accessibility and Input Monitoring: allow the terminal all three"

    def check_mouse(self) -> None:
        """The mouse can be tried."""


class _ProgramInFront(Programs):
    """Knows one program by the number of its process; pyautogui brings macOS's library for that."""

    def __init__(self) -> None:
        from AppKit import NSWorkspace  # noqa: PLC0415 - macOS alone has it

        self._workspace: Any = NSWorkspace.sharedWorkspace()

    def focused(self) -> int | None:
        """The process that has the keyboard, None where none has."""
        program = self._workspace.frontmostApplication()
        return None if program is None else int(program.processIdentifier())

    def at(self, pixel: Pixel) -> int | None:  # noqa: ARG002 - a question for all systems
        """The process in front: macOS gives a click to another one only to bring it to the front."""
        return self.focused()

    def activate(self, window: int) -> None:
        """Nothing: no window is known here."""

    def close(self) -> None:
        """Nothing to give back."""
