"""How near the looks of different states are to each other: what a reader's tolerance must stay below."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from skins.skin import Look


class Pair(NamedTuple):
    """Two looks of different states, and how far apart they are (root mean square of the channels, 0-255)."""

    apart: float
    states: tuple[str, str]


def distance(a_bgr: NDArray[np.uint8], b_bgr: NDArray[np.uint8]) -> float:
    """The root mean square difference of two pictures' channels, 0-255."""
    return float(np.sqrt(np.mean((a_bgr.astype(np.float64) - b_bgr) ** 2)))


def nearest_pair(looks: Sequence[Look]) -> Pair:
    """The two looks of different states that are nearest to each other, those drawn alike left out.

    Raises:
        ValueError: no two looks of different states differ.
    """
    pairs = (
        Pair(distance(a.pixels_bgr, b.pixels_bgr), (a.state, b.state))
        for a, b in itertools.combinations(looks, 2)
        if a.state != b.state and not np.array_equal(a.pixels_bgr, b.pixels_bgr)
    )
    return min(pairs)


def safe_accept(nearest: float, most: float) -> float:
    """How far a cell may be from its look: half the distance of the nearest two, so that it is nearer to no other.

    Rounded down to a tenth; `most` where the looks are far apart.
    """
    return min(most, int(nearest * 5) / 10)
