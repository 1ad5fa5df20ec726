"""How tiles lie in their cells: how wide the gap is on each side, to a fraction of a pixel where both mix.

The colour of a tile is that of its skin's grounds which most of the cell is painted in. The line of pixels from the
middle of each side inwards says where the tile begins: a pixel between gap and ground counts for its share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.vision.colours import ColourTable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from skins.skin import Tiles

    Picture = NDArray[np.uint8]
    Places = NDArray[np.intp]

_FULL = 0.97
"""From this share of its ground on, a pixel belongs to a tile and no longer to the gap."""
_MOST_GAP = 0.25
"""A gap takes no more than this share of a cell on either side."""
_GAP_STEPS = 12
"""A pixel so many steps from every blend of gap and ground is neither."""
_GROUND_STEPS = 3
"""A pixel within so many steps of a ground is of it."""
_N_SAMPLED = 12
"""So many pixels of a cell are looked at in both ways to tell its ground; with 8, a large flag can hide it."""


class Corners(NamedTuple):
    """The corners of N cells in a picture: pixels, right and bottom outside."""

    left: Places
    top: Places
    right: Places
    bottom: Places


class Insets(NamedTuple):
    """How the tiles of N cells lie in them.

    Attributes:
        sides: how far inside: left, top, right, bottom; pixels, float64, N x 4.
        n_mixed: how many pixels on each side are not the tile's alone: N x 4.
        has_gap: whether the outermost pixel of each side is gap, or more gap than tile, and nothing else: N x 4.
    """

    sides: NDArray[np.float64]
    n_mixed: Places
    has_gap: NDArray[np.bool_]


class InsetMeter:
    """Measures the tiles of one skin."""

    def __init__(self, tiles: Tiles) -> None:
        self._grounds = np.array(tiles.grounds_bgr, dtype=np.float64)
        self._table = ColourTable(tiles.grounds_bgr, _GROUND_STEPS)

    def grounds(self, pixels_bgr: Picture, cells: Corners) -> Places:
        """The number of the ground that most of each cell is painted in."""
        share = (np.arange(_N_SAMPLED) + 0.5) / _N_SAMPLED
        x, y = (
            first[:, None] + (share * (last - first)[:, None]).astype(np.intp)
            for first, last in ((cells.left, cells.right), (cells.top, cells.bottom))
        )
        bits = self._table.bits(pixels_bgr[y[:, :, None], x[:, None]].reshape(len(x), -1, 3)).astype(np.int32)
        first = np.frexp((bits & -bits).astype(np.float32))[1]  # one more than the number of the ground, 0 for none
        n_kinds = len(self._grounds) + 1
        of_cell = n_kinds * np.arange(len(x), dtype=np.int32)[:, None]
        counts = np.bincount((first + of_cell).ravel(), minlength=n_kinds * len(x)).reshape(len(x), n_kinds)
        return np.asarray(counts[:, 1:].argmax(axis=1))

    def insets(self, pixels_bgr: Picture, cells: Corners, gap: NDArray[np.float64]) -> Insets:
        """Measure cells whose tiles have a gap of one colour (B, G, R) around them."""
        apart = self._grounds[self.grounds(pixels_bgr, cells)] - gap
        towards = apart / np.maximum((apart**2).sum(axis=1, keepdims=True), 1.0)
        middle = ((cells.left + cells.right) // 2)[:, None], ((cells.top + cells.bottom) // 2)[:, None]
        sides, counts, gaps = [], [], []
        for side in range(4):
            axis, step = side % 2, 1 if side < 2 else -1
            near, far = cells[axis], cells[axis + 2]
            most = np.maximum(((far - near) * _MOST_GAP).astype(np.intp), 1)[:, None]
            inwards = np.arange(most.max() + 1)
            at = (near if step > 0 else far - 1)[:, None] + step * np.minimum(inwards, most)
            line = pixels_bgr[middle[1], at] if axis == 0 else pixels_bgr[at, middle[0]]
            share = np.clip(((line - gap) * towards[:, None]).sum(axis=2), 0, 1)
            is_full = (share >= _FULL) | (inwards >= most)
            n_mixed = is_full.argmax(axis=1)
            sides.append(np.where(inwards < n_mixed[:, None], 1 - share, 0).sum(axis=1))
            counts.append(n_mixed)
            strayed = np.abs(line[:, 0] - gap - share[:, :1] * apart).max(axis=1)
            gaps.append((share[:, 0] < 0.5) & (strayed <= _GAP_STEPS))
        return Insets(*(np.stack(values, axis=1) for values in (sides, counts, gaps)))


def gap_around(pixels_bgr: Picture, cells: Corners) -> NDArray[np.float64]:
    """The colour around the tiles of these cells (B, G, R): the median of their corners."""
    return np.asarray(np.median(pixels_bgr[cells.top, cells.left], axis=0), dtype=np.float64)
