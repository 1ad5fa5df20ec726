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
        """What Windows says about itself."""
        return WindowsMachine()

    def mouse(self) -> Mouse:
        """The mouse."""
        self.prepare()
        from bot.desktop.win32.input import WindowsMouse  # noqa: PLC0415 - of use here only

        return WindowsMouse()

    def keyboard(self) -> Keyboard:
        """The keyboard.

        Raises:
            ScreenError: it cannot be used.
        """
        self.prepare()
        from bot.desktop.general.input import windows_codes  # noqa: PLC0415 - after `prepare`
        from bot.desktop.win32.input import WindowsKeyboard  # noqa: PLC0415 - of use here only

        return WindowsKeyboard(windows_codes)

    def programs(self) -> Programs:
        """The processes and their windows."""
        return WindowsPrograms()

    def hot_keys(self, keys: Sequence[HotKey], owner: HotKeyOwner) -> HotKeys:
        """Listens for these keys.

        Raises:
            UsageError: a key has no such name, or two have the same.
        """
        from bot.desktop.win32.hotkeys import WindowsHotKeys  # noqa: PLC0415 - of use here only

        return WindowsHotKeys(keys, owner)

    def _overlay_kinds(self) -> tuple[Callable[[Pixel], WindowsWatch], Callable[[WindowsWatch], Overlay]]:
        from bot.desktop.win32.overlay import WindowsOverlay  # noqa: PLC0415 - of use here only
        from bot.desktop.win32.watch import WindowsWatch  # noqa: PLC0415 - of use here only

        return WindowsWatch, WindowsOverlay
