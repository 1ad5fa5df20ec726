"""What is on a fake screen besides the game: the desk, windows that cover it, tooltips, scrolling text, the pointer."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import cv2
import numpy as np
from painted import paint
from rendered import framed, position

from bot.models import Region

SCREEN = Region(-420, -140, 1400, 900)
"""All monitors together."""
_POINTER = np.array([[0, 0], [0, 16], [4, 13], [7, 19], [9, 18], [6, 12], [11, 12]], dtype=np.int32)
_DEPTH_PX = 3
N_DESKS = 8


class CoverKind(Enum):
    """What a window that covers the game shows."""

    PLAIN = "plain"
    TEXT = "text"
    BOARD = "board"
    """A picture of another board, in the middle of a game."""
    TOOLTIP = "tooltip"


@dataclass(frozen=True, eq=False)
class Cover:
    """Something that lies over whatever is below it, at a place of the screen."""

    region: Region
    pixels_bgr: np.ndarray


def plain_cover(region, value=77):
    """One colour and nothing else."""
    return Cover(region, np.full((region.height, region.width, 3), value, dtype=np.uint8))


def titled_cover(region):
    """An empty window with a title."""
    cover = plain_cover(region, 236)
    cover.pixels_bgr[:16] = (150, 90, 40)
    return cover


def text_cover(region, *, is_tooltip=False):
    """A window full of text, or a tooltip."""
    pixels = np.full((region.height, region.width, 3), (225, 255, 255) if is_tooltip else 255, dtype=np.uint8)
    for y in range(13, region.height, 15):
        cv2.putText(pixels, "how to play: 1 2 3 and 8 mines " * 6, (3, y), cv2.FONT_HERSHEY_PLAIN, 0.8, (0, 0, 0), 1)
    pixels[[0, -1]] = 0
    pixels[:, [0, -1]] = 0
    return Cover(region, pixels)


def board_cover(place, skin, level, seed):
    """A window with a picture of another board that somebody plays, its top left corner at a pixel."""
    rng = random.Random(f"picture {seed}")
    picture = framed(skin, paint(skin, position(rng, level, "mid", skin)), _DEPTH_PX, rng)
    pixels = np.full((picture.shape[0] + 60, picture.shape[1] + 18, 3), 210, dtype=np.uint8)
    pixels[:16] = (150, 90, 40)
    pixels[51:-9, 9:-9] = picture
    return Cover(Region(place.x, place.y, pixels.shape[1], pixels.shape[0]), pixels)


def paste(pixels, seen, picture, left, top):
    """Lay a picture whose top left corner is at (left, top) of the screen over `pixels`, which show `seen` of it."""
    x0, y0 = max(left, seen.left), max(top, seen.top)
    x1 = min(left + picture.shape[1], seen.left + seen.width)
    y1 = min(top + picture.shape[0], seen.top + seen.height)
    if x0 < x1 and y0 < y1:
        shown = picture[y0 - top : y1 - top, x0 - left : x1 - left]
        pixels[y0 - seen.top : y1 - seen.top, x0 - seen.left : x1 - seen.left] = shown


def draw_pointer(pixels, seen, tip):
    """Draw the arrow whose tip is at a pixel of the screen."""
    arrow, mask = _arrow()
    under = np.zeros_like(arrow)
    region = Region(tip.x, tip.y, arrow.shape[1], arrow.shape[0])
    paste(under, region, pixels, seen.left, seen.top)
    paste(pixels, seen, np.where(mask, arrow, under), tip.x, tip.y)


@lru_cache(maxsize=1)
def _arrow():
    """An arrow, and which of its pixels are drawn."""
    arrow = np.full((20, 12, 3), 77, dtype=np.uint8)
    cv2.fillPoly(arrow, [_POINTER], (255, 255, 255))
    cv2.polylines(arrow, [_POINTER], isClosed=True, color=(0, 0, 0))
    return arrow, (arrow != 77).any(axis=2, keepdims=True)


@dataclass(frozen=True)
class Ticker:
    """Text that scrolls for ever right beside the board, within the game's window.

    Attributes:
        side: of the board: left, top, right or bottom.
        gap_px: from the board's edge to it.
    """

    side: str
    gap_px: int

    def region(self, board, depth_px):
        """Where it is beside a board, at most `depth_px` away from it."""
        depth = depth_px - self.gap_px
        outer = {
            "left": Region(board.left - depth_px, board.top, depth, board.height),
            "right": Region(board.left + board.width + self.gap_px, board.top, depth, board.height),
            "top": Region(board.left, board.top - depth_px, board.width, depth),
            "bottom": Region(board.left, board.top + board.height + self.gap_px, board.width, depth),
        }
        return outer[self.side]

    def picture(self, region, now):
        """What it shows at a time."""
        is_upright = self.side in {"left", "right"}
        length, depth = (region.height, region.width) if is_upright else (region.width, region.height)
        text = _tape()[:depth]
        shown = np.take(text, np.arange(length) + int(now * 150), axis=1, mode="wrap")
        return np.ascontiguousarray(shown.swapaxes(0, 1)) if is_upright else shown


@lru_cache(maxsize=1)
def _tape():
    tape = np.full((32, 700, 3), 255, dtype=np.uint8)
    for y in range(8, 32, 8):
        cv2.putText(tape, "anonymous player, best time 37 s; " * 6, (0, y), cv2.FONT_HERSHEY_PLAIN, 0.7, (128, 0, 0), 1)
    return tape


@lru_cache(maxsize=N_DESKS)
def cluttered(seed):
    """A desktop full of windows and noise: uint8, H x W x 3, read-only; there are `N_DESKS` of them."""
    rng = np.random.default_rng(seed)
    pixels = np.full((SCREEN.height, SCREEN.width, 3), (120, 60, 20), dtype=np.uint8)
    for _ in range(100):
        y, x = int(rng.integers(0, SCREEN.height)), int(rng.integers(0, SCREEN.width))
        height, width = (int(side) for side in rng.integers(4, 180, 2))
        pixels[y : y + height, x : x + width] = rng.integers(0, 256, 3)
    pixels[-60:, :700] = rng.integers(0, 256, (60, 700, 3))
    pixels.setflags(write=False)
    return pixels
