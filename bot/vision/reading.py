"""Pixels become cells here, and nowhere else.

How cells are named is the business of the skin's family (`families`). What it cannot name is unreadable, never a
default, never a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Reading
from bot.vision.families import family_of
from bot.vision.matching import code_of
from solver import board as codes
from solver.board import Board

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from skins.skin import Skin
    from solver.topology import Cell

__all__ = ["Reader", "code_of", "read_board"]


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
        self._cells = family_of(skin).name(skin, grid)
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
            verdict = self._cells.name(frame, pixels, changed)
            self._codes[changed], self._scores[changed] = verdict.codes, verdict.scores
            self._alike[changed] = verdict.alike
            self._codes = self._cells.settled(self._codes, self._alike)
            if self._seen is None:
                self._seen = np.empty_like(pixels)
            np.copyto(self._seen, pixels)
        board = Board(grid.to_board(self._codes), self.mines, cut=grid.cut)
        unreadable = {grid.cell_of(int(number)): number for number in np.flatnonzero(self._codes == codes.UNREADABLE)}
        unknown = tuple(sorted(unreadable))
        sets = self._cells.sets
        alternatives: dict[Cell, frozenset[str]] = {
            cell: sets[self._alike[number]] for cell, number in unreadable.items() if self._alike[number] >= 0
        }
        scores = grid.to_board(self._scores).copy()
        return Reading(self.skin.name, grid, board, scores, unknown, board.state, alternatives)

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
