"""The boards of a clone nobody knows yet on a picture: where exactly their cells begin, and how far they go.

A lattice (`calibration.lattices`) tells the pitch and about where cells lie. Cells are cut right where they look least
diverse: cut a pixel off, a closed cell beside an open one and one beside another closed one are two appearances instead
of one. From the appearances that come often it is seen how far the board goes.

Where the pitch is no whole number, it is right where cells that look the same are most equal: a half pixel at the far
end is told by every stroke of every digit.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Grid, Pixel
from bot.vision.sites import MIN_SIDE, MINE_CAPABLE, NO_CELL, PLAIN, RIM, find_patches
from calibration.appearances import (
    ALIKE,
    FEW,
    MOST_APPEARANCES,
    appearances_of,
    appearances_within,
    distances,
    diversity,
    frequent_appearances,
    how_alike,
    rims,
    rms_distances,
    stacked,
)
from calibration.cells import Cut, Part, Raster
from calibration.gapped import find_gapped_cuts, find_gapped_like
from calibration.lattices import PITCH_ERROR_PX, generate_lattices, refined
from skins.pixels import fingerprint
from skins.skin import Tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from bot.vision.lattice import Lattice
    from bot.vision.sites import Patch


_RIM_ALIKE = 14.0
_SLACK_BITS = 0.5
_MARGIN_CELLS = 2
_STEP_CELLS = 4
_MOST_GROWTHS = 24  # most times that a board grows by `_STEP_CELLS` beyond what was seen of it first
_EVEN_STEP_PX = 0.1  # pixels more, or fewer, at the far end of the board, at which cells are cut out anew
_OFF_PX = 4  # largest distance of cells from where areas of one colour suggest them, in pixels
_WHOLE = 0.5  # largest error at the far end of a board, in pixels, of a pitch that is taken for a whole number
_MOST_HINTS = 6
_CLOSER = ((3, 1.0), (2, 0.25))
"""Numbers and sizes, in pixels, of the steps to either side where a pitch is no whole number: far ones, then near
ones."""
_MOST_SIDE = 10  # number of rows and columns that tell where cells begin
_EVERYWHERE = Part(0, 0, 10**6, 10**6)  # more rows and columns than any picture has
_NOWHERE = Part(0, 0, 0, 0)
_LEAST_ASKED = 4
"""Number of appearances that tell where cells begin on another picture; more where it has none, as a fresh one may."""
_MOST_PHASES = 6  # number of places of a cell that are looked at closely
_ROUGHLY = 2.0  # factor by which cells may be farther apart in a place that is looked at closely, where none are equal
_ROUNDING = 0.25  # largest squared difference a channel that rounding leaves between equal pixels


def find_cuts(frame: Frame) -> list[Cut]:
    """Boards of unknown appearances: those in order first, and of those the largest."""
    gapped = [cut for cut in find_gapped_cuts(frame) if cut.is_in_order]
    found = list(gapped)
    for lattices, anywhere in generate_lattices(frame.pixels_bgr):
        hints = list(dict.fromkeys(lattices))[:_MOST_HINTS]
        for lattice in sorted(hints, key=lambda hint: not _is_whole(hint)):
            is_whole = _is_whole(lattice)
            if not is_whole and any(cut.is_in_order for cut in found):
                break  # those take long
            if any(cut.grid.region.has_pixel(_middle(frame, lattice)) for cut in gapped):
                continue
            cuts = _whole_cuts(frame, lattice, anywhere=anywhere) if is_whole else _fractional_cuts(frame, lattice)
            for cut in cuts:
                if not any(cut.overlaps(other) and other.rank <= cut.rank for other in found):
                    found.append(cut)
        if any(cut.is_in_order for cut in found):
            break
    return sorted(found, key=lambda cut: cut.rank)


def _middle(frame: Frame, lattice: Lattice) -> Pixel:
    (x, y), (width, height) = lattice.corner, lattice.pitch_px
    return Pixel(frame.left + int(x + lattice.cols * width / 2), frame.top + int(y + lattice.rows * height / 2))


def _is_whole(lattice: Lattice) -> bool:
    """Whether its pitch seems to be a whole number along both axes."""
    pairs = zip(lattice.pitch_px, (lattice.cols, lattice.rows), strict=True)
    return all(abs(pitch - round(pitch)) * n <= _WHOLE for pitch, n in pairs)


def _whole_cuts(frame: Frame, lattice: Lattice, *, anywhere: bool) -> list[Cut]:
    """The boards on a lattice whose cells are whole pixels large."""
    (x, y), (width, height) = lattice.corner, lattice.pitch_px
    raster = Raster(frame, (round(x), round(y)), (round(width), round(height)))
    core = _core(raster, lattice)
    if core is None:
        return []
    reach = [side // 2 if anywhere else _OFF_PX for side in raster.cell_px]
    if anywhere:  # first along one side, then along the other: each tells by itself
        raster = _best_raster(raster, core, [(dx, 0) for dx in range(-reach[0], reach[0])])
        raster = _best_raster(raster, core, [(0, dy) for dy in range(-reach[1], reach[1])])
        reach = [1, 1]
    across, down = (range(-most, most + 1) for most in reach)
    raster = _best_raster(raster, core, list(itertools.product(across, down)))
    return _boards_on(raster, Part(0, 0, lattice.rows, lattice.cols))


def _core(raster: Raster, lattice: Lattice) -> Part | None:
    """The inner cells of a lattice; None where there are too few."""
    core = raster.clipped(Part(1, 1, lattice.rows - 1, lattice.cols - 1))
    return core if min(core.shape) >= MIN_SIDE - 2 else None


def _fractional_cuts(frame: Frame, lattice: Lattice) -> list[Cut]:
    """The boards on a lattice whose pitch is no whole number."""
    lattice = refined(frame.pixels_bgr, lattice)
    raster = Raster(frame, lattice.corner, lattice.pitch_px, is_whole=False)
    core = _core(raster, lattice)
    if core is None:
        return []
    middle = _middle_of(core)
    for reach, step in _CLOSER:
        offsets = [step * k for k in range(-reach, reach + 1)]
        raster = _best_raster(raster, middle, list(itertools.product(offsets, offsets)))
    return [_evened_cut(cut) for cut in _boards_on(raster, Part(0, 0, lattice.rows, lattice.cols))]


def _middle_of(part: Part) -> Part:
    """The middle of a part, as large as is telling."""
    rows, cols = (min(side, _MOST_SIDE) for side in part.shape)
    top, left = (part.top + part.bottom - rows) // 2, (part.left + part.right - cols) // 2
    return Part(top, left, top + rows, left + cols)


def _best_raster(raster: Raster, core: Part, offsets: Sequence[tuple[float, float]]) -> Raster:
    """The raster moved to where cells are least diverse, and of equals, where most cells around look so too."""
    bits = {}
    for dx, dy in offsets:
        moved = raster.moved(dx, dy)
        bits[dx, dy] = diversity(appearances_of(moved.cells(moved.clipped(core)), raster.cutter.alike))
    least = min(bits.values())
    equals = [offset for offset in offsets if bits[offset] <= least + _SLACK_BITS]
    best = min(equals, key=lambda offset: (-_n_fitting(raster.moved(*offset), core), sum(map(abs, offset))))
    return raster.moved(*best)


def _n_fitting(raster: Raster, core: Part) -> int:
    """How many cells around a part of the raster have an appearance that comes often inside."""
    wide = raster.clipped(core.grown(_MARGIN_CELLS))
    number_of = appearances_of(raster.cells(wide), raster.cutter.alike)
    frequent = np.flatnonzero(np.bincount(number_of[core.slices_in(wide)].ravel()) >= FEW)
    return int(np.isin(number_of, frequent).sum())


def _boards_on(
    raster: Raster, core: Part, known: NDArray[np.uint8] | None = None, alike: float | None = None
) -> list[Cut]:
    """The boards on a raster that reach into a part of it, by appearances that come often there, and by known ones.

    From there a board grows while cells look like others in it. How far apart these may be (`how_alike`) is given
    where it is known of another picture.
    """
    core = raster.clipped(core)
    if alike is None:  # as the board is, whatever is around it
        alike = how_alike(raster.cells(core), raster.cutter.alike)
    for _ in range(_MOST_GROWTHS):
        wide = raster.clipped(core.grown(_STEP_CELLS))
        cells = raster.cells(wide)
        if known is None:
            seen = _spread_appearances(cells, alike)
        else:  # around a board of known appearances nothing new is of it
            seen = np.concatenate([_spread_appearances(cells[core.slices_in(wide)], alike), known])
        parts = []
        for patch in _patches(cells, seen, alike):
            top, left = wide.top + patch.top, wide.left + patch.left
            parts.append(Part(top, left, top + patch.rows, left + patch.cols))
        if not parts:
            return []
        tops, lefts, bottoms, rights = zip(*parts, strict=True)
        grown = Part(min(tops), min(lefts), max(bottoms), max(rights))
        if grown == core:
            break
        core = grown
    return [Cut.of(raster.frame, raster.grid(part), raster.cutter) for part in parts]


def _spread_appearances(cells: NDArray[np.uint8], alike: float) -> NDArray[np.uint8]:
    """The appearances that come often among cells (rows x cols x height x width x 3), in several rows and columns.

    What is around a board repeats along one of its sides only.
    """
    number_of = appearances_within(cells, alike)
    found = []
    for number in np.flatnonzero(np.bincount(number_of.ravel()) >= FEW):
        rows, cols = np.nonzero(number_of == number)
        if min(np.unique(rows).size, np.unique(cols).size) >= FEW:
            found.append(cells[rows[0], cols[0]])
    return np.array(found, dtype=np.uint8).reshape(-1, *cells.shape[2:])


def _patches(cells: NDArray[np.uint8], known: NDArray[np.uint8], alike: float) -> list[Patch]:
    """The boards among cells (rows x cols x height x width x 3), by appearances that are known."""
    if not 0 < len(known) <= MOST_APPEARANCES:
        return []
    number_of = appearances_within(cells, alike)
    sites = _sites(cells, known, alike)
    sites[sites == PLAIN] = np.where(_is_in_turn(number_of, sites)[sites == PLAIN], MINE_CAPABLE, NO_CELL)
    return [patch for patch in find_patches(sites) if 2 * patch.n_known > patch.rows * patch.cols]


def _is_in_turn(number_of: NDArray[np.intp], sites: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Which cells have one of another appearance both beside them and above or below, as on a checkered board.

    A part of a flat desktop has neither, one at its edge, or in a striped table, only one of both.
    """
    is_site = sites != NO_CELL
    found = []
    for one, other in ((np.s_[1:], np.s_[:-1]), (np.s_[:, 1:], np.s_[:, :-1])):
        differs = is_site[one] & is_site[other] & (number_of[one] != number_of[other])
        near = np.zeros(sites.shape, dtype=np.bool_)
        near[one] |= differs
        near[other] |= differs
        found.append(near)
    return found[0] & found[1]


