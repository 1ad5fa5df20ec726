"""What a cell can be marked with, and what that means: on pictures, over a clone's window, and in our own windows.

A legend shows a mark by drawing it: the two never differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.models import Pixel, Region
from bot.reporting.drawing import ink

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from numpy.typing import NDArray

EXACT_SCORE = 1.0
_LEAST_DECIMAL_PX = 12
"""The smallest letters in which a risk gets a digit after the point: in smaller ones fewer digits are taller."""
_DIGITS_SHARE = 0.75  # most of a mark's height that the digits of a risk take
_SWATCH_COLOUR: ink.Colour = (192, 192, 192)
_GAP = 0.3  # between things in a legend, in cells


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
        draw: draws it into the region of a cell.
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


def mark_of_risk(p_mine: float, *, is_estimate: bool = False) -> Mark:
    """What a closed cell is marked with: as proven at 0 and 1, else with its risk; NaN where that is not known."""
    if p_mine in (0.0, 1.0):
        return MINE if p_mine else SAFE
    return risk_mark(p_mine, is_estimate=is_estimate)


def risk_mark(p_mine: float, *, is_estimate: bool = False) -> Mark:
    """A risk: the colour, and the figure in percent; NaN where it is not known."""
    if math.isnan(p_mine):
        return UNKNOWN_RISK
    percent = min(99, max(1, round(100 * p_mine)))  # 0 and 100 would look proven
    return _risk_mark(format_risk(p_mine, is_estimate=is_estimate), percent)


@lru_cache(maxsize=4096)
def _risk_mark(figure: str, percent: int) -> Mark:
    """A risk: the figure where there is room for it, else in whole percent."""
    colour = ink.risk_colour(percent / 100)
    sign = "~" * figure.startswith("~")

    def draw(pixels: NDArray[np.uint8], region: Region) -> None:
        inside = _inside(region)
        size_px = ink.fitting_size(f"{sign}00.0", inside, _DIGITS_SHARE)
        has_room = size_px is not None and size_px >= _LEAST_DECIMAL_PX
        text, widest = (figure, max(f"{sign}00.0", figure, key=len)) if has_room else (f"{sign}{percent}", f"{sign}00")
        ink.fill(pixels, inside, colour)
        ink.put_centred(pixels, text, inside, ink.on_colour(colour), _DIGITS_SHARE, widest)

    return Mark(frozenset({Kind.ESTIMATE if sign else Kind.RISK}), draw)


def _inside(region: Region) -> Region:
    return ink.inset(region, max(1, region.height // 12))


def _draw_unknown_risk(pixels: NDArray[np.uint8], region: Region) -> None:
    ink.fill(pixels, _inside(region), ink.PAPER)
    ink.hatch(pixels, _inside(region), ink.GREY)
    sign = ink.inset(region, region.height // 4)
    ink.fill(pixels, sign, ink.PAPER)
    ink.put_centred(pixels, "?", sign, share=0.7)


UNKNOWN_RISK = Mark(frozenset({Kind.UNKNOWN_RISK}), _draw_unknown_risk)  # a closed cell of which nothing is known


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


def _draw_ring(pixels: NDArray[np.uint8], region: Region, colour: ink.Colour, width: int) -> None:
    """A ring along the edge of a cell, dark inside: it is seen on any skin, and covers little."""
    ink.outline(pixels, ink.inset(region, width + 1), ink.INK, width + 1)
    ink.outline(pixels, ink.inset(region, width), colour, width)


def _draw_corners(pixels: NDArray[np.uint8], region: Region) -> None:
    """The corners of a ring."""
    there, third = pixels[region.slices], region.height // 3
    before = there.copy()
    _draw_ring(pixels, region, ink.ORANGE, max(2, region.height // 10))
    there[third:-third], there[:, third:-third] = before[third:-third], before[:, third:-third]


def _ring(colour: ink.Colour, *kinds: Kind, part: int = 10) -> Mark:
    """A ring as wide as that part of a cell."""
    return Mark(
        frozenset(kinds), lambda pixels, region: _draw_ring(pixels, region, colour, max(2, region.height // part))
    )


BEST = _ring(ink.YELLOW, Kind.BEST)  # the best move


WARNED = _ring(ink.VERMILION, part=6)  # a mine that is about to be clicked: a wide ring


CLUE = _ring(ink.PURPLE)  # a number that decides another cell


ASKED = Mark(frozenset(), _draw_corners)  # the cell that is asked about, or that the keys are at: corners


def _draw_near(pixels: NDArray[np.uint8], region: Region) -> None:
    ink.outline(pixels, ink.inset(region, 2), ink.ORANGE, 1)


NEAR = Mark(frozenset(), _draw_near)  # a cell beside the one that is looked at: a thin line


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


def draw_legend(
    kinds: Collection[Kind],
    width_px: int,
    side_px: int,
    text_px: int,
    *,
    paper: ink.Colour = ink.PAPER,
    words: ink.Colour = ink.INK,
) -> NDArray[np.uint8]:
    """The marks of each kind with their meaning, kinds side by side where they fit: uint8, H x W x 3.

    Args:
        kinds: those that are explained.
        width_px: of the picture.
        side_px: of the cell that a mark is drawn on.
        text_px: of the letters.
        paper: the colour of the ground.
        words: that of the letters.
    """
    gap = max(2, round(_GAP * side_px))
    step = side_px + gap
    entries = [entry for kind, entry in LEGEND.items() if kind in kinds]
    places: list[Pixel] = []
    left, top = gap, gap
    for several, meaning in entries:
        needed = len(several) * step + ink.text_size(meaning, text_px)[0] + gap
        if left > gap and left + needed > width_px:
            left, top = gap, top + step
        places.append(Pixel(left, top))
        left += needed + gap
    pixels = np.full((top + step, width_px, 3), paper, dtype=np.uint8)
    _, height = ink.text_size("0", text_px)
    for (several, meaning), place in zip(entries, places, strict=True):
        for n, mark in enumerate(several):
            swatch = Region(place.x + n * step, place.y, side_px, side_px)
            ink.fill(pixels, swatch, _SWATCH_COLOUR)
            mark.draw(pixels, swatch)
        left, bottom = place.x + len(several) * step, place.y + (side_px + height) // 2
        ink.put_text(pixels, meaning, left, bottom, text_px, words)
    return pixels


class Stamp(NamedTuple):
    """What a mark does to the pixels of a cell, whatever is on them: uint16, H x W x 3.

    Attributes:
        added: what it adds.
        kept: how much it leaves of them, of 255.
    """

    added: NDArray[np.uint16]
    kept: NDArray[np.uint16]

    def on(self, pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The pixels with the mark on them."""
        return (self.added + (pixels * self.kept + ink.WHOLE // 2) // ink.WHOLE).astype(np.uint8)

    @property
    def as_bgra(self) -> NDArray[np.uint8]:
        """It alone, with how much it covers as fourth channel: uint8, H x W x 4."""
        cover = ink.WHOLE - self.kept.min(axis=2, keepdims=True)
        colours = (ink.WHOLE * self.added + cover // 2) // np.maximum(cover, 1)
        return np.concatenate([np.minimum(colours, ink.WHOLE), cover], axis=2).astype(np.uint8)


@lru_cache(maxsize=1024)
def stamp(mark: Mark, width: int, height: int) -> Stamp:
    """A mark for cells of one size: drawn on black and on white, from which what it adds and leaves follows."""
    on_black, on_white = (np.full((height, width, 3), ground, dtype=np.uint8) for ground in (0, ink.WHOLE))
    for pixels in (on_black, on_white):
        mark.draw(pixels, Region(0, 0, width, height))
    return Stamp(on_black.astype(np.uint16), on_white.astype(np.uint16) - on_black)
