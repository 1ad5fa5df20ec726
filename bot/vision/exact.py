"""Find boards at the size and in the colours that their clone draws.

`probe` says where rows of pixels of a skin's looks are, and at which x modulo the pitch cells begin there. Here the
rows say at which y they begin; then a site of that lattice belongs to a board when its pixels are known, or its rim is
pixel for pixel the rim of a look (whatever is drawn inside: a rim without a known inside is a cell the reader will call
unreadable). Sites that touch are a board. A dialog over part of it does not matter as long as they still reach its four
sides; where they do not, `hidden` says how the board goes on.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bot.models import FoundBoard, Grid, Pixel, Region
from bot.vision.matching import cut_cells, rim
from bot.vision.patches import MIN_TELLING, MINE_CAPABLE, NO_CELL, OPEN, PLAIN, RIM, find_patches
from bot.vision.probe import find_windows, row_hashes
from skins.pixels import fingerprint
from skins.skin import is_open_state

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from bot.vision.probe import Window
    from skins.skin import Skin

    Words = NDArray[np.uint64]

_MAX_PHASES = 3
"""Most lattices of one window that are followed up: no more boards lie together in one line."""
_MARGIN_CELLS = 4
"""Number of cells around a window that are looked at too; more while its outermost are cells."""
_MAX_GROWTHS = 8


class _Known:
    """The exact pixels of one skin, by fingerprints."""

    def __init__(self, skin: Skin) -> None:
        looks = np.stack([look.pixels_bgr for look in skin.looks])
        rims = rim(looks)
        self.rims = np.unique(fingerprint(rims[(rims != rims[:, :1]).any(axis=(1, 2))]))
        is_plain = (looks == looks[:, :1, :1]).all(axis=(1, 2, 3))
        self.plain = np.unique(fingerprint(looks[is_plain]))
        telling = [(value, state) for value, state in skin.exact.items() if value not in set(self.plain.tolist())]
        self.open = np.array([value for value, state in telling if is_open_state(state)], dtype=np.uint64)
        self.capable = np.array([value for value, state in telling if not is_open_state(state)], dtype=np.uint64)
        height = skin.pitch_px[1]
        rows = looks.reshape(-1, *looks.shape[2:])
        hashes = row_hashes(rows)
        self.rows = np.unique(hashes)
        self.places = np.zeros((self.rows.size, height))
        self.places[np.searchsorted(self.rows, hashes), np.tile(np.arange(height), len(looks))] = 1
        self.places /= self.places.sum(axis=1, keepdims=True)  # a row that may be any of twelve tells a twelfth

    def sites(self, cells: Words, rims: Words) -> NDArray[np.int8]:
        """What cells are as sites of a board (int8, N), by the fingerprints of their pixels and of their rims."""
        sites = np.where(np.isin(cells, self.plain), PLAIN, NO_CELL)
        sites = np.where(np.isin(rims, self.rims), RIM, sites)
        sites = np.where(np.isin(cells, self.open), OPEN, sites)
        return np.where(np.isin(cells, self.capable), MINE_CAPABLE, sites).astype(np.int8)


@lru_cache(maxsize=256)
def _known(skin: Skin) -> _Known:
    return _Known(skin)


def find_exact(frame: Frame, skins: Sequence[Skin]) -> list[FoundBoard]:
    """Every board of these skins at their own size; one place may come more than once, for several skins."""
    found: list[FoundBoard] = []
    explained: list[Region] = []
    for window in find_windows(frame.pixels_bgr, skins):
        middle = Pixel(frame.left + (window.left + window.right) // 2, frame.top + (window.top + window.bottom) // 2)
        if any(region.has_pixel(middle) for region in explained):
            continue
        boards, is_explained = _boards_in(frame, window)
        found += boards
        if is_explained:
            explained.append(boards[-1].grid.region)
    return found


def _boards_in(frame: Frame, window: Window) -> tuple[list[FoundBoard], bool]:
    """The boards in a window, and whether the last of them leaves nothing to explain."""
    part = _Part(frame, window)
    found: list[FoundBoard] = []
    for skin in window.skins:
        for y_phase in part.y_phases(skin):
            for board in part.boards(skin, y_phase):
                found.append(board)
                if _explains(board, window):
                    return found, True
    return found, False


def _explains(board: FoundBoard, window: Window) -> bool:
    """Whether every cell of a board is known and it fills its window: no other skin can do better there."""
    region = board.grid.region
    n_pixels = (window.right - window.left) * (window.bottom - window.top)
    return board.n_named == board.grid.rows * board.grid.cols and region.width * region.height > 0.8 * n_pixels


class _Part:
    """One window of a frame, looked at by several skins: what they share is made once."""

    def __init__(self, frame: Frame, window: Window) -> None:
        self._frame = frame
        self._window = window
        width = window.skins[0].pitch_px[0]
        self._top = max(window.top - 2 * width, 0)
        strip = frame.pixels_bgr[self._top : window.bottom + 2 * width, window.left : window.right]
        self._n_cols = strip.shape[1] // width
        self._hashes = row_hashes(strip.reshape(-1, width, 3))
        self._prints: dict[tuple[int, int, int], tuple[Words, Words]] = {}

    def y_phases(self, skin: Skin) -> list[int]:
        """At which y modulo the pitch cells of a skin begin, those of most rows first."""
        known = _known(skin)
        height = skin.pitch_px[1]
        place = np.minimum(np.searchsorted(known.rows, self._hashes), known.rows.size - 1)
        hits = np.flatnonzero(known.rows[place] == self._hashes)
        y = (hits // self._n_cols + self._top) % height
        by_row = np.bincount(y * known.rows.size + place[hits], minlength=height * known.rows.size)
        n_hits = by_row.reshape(height, -1) @ known.places  # by y, and by which row of a look it may be
        rows = np.arange(height)
        votes = np.array([n_hits[(phase + rows) % height, rows].sum() for phase in range(height)])
        best = np.argsort(-votes, kind="stable")[:_MAX_PHASES]
        return [int(phase) for phase in best if votes[phase] > max(votes.max() / 4, MIN_TELLING)]

    def boards(self, skin: Skin, y_phase: int) -> list[FoundBoard]:
        """The boards of a skin whose cells begin there."""
        width, height = skin.pitch_px
        window, frame = self._window, self._frame
        most_cols = (frame.region.width - window.x_phase) // width
        most_rows = (frame.region.height - y_phase) // height
        margin = _MARGIN_CELLS
        for _ in range(_MAX_GROWTHS):
            left = max((window.left - window.x_phase) // width - margin, 0)
            top = max((window.top - y_phase) // height - margin, 0)
            right = min((window.right - window.x_phase) // width + margin, most_cols)
            bottom = min((window.bottom - y_phase) // height + margin + 1, most_rows)
            if right <= left or bottom <= top:
                return []
            x, y = window.x_phase + left * width, y_phase + top * height
            prints = self._printed(Region(x, y, (right - left) * width, (bottom - top) * height), width, height)
            sites = _known(skin).sites(*prints).reshape(bottom - top, right - left)
            goes_on = [
                (sites[0], top > 0),
                (sites[:, 0], left > 0),
                (sites[-1], bottom < most_rows),
                (sites[:, -1], right < most_cols),
            ]
            if not any(may and side.any() for side, may in goes_on):
                break
            margin *= 3
        first = Pixel(frame.left + x, frame.top + y)
        return [
            FoundBoard(
                skin,
                Grid(
                    Pixel(first.x + patch.left * width, first.y + patch.top * height),
                    skin.pitch_px,
                    patch.rows,
                    patch.cols,
                ),
                patch.n_known,
                patch.n_named,
            )
            for patch in find_patches(sites)
        ]

    def _printed(self, part: Region, width: int, height: int) -> tuple[Words, Words]:
        """The fingerprints of the cells of a part of the frame, and of their rims."""
        key = (part.left, part.top, height)
        if key not in self._prints or self._prints[key][0].size != part.width // width * (part.height // height):
            pixels = self._frame.pixels_bgr[part.top : part.top + part.height, part.left : part.left + part.width]
            cells = cut_cells(pixels, part.height // height, part.width // width)
            self._prints[key] = (fingerprint(cells), fingerprint(rim(cells)))
        return self._prints[key]
