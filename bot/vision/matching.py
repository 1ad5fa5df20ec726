"""What a cell's pixels mean in one skin: exactly known pixels first, then the nearest look, else nothing.

Cells come here in the skin's own size (`unscale` brings them there). A cell whose fingerprint is known is what the
fingerprint says. Any other is compared with every look (root mean square over all channels) and accepted only when the
nearest is near enough *and* those of every other meaning are clearly farther. Everything else is unreadable: never a
default, never a guess; but numbers that a font drew are read by their ink (`signs`). Where a skin draws two states
alike, the answer is the set of both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.vision.patches import CLOSED_RIM, LIKE, MINE_CAPABLE, NO_CELL, OPEN, PLAIN, RIM
from bot.vision.signs import sign_reader_of
from skins.pixels import blunt_fingerprint, fingerprint, product_of
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, QUESTION, WRONG_FLAG, is_open_state
from skins.skin import OPEN as OPEN_STATE
from solver import board as codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
    OPEN_STATE: codes.OPEN_UNKNOWN,
}
_CLOSED_STATES = {CLOSED, FLAG, QUESTION}
SCALED_SLACK = 1.4
"""Factor by which cells brought back from another scale may be farther from their look: kernels clip and round."""
_RIM_RMS = 10.0
"""A rim this near that of a look is the rim of a cell, whatever is drawn inside."""
_PLAIN_MARGIN = 1.15
"""A look that has lines must fit better by this factor than a field of the cell's mean colour."""
_MOST_COLOURS = 16
"""Skins of so few colours are drawn without blends: every pixel of theirs is one of these."""
_LIKE_RMS = 30.0
"""A picture this near a look may be a damaged cell."""
_ALIKE_RMS = 4.0
"""Two looks this near each other cannot be told apart on a screen that has been scaled, filtered or compressed."""


def code_of(state: str) -> int:
    """The board code of a skin's cell state."""
    return int(state) if state.isdecimal() else _CODE_OF_STATE[state]


@dataclass(frozen=True, eq=False)
class Verdict:
    """What a stack of cells shows.

    Attributes:
        codes: int16, N: board codes, `UNREADABLE` where not known.
        scores: float64, N: 1.0 exact, down to 0.0 for unreadable.
        alike: index of the set of states that may be meant, into `Matcher.sets`; -1 where none is.
    """

    codes: Codes
    scores: Scores
    alike: NDArray[np.intp]

    def take(self, numbers: NDArray[np.intp], other: Verdict) -> None:
        """Put another verdict's answers in the place of these cells' own."""
        self.codes[numbers], self.scores[numbers], self.alike[numbers] = other.codes, other.scores, other.alike

    @property
    def is_known(self) -> NDArray[np.bool_]:
        """Which cells show a look of the skin, even if it stands for several states."""
        known: NDArray[np.bool_] = self.alike >= 0
        return known


