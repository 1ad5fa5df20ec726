"""Windows where a Wayland compositor lists them: who has the keyboard, who shows where, where a followed one is now."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.desktop.protocols import Mouse, Programs
from bot.models import Button, Pixel, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Click, Region

_BUTTONS = {Button.LEFT: (0x110,), Button.RIGHT: (0x111,), Button.MIDDLE: (0x112,), Button.BOTH: (0x110, 0x111)}
"""The kernel's numbers of the buttons."""
_HELD_S = 0.008
"""How long a button is held down, in seconds. GTK 4 loses one click of ten that is over within a millisecond, or paints
it only when the pointer moves; of those held for 4 ms it lost none."""


@dataclass(frozen=True, slots=True)
class Window:
    """A window as the compositor tells of it.

    Attributes:
        number: the compositor's, or one that stands for its name; one that came up later has a greater number.
        program: the process.
        region: where it is, in pixels.
        is_shown: whether it is on a workspace that shows, and no icon.
        is_focused: whether it has the keyboard.
        is_dialog: whether the compositor says that it belongs to another window.
    """

    number: int
    program: int
    region: Region
    is_shown: bool
    is_focused: bool
    is_dialog: bool


class WindowList(ABC):
    """Who tells of windows. Use it from the thread that made it only."""

    @abstractmethod
    def windows(self) -> Sequence[Window]:
        """All windows, each over those before it.

        Raises:
            ScreenError: nobody tells any more.
        """

    @abstractmethod
    def turned_to(self) -> list[int]:
        """The programs that got the keyboard since this was asked last, in that order."""

    @abstractmethod
    def focus(self, number: int) -> None:
        """Give a window the keyboard."""

    @abstractmethod
    def close(self) -> None:
        """End the connection."""

    def window(self, number: int) -> Window | None:
        """The window with this number; None where it is closed."""
        return next((one for one in self.windows() if one.number == number), None)

    def window_at(self, pixel: Pixel) -> Window | None:
        """The window that shows at a pixel, None where none does. Menus and panels are no windows."""
        shown = [one for one in self.windows() if one.is_shown and one.region.has_pixel(pixel)]
        return shown[-1] if shown else None

    def focused(self) -> Window | None:
        """The window that has the keyboard, None where none has."""
        return next((one for one in self.windows() if one.is_focused), None)


class ListedPrograms(Programs):
    """Programs and windows by who lists them.

    Args:
        windows: who that is.
    """

    def __init__(self, windows: WindowList) -> None:
        self._windows = windows

    def focused(self) -> int | None:
        window = self._windows.focused()
        return None if window is None else window.program

    def turned_to(self) -> list[int]:
        return self._windows.turned_to()

    def at(self, pixel: Pixel) -> int | None:
        window = self._windows.window_at(pixel)
        return None if window is None else window.program

    def focused_window(self) -> int | None:
        window = self._windows.focused()
        return None if window is None else window.number

    def window_at(self, pixel: Pixel) -> int | None:
        window = self._windows.window_at(pixel)
        return None if window is None else window.number

    def place_of(self, window: int) -> Region | None:
        found = self._windows.window(window)
        return found.region if found is not None and found.is_shown else None

    def has_window(self, window: int) -> bool:
        return self._windows.window(window) is not None

    def dialogs(self, window: int) -> list[int]:
        windows = self._windows.windows()
        programs = {one.program for one in windows if one.number == window}
        later = (one for one in windows if one.is_shown and one.is_dialog and one.number > window)
        return sorted(one.number for one in later if one.program in programs)

    def activate(self, window: int) -> None:
        self._windows.focus(window)

    def close(self) -> None:
        self._windows.close()


class UnknownPrograms(Programs):
    """Nobody tells of programs."""

    def activate(self, window: int) -> None:
        """Nothing: no window is known."""

    def close(self) -> None:
        """Nothing to give back."""


class FollowingMouse(Mouse, ABC):
    """A mouse that clicks where a window is now, and in no other one.

    Args:
        windows: who tells where windows are; None where nobody does.
    """

    def __init__(self, windows: WindowList | None) -> None:
        self._windows = windows
        self._followed: tuple[int | None, Pixel] | None = None
        """The window that clicks are meant for, None for no window, and where its corner was then."""

    def follow(self, pixel: Pixel) -> None:
        window = None if self._windows is None else self._windows.window_at(pixel)
        self._followed = (None, pixel) if window is None else (window.number, window.region.corner)

    def click(self, click: Click) -> Pixel | Refusal:
        """Move there, press and release; returns where that was.

        Refused where another window has come up there, the one that is meant is closed, or no output shows that place.
        """
        at = self._place_now(click.pixel)
        if at is None or self._go_to(at) != at:
            return Refusal.COVERED
        buttons = _BUTTONS[click.button]
        try:
            for button in buttons:
                self._send_button(button, is_down=True)
            time.sleep(_HELD_S)
        finally:
            for button in buttons:
                self._send_button(button, is_down=False)
        return at

    def move(self, pixel: Pixel) -> None:
        self._go_to(pixel)

    def close(self) -> None:
        if self._windows is not None:
            self._windows.close()

    @abstractmethod
    def _go_to(self, pixel: Pixel) -> Pixel:
        """Have the pointer go there, or to the nearest place on any output; returns where that is."""

    @abstractmethod
    def _send_button(self, button: int, *, is_down: bool) -> None:
        """Press or release a button, by the kernel's number."""

    def _place_now(self, pixel: Pixel) -> Pixel | None:
        """Where the place in the followed window is now; None where that window does not show there any more."""
        if self._followed is None or self._windows is None:
            return pixel
        number, corner = self._followed
        if number is None:
            return pixel if self._windows.window_at(pixel) is None else None
        window = self._windows.window(number)
        if window is None:
            return None
        at = Pixel(pixel.x + window.region.left - corner.x, pixel.y + window.region.top - corner.y)
        shows = self._windows.window_at(at)
        return at if shows is not None and shows.number == number else None
