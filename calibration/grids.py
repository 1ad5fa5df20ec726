"""Find the board of a clone nobody knows yet: where its cells lie, whatever they look like.

Areas that repeat along rows and columns (`bot.vision.repeats`) tell the pitch and about where cells lie. Cells are cut
right where they look least diverse: cut a pixel off, a closed cell beside an open one and one beside another closed one
are two looks instead of one. From the looks that come often it is seen how far the board goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bot.models import Grid, Pixel
from bot.vision.native import cut_cells
from bot.vision.repeats import find_repeats
from bot.vision.sites import MIN_SIDE, MINE_CAPABLE, NO_CELL, PLAIN, RIM, find_patches
from calibration.appearances import rims
from calibration.textures import find_textures
from skins.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from bot.vision.lattice import Lattice

_OFF_PX = 4
"""Cells may lie so far from where areas of one colour suggest."""
_WHOLE = 0.5
"""A pitch is taken for a whole number where that is off by no more pixels at the far end of the board."""
_ALIKE = 6.0
"""Cells this near each other (root mean square) look the same where no two are equal."""
_RIM_ALIKE = 14.0
_MOST_HINTS = 6
_MOST_SAMPLED = 240
_FEW = 3
"""A look that fewer cells have may be anything."""
_MOST_LOOKS = 20
"""No board in order has more."""
_LOOK_BITS = 8.0
_SLACK_BITS = 0.5
_MARGIN_CELLS = 2
_MOST_CELLS = 64
"""A board goes on for so many cells beyond what was seen of it first, no more."""


@dataclass(frozen=True, eq=False)
class Cut:
    """A board cut into cells.

    Attributes:
        frame: the picture it is on.
        grid: where it lies there.
        cells: uint8, rows x cols x height x width x 3; of one size, brought to it where the pitch is no whole number.
        n_looks: how many looks its cells have.
    """

    frame: Frame
    grid: Grid
    cells: NDArray[np.uint8]
    n_looks: int


def find_cuts(frame: Frame) -> list[Cut]:
    """Boards of an unknown look, those of most cells first."""
    found: list[Cut] = []
    for lattice in find_repeats(frame.pixels_bgr)[:_MOST_HINTS]:
        found += [cut for cut in _cuts(frame, lattice) if not any(_overlap(cut.grid, other.grid) for other in found)]
    if not found:
        for lattice in find_textures(frame.pixels_bgr)[:_MOST_HINTS]:
            found += _cuts(frame, lattice, anywhere=True)
    return sorted(found, key=lambda cut: -cut.grid.rows * cut.grid.cols)


def _overlap(one: Grid, other: Grid) -> bool:
    a, b = one.region, other.region
    is_x = a.left < b.left + b.width and b.left < a.left + a.width
    return is_x and a.top < b.top + b.height and b.top < a.top + a.height


def _cuts(frame: Frame, lattice: Lattice, *, anywhere: bool = False) -> list[Cut]:
    """The boards on a lattice."""
    pitch = tuple(
        float(round(p)) if abs(p - round(p)) * n <= _WHOLE else p
        for p, n in zip(lattice.pitch_px, (lattice.cols, lattice.rows), strict=True)
    )
    if all(p.is_integer() for p in pitch):
        x, y = (round(corner) for corner in lattice.corner)
        return _whole_cuts(
            frame, _Raster(frame.pixels_bgr, x, y, int(pitch[0]), int(pitch[1])), lattice, anywhere=anywhere
        )
    return []


class _Raster:
    """Cells of whole pixels on a picture, (0, 0) of which begins at x, y; there are others on all sides."""

    def __init__(self, pixels_bgr: NDArray[np.uint8], x: int, y: int, width: int, height: int) -> None:
        self.pixels_bgr = pixels_bgr
        self.x, self.y = x, y
        self.width, self.height = width, height

    def moved(self, dx: int, dy: int) -> _Raster:
        return _Raster(self.pixels_bgr, self.x + dx, self.y + dy, self.width, self.height)

    def clipped(self, top: int, left: int, bottom: int, right: int) -> tuple[int, int, int, int]:
        """The rows and columns that lie on the picture whole."""
        n_high, n_wide = self.pixels_bgr.shape[:2]
        top, left = max(top, -(self.y // self.height)), max(left, -(self.x // self.width))
        bottom = min(bottom, (n_high - self.y) // self.height)
        return top, left, bottom, min(right, (n_wide - self.x) // self.width)

    def cells(self, top: int, left: int, bottom: int, right: int) -> NDArray[np.uint8]:
        """The cells from row `top` and column `left` to before `bottom` and `right`, row by row."""
        y, x = self.y + top * self.height, self.x + left * self.width
        part = self.pixels_bgr[y : y + (bottom - top) * self.height, x : x + (right - left) * self.width]
        return cut_cells(part, bottom - top, right - left)


def _whole_cuts(frame: Frame, raster: _Raster, lattice: Lattice, *, anywhere: bool) -> list[Cut]:
    """The boards whose cells are whole pixels large."""
    core = raster.clipped(1, 1, lattice.rows - 1, lattice.cols - 1)
    if min(core[2] - core[0], core[3] - core[1]) < MIN_SIDE - 2:
        return []
    off = [
        range(-side // 2, side // 2) if anywhere else range(-_OFF_PX, _OFF_PX + 1)
        for side in (raster.width, raster.height)
    ]
    raster = _best_cut(raster, core, [(dx, dy) for dx in off[0] for dy in off[1]])
    return _boards_on(frame, raster, (0, 0, lattice.rows, lattice.cols))


def aligned(cuts: Sequence[Cut]) -> list[Cut]:
    """The same boards, all cut at the same place in a cell.

    A fresh board, or one whose cells have lines between them, can be cut in several places equally well. The board
    with the most looks says where: the others are cut so that most of their cells look like some of its.
    """
    if not cuts:
        return []
    first = max(cuts, key=lambda cut: min(cut.n_looks, _MOST_LOOKS))
    known = _often(first.cells)
    return [cut if cut is first else _cut_like(cut, first, known) for cut in cuts]


def _cut_like(cut: Cut, first: Cut, known: NDArray[np.uint8]) -> Cut:
    grid = cut.grid
    if grid.pitch_px != first.grid.pitch_px or cut.cells.shape[2:] != first.cells.shape[2:]:
        return cut
    prints = fingerprint(known)
    width, height = (int(pitch) for pitch in grid.pitch_px)
    whole = _Raster(cut.frame.pixels_bgr, grid.origin.x - cut.frame.left, grid.origin.y - cut.frame.top, width, height)
    offsets = [(dx, dy) for dx in range(-width // 2, width // 2) for dy in range(-height // 2, height // 2)]
    n_like = {}
    for dx, dy in offsets:
        moved = whole.moved(dx, dy)
        cells = moved.cells(*moved.clipped(0, 0, grid.rows, grid.cols))
        n_like[dx, dy] = int(np.isin(fingerprint(cells), prints).sum())
    best = max(offsets, key=lambda offset: (n_like[offset], -abs(offset[0]) - abs(offset[1])))
    boards = _boards_on(cut.frame, whole.moved(*best), (0, 0, grid.rows, grid.cols), known)
    return max(boards, key=lambda board: board.grid.rows * board.grid.cols, default=cut)


def _often(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The looks that come often on a board (rows x cols x height x width x 3), one cell of each."""
    flat = cells.reshape(-1, *cells.shape[2:])
    number_of = _looks(flat)
    often = np.flatnonzero(np.bincount(number_of) >= _FEW)
    return flat[[int(np.flatnonzero(number_of == number)[0]) for number in often]]


