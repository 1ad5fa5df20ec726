"""Pixels become cells here, and nowhere else.

A `Reader` reads one board again and again, and names only cells that changed. How cells are named is the business of
their skin's way of drawing: a further one is one more `CellNamer` here. What it cannot name is unreadable, never a
default, never a guess.

A picture caught in the middle of a repaint shows an open 0 beside a closed cell. So do cells that are held down, which
look like open zeros: on a single picture, those that cannot be zeros are not known. Who plays looks again instead
(`bot.playing.board_view`).
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Kernel, Reading
from bot.vision.alike import alike_matcher_of, insides
from bot.vision.fields import FieldCells
from bot.vision.gapped_match import gapped_matcher_of
from bot.vision.matching import SCALED_SLACK, CellNamer, cut_cells, matcher_of
from bot.vision.tinted import tint_matcher_of
from bot.vision.unscale import Fits, Unscaler
from bot.vision.zoomed import step_of, zoomed_matcher_of
from skins import skin as states
from skins.skin import Alike, Fields, OwnPixels, Sizes, Tiles, Tints
from solver import board as codes
from solver.board import Board, GameState
from solver.topology import box_sum

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from bot.vision.gapped_match import CellPixels, Inset
    from bot.vision.matching import Match
    from skins.skin import Skin
    from solver.topology import Cell

    Pixels = NDArray[np.uint8]
    Numbers = NDArray[np.intp]

_FEW = 12  # most changed cells that are brought to native size one by one; more are brought all at once


_PRESSED = frozenset({"0", states.CLOSED})  # what a cell that may be held down may be

IgnoredFlags = AbstractSet["Cell"]
"""Closed cells that may stand beside an open 0: they had a flag."""


class Reader:
    """Reads one board again and again: only cells whose pixels changed are looked at.

    Args:
        skin: how the cells look.
        grid: where they are.
        mines: how many mines the board has, None when not known.
    """

    def __init__(self, skin: Skin, grid: Grid, mines: int | None = None) -> None:
        self.skin = skin
        self.grid = grid
        self.mines = mines
        self._cells = namer_of(skin, grid)
        self._edges = tuple(np.array(grid.edges(axis)[:-1]) - grid.edges(axis)[0] for axis in (0, 1))
        n_cells = grid.rows * grid.cols
        self._seen: NDArray[np.uint8] | None = None
        self._codes = np.full(n_cells, codes.UNREADABLE, dtype=np.int16)
        self._scores = np.zeros(n_cells, dtype=np.float64)
        self._alike = np.full(n_cells, -1, dtype=np.intp)
        self._last: Reading | None = None

    def read(self, frame: Frame) -> Reading:
        """Read the board from a frame that shows at least its region; the last reading where no pixel has changed."""
        grid = self.grid
        pixels = frame.crop(grid.region).pixels_bgr
        changed = self._changed(pixels)
        if self._last is None or changed.size or self._last.board.mines != self.mines:
            self._last = self._read(frame, pixels, changed)
        return self._last

    def _read(self, frame: Frame, pixels: Pixels, changed: Numbers) -> Reading:
        grid = self.grid
        if changed.size:
            match = self._cells.name(frame, pixels, changed)
            self._codes[changed], self._scores[changed] = match.codes, match.scores
            self._alike[changed] = match.alike
            self._codes = self._cells.settled(self._codes, self._alike)
            if self._seen is None:
                self._seen = np.empty_like(pixels)
            np.copyto(self._seen, pixels)
        board = Board(grid.to_board(self._codes), self.mines, cut=grid.clipped)
        unreadable = {grid.cell_of(int(number)): number for number in np.flatnonzero(self._codes == codes.UNREADABLE)}
        unknown = tuple(sorted(unreadable))
        sets = self._cells.sets
        alternatives: dict[Cell, frozenset[str]] = {
            cell: sets[self._alike[number]] for cell, number in unreadable.items() if self._alike[number] >= 0
        }
        scores = grid.to_board(self._scores).copy()
        scores.setflags(write=False)
        return Reading(self.skin.name, grid, board, scores, unknown, board.state, alternatives, self.skin.floods)

    def _changed(self, pixels: NDArray[np.uint8]) -> NDArray[np.intp]:
        """The numbers of the cells whose pixels are not those seen last."""
        grid = self.grid
        if self._seen is None:
            return np.arange(grid.rows * grid.cols)
        apart = np.asarray(cv2.absdiff(pixels, self._seen)).reshape(pixels.shape[0], -1)
        if not cv2.hasNonZero(apart):
            return np.empty(0, dtype=np.intp)
        n_values = apart.shape[1]
        if n_values % 8:
            apart = np.pad(apart, ((0, 0), (0, -n_values % 8)))
        by_row = np.bitwise_or.reduceat(apart.view(np.uint64), self._edges[1], axis=0).view(np.uint8)
        return np.flatnonzero(np.bitwise_or.reduceat(by_row[:, :n_values], 3 * self._edges[0], axis=1))


def read_board(frame: Frame, grid: Grid, skin: Skin, mines: int | None = None) -> Reading:
    """Read one board once."""
    return Reader(skin, grid, mines).read(frame)


def is_near(marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which cells are marked or have a marked neighbour: bool, of the same shape."""
    near: NDArray[np.bool_] = box_sum(marked.astype(np.int64), wrap=False) > 0
    return near


