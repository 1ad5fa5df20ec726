"""Find boards whose closed cells are bare fields of two colours in turn, with no line anywhere.

No pixel row of such a cell tells anything by itself, as `probe` needs it. But beside each field lie fields of another
colour: areas of one colour just as large as a cell say where cells begin.
A field belongs to the board where its colour is in turn there, and others of the board are beside it: what lies around
a board may have one of its colours.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import FoundBoard, Grid, Pixel
from bot.vision.matching import cut_cells
from bot.vision.patches import MIN_TELLING, MINE_CAPABLE, NO_CELL, OPEN, PLAIN, find_patches
from skins.pixels import fingerprint
from skins.skin import CLOSED, is_open_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from skins.skin import Skin

    Words = NDArray[np.uint64]
    Mask = NDArray[np.bool_]

_MOST_PHASES = 3
_LEAST_AREA = 0.3
"""A digit covers less of its field than all but this share."""
_BESIDE = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=np.uint8)
_LEAST_BESIDE = 2
"""Number of cells beside one in the corner of a board."""


@lru_cache(maxsize=256)
def is_checkered(skin: Skin) -> bool:
    """Whether a skin's closed cells are bare fields of two colours or more."""
    looks = skin.looks_of(CLOSED)
    if len(looks) < 2:
        return False
    closed = np.stack([look.pixels_bgr for look in looks])
    is_bare = bool((closed == closed[:, :1, :1]).all())
    return is_bare and len(np.unique(closed[:, 0, 0], axis=0)) > 1


class _Looks:
    """The looks of one skin, by fingerprints."""

    def __init__(self, skin: Skin) -> None:
        looks = np.stack([look.pixels_bgr for look in skin.looks])
        is_bare = (looks == looks[:, :1, :1]).all(axis=(1, 2, 3))
        states = np.array([look.state for look in skin.looks])
        prints = fingerprint(looks)
        self.colours = np.unique(looks[is_bare][:, 0, 0], axis=0)
        in_turn = [state for state in np.unique(states) if np.unique(prints[is_bare & (states == state)]).size > 1]
        self.in_turn = np.unique(prints[is_bare & np.isin(states, in_turn)])
        self.alone = np.unique(prints[is_bare & ~np.isin(states, in_turn)])
        self.open = np.array([one for one, state in skin.exact.items() if is_open_state(state)], dtype=np.uint64)
        self.capable = np.array([one for one, state in skin.exact.items() if not is_open_state(state)], dtype=np.uint64)


@lru_cache(maxsize=64)
def _looks(skin: Skin) -> _Looks:
    return _Looks(skin)


def find_checkered(frame: Frame, skins: Sequence[Skin]) -> list[FoundBoard]:
    """Every board of these skins, all of them chequered, at their own size."""
    found = []
    for skin in skins:
        for x, y in _phases(frame.pixels_bgr, skin):
            found += _boards(frame, skin, x, y)
    return found


def _phases(pixels_bgr: NDArray[np.uint8], skin: Skin) -> list[tuple[int, int]]:
    """Where cells begin modulo the pitch, (x, y), those of most fields first."""
    width, height = skin.pitch_px
    votes = np.zeros((height, width), dtype=np.intp)
    for colour in _looks(skin).colours:
        mask = cv2.inRange(pixels_bgr, colour, colour)
        _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
        left, top, wide, high, area = stats[1:].T
        is_field = (wide == width) & (high == height) & (area >= _LEAST_AREA * width * height)
        np.add.at(votes, (top[is_field] % height, left[is_field] % width), 1)
    best = np.argsort(-votes, axis=None, kind="stable")[:_MOST_PHASES]
    return [(int(one % width), int(one // width)) for one in best if votes.flat[one] >= MIN_TELLING]


def _boards(frame: Frame, skin: Skin, x: int, y: int) -> list[FoundBoard]:
    """The boards whose cells begin there."""
    width, height = skin.pitch_px
    rows, cols = (frame.region.height - y) // height, (frame.region.width - x) // width
    pixels = frame.pixels_bgr[y : y + rows * height, x : x + cols * width]
    prints = fingerprint(cut_cells(pixels, rows, cols)).reshape(rows, cols)
    boards = []
    for sites in _charts(prints, _looks(skin)):
        for patch in find_patches(sites):
            origin = Pixel(frame.left + x + patch.left * width, frame.top + y + patch.top * height)
            grid = Grid(origin, skin.pitch_px, patch.rows, patch.cols)
            boards.append(FoundBoard(skin, grid, patch.n_known, patch.n_named))
    return boards


def _charts(prints: Words, looks: _Looks) -> Iterator[NDArray[np.int8]]:
    """The cells of each place where different ones lie side by side, as sites of a board."""
    is_known = np.isin(prints, looks.open) | np.isin(prints, looks.capable)
    core = is_known & _has_others_beside(prints, is_known)
    near = np.asarray(cv2.dilate(core.astype(np.uint8), np.ones((3, 3), dtype=np.uint8)))
    n_places, numbers = cv2.connectedComponents(near, connectivity=8)
    for number in range(1, n_places):
        own = is_known & (numbers == number)
        is_site = own & _is_in_turn(prints, own & core, looks.in_turn)
        is_site &= _n_beside(is_site) >= _LEAST_BESIDE
        sites = np.where(np.isin(prints, looks.open), OPEN, MINE_CAPABLE)
        sites = np.where(np.isin(prints, looks.alone), PLAIN, sites)
        yield np.where(is_site, sites, NO_CELL).astype(np.int8)


def _has_others_beside(prints: Words, is_known: Mask) -> Mask:
    """Which cells have a known one of another look above, below or beside them."""
    found = np.zeros(prints.shape, dtype=np.bool_)
    for one, other in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        differs = is_known[one] & is_known[other] & (prints[one] != prints[other])
        found[one] |= differs
        found[other] |= differs
    return found


def _is_in_turn(prints: Words, core: Mask, in_turn: Words) -> Mask:
    """False for fields of a colour that is in turn with another, where that other should be."""
    is_odd = np.indices(prints.shape).sum(axis=0) % 2 == 1
    is_right = np.ones(prints.shape, dtype=np.bool_)
    for value in in_turn:
        here = prints == value
        belongs = is_odd == bool(2 * int((core & here & is_odd).sum()) > int((core & here).sum()))
        is_right &= ~here | belongs
    return is_right


def _n_beside(is_site: Mask) -> NDArray[np.uint8]:
    """How many sites are above, below and beside each cell."""
    ones = is_site.astype(np.uint8)
    return np.asarray(cv2.filter2D(ones, -1, _BESIDE, borderType=cv2.BORDER_CONSTANT), dtype=np.uint8)
