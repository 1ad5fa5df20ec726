"""Tells which of a few colours each pixel has, all in one pass over a picture, and which areas the colours make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cv2
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame, Region

_MOST_COLOURS = 31  # most colours of a table: an int32 has no more bits
_FEW_COLOURS = 16  # number of colours that are told in half the time


class ColourTable:
    """Tells some colours from everything else.

    Args:
        colours_bgr: at most `_MOST_COLOURS` of them.
        tolerance: a pixel has a colour when each of its channels is at most this far from it.
    """

    def __init__(self, colours_bgr: Sequence[Sequence[int]], tolerance: int) -> None:
        assert len(colours_bgr) <= _MOST_COLOURS, f"expected at most {_MOST_COLOURS} colours, got {len(colours_bgr)}"
        self._tables = np.zeros((3, 256), dtype=np.uint16 if len(colours_bgr) <= _FEW_COLOURS else np.int32)
        for number, colour in enumerate(colours_bgr):
            for channel, level in enumerate(colour):
                self._tables[channel, max(level - tolerance, 0) : level + tolerance + 1] |= 1 << number

    def bits(self, pixels_bgr: NDArray[np.uint8]) -> NDArray[Any]:
        """Bit k for each colour k that a pixel has: uint16 or int32, height x width, for uint8, height x width x 3."""
        blue, green, red = (
            cv2.LUT(plane, table) for plane, table in zip(cv2.split(pixels_bgr), self._tables, strict=True)
        )
        return np.asarray(cv2.bitwise_and(cv2.bitwise_and(blue, green), red))

    def glance(self, frame: Frame, step: int, explained: Sequence[Region] = ()) -> NDArray[Any]:
        """The bits of a frame, `thinned` by a step; none where its regions are explained already."""
        bits = self.bits(thinned(frame.pixels_bgr, step))
        for region in explained:
            left, top = region.left - frame.left, region.top - frame.top
            right, bottom = left + region.width, top + region.height
            bits[-(-top // step) : -(-bottom // step), -(-left // step) : -(-right // step)] = 0
        return bits


def thinned(pixels_bgr: NDArray[np.uint8], step: int) -> NDArray[np.uint8]:
    """Every so manieth pixel of both ways, from the first on; the last at the far edges may be left out."""
    part = cv2.resize(pixels_bgr, None, fx=1 / step, fy=1 / step, interpolation=cv2.INTER_NEAREST)
    return np.asarray(part, dtype=np.uint8)


def areas_of(mask: NDArray[Any]) -> NDArray[np.int32]:
    """The connected areas of a mask: left, top, width, height and number of pixels of each; int32, N x 5.

    Pixels that touch by a corner alone do not belong together.
    """
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=4, ltype=cv2.CV_32S)
    return np.asarray(stats[1:], dtype=np.int32)