def _sites(cells: NDArray[np.uint8], known: NDArray[np.uint8], alike: float) -> NDArray[np.int8]:
    """What cells are as sites of a board (`bot.vision.sites`), by the appearances that are known: int8, rows x cols."""
    sites = np.full(cells.shape[:2], NO_CELL, dtype=np.int8)
    own_rims = rims(stacked(cells))
    for rim in rims(known):
        if np.ptp(rim, axis=0).max() > ALIKE:
            sites[(distances(rim, own_rims) <= _RIM_ALIKE).reshape(sites.shape)] = RIM
    apart = rms_distances(cells, known)
    for number, is_plain in enumerate((known == known[:, :1, :1]).all(axis=(1, 2, 3))):
        sites[apart[..., number] <= alike] = PLAIN if is_plain else MINE_CAPABLE
    return sites


def _evened_cut(cut: Cut) -> Cut:
    """The board cut at the pitch at which cells that look the same are most equal, around the same middle."""
    number_of = appearances_of(cut.cells, cut.cutter.alike).ravel()
    grid = cut.grid
    steps = np.arange(-PITCH_ERROR_PX, PITCH_ERROR_PX + _EVEN_STEP_PX / 2, _EVEN_STEP_PX)
    for axis in (0, 1):
        tried = [_stretched_grid(grid, axis, float(step)) for step in steps[np.argsort(np.abs(steps), kind="stable")]]
        grid = min(tried, key=lambda one: _unevenness(cut.cutter.cells(cut.frame, one), number_of))
    cell_px = int(grid.pitch_px[0]), int(grid.pitch_px[1])  # it may have come to the next whole pixel
    return Cut.of(cut.frame, grid, replace(cut.cutter, cell_px=cell_px))


