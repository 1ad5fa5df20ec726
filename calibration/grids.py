"""Find the board of a clone nobody knows yet: where its cells lie, whatever they look like.

Areas that repeat along rows and columns (`bot.vision.repeats`) tell the pitch and about where cells lie. Cells are cut
right where they look least diverse: cut a pixel off, a closed cell beside an open one and one beside another closed one
are two looks instead of one. From the looks that come often it is seen how far the board goes.
"""

from __future__ import annotations

import itertools
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
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from bot.vision.lattice import Lattice
    from bot.vision.sites import Patch

_SUBTLE = 3
"""Cells of checkered boards differ by little more than this."""
_OFF_PX = 4
"""Cells may lie so far from where areas of one colour suggest."""
_WHOLE = 0.5
"""A pitch is taken for a whole number where that is off by no more pixels at the far end of the board."""
_ALIKE = 6.0
"""Cells this near each other (root mean square) look the same where no two are equal."""
_RIM_ALIKE = 14.0
_MOST_HINTS = 6
_FEW = 3
"""A look that fewer cells have may be anything."""
_MOST_LOOKS = 60
"""No board in order has more."""
_LOOK_BITS = 8.0
_SLACK_BITS = 0.5
_MARGIN_CELLS = 2
_STEP_CELLS = 4
_MOST_GROWTHS = 24
"""A board goes on for so many times so many cells beyond what was seen of it first, no more."""
_IN_ORDER = 0.8
_EVERYWHERE = (10**6, 10**6)
"""More rows and columns than any picture has."""


@dataclass(frozen=True, eq=False)
class Cut:
    """A board cut into cells.

    Attributes:
        frame: the picture it is on.
        grid: where it lies there.
        cells: uint8, rows x cols x height x width x 3; of one size, brought to it where the pitch is no whole number.
        n_looks: how many looks its cells have.
        share_alike: the share of cells that look like some others: nearly all, on a board in order.
    """

    frame: Frame
    grid: Grid
    cells: NDArray[np.uint8]
    n_looks: int
    share_alike: float


def find_cuts(frame: Frame) -> list[Cut]:
    """Boards of an unknown look: those in order first, and of those the largest."""
    found: list[Cut] = []
    ways: tuple[tuple[Callable[[], list[Lattice]], bool], ...] = (
        (lambda: find_repeats(frame.pixels_bgr), False),
        (lambda: find_repeats(frame.pixels_bgr, _SUBTLE), False),
        (lambda: find_textures(frame.pixels_bgr), True),
    )
    for find, anywhere in ways:
        for lattice in find()[:_MOST_HINTS]:
            for cut in _cuts(frame, lattice, anywhere=anywhere):
                if not any(_overlap(cut.grid, other.grid) and _rank(other) <= _rank(cut) for other in found):
                    found.append(cut)
        if any(_is_in_order(cut) for cut in found):
            break
    return sorted(found, key=_rank)


def _rank(cut: Cut) -> tuple[bool, int]:
    return not _is_in_order(cut), -cut.grid.rows * cut.grid.cols


