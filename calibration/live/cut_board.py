"""A board of unknown appearances, as `bot.playing.board_view` watches it: its cells are cut out, and not read.

It has settled once nothing on it changes for a while. What lies right around it may change in odd pixels: some clones
shade corners. Where all of that changes and the board stays where it was, the window has another colour: some clones
paint theirs red when a game is lost.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import cv2
import numpy as np

from bot.models import Pixel, Region
from bot.playing.board_view import BoardView, Found, Observation
from bot.vision.cell_edges import has_lines_of
from calibration.cells import AS_THEY_ARE, Cutter
from calibration.errors import CalibrationError, GoneError
from calibration.grids import find_cuts
from skins.pixels import largest_channel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.desktop import Screen
    from bot.models import Frame, Grid
    from bot.playing.control import Control

    Pixels = NDArray[np.uint8]

_POLL_S = 0.01
_STILL_S = 0.03  # time without a change after which a picture is settled, in seconds; repaints take 2 to 25 ms
_FADES = 4  # number of changes, one after the other, of a board whose cells fade in
_FADED_S = 0.12  # time without a change after which such a one is settled, in seconds
LONG_STILL_S = 0.35
"""Time without a change after which the end of a game is settled, in seconds: some clones flash then."""
_MOST_S = 4.0  # longest time until a board stands still, in seconds; after it, nothing is learned from that picture
GONE_S = 3.0  # how long a board may be covered before that counts
_REACH_PX = 4  # largest distance of cells from where a fresh board suggests them, in pixels: all its cells are alike
_ODD_SHARE = 0.015  # share of a cell's pixels that may change with its neighbour: shaded corners
_BORDER_PX = 3
_ODD_BORDER = 0.1
_MARGIN_CELLS, _ABOVE_CELLS = 2, 5  # cells around a board, and above it, that are kept on its pictures: for the face
MOST_CHANGES = 12  # number of clicks, each with what it changed, that tell where the lattice lies


CutObservation: TypeAlias = Observation[None]
"""An observation of a board of unknown appearances."""


Change: TypeAlias = tuple[CutObservation, CutObservation]
"""The board before and after a click that opened cells."""


class Sight(NamedTuple):
    """The last sight of a game: the board with what is around it, where its cells lie and how they are cut out."""

    frame: Frame
    grid: Grid
    cutter: Cutter = AS_THEY_ARE

    @property
    def cells(self) -> Pixels:
        """Its cells, all of one size: uint8, rows x cols x height x width x 3."""
        return self.cutter.cells(self.frame, self.grid)


@dataclass(frozen=True)
class _CutBoard:
    """A board whose cells are cut out.

    Attributes:
        grid: where it lies.
        cutter: how its cells are cut out.
        screen: the whole screen.
    """

    grid: Grid
    cutter: Cutter
    screen: Region

    def read(self, frame: Frame) -> None:
        """Nothing: no appearance has a meaning yet."""

    def is_half_painted(self, reading: None) -> bool:  # noqa: ARG002 - as every board has it
        """Nobody can tell."""
        return False

    def has_unknown(self, reading: None) -> bool:  # noqa: ARG002 - as every board has it
        """No cell was to be read."""
        return False

    def cells(self, seen: CutObservation) -> Pixels:
        """The cells of the board, all of one size: uint8, rows x cols x height x width x 3."""
        return self.cutter.cells(seen.wide, self.grid)

    def sight(self, seen: CutObservation) -> Sight:
        """A picture of the board, with how its cells are cut out."""
        return Sight(seen.wide, self.grid, self.cutter)

    def has_same_border(self, one: CutObservation, other: CutObservation) -> bool:
        """Whether two observations show the same right around the board."""
        return _is_same_border(_border_pixels(one.wide, self.grid), _border_pixels(other.wide, self.grid))

    @property
    def can_move_lattice(self) -> bool:
        """Whether cells may begin elsewhere than where they seem to: gaps show where they end."""
        return self.cutter == AS_THEY_ARE

    def grid_by_changes(self, changes: Sequence[Change]) -> Grid:
        """Where cells begin, by what clicks changed: whole cells, and hardly a pixel beyond."""
        n_cells = sum(self._n_touched(self._changed_pixels(before.wide, after.wide)) for before, after in changes)
        far = np.abs(np.arange(-_REACH_PX, _REACH_PX + 1))
        best = np.lexsort(((far[:, None] + far).ravel(), np.ravel(n_cells)))[0]
        dx, dy = (int(place) - _REACH_PX for place in np.unravel_index(best, (far.size, far.size)))
        origin = self.grid.origin
        return replace(self.grid, origin=Pixel(origin.x + dx, origin.y + dy))

    def _changed_pixels(self, before: Frame, after: Frame) -> NDArray[np.bool_]:
        """Which pixels of the board, and of a rim of `2 * _REACH_PX` around it, changed, where both show them."""
        own, rim = self.grid.region, 2 * _REACH_PX
        wide = Region(own.left - rim, own.top - rim, own.width + 2 * rim, own.height + 2 * rim)
        both = before.region.shared(after.region).shared(wide)  # from before and after the lattice was moved
        changed = np.zeros((wide.height, wide.width), dtype=np.bool_)
        place = replace(both, left=both.left - wide.left, top=both.top - wide.top).slices
        changed[place] = largest_channel(before.crop(both).pixels_bgr != after.crop(both).pixels_bgr)
        return changed

    def _n_touched(self, changed: NDArray[np.bool_]) -> NDArray[np.intp]:
        """In how many cells more than some odd pixels changed, were the lattice so far to the right (x) and below (y).

        Args:
            changed: which pixels of the board changed, as `_changed_pixels` has it.

        Returns:
            The number for each x and y from `-_REACH_PX` to `_REACH_PX`.
        """
        grid, own = self.grid, self.grid.region
        width, height = own.width // grid.cols, own.height // grid.rows
        n_changed = np.asarray(cv2.integral(changed.astype(np.uint8)), dtype=np.int32)  # above and left of each corner
        moves = range(2 * _REACH_PX + 1)
        rows = np.stack([_lines(dy, own.height, height, grid.rows) for dy in moves])
        cols = np.stack([_lines(dx, own.width, width, grid.cols) for dx in moves])
        corners = n_changed[rows[None, :, :, None], cols[:, None, None, :]]
        counts = np.diff(np.diff(corners, axis=2), axis=3)
        n_touched: NDArray[np.intp] = (counts > _ODD_SHARE * width * height).sum(axis=(2, 3))
        return n_touched


def _lines(first: int, length: int, step: int, n: int) -> NDArray[np.intp]:
    """Where cells meet along an axis of a board, and of one more cell on both sides; no farther than the reach."""
    lines = first + _REACH_PX + step * np.arange(-1, n + 2)
    return np.clip(lines, first, first + length + 2 * _REACH_PX)


class _Borders:
    """What lies right around a board, and what it may look like, but for odd pixels.

    Args:
        frame: shows the board and what is around it.
        board: the board.
    """

    def __init__(self, frame: Frame, board: _CutBoard) -> None:
        own = board.grid.region
        beside, below = (int(_MARGIN_CELLS * pitch) for pitch in board.grid.pitch_px)
        above = int(_ABOVE_CELLS * board.grid.pitch_px[1])
        kept = Region(own.left - beside, own.top - above, own.width + 2 * beside, above + own.height + below)
        self.region = kept.shared(board.screen)
        self._grid = board.grid
        self._known = [_border_pixels(frame, board.grid)]

    def is_still_there(self, frame: Frame) -> bool:
        """Whether a picture shows one of what was there."""
        now = _border_pixels(frame, self._grid)
        return any(_is_same_border(now, known) for known in self._known)

    def forgive(self, frame: Frame) -> None:
        """From now on this may lie around the board, too."""
        self._known.append(_border_pixels(frame, self._grid))


class StoodStill:
    """The board has not changed for a while, and is in its place.

    Where cells were once seen to fade in, the next picture of that may come late: a longer while from then on.

    Args:
        still_s: for how long.
    """

    def __init__(self, still_s: float = _STILL_S) -> None:
        self.still_s = still_s

    def wait(self, view: BoardView[Any, None]) -> CutObservation:
        """Look until it has.

        Raises:
            Aborted: the abort key was pressed.
            GoneError: it is covered or gone.
            CalibrationError: it moves for ever.
        """
        began = since = time.perf_counter()
        observations = view.iter_observations(_POLL_S)
        before = next(observations)
        may_be_painted, n_changes = True, 0
        for seen in observations:
            now = time.perf_counter()
            if not seen.shows_same_as(before):
                n_changes += 1
                if n_changes >= _FADES:
                    self.still_s = max(self.still_s, _FADED_S)
                before, since = seen, now
            elif seen.is_in_place and now - since >= self.still_s:
                return seen
            elif not seen.is_in_place and may_be_painted and now - since >= LONG_STILL_S:
                may_be_painted = view.relocate(seen) is not None  # which takes a while
                began = since = time.perf_counter()
            if seen.is_in_place and now - began > _MOST_S:
                raise CalibrationError("the board does not stand still: nothing more was clicked")
            if now - began > GONE_S:
                raise GoneError(
                    "the board is covered, or was moved or closed: nothing more was clicked\n"
                    "If the game opened its menu at the start key, choose another one: --hotkey f9"
                )
        raise AssertionError("observations never end")


CutView: TypeAlias = BoardView[_CutBoard, None]
"""How a board of unknown appearances is watched."""


def watch_cut(screen: Screen, control: Control, frame: Frame, grid: Grid, cutter: Cutter = AS_THEY_ARE) -> CutView:
    """Watch a board of unknown appearances.

    Args:
        screen: where pictures come from.
        control: asked while waiting.
        frame: a picture of the whole screen.
        grid: where the board lies on it.
        cutter: how its cells are cut out.
    """

    def in_its_place(seen: CutObservation | None) -> Found[_CutBoard] | None:
        """Where it was, and only what is around it has another colour."""
        if seen is None:
            return None
        # Where cells have gaps between them, a picture tells the place to some pixels.
        grids = [cut.grid for cut in find_cuts(seen.wide) if cut.grid.pitch_px == view.grid.pitch_px]
        is_there = any(grid.is_near(view.grid, _REACH_PX) for grid in grids)
        if board.cutter.codebook is not None:  # cells that are alike and not equal need not be found so
            is_there = is_there or has_lines_of(seen.wide, view.grid)
        return Found(seen.wide) if is_there else None

    board = _CutBoard(grid, cutter, frame.region)
    view = BoardView(screen, control, board, _Borders(frame, board), settling=StoodStill(), search=in_its_place)
    return view


def move_lattice(view: CutView, changes: Sequence[Change]) -> bool:
    """Take cells to begin where clicks show it by what they changed; whether that is elsewhere than before."""
    grid = view.board.grid_by_changes(changes)
    if grid == view.grid:
        return False
    board = replace(view.board, grid=grid)
    view.watch(board, _Borders(changes[-1][1].wide, board))
    return True


def _is_same_border(one: Pixels, other: Pixels) -> bool:
    return bool((one != other).any(axis=1).mean() <= _ODD_BORDER)


def _border_pixels(frame: Frame, grid: Grid) -> Pixels:
    """The pixels right around the board: uint8, N x 3."""
    own = grid.region
    y, x = own.top - frame.top, own.left - frame.left
    top, left = max(0, y - _BORDER_PX), max(0, x - _BORDER_PX)
    bottom, right = y + own.height, x + own.width
    part = frame.pixels_bgr[top : bottom + _BORDER_PX, left : right + _BORDER_PX]
    beside = part[y - top : bottom - top]
    sides = (part[: y - top], part[bottom - top :], beside[:, : x - left], beside[:, right - left :])
    return np.concatenate([side.reshape(-1, 3) for side in sides])
