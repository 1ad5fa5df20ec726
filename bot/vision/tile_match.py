"""What the tiles of a clone mean that has no size of its own (`skins.skin.Tiles`), whatever size they are shown at.

Such a clone draws its signs anew at every size, and the gaps between its tiles do not grow with them: no enlargement
can be undone. So a tile is cut out of its cell and compared with the tiles of the sprites by the mean colours of a few
bins, under the same rule as everywhere: the nearest look counts only if it is near, and every look of another meaning
clearly farther. What is drawn for closed cells and for open ones is settled by what else is on the board.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bot.vision.match import Verdict, common_code, rim
from bot.vision.products import multiplied
from skins.skin import CLOSED, FLAG, QUESTION
from solver import board as codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from skins.skin import Skin, Tiles

    Cells = NDArray[np.uint8]
    Bins = NDArray[np.float32]
    Colour = NDArray[np.float64]

_N_BINS = 8
_FULL = 0.97
"""From this share of its ground on, a pixel belongs to a tile and no longer to the gap."""
_MOST_GAP = 0.25
"""A gap takes no more than this share of a cell on either side."""
_RING_SHARE = 0.7
"""So much of a cell's outermost pixels must be the gap's colour: a covered cell is no tile. Corners may be blends."""
_N_MEASURED = 24
_GROUND_STEPS = 3
"""A pixel within so many steps of a ground is of it."""
_N_LINES = 24
"""Of a larger cell so many lines of pixels are enough to tell its ground."""
_ALIKE_RMS = 1.0
"""Tiles of two looks no farther apart than this are drawn alike."""


@dataclass(frozen=True)
class Inset:
    """How a tile lies inside its cell.

    Attributes:
        sides: how far, in pixels: left, top, right, bottom.
        n_mixed: how many pixels on each side are not the tile's alone.
        gap: the colour around it: B, G, R.
    """

    sides: tuple[float, ...]
    n_mixed: tuple[int, ...]
    gap: tuple[float, ...]


class TileMatcher:
    """Names the cells of one skin of tiles. Make it by `tile_matcher_of`."""

    def __init__(self, skin: Skin) -> None:
        assert skin.tiles is not None, "asked only of skins that have tiles"
        self.skin = skin
        self._tiles = skin.tiles
        gap = np.array(skin.tiles.gap_bgr, dtype=np.float64)
        pixels = np.stack([look.pixels_bgr for look in skin.looks])
        self._ground_of_look = np.array([_ground_of(look, skin.tiles) for look in pixels])
        self._templates = np.concatenate([_binned(look[:, None], inset_of(look, skin.tiles, gap)) for look in pixels])
        self._squares = (self._templates**2).sum(axis=1)
        groups = self._groups()
        kinds = list(zip(groups, self._ground_of_look.tolist(), strict=True))
        self._kinds = list(dict.fromkeys(kinds))
        self.sets: list[frozenset[str]] = [states for states, _ in self._kinds]
        """Every set of states that one picture may stand for, once for each ground it comes on."""
        self._kind_of_look = np.array([self._kinds.index(kind) for kind in kinds], dtype=np.intp)
        grounds = {self._ground_of_look[i] for i, look in enumerate(skin.looks) if look.state == CLOSED}
        self.closed_bgr = [skin.tiles.grounds_bgr[ground] for ground in sorted(grounds)]
        """The colours of closed cells, in play and afterwards."""
        self._codes = np.array([common_code(states) for states in self.sets], dtype=np.int16)
        merged = [[common_code(a | b) == codes.UNREADABLE for b in groups] for a in groups]
        self._is_rival = np.array(merged) & ~np.array([[a == b for b in groups] for a in groups])
        self._evidence = {i: self._settling(i) for i in range(len(self.sets)) if self._codes[i] == codes.UNREADABLE}

    def _groups(self) -> list[frozenset[str]]:
        """For each look the states of all looks that cannot be told from it."""
        apart = self._distances(self._templates)
        looks = self.skin.looks
        return [frozenset(looks[j].state for j in np.flatnonzero(row <= _ALIKE_RMS)) for row in apart]

    def _settling(self, number: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which kinds prove that such a picture is a closed cell, and which that it is an open one: bool, one a kind.

        A lost game that draws open cells like this one draws closed ones in another colour than games that go on.
        """
        own = self._kinds[number][1]
        is_covered = [states <= {CLOSED, FLAG, QUESTION} for states in self.sets]
        is_number = [all(map(str.isdecimal, states)) for states in self.sets]
        is_usual = [self._tiles.grounds_bgr[ground] == self.skin.closed_bgr for _, ground in self._kinds]
        closed = [covered and usual for covered, usual in zip(is_covered, is_usual, strict=True)]
        opened = [
            (shown and kind[1] == own) or (covered and not usual and kind[1] != own)
            for kind, shown, covered, usual in zip(self._kinds, is_number, is_covered, is_usual, strict=True)
        ]
        return np.array(closed), np.array(opened)

    def measure(self, frame: Frame, grid: Grid) -> Inset:
        """How the tiles of a grid lie in their cells: the median of some of them."""
        step = max(grid.rows * grid.cols // _N_MEASURED, 1)
        regions = [grid.cell_region(divmod(k, grid.cols)) for k in range(0, grid.rows * grid.cols, step)]
        cells = [frame.crop(region).pixels_bgr for region in regions]
        gap = np.median([cell[0, 0] for cell in cells], axis=0)
        insets = [inset_of(cell, self._tiles, gap) for cell in cells]
        sides = np.median([inset.sides for inset in insets], axis=0)
        n_mixed = np.ceil(np.median([inset.n_mixed for inset in insets], axis=0)).astype(int)
        return Inset(tuple(sides.tolist()), tuple(n_mixed.tolist()), tuple(gap.tolist()))

    def name(self, frame: Frame, grid: Grid, numbers: NDArray[np.intp], inset: Inset) -> Verdict:
        """Name these cells of a grid (numbers count row by row) by the tiles in them."""
        alike = np.full(numbers.size, -1, dtype=np.intp)
        scores = np.zeros(numbers.size)
        rows, cols = np.divmod(numbers, grid.cols)
        x, y = np.array(grid.edges(0)) - frame.left, np.array(grid.edges(1)) - frame.top
        sizes = np.stack([np.diff(x)[cols], np.diff(y)[rows]], axis=1)
        for width, height in np.unique(sizes, axis=0):
            own = np.flatnonzero((sizes == (width, height)).all(axis=1))
            down = y[rows[own]] + np.arange(height)[:, None]
            across = x[cols[own]][:, None] + np.arange(width)
            alike[own], scores[own] = self._matched(frame.pixels_bgr[down[:, :, None], across], inset)
        return Verdict(self._codes_of(alike), np.where(self._codes_of(alike) == codes.UNREADABLE, 0.0, scores), alike)

    def settle(self, alike: NDArray[np.intp]) -> NDArray[np.int16]:
        """Board codes (int16) of all cells of a board, by what each is alike and by what else the board shows."""
        settled = self._codes_of(alike)
        is_shown = np.bincount(alike[alike >= 0], minlength=len(self.sets)) > 0
        for number, (closed, opened) in self._evidence.items():
            says_closed, says_open = (is_shown & closed).any(), (is_shown & opened).any()
            if says_closed != says_open and self.sets[number] == {CLOSED, "0"}:
                settled[alike == number] = codes.CLOSED if says_closed else 0
        return settled

    def _codes_of(self, alike: NDArray[np.intp]) -> NDArray[np.int16]:
        return np.where(alike >= 0, self._codes[alike], codes.UNREADABLE).astype(np.int16)

    def _matched(self, cells: Cells, inset: Inset) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """What cells of one size (uint8, height x N x width x 3) are alike, and how near they are: 1 is no distance."""
        tolerance = self.skin.tolerance
        sides = [cells[:, :, 0], cells[:, :, -1]]
        ring = np.concatenate([cells[0], cells[-1], *(side.swapaxes(0, 1) for side in sides)], axis=1)
        is_gap = np.abs(ring - np.array(inset.gap, dtype=np.float32)).max(axis=2) <= 2 * tolerance.colour
        bins = _binned(cells, inset)
        apart = self._distances(bins)
        best = apart.argmin(axis=1)
        nearest = apart[np.arange(best.size), best].astype(np.float64)
        runner_up = np.where(self._is_rival[best], apart, np.inf).min(axis=1)
        is_known = (nearest <= tolerance.accept) & (runner_up >= nearest * tolerance.margin)
        is_known &= is_gap.mean(axis=1) >= _RING_SHARE
        ground = np.array(self._tiles.grounds_bgr)[self._ground_of_look[best]]
        rims = rim(bins.reshape(-1, _N_BINS, _N_BINS, 3))
        is_known &= np.abs(np.median(rims, axis=1) - ground).max(axis=1) <= 2 * tolerance.colour
        return np.where(is_known, self._kind_of_look[best], -1), 1.0 - nearest / (2.0 * tolerance.accept)

    def _distances(self, bins: Bins) -> NDArray[np.float32]:
        """Root mean square from every tile to that of every look: float32, N x looks."""
        squares = (bins**2).sum(axis=1)[:, None] + self._squares - 2 * multiplied(self._templates, bins.T).T
        distances: NDArray[np.float32] = np.sqrt(np.maximum(squares, 0) / bins.shape[1])
        return distances


@lru_cache(maxsize=64)
def tile_matcher_of(skin: Skin) -> TileMatcher:
    """The matcher of a skin of tiles, made once a session."""
    return TileMatcher(skin)


def _ground_of(cell: Cells, tiles: Tiles) -> int:
    """Which of the grounds most of a cell is painted in."""
    step = max(cell.shape[0] // _N_LINES, 1)
    apart = np.abs(cell[::step, ::step].reshape(-1, 1, 3).astype(np.int16) - np.array(tiles.grounds_bgr)).max(axis=2)
    return int((apart <= _GROUND_STEPS).sum(axis=0).argmax())


def inset_of(cell: Cells, tiles: Tiles, gap: Colour | None = None) -> Inset:
    """How far the tile lies inside its cell, by the pixels across its middle: a mixed one counts for its share.

    `gap` is the colour around it; that of the cell's corner where it is not given.
    """
    gap = cell[0, 0].astype(np.float64) if gap is None else gap
    ground = np.array(tiles.grounds_bgr[_ground_of(cell, tiles)], dtype=np.float64)
    towards = ground - gap
    across, down = cell[cell.shape[0] // 2], cell[:, cell.shape[1] // 2]
    sides, counts = [], []
    for line in (across, down, across[::-1], down[::-1]):
        share = np.clip((line.astype(np.float64) - gap) @ towards / max(float(towards @ towards), 1.0), 0, 1)
        most = max(int(line.shape[0] * _MOST_GAP), 1)
        is_full = share[: most + 1] >= _FULL
        n_mixed = int(is_full.argmax()) if is_full.any() else most
        sides.append(float((1 - share[:n_mixed]).sum()))
        counts.append(n_mixed)
    return Inset(tuple(sides), tuple(counts), tuple(gap.tolist()))


def _binned(cells: Cells, inset: Inset) -> Bins:
    """The mean colours of the tiles on a grid of bins, less than a pixel of gap made good: float32, N x values.

    The cells: uint8, height x N x width x 3.
    """
    height, n, width = cells.shape[:3]
    across, down = ((inset.sides[side::2], inset.n_mixed[side::2]) for side in (0, 1))
    rows = multiplied(_weights(height, *down), cells.reshape(height, -1).astype(np.float32))
    lines = rows.reshape(_N_BINS * n, width, 3).swapaxes(0, 1).reshape(width, -1)
    bins = multiplied(_weights(width, *across), lines).reshape(_N_BINS, _N_BINS, n, 3)
    return np.ascontiguousarray(bins.transpose(2, 1, 0, 3)).reshape(n, -1)


@lru_cache(maxsize=256)
def _weights(n_px: int, sides: tuple[float, ...], n_mixed: tuple[int, ...]) -> Bins:
    """Weights (bins x pixels) of the pixels between two insets; one that is part gap counts as its inner neighbour."""
    cuts = np.linspace(sides[0], n_px - sides[1], _N_BINS + 1)
    px = np.arange(n_px)
    shared = np.minimum(cuts[1:, None], px + 1) - np.maximum(cuts[:-1, None], px)
    weights = np.maximum(shared, 0) / np.diff(cuts)[:, None]
    first, last = n_mixed[0], n_px - 1 - n_mixed[1]
    for outer, inner in [*((k, first) for k in range(first)), *((k, last) for k in range(last + 1, n_px))]:
        weights[:, inner] += weights[:, outer]
        weights[:, outer] = 0
    return np.asarray(weights, dtype=np.float32)
