"""Columns and rows of blocks: where cells begin along one axis, and how many of them make a block."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_SIDE = 16
"""More cells along an axis no such game has: 16 blocks of 16 fill four screens."""


@dataclass(frozen=True, slots=True)
class Lines:
    """The cells of a board along one axis.

    Attributes:
        starts: where they begin, in pixels, hidden ones among them.
        side: how many make a block; None where all are equally far apart.
    """

    starts: tuple[int, ...]
    side: int | None


def fit_lines(places: Sequence[int]) -> Lines | None:
    """The lines that begin at these pixels (ascending), some of them perhaps hidden; None where no one layout fits.

    Within a block cells are one pitch apart, the smallest distance that occurs; from block to block a little more.
    Of the layouts of whole blocks that put a line at every place the one with the fewest lines counts, if it is the
    only one. So the first and last lines may be others than the first and last places.
    """
    steps = {after - before for before, after in pairwise(places)}
    if not steps:
        return None
    pitch = min(steps)
    extras = {step % pitch for step in steps} - {0}
    if not extras:
        n_lines = (places[-1] - places[0]) // pitch + 1
        return Lines(tuple(places[0] + k * pitch for k in range(n_lines)), None)
    layouts = (
        _layout(places, pitch, extra, side, n_before)
        for extra in sorted(extras)
        for side in range(2, MOST_SIDE + 1)
        for n_before in range(side)
    )
    fitting = [lines for lines in layouts if lines is not None]
    fewest = min((len(lines.starts) for lines in fitting), default=0)
    best = [lines for lines in fitting if len(lines.starts) == fewest]
    return best[0] if len(best) == 1 else None


def _layout(places: Sequence[int], pitch: int, extra: int, side: int, n_before: int) -> Lines | None:
    """Whole blocks of `side` lines, `n_before` of them before the first place, if every place is on a line."""
    period = side * pitch + extra
    first = places[0] - n_before * pitch
    n_blocks = (places[-1] - first) // period + 1
    starts = tuple(first + block * period + k * pitch for block in range(n_blocks) for k in range(side))
    return Lines(starts, side) if n_blocks >= 2 and set(places) <= set(starts) else None
