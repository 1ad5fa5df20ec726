"""Takes pictures of one board whose looks are not known: waits until they stand still, and notices when it is gone."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bot.models import Pixel, Region
from calibration.cells import AS_THEY_ARE
from calibration.errors import CalibrationError, GoneError
from calibration.grids import find_cuts
from calibration.live.memory import Sight

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.desktop import Screen
    from bot.models import Frame, Grid
    from bot.playing.control import Control
    from calibration.cells import Cutter
    from solver.topology import Cell

    Pixels = NDArray[np.uint8]

POLL_S = 0.01
_STILL_S = 0.03
"""Time without a change after which a picture is settled, in seconds; repaints take 2 to 25 ms."""
LONG_STILL_S = 0.35
"""The same where a game may have ended, in seconds: some clones flash then."""
MOST_S = 4.0
"""Longest time until a board stands still, in seconds; after it, nothing is learned from that picture."""
GONE_S = 3.0
"""How long a board may be covered before that counts."""
_REACH_PX = 4
"""Largest distance of cells from where a fresh board suggests them, in pixels: it shows few looks."""
_ODD_SHARE = 0.015
"""Share of a cell's pixels that may change with its neighbour: shaded corners."""
_BORDER_PX = 3
_ODD_BORDER = 0.1
_MARGIN_CELLS = 2
_ABOVE_CELLS = 5
"""Cells around a board that are kept on its pictures: the face is above."""


