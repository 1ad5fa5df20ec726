"""Clicks cells of an unknown clone and says what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.models import Button
from calibration.live.camera import LONG_STILL_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bot.models import Frame, Pixel
    from bot.playing.hand import Hand
    from calibration.live.camera import Camera
    from solver.topology import Cell

TRIES_S = (0.3, 0.6, 1.2)
"""How long a click may take to have an effect before it is made again, or is taken to have none."""
LIT_S = 0.3
"""How long a cell may take to look otherwise once the pointer is over it, in clones that lighten it."""


class InterruptedClickError(Exception):
    """A person was let go first, or the cell changed before it was clicked: what was seen is not what is."""


class Clicker:
    """Clicks cells of the board that the camera looks at.

    Args:
        camera: looks at the board.
        hand: clicks.
        wait: waits so many seconds, and notices when a person wants to stop.
    """

    def __init__(self, camera: Camera, hand: Hand, wait: Callable[[float], None]) -> None:
        self._camera = camera
        self._hand = hand
        self._wait = wait
        self._has_hovered = self._lightens = False

    @property
    def n_clicks(self) -> int:
        """How many clicks were made."""
        return self._hand.n_clicks

    def click(
        self, cell: Cell, seen: Frame, button: Button = Button.LEFT, tries_s: tuple[float, ...] = TRIES_S
    ) -> Frame | None:
        """Click a cell until it changes; the board then, settled. None where it does not.

        Args:
            cell: which.
            seen: the settled board, as it was just looked at.
            button: with which button.
            tries_s: how long to wait after each click.

        Raises:
            Aborted: the abort key was pressed.
            InterruptedClickError: nothing was clicked since.
        """
        grid = self._camera.grid
        middle = grid.cell_region(cell).middle
        before = self._camera.cell(self._lit(seen, cell, middle), cell)
        self._hand.follow_anew()
        for patience_s in tries_s:
            if not self._hand.click(middle, button, grid.region, is_as_seen=lambda _: self._camera.shows(cell, before)):
                raise InterruptedClickError
            if self._camera.wait_for_change(cell, before, patience_s) or not np.array_equal(
                self._camera.cell(self._camera.settled(), cell), before
            ):
                return self._camera.settled()
        return None

    def hover(self, fresh: Frame) -> NDArray[np.uint8] | None:
        """Go over the middle of a fresh board, once: some clones lighten the cell under the pointer.

        Args:
            fresh: the board before.

        Returns:
            The cells with the pointer there: rows x cols x height x width x 3. None where a person has the mouse, or
            it was done before.
        """
        if self._has_hovered or not self._hand.is_free():
            return None
        self._has_hovered = True
        rows, cols = self._camera.grid.rows, self._camera.grid.cols
        self._hand.move(self._camera.grid.cell_region((rows // 2, cols // 2)).middle)
        self._wait(LIT_S)
        lit = self._camera.cells(self._camera.settled(LONG_STILL_S))
        self._lightens = not np.array_equal(lit, self._camera.cells(fresh))
        return lit

    def _lit(self, seen: Frame, cell: Cell, middle: Pixel) -> Frame:
        """The board with the pointer where it will click, where that makes a difference."""
        if not self._lightens or not self._hand.is_free():
            return seen
        if self._hand.at != middle:
            self._hand.move(middle)
            self._camera.wait_for_change(cell, self._camera.cell(seen, cell), LIT_S)
        return self._camera.settled()
