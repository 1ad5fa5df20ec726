"""What cells with tinted grounds mean.

A number is told twice: by its ground and by its digits, and it counts only if the two agree. First the ground names
the looks that it may be of: one number, or none, or where tints have run out all that share the full colour. Then the
digits must be nearest to those of one of these, of all numbers there are. Where several numbers share the ground,
those of every other must also be clearly farther; what they do not tell stays a set. Signs that are no numbers are
compared as everywhere. Only the part of a cell that is known of the clone is looked at.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from bot.vision.match import Verdict, code_of
from bot.vision.products import multiplied
from skins.pixels import fingerprint
from solver import board as codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from skins.skin import Skin

    Cells = NDArray[np.uint8]
    Floats = NDArray[np.float32]

_Value = TypeVar("_Value", bound=np.generic)

_FULL = 255.0
_RED = 2


class TintMatcher:
    """Names the cells of one skin with tints. Make it by `tint_matcher_of`."""

    def __init__(self, skin: Skin) -> None:
        assert skin.tints is not None, "asked only of skins that have tints"
        self.skin = skin
        self._left, self._top, self._width, self._height = skin.tints.known_px
        cells = np.stack([self._known(look.pixels_bgr[None])[0] for look in skin.looks])
        self.states = np.array([look.state for look in skin.looks])
        self._templates = cells.reshape(len(cells), -1).astype(np.float32)
        self._grounds = _grounds_of(cells)
        self.grounds_bgr = np.unique(self._grounds, axis=0)
        """Every colour of a ground: B, G, R."""
        self._contrast = np.sqrt((self._grounds**2).mean(axis=1))
        ink = [self._known(skin.tints.ink(n, skin.pitch_px[0])[None])[0] for n in range(skin.tints.most + 1)]
        self._ink = np.stack(ink).reshape(len(ink), -1).astype(np.float32)
        self._number = np.array([int(state) if state.isdecimal() else -1 for state in self.states])
        alike = [frozenset(self.states[row].tolist()) for row in self._shares_ground(self._grounds)]
        self.sets: list[frozenset[str]] = list(dict.fromkeys([*(frozenset({s}) for s in self.states.tolist()), *alike]))
        """Every set of states that a cell may be left with."""
        self._place = {states: i for i, states in enumerate(self.sets)}

    def name(self, frame: Frame, grid: Grid, numbers: NDArray[np.intp]) -> Verdict:
        """Name these cells of a grid (numbers count places row by row); equal ones are looked at once."""
        cells = self._known(self._cut(frame, grid, numbers))
        _, first, which = np.unique(fingerprint(cells), return_index=True, return_inverse=True)
        alike, scores = self._matched(cells[first])
        named = [next(iter(self.sets[i])) if i >= 0 and len(self.sets[i]) == 1 else None for i in alike]
        board_codes = np.array([codes.UNREADABLE if state is None else code_of(state) for state in named])
        scores = np.where(board_codes == codes.UNREADABLE, 0.0, scores)
        back = which.reshape(-1)
        return Verdict(board_codes[back].astype(np.int16), scores[back], alike[back])

    def _cut(self, frame: Frame, grid: Grid, numbers: NDArray[np.intp]) -> Cells:
        width, height = self.skin.pitch_px
        rows, cols = np.divmod(numbers, grid.cols)
        x, y = np.array(grid.edges(0)) - frame.left, np.array(grid.edges(1)) - frame.top
        down = y[rows][:, None, None] + np.arange(height)[:, None]
        return frame.pixels_bgr[down, x[cols][:, None, None] + np.arange(width)]

    def _known(self, cells: NDArray[_Value]) -> NDArray[_Value]:
        """The known part of whole cells: N x height x width (x 3)."""
        return cells[:, self._top : self._top + self._height, self._left : self._left + self._width]

    def _shares_ground(self, grounds: Floats) -> NDArray[np.bool_]:
        """Which looks have these grounds (N x 3), within the tolerance: bool, N x looks."""
        apart = np.abs(grounds[:, None].astype(np.int16) - self._grounds[None].astype(np.int16)).max(axis=2)
        shares: NDArray[np.bool_] = apart <= self.skin.tolerance.colour
        return shares

    def _matched(self, cells: Cells) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Which of `sets` cells are, -1 where none, and how near they are: 1 is no distance."""
        tolerance = self.skin.tolerance
        grounds = _grounds_of(cells)
        may_be = self._shares_ground(grounds)
        apart = self._distances(cells)
        apart[~may_be] = np.inf
        best = apart.argmin(axis=1)
        every = np.arange(best.size)
        nearest = apart[every, best]
        is_rival = self.states[best][:, None] != self.states
        runner_up = np.where(is_rival, apart, np.inf).min(axis=1)
        is_near = nearest <= tolerance.accept
        is_clear = runner_up >= nearest * tolerance.margin
        is_number = self._number[best] >= 0
        says_so = self._number_by_digits(cells, grounds) == self._number[best]
        is_known = is_near & is_clear & (says_so | ~is_number)
        alike = np.array([self._place[frozenset({state})] for state in self.states[best].tolist()], dtype=np.intp)
        is_doubtful = is_near & ~is_known & is_number
        for i in np.flatnonzero(is_doubtful):
            alike[i] = self._place.get(frozenset(self.states[may_be[i]].tolist()), -1)
        alike[~(is_known | is_doubtful)] = -1
        with np.errstate(invalid="ignore"):
            scores = np.where(is_known, 1.0 - nearest / (2.0 * tolerance.accept), 0.0)
        return alike, scores.astype(np.float64)

    def _distances(self, cells: Cells) -> Floats:
        """Root mean square from every cell to every look, as on a white ground: float32, N x looks."""
        flat = cells.reshape(len(cells), -1).astype(np.float32)
        squares = (flat**2).sum(axis=1)[:, None] + (self._templates**2).sum(axis=1)
        squares -= 2 * multiplied(self._templates, np.ascontiguousarray(flat.T)).T
        apart: Floats = np.sqrt(np.maximum(squares, 0) / flat.shape[1]) * (_FULL / self._contrast)
        return apart

    def _number_by_digits(self, cells: Cells, grounds: Floats) -> NDArray[np.intp]:
        """The number whose digits the ink on cells is nearest to: every ground of a number is full of red."""
        full = np.maximum(grounds[:, _RED], 1.0)[:, None]
        ink = 1.0 - cells[..., _RED].reshape(len(cells), -1).astype(np.float32) / full
        squares = (self._ink**2).sum(axis=1) - 2 * multiplied(self._ink, np.ascontiguousarray(ink.T)).T
        return np.asarray(squares.argmin(axis=1), dtype=np.intp)


@lru_cache(maxsize=64)
def tint_matcher_of(skin: Skin) -> TintMatcher:
    """The matcher of a skin with tints, made once a session."""
    return TintMatcher(skin)


def _grounds_of(cells: Cells) -> Floats:
    """The colour of most of every cell's rim: float32, N x 3."""
    sides = [cells[:, 0], cells[:, -1], cells[:, 1:-1, 0], cells[:, 1:-1, -1]]
    return np.asarray(np.median(np.concatenate(sides, axis=1), axis=1), dtype=np.float32)
