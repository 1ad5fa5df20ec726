"""Find the board of a clone nobody knows yet: where its cells lie, whatever they look like.

Areas that repeat along rows and columns (`bot.vision.lattice`) tell the pitch and about where cells lie. Cells are cut
right where they look least diverse: cut a pixel off, a closed cell beside an open one and one beside another closed one
are two looks instead of one. From the looks that come often it is seen how far the board goes (`extents`).

Areas of two colours in turn, pixel by pixel, as one area of the colour that they make for the eye.

Old clones draw grey so. Such an area repeats every two pixels, and so at every even pitch: how large the cells are is
seen only when it is taken for what it stands for.

Find what repeats along rows and columns where nothing has an area of one colour: textured and shaded cells.

A pattern is laid over itself, moved by one pitch after the other: at the right one most of what is no plain area lies
on its like. Where that ends, the board ends.

The exact pitch of a board that is no whole number of pixels: of a lattice, then of the cells.

What changes along an axis, added up across, is a comb of the pitch; its Fourier sums are largest at the right one. Once
it is known which cells look the same, the pitch is right where these are most equal: a half pixel at the far end is
told by every stroke of every digit.

How far a board of an unknown look goes, and where exactly its cells begin, by the looks that come often.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Frame, Grid, Pixel
from bot.vision.lattice import Lattice, find_flat_lattices
from bot.vision.sites import MIN_SIDE, MINE_CAPABLE, NO_CELL, PLAIN, RIM, find_patches
from calibration.appearances import (
    ALIKE,
    FEW,
    MOST_LOOKS,
    all_apart,
    diversity,
    how_alike,
    looks_of,
    looks_within,
    nearest,
    often,
    rims,
)
from calibration.cells import Cut, Raster, find_tiled_cuts, find_tiled_like
from skins.pixels import fingerprint, largest_channel, pixels_apart
from skins.skin import Tiles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.vision.sites import Patch
    from calibration.cells import Part

    Mask = NDArray[np.uint8]


_RIM_ALIKE = 14.0
_SLACK_BITS = 0.5
_MARGIN_CELLS = 2
_STEP_CELLS = 4
_MOST_GROWTHS = 24  # most times that a board grows by `_STEP_CELLS` beyond what was seen of it first


def _best_cut(raster: Raster, core: Part, offsets: Sequence[tuple[float, float]]) -> Raster:
    """The raster moved to where cells are least diverse, and of equals, where most cells around look so too."""
    bits = {}
    for dx, dy in offsets:
        moved = raster.moved(dx, dy)
        bits[dx, dy] = diversity(looks_of(moved.cells(moved.clipped(core)), raster.cutter.alike))
    least = min(bits.values())
    equals = [offset for offset in offsets if bits[offset] <= least + _SLACK_BITS]
    best = min(equals, key=lambda offset: (-_n_fitting(raster.moved(*offset), core), sum(map(abs, offset))))
    return raster.moved(*best)


def _n_fitting(raster: Raster, core: Part) -> int:
    """How many cells around a part of the raster have a look that comes often inside."""
    top, left, bottom, right = core
    wide = raster.clipped(_grown(core, _MARGIN_CELLS))
    number_of = looks_of(raster.cells(wide), raster.cutter.alike).reshape(wide[2] - wide[0], wide[3] - wide[1])
    inside = number_of[top - wide[0] : bottom - wide[0], left - wide[1] : right - wide[1]]
    frequent = np.flatnonzero(np.bincount(inside.ravel()) >= FEW)
    return int(np.isin(number_of, frequent).sum())


def _boards_on(
    raster: Raster, core: Part, looks: NDArray[np.uint8] | None = None, alike: float | None = None
) -> list[Cut]:
    """The boards on a raster that reach into a part of it, by looks that come often there, and by those given.

    From there a board grows while cells look like others in it. How far apart these may be (`how_alike`) is given
    where it is known of another picture.
    """
    core = raster.clipped(core)
    if alike is None:  # as the board is, whatever is around it
        alike = how_alike(raster.cells(core), raster.cutter.alike)
    width, height = raster.cell_px
    for _ in range(_MOST_GROWTHS):
        wide = raster.clipped(_grown(core, _STEP_CELLS))
        part = raster.cells(wide).reshape(wide[2] - wide[0], wide[3] - wide[1], height, width, 3)
        inner = core if looks is not None else wide  # around a board of known looks nothing new is of it
        known = _known(part[inner[0] - wide[0] : inner[2] - wide[0], inner[1] - wide[1] : inner[3] - wide[1]], alike)
        if looks is not None:
            known = np.concatenate([known, looks])
        patches = [_in_raster(patch, wide) for patch in _patches(part, known, alike)]
        if not patches:
            return []
        tops, lefts, bottoms, rights = zip(*patches, strict=True)
        grown = (min(tops), min(lefts), max(bottoms), max(rights))
        if grown == core:
            break
        core = grown
    return [Cut.of(raster.frame, raster.grid(patch), raster.cutter) for patch in patches]


def _grown(part: Part, margin: int) -> Part:
    return part[0] - margin, part[1] - margin, part[2] + margin, part[3] + margin


def _in_raster(patch: Patch, wide: Part) -> Part:
    """A patch of a part, in the raster's own rows and columns."""
    top, left = wide[0] + patch.top, wide[1] + patch.left
    return top, left, top + patch.rows, left + patch.cols


