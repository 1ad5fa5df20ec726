"""Words and shapes on pixels (uint8, H x W x 3, BGR): they are changed in place. Knows nothing of boards.

The colours are those of Okabe and Ito [1], which the colour-blind tell apart; no meaning rests on colour alone. Risks
are one hue, from light to dark: seen without red, green or blue [2], risks a tenth apart stay 7 apart in L*a*b*, where
2 is just noticed.

[1] M. Okabe, K. Ito: Color Universal Design (2008).
[2] G. M. Machado, M. M. Oliveira, L. A. F. Fernandes: A Physiologically-based Model for Simulation of Color Vision
    Deficiency. IEEE Transactions on Visualization and Computer Graphics 15 (2009).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

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
BLUE: Colour = (178, 114, 0)
PURPLE: Colour = (150, 30, 150)
BAND: Colour = (236, 214, 190)  # around a blue curve
_LOW_RISK = np.array((250, 238, 226), dtype=np.float64)
_HIGH_RISK = np.array((84, 22, 46), dtype=np.float64)
_LUMINANCE_BGR = np.array((0.0722, 0.7152, 0.2126))
_MIDDLE_LUMINANCE = 0.18  # black and white have equal contrast to it

_FONT = cv2.FONT_HERSHEY_SIMPLEX
_SMALLEST_SCALE = 0.25
_LINE_OF_SCALE_1 = 34  # pixels from one line of text to the next at scale 1


def risk_colour(p_mine: float) -> Colour:
    """One hue, darker the higher the risk."""
    blue, green, red = np.round(_LOW_RISK + (_HIGH_RISK - _LOW_RISK) * p_mine).astype(int).tolist()
    return blue, green, red


def on_colour(colour: Colour) -> Colour:
    """What can be read on a colour: black or white, the one with more contrast."""
    linear = (np.array(colour) / 255) ** 2.2
    return (0, 0, 0) if linear @ _LUMINANCE_BGR > _MIDDLE_LUMINANCE else (255, 255, 255)


def text_size(text: str, scale: float) -> tuple[int, int]:
    """(width, height) of one line, in pixels, without what hangs below the line."""
    (width, height), _ = cv2.getTextSize(_plain(text), _FONT, scale, 1)
    return width, height


def line_height(scale: float) -> int:
    """Pixels from one line of text to the next."""
    return round(_LINE_OF_SCALE_1 * scale)


def put_text(pixels: NDArray[np.uint8], text: str, left: int, bottom: int, scale: float, colour: Colour = INK) -> None:
    """Write one line; (left, bottom) is where it begins, on the line."""
    cv2.putText(pixels, _plain(text), (left, bottom), _FONT, scale, colour, 1, cv2.LINE_AA)


def put_centred(pixels: NDArray[np.uint8], text: str, region: Region, colour: Colour = INK, share: float = 0.3) -> None:
    """Write into the middle of a region, about `share` of its height tall, smaller where it would be too wide.

    Where even the smallest letters have no room, nothing is written.
    """
    scale = share * region.height / text_size("0", 1.0)[1]
    scale = max(_SMALLEST_SCALE, min(scale, scale * 0.8 * region.width / text_size(text, scale)[0]))
    width, height = text_size(text, scale)
    if width <= region.width and height <= region.height:
        left, bottom = region.left + (region.width - width) // 2, region.top + (region.height + height) // 2
        put_text(pixels, text, left, bottom, scale, colour)


def wrap_text(text: str, scale: float, width: int) -> list[str]:
    """Cut a text into lines between words, none wider than this many pixels; a longer word gets its own line."""
    lines: list[str] = []
    for paragraph in text.splitlines():
        line = ""
        for word in paragraph.split():
            longer = f"{line} {word}" if line else word
            if line and text_size(longer, scale)[0] > width:
                lines.append(line)
                longer = word
            line = longer
        lines.append(line)
    return lines


def fill(pixels: NDArray[np.uint8], region: Region, colour: Colour) -> None:
    """Fill a region."""
    pixels[region.slices] = colour


def outline(pixels: NDArray[np.uint8], region: Region, colour: Colour, width: int, outset: int = 0) -> None:
    """Draw a frame whose inner edge lies `outset` pixels outside the region; it covers nothing inside."""
    inner_left, inner_top = region.left - outset, region.top - outset
    inner_right, inner_bottom = region.right + outset, region.bottom + outset
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
    """The text in the characters that the font of every OpenCV has."""
    return text.encode("ascii", "replace").decode()
