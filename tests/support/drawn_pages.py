"""Boards drawn as a browser draws them, at any pitch: dithered, lines of one width, digits between pixels."""

from __future__ import annotations

import random
from functools import partial

import cv2
import numpy as np

from bot.models import Frame, Grid
from bot.vision.alike import insides
from calibration.appearances import Codebook
from skins import Skin, Sprite
from skins.skin import Alike

INKS = [(200, 40, 20), (20, 120, 20), (30, 30, 220), (120, 20, 20)]
CLOSED_BGR, OPEN_BGR, LINE_BGR = (150, 140, 120), (232, 228, 222), (90, 84, 70)
SCALE = 8
"""Boards are drawn this many times too large, and then made smaller: that puts digits between pixels."""
RNG = partial(np.random.default_rng, 7)


def page(cells, pitch, corner, size=(760, 560), *, grain=2, ground=(250, 246, 240), line=(1, 1)):
    """A picture of a board, cells cut at pixels of the screen as a browser cuts them, on a page of one colour.

    A line runs inside every cell's edge, so wide left and above, and right and below.
    """
    rows, cols = cells.shape
    picture = np.full((size[1], size[0], 3), ground, dtype=np.int16)
    edges = [
        [int(np.floor(first + k * pitch + 0.5)) for k in range(n + 1)]
        for first, n in zip(corner, (cols, rows), strict=True)
    ]
    for (row, col), code in np.ndenumerate(cells):
        left, top, right, bottom = edges[0][col], edges[1][row], edges[0][col + 1], edges[1][row + 1]
        picture[top:bottom, left:right] = LINE_BGR
        inside = CLOSED_BGR if code < 0 else OPEN_BGR
        part = np.empty((bottom - top - sum(line), right - left - sum(line), 3), dtype=np.int16)
        part[:] = inside
        if code < 0:  # a gradient
            part += np.linspace(12, -8, part.shape[0])[:, None, None].astype(np.int16)
        picture[top + line[0] : bottom - line[1], left + line[0] : right - line[1]] = part
        if code > 0:
            x, y = corner[0] + (col + 0.5) * pitch, corner[1] + (row + 0.5) * pitch
            _write(picture, str(code), INKS[code - 1], (x, y), pitch * 0.6)
    picture += RNG().integers(-grain, grain + 1, picture.shape, dtype=np.int16)
    return Frame(np.clip(picture, 0, 255).astype(np.uint8), 30, 20)


def _write(picture, text, ink, middle, height):
    side = int(height * 1.6)
    left, top = int(middle[0] - side / 2), int(middle[1] - side / 2)
    large = np.zeros((side * SCALE, side * SCALE), dtype=np.uint8)
    face, thick = cv2.FONT_HERSHEY_DUPLEX, round(height * SCALE / 8)
    size = height * SCALE / 30
    (wide, high), _ = cv2.getTextSize(text, face, size, thick)
    x, y = (middle[0] - left) * SCALE - wide / 2, (middle[1] - top) * SCALE + high / 2
    cv2.putText(large, text, (round(x), round(y)), face, size, 255, thick)
    share = cv2.resize(large, (side, side), interpolation=cv2.INTER_AREA)[:, :, None] / 255.0
    part = picture[top : top + side, left : left + side]
    part[:] = np.rint(part * (1 - share) + np.array(ink) * share)


def some_cells(rows, cols, seed):
    rng = random.Random(seed)
    return np.array([[rng.choice((-1, -1, 0, 1, 1, 2, 3, 4)) for _ in range(cols)] for _ in range(rows)])


def skin_of(pictures, pitch, corner):
    """The skin that calibration would make: of each state every sprite that is not near one before."""
    slack = 22.0 if pitch % 1 else 8.0
    codebook = Codebook(slack, is_shifted=bool(pitch % 1))
    side = int(pitch)
    states = {}
    for frame, cells in pictures:
        grid = Grid.at((frame.left + corner[0], frame.top + corner[1]), (pitch, pitch), *cells.shape)
        cut = insides(frame.crop(grid.region).pixels_bgr, grid, 3, (side - 6, side - 6))
        for pixels, code in zip(codebook.equalled(cut), cells.ravel().tolist(), strict=True):
            assert states.setdefault(pixels.tobytes(), (code, pixels))[0] == code, "two numbers in one appearance"
    sprites = [
        Sprite("closed" if code < 0 else str(code), np.pad(pixels, ((3, 3), (3, 3), (0, 0)), mode="edge"))
        for code, pixels in states.values()
    ]
    drawing = Alike((pitch, pitch), 3, slack)
    return Skin("page", "a page", (side, side), CLOSED_BGR, tuple(sprites), drawing=drawing)
