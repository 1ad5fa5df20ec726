"""The flat face of a cell: the area of one colour that repeats wherever cells of one look lie side by side.

A closed cell is a face inside a bevel or between gaps; an open cell is a face between lines. Faces are what a board of
any scale is found by.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
