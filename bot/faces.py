"""The flat face of a cell: the area of one colour that repeats wherever cells of one look lie side by side.

A closed cell is a face inside a bevel or between gaps; an open cell is a face between lines. Faces are what a board of
any scale is found by.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from skins.skin import CLOSED, FLAG

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from skins.skin import Look, Skin

_LEAST = 0.3
"""A face takes at least this share of a cell's width and height."""


@dataclass(frozen=True)
class Face:
    """The face of one look.

    Attributes:
        colour: its B, G, R.
        centre: (x, y) of its middle, as a share of the cell.
        size: (width, height), as a share of the cell.
    """

    colour: tuple[int, int, int]
    centre: tuple[float, float]
    size: tuple[float, float]


@lru_cache(maxsize=256)
def faces_of(skin: Skin) -> tuple[Face, ...]:
    """The faces of closed cells, open ones without a number, and flags; looks whose cells flow together have none."""
    looks = [look for state in (CLOSED, "0", FLAG) for look in skin.looks_of(state)]
    faces = [_face(look, skin.tolerance.colour) for look in looks]
    return tuple(dict.fromkeys(face for face in faces if face is not None))


def _face(look: Look, tolerance: int) -> Face | None:
    height, width = look.pixels_bgr.shape[:2]
    colours, counts = np.unique(look.pixels_bgr.reshape(-1, 3), axis=0, return_counts=True)
    blue, green, red = (int(channel) for channel in colours[counts.argmax()])
    colour = (blue, green, red)
    mask = colour_mask(np.tile(look.pixels_bgr, (3, 3, 1)), colour, tolerance)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4)
    inside = labels[height : 2 * height, width : 2 * width]
    areas = np.bincount(inside[inside > 0], minlength=1)
    left, top, box_width, box_height, _ = (int(value) for value in stats[int(areas.argmax())])
    too_large = box_width > width or box_height > height
    if not areas.any() or too_large or min(box_width / width, box_height / height) < _LEAST:
        return None
    centre = ((left + box_width / 2) / width - 1, (top + box_height / 2) / height - 1)
    return Face(colour, centre, (box_width / width, box_height / height))


def colour_mask(pixels_bgr: NDArray[np.uint8], colour: tuple[int, int, int], tolerance: int) -> NDArray[np.uint8]:
    """255 where every channel is within `tolerance` of `colour` (B, G, R), else 0: uint8, height x width."""
    low = tuple(max(channel - tolerance, 0) for channel in colour)
    high = tuple(min(channel + tolerance, 255) for channel in colour)
    return np.asarray(cv2.inRange(pixels_bgr, low, high), dtype=np.uint8)
