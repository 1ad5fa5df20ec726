"""Clicks cells of a board of an unknown clone, and says what came of it."""

from __future__ import annotations

import time
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from bot.models import Button
from calibration.live.cut_board import LONG_STILL_S, StoodStill

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.playing.control import Pointer
    from calibration.live.cut_board import CutObservation, CutView
    from solver.topology import Cell


TRIES_S = (0.3, 0.6, 1.2)
"""How long a click may take to have an effect before it is made again, or is taken to have none."""
_POLL_S = 0.0025  # pause between two pictures of a cell that was clicked, in seconds
_LIT_S = 0.3
"""How long a cell may take to look otherwise once the pointer is over it, or off it, in clones that lighten it."""
_UNLIT_S, _MOST_UNLIT = 0.02, 3
"""How long an open cell may take, in seconds, once this many in a row looked no different when the pointer left."""
_HINT_POLL_S = 0.05  # pause between two pictures of a board on which a hint may come up, in seconds
_HINT_S = 1.0  # how long a hint may take to come up at a pointer that rests


FOR_LONG = StoodStill(LONG_STILL_S)  # where a game may have ended
_AFTER_MANY = StoodStill(0.15)
"""Where many cells change at once: a busy program may pause between two pictures of a cell that fades in."""


class InterruptedClickError(Exception):
    """A person was let go first, or the cell changed before it was clicked: what was seen is not what is."""


class Clicker:
    """Clicks cells of the board that is watched.

    Args:
        view: looks at the board.
        pointer: clicks.
        wait: waits for the seconds given, and notices when a person wants to stop.
    """

    def __init__(self, view: CutView, pointer: Pointer, wait: Callable[[float], None]) -> None:
        self._view = view
        self._pointer = pointer
        self._wait = wait
        self._has_hovered = self._lightens = False
        self._leaves = False
        """Whether the pointer leaves the board after each click: it changes how cells look, or brings up a hint."""
        self._n_unlit = 0
        """How many cells in a row, once clicked, did not look otherwise when the pointer left."""
        self._last: CutObservation | None = None
        """The settled board, as it was last seen."""
        self.n_effects = 0
        """How many clicks, or sets of clicks, changed a cell."""
        self.takes_many = True
        """Whether clicks that follow each other at once all have had their effect."""

    @property
    def n_clicks(self) -> int:
        """How many clicks were made."""
        return self._pointer.n_clicks

    def settled(self) -> CutObservation:
        """The board, settled: at once where it still shows what it showed when it last was."""
        now = self._view.look()
        is_still = self._last is not None and now.is_in_place and now.shows_same_as(self._last)
        self._last = now if is_still else self._view.settled()
        return self._last

    def click(
        self, cell: Cell, seen: CutObservation, button: Button = Button.LEFT, tries_s: tuple[float, ...] = TRIES_S
    ) -> CutObservation | None:
        """Click a cell until it changes; the board then, settled. None where it does not.

        Args:
            cell: which.
            seen: the settled board, as it was just looked at.
            button: with which button.
            tries_s: how long to wait after each click.

        Raises:
            Aborted: the abort key was pressed.
            InterruptedClickError: it was not clicked.
        """
        region = self._view.grid.cell_region(cell)
        self._pointer.follow_anew()
        for patience_s in tries_s:
            lit = self._click_once(cell, seen, button, self._view.settled)
            if lit is None:
                raise InterruptedClickError
            has_changed = self._view.wait_for_change(cell, lit, patience_s, _POLL_S)
            if self._leaves:  # what is seen with the pointer there may be its doing
                has_changed = False
                self._leave_cell(cell)
            after = self._view.settled()
            if self._leaves and after.pixels(region) == seen.pixels(region):
                # The click may take effect yet; made again at once it would be the second half of a double click.
                self._view.wait_for_change(cell, after, patience_s, _POLL_S)
                after = self._view.settled()
            if has_changed or after.pixels(region) != seen.pixels(region):
                self._last = after
                self.n_effects += 1
                return after
        return None

    def click_all(self, cells: Sequence[Cell], seen: CutObservation) -> CutObservation:
        """Click cells one after the other and wait once; the board then, settled. Some cells may be as they were.

        Args:
            cells: which; only the last may change others when it is opened.
            seen: the settled board, as it was just looked at.

        Raises:
            Aborted: the abort key was pressed.
        """
        self._pointer.follow_anew()
        clicked = list(takewhile(lambda cell: self._click_once(cell, seen, Button.LEFT, self._view.look), cells))
        if self._leaves and clicked:
            self._leave_cell(clicked[-1])
        for cell in clicked:
            self._view.wait_for_change(cell, seen, TRIES_S[0], _POLL_S)
        self._last = after = self._view.settled(_AFTER_MANY)
        changed = [after.pixels(one) != seen.pixels(one) for one in map(self._view.grid.cell_region, clicked)]
        self.takes_many = bool(clicked) and all(changed)
        self.n_effects += any(changed)
        return after

    def _leave_cell(self, cell: Cell) -> None:
        """Take the pointer off a cell and off the board, and wait until the cell shows it, where it does."""
        lit = self._view.look()
        if self._pointer.park(self._view.grid.region):
            at_most_s = _LIT_S if self._n_unlit < _MOST_UNLIT else _UNLIT_S
            is_unlit = not self._view.wait_for_change(cell, lit, at_most_s, _POLL_S)
            self._n_unlit = self._n_unlit + 1 if is_unlit else 0

    def leave(self) -> None:
        """Take the pointer off the board, if a person lets: the cell under it may look otherwise than all others."""
        board = self._view.grid.region
        if board.has_pixel(self._pointer.at) and self._pointer.park(board):
            self._wait(_LIT_S)

    def hover(self, fresh: CutObservation) -> tuple[CutObservation, Cell] | None:
        """Go over the middle of a fresh board, once: some clones lighten the cell under the pointer, or say what it is.

        Args:
            fresh: the board before.

        Returns:
            The board with the pointer there, before a hint comes up, and the cell. None where a person has the mouse,
            or it was done before.
        """
        if self._has_hovered or not self._pointer.is_free():
            return None
        self._has_hovered = True
        grid = self._view.grid
        cell = grid.rows // 2, grid.cols // 2
        self._pointer.move(grid.cell_region(cell).middle)
        self._wait(_LIT_S)
        seen = self._view.settled()
        self._lightens = not seen.shows_same_as(fresh)
        self._leaves = self._lightens or not self._stays_for(_HINT_S, fresh)
        if self._leaves:
            self.leave()
        return seen, cell

    def _stays_for(self, at_least_s: float, seen: CutObservation) -> bool:
        """Whether the board looks as it did all that time."""
        deadline = time.perf_counter() + at_least_s
        while time.perf_counter() < deadline:
            self._wait(_HINT_POLL_S)
            if not self._view.look().shows_same_as(seen):
                return False
        return True

    def _click_once(
        self, cell: Cell, seen: CutObservation, button: Button, look: Callable[[], CutObservation]
    ) -> CutObservation | None:
        """Click a cell; the board right before that, lit by the pointer where that makes a difference.

        None where a person was let go first, or the cell had changed: nothing was clicked.
        """
        middle = self._view.grid.cell_region(cell).middle
        if self._lightens and self._pointer.is_free():
            if self._pointer.at != middle:
                self._pointer.move(middle)
                self._view.wait_for_change(cell, seen, _LIT_S, _POLL_S)
            seen = look()
        is_as_seen = partial(self._view.is_as_seen, seen=seen)
        return seen if self._pointer.click(middle, button, self._view.grid.region, is_as_seen=is_as_seen) else None
