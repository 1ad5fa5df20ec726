"""Areas of two colours in turn, pixel by pixel, as one area of the colour that they make for the eye.

Old clones draw grey so. Such an area repeats every two pixels, and so at every even pitch: how large the cells are is
seen only when it is taken for what it stands for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST_SHARE = 0.002
"""So much of a picture is dots, or there are none to speak of: a small board on a large screen has twice as much."""


def undithered(pixels_bgr: NDArray[np.uint8]) -> NDArray[np.uint8] | None:
    """The picture with the mean colour where a pattern repeats every two pixels; None where there is none.

    Args:
        pixels_bgr: uint8, height x width x 3.
    """
    height, width = pixels_bgr.shape[:2]
    if min(height, width) < 3:
        return None
    here, right, below = pixels_bgr[:-2, :-2], pixels_bgr[:-2, 1:-1], pixels_bgr[1:-1, :-2]
    is_dots = (here == pixels_bgr[:-2, 2:]).all(axis=2) & (here == pixels_bgr[2:, :-2]).all(axis=2)
    is_dots &= (right == pixels_bgr[2:, 1:-1]).all(axis=2) & (below == pixels_bgr[1:-1, 2:]).all(axis=2)
    is_dots &= (here != right).any(axis=2) & (here != below).any(axis=2)
    if is_dots.mean() < _LEAST_SHARE:
        return None
    plain = pixels_bgr.copy()
    mean = np.asarray(cv2.blur(pixels_bgr, (2, 2), anchor=(0, 0)), dtype=np.uint8)
    plain[:-2, :-2][is_dots] = mean[:-2, :-2][is_dots]
    return plain