def _stretched_grid(grid: Grid, axis: int, more_px: float) -> Grid:
    """The grid, larger along an axis, by half of the pixels at each end."""
    corner, pitch = list(grid.corner), list(grid.pitch_px)
    corner[axis] -= more_px / 2
    pitch[axis] += more_px / (grid.cols, grid.rows)[axis]
    return Grid.at((corner[0], corner[1]), (pitch[0], pitch[1]), grid.rows, grid.cols)


def _unevenness(cells: NDArray[np.uint8], number_of: NDArray[np.intp]) -> float:
    """How far cells are from the mean of their appearance: squared, added up."""
    flat = cells.reshape(number_of.size, -1).astype(np.float32)
    order = np.argsort(number_of, kind="stable")
    counts = np.bincount(number_of)
    counts = counts[counts > 0]
    sums = np.add.reduceat(flat[order], np.concatenate([[0], np.cumsum(counts)[:-1]]), axis=0)
    return float((flat**2).sum() - ((sums**2).sum(axis=1) / counts).sum())


def find_like(frame: Frame, known: Cut) -> Cut | None:
    """The largest board of the same clone on another picture, cut at the same place of a cell, if there is one.

    A fresh board, or one with lines between its cells, can be cut in several places equally well: what is known of one
    board says where to cut the others.

    Args:
        frame: the picture.
        known: a board on another one.
    """
    if isinstance(known.drawing, Tiles):
        return find_gapped_like(frame, known)
    (height, width), (high, wide) = frame.pixels_bgr.shape[:2], known.cells.shape[2:4]
    if height < MIN_SIDE * high or width < MIN_SIDE * wide:
        return None
    frequent = frequent_appearances(known.cells, known.cutter.alike)
    alike = how_alike(known.cells, known.cutter.alike)
    whole = Raster(frame, (0, 0), known.grid.pitch_px, is_whole=known.cutter.cell_px is None)
    best: _Like = (whole, 0, _NOWHERE)
    if whole.is_whole:
        prints = fingerprint(frequent)
        likes = (_equal_cells(whole.moved(dx, dy), prints) for dx, dy in _phases_of(frame, frequent))
        best = max(likes, key=lambda one: one[1], default=best)
    if best[1] < MIN_SIDE**2 and alike > ALIKE:
        best = _near_cells(whole, frequent, _ROUGHLY * alike)
    raster, n_like, core = best
    boards = _boards_on(raster, core, frequent, alike) if n_like >= MIN_SIDE**2 else []
    return max(boards, key=lambda board: board.n_cells, default=None)


