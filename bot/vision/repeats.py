"""Find a lattice of whatever it may be: something that repeats along rows and columns, in any colours.

Used where no skin fits: to say what there is instead. Flat areas (pixels that hardly differ from their neighbours) of
one size are taken for the faces of cells; how far apart most of them lie in a row is the pitch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.vision.faces import parted
from bot.vision.lattice import Marks, boxes_of, find_lattices
from bot.vision.sites import MIN_SIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.vision.lattice import Boxes, Lattice

FLAT = 8
"""Neighbours that differ by no more in any channel are one area."""
_LEAST_PX, _MOST_PX = 6, 120
_MOST_SIZES = 6
_SMALLEST_FACE = 0.4
"""A face takes at least this share of the pitch."""
_LEAST_SEEN = 0.3
"""So many of a lattice's cells must be seen, between the outermost ones."""


def find_repeats(pixels_bgr: NDArray[np.uint8], flat: int = FLAT) -> list[Lattice]:
    """Lattices of at least 4 x 4 equal flat areas, those of most areas first.

    Args:
        pixels_bgr: the picture.
        flat: neighbours that differ by no more in any channel are one area.
    """
    boxes = flat_boxes(pixels_bgr, flat)
    if boxes.count == 0:
        return []
    sizes, counts = np.unique(np.stack([boxes.width, boxes.height], axis=1), axis=0, return_counts=True)
    found = []
    for i in np.argsort(-counts, kind="stable")[:_MOST_SIZES]:
        width, height = sizes[i]
        alike = boxes.chosen((np.abs(boxes.width - width) <= 1) & (np.abs(boxes.height - height) <= 1))
        pitch_x, pitch_y = _spacing(alike.left, alike.top, width), _spacing(alike.top, alike.left, height)
        if pitch_x is not None and pitch_y is not None:
            found += [lattice for lattice in find_lattices(_marks(alike, pitch_x, pitch_y)) if _is_grid(lattice)]
    return sorted(found, key=lambda lattice: -lattice.n_marks)


def flat_boxes(pixels_bgr: NDArray[np.uint8], flat: int = FLAT) -> Boxes:
    """The boxes of flat areas as large as cells may be."""
    return boxes_of(parted(_flat_mask(pixels_bgr, flat), 2), least_px=_LEAST_PX, most_px=_MOST_PX, grow_px=1)


def _flat_mask(pixels_bgr: NDArray[np.uint8], flat: int) -> NDArray[np.uint8]:
    """255 where a pixel is like those right of it and below it: uint8, height x width."""
    right = cv2.absdiff(pixels_bgr[:-1, :-1], pixels_bgr[:-1, 1:])
    below = cv2.absdiff(pixels_bgr[:-1, :-1], pixels_bgr[1:, :-1])
    most = np.asarray(cv2.max(right, below)).max(axis=2)
    return np.where(most <= flat, 255, 0).astype(np.uint8)


def _spacing(along: NDArray[np.float64], across: NDArray[np.float64], side: float) -> float | None:
    """How far most areas are from the next one in their line; None where that is not a cell's width."""
    order = np.lexsort((along, across))
    steps = np.diff(along[order])[np.diff(across[order]) == 0]
    steps = steps[(steps >= side) & (steps * _SMALLEST_FACE <= side)]
    if steps.size < MIN_SIDE:
        return None
    return float(np.median(steps[steps <= steps.min() * 1.1]))


def _marks(boxes: Boxes, pitch_x: float, pitch_y: float) -> Marks:
    half = np.full(boxes.count, 0.5)
    x, y = boxes.left + boxes.width / 2, boxes.top + boxes.height / 2
    return Marks(x, y, half, half, np.full(boxes.count, pitch_x), np.full(boxes.count, pitch_y))


def _is_grid(lattice: Lattice) -> bool:
    n_sites = lattice.rows * lattice.cols
    return min(lattice.rows, lattice.cols) >= MIN_SIDE and lattice.n_marks >= _LEAST_SEEN * n_sites
