"""Find boards of clones that draw themselves anew at every size (`skins.skin.Sizes`), by exact pixels.

The faces of cells (`faces`, `lattice`) tell about where cells lie; a few of them are looked for around there
pixel for pixel, and say exactly where. From there on it is as in `native`: known sites that touch are a board.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from bot.models import FoundBoard, Grid, Pixel
from bot.vision.match import rim
from bot.vision.native import cut_cells
from bot.vision.sites import MINE_CAPABLE, NO_CELL, OPEN, RIM, find_patches
from skins.pixels import blunt_fingerprint, fingerprint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame
    from skins.skin import Sizes, Skin
    from solver.topology import Cell

_REACH_PX = 2
"""A lattice may be so far off."""
_LEAST_AGREED = 0.5
"""So much of a sample must be cells that lie whole pitches apart."""


class _Known:
    """The exact pixels of a clone's cells at all its sizes."""

    def __init__(self, sizes: Sizes) -> None:
        self._open = np.array([value for value, state in sizes.exact.items() if state.isdecimal()], dtype=np.uint64)
        others = [value for value, state in sizes.exact.items() if not state.isdecimal()]
        self._capable = np.array(others, dtype=np.uint64)
        self._rims = np.array(sorted(sizes.open_rims), dtype=np.uint64)

    def sites(self, cells: NDArray[np.uint8]) -> NDArray[np.int8]:
        """What square cells (uint8, N x side x side x 3) are as sites of a board: int8, N."""
        prints = blunt_fingerprint(cells)
        sites = np.where(np.isin(fingerprint(rim(cells)), self._rims), RIM, NO_CELL)
        sites = np.where(np.isin(prints, self._open), OPEN, sites)
        return np.where(np.isin(prints, self._capable), MINE_CAPABLE, sites).astype(np.int8)


@lru_cache(maxsize=64)
def _known(sizes: Sizes) -> _Known:
    return _Known(sizes)


def find_redrawn(frame: Frame, skin: Skin, grid: Grid, samples: Sequence[Cell]) -> list[FoundBoard]:
    """The boards of a skin whose cells lie about where a grid says: those seen there, of which `samples` are some.

    None where the skin is not known at that size, or no exact pixels are there.
    """
    px = round(sum(grid.pitch_px) / 2)
    if skin.sizes is None or not skin.sizes.has((px, px)):
        return []
    phase = _phase(frame, grid, samples, px, _known(skin.sizes))
    return [] if phase is None else _boards_at(frame, skin, px, phase)


def _phase(frame: Frame, grid: Grid, samples: Sequence[Cell], px: int, known: _Known) -> tuple[int, int] | None:
    """(x, y) modulo the side at which cells begin on the frame; None where too few of the sample say the same."""
    regions = [grid.cell_region(cell) for cell in samples]
    places = [
        (number, x, y)
        for number, region in enumerate(regions)
        for y in _near(region.top - frame.top, frame.region.height - px)
        for x in _near(region.left - frame.left, frame.region.width - px)
    ]
    if not places:
        return None
    sites = known.sites(np.stack([frame.pixels_bgr[y : y + px, x : x + px] for _, x, y in places]))
    agreed = {(number, x % px, y % px) for (number, x, y), site in zip(places, sites, strict=True) if site != NO_CELL}
    votes = Counter((x, y) for _, x, y in sorted(agreed))
    phase, n_votes = votes.most_common(1)[0] if votes else ((0, 0), 0)
    return phase if n_votes >= _LEAST_AGREED * len(samples) and n_votes else None


def _near(place: int, last: int) -> range:
    return range(max(place - _REACH_PX, 0), min(place + _REACH_PX, last) + 1)


def _boards_at(frame: Frame, skin: Skin, px: int, phase: tuple[int, int]) -> list[FoundBoard]:
    """The boards of cells of one size that begin at that place modulo the size."""
    assert skin.sizes is not None, "asked only of skins that have sizes"
    x, y = phase
    height, width = frame.pixels_bgr.shape[:2]
    rows, cols = (height - y) // px, (width - x) // px
    part = frame.pixels_bgr[y : y + rows * px, x : x + cols * px]
    sites = _known(skin.sizes).sites(cut_cells(part, rows, cols)).reshape(rows, cols)
    first = Pixel(frame.left + x, frame.top + y)
    return [
        FoundBoard(
            skin,
            Grid(Pixel(first.x + patch.left * px, first.y + patch.top * px), (px, px), patch.rows, patch.cols),
            patch.n_known,
            patch.n_named,
        )
        for patch in find_patches(sites)
    ]
