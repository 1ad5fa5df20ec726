"""The coach's loop: look when the clone has painted, think, draw; and say why of the cell under the pointer.

It holds no mouse and no keyboard: it cannot click. What is drawn follows the window at once, and is taken away while
the board cannot be read; marks of proven cells stay while the rest is repainted, for what is proven stays proven.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.coaching.drawing import NO_MARKS, PANEL_WIDTH_PX, draw_marks, draw_panel, mark, place_panel
from bot.coaching.knowledge import give_reason, know, remark_on
from bot.errors import WindowClosedError
from bot.models import Frame, Region, Sheet
from bot.playing.transitions import continues

if TYPE_CHECKING:
    from concurrent.futures import Future

    from bot.coaching.drawing import Marks
    from bot.coaching.knowledge import Knowledge, Remark
    from bot.coaching.sight import BoardSight, Look
    from bot.desktop import Overlay, WatchedWindow
    from bot.models import Pixel, Reading
    from bot.playing.control import Control
    from solver.topology import Cell

_TICK_S = 0.012
"""Pause between two questions whether anything has changed; they take a millisecond."""
REST_S = 0.15
"""Time after which the pointer rests on a cell, in seconds: then its reason is worked out, which may take a while."""


class Listener(Protocol):
    """Somebody who is told what the coach says, besides what it draws."""

    def position(self, reading: Reading, knowledge: Knowledge, marks: Marks, corner: Pixel, took_s: float) -> None:
        """A board is known; `corner` is where the window is on the screen, `took_s` the time from change to drawing."""

    def moved(self, reading: Reading, knowledge: Knowledge, marks: Marks, corner: Pixel) -> None:
        """The window is elsewhere on the screen than it was told to be; the board is the same."""

    def cell(self, remark: Remark, reason: str) -> None:
        """The pointer rests on a cell, and this is why it is what it is."""

    def warning(self, remark: Remark) -> None:
        """The pointer is over a mine."""

    def hidden(self, why: str) -> None:
        """Nothing is drawn any more for now."""

    def ended(self, why: str) -> None:
        """Nothing is drawn ever again."""


@dataclass(slots=True)
class _Pointed:
    """The cell under the pointer, since when, and what is said of it."""

    cell: Cell | None = None
    since: float = 0.0
    remark: Remark | None = None
    reasoning: Future[str] | None = None
    """Worked out beside, as it may take longer than the next change of the board does."""
    reason: str | None = None


class Coach:
    """Coaches over one window.

    Args:
        window: the clone's window.
        overlay: draws over it.
        sight: looks at its board.
        control: hidden while it is paused; asked while waiting.
        listener: told what is known.
    """

    def __init__(
        self, window: WatchedWindow, overlay: Overlay, sight: BoardSight, control: Control, listener: Listener
    ) -> None:
        self._window = window
        self._overlay = overlay
        self._sight = sight
        self._control = control
        self._listener = listener
        self._place: Region | None = None
        self._look: Look | None = None
        self._reading: Reading | None = None
        self._knowledge: Knowledge | None = None
        self._marks = NO_MARKS
        self._told_corner: Pixel | None = None
        self._pointed = _Pointed()
        self._panel: tuple[tuple[str, str, bool], Sheet] | None = None
        self._is_shown = False
        self._thinker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="coach")

    def run(self) -> None:
        """Coach until the window is closed.

        Raises:
            Aborted: the abort key was pressed.
        """
        try:
            while True:
                self.step()
                self._control.wait(_TICK_S)
        except WindowClosedError:
            self._listener.ended("the window was closed")
        finally:
            self._thinker.shutdown(wait=False, cancel_futures=True)

    def step(self) -> None:
        """One round: see what has changed since the last one, and what follows.

        Raises:
            Aborted: the abort key was pressed.
            WindowClosedError: the window is closed.
        """
        self._control.raise_if_aborted()
        began_at = time.perf_counter()
        place = self._window.place()
        if place is None:
            self._hide("the window does not show")
            return
        if not self._control.is_running:
            self._hide("hidden by the start key")
            return
        self._overlay.follow()
        has_moved = place != self._place
        if self._place is not None and (place.width, place.height) != (self._place.width, self._place.height):
            self._sight.forget_place()
        self._place = place
        has_changed = self._window.has_changed()
        if has_changed or not self._is_shown or self._sight.is_in_trouble:
            self._see(self._sight.look(), began_at)
        if self._is_shown and (self._point() or has_moved):
            self._draw()
        if self._is_shown and not has_moved and place.corner != self._told_corner:
            self._tell_moved(place.corner)

    # --- the board

    def _see(self, look: Look | None, began_at: float) -> None:
        """Know, mark and draw what was seen."""
        if look is None:
            self._hide("the board cannot be seen")
            return
        self._look = look
        if look.is_whole:
            self._learn(look, began_at)
        elif self._reading is None or not continues(look.reading, self._reading):
            self._hide("the board cannot be read")
        else:
            before, self._marks = self._marks, self._marks.still_true(look.reading.board)
            if self._is_shown and self._marks != before:  # what is hidden is told when it comes back whole
                self._draw()

    def _learn(self, look: Look, began_at: float) -> None:
        """Draw what is known of a whole board; report it where it is another one than before."""
        now, known = look.reading, self._reading
        is_known = known is not None and known.board == now.board and known.grid == now.grid
        if not is_known or self._knowledge is None:
            self._knowledge = know(now.board)
            self._pointed = _Pointed()
        self._reading = now
        self._marks = mark(self._knowledge)
        was_shown = self._is_shown
        self._point()
        self._draw()
        if not (is_known and was_shown):
            assert self._place is not None, "it shows somewhere"
            self._told_corner = corner = self._place.corner
            self._listener.position(now, self._knowledge, self._marks, corner, time.perf_counter() - began_at)

    def _tell_moved(self, corner: Pixel) -> None:
        """Say where the board is, once its window rests elsewhere than was said."""
        assert self._reading is not None, "it is shown"
        assert self._knowledge is not None, "the same"
        self._told_corner = corner
        self._listener.moved(self._reading, self._knowledge, self._marks, corner)

    # --- the pointer

    def _point(self) -> bool:
        """See what the pointer is on; returns whether something else is to be said or drawn."""
        if self._knowledge is None or self._reading is None:
            return False
        pixel, pointed = self._window.pointer(), self._pointed
        cell = None if pixel is None else self._reading.grid.cell_at(pixel)
        now = time.perf_counter()
        if cell != pointed.cell or pointed.since == 0.0:
            remark = None if cell is None else remark_on(self._knowledge, cell)
            self._pointed = _Pointed(cell, now, remark)
            if remark is not None and remark.is_warning:
                self._listener.warning(remark)
            return True
        if pointed.remark is None or pointed.reason is not None or now < pointed.since + REST_S:
            return False
        if pointed.reasoning is None:
            pointed.reasoning = self._thinker.submit(give_reason, self._knowledge, pointed.remark.cell)
        if not pointed.reasoning.done():
            return False
        pointed.reason = pointed.reasoning.result()
        self._listener.cell(pointed.remark, pointed.reason)
        return True

    # --- drawing

    def _draw(self) -> None:
        """Show marks and panel as they are to be now."""
        look, remark = self._look, self._pointed.remark
        assert look is not None, "something was seen"
        warned = remark.cell if remark is not None and remark.is_warning and look.is_whole else None
        marks = draw_marks(look.frame, look.reading.grid, self._marks, warned)
        if self._panel is not None and self._is_shown:  # words take longer than marks, which nobody should wait for
            self._overlay.show([marks, self._panel[1]])
        self._overlay.show([marks, self._placed_panel()])
        self._is_shown = True

    def _placed_panel(self) -> Sheet:
        """The panel with what is to be said, beside the window."""
        assert self._knowledge is not None, "something is known"
        assert self._place is not None, "the window shows somewhere"
        remark, headline = self._pointed.remark, self._knowledge.headline
        if remark is None:
            says = (headline[:1].upper() + headline[1:], "", False)
        else:
            says = (remark.title, self._pointed.reason or "", remark.is_warning)
        if self._panel is None or self._panel[0] != says:
            self._panel = says, draw_panel(says[0], says[1], is_warning=says[2])
        sheet = self._panel[1]
        place, picture = self._place, sheet.picture
        grid = self._reading.grid.region if self._reading is not None else Region(0, 0, 1, 1)
        board = Region(grid.left + place.left, grid.top + place.top, grid.width, grid.height)
        size = (PANEL_WIDTH_PX, picture.region.height)
        corner = place_panel(size, place, board, self._window.monitor())
        left, top = corner.x - place.left, corner.y - place.top
        if (picture.left, picture.top) != (left, top):
            sheet = Sheet(Frame(picture.pixels_bgr, left, top), sheet.is_drawn)
            self._panel = says, sheet
        return sheet

    def _hide(self, why: str) -> None:
        """Draw nothing for now."""
        if self._is_shown:
            self._overlay.hide()
            self._is_shown = False
            self._listener.hidden(why)
