"""Words and shapes on pixels (uint8, H x W x 3, BGR): they are changed in place. Knows nothing of boards.

Letters are those that come with Pillow: the same on every system. They are as tall as they are asked for, in pixels.

The colours are those of Okabe and Ito [1], which the colour-blind tell apart; no meaning rests on colour alone. Risks
are one hue, from light to dark: seen without red, green or blue [2], risks a tenth apart stay 7 apart in L*a*b*, where
2 is just noticed.

[1] M. Okabe, K. Ito: Color Universal Design (2008).
[2] G. M. Machado, M. M. Oliveira, L. A. F. Fernandes: A Physiologically-based Model for Simulation of Color Vision
    Deficiency. IEEE Transactions on Visualization and Computer Graphics 15 (2009).
"""

from __future__ import annotations

from bisect import bisect
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Region

    Colour = tuple[int, int, int]

PAPER: Colour = (250, 250, 250)
INK: Colour = (16, 16, 16)
GREY: Colour = (150, 150, 150)
GREEN: Colour = (115, 158, 0)
VERMILION: Colour = (0, 94, 213)
YELLOW: Colour = (66, 228, 240)
ORANGE: Colour = (0, 159, 230)
BLUE: Colour = (178, 114, 0)
PURPLE: Colour = (150, 30, 150)
BAND: Colour = (236, 214, 190)  # around a blue curve
_LOW_RISK = np.array((250, 238, 226), dtype=np.float64)
_HIGH_RISK = np.array((84, 22, 46), dtype=np.float64)
_LUMINANCE_BGR = np.array((0.0722, 0.7152, 0.2126))
_MIDDLE_LUMINANCE = 0.18  # black and white have equal contrast to it

_SMALLEST_PX = 7  # the size of the smallest letters that can be read
_LINE_OF_LETTERS = 1.3  # from one line of text to the next, in sizes of its letters
_DIGITS = "0123456789"
WHOLE = 255  # the cover of a pixel of which nothing else is seen


def risk_colour(p_mine: float) -> Colour:
    """One hue, darker the higher the risk."""
    blue, green, red = np.round(_LOW_RISK + (_HIGH_RISK - _LOW_RISK) * p_mine).astype(int).tolist()
    return blue, green, red


def on_colour(colour: Colour) -> Colour:
    """What can be read on a colour: black or white, the one with more contrast."""
    linear = (np.array(colour) / 255) ** 2.2
    return (0, 0, 0) if linear @ _LUMINANCE_BGR > _MIDDLE_LUMINANCE else (255, 255, 255)


def text_size(text: str, size_px: int) -> tuple[int, int]:
    """(width, height) of one line, in pixels, without what hangs below the line."""
    return round(_length(text, size_px)), _digits_height(size_px)


def line_height(size_px: int) -> int:
    """Pixels from one line of text to the next."""
    return round(_LINE_OF_LETTERS * size_px)


def put_text(pixels: NDArray[np.uint8], text: str, left: int, bottom: int, size_px: int, colour: Colour = INK) -> None:
    """Write one line; (left, bottom) is where it begins, on the line. What lies beside the picture is cut off."""
    cover, x, y = _letters(text, size_px)
    x, y = left + x, bottom + y
    there = pixels[max(y, 0) : max(y + cover.shape[0], 0), max(x, 0) : max(x + cover.shape[1], 0)]
    seen = cover[max(-y, 0) :, max(-x, 0) :][: there.shape[0], : there.shape[1], None] / WHOLE
    there[:] = np.round(there + seen * (np.array(colour) - there))


def fitting_size(text: str, region: Region, share: float) -> int | None:
    """The size at which a text has room in a region, its digits at most `share` of its height tall; None: at none."""
    return _fitting_size(text, region.width - 1, share * region.height)


def put_centred(
    pixels: NDArray[np.uint8], text: str, region: Region, colour: Colour = INK, share: float = 0.3, widest: str = ""
) -> None:
    """Write into the middle of a region; nothing where even the smallest letters have no room.

    Args:
        pixels: the picture.
        text: what is written.
        region: where.
        colour: of the letters.
        share: most of the region's height that digits take.
        widest: the widest text of those that are to be of one size; empty for this one alone.
    """
    size_px = fitting_size(widest or text, region, share)
    if size_px is not None:
        width, height = text_size(text, size_px)
        left, bottom = region.left + (region.width - width) // 2, region.top + (region.height + height) // 2
        put_text(pixels, text, left, bottom, size_px, colour)


def wrap_text(text: str, size_px: int, width: int) -> list[str]:
    """Cut a text into lines between words, none wider than this many pixels; a longer word gets its own line."""
    lines: list[str] = []
    for paragraph in text.splitlines():
        line: list[str] = []
        taken = 0.0
        for word in paragraph.split():
            longer = taken + _length(" " * bool(line) + word, size_px)
            if line and longer > width:
                lines.append(" ".join(line))
                line, longer = [], _length(word, size_px)
            line.append(word)
            taken = longer
        lines.append(" ".join(line))
    return lines