def _boards_on(
    frame: Frame, raster: _Raster, core: tuple[int, int, int, int], looks: NDArray[np.uint8] | None = None
) -> list[Cut]:
    """The boards on a raster that reach into a part of it, by looks that come often there, and by those given."""
    top, left, bottom, right = raster.clipped(
        core[0] - _MOST_CELLS, core[1] - _MOST_CELLS, core[2] + _MOST_CELLS, core[3] + _MOST_CELLS
    )
    around = raster.cells(top, left, bottom, right)
    number_of = _looks(around).reshape(bottom - top, right - left)
    known = around[[int(np.flatnonzero(number_of == number)[0]) for number in _spread(number_of)]]
    if looks is not None:
        known = np.concatenate([known, looks])
    if not len(known):
        return []
    sites = _sites(around, known).reshape(bottom - top, right - left)
    found = []
    for patch in find_patches(np.where(sites == PLAIN, NO_CELL, sites)):
        if not 2 * patch.n_known > patch.rows * patch.cols:
            continue
        x = raster.x + (left + patch.left) * raster.width
        y = raster.y + (top + patch.top) * raster.height
        grid = Grid(Pixel(frame.left + x, frame.top + y), (raster.width, raster.height), patch.rows, patch.cols)
        own = around.reshape(bottom - top, right - left, *around.shape[1:])
        own = own[patch.top : patch.top + patch.rows, patch.left : patch.left + patch.cols]
        found.append(Cut(frame, grid, own, int(np.unique(_looks(own.reshape(-1, *around.shape[1:]))).size)))
    return found