def _is_in_order(cut: Cut) -> bool:
    """Whether nearly all cells look like some others, as on a board that nothing covers."""
    return cut.share_alike >= _IN_ORDER and cut.n_looks <= _MOST_LOOKS


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
    reach = [side // 2 if anywhere else _OFF_PX for side in (raster.width, raster.height)]
    if anywhere:  # first along one side, then along the other: each tells by itself
        raster = _best_cut(raster, core, [(dx, 0) for dx in range(-reach[0], reach[0])])
        raster = _best_cut(raster, core, [(0, dy) for dy in range(-reach[1], reach[1])])
        reach = [1, 1]
    across, down = (range(-most, most + 1) for most in reach)
    raster = _best_cut(raster, core, list(itertools.product(across, down)))
    return _boards_on(frame, raster, (0, 0, lattice.rows, lattice.cols))


def find_like(frame: Frame, known: Cut) -> Cut | None:
    """The largest board of the same clone on another picture, cut at the same place of a cell, if there is one.

    A fresh board, or one with lines between its cells, can be cut in several places equally well: what is known of one
    board says where to cut the others.
    """
    looks = _often(known.cells)
    height, width = known.cells.shape[2:4]
    whole = _Raster(frame.pixels_bgr, 0, 0, width, height)
    prints = fingerprint(looks)
    best = max(
        (_like(whole.moved(dx, dy), prints) for dx, dy in itertools.product(range(width), range(height))),
        key=lambda one: one[1],
    )
    if best[1] < MIN_SIDE**2:
        best = _nearly_like(frame, whole, looks)
    raster, n_like, core = best
    boards = _boards_on(frame, raster, core, looks) if n_like >= MIN_SIDE**2 else []
    return max(boards, key=lambda board: board.grid.rows * board.grid.cols, default=None)


_Core = tuple[int, int, int, int]


def _like(raster: _Raster, prints: NDArray[np.uint64]) -> tuple[_Raster, int, _Core]:
    """How many cells of a raster have one of these fingerprints, and what part of it they lie in."""
    top, left, bottom, right = raster.clipped(0, 0, *_EVERYWHERE)
    is_like = np.isin(fingerprint(raster.cells(top, left, bottom, right)), prints).reshape(bottom - top, right - left)
    rows, cols = np.nonzero(is_like)
    if not rows.size:
        return raster, 0, (0, 0, 0, 0)
    return raster, rows.size, (int(rows.min()), int(cols.min()), int(rows.max()) + 1, int(cols.max()) + 1)


def _nearly_like(frame: Frame, whole: _Raster, looks: NDArray[np.uint8]) -> tuple[_Raster, int, _Core]:
    """The same where no two cells are equal: where what may be a board anyway is most like these looks."""
    best: tuple[_Raster, int, _Core] = (whole, 0, (0, 0, 0, 0))
    flat = looks.reshape(len(looks), -1).astype(np.float32)
    for cut in find_cuts(frame):
        if cut.cells.shape[2:4] != looks.shape[1:3]:
            continue
        x, y = cut.grid.origin.x - frame.left, cut.grid.origin.y - frame.top
        offsets = itertools.product(
            range(-whole.width // 2, whole.width // 2), range(-whole.height // 2, whole.height // 2)
        )
        for dx, dy in offsets:
            raster = whole.moved(x + dx, y + dy)
            core = raster.clipped(0, 0, cut.grid.rows, cut.grid.cols)
            n_like = int((_nearest(raster.cells(*core), flat) <= _ALIKE).sum())
            if n_like > best[1]:
                best = raster, n_like, core
    return best


def _nearest(cells: NDArray[np.uint8], flat: NDArray[np.float32]) -> NDArray[np.float32]:
    """How far each cell is from the nearest of some looks (flattened): root mean square of the channels."""
    own = cells.reshape(len(cells), -1).astype(np.float32)
    squares = (own**2).sum(axis=1)[:, None] + (flat**2).sum(axis=1) - 2 * own @ flat.T
    nearest: NDArray[np.float32] = np.sqrt(np.maximum(squares.min(axis=1), 0) / own.shape[1])
    return nearest


def _often(cells: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The looks that come often on a board (rows x cols x height x width x 3), one cell of each."""
    flat = cells.reshape(-1, *cells.shape[2:])
    number_of = _looks(flat)
    often = np.flatnonzero(np.bincount(number_of) >= _FEW)
    return flat[[int(np.flatnonzero(number_of == number)[0]) for number in often]]


def _boards_on(
    frame: Frame, raster: _Raster, core: tuple[int, int, int, int], looks: NDArray[np.uint8] | None = None
) -> list[Cut]:
    """The boards on a raster that reach into a part of it, by looks that come often there, and by those given.

    From there a board goes on as far as cells look like others in it.
    """
    core = raster.clipped(*core)
    for _ in range(_MOST_GROWTHS):
        wide = raster.clipped(
            core[0] - _STEP_CELLS, core[1] - _STEP_CELLS, core[2] + _STEP_CELLS, core[3] + _STEP_CELLS
        )
        part = raster.cells(*wide).reshape(wide[2] - wide[0], wide[3] - wide[1], raster.height, raster.width, 3)
        patches = _patches(part, looks)
        if not patches:
            return []
        grown = raster.clipped(
            wide[0] + min(patch.top for patch in patches),
            wide[1] + min(patch.left for patch in patches),
            wide[0] + max(patch.top + patch.rows for patch in patches),
            wide[1] + max(patch.left + patch.cols for patch in patches),
        )
        if grown == core:
            break
        core = grown
    found = []
    for patch in patches:
        x, y = raster.x + (wide[1] + patch.left) * raster.width, raster.y + (wide[0] + patch.top) * raster.height
        grid = Grid(Pixel(frame.left + x, frame.top + y), (raster.width, raster.height), patch.rows, patch.cols)
        cells = part[patch.top : patch.top + patch.rows, patch.left : patch.left + patch.cols]
        counts = np.bincount(_looks(cells.reshape(-1, *cells.shape[2:])))
        counts = counts[counts > 0]
        n_alike = int(counts[counts >= _FEW].sum())
        found.append(Cut(frame, grid, cells, counts.size, n_alike / (patch.rows * patch.cols)))
    return found


def _patches(part: NDArray[np.uint8], looks: NDArray[np.uint8] | None) -> list[Patch]:
    """The boards among cells (rows x cols x height x width x 3)."""
    cells = part.reshape(-1, *part.shape[2:])
    number_of = _looks(cells)
    known = cells[[int(np.flatnonzero(number_of == one)[0]) for one in _spread(number_of.reshape(part.shape[:2]))]]
    if looks is not None:
        known = np.concatenate([known, looks])
    if not len(known):
        return []
    sites = _sites(cells, known).reshape(part.shape[:2])
    sites[sites == PLAIN] = MINE_CAPABLE if _is_checkered(number_of.reshape(part.shape[:2]), sites) else NO_CELL
    return [patch for patch in find_patches(sites) if 2 * patch.n_known > patch.rows * patch.cols]


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


def _is_checkered(number_of: NDArray[np.intp], sites: NDArray[np.int8]) -> bool:
    """Whether most plain cells have others beside them: a checkered board has no lines, but no flat desktop is one."""
    is_plain = sites == PLAIN
    beside = is_plain[:, 1:] & is_plain[:, :-1]
    return 2 * int((beside & (number_of[:, 1:] != number_of[:, :-1])).sum()) > int(beside.sum()) > 0


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
