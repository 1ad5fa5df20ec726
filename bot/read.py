"""Pixels become cells here, and nowhere else.

Exact pixels first: a fingerprint of each cell against the skin's known ones. What is left is compared with every
template (root mean square over all channels) and accepted only when the nearest is near enough *and* every other
state is clearly farther. Everything else is unreadable: never a default, never a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.locate import cut_cells
from bot.models import Reading
from skins.fingerprint import fingerprint
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, QUESTION, WRONG_FLAG
from solver import board as codes
from solver.board import Board
from solver.game import GameState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from skins.skin import Skin

    Codes = NDArray[np.int16]
    Scores = NDArray[np.float64]

_CODE_OF_STATE = {
    CLOSED: codes.CLOSED,
    FLAG: codes.FLAG,
    QUESTION: codes.CLOSED,  # a question mark says nothing: the cell is closed
    MINE: codes.MINE,
    EXPLODED: codes.EXPLODED,
    WRONG_FLAG: codes.WRONG_FLAG,
}


def code_of(state: str) -> int:
    """The board code of a skin's cell state."""
    return int(state) if state.isdecimal() else _CODE_OF_STATE[state]


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
        self._prints = np.array(sorted(skin.exact), dtype=np.uint64)
        self._print_codes = np.array([code_of(skin.exact[value]) for value in sorted(skin.exact)], dtype=np.int16)
        self._template_codes = np.array([code_of(look.state) for look in skin.looks], dtype=np.int16)
        self._templates = np.stack([look.pixels_bgr.ravel() for look in skin.looks]).astype(np.float32)
        n_cells = grid.rows * grid.cols
        self._seen: NDArray[np.uint8] | None = None
        self._codes = np.full(n_cells, codes.UNREADABLE, dtype=np.int16)
        self._scores = np.zeros(n_cells, dtype=np.float64)

    def read(self, frame: Frame) -> Reading:
        """Read the board from a frame that shows at least its region."""
        grid = self.grid
        cells = cut_cells(frame.crop(grid.region).pixels_bgr, grid.rows, grid.cols)
        changed = self._changed(cells)
        if changed.size:
            self._codes[changed], self._scores[changed] = self._classify(cells[changed])
        self._seen = cells
        board = Board(self._codes.reshape(grid.rows, grid.cols), self.mines)
        unknown = tuple((int(row), int(col)) for row, col in np.argwhere(board.cells == codes.UNREADABLE))
        scores = self._scores.reshape(grid.rows, grid.cols).copy()
        return Reading(self.skin.name, grid, board, scores, unknown, judge_state(board))

    def _changed(self, cells: NDArray[np.uint8]) -> NDArray[np.intp]:
        if self._seen is None:
            return np.arange(cells.shape[0])
        return np.flatnonzero((cells != self._seen).any(axis=(1, 2, 3)))

    def _classify(self, cells: NDArray[np.uint8]) -> tuple[Codes, Scores]:
        prints = fingerprint(cells)
        place = np.minimum(np.searchsorted(self._prints, prints), self._prints.size - 1)
        exact = self._prints[place] == prints
        found = np.where(exact, self._print_codes[place], codes.UNREADABLE).astype(np.int16)
        scores = exact.astype(np.float64)
        rest = np.flatnonzero(~exact)
        if rest.size:
            found[rest], scores[rest] = self._match(cells[rest])
        return found, scores

    def _match(self, cells: NDArray[np.uint8]) -> tuple[Codes, Scores]:
        """Match against every template: tolerance and margin, else unreadable."""
        flat = cells.reshape(cells.shape[0], -1).astype(np.float32)
        apart = np.sqrt(np.stack([np.mean((flat - template) ** 2, axis=1) for template in self._templates], axis=1))
        best = apart.argmin(axis=1)
        nearest = apart[np.arange(best.size), best]
        other_state = self._template_codes[None, :] != self._template_codes[best][:, None]
        runner_up = np.where(other_state, apart, np.inf).min(axis=1)
        limit = self.skin.tolerance
        accepted = (nearest <= limit.accept) & (runner_up >= nearest * limit.margin)
        found = np.where(accepted, self._template_codes[best], codes.UNREADABLE).astype(np.int16)
        return found, np.where(accepted, 1.0 - nearest / 255.0, 0.0)


def read_board(frame: Frame, grid: Grid, skin: Skin, mines: int | None = None) -> Reading:
    """Read one board from one frame."""
    return Reader(skin, grid, mines).read(frame)


def judge_state(board: Board) -> GameState:
    """How the game stands, from the cells alone.

    Won means that every closed cell must be a mine: as many closed cells (flags included) as mines, or, where the
    count is not known, none but flags. A board with unreadable cells is never called won.
    """
    cells = board.cells
    if ((cells == codes.EXPLODED) | (cells == codes.MINE) | (cells == codes.WRONG_FLAG)).any():
        return GameState.LOST
    n_flags = int((cells == codes.FLAG).sum())
    n_closed = int((cells == codes.CLOSED).sum())
    if n_closed + n_flags == cells.size:
        return GameState.FRESH
    if (cells == codes.UNREADABLE).any():
        return GameState.PLAYING
    all_mines = n_closed == 0 if board.mines is None else n_closed + n_flags == board.mines
    return GameState.WON if all_mines else GameState.PLAYING
