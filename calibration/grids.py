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
from calibration.combs import evened, refined
from calibration.cuts import Cut
from calibration.dither import undithered
from calibration.extents import best_cut, boards_on
from calibration.looks import ALIKE, how_alike, nearest, often
from calibration.rasters import Raster
from calibration.textures import find_textures
from calibration.tiled import find_tiled_cuts, find_tiled_like
from skins.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

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
_LEAST_ASKED = 4
"""So many looks tell where cells begin on another picture, more where it has none of them, as a fresh one may,"""
_MOST_PHASES = 6
"""so many places of a cell are looked at closely,"""
_ROUGHLY = 2.0
"""where no cells are equal, so much farther apart may be those of a place that is looked at closely,"""
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
    return [evened(cut) for cut in boards_on(raster, (0, 0, lattice.rows, lattice.cols))]


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
    if known.tiles is not None:
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
    boards = boards_on(raster, core, looks, alike) if n_like >= MIN_SIDE**2 else []
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
    """The same where no two cells are equal: where most cells are near these looks, and nearest."""
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
    """How much cells are like looks, when they are so far from the nearest: all that are near count, and how near."""
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
