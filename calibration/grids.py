"""Find the board of a clone nobody knows yet: where its cells lie, whatever they look like.

Areas that repeat along rows and columns (`bot.vision.repeats`) tell the pitch and about where cells lie. Cells are cut
right where they look least diverse: cut a pixel off, a closed cell beside an open one and one beside another closed one
are two looks instead of one. From the looks that come often it is seen how far the board goes (`extents`).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Frame, Pixel
from bot.vision.repeats import find_repeats
from bot.vision.sites import MIN_SIDE
from calibration.combs import refined
from calibration.cuts import Cut
from calibration.dither import undithered
from calibration.extents import best_cut, boards_on
from calibration.looks import how_alike, nearest, often
from calibration.rasters import Raster
from calibration.textures import find_textures
from calibration.tiled import find_tiled_cuts, find_tiled_like
from skins.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.vision.lattice import Lattice
    from calibration.rasters import Part

__all__ = ["Cut", "find_cuts", "find_like"]

_SUBTLE = 3
"""Cells of checkered boards differ by little more than this."""
_OFF_PX = 4
"""Cells may lie so far from where areas of one colour suggest."""
_WHOLE = 0.5
"""A pitch is taken for a whole number where that is off by no more pixels at the far end of the board."""
_MOST_HINTS = 6
_CLOSER = ((3, 1.0), (2, 0.25))
"""Where a pitch is no whole number: so many steps, of so many pixels, to either side; far ones, then near ones."""
_MOST_SIDE = 10
"""So many rows and columns tell where cells begin."""
_EVERYWHERE = (0, 0, 10**6, 10**6)
"""More rows and columns than any picture has."""
_NOWHERE = (0, 0, 0, 0)
_MOST_ASKED = 4
"""So many looks tell where cells begin on another picture,"""
_MOST_PHASES = 6
"""so many places of a cell are looked at closely,"""
_FAR = 40.0
"""Cells farther from all looks (root mean square) are none of them, however far."""
_ROUNDING = 0.25
"""and the squared differences of equal pixels may come out as so much a channel."""


def find_cuts(frame: Frame) -> list[Cut]:
    """Boards of an unknown look: those in order first, and of those the largest."""
    found = [cut for cut in find_tiled_cuts(frame) if cut.is_in_order]
    tiled = list(found)
    plain = undithered(frame.pixels_bgr)
    ways: tuple[tuple[Callable[[], list[Lattice]], bool], ...] = (
        (lambda: find_repeats(frame.pixels_bgr), False),
        (lambda: find_repeats(frame.pixels_bgr, _SUBTLE), False),
        (lambda: [] if plain is None else find_repeats(plain), False),
        (lambda: find_textures(frame.pixels_bgr if plain is None else plain), True),
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
    """Whether its pitch is a whole number along both axes, as far as can be told."""
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
        raster = best_cut(raster, core, [(dx, 0) for dx in range(-reach[0], reach[0])])
        raster = best_cut(raster, core, [(0, dy) for dy in range(-reach[1], reach[1])])
        reach = [1, 1]
    across, down = (range(-most, most + 1) for most in reach)
    raster = best_cut(raster, core, list(itertools.product(across, down)))
    return boards_on(raster, (0, 0, lattice.rows, lattice.cols))


def _core(raster: Raster, lattice: Lattice) -> Part | None:
    """The inner cells of a lattice; None where there are too few."""
    core = raster.clipped((1, 1, lattice.rows - 1, lattice.cols - 1))
    return core if min(core[2] - core[0], core[3] - core[1]) >= MIN_SIDE - 2 else None


def _fractional_cuts(frame: Frame, lattice: Lattice) -> list[Cut]:
    """The boards whose pitch is no whole number."""
    lattice = refined(frame.pixels_bgr, lattice)
    raster = Raster(frame, lattice.corner, lattice.pitch_px, is_whole=False)
    core = _core(raster, lattice)
    if core is None:
        return []
    middle = _middle_of(core)
    for reach, step in _CLOSER:
        offsets = [step * k for k in range(-reach, reach + 1)]
        raster = best_cut(raster, middle, list(itertools.product(offsets, offsets)))
    return boards_on(raster, (0, 0, lattice.rows, lattice.cols))


def _middle_of(part: Part) -> Part:
    """The middle of a part, as large as is telling."""
    top, left, bottom, right = part
    rows, cols = min(bottom - top, _MOST_SIDE), min(right - left, _MOST_SIDE)
    top, left = (top + bottom - rows) // 2, (left + right - cols) // 2
    return top, left, top + rows, left + cols


def find_like(frame: Frame, known: Cut, found: Sequence[Cut]) -> Cut | None:
    """The largest board of the same clone on another picture, cut at the same place of a cell, if there is one.

    A fresh board, or one with lines between its cells, can be cut in several places equally well: what is known of one
    board says where to cut the others.

    Args:
        frame: the picture.
        known: a board on another one.
        found: what may be boards on this one, by what it shows alone (`find_cuts`).
    """
    if known.tiles is not None:
        return find_tiled_like(frame, known)
    looks = often(known.cells, known.cutter.alike)
    whole = Raster(frame, (0, 0), known.grid.pitch_px, is_whole=known.cutter.cell_px is None)
    best: _Like = (whole, 0, _NOWHERE)
    if whole.is_whole:
        prints = fingerprint(looks)
        likes = (_like(whole.moved(dx, dy), prints) for dx, dy in _phases_of(frame, looks))
        best = max(likes, key=lambda one: one[1], default=best)
    if best[1] < MIN_SIDE**2:
        best = _nearly_like(whole, looks, found)
    raster, n_like, core = best
    alike = how_alike(known.cells.reshape(-1, *known.cells.shape[2:]), known.cutter.alike)
    boards = boards_on(raster, core, looks, alike) if n_like >= MIN_SIDE**2 else []
    return max(boards, key=lambda board: board.grid.rows * board.grid.cols, default=None)


def _phases_of(frame: Frame, looks: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """Where cells of these looks may begin, modulo the pitch: (x, y); anywhere where some are of one colour."""
    height, width = looks.shape[1:3]
    if (looks == looks[:, :1, :1]).all(axis=(1, 2, 3)).any():
        return list(itertools.product(range(width), range(height)))
    votes = np.zeros((height, width), dtype=np.intp)
    for look in looks[:_MOST_ASKED]:
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


def _nearly_like(whole: Raster, looks: NDArray[np.uint8], found: Sequence[Cut]) -> _Like:
    """The same where no two cells are equal: where what may be a board anyway is most like these looks."""
    frame, flat = whole.frame, looks.reshape(len(looks), -1).astype(np.float32)
    best: _Like = (whole, 0, _NOWHERE)
    for cut in found:
        if cut.cells.shape[2:4] != looks.shape[1:3]:
            continue
        x, y = cut.grid.corner[0] - frame.left, cut.grid.corner[1] - frame.top
        part = (0, 0, cut.grid.rows, cut.grid.cols)
        raster = _about_like(whole.moved(x, y), _middle_of(part), looks)
        if not raster.is_whole:
            reach, step = _CLOSER[-1]
            parts = [step * k for k in range(-reach, reach + 1)]
            tried = [_alike(raster.moved(dx, dy), _middle_of(part), flat) for dx in parts for dy in parts]
            raster = max(tried, key=lambda one: one[1])[0]
        best = max(best, _alike(raster, part, flat), key=lambda one: one[1])
    return best


def _about_like(raster: Raster, part: Part, looks: NDArray[np.uint8]) -> Raster:
    """The raster moved by whole pixels to where the cells of a part are nearest to looks.

    How far every place of the picture is from the nearest look is found once, for all ways to move it.
    """
    width, height = (round(pitch) for pitch in raster.pitch_px)
    within = raster.grid(raster.clipped((part[0] - 1, part[1] - 1, part[2] + 1, part[3] + 1))).region
    scene = raster.frame.crop(within).pixels_bgr
    apart = np.full((scene.shape[0] - height + 1, scene.shape[1] - width + 1), np.inf, dtype=np.float32)
    for look in looks:
        one = cv2.matchTemplate(scene, cv2.resize(look, (width, height)), cv2.TM_SQDIFF)
        apart = np.minimum(apart, one)
    apart = np.minimum(np.sqrt(np.maximum(apart, 0) / (height * width * 3)), _FAR)

    def mean_apart(offset: tuple[int, int]) -> float:
        (x, y), (pitch_x, pitch_y) = raster.moved(*offset).corner, raster.pitch_px
        top, left, bottom, right = part
        rows = np.rint(raster.frame.top + y - within.top + np.arange(top, bottom) * pitch_y).astype(int)
        cols = np.rint(raster.frame.left + x - within.left + np.arange(left, right) * pitch_x).astype(int)
        rows, cols = (line[(line >= 0) & (line < n)] for line, n in zip((rows, cols), apart.shape, strict=True))
        return float(apart[np.ix_(rows, cols)].mean()) if rows.size and cols.size else _FAR

    reach_x, reach_y = (side // 2 for side in raster.cell_px)
    offsets = itertools.product(range(-reach_x, reach_x + 1), range(-reach_y, reach_y + 1))
    return raster.moved(*min(offsets, key=mean_apart))


def _alike(raster: Raster, part: Part, flat: NDArray[np.float32]) -> _Like:
    core = raster.clipped(part)
    cells = raster.cells(core)
    return raster, int((nearest(cells, flat) <= how_alike(cells, raster.cutter.alike)).sum()), core
