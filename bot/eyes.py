"""Looks at one board until it stands still.

Knows how long to wait and what can only be a half-painted picture; knows nothing of clicking or deciding.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.read import Reader
from solver.board import CLOSED
from solver.game import GameState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.control import Control
    from bot.locate import FoundBoard
    from bot.models import Frame, Reading
    from bot.ports import Screen
    from solver.board import Board
    from solver.topology import Cell

POLL_S = 0.004
"""Pause between two looks. A repaint takes 2 to 25 ms in the clones that were measured."""
WHOLE_POLL_S = 0.001
"""Pause between two looks in a burst of clicks: a held cell is up again within a few milliseconds."""
SETTLE_S = 1.5
"""How long a picture may stay half painted before it is taken for what it is."""

_NEIGHBOURHOOD = np.ones((3, 3), dtype=np.uint8)


class Eyes:
    """Captures and reads one board.

    Args:
        screen: where pictures come from.
        board: the board to look at.
        mines: how many mines it has.
        control: asked while waiting.
    """

    def __init__(self, screen: Screen, board: FoundBoard, mines: int, control: Control) -> None:
        self._screen = screen
        self._control = control
        self._reader = Reader(board.skin, board.grid, mines)
        self.grid = board.grid
        self.skin = board.skin
        self.frame: Frame | None = None

    def glance(self) -> Reading:
        """Read the board as it is now, settled or not."""
        self.frame = self._screen.grab(self.grid.region)
        return self._reader.read(self.frame)

    def settled(self, patience_s: float | None = None) -> Reading:
        """Read the board once two looks in a row are equal and the picture is not half painted.

        A picture that stays unreadable or half painted is returned as it is in the end: the caller decides.

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
            if still and is_whole(reading):
                return reading
            if time.perf_counter() > deadline:
                return reading

    def whole(self) -> Reading:
        """Read the board as soon as one picture is whole: every cell readable, none half painted.

        A picture that does not become whole for `SETTLE_S` is returned as it is: the caller decides.

        Raises:
            Aborted: the abort key was pressed meanwhile.
        """
        deadline = time.perf_counter() + SETTLE_S
        while True:
            reading = self.glance()
            if is_whole(reading) or time.perf_counter() > deadline:
                return reading
            self._control.wait(WHOLE_POLL_S)

    def look_at(self, cell: Cell) -> bytes:
        """The pixels of one cell as they are now."""
        return self._screen.grab(self.grid.cell_region(cell)).pixels_bgr.tobytes()

    def seen_of(self, cell: Cell) -> bytes:
        """The pixels of one cell in the picture that was read last."""
        assert self.frame is not None, "something was read before"
        return self.frame.crop(self.grid.cell_region(cell)).pixels_bgr.tobytes()


def is_whole(reading: Reading) -> bool:
    """Whether every cell can be read and the picture is not half painted."""
    return not reading.unknown and not is_half_painted(reading)


def is_same_game(before: Reading, now: Reading) -> bool:
    """Whether moves decided on `before` may still be made: the picture is whole, and no open cell has changed."""
    was_open = before.board.cells >= 0
    same_numbers = np.array_equal(before.board.cells[was_open], now.board.cells[was_open])
    return same_numbers and is_whole(now) and now.state is not GameState.LOST


def is_half_painted(reading: Reading) -> bool:
    """Whether the picture cannot be a whole one: in a running game, an open 0 touches no closed cell.

    Catches floods on their way, and cells that are held down: they look like an open 0. A flag beside a 0 proves
    nothing: floods leave a person's wrong flag standing.
    """
    return reading.state is not GameState.LOST and bool(zeros_beside_closed(reading.board).any())


def zeros_beside_closed(board: Board) -> NDArray[np.bool_]:
    """Which open zeros have a closed neighbour without a flag: bool, rows x cols."""
    near_closed = cv2.dilate((board.cells == CLOSED).astype(np.uint8), _NEIGHBOURHOOD)
    touched: NDArray[np.bool_] = (board.cells == 0) & (near_closed > 0)
    return touched