def _known(part: NDArray[np.uint8], alike: float) -> NDArray[np.uint8]:
    """The looks that come often among cells (rows x cols x height x width x 3), in several rows and columns."""
    cells = part.reshape(-1, *part.shape[2:])
    number_of = looks_within(cells, alike)
    return cells[[int(np.flatnonzero(number_of == one)[0]) for one in _spread(number_of.reshape(part.shape[:2]))]]


def _patches(part: NDArray[np.uint8], known: NDArray[np.uint8], alike: float) -> list[Patch]:
    """The boards among cells (rows x cols x height x width x 3), by looks that are known."""
    if not 0 < len(known) <= MOST_LOOKS:
        return []
    cells = part.reshape(-1, *part.shape[2:])
    number_of = looks_within(cells, alike).reshape(part.shape[:2])
    sites = _sites(cells, known, alike).reshape(part.shape[:2])
    sites[sites == PLAIN] = np.where(_is_in_turn(number_of, sites)[sites == PLAIN], MINE_CAPABLE, NO_CELL)
    return [patch for patch in find_patches(sites) if 2 * patch.n_known > patch.rows * patch.cols]


def _is_in_turn(number_of: NDArray[np.intp], sites: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Which cells have one of another look both beside them and above or below, as those of a checkered board.

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


def _spread(number_of: NDArray[np.intp]) -> list[int]:
    """The looks that come in several rows and columns: what is around a board repeats along one of its sides only."""
    found = []
    for number in np.flatnonzero(np.bincount(number_of.ravel()) >= FEW):
        places = np.nonzero(number_of == number)
        if min(np.unique(places[0]).size, np.unique(places[1]).size) >= FEW:
            found.append(int(number))
    return found


def _sites(cells: NDArray[np.uint8], known: NDArray[np.uint8], alike: float) -> NDArray[np.int8]:
    """What cells are as sites of a board (`bot.vision.sites`), by the looks that are known."""
    is_plain = (known == known[:, :1, :1]).all(axis=(1, 2, 3))
    sites = np.full(len(cells), NO_CELL, dtype=np.int8)
    ring, rings = rims(cells), rims(known)
    for rim in rings:
        if np.ptp(rim, axis=0).max() > ALIKE:
            sites[np.abs(ring - rim).max(axis=(1, 2)) <= _RIM_ALIKE] = RIM
    apart = all_apart(cells, known.reshape(len(known), -1).astype(np.float32))
    for number, plain in enumerate(is_plain):
        sites[apart[:, number] <= alike] = PLAIN if plain else MINE_CAPABLE
    return sites


_LEAST_DITHERED = 0.002
"""Least share of dots in a picture that is dithered: a small board on a large screen makes twice as much."""


def _undithered(pixels_bgr: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """The picture with the mean colour where a pattern repeats every two pixels; None where there is none.

    Args:
        pixels_bgr: uint8, height x width x 3.
    """
    height, width = pixels_bgr.shape[:2]
    if min(height, width) < 3:
        return None
    here, right, below = pixels_bgr[:-2, :-2], pixels_bgr[:-2, 1:-1], pixels_bgr[1:-1, :-2]
    breaks = (here != pixels_bgr[:-2, 2:]) | (here != pixels_bgr[2:, :-2])
    breaks |= (right != pixels_bgr[2:, 1:-1]) | (below != pixels_bgr[1:-1, 2:])
    is_dots = ~largest_channel(breaks) & largest_channel(here != right) & largest_channel(here != below)
    if is_dots.mean() < _LEAST_DITHERED:
        return None
    plain = pixels_bgr.copy()
    mean = np.asarray(cv2.blur(pixels_bgr, (2, 2), anchor=(0, 0)), dtype=np.uint8)
    plain[:-2, :-2][is_dots] = mean[:-2, :-2][is_dots]
    return plain


_LEAST_PX, _MOST_PX = 8, 80
_SAME = 10
"""Largest difference of a channel between pixels that are alike; neighbours that differ by more are no plain area."""
_BEST = 0.75  # share of the best repeat that the smallest pitch must reach: twice the pitch repeats as well
_LEAST_SHARE = 0.25  # least share of what is no plain area that repeats: in a board, and in each cell's surroundings
_N_LINES = 150  # number of rows, or columns, that tell the pitch
_MIN_SIDE = 4


def _find_textures(pixels_bgr: NDArray[np.uint8]) -> list[Lattice]:
    """Lattices of cells that repeat pixel for pixel, at whole pitches; their corners are anywhere in a cell."""
    uneven = _uneven(pixels_bgr)
    found = []
    pitches = [_pitch(pixels_bgr, uneven, axis) for axis in (1, 0)]
    if pitches[0] is None or pitches[1] is None:
        return []
    width, height = pitches[0], pitches[1]
    repeats = _repeats(pixels_bgr, uneven, width, 1) | _repeats(pixels_bgr, uneven, height, 0)
    around = (2 * width + 1, 2 * height + 1)
    share = cv2.blur(repeats.astype(np.float32), around) / np.maximum(cv2.blur(uneven.astype(np.float32), around), 0.02)
    _, _, stats, _ = cv2.connectedComponentsWithStats((share >= _LEAST_SHARE).astype(np.uint8), connectivity=4)
    for left, top, wide, high, _ in stats[1:].tolist():
        if min(wide // width, high // height) < _MIN_SIDE:
            continue
        middle = (left + wide // 4, top + high // 4, left + 3 * wide // 4, top + 3 * high // 4)
        first_x, last_x = _extent(pixels_bgr, middle, width, 1) or (left, left + wide)
        first_y, last_y = _extent(pixels_bgr, middle, height, 0) or (top, top + high)
        cols, rows = (last_x - first_x) // width, (last_y - first_y) // height
        found.append(Lattice((first_x, first_y), (width, height), cols, rows, rows * cols, ()))
    return sorted(found, key=lambda lattice: -lattice.n_marks)


def _uneven(pixels_bgr: NDArray[np.uint8]) -> Mask:
    """1 where a pixel differs from the one to the right or below."""
    uneven = np.zeros(pixels_bgr.shape[:2], dtype=np.uint8)
    uneven[:, :-1] |= pixels_apart(pixels_bgr[:, :-1], pixels_bgr[:, 1:]) > _SAME
    uneven[:-1] |= pixels_apart(pixels_bgr[:-1], pixels_bgr[1:]) > _SAME
    return uneven


def _repeats(pixels_bgr: NDArray[np.uint8], uneven: Mask, lag: int, axis: int) -> Mask:
    """1 where no plain area lies and the pixel `lag` to the right (axis 1) or below (0) is alike."""
    n = pixels_bgr.shape[axis] - lag
    here = np.take(pixels_bgr, range(n), axis=axis)
    there = np.take(pixels_bgr, range(lag, lag + n), axis=axis)
    repeats = np.zeros_like(uneven)
    part = (slice(None), slice(n)) if axis else (slice(n), slice(None))
    repeats[part] = (pixels_apart(here, there) <= _SAME) & (uneven[part] > 0)
    return repeats


def _extent(
    pixels_bgr: NDArray[np.uint8], middle: tuple[int, int, int, int], lag: int, axis: int
) -> tuple[int, int] | None:
    """From where to where along an axis everything repeats around a part of the picture; None where not all does."""
    left, top, right, bottom = middle
    part = pixels_bgr[top:bottom] if axis else pixels_bgr[:, left:right]
    n = part.shape[axis] - lag
    apart = pixels_apart(np.take(part, range(n), axis=axis), np.take(part, range(lag, lag + n), axis=axis))
    is_alike = apart.max(axis=1 - axis) <= _SAME
    first, last = (left, right) if axis else (top, bottom)
    if not is_alike[first : last - lag].all():
        return None
    uneven = np.flatnonzero(~is_alike)
    start = int(uneven[uneven < first].max(initial=-1)) + 1
    return start, int(uneven[uneven >= last - lag].min(initial=n)) + lag


def _pitch(pixels_bgr: NDArray[np.uint8], uneven: Mask, axis: int) -> int | None:
    """How far apart things repeat along an axis; None where nothing stands out."""
    most = min(_MOST_PX, pixels_bgr.shape[axis] // _MIN_SIDE)
    lags = range(_LEAST_PX, most + 1)
    if len(lags) < 3:
        return None
    step = max(1, pixels_bgr.shape[1 - axis] // _N_LINES)
    lines = np.s_[::step] if axis else np.s_[:, ::step]
    part, uneven = np.ascontiguousarray(pixels_bgr[lines]), np.ascontiguousarray(uneven[lines])
    counts = np.array([int(_repeats(part, uneven, lag, axis).sum()) for lag in lags], dtype=np.float64)
    above = counts - np.median(counts)
    best = above.max()
    if best < _LEAST_SHARE * 0.2 * max(int(uneven.sum()), 1):
        return None
    return lags[int(np.flatnonzero(above >= _BEST * best)[0])]


_N_HARMONICS = 4
_REACH_PX = 0.8  # largest error of the pitch, at the far end of the lattice, in pixels
_STEP_PX = 0.05
_EVEN_STEP_PX = 0.1  # pixels more, or fewer, at the far end of the board, at which cells are cut out anew


def _refined(pixels_bgr: NDArray[np.uint8], lattice: Lattice) -> Lattice:
    """The lattice with the exact pitch, around the same middle."""
    grey = pixels_bgr.astype(np.float32).sum(axis=2)
    (x, y), (width, height) = lattice.corner, lattice.pitch_px
    left, top = max(int(x), 0), max(int(y), 0)
    part = grey[top : int(y + lattice.rows * height) + 1, left : int(x + lattice.cols * width) + 1]
    corner, pitches = [], []
    for axis, n, first in ((0, lattice.cols, x), (1, lattice.rows, y)):
        change = np.abs(np.diff(part, axis=1 - axis)).sum(axis=axis)
        before = lattice.pitch_px[axis]
        pitch = _exact(change, before, n) if change.size > 2 * before else before
        pitches.append(pitch)
        corner.append(first + (before - pitch) * n / 2)
    return replace(lattice, corner=(corner[0], corner[1]), pitch_px=(pitches[0], pitches[1]))


def _exact(change: NDArray[np.float32], pitch: float, n: int) -> float:
    """The pitch near this one whose comb fits best."""
    places = np.arange(change.size)
    pitches = pitch + np.arange(-_REACH_PX, _REACH_PX + _STEP_PX / 2, _STEP_PX) / n
    angles = 2 * np.pi * np.arange(1, _N_HARMONICS + 1)[None, :, None] * places / pitches[:, None, None]
    rough = change - change.mean()
    sums = np.hypot(np.cos(angles) @ rough, np.sin(angles) @ rough).sum(axis=1)  # no complex exp: wine has none
    return float(pitches[int(sums.argmax())])


def _evened(cut: Cut) -> Cut:
    """The board cut at the pitch at which cells that look the same are most equal, around the same middle."""
    number_of = looks_of(cut.cells.reshape(-1, *cut.cells.shape[2:]), cut.cutter.alike)
    grid = cut.grid
    steps = np.arange(-_REACH_PX, _REACH_PX + _EVEN_STEP_PX / 2, _EVEN_STEP_PX)
    for axis in (0, 1):
        tried = [_stretched(grid, axis, float(step)) for step in steps[np.argsort(np.abs(steps), kind="stable")]]
        grid = min(tried, key=lambda one: _unevenness(cut.cutter.cells(cut.frame, one), number_of))
    cell_px = int(grid.pitch_px[0]), int(grid.pitch_px[1])  # it may have come to the next whole pixel
    return Cut.of(cut.frame, grid, replace(cut.cutter, cell_px=cell_px))


def _stretched(grid: Grid, axis: int, more_px: float) -> Grid:
    """The grid, larger along an axis, by half of the pixels at each end."""
    corner, pitch = list(grid.corner), list(grid.pitch_px)
    corner[axis] -= more_px / 2
    pitch[axis] += more_px / (grid.cols, grid.rows)[axis]
    return Grid.at((corner[0], corner[1]), (pitch[0], pitch[1]), grid.rows, grid.cols)


def _unevenness(cells: NDArray[np.uint8], number_of: NDArray[np.intp]) -> float:
    """How far cells are from the mean of their look: squared, added up."""
    flat = cells.reshape(number_of.size, -1).astype(np.float32)
    order = np.argsort(number_of, kind="stable")
    counts = np.bincount(number_of)
    counts = counts[counts > 0]
    sums = np.add.reduceat(flat[order], np.concatenate([[0], np.cumsum(counts)[:-1]]), axis=0)
    return float((flat**2).sum() - ((sums**2).sum(axis=1) / counts).sum())


__all__ = ["Cut", "find_cuts", "find_like"]

_SUBTLE = 3  # difference that the two shades of a checkered board just exceed
_OFF_PX = 4  # largest distance of cells from where areas of one colour suggest them, in pixels
_WHOLE = 0.5  # largest error at the far end of a board, in pixels, of a pitch that is taken for a whole number
_MOST_HINTS = 6
_CLOSER = ((3, 1.0), (2, 0.25))
"""Numbers and sizes, in pixels, of the steps to either side where a pitch is no whole number: far ones, then near
ones."""
_MOST_SIDE = 10  # number of rows and columns that tell where cells begin
_EVERYWHERE = (0, 0, 10**6, 10**6)  # more rows and columns than any picture has
_NOWHERE = (0, 0, 0, 0)
_LEAST_ASKED = 4
"""Number of looks that tell where cells begin on another picture; more where it has none, as a fresh one may."""
_MOST_PHASES = 6  # number of places of a cell that are looked at closely
_ROUGHLY = 2.0  # factor by which cells may be farther apart in a place that is looked at closely, where none are equal
_ROUNDING = 0.25  # largest squared difference a channel that rounding leaves between equal pixels


def find_cuts(frame: Frame) -> list[Cut]:
    """Boards of an unknown look: those in order first, and of those the largest."""
    found = [cut for cut in find_tiled_cuts(frame) if cut.is_in_order]
    tiled = list(found)
    plain = _undithered(frame.pixels_bgr)
    ways: tuple[tuple[Callable[[], list[Lattice]], bool], ...] = (
        (lambda: find_flat_lattices(frame.pixels_bgr), False),
        (lambda: find_flat_lattices(frame.pixels_bgr, _SUBTLE), False),
        (lambda: [] if plain is None else find_flat_lattices(plain), False),
        (lambda: _find_textures(frame.pixels_bgr if plain is None else plain), True),
    )
    for find, anywhere in ways:
        hints = list(dict.fromkeys(find()))[:_MOST_HINTS]
        for lattice in sorted(hints, key=lambda hint: not _is_whole(hint)):
            if not _is_whole(lattice) and any(cut.is_in_order for cut in found):
                break  # those take long
            if any(cut.grid.region.has_pixel(_middle(frame, lattice)) for cut in tiled):
                continue
            for cut in _cuts(frame, lattice, anywhere=anywhere):
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


def _cuts(frame: Frame, lattice: Lattice, *, anywhere: bool = False) -> list[Cut]:
    """The boards on a lattice."""
    if _is_whole(lattice):
        corner = (round(lattice.corner[0]), round(lattice.corner[1]))
        pitch = (round(lattice.pitch_px[0]), round(lattice.pitch_px[1]))
        return _whole_cuts(Raster(frame, corner, pitch), lattice, anywhere=anywhere)
    return _fractional_cuts(frame, lattice)


def _whole_cuts(raster: Raster, lattice: Lattice, *, anywhere: bool) -> list[Cut]:
    """The boards whose cells are whole pixels large."""
    core = _core(raster, lattice)
    if core is None:
        return []
    reach = [side // 2 if anywhere else _OFF_PX for side in raster.cell_px]
    if anywhere:  # first along one side, then along the other: each tells by itself
        raster = _best_cut(raster, core, [(dx, 0) for dx in range(-reach[0], reach[0])])
        raster = _best_cut(raster, core, [(0, dy) for dy in range(-reach[1], reach[1])])
        reach = [1, 1]
    across, down = (range(-most, most + 1) for most in reach)
    raster = _best_cut(raster, core, list(itertools.product(across, down)))
    return _boards_on(raster, (0, 0, lattice.rows, lattice.cols))


def _core(raster: Raster, lattice: Lattice) -> Part | None:
    """The inner cells of a lattice; None where there are too few."""
    core = raster.clipped((1, 1, lattice.rows - 1, lattice.cols - 1))
    return core if min(core[2] - core[0], core[3] - core[1]) >= MIN_SIDE - 2 else None


def _fractional_cuts(frame: Frame, lattice: Lattice) -> list[Cut]:
    """The boards whose pitch is no whole number."""
    lattice = _refined(frame.pixels_bgr, lattice)
    raster = Raster(frame, lattice.corner, lattice.pitch_px, is_whole=False)
    core = _core(raster, lattice)
    if core is None:
        return []
    middle = _middle_of(core)
    for reach, step in _CLOSER:
        offsets = [step * k for k in range(-reach, reach + 1)]
        raster = _best_cut(raster, middle, list(itertools.product(offsets, offsets)))
    return [_evened(cut) for cut in _boards_on(raster, (0, 0, lattice.rows, lattice.cols))]


def _middle_of(part: Part) -> Part:
    """The middle of a part, as large as is telling."""
    top, left, bottom, right = part
    rows, cols = min(bottom - top, _MOST_SIDE), min(right - left, _MOST_SIDE)
    top, left = (top + bottom - rows) // 2, (left + right - cols) // 2
    return top, left, top + rows, left + cols


def find_like(frame: Frame, known: Cut) -> Cut | None:
    """The largest board of the same clone on another picture, cut at the same place of a cell, if there is one.

    A fresh board, or one with lines between its cells, can be cut in several places equally well: what is known of one
    board says where to cut the others.

    Args:
        frame: the picture.
        known: a board on another one.
    """
    if isinstance(known.drawing, Tiles):
        return find_tiled_like(frame, known)
    if any(
        side < MIN_SIDE * cell for side, cell in zip(frame.pixels_bgr.shape[:2], known.cells.shape[2:4], strict=True)
    ):
        return None
    looks = often(known.cells, known.cutter.alike)
    alike = how_alike(known.cells.reshape(-1, *known.cells.shape[2:]), known.cutter.alike)
    whole = Raster(frame, (0, 0), known.grid.pitch_px, is_whole=known.cutter.cell_px is None)
    best: _Like = (whole, 0, _NOWHERE)
    if whole.is_whole:
        prints = fingerprint(looks)
        likes = (_like(whole.moved(dx, dy), prints) for dx, dy in _phases_of(frame, looks))
        best = max(likes, key=lambda one: one[1], default=best)
    if best[1] < MIN_SIDE**2 and alike > ALIKE:
        best = _nearly_like(whole, looks, _ROUGHLY * alike)
    raster, n_like, core = best
    boards = _boards_on(raster, core, looks, alike) if n_like >= MIN_SIDE**2 else []
    return max(boards, key=lambda board: board.grid.rows * board.grid.cols, default=None)


def _phases_of(frame: Frame, looks: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """Where cells of these looks may begin, modulo the pitch: (x, y); anywhere where some are of one colour."""
    height, width = looks.shape[1:3]
    if (looks == looks[:, :1, :1]).all(axis=(1, 2, 3)).any():
        return list(itertools.product(range(width), range(height)))
    votes = np.zeros((height, width), dtype=np.intp)
    for n_asked, look in enumerate(looks):
        if n_asked >= _LEAST_ASKED and votes.max() >= MIN_SIDE**2:
            break
        apart = np.asarray(cv2.matchTemplate(frame.pixels_bgr, look, cv2.TM_SQDIFF))
        y, x = np.nonzero(apart <= _ROUNDING * look.size)
        np.add.at(votes, (y % height, x % width), 1)
    best = np.argsort(-votes, axis=None, kind="stable")[:_MOST_PHASES]
    return [(int(one % width), int(one // width)) for one in best if votes.flat[one]]


_Like = tuple[Raster, int, "Part"]


def _like(raster: Raster, prints: NDArray[np.uint64]) -> _Like:
    """How many cells of a raster have one of these fingerprints, and what part of it they lie in."""
    top, left, bottom, right = part = raster.clipped(_EVERYWHERE)
    is_like = np.isin(fingerprint(raster.cells(part)), prints).reshape(bottom - top, right - left)
    rows, cols = np.nonzero(is_like)
    if not rows.size:
        return raster, 0, _NOWHERE
    return raster, rows.size, (int(rows.min()), int(cols.min()), int(rows.max()) + 1, int(cols.max()) + 1)


def _nearly_like(whole: Raster, looks: NDArray[np.uint8], alike: float) -> _Like:
    """Where most cells are near these looks, and nearest, though no two are equal."""
    raster = _about_like(whole, looks, alike)
    flat = looks.reshape(len(looks), -1).astype(np.float32)
    apart, core = _core_like(raster, _EVERYWHERE, flat, alike)
    if not raster.is_whole and core != _NOWHERE:
        reach, step = _CLOSER[-1]
        parts = [step * k for k in range(-reach, reach + 1)]
        moved = [raster.moved(dx, dy) for dx, dy in itertools.product(parts, parts)]
        raster = max(moved, key=lambda one: _liking(_core_like(one, core, flat, alike)[0], alike))
        apart, core = _core_like(raster, core, flat, alike)
    return raster, int((apart <= alike).sum()), core


def _about_like(raster: Raster, looks: NDArray[np.uint8], alike: float) -> Raster:
    """The raster moved by whole pixels to where cells on the picture are nearest to looks.

    How far each place of the picture is from the nearest look is found once, for all ways to move it.
    """
    pixels, (width, height) = raster.frame.pixels_bgr, (round(pitch) for pitch in raster.pitch_px)
    apart = np.full((pixels.shape[0] - height + 1, pixels.shape[1] - width + 1), np.inf, dtype=np.float32)
    for look in looks:
        squares = cv2.matchTemplate(pixels, cv2.resize(look, (width, height)), cv2.TM_SQDIFF)
        np.minimum(apart, squares, out=apart)
    apart = np.sqrt(np.maximum(apart, 0) / (height * width * 3))

    def liking(offset: tuple[int, int]) -> float:
        x, y = (
            np.rint(first + np.arange((n - 1 - first) // pitch + 1) * pitch).astype(np.intp)
            for first, n, pitch in zip(offset, apart.shape[::-1], raster.pitch_px, strict=True)
        )
        return _liking(apart[np.ix_(y, x)], alike)

    return raster.moved(*max(np.ndindex(width, height), key=liking))


def _liking(apart: NDArray[np.float32], alike: float) -> float:
    """How much cells are like looks, by their distances from the nearest: all that are near count, and how near."""
    return float(np.maximum(alike - apart, 0).sum())


def _core_like(raster: Raster, part: Part, flat: NDArray[np.float32], alike: float) -> tuple[NDArray[np.float32], Part]:
    """How far the cells of a part are from the nearest look, and the largest area of those that are near one."""
    top, left, bottom, right = part = raster.clipped(part)
    apart = nearest(raster.cells(part), flat).reshape(bottom - top, right - left)
    n, _, boxes, _ = cv2.connectedComponentsWithStats((apart <= alike).astype(np.uint8), connectivity=4)
    if n == 1:
        return apart, _NOWHERE
    x, y, n_wide, n_high, _ = boxes[1 + int(boxes[1:, cv2.CC_STAT_AREA].argmax())].tolist()
    return apart, (top + y, left + x, top + y + n_high, left + x + n_wide)
