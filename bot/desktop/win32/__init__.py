"""The desktop of Windows. Every module here can be imported anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.desktop.general import GeneralDesktop
from bot.desktop.win32.system import WindowsMachine, WindowsPrograms, use_true_pixels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.desktop.protocols import HotKey, HotKeyOwner, HotKeys, Keyboard, Machine, Mouse, Overlay, Programs
    from bot.desktop.win32.watch import WindowsWatch
    from bot.models import Pixel


class WindowsDesktop(GeneralDesktop):
    """The desktop of Windows."""

    def prepare(self) -> None:
        """Count pixels as the monitors do: before mss and pyautogui are imported, which ask for less."""
        use_true_pixels()

    def prepare_own_window(self) -> None:
        """Count pixels as the monitors do, or Windows would scale the window's picture."""
        use_true_pixels()

    def machine(self) -> Machine:
        return WindowsMachine()

    def mouse(self) -> Mouse:
        self.prepare()
        from bot.desktop.win32.input import WindowsMouse

        return WindowsMouse()

    def keyboard(self) -> Keyboard:
        self.prepare()
        from bot.desktop.general.input import windows_codes
        from bot.desktop.win32.input import WindowsKeyboard

        return WindowsKeyboard(windows_codes)

    def programs(self) -> Programs:
        return WindowsPrograms()

    def hot_keys(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> HotKeys:
        from bot.desktop.win32.hotkeys import WindowsHotKeys

        return WindowsHotKeys(keys, owner)

    def _overlay_kinds(self) -> tuple[Callable[[Pixel], WindowsWatch], Callable[[WindowsWatch], Overlay]]:
        from bot.desktop.win32.overlay import WindowsOverlay
        from bot.desktop.win32.watch import WindowsWatch

        return WindowsWatch, WindowsOverlay
