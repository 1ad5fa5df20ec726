"""What on the screen may be a button that begins another game: a box with a word in it, near the board.

A button is a plain area with straight edges all around, wider than it is high, and something is written on it. It is
narrower than the board: title bars, menus and lines of text that are as wide are none. On the board itself only what is
larger than a cell counts: what lies over a board that has ended. Signs without a word are none: one of them may be
what closes the window.

Toolbars draw the box of a button only where the pointer rests: there a word by itself may be one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Region
from bot.vision.lattice import flat_areas

if TYPE_CHECKING:
    from bot.models import Frame, Grid

_REACH_PX = 160  # greatest distance of a button from the board, in pixels
_LEAST_PX, _MOST_PX = (24, 14), (320, 80)
"""The width and height of a button."""
_LEAST_RATIO = 1.4  # least width of a button, as a multiple of its height
_MOST_SHARE = 0.75  # greatest width of a button, as a share of the board's
_LEAST_CELLS = 1.5  # least width of a button that lies over the board, in cells
_STRAIGHT = 0.9  # share of its bounding box that an area with straight edges takes: corners may be round
_WRITTEN = (0.02, 0.6)  # least and greatest share of a button that is written on
_LEAST_WORD_PX, _MOST_WORD_PX = (12, 6), (200, 32)
"""The width and height of a word."""
_LETTERS_PX = 8  # widest gap between two letters, in pixels
_LINE_PX = 4  # how far apart the words of one line are up and down, in pixels: not all letters are equally high


def find_buttons(frame: Frame, grid: Grid) -> list[Region]:
    """What may be a button: those over the board first, then the nearest.

    Args:
        frame: shows the board, and what is around it.
        grid: the board, ended.
    """
    flat = flat_areas(frame.pixels_bgr)
    outlines, levels = cv2.findContours(flat, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    boxes = []
    for outline, level in zip(outlines, np.reshape(levels, (-1, 4)) if outlines else [], strict=True):
        if level[3] >= 0:  # a hole
            continue
        left, top, width, height = cv2.boundingRect(outline)
        region = Region(frame.left + left, frame.top + top, width + 2, height + 2)  # the areas lack two lines
        if not _is_of_size(region, grid):
            continue
        is_straight = cv2.contourArea(outline) >= _STRAIGHT * (width - 1) * (height - 1)
        written = 1 - cv2.countNonZero(flat[top : top + height, left : left + width]) / (width * height)
        if is_straight and _WRITTEN[0] <= written <= _WRITTEN[1]:
            boxes.append(region)
    return sorted(boxes, key=lambda box: _gap_px(box, grid.region))


def find_words(frame: Frame, grid: Grid) -> list[Region]:
    """Words on plain ground near the board: those of the nearest line first, from left to right.

    Args:
        frame: shows the board, and what is around it.
        grid: the board.
    """
    ink = cv2.bitwise_not(flat_areas(frame.pixels_bgr))
    ink = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, _LETTERS_PX), dtype=np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(ink)
    boxes = (Region(frame.left + int(x), frame.top + int(y), int(w), int(h)) for x, y, w, h, _ in stats[1:])
    words = [
        box
        for box in boxes
        if _LEAST_WORD_PX[0] <= box.width <= _MOST_WORD_PX[0]
        and _LEAST_WORD_PX[1] <= box.height <= _MOST_WORD_PX[1]
        and 0 < _gap_px(box, grid.region) <= _REACH_PX
    ]
    down = np.array([_gaps_px(word, grid.region)[1] for word in words])
    nearest = np.argsort(down, kind="stable")
    line = np.zeros(len(words), dtype=int)
    line[nearest] = np.cumsum(np.diff(down[nearest], prepend=0) > _LINE_PX)
    return [words[n] for n in np.lexsort((np.array([word.left for word in words]), line))]


def _is_of_size(box: Region, grid: Grid) -> bool:
    """Whether a button here may be so large."""
    board = grid.region
    is_large = box.width >= _LEAST_PX[0] and box.height >= _LEAST_PX[1]
    is_small = box.width <= min(_MOST_PX[0], _MOST_SHARE * board.width) and box.height <= _MOST_PX[1]
    is_over = board.has_pixel(box.middle)
    is_a_cell = is_over and box.width < _LEAST_CELLS * grid.pitch_px[0]
    is_near = is_over or _gap_px(box, board) <= _REACH_PX
    return is_large and is_small and is_near and not is_a_cell and box.width >= _LEAST_RATIO * box.height


def _gap_px(box: Region, board: Region) -> int:
    """How far a box is from the board, in pixels; 0 for one that lies over it."""
    return max(_gaps_px(box, board))


def _gaps_px(box: Region, board: Region) -> tuple[int, int]:
    """The gaps between a box and the board, across, and up or down, in pixels."""
    across = max(board.left - box.right, box.left - board.right, 0)
    down = max(board.top - box.bottom, box.top - board.bottom, 0)
    return across, down