@cache
def _font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size_px)


@lru_cache(maxsize=4096)
def _length(text: str, size_px: int) -> float:
    """How long a text is, in pixels; kept, as asking takes longer than all else about a panel of words."""
    return _font(size_px).getlength(_plain(text))


@cache
def _digits_height(size_px: int) -> int:
    _, top, _, _ = _font(size_px).getbbox(_DIGITS, anchor="ls")
    return round(-top)


@lru_cache(maxsize=4096)
def _fitting_size(text: str, width: int, height: float) -> int | None:
    sizes = range(_SMALLEST_PX, round(2 * height) + 1)
    n_fit = bisect(sizes, False, key=lambda px: _digits_height(px) > height or _length(text, px) > width)
    return sizes[n_fit - 1] if n_fit else None


@lru_cache(maxsize=1024)
def _letters(text: str, size_px: int) -> tuple[NDArray[np.uint8], int, int]:
    """How much a text covers of each pixel, of `WHOLE`, and where its corner lies from its begin on the line."""
    left, top, right, bottom = (round(edge) for edge in _font(size_px).getbbox(_plain(text), anchor="ls"))
    image = Image.new("L", (max(right - left, 1), max(bottom - top, 1)))
    ImageDraw.Draw(image).text((-left, -top), _plain(text), font=_font(size_px), fill=WHOLE, anchor="ls")
    return np.asarray(image), left, top


def fill(pixels: NDArray[np.uint8], region: Region, colour: Colour) -> None:
    """Fill a region."""
    pixels[region.slices] = colour


def outline(pixels: NDArray[np.uint8], region: Region, colour: Colour, width: int) -> None:
    """Draw a frame around a region; it covers nothing inside."""
    inner_left, inner_top, inner_right, inner_bottom = region.left, region.top, region.right, region.bottom
    left, top = max(inner_left - width, 0), max(inner_top - width, 0)
    right, bottom = inner_right + width, inner_bottom + width
    pixels[top : max(inner_top, 0), left:right] = colour
    pixels[inner_bottom:bottom, left:right] = colour
    pixels[top:bottom, left : max(inner_left, 0)] = colour
    pixels[top:bottom, inner_right:right] = colour


def disc_with_tick(pixels: NDArray[np.uint8], region: Region) -> None:
    """A round mark."""
    middle, unit = region.middle, min(region.width, region.height) / 2
    cv2.circle(pixels, middle, round(0.68 * unit), PAPER, -1, cv2.LINE_AA)
    cv2.circle(pixels, middle, round(0.58 * unit), GREEN, -1, cv2.LINE_AA)
    tick = np.array([(-0.3, 0.0), (-0.08, 0.24), (0.3, -0.24)]) * unit + middle
    cv2.polylines(pixels, [np.round(tick).astype(np.int32)], False, PAPER, max(1, round(unit / 8)), cv2.LINE_AA)


def diamond_with_cross(pixels: NDArray[np.uint8], region: Region) -> None:
    """A pointed mark."""
    middle, unit = region.middle, min(region.width, region.height) / 2 - 1
    corners = np.array([(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)])
    for reach, colour in ((0.9, PAPER), (0.76, VERMILION)):
        cv2.fillPoly(pixels, [np.round(corners * reach * unit + middle).astype(np.int32)], colour, cv2.LINE_AA)
    arm, width = round(0.22 * unit), max(1, round(unit / 8))
    for slope in (-1, 1):
        start, end = (middle.x - arm, middle.y - slope * arm), (middle.x + arm, middle.y + slope * arm)
        cv2.line(pixels, start, end, PAPER, width, cv2.LINE_AA)


def large_cross(pixels: NDArray[np.uint8], region: Region) -> None:
    """An X from corner to corner."""
    middle, unit = region.middle, min(region.width, region.height) / 2
    arm, width = round(0.5 * unit), max(2, round(unit / 4))
    for more, colour in ((max(2, round(unit / 5)), PAPER), (0, INK)):
        for slope in (-1, 1):
            start, end = (middle.x - arm, middle.y - slope * arm), (middle.x + arm, middle.y + slope * arm)
            cv2.line(pixels, start, end, colour, width + more, cv2.LINE_AA)


def hatch(pixels: NDArray[np.uint8], region: Region, colour: Colour) -> None:
    """Draw slanted stripes over a region; between them it is seen as it is."""
    y, x = np.ogrid[: region.height, : region.width]
    stripe = max(2, min(region.width, region.height) // 10)
    there = pixels[region.slices]
    there[(x + y) // stripe % 2 == 0] = colour


def inset(region: Region, px: int) -> Region:
    """The region without its outermost pixels."""
    return type(region)(region.left + px, region.top + px, region.width - 2 * px, region.height - 2 * px)


def _plain(text: str) -> str:
    """The text in the characters that the letters have."""
    return text.encode("ascii", "replace").decode()
