"""Looks at one board until it stands still, and at what lies around it: is it still where it was?

Knows how long to wait; what a look means is `judge`'s. Knows nothing of clicking or deciding.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bot.playing.judge import is_whole
from bot.vision.border import BorderWatch
from bot.vision.read import Reader

if TYPE_CHECKING:
    from bot.models import Frame, Pixel, Reading
    from bot.playing.control import Control
    from bot.playing.search import Place
    from bot.ports import Screen
    from skins.skin import Skin
    from solver.topology import Cell

POLL_S = 0.004
"""Pause between two looks. A repaint takes 2 to 25 ms in the clones that were measured."""
WHOLE_POLL_S = 0.001
"""Pause between two looks in a burst of clicks: a held cell is up again within a few milliseconds."""
SETTLE_S = 1.5
"""How long a picture may stay half painted before it is taken for what it is."""


class Eyes:
    """Captures and reads one board.

    Args:
        screen: where pictures come from.
        place: the board to look at, and the picture it was found on.
        control: asked while waiting.
    """

    def __init__(self, screen: Screen, place: Place, control: Control) -> None:
        self._screen = screen
        self._control = control
        self._reader = Reader(place.board.skin, place.board.grid, place.mines)
        self._watch = BorderWatch(place.frame, place.board.grid)
        self.place = place
        self.grid = place.board.grid
        self.skin = place.board.skin
        self.frame: Frame | None = None
        """The board in the last look."""
        self.is_in_place = True
        """Whether what lies around the board was in the last look as it was when the board was found."""
        self.excused: frozenset[Cell] = frozenset()
        """Closed cells that may stand beside an open 0: the bot took a flag off them."""

    def wear(self, skin: Skin) -> None:
        """From now on the board looks so."""
        self.place = replace(self.place, board=replace(self.place.board, skin=skin))
        self.skin = skin
        self._reader = Reader(skin, self.grid, self.place.mines)

    def glance(self) -> Reading:
        """Read the board as it is now, settled or not."""
        frame = self._screen.grab(self._watch.region)
        self.is_in_place = self._watch.is_still_there(frame)
        self.frame = frame.crop(self.grid.region)
        return self._reader.read(self.frame)

    def look_at(self, cell: Cell) -> bytes:
        """The pixels of one cell as they are now."""
        return self._screen.grab(self.grid.cell_region(cell)).pixels_bgr.tobytes()

    def seen_of(self, cell: Cell) -> bytes:
        """The pixels of one cell in the last look at the board."""
        assert self.frame is not None, "something was looked at before"
        return self.frame.crop(self.grid.cell_region(cell)).pixels_bgr.tobytes()

    def is_as_seen(self, pixel: Pixel) -> bool:
        """Whether the cell at a pixel, and what lies around the board, show what they did in the last look.

        It is one more look, but nothing is read: reading takes longer than all else between a look and a click, and
        meanwhile a window may move.
        """
        frame = self._screen.grab(self._watch.region)
        cell = self.grid.cell_at(pixel)
        return self._watch.is_still_there(frame) and (
            cell is None or frame.crop(self.grid.cell_region(cell)).pixels_bgr.tobytes() == self.seen_of(cell)
        )

    def is_whole(self, reading: Reading) -> bool:
        """Whether every cell can be read and the picture is not half painted."""
        return is_whole(reading, self.excused)

    def found_again(self, frame: Frame) -> Reading:
        """Learn from a picture on which the board was found where it was: what changed around it changes by itself.

        That is not believed, and `is_in_place` stays false, where part of the board is hidden: what hides it may lie
        over the edge too.

        Args:
            frame: shows the board and what lies around it.
        """
        reading = self._reader.read(frame.crop(self.grid.region))
        if self.is_whole(reading):
            self._watch.forgive(frame)
            self.is_in_place = True
        return reading

    def settled(self, patience_s: float | None = None) -> Reading:
        """Read the board once two looks in a row are equal and the picture is not half painted.

        A picture that stays unreadable or half painted is returned as it is in the end, one that is out of place at
        once: the caller decides.

        Args:
            patience_s: how long to wait for that; `SETTLE_S` when None.

        Raises:
            Aborted: the abort key was pressed meanwhile.
        """
        deadline = time.perf_counter() + (SETTLE_S if patience_s is None else patience_s)
        reading = self.glance()
        while True:
            self._control.wait(POLL_S)
            before, reading = reading, self.glance()
            still = np.array_equal(before.board.cells, reading.board.cells)
            if still and (self.is_whole(reading) or not self.is_in_place):
                return reading
            if time.perf_counter() > deadline:
                return reading

    def whole(self) -> Reading:
        """Read the board as soon as one picture is whole: every cell readable, none half painted.

        A picture that does not become whole for `SETTLE_S` is returned as it is, one that is out of place at once:
        the caller decides.

        Raises:
            Aborted: the abort key was pressed meanwhile.
        """
        deadline = time.perf_counter() + SETTLE_S
        while True:
            reading = self.glance()
            if self.is_whole(reading) or not self.is_in_place or time.perf_counter() > deadline:
                return reading
            self._control.wait(WHOLE_POLL_S)