class Matcher:
    """Names cells by one skin. Make it by `matcher_of`: preparing costs more than a read."""

    def __init__(self, skin: Skin) -> None:
        self.skin = skin
        width, height = skin.pitch_px
        pixels = np.stack([look.pixels_bgr for look in skin.looks])
        self._templates = pixels.reshape(len(pixels), -1).astype(np.float32)
        self._squares = (self._templates**2).sum(axis=1)
        apart = np.sqrt(((self._templates[:, None] - self._templates[None]) ** 2).mean(axis=2))
        groups = [frozenset(skin.looks[j].state for j in np.flatnonzero(row <= _ALIKE_RMS)) for row in apart]
        widened = {look.state: group for look, group in zip(skin.looks, groups, strict=True) if len(group) > 1}
        sizes = skin.drawing.sizes
        exact = {**skin.exact, **({} if sizes is None else sizes.exact)}
        self._prints = np.array(sorted(exact), dtype=np.uint64)
        own = dict(zip(fingerprint(pixels).tolist(), groups, strict=True))
        said = [(own.get(value, frozenset()), exact[value]) for value in self._prints.tolist()]
        of_prints = [states if state in states else self._meaning(state, widened) for states, state in said]
        self.sets: list[frozenset[str]] = list(dict.fromkeys([*groups, *of_prints]))
        """Every set of states that one picture may stand for."""
        place = {states: i for i, states in enumerate(self.sets)}
        self._set_of_template = np.array([place[states] for states in groups], dtype=np.intp)
        self._set_of_print = np.array([place[states] for states in of_prints], dtype=np.intp)
        self.code_of_set = np.array([common_code(states) for states in self.sets], dtype=np.int16)
        self._apart = apart
        self._n_values = 3 * width * height
        # Looks that may be the nearest together without any doubt: all of their states mean the same.
        self._is_rival = np.array([[bool(a ^ b) for b in groups] for a in groups])
        self._is_rival &= ~np.array([[common_code(a | b) != codes.UNREADABLE for b in groups] for a in groups])
        self.tells = _flatness(pixels) > _ALIKE_RMS
        """Which looks are more than a field of one colour: bool, one a look."""
        self._signs = None if skin.signs is None else sign_reader_of(skin.signs)
        self._set_of_number = np.array([place.get(frozenset({str(number)}), -1) for number in range(9)], dtype=np.intp)
        self._open_rims = np.array(sorted(() if sizes is None else sizes.open_rims), dtype=np.uint64)
        self._is_capable = np.array([not is_open_state(look.state) for look in skin.looks])
        self._set_site = np.array([OPEN if any(map(is_open_state, own)) else MINE_CAPABLE for own in self.sets])
        self._set_tells = np.array([self._tells(i) for i in range(len(self.sets))])
        self._palette = np.unique(pixels.reshape(-1, 3), axis=0).astype(np.float32)
        rims, which = np.unique(rim(pixels), axis=0, return_inverse=True)
        is_open = np.array([look.state not in _CLOSED_STATES for look in skin.looks])
        # A rim so plain that a field of its colour would pass for it tells nothing.
        is_lined = _flatness(rims[:, None]) > _RIM_RMS
        self._rims = rims[is_lined].reshape(-1, rims[0].size).astype(np.float32)
        of_open = np.isin(np.arange(len(rims)), which.reshape(-1)[is_open])
        self._rim_sites = np.where(of_open, RIM, CLOSED_RIM).astype(np.int8)[is_lined]

    def _tells(self, number: int) -> bool:
        """Whether every look of a set is more than a field of one colour; a set known by fingerprints only is."""
        own = self.tells[self._set_of_template == number]
        return bool(own.all())

    @staticmethod
    def _meaning(state: str, widened: dict[str, frozenset[str]]) -> frozenset[str]:
        return widened.get(state, frozenset({state}))

    def name(self, cells: NDArray[np.uint8], slack: float = 1.0, *, snaps: bool = False) -> Verdict:
        """Name every cell of a stack (uint8, N x height x width x 3): equal ones are looked at once.

        `slack` widens the tolerance of the skin; `snaps` also tries the nearest colours of the skin for every pixel.
        """
        prints = fingerprint(cells)
        alike = self._looked_up(prints)
        scores = (alike >= 0).astype(np.float64)
        rest = np.flatnonzero(alike < 0)
        if rest.size:
            _, first, which = np.unique(prints[rest], return_index=True, return_inverse=True)
            near, near_scores = self._matched(cells[rest[first]], slack)
            if snaps:
                self._snap(cells[rest[first]], near, near_scores, slack)
            alike[rest], scores[rest] = near[which], near_scores[which]
        named = np.where(alike >= 0, self.code_of_set[alike], codes.UNREADABLE).astype(np.int16)
        scores[named == codes.UNREADABLE] = 0.0
        return Verdict(named, scores, alike)

    def name_redrawn(self, cells: NDArray[np.uint8]) -> Verdict:
        """Name cells that their clone drew at another size (uint8, N x side x side x 3), by exact pixels alone.

        Signs count where the outermost pixels are exactly those of open cells.
        """
        alike = self._looked_up(blunt_fingerprint(cells))
        rest = np.flatnonzero(alike < 0)
        if self._signs is not None and rest.size:
            rest = rest[np.isin(fingerprint(rim(cells[rest])), self._open_rims)]
            told = self._signs.read(cells[rest, 1:-1, 1:-1]).numbers
            alike[rest] = np.where(told > 0, self._set_of_number[np.maximum(told, 0)], -1)
        named = np.where(alike >= 0, self.code_of_set[alike], codes.UNREADABLE).astype(np.int16)
        return Verdict(named, (named != codes.UNREADABLE).astype(np.float64), alike)

    def _snap(self, cells: NDArray[np.uint8], alike: NDArray[np.intp], scores: Scores, slack: float) -> None:
        """Name what is left after all by its exact pixels, each taken for the nearest colour of the skin.

        The pixels of real clones are known by their fingerprints alone; where a clone uses few colours, a cell brought
        back from another scale is exactly what it was, once its rounded colours are put right.
        """
        rest = np.flatnonzero(alike < 0)
        if not rest.size or not 0 < len(self._palette) <= _MOST_COLOURS:
            return
        left = cells[rest].reshape(rest.size, -1, 3).astype(np.float32)
        apart = ((left[:, :, None] - self._palette) ** 2).sum(axis=3)
        snapped = self._palette[apart.argmin(axis=2)].astype(np.uint8).reshape(cells[rest].shape)
        strayed = np.sqrt(apart.min(axis=2).mean(axis=1) / 3)
        found = np.where(strayed <= self.skin.tolerance.accept * slack, self._looked_up(fingerprint(snapped)), -1)
        alike[rest] = found
        scores[rest] = np.where(found >= 0, 1.0 - strayed / (2.0 * self.skin.tolerance.accept * slack), 0.0)

    def distances(self, cells: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Root mean square from every cell to every look: float32, N x looks."""
        flat = cells.reshape(cells.shape[0], -1).astype(np.float32)
        squares = (flat**2).sum(axis=1)[:, None] + self._squares - 2 * product_of(self._templates, flat.T).T
        distances: NDArray[np.float32] = np.sqrt(np.maximum(squares, 0) / self._n_values)
        return distances

    def recognise(self, cells: NDArray[np.uint8], slack: float = 1.0) -> NDArray[np.int8]:
        """What every cell of a stack is as a site of a board (`patches`): int8, N.

        The rim of a look counts too: its inside may be drawn otherwise, and the reader will call it unreadable.
        """
        verdict = self.name(cells, slack)
        tells = np.where(verdict.is_known, self._set_tells[verdict.alike], False)
        sites = np.where(verdict.is_known, np.where(tells, self._set_site[verdict.alike], PLAIN), NO_CELL).astype(
            np.int8
        )
        rest = np.flatnonzero(~tells)
        if rest.size and self._rims.size:
            rims = rim(cells[rest]).reshape(rest.size, -1).astype(np.float32)
            apart = ((rims[:, None] - self._rims) ** 2).mean(axis=2)
            near = apart.min(axis=1) <= _RIM_RMS**2
            sites[rest[near]] = np.maximum(sites[rest[near]], self._rim_sites[apart.argmin(axis=1)[near]])
        unnamed = np.flatnonzero(sites == NO_CELL)
        if unnamed.size:
            apart = self.distances(cells[unnamed])
            nearest, is_lined = apart.min(axis=1), self.tells[apart.argmin(axis=1)]
            like = is_lined & (nearest <= _LIKE_RMS) & (_flatness(cells[unnamed]) >= nearest * _PLAIN_MARGIN)
            sites[unnamed[like]] = LIKE
        return sites

    def may_be_mines(self, cells: NDArray[np.uint8], most: float) -> NDArray[np.bool_]:
        """Which cells look most like one that may hold a mine, or have a closed one's rim, at most this far from it."""
        apart = self.distances(cells)
        found: NDArray[np.bool_] = self._is_capable[apart.argmin(axis=1)] & (apart.min(axis=1) <= most)
        if self._rims.size:
            rims = rim(cells).reshape(len(cells), -1).astype(np.float32)
            far = ((rims[:, None] - self._rims) ** 2).mean(axis=2)
            found |= (self._rim_sites[far.argmin(axis=1)] == CLOSED_RIM) & (far.min(axis=1) <= most**2)
        return found

    def _looked_up(self, prints: NDArray[np.uint64]) -> NDArray[np.intp]:
        if not self._prints.size:
            return np.full(prints.size, -1, dtype=np.intp)
        place = np.minimum(np.searchsorted(self._prints, prints), self._prints.size - 1)
        return np.where(self._prints[place] == prints, self._set_of_print[place], -1)

    def _matched(self, cells: NDArray[np.uint8], slack: float) -> tuple[NDArray[np.intp], Scores]:
        apart = self.distances(cells)
        best = apart.argmin(axis=1)
        nearest = apart[np.arange(best.size), best].astype(np.float64)
        runner_up = np.where(self._is_rival[best], apart, np.inf).min(axis=1)
        accept, margin = self.skin.tolerance.accept * slack, self.skin.tolerance.margin
        accepted = (nearest <= accept) & (runner_up >= nearest * margin)
        near = np.flatnonzero(accepted & self.tells[best])
        accepted[near] = _flatness(cells[near]) >= nearest[near] * _PLAIN_MARGIN
        alike = np.where(accepted, self._set_of_template[best], -1)
        return alike, np.where(accepted, 1.0 - nearest / (2.0 * accept), 0.0)


@lru_cache(maxsize=256)
def matcher_of(skin: Skin) -> Matcher:
    """The matcher of a skin, made once a session."""
    return Matcher(skin)


def cut_cells(
    board_bgr: NDArray[np.uint8], rows: int, cols: int, numbers: NDArray[np.intp] | None = None
) -> NDArray[np.uint8]:
    """Cut cells, all or those of these numbers, out of a picture of rows x cols of them, counted row by row.

    As a stack: uint8, N x height x width x 3.
    """
    height, width = board_bgr.shape[0] // rows, board_bgr.shape[1] // cols
    row, col = np.divmod(np.arange(rows * cols) if numbers is None else numbers, cols)
    cells: NDArray[np.uint8] = board_bgr.reshape(rows, height, cols, width, 3).swapaxes(1, 2)[row, col]
    return cells


def rim(cells: NDArray[Any]) -> NDArray[Any]:
    """The outermost pixels of each cell, N x height x width x 3: N x pixels x 3, of the same dtype."""
    return np.concatenate([cells[:, 0], cells[:, -1], cells[:, 1:-1, 0], cells[:, 1:-1, -1]], axis=1)


def _flatness(cells: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Root mean square from every cell to its own mean colour: float32, N."""
    flat = cells.reshape(cells.shape[0], math.prod(cells.shape[1:3]), 3).astype(np.float32)
    variance = np.einsum("ijk,ijk->ik", flat, flat) / flat.shape[1] - flat.mean(axis=1) ** 2
    distances: NDArray[np.float32] = np.sqrt(np.maximum(variance.mean(axis=1), 0))
    return distances


def common_code(states: frozenset[str]) -> int:
    """The board code that all these states share, else unreadable."""
    shared = {code_of(state) for state in states}
    return shared.pop() if len(shared) == 1 else codes.UNREADABLE
