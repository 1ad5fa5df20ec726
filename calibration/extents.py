"""How far a board of an unknown look goes, and where exactly its cells begin, by the looks that come often."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.vision.sites import MINE_CAPABLE, NO_CELL, PLAIN, RIM, find_patches
from calibration.appearances import rims
from calibration.cuts import Cut
from calibration.looks import ALIKE, FEW, MOST_LOOKS, all_apart, diversity, how_alike, looks_of, looks_within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.vision.sites import Patch
    from calibration.rasters import Part, Raster

_RIM_ALIKE = 14.0
_SLACK_BITS = 0.5
_MARGIN_CELLS = 2
_STEP_CELLS = 4
_MOST_GROWTHS = 24
"""A board goes on for so many times so many cells beyond what was seen of it first, no more."""


def best_cut(raster: Raster, core: Part, offsets: Sequence[tuple[float, float]]) -> Raster:
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


def boards_on(
    raster: Raster, core: Part, looks: NDArray[np.uint8] | None = None, alike: float | None = None
) -> list[Cut]:
    """The boards on a raster that reach into a part of it, by looks that come often there, and by those given.

    From there a board goes on as far as cells look like others in it: how far apart these may be (`how_alike`), is
    given where it is known of another picture.
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
