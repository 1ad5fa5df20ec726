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
from skins.pixels import pixels_apart

if TYPE_CHECKING:
    from bot.models import Frame, Grid

_REACH_PX = 160  # greatest distance of a button from the board, in pixels
_LEAST_PX, _MOST_PX = (24, 14), (480, 100)
"""The width and height of a button."""
_LEAST_RATIO = 1.4  # least width of a button, as a multiple of its height
_MOST_SHARE = 0.75  # greatest width of a button, as a share of the board's
_LEAST_CELLS = 1.5  # least width of a button that lies over the board, in cells
_STRAIGHT = 0.9
"""Share of its bounding box that an area with straight edges takes: corners may be round, and letters touch an edge."""
_WRITTEN = (0.01, 0.6)  # least and greatest share of a button that is written on
_LEAST_WORD_PX, _MOST_WORD_PX = (12, 6), (200, 32)
"""The width and height of a word."""
_MIDDLE_CELLS = 1.5  # greatest distance of a face from the middle of the board, in cells
_LEAST_FACE_PX = 4  # least width and height of what changes on a face
_MOST_ABOVE = 0.8
"""Greatest share of what is above the board that a face takes: where more changed, all of it was painted anew."""
_SAME_PLACE = 0.8  # least share of both of two buttons at one place
_SAME, _MOST_CHANGED = 10, 0.02
"""Largest difference of a channel of equal pixels, and greatest share of others in a button that stays as it is."""
_LETTERS_PX = 8  # widest gap between two letters, in pixels
_LINE_PX = 4  # how far apart the words of one line are up and down, in pixels: not all letters are equally high


def find_buttons(frame: Frame, grid: Grid) -> list[Region]:
    """What may be a button: those over the board first, then the nearest; of equally near ones that in the middle.

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
        is_straight = cv2.contourArea(cv2.convexHull(outline)) >= _STRAIGHT * (width - 1) * (height - 1)
        written = 1 - cv2.countNonZero(flat[top : top + height, left : left + width]) / (width * height)
        if is_straight and _WRITTEN[0] <= written <= _WRITTEN[1]:
            boxes.append(region)
    return sorted(boxes, key=lambda box: (_gap_px(box, grid.region), abs(box.middle.x - grid.region.middle.x)))


def rank_buttons(before: Frame, now: Frame, grid: Grid) -> tuple[list[Region], list[Region]]:
    """What may be a button at the end of a game: first those that came up with it, then all others.

    Of these, what shows something else than before comes last: figures, and what a game switches by itself.

    Args:
        before: the same part of the screen when the game began.
        now: as it is.
        grid: the board, ended.
    """
    came_up, others, changed = [], [], []
    were = find_buttons(before, grid)
    for box in find_buttons(now, grid):
        if not any(_is_same_place(box, one) for one in were):
            came_up.append(box)
        elif looks_same(before.crop(box), now.crop(box)):
            others.append(box)
        else:
            changed.append(box)
    return came_up, others + changed


def looks_same(one: Frame, other: Frame) -> bool:
    """Whether two pictures of a button are of one size and show the same, but for odd pixels."""
    if one.pixels_bgr.shape != other.pixels_bgr.shape:
        return False
    apart = pixels_apart(one.pixels_bgr, other.pixels_bgr)
    return bool((apart > _SAME).mean() <= _MOST_CHANGED)


def find_face(first: Frame, last: Frame, grid: Grid) -> tuple[int, int] | None:
    """The middle of what changed above the middle of the board in a game, (x, y) from the middle of its top edge.

    None where nothing did: counters and clocks stand at the sides.
    """
    board = grid.region
    above = board.top - last.top
    if above < _LEAST_FACE_PX:
        return None
    middle = board.left + board.width // 2 - last.left
    reach = int(_MIDDLE_CELLS * grid.pitch_px[0])
    left, right = max(0, middle - reach), min(last.pixels_bgr.shape[1], middle + reach + 1)
    apart = pixels_apart(first.pixels_bgr[:above, left:right], last.pixels_bgr[:above, left:right])
    if (apart > _SAME).mean() > _MOST_ABOVE:
        return None
    rows, cols = np.nonzero(apart > _SAME)
    if min(np.ptp(rows) if rows.size else 0, np.ptp(cols) if cols.size else 0) < _LEAST_FACE_PX:
        return None
    x = left + (int(cols.min()) + int(cols.max())) // 2 - middle
    y = (int(rows.min()) + int(rows.max())) // 2 - above
    return x, y


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


def _is_same_place(one: Region, other: Region) -> bool:
    n_shared = one.shared(other).n_pixels
    return n_shared >= _SAME_PLACE * max(one.n_pixels, other.n_pixels)


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
