"""Boards of tiles, drawn for tests: any widths of columns, heights of rows and gaps, in a look of their own.

A made-up skin of such a look goes with them: its sprites are drawn at one size, the boards at any size.
"""

from __future__ import annotations

from itertools import accumulate

import cv2
import numpy as np

from skins import Skin, Sprite, Tolerance
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, Tiles

WINDOW = (244, 245, 246)
FACE, HOVERED, AFTERWARDS = (182, 189, 186), (207, 215, 211), (133, 138, 136)
"""The field of a closed cell, of one under the pointer (and of an open one of a lost game), of one of a lost game."""
OPEN = (220, 222, 222)
FIELDS = [(195, 250, 221), (191, 237, 236), (180, 218, 237), (138, 195, 237)]
FIELDS += [(162, 161, 247), (133, 167, 254), (96, 125, 255), (60, 50, 255)]
RED = (0, 0, 204)
INK = (54, 52, 46)
SPRITE_PX, SPRITE_GAP_PX = 24, 4
FINE = 8
"""Signs are drawn so many times larger, and brought down."""
PICTURES = {
    "#": (FACE, ""),
    "o": (HOVERED, ""),
    "=": (AFTERWARDS, ""),
    "F": (FACE, "F"),
    "X": (RED, "*"),
    "*": (AFTERWARDS, "*"),
    "0": (OPEN, ""),
    **{str(n): (field, str(n)) for n, field in enumerate(FIELDS, 1)},
}
"""Field and sign of each symbol: "o" is what a closed cell and an open one share, "=" a closed cell of a lost game."""
STATES = {"#": (CLOSED,), "o": (CLOSED, "0"), "=": (CLOSED,), "F": (FLAG,), "X": (EXPLODED,), "*": (MINE,)}


def tile(symbol, width, height):
    """One tile: uint8, height x width x 3, B, G, R."""
    field, sign = PICTURES[symbol]
    large = np.full((height * FINE, width * FINE, 3), field, dtype=np.uint8)
    side = min(width, height) * FINE
    middle_x, middle_y = width * FINE // 2, height * FINE // 2
    if sign == "*":
        cv2.circle(large, (middle_x, middle_y), side // 3, INK, -1)
    elif sign == "F":
        points = np.array([(-0.3, -0.35), (0.35, -0.1), (-0.15, 0.15), (-0.15, 0.38), (-0.3, 0.38)]) * side
        cv2.fillPoly(large, [(points + np.array([middle_x, middle_y])).astype(np.int32)], INK)
    elif sign:
        scale, thickness = 0.7 * side / 22, max(side // 9, 1)
        (text_width, text_height), _ = cv2.getTextSize(sign, cv2.FONT_HERSHEY_SIMPLEX, scale, thickness)
        corner = (middle_x - text_width // 2, middle_y + text_height // 2)
        cv2.putText(large, sign, corner, cv2.FONT_HERSHEY_SIMPLEX, scale, INK, thickness)
    return cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA)


def tile_skin():
    """The skin of these boards."""
    inner, half = SPRITE_PX - SPRITE_GAP_PX, SPRITE_GAP_PX // 2
    sprites = []
    for symbol in PICTURES:
        cell = np.full((SPRITE_PX, SPRITE_PX, 3), WINDOW, dtype=np.uint8)
        cell[half : half + inner, half : half + inner] = tile(symbol, inner, inner)
        sprites += [Sprite(state, cell) for state in STATES.get(symbol, (symbol,))]
    grounds = tuple(dict.fromkeys(field for field, _ in PICTURES.values()))
    return Skin(
        name="tiles",
        title="Drawn for tests",
        pitch_px=(SPRITE_PX, SPRITE_PX),
        closed_bgr=FACE,
        sprites=tuple(sprites),
        tolerance=Tolerance(colour=6, accept=20.0, margin=1.5),
        drawing=Tiles(WINDOW, grounds),
    )


def rows_of(text):
    """The rows of a board drawn as text."""
    return [line.strip() for line in text.strip().splitlines()]


def paint_tiles(text, widths, heights, gap, corner=(40, 30), size=(900, 700), symbols=None):
    """A window with a board of tiles: the picture, and where its cells begin and end along x and along y.

    Tiles are `widths` x `heights` pixels large (one a column, one a row), `gap` pixels apart; a cell reaches to
    the middle of the gaps around it, and the first begins at `corner`. Where a symbol is " ", there is no tile.
    """
    rows = rows_of(text) if symbols is None else symbols
    picture = np.full((size[1], size[0], 3), WINDOW, dtype=np.uint8)
    x, y = (
        [corner[axis], *accumulate((side + gap for side in sides), initial=corner[axis])][1:]
        for axis, sides in enumerate((widths, heights))
    )
    for row, line in enumerate(rows):
        for col, symbol in enumerate(line):
            if symbol != " ":
                left, top = x[col] + gap // 2, y[row] + gap // 2
                picture[top : top + heights[row], left : left + widths[col]] = tile(symbol, widths[col], heights[row])
    return picture, x, y
