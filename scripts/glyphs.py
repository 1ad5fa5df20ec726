"""Bold digits and other signs in our own hand, as sets of strokes in a unit box: for the templates of scalable clones.

x and y run from 0 to 1 across the sign's box. A stroke's ends are round, but cut off at the box: that makes the flat
ends of bold type. Knows nothing of cells or colours.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Mask = NDArray[np.bool_]
    Field = NDArray[np.float64]

Point = tuple[float, float]
Line = list[Point]

ASPECT = 0.70
"""Width of a digit's box over its height."""


def bow(x: float, y: float, rx: float, ry: float, start: float, end: float) -> Line:
    """Part of an ellipse; degrees clockwise from the right, as y grows downwards."""
    turns = [math.radians(start + (end - start) * i / 24) for i in range(25)]
    return [(x + rx * math.cos(turn), y + ry * math.sin(turn)) for turn in turns]


DIGITS: dict[int, list[Line]] = {
    1: [[(0.57, -0.2), (0.57, 1.2)], [(0.16, 0.92), (0.98, 0.92)], [(0.52, 0.09), (-0.1, 0.2)]],
    2: [[*bow(0.42, 0.32, 0.38, 0.23, 218, 372), (0.5, 0.62), (0.08, 0.92)], [(0.06, 0.92), (1.2, 0.92)]],
    3: [
        [(-0.1, 0.12), (0.05, 0.1), *bow(0.42, 0.28, 0.41, 0.19, 262, 450), (0.3, 0.48)],
        [(0.3, 0.48), *bow(0.44, 0.69, 0.43, 0.215, 270, 450), (-0.1, 0.9)],
    ],
    4: [[(0.7, -0.2), (0.7, 1.2)], [(0.6, -0.02), (0.06, 0.68)], [(0.06, 0.7), (1.2, 0.7)]],
    5: [
        [(0.9, 0.075), (0.2, 0.075), (0.2, 0.42)],
        [(0.2, 0.44), *bow(0.44, 0.665, 0.43, 0.245, 255, 450), (-0.1, 0.9)],
    ],
    6: [
        [(0.9, 0.06), *bow(0.6, 0.5, 0.46, 0.43, 275, 180), (0.14, 0.66)],
        bow(0.52, 0.68, 0.35, 0.235, 0, 360),
    ],
    7: [[(-0.1, 0.075), (0.88, 0.075)], [(0.86, 0.08), (0.3, 1.1)]],
    8: [bow(0.5, 0.265, 0.34, 0.185, 0, 360), bow(0.5, 0.71, 0.375, 0.205, 0, 360)],
}


def strokes(lines: list[Line], x: Field, y: Field, stroke: float) -> Mask:
    """Where lines of this thickness (over the box's height) have ink, inside the box; the box is ASPECT wide."""
    near = np.full(x.shape, np.inf)
    for line in lines:
        for (ax, ay), (bx, by) in itertools.pairwise(line):
            dx, dy = (bx - ax) * ASPECT, by - ay
            px, py = (x - ax) * ASPECT, y - ay
            along = np.clip((px * dx + py * dy) / max(dx * dx + dy * dy, 1e-12), 0, 1)
            near = np.minimum(near, (px - along * dx) ** 2 + (py - along * dy) ** 2)
    inside = (x >= 0) & (x <= 1) & (y >= 0) & (y <= 1)
    return inside & (near <= (stroke / 2) ** 2)