class Camera:
    """Looks at one place of the screen.

    Args:
        screen: where pictures come from.
        control: asked while waiting.
        frame: a picture of the whole screen.
        grid: where the board lies on it.
        cutter: how its cells are cut out.
    """

    def __init__(
        self, screen: Screen, control: Control, frame: Frame, grid: Grid, cutter: Cutter = AS_THEY_ARE
    ) -> None:
        self.cutter = cutter
        self._screen = screen
        self._control = control
        self._whole = frame.region
        self.place(frame, grid)

    def place(self, frame: Frame, grid: Grid) -> None:
        """The board lies there, as the picture shows."""
        self.grid = grid
        self.region = _around(grid, self._whole)
        self._borders = [self._around_board(frame)]

    def look(self) -> Frame:
        """The board and what is around it as they are now."""
        return self._screen.grab(self.region)

    def cells(self, frame: Frame) -> Pixels:
        """The cells of the board, all of one size: uint8, rows x cols x height x width x 3."""
        return self.cutter.cells(frame, self.grid)

    def sight(self, frame: Frame) -> Sight:
        """A picture of the board, with how its cells are cut out."""
        return Sight(frame, self.grid, self.cutter)

    @property
    def can_cut_anew(self) -> bool:
        """Whether cells may begin elsewhere than where they seem to: tiles show where they end."""
        return self.cutter == AS_THEY_ARE

    def cell(self, frame: Frame, cell: Cell) -> Pixels:
        """One cell as it is on the screen: uint8, height x width x 3; `cells` may bring it to another size."""
        return frame.crop(self.grid.cell_region(cell)).pixels_bgr

    def shows(self, cell: Cell, before: Pixels) -> bool:
        """Whether a cell shows this right now, and the board is in its place: one more look before a click."""
        frame = self.look()
        return self.is_in_place(frame) and np.array_equal(self.cell(frame, cell), before)

    def is_in_place(self, frame: Frame) -> bool:
        """Whether what lies right around the board is what it was, but for odd pixels: some clones shade corners."""
        now = self._around_board(frame)
        return any(_is_same_border(now, border) for border in self._borders)

    def has_same_border(self, one: Frame, other: Frame) -> bool:
        """Whether two pictures show the same right around the board."""
        return _is_same_border(self._around_board(one), self._around_board(other))

    def settled(self, still_s: float = _STILL_S) -> Frame:
        """The board once it stands still in its place.

        Raises:
            Aborted: the abort key was pressed.
            GoneError: it is covered or gone.
            CalibrationError: it moves for ever.
        """
        began = since = time.perf_counter()
        frame = self.look()
        before = self._board(frame)
        may_be_painted = True
        while True:
            self._control.wait(POLL_S)
            frame, now = self.look(), time.perf_counter()
            board = self._board(frame)
            is_there = self.is_in_place(frame)
            if not np.array_equal(board, before):
                before, since = board, now
            elif is_there and now - since >= still_s:
                return frame
            elif not is_there and may_be_painted and now - since >= LONG_STILL_S:
                may_be_painted = self._is_painted_around(frame)  # which takes a while
                began = since = time.perf_counter()
            if is_there and now - began > MOST_S:
                raise CalibrationError("the board does not stand still: nothing more was clicked")
            if now - began > GONE_S:
                raise GoneError(
                    "the board is covered, or was moved or closed: nothing more was clicked\n"
                    "If the game opened its menu at the start key, choose another one: --hotkey f9"
                )

    def _is_painted_around(self, frame: Frame) -> bool:
        """Whether the board lies where it did, and only what is around it has another colour; from now on that may be.

        Some clones paint their window red when a game is lost.
        """
        if not any(_is_same_place(cut.grid, self.grid) for cut in find_cuts(frame)):
            return False
        self._borders.append(self._around_board(frame))
        return True

    def wait_for_change(self, cell: Cell, before: Pixels, at_most_s: float) -> bool:
        """Wait until a cell is no longer what it was; whether it changed."""
        deadline = time.perf_counter() + at_most_s
        region = self.grid.cell_region(cell)
        while time.perf_counter() < deadline:
            self._control.wait(POLL_S / 4)
            if not np.array_equal(self._screen.grab(region).pixels_bgr, before):
                return True
        return False

    def cut_by_changes(self, changes: Sequence[tuple[Frame, Frame]]) -> Grid:
        """Where cells begin, by what clicks changed: whole cells, and hardly a pixel beyond.

        Args:
            changes: the board before and after clicks that opened cells.
        """
        masks = [self._changed(before, after) for before, after in changes]
        reach = range(-_REACH_PX, _REACH_PX + 1)
        n_cells = {(dx, dy): sum(self._n_touched(mask, dx, dy) for mask in masks) for dx in reach for dy in reach}
        dx, dy = min(n_cells, key=lambda move: (n_cells[move], abs(move[0]) + abs(move[1])))
        origin = self.grid.origin
        return replace(self.grid, origin=Pixel(origin.x + dx, origin.y + dy))

    def _changed(self, before: Frame, after: Frame) -> NDArray[np.bool_]:
        """Which pixels of the board, and of a rim of `2 * REACH_PX` around it, changed."""
        own, rim = self.grid.region, 2 * _REACH_PX
        left, top = own.left - rim - before.left, own.top - rim - before.top
        pad = ((max(0, -top), rim), (max(0, -left), rim))
        changed = np.pad((before.pixels_bgr != after.crop(before.region).pixels_bgr).any(axis=2), pad)
        top, left = max(0, top), max(0, left)
        part: NDArray[np.bool_] = changed[top : top + own.height + 2 * rim, left : left + own.width + 2 * rim]
        return part

    def _n_touched(self, changed: NDArray[np.bool_], dx: int, dy: int) -> int:
        """In how many cells more than some odd pixels changed, were they cut so far to the right and below."""
        grid, own = self.grid, self.grid.region
        x, y = _REACH_PX + dx, _REACH_PX + dy
        width, height = own.width // grid.cols, own.height // grid.rows
        board = np.zeros((own.height + 2 * height, own.width + 2 * width), dtype=np.bool_)
        part = changed[y : y + own.height + 2 * _REACH_PX, x : x + own.width + 2 * _REACH_PX]
        first_y, first_x = height - _REACH_PX, width - _REACH_PX
        board[first_y : first_y + part.shape[0], first_x : first_x + part.shape[1]] = part
        counts = board.reshape(grid.rows + 2, height, grid.cols + 2, width).sum(axis=(1, 3))
        return int((counts > _ODD_SHARE * width * height).sum())

    def _around_board(self, frame: Frame) -> Pixels:
        """The pixels right around the board, N x 3."""
        own = self.grid.region
        y, x = own.top - frame.top, own.left - frame.left
        top, left = max(0, y - _BORDER_PX), max(0, x - _BORDER_PX)
        part = frame.pixels_bgr[top : y + own.height + _BORDER_PX, left : x + own.width + _BORDER_PX]
        is_around = np.ones(part.shape[:2], dtype=np.bool_)
        is_around[y - top : y - top + own.height, x - left : x - left + own.width] = False
        return part[is_around]

    def _board(self, frame: Frame) -> Pixels:
        return frame.crop(self.grid.region).pixels_bgr


def _is_same_place(one: Grid, other: Grid) -> bool:
    """Whether two boards lie in one place. Where cells have gaps between them, a picture tells that to some pixels."""
    moved = max(abs(one.origin.x - other.origin.x), abs(one.origin.y - other.origin.y))
    return (one.rows, one.cols, one.pitch_px) == (other.rows, other.cols, other.pitch_px) and moved <= _REACH_PX


def _is_same_border(one: Pixels, other: Pixels) -> bool:
    return bool((one != other).any(axis=1).mean() <= _ODD_BORDER)


def _around(grid: Grid, whole: Region) -> Region:
    own, (width, height) = grid.region, grid.pitch_px
    left = max(whole.left, own.left - int(_MARGIN_CELLS * width))
    top = max(whole.top, own.top - int(_ABOVE_CELLS * height))
    right = min(whole.left + whole.width, own.left + own.width + int(_MARGIN_CELLS * width))
    bottom = min(whole.top + whole.height, own.top + own.height + int(_MARGIN_CELLS * height))
    return Region(left, top, right - left, bottom - top)