def _phases_of(frame: Frame, appearances: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """Where cells that look so may begin, modulo the pitch: (x, y); anywhere where some are of one colour."""
    height, width = appearances.shape[1:3]
    if (appearances == appearances[:, :1, :1]).all(axis=(1, 2, 3)).any():
        return list(itertools.product(range(width), range(height)))
    votes = np.zeros((height, width), dtype=np.intp)
    for n_asked, cell in enumerate(appearances):
        if n_asked >= _LEAST_ASKED and votes.max() >= MIN_SIDE**2:
            break
        apart = np.asarray(cv2.matchTemplate(frame.pixels_bgr, cell, cv2.TM_SQDIFF))
        y, x = np.nonzero(apart <= _ROUNDING * cell.size)
        np.add.at(votes, (y % height, x % width), 1)
    best = np.argsort(-votes, axis=None, kind="stable")[:_MOST_PHASES]
    return [(int(one % width), int(one // width)) for one in best if votes.flat[one]]


_Like = tuple[Raster, int, Part]
"""A raster, how many of its cells look like those of a known board, and what part of it they lie in."""


def _equal_cells(raster: Raster, prints: NDArray[np.uint64]) -> _Like:
    """The cells of a raster that have one of these fingerprints."""
    part = raster.clipped(_EVERYWHERE)
    is_like = np.isin(fingerprint(stacked(raster.cells(part))), prints).reshape(part.shape)
    rows, cols = np.nonzero(is_like)
    if not rows.size:
        return raster, 0, _NOWHERE
    return raster, rows.size, Part(int(rows.min()), int(cols.min()), int(rows.max()) + 1, int(cols.max()) + 1)


def _near_cells(whole: Raster, appearances: NDArray[np.uint8], alike: float) -> _Like:
    """Where most cells are near these appearances, and nearest, though no two are equal."""
    raster = _nearest_raster(whole, appearances, alike)
    apart, core = _near_part(raster, _EVERYWHERE, appearances, alike)
    if not raster.is_whole and core != _NOWHERE:
        reach, step = _CLOSER[-1]
        offsets = [step * k for k in range(-reach, reach + 1)]
        moved = [raster.moved(dx, dy) for dx, dy in itertools.product(offsets, offsets)]
        raster = max(moved, key=lambda one: _likeness(_near_part(one, core, appearances, alike)[0], alike))
        apart, core = _near_part(raster, core, appearances, alike)
    return raster, int((apart <= alike).sum()), core


def _nearest_raster(raster: Raster, appearances: NDArray[np.uint8], alike: float) -> Raster:
    """The raster moved by whole pixels to where cells on the picture are nearest to some appearances.

    How far each place of the picture is from the nearest one is found once, for all ways to move it.
    """
    pixels, (width, height) = raster.frame.pixels_bgr, (round(pitch) for pitch in raster.pitch_px)
    apart = np.full((pixels.shape[0] - height + 1, pixels.shape[1] - width + 1), np.inf, dtype=np.float32)
    for cell in appearances:
        squares = cv2.matchTemplate(pixels, cv2.resize(cell, (width, height)), cv2.TM_SQDIFF)
        np.minimum(apart, squares, out=apart)
    apart = np.sqrt(np.maximum(apart, 0) / (height * width * 3))

    def likeness(offset: tuple[int, int]) -> float:
        x, y = (
            np.rint(first + np.arange((n - 1 - first) // pitch + 1) * pitch).astype(np.intp)
            for first, n, pitch in zip(offset, apart.shape[::-1], raster.pitch_px, strict=True)
        )
        return _likeness(apart[np.ix_(y, x)], alike)

    return raster.moved(*max(np.ndindex(width, height), key=likeness))


def _likeness(apart: NDArray[np.float32], alike: float) -> float:
    """How much cells are like some appearances, by their distances: all that are near one count, and how near."""
    return float(np.maximum(alike - apart, 0).sum())


def _near_part(
    raster: Raster, part: Part, appearances: NDArray[np.uint8], alike: float
) -> tuple[NDArray[np.float32], Part]:
    """How far the cells of a part are from the nearest appearance, and the largest area of those that are near one."""
    part = raster.clipped(part)
    apart = rms_distances(raster.cells(part), appearances).min(axis=-1)
    n, _, boxes, _ = cv2.connectedComponentsWithStats((apart <= alike).astype(np.uint8), connectivity=4)
    if n == 1:
        return apart, _NOWHERE
    x, y, n_wide, n_high, _ = boxes[1 + int(boxes[1:, cv2.CC_STAT_AREA].argmax())].tolist()
    top, left = part.top + y, part.left + x
    return apart, Part(top, left, top + n_high, left + n_wide)
