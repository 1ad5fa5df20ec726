"""Pixels become cells here, and nowhere else.

A board at its clone's own size is cut into cells as it is; any other is brought to that size first (`unscale`).
`matching` names each cell, or does not: what it cannot name is unreadable, never a default, never a guess. Clones that
have no size of their own are left to `tile_match`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Reading
from bot.vision.exact import cut_cells
from bot.vision.fit import best_kernel
from bot.vision.matching import SCALED_SLACK, code_of, matcher_of
from bot.vision.tile_match import tile_matcher_of
from bot.vision.tinted import tint_matcher_of
from bot.vision.unscale import Kernel, Unscaler
from solver import board as codes
from solver.board import Board
from solver.game import GameState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from bot.vision.matching import Verdict
    from bot.vision.tile_match import Inset, Tile
    from skins.skin import Skin
    from solver.topology import Cell

__all__ = ["Reader", "code_of", "judge_state", "read_board"]

_FEW = 12
"""Up to so many changed cells are brought to native size one by one; more of them all at once."""


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
        self._tiles = None if skin.tiles is None else tile_matcher_of(skin)
        self._tints = None if skin.tints is None else tint_matcher_of(skin)
        self._inset: Inset | None = None
        self._seen_tiles: dict[Tile, tuple[int, float]] = {}
        self._is_native = grid.is_whole and grid.pitch_px == skin.pitch_px
        self._is_redrawn = grid.is_whole and skin.sizes is not None and skin.sizes.has(grid.pitch_px)
        self._unscalers: list[Unscaler] = []
        self._edges = tuple(np.array(grid.edges(axis)[:-1]) - grid.edges(axis)[0] for axis in (0, 1))
        n_cells = grid.rows * grid.cols
        self._seen: NDArray[np.uint8] | None = None
        self._codes = np.full(n_cells, codes.UNREADABLE, dtype=np.int16)
        self._scores = np.zeros(n_cells, dtype=np.float64)
        self._alike = np.full(n_cells, -1, dtype=np.intp)

    def read(self, frame: Frame) -> Reading:
        """Read the board from a frame that shows at least its region."""
        grid = self.grid
        pixels = frame.crop(grid.region).pixels_bgr
        changed = self._changed(pixels)
        if changed.size:
            verdict = self._named(frame, pixels, changed)
            self._codes[changed], self._scores[changed] = verdict.codes, verdict.scores
            self._alike[changed] = verdict.alike
            if self._tiles is not None:
                self._codes = self._tiles.settle(self._alike)
            if self._seen is None:
                self._seen = np.empty_like(pixels)
            np.copyto(self._seen, pixels)
        board = Board(grid.to_board(self._codes), self.mines, cut=grid.cut)
        unreadable = {grid.cell_of(int(number)): number for number in np.flatnonzero(self._codes == codes.UNREADABLE)}
        unknown = tuple(sorted(unreadable))
        alternatives: dict[Cell, frozenset[str]] = {
            cell: self._sets[self._alike[number]] for cell, number in unreadable.items() if self._alike[number] >= 0
        }
        scores = grid.to_board(self._scores).copy()
        return Reading(self.skin.name, grid, board, scores, unknown, judge_state(board), alternatives)

    @property
    def _sets(self) -> list[frozenset[str]]:
        return (self._tiles or self._tints or matcher_of(self.skin)).sets

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

    def _named(self, frame: Frame, pixels: NDArray[np.uint8], changed: NDArray[np.intp]) -> Verdict:
        if self._tiles is not None:
            if self._inset is None:
                self._inset = self._tiles.measure(frame, self.grid)
            return self._tiles.name(frame, self.grid, changed, self._inset, self._seen_tiles)
        if self._tints is not None:
            return self._tints.name(frame, self.grid, changed)
        if not self._is_redrawn:
            return self._matched(frame, pixels, changed)
        verdict = matcher_of(self.skin).name_redrawn(cut_cells(pixels, self.grid.rows, self.grid.cols, changed))
        rest = np.flatnonzero(~verdict.is_known)
        if rest.size:
            verdict.take(rest, self._matched(frame, pixels, changed[rest]))
        return verdict

    def _matched(self, frame: Frame, pixels: NDArray[np.uint8], changed: NDArray[np.intp]) -> Verdict:
        """Name cells by their clone's own size, brought to it where they have another."""
        matcher = matcher_of(self.skin)
        if self._is_native:
            return matcher.name(cut_cells(pixels, self.grid.rows, self.grid.cols, changed))
        if not self._unscalers:
            best = best_kernel(frame, self.grid, matcher).kernel
            kernels = (best, *(kernel for kernel in Kernel if kernel is not best))
            self._unscalers = [Unscaler(self.grid, self.skin.pitch_px, kernel) for kernel in kernels]
        verdict = matcher.name(self._native(self._unscalers[0], frame, changed), SCALED_SLACK, snaps=True)
        rest = np.flatnonzero(~verdict.is_known)
        for unscaler in self._unscalers[1:]:  # the outermost cells, for one, may have been enlarged without the border
            if rest.size:
                other = matcher.name(self._native(unscaler, frame, changed[rest]), SCALED_SLACK, snaps=True)
                verdict.take(rest, other)
                rest = rest[~other.is_known]
        return verdict

    def _native(self, unscaler: Unscaler, frame: Frame, numbers: NDArray[np.intp]) -> NDArray[np.uint8]:
        """Cells brought to native size."""
        if numbers.size > _FEW:
            return unscaler.cells(frame)[numbers]
        return np.stack([unscaler.cell(frame, *divmod(int(number), self.grid.cols)) for number in numbers])


def read_board(frame: Frame, grid: Grid, skin: Skin, mines: int | None = None) -> Reading:
    """Read one board once."""
    return Reader(skin, grid, mines).read(frame)


def judge_state(board: Board) -> GameState:
    """How the game stands, from the cells alone.

    Won means that all closed cells are mines, and none exploded: as many closed cells (flags, and mines that show,
    included) as mines, or, where the count is not known, none but flags. A board with unreadable cells is never called
    won; and one that goes on unseen neither won nor fresh.
    """
    cells = board.cells
    n_closed, n_flags, n_mines = (int((cells == code).sum()) for code in (codes.CLOSED, codes.FLAG, codes.MINE))
    if ((cells == codes.EXPLODED) | (cells == codes.WRONG_FLAG)).any():
        return GameState.LOST
    if board.cut:
        return GameState.LOST if n_mines else GameState.PLAYING
    if n_closed + n_flags == cells.size:
        return GameState.FRESH
    all_mines = n_closed + n_mines == 0 if board.mines is None else n_closed + n_flags + n_mines == board.mines
    if all_mines and not (cells == codes.UNREADABLE).any():
        return GameState.WON
    return GameState.LOST if n_mines else GameState.PLAYING
