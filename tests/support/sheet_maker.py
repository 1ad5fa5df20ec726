"""Makes sprite sheets in the Minesweeper X layout from this project's own art: nothing here is anybody's skin.

The layout is written down a second time here, as the clones' documentation has it, so that the importer is not tested
against itself.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.game.art import face_sprites
from skins import load_shipped_skin

if TYPE_CHECKING:
    from numpy.typing import NDArray

UNUSED = (0, 255, 0)
FACES_AT = [(0, 55), (27, 55), (54, 55), (81, 55), (108, 55)]
LINES = ["012345678", ["closed", "pressed", "mine", "flag", "wrong_flag", "exploded", "question", "pressed_question"]]


def sheet(style: str = "classic", without: tuple[str, ...] = (), alike: tuple[str, str] | None = None) -> NDArray:
    """A sheet for 16-pixel cells: uint8, 122 x 144 x 3, BGR.

    Args:
        style: whose cells and digits: a shipped skin of 16-pixel cells.
        without: states whose places stay empty; "digits" and "faces" leave out those.
        alike: two states, the second drawn as the first.
    """
    canvas = np.full((122, 144, 3), UNUSED, dtype=np.uint8)
    for row, states in enumerate(LINES):
        for col, state in enumerate(states):
            if state in without:
                continue
            shown = alike[0] if alike is not None and state == alike[1] else state
            canvas[16 * row : 16 * row + 16, 16 * col : 16 * col + 16] = cell(style, shown)
    if "digits" not in without:
        for i, digit in enumerate(load_shipped_skin(style).counter.digits):
            canvas[33:54, 12 * i : 12 * i + 11] = digit.pixels_bgr
    if "faces" not in without:
        for (x, y), mood in zip(FACES_AT, ["happy", "worried", "dead", "cool", "happy_pressed"], strict=True):
            canvas[y : y + 26, x : x + 26] = cv2.resize(face_sprites()[mood], (26, 26), interpolation=cv2.INTER_AREA)
    draw_frame(canvas)
    return canvas


def cell(style: str, state: str) -> NDArray:
    """One cell; those held down look like the open 0, the question mark on it."""
    shown = {"pressed": "0", "pressed_question": "question"}.get(state, state)
    (sprite,) = load_shipped_skin(style).sprites_of(shown)
    shade = 40 if state == "pressed_question" else 0
    return cv2.subtract(sprite.pixels_bgr, np.full((16, 16, 3), shade, dtype=np.uint8))


def draw_frame(canvas: NDArray) -> None:
    """The window's frame: grey with 3 dark pixels left of and above the board, 3 white ones right and below."""
    for x in (slice(0, 12), slice(13, 14), slice(15, 27)):
        for y in (slice(82, 93), slice(94, 95), slice(96, 107), slice(108, 109), slice(110, 122)):
            canvas[y, x] = 192
    canvas[104:107, 13] = canvas[108, 9:12] = 128
    canvas[110:113, 13] = canvas[108, 15:18] = 255


def scaled(picture: NDArray, cell_px: int, interpolation: int = cv2.INTER_NEAREST) -> NDArray:
    """The sheet for cells of another size."""
    size = (round(144 * cell_px / 16), round(122 * cell_px / 16))
    return cv2.resize(picture, size, interpolation=interpolation)


def bmp_with_palette(picture: NDArray) -> bytes:
    """The picture as a BMP file of 256 colours, which must be enough for it."""
    colours, index = np.unique(picture.reshape(-1, 3), axis=0, return_inverse=True)
    assert len(colours) <= 256, f"{len(colours)} colours"
    height, width = picture.shape[:2]
    palette = np.zeros((256, 4), dtype=np.uint8)
    palette[: len(colours), :3] = colours
    rows = np.pad(index.reshape(height, width).astype(np.uint8), ((0, 0), (0, -width % 4)))[::-1]
    start = 14 + 40 + 1024
    head = struct.pack("<2sIHHI", b"BM", start + rows.size, 0, 0, start)
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 8, 0, rows.size, 2835, 2835, 256, 0)
    return head + info + palette.tobytes() + rows.tobytes()


def scaled_cell(style: str, state: str, cell_px: int) -> NDArray:
    """One cell of the sheet for cells of another size, scaled by a whole number."""
    factor = cell_px // 16
    return cell(style, state).repeat(factor, axis=0).repeat(factor, axis=1)