def is_half_painted(reading: Reading, ignored_flags: IgnoredFlags = frozenset()) -> bool:
    """Whether the picture cannot be a whole one: in a running game, an open 0 touches no closed cell.

    Catches floods on their way, and cells that are held down: they look like an open 0. A flag beside a 0 proves
    nothing: floods leave a person's wrong flag standing, and a cell where it was taken off again is an ignored flag.
    """
    if reading.state is GameState.LOST or not reading.floods:
        return False
    return bool(zeros_beside_closed(reading.board, ignored_flags).any())


def zeros_beside_closed(board: Board, ignored_flags: IgnoredFlags = frozenset()) -> NDArray[np.bool_]:
    """Which open zeros have a closed neighbour without a flag: bool, of the board's shape."""
    closed = board.cells == codes.CLOSED
    for cell in ignored_flags:
        closed[cell] = False
    touched: NDArray[np.bool_] = (board.cells == 0) & is_near(closed)
    return touched


def doubt_pressed(reading: Reading) -> Reading:
    """The reading, but zeros beside closed cells, and those that touch them, unreadable: an open 0 opens all around it.

    Where a game is lost nothing is held down any more.
    """
    if reading.state is GameState.LOST or not reading.floods:
        return reading
    pressed = _joined(reading.board.cells == 0, zeros_beside_closed(reading.board))
    if not pressed.any():
        return reading
    cells, scores = reading.board.cells.copy(), reading.scores.copy()
    cells[pressed], scores[pressed] = codes.UNREADABLE, 0.0
    board = replace(reading.board, cells=cells)
    unknown = tuple(tuple(cell) for cell in np.argwhere(cells == codes.UNREADABLE).tolist())
    alternatives = dict(reading.alternatives)
    alternatives.update((tuple(cell), _PRESSED) for cell in np.argwhere(pressed).tolist())
    return replace(
        reading,
        board=board,
        scores=scores,
        unknown=unknown,
        state=board.state,
        alternatives=alternatives,
    )


