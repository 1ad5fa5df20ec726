"""The desktop of Windows. Every module here can be imported anywhere."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from bot.desktop.win32.system import WindowsMachine, WindowsPrograms, use_true_pixels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.desktop.protocols import (
        HotKey,
        HotKeyOwner,
        HotKeys,
        Keyboard,
        Machine,
        MachineScreen,
        Mouse,
        Overlay,
        Programs,
        WatchedWindow,
    )
    from bot.models import Pixel


class WindowsDesktop:
    """The desktop of Windows."""

    def has_display(self) -> bool:
        """There always is one."""
        return True

    def prepare(self) -> None:
        """Count pixels as the monitors do: before mss and pyautogui are imported, which ask for less."""
        use_true_pixels()

    def prepare_own_window(self) -> None:
        """Count pixels as the monitors do, or Windows would scale the window's picture."""
        use_true_pixels()

    def machine(self) -> Machine:
        """What Windows says about itself."""
        return WindowsMachine()

    def screen(self) -> MachineScreen:
        """The screen.

        Raises:
            ScreenError: it cannot be captured.
        """
        self.prepare()
        from bot.desktop.screen import MssScreen  # noqa: PLC0415 - after `prepare`

        return MssScreen()

    def mouse(self) -> Mouse:
        """The mouse."""
        self.prepare()
        from bot.desktop.win32.input import WindowsMouse  # noqa: PLC0415 - of use here only

        return WindowsMouse()

    def keyboard(self) -> Keyboard:
        """The keyboard."""
        self.prepare()
        from bot.desktop.autogui import AutoGuiKeyboard  # noqa: PLC0415 - after `prepare`

        return AutoGuiKeyboard()

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

    def check_can_overlay(self) -> None:
        """Windows can be drawn over."""

    @contextmanager
    def overlay_at(self, pixel: Pixel) -> Iterator[tuple[WatchedWindow, Overlay]]:
        """Watch the window that shows at a pixel of the screen, and draw over it, while the block runs.

        Raises:
            ScreenError: no window is there, or it does not let itself be seen.
        """
        from bot.desktop.win32.overlay import WindowsOverlay, WindowsWatch  # noqa: PLC0415 - of use here only

        with ExitStack() as stack:
            watch = WindowsWatch(pixel)
            stack.callback(watch.close)
            overlay = WindowsOverlay(watch)
            stack.callback(overlay.close)
            yield watch, overlay
