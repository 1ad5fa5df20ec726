"""Notices when a person turned to another program: then nothing more is clicked until the start key says so.

The program that is played is the one whose window shows where the bot clicks. Some never get the keyboard; only one
that had it can lose it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.desktop import Programs
    from bot.models import Pixel


class FocusWatch:
    """Remembers the program that is played.

    Args:
        programs: whom to ask.
    """

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._played: int | None = None
        self._window: int | None = None
        self._learned_at: Pixel | None = None
        self._had_keyboard = False

    def is_lost(self) -> bool:
        """Whether another program has, or had since this was asked last, the keyboard that the one that is played had.

        A click of the same moment may have taken it back: a window manager gives it to the window that is clicked. A
        program that is gone has lost more than that: its board is looked for instead.
        """
        focused = self._programs.focused()
        turned_to = self._programs.turned_to()
        return any(self._is_lost_to(program) for program in (*turned_to, focused))

    def _is_lost_to(self, program: int | None) -> bool:
        if self._played is None or self._learned_at is None:
            return False
        if program in (None, self._played):
            self._had_keyboard |= program is not None
            return False
        return self._had_keyboard and self._programs.at(self._learned_at) in (program, self._played)

    def learn(self, pixel: Pixel) -> None:
        """Learn which program is played, where that is not known: the one that shows at this pixel of the board."""
        if self._played is None:
            self._learned_at = pixel
            self._played = self._programs.at(pixel)
            self._window = self._programs.window_at(pixel)

    @property
    def knows_windows(self) -> bool:
        """Whether it is known which window is played, and so whose window shows at a pixel."""
        return self._played is not None and self._window is not None

    def is_played(self, pixels: Iterable[Pixel]) -> bool:
        """Whether the program that is played shows at one of these pixels; true where nothing is known."""
        return self._played is None or any(self._programs.at(pixel) == self._played for pixel in pixels)

    def is_same_window(self, pixels: Iterable[Pixel]) -> bool:
        """Whether the very window that is played shows at one of these pixels."""
        return self._window is not None and any(self._programs.window_at(pixel) == self._window for pixel in pixels)

    def is_all_of_window(self, pixels: Iterable[Pixel]) -> bool:
        """Whether it is known that the very window that is played shows at each of these pixels."""
        return self._window is not None and all(self._programs.window_at(pixel) == self._window for pixel in pixels)

    @property
    def window(self) -> int | None:
        """The very window that is played, None where that is not known."""
        return self._window if self.knows_windows else None

    def dialog(self) -> int | None:
        """Another window of the program that is played, if it has the keyboard; None for none, or not known."""
        if not self.knows_windows or self._programs.focused() != self._played:
            return None
        window = self._programs.focused_window()
        return None if window == self._window else window

    def has_dialog(self) -> bool:
        """Whether another window of the program that is played has the keyboard, known for certain."""
        return self.dialog() is not None

    def has_keyboard(self, window: int | None) -> bool:
        """Whether a key pressed now goes to this window, known for certain."""
        return window is not None and self._programs.focused_window() == window

    def forget(self) -> None:
        """A person did what they liked: learn it anew."""
        self._played = None
        self._had_keyboard = False
        self._programs.turned_to()