def _joined(marked: NDArray[np.bool_], seeds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The marked cells that neighbours lead to from the seeds, themselves marked, through marked cells alone."""
    reached = seeds & marked
    while True:
        wider = is_near(reached) & marked
        if np.array_equal(wider, reached):
            return reached
        reached = wider


class _DrawnCells(CellNamer):
    """Cells drawn pixel by pixel: at their own size, rescaled, or drawn anew at every size (`skins.skin.Sizes`)."""

    def __init__(self, skin: Skin, grid: Grid) -> None:
        self._matcher = matcher_of(skin)
        self.sets = self._matcher.sets
        self._grid = grid
        self._is_native = self.tells_new_appearances = grid.is_whole and grid.pitch_px == skin.pitch_px
        self._is_resized = grid.is_whole and skin.drawing.is_known_at(grid.pitch_px)
        self._unscalers: list[Unscaler] = []

    def name(self, frame: Frame, pixels: Pixels, numbers: Numbers) -> Match:
        if not self._is_resized:
            return self._matched(frame, pixels, numbers)
        match = self._matcher.name_redrawn(cut_cells(pixels, self._grid.rows, self._grid.cols, numbers))
        rest = np.flatnonzero(~match.is_known)
        if rest.size:
            match.take(rest, self._matched(frame, pixels, numbers[rest]))
        return match

    def _matched(self, frame: Frame, pixels: Pixels, numbers: Numbers) -> Match:
        """Name cells by their clone's own size, brought to it where they have another."""
        matcher = self._matcher
        if self._is_native:
            cells = cut_cells(pixels, self._grid.rows, self._grid.cols, numbers)
            match = matcher.name(cells)
            match.doubt_stray_blanks(cells)
            return match
        if not self._unscalers:
            best = self._grid.kernel or Fits(frame, matcher).best(self._grid).kernel
            kernels = (best, *(kernel for kernel in Kernel if kernel is not best))
            self._unscalers = [Unscaler(self._grid, matcher.skin.pitch_px, kernel) for kernel in kernels]
        cells = self._native(self._unscalers[0], frame, numbers)
        match = matcher.name(cells, SCALED_SLACK, snaps=True)
        rest = np.flatnonzero(~match.is_known)
        for unscaler in self._unscalers[1:]:  # the outermost cells, for one, may have been enlarged without the border
            if rest.size:
                other = matcher.name(self._native(unscaler, frame, numbers[rest]), SCALED_SLACK, snaps=True)
                match.take(rest, other)
                rest = rest[~other.is_known]
        match.doubt_stray_blanks(cells)
        return match

    def _native(self, unscaler: Unscaler, frame: Frame, numbers: Numbers) -> Pixels:
        """Cells brought to native size."""
        if numbers.size > _FEW:
            return unscaler.cells(frame)[numbers]
        return np.stack([unscaler.cell(frame, *divmod(int(number), self._grid.cols)) for number in numbers])


class _AlikeCells(CellNamer):
    """Cells that are alike and never equal: by their insides (`skins.skin.Alike`)."""

    def __init__(self, skin: Skin, grid: Grid) -> None:
        zoomed = None if grid.pitch_px == step_of(skin) else zoomed_matcher_of(skin, grid.pitch_px)
        self.tells_new_appearances = zoomed is None
        self._matcher = zoomed or alike_matcher_of(skin)
        self.sets = self._matcher.sets
        self._grid = grid
        self._seen: dict[int, tuple[int, float]] = {}

    def name(self, frame: Frame, pixels: Pixels, numbers: Numbers) -> Match:  # noqa: ARG002 - as `CellNamer`
        matcher = self._matcher
        cells = insides(pixels, self._grid, matcher.drawing.inset_px, matcher.size)
        return matcher.name(cells[numbers], self._seen)

    def settled(self, named: NDArray[np.int16], alike: Numbers) -> NDArray[np.int16]:  # noqa: ARG002 - as `CellNamer`
        """The codes as named; none on a board that is paled, where closed cells may look like open zeros.

        Nothing else is known on such a board. A region of zeros has numbers around it.
        """
        is_known = named != codes.UNREADABLE
        is_paled = not is_known.all() and bool((named[is_known] == 0).all())
        return np.full_like(named, codes.UNREADABLE) if is_paled else named


class _GappedCells(CellNamer):
    """Cells with gaps between them, at any size (`skins.skin.Tiles`)."""

    def __init__(self, skin: Skin, grid: Grid) -> None:
        self._matcher = gapped_matcher_of(skin)
        self.sets = self._matcher.sets
        self.tells_new_appearances = skin.signs is not None
        self._grid = grid
        self._inset: Inset | None = None
        self._seen: dict[CellPixels, tuple[int, float]] = {}

    def has_number(self, frame: Frame, cell: Pixels) -> bool | None:
        return bool(self._matcher.is_open_number(cell[None], self._inset_on(frame))[0])

    def name(self, frame: Frame, pixels: Pixels, numbers: Numbers) -> Match:  # noqa: ARG002 - as `CellNamer`
        return self._matcher.name(frame, self._grid, numbers, self._inset_on(frame), self._seen)

    def settled(self, named: NDArray[np.int16], alike: Numbers) -> NDArray[np.int16]:  # noqa: ARG002 - as `CellNamer`
        return self._matcher.settle(alike)

    def _inset_on(self, frame: Frame) -> Inset:
        if self._inset is None:
            self._inset = self._matcher.measure(frame, self._grid)
        return self._inset


class _TintedCells(CellNamer):
    """Numbers on tinted grounds, in blocks (`skins.skin.Tints`)."""

    def __init__(self, skin: Skin, grid: Grid) -> None:
        self._matcher = tint_matcher_of(skin)
        self.sets = self._matcher.sets
        self._grid = grid

    def name(self, frame: Frame, pixels: Pixels, numbers: Numbers) -> Match:  # noqa: ARG002 - as `CellNamer`
        return self._matcher.name(frame, self._grid, numbers)


_NAMERS: dict[type, Callable[[Skin, Grid], CellNamer]] = {
    OwnPixels: _DrawnCells,
    Sizes: _DrawnCells,
    Alike: _AlikeCells,
    Tiles: _GappedCells,
    Fields: FieldCells,
    Tints: _TintedCells,
}
"""What names the cells of a board, by its skin's way of drawing."""


def namer_of(skin: Skin, grid: Grid) -> CellNamer:
    """What names the cells of a board of this skin."""
    return _AlikeCells(skin, grid) if grid.is_redrawn else _NAMERS[type(skin.drawing)](skin, grid)
