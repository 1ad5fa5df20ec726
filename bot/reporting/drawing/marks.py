"""What a cell can be marked with, and what that means. A legend shows a mark by drawing it: the two never differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from bot.models import Region
from bot.reporting.drawing import ink

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

EXACT_SCORE = 1.0


class Kind(Enum):
    """What marks mean, in the order of the legend."""

    EXACT = auto()
    ALIKE = auto()
    BEST = auto()
    HINT = auto()
    SAFE = auto()
    MINE = auto()
    RISK = auto()
    ESTIMATE = auto()
    UNKNOWN_RISK = auto()
    FLAGGED = auto()
    NO_NUMBER = auto()
    UNREADABLE = auto()


@dataclass(frozen=True, eq=False)
class Mark:
    """A mark for one cell.

    Attributes:
        kinds: what it means.
        draw: draws it into the region of a cell; only the ring of the best move goes beyond.
    """

    kinds: frozenset[Kind]
    draw: Callable[[NDArray[np.uint8], Region], None]


def reading_mark(sign: str, score: float) -> Mark:
    """What was read, in the lower right corner so that the cell is seen too; the score opposite unless it is exact.

    Args:
        sign: the cell as the board's text has it.
        score: from `bot.models.Reading`, 0 to 1.
    """
    is_exact = score >= EXACT_SCORE

    def draw(pixels: NDArray[np.uint8], region: Region) -> None:
        side = max(11, round(0.38 * region.height))
        chip = Region(region.right - side - 1, region.bottom - side - 1, side, side)
        ink.fill(pixels, chip, ink.PAPER if is_exact else ink.YELLOW)
        ink.put_centred(pixels, sign, chip, share=0.66)
        if not is_exact:
            chip = Region(region.left + 1, region.top + 1, round(1.3 * side), round(0.8 * side))
            ink.fill(pixels, chip, ink.YELLOW)
            ink.put_centred(pixels, str(math.floor(100 * score)), chip, share=0.66)

    return Mark(frozenset({Kind.EXACT if is_exact else Kind.ALIKE}), draw)


def _draw_unreadable(pixels: NDArray[np.uint8], region: Region) -> None:
    ink.hatch(pixels, region, ink.PURPLE)
    sign = ink.inset(region, region.height // 4)
    ink.fill(pixels, sign, ink.PURPLE)
    ink.put_centred(pixels, "!", sign, ink.PAPER, share=0.7)


UNREADABLE = Mark(frozenset({Kind.UNREADABLE}), _draw_unreadable)
"""A cell that could not be read: hatched, with an exclamation mark."""


SAFE = Mark(frozenset({Kind.SAFE}), ink.disc_with_tick)  # a cell proven safe


MINE = Mark(frozenset({Kind.MINE}), ink.diamond_with_cross)  # a proven or known mine


def risk_mark(p_mine: float, *, is_estimate: bool = False) -> Mark:
    """A risk: the colour and the figure in percent; NaN where it is not known."""
    if math.isnan(p_mine):
        return Mark(frozenset({Kind.UNKNOWN_RISK}), _draw_unknown_risk)

    def draw(pixels: NDArray[np.uint8], region: Region) -> None:
        inside, colour = _inside(region), ink.risk_colour(p_mine)
        ink.fill(pixels, inside, colour)
        ink.put_centred(pixels, format_risk(p_mine, is_estimate=is_estimate), inside, ink.on_colour(colour))

    return Mark(frozenset({Kind.ESTIMATE if is_estimate else Kind.RISK}), draw)


def _inside(region: Region) -> Region:
    return ink.inset(region, max(1, region.height // 16))


def _draw_unknown_risk(pixels: NDArray[np.uint8], region: Region) -> None:
    ink.fill(pixels, _inside(region), ink.PAPER)
    ink.hatch(pixels, _inside(region), ink.GREY)
    sign = ink.inset(region, region.height // 4)
    ink.fill(pixels, sign, ink.PAPER)
    ink.put_centred(pixels, "?", sign, share=0.7)


def format_risk(p_mine: float, *, is_estimate: bool = False) -> str:
    """A risk in percent with a digit after the point; what is neither 0 nor 1 never looks as if it were."""
    percent = 100 * p_mine
    if 0 < percent < 0.1:
        text = "<0.1"
    elif 99.9 < percent < 100:
        text = ">99.9"
    else:
        text = f"{percent:.1f}"
    return f"~{text}" if is_estimate else text


def flagged(mark: Mark) -> Mark:
    """A mark for a cell with a flag: an F in its upper left corner besides."""

    def draw(pixels: NDArray[np.uint8], region: Region) -> None:
        mark.draw(pixels, region)
        side = max(9, round(0.3 * region.height))
        chip = Region(region.left + 1, region.top + 1, side, side)
        ink.fill(pixels, chip, ink.PAPER)
        ink.put_centred(pixels, "F", chip, share=0.7)

    return Mark(mark.kinds | {Kind.FLAGGED}, draw)


def _draw_no_number(pixels: NDArray[np.uint8], region: Region) -> None:
    ink.put_centred(pixels, "?", region, share=0.5)


NO_NUMBER = Mark(frozenset({Kind.NO_NUMBER}), _draw_no_number)  # an open cell whose number is not known


def _draw_best(pixels: NDArray[np.uint8], region: Region) -> None:
    width = max(2, region.height // 9)
    thin = max(1, width // 2)
    ink.outline(pixels, region, ink.YELLOW, width)
    ink.outline(pixels, region, ink.INK, thin, outset=width)
    ink.outline(pixels, ink.inset(region, thin), ink.INK, thin)


BEST = Mark(frozenset({Kind.BEST}), _draw_best)  # the best move: a ring around the cell, over its neighbours' edges


HINT = Mark(frozenset({Kind.HINT}), ink.large_cross)  # the cell that a game names to begin with: a large X


_PLAIN = Mark(frozenset(), lambda _pixels, _region: None)
LEGEND: dict[Kind, tuple[tuple[Mark, ...], str]] = {
    Kind.EXACT: ((reading_mark("3", 1.0),), "read as 3: its exact pixels are known"),
    Kind.ALIKE: ((reading_mark("3", 0.97),), "read as 3 by likeness, score 97 of 100"),
    Kind.BEST: ((BEST,), "best move"),
    Kind.HINT: ((HINT,), "begin here"),
    Kind.SAFE: ((SAFE,), "proven safe"),
    Kind.MINE: ((MINE,), "proven mine"),
    Kind.RISK: (tuple(risk_mark(p_mine) for p_mine in (0.05, 0.25, 0.5, 0.9)), "risk of a mine in percent"),
    Kind.ESTIMATE: ((risk_mark(0.2, is_estimate=True),), "risk, an estimate"),
    Kind.UNKNOWN_RISK: ((risk_mark(math.nan),), "risk not known"),
    Kind.FLAGGED: ((flagged(_PLAIN),), "has a flag"),
    Kind.NO_NUMBER: ((NO_NUMBER,), "open, number not known"),
    Kind.UNREADABLE: ((UNREADABLE,), "unreadable: nothing is known of it"),
}
"""What each kind looks like, and its meaning."""
