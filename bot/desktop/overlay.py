"""Sheets over a window that is watched, each in a window of the bot's own: what X11 and Windows have alike.

What is hidden has no window.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from bot.errors import WindowClosedError
from bot.models import Pixel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.desktop.protocols import WatchedWindow
    from bot.models import Region, Sheet


class Pane(ABC):
    """One window of an overlay, which shows one sheet.

    Attributes:
        window: the window, as the system has it.

    Args:
        window: as the attribute.
    """

    def __init__(self, window: Any) -> None:
        self.window = window
        self._sheet: Sheet | None = None
        self._corner: Pixel | None = None

    def draw(self, sheet: Sheet, place: Region) -> None:
        """Show a sheet over a window that is there.

        Raises:
            ScreenError: the system does not let it be drawn.
        """
        if sheet is not self._sheet:
            self._paint(sheet)
            self._sheet = sheet
        self.go_to(place)

    def go_to(self, place: Region) -> None:
        """Lie where the sheet lies in a window that is there."""
        assert self._sheet is not None, "something is drawn before it is shown"
        picture = self._sheet.picture
        corner = Pixel(place.left + picture.left, place.top + picture.top)
        if corner != self._corner:
            self._move_to(corner)
            self._corner = corner

    @abstractmethod
    def close(self) -> None:
        """Be gone."""

    @abstractmethod
    def _paint(self, sheet: Sheet) -> None:
        """Give the system the pixels of a sheet; those that are not drawn are nothing at all."""

    @abstractmethod
    def _move_to(self, corner: Pixel) -> None:
        """Lie at a place on the screen."""


class PaneOverlay(ABC):
    """Sheets over a window that is watched. Use it from the thread that made it only.

    Args:
        watch: the window.
    """

    def __init__(self, watch: WatchedWindow) -> None:
        self._watch = watch
        self._panes: list[Pane] = []
        """The lowest first."""

    def show(self, sheets: Sequence[Sheet]) -> None:
        """Draw these, each over those before, and nothing else any more; their places are in the window.

        Raises:
            ScreenError: the system does not let them be drawn.
        """
        place = self._watch.place()
        if place is None:
            self.hide()
            return
        while len(self._panes) > len(sheets):
            self._panes.pop().close()
        while len(self._panes) < len(sheets):
            self._panes.append(self._make_pane())
        for pane, sheet in zip(self._panes, sheets, strict=True):
            pane.draw(sheet, place)
        self._settle_panes()

    def hide(self) -> None:
        """Draw nothing."""
        while self._panes:
            self._panes.pop().close()
        self._flush_requests()

    def follow(self) -> None:
        """Go where the window went since, and above it again where it was raised."""
        if not self._panes:
            return
        try:
            place = self._watch.place()
        except WindowClosedError:
            place = None
        if place is None:
            self.hide()
            return
        for pane in self._panes:
            pane.go_to(place)
        self._settle_panes()

    def close(self) -> None:
        """Draw nothing ever again."""
        self.hide()

    def _settle_panes(self) -> None:
        if not self._is_stacked():
            self._stack_panes()
        self._flush_requests()

    @abstractmethod
    def _make_pane(self) -> Pane:
        """One window more, not seen yet."""

    @abstractmethod
    def _is_stacked(self) -> bool:
        """Whether what is shown lies right above the window."""

    @abstractmethod
    def _stack_panes(self) -> None:
        """Lie right above the window, the first sheet lowest, and be seen."""

    @abstractmethod
    def _flush_requests(self) -> None:
        """Have the system see to what was asked of it."""
