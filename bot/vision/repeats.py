"""Find a lattice of whatever it may be: something that repeats along rows and columns, in any colours.

Used where no skin fits: to say what there is instead. Flat areas (pixels that hardly differ from their neighbours) of
one size are taken for the faces of cells; how far apart most of them lie in a row is the pitch.

The face of a cell is the flat area that repeats wherever cells of one look lie side by side. A closed cell is a face
inside a bevel or between gaps; an open cell is a face between lines. Faces are what a board of any scale is found by.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.vision.lattice import Marks, boxes_of, find_lattices
from bot.vision.patches import MIN_SIDE
from skins.skin import CLOSED, FLAG

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.vision.lattice import Boxes, Lattice
    from skins.skin import Look, Skin


_LEAST = 0.3
"""A face takes at least this share of a cell's width and height."""
DOTS_PX = 4
"""Lines of some looks are dotted: areas that flow together through narrower gaps than this are parted (3 at 300 %)."""


@dataclass(frozen=True)
class Face:
    """The face of one look.

    Attributes:
        colour: its B, G, R.
        centre: (x, y) of its middle, as a share of the cell.
        size: (width, height), as a share of the cell.
        is_dotted: whether open cells of its colour flow together through the gaps of dotted lines.
    """

    colour: tuple[int, int, int]
    centre: tuple[float, float]
    size: tuple[float, float]
    is_dotted: bool = False


@lru_cache(maxsize=256)
def faces_of(skin: Skin) -> tuple[Face, ...]:
    """The faces of closed cells, open ones without a number, and flags; looks whose cells flow together have none."""
    looks = [look for state in (CLOSED, "0", FLAG) for look in skin.looks_of(state)]
    faces = [_face(look, skin.tolerance.colour) for look in looks]
    numbers = [_face(look, skin.tolerance.colour) for look in skin.looks if look.state.isdecimal()]
    dotted = {face.colour for face in numbers if face is not None and face.is_dotted}
    found = (replace(face, is_dotted=face.colour in dotted) for face in faces if face is not None)
    return tuple(dict.fromkeys(found))


def _face(look: Look, tolerance: int) -> Face | None:
    colours, counts = np.unique(look.pixels_bgr.reshape(-1, 3), axis=0, return_counts=True)
    blue, green, red = (int(channel) for channel in colours[counts.argmax()])
    mask = colour_mask(np.tile(look.pixels_bgr, (3, 3, 1)), (blue, green, red), tolerance)
    height, width = look.pixels_bgr.shape[:2]
    for gap_px in (1, 2):
        left, top, box_width, box_height = _largest_inside(parted(mask, gap_px), width, height)
        if min(box_width / width, box_height / height) < _LEAST:
            return None
        size = (box_width + gap_px - 1, box_height + gap_px - 1)
        if size[0] <= width and size[1] <= height:
            centre = ((left + size[0] / 2) / width - 1, (top + size[1] / 2) / height - 1)
            return Face((blue, green, red), centre, (size[0] / width, size[1] / height), is_dotted=gap_px > 1)
    return None


def _largest_inside(mask: NDArray[np.uint8], width: int, height: int) -> tuple[int, int, int, int]:
    """(left, top, width, height) of the area that takes most of the middle one of 3 x 3 cells; zeros for none."""
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    inside = labels[height : 2 * height, width : 2 * width]
    areas = np.bincount(inside[inside > 0], minlength=1)
    if not areas.any():
        return 0, 0, 0, 0
    left, top, box_width, box_height, _ = (int(value) for value in stats[int(areas.argmax())])
    return left, top, box_width, box_height


def parted(mask: NDArray[np.uint8], gap_px: int) -> NDArray[np.uint8]:
    """The mask without what is narrower than `gap_px`: areas lose `gap_px - 1` columns and rows, right and below."""
    return np.asarray(cv2.erode(mask, np.ones((gap_px, gap_px), dtype=np.uint8), anchor=(0, 0)), dtype=np.uint8)


def colour_mask(pixels_bgr: NDArray[np.uint8], colour: tuple[int, int, int], tolerance: int) -> NDArray[np.uint8]:
    """255 where every channel is within `tolerance` of `colour` (B, G, R), else 0: uint8, height x width."""
    low = tuple(max(channel - tolerance, 0) for channel in colour)
    high = tuple(min(channel + tolerance, 255) for channel in colour)
    return np.asarray(cv2.inRange(pixels_bgr, low, high), dtype=np.uint8)


_FLAT = 8
"""Neighbours that differ by no more in any channel are one area."""
_LEAST_PX, _MOST_PX = 6, 120
_MOST_SIZES = 6
_SMALLEST_FACE = 0.4
"""A face takes at least this share of the pitch."""
_LEAST_SEEN = 0.3
"""Share of a lattice's cells, between the outermost ones, that must be seen."""


def find_repeats(pixels_bgr: NDArray[np.uint8], flat: int = _FLAT) -> list[Lattice]:
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


def flat_boxes(pixels_bgr: NDArray[np.uint8], flat: int = _FLAT) -> Boxes:
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