def _best_cut(raster: _Raster, core: tuple[int, int, int, int], offsets: Sequence[tuple[int, int]]) -> _Raster:
    """The raster moved to where cells are least diverse, and of equals, where most cells around look so too."""
    diversity = {}
    for dx, dy in offsets:
        moved = raster.moved(dx, dy)
        diversity[dx, dy] = _diversity(_looks(moved.cells(*moved.clipped(*core))))
    least = min(diversity.values())
    equals = [offset for offset in offsets if diversity[offset] <= least + _SLACK_BITS]
    best = min(equals, key=lambda offset: (-_n_fitting(raster.moved(*offset), core), sum(map(abs, offset))))
    return raster.moved(*best)


def _diversity(number_of: NDArray[np.intp]) -> float:
    """How many bits it takes to say which look each cell has, and what the looks are."""
    counts = np.bincount(number_of)
    counts = counts[counts > 0]
    return float((counts * np.log2(number_of.size / counts)).sum() + _LOOK_BITS * counts.size)


def _n_fitting(raster: _Raster, core: tuple[int, int, int, int]) -> int:
    """How many cells around a part of the raster have a look that comes often inside."""
    top, left, bottom, right = core
    wide = raster.clipped(top - _MARGIN_CELLS, left - _MARGIN_CELLS, bottom + _MARGIN_CELLS, right + _MARGIN_CELLS)
    number_of = _looks(raster.cells(*wide)).reshape(wide[2] - wide[0], wide[3] - wide[1])
    inside = number_of[top - wide[0] : bottom - wide[0], left - wide[1] : right - wide[1]]
    often = np.flatnonzero(np.bincount(inside.ravel()) >= _FEW)
    return int(np.isin(number_of, often).sum())


def _looks(cells: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The number of each cell's look: equal pixel for pixel, or nearly so where hardly any two cells are equal."""
    _, number_of, counts = np.unique(fingerprint(cells), return_inverse=True, return_counts=True)
    if 2 * int((counts[number_of] > 1).sum()) >= len(cells):
        return np.asarray(number_of.ravel())
    flat = cells.reshape(len(cells), -1).astype(np.float32)
    number_of = np.full(len(cells), -1, dtype=np.intp)
    for number in range(len(cells)):
        free = np.flatnonzero(number_of < 0)
        if not free.size:
            break
        near = np.sqrt(((flat[free] - flat[free[0]]) ** 2).mean(axis=1)) <= _ALIKE
        number_of[free[near]] = number
    return number_of


def _spread(number_of: NDArray[np.intp]) -> list[int]:
    """The looks that come in several rows and columns: what is around a board repeats along one of its sides only."""
    found = []
    for number in np.flatnonzero(np.bincount(number_of.ravel()) >= _FEW):
        places = np.nonzero(number_of == number)
        if min(np.unique(places[0]).size, np.unique(places[1]).size) >= _FEW:
            found.append(int(number))
    return found


def _sites(cells: NDArray[np.uint8], known: NDArray[np.uint8]) -> NDArray[np.int8]:
    """What cells are as sites of a board (`bot.vision.sites`), by the looks that are known."""
    is_plain = (known == known[:, :1, :1]).all(axis=(1, 2, 3))
    sites = np.full(len(cells), NO_CELL, dtype=np.int8)
    ring, rings = rims(cells), rims(known)
    for rim in rings:
        if np.ptp(rim, axis=0).max() > _ALIKE:
            sites[np.abs(ring - rim).max(axis=(1, 2)) <= _RIM_ALIKE] = RIM
    flat = cells.reshape(len(cells), -1).astype(np.float32)
    for look, plain in zip(known, is_plain, strict=True):
        near = np.sqrt(((flat - look.reshape(-1)) ** 2).mean(axis=1)) <= _ALIKE
        sites[near] = PLAIN if plain else MINE_CAPABLE
    return sites
