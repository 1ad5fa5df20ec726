"""Screens made up for tests: boards in any skin, scale and state on cluttered desktops, and desktops without a board.

Everything is drawn from a seed: equal seeds are equal screens. The truth goes with the picture: where the board is, and
which state every cell shows. Layouts and positions come from `solver.game`, so that every position is possible.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import cv2
import numpy as np
from painted import paint

from bot.models import Frame, Region
from bot.vision.matching import code_of
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, QUESTION, WRONG_FLAG
from solver.board import OPEN_UNKNOWN, UNREADABLE, GameState
from solver.game import Game
from solver.layout import LEVELS, FirstClick, Layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

KERNELS = {
    "nearest": cv2.INTER_NEAREST,
    "linear": cv2.INTER_LINEAR,
    "cubic": cv2.INTER_CUBIC,
    "area": cv2.INTER_AREA,
}
STATES = ("fresh", "mid", "lost", "won")
SIZE = (1920, 1080)
_FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_PLAIN, cv2.FONT_HERSHEY_DUPLEX)
_WORDS = (
    "File",
    "Edit",
    "Game",
    "Help",
    "12",
    "345",
    "Mines",
    "2026",
    "99",
    "0",
    "1",
    "8",
    "of",
    "board",
    "score",
    "3.14",
    "ok",
)


@dataclass(frozen=True, eq=False)
class Screen:
    """A screen with one board on it: the frame, where the board is, every cell's state, and where the mines are."""

    frame: Frame
    region: Region
    words: list[list[str]]
    has_mine: NDArray[np.bool_]

    @property
    def codes(self):
        """The board codes of the truth: int16, rows x cols."""
        return np.array([[code_of(word) for word in row] for row in self.words], dtype=np.int16)


def wrong_cells(shown, reading):
    """The cells of a reading, pressed ones doubted, that are something else than a screen has there."""
    (rows, cols), region = shown.codes.shape, shown.region
    wrong = []
    for cell, code in np.ndenumerate(reading.board.cells):
        middle = reading.grid.cell_region(cell).middle
        row, col = (middle.y - region.top) * rows // region.height, (middle.x - region.left) * cols // region.width
        truth = shown.codes[row, col] if 0 <= row < rows and 0 <= col < cols else None
        if code not in (UNREADABLE, truth) and not (code == OPEN_UNKNOWN and truth is not None and truth >= 0):
            wrong.append((cell, int(code), truth))
    return wrong


def position(rng, level, state, skin):
    """Rows of cell states of a random game in one of `STATES`; only states that the skin has a sprite of."""
    return dealt(rng, level, state, skin)[0]


def dealt(rng, level, state, skin):
    """The same, and where the mines are: bool, rows x cols."""
    rows, cols, mines = LEVELS[level]
    game = Game((rows, cols), mines, seed=str(rng.random()), first_click=FirstClick.ZERO)
    words = [[CLOSED] * cols for _ in range(rows)]
    if state != "fresh":
        cells = list(np.ndindex(rows, cols))
        rng.shuffle(cells)
        game.open(cells[0])
        has_mine = game.layout.has_mine
        share = {"mid": rng.uniform(0.2, 0.95), "lost": rng.uniform(0.1, 0.9), "won": 1.0}[state]
        for cell in cells:
            if game.state is GameState.WON:
                break
            if not has_mine[cell] and rng.random() < share:
                game.open(cell)
        has = {sprite.state for sprite in skin.sprites}
        for cell, code in np.ndenumerate(game.board.cells):
            row, col = cell
            if code >= 0:
                words[row][col] = str(int(code))
            elif has_mine[cell] and rng.random() < {"mid": 0.3, "lost": 0.2, "won": rng.choice([0, 1])}[state]:
                words[row][col] = FLAG
            elif state == "mid" and rng.random() < 0.02 and QUESTION in has:
                words[row][col] = QUESTION
        if state == "lost":
            _reveal(rng, words, has_mine, has)
    return words, np.zeros((rows, cols), dtype=np.bool_) if game.layout is None else game.layout.has_mine


def _reveal(rng, words, has_mine, has):
    hidden = [cell for cell in np.ndindex(has_mine.shape) if words[cell[0]][cell[1]] == CLOSED]
    mines = [cell for cell in hidden if has_mine[cell]]
    for row, col in mines:
        words[row][col] = MINE if MINE in has else CLOSED
    if mines and EXPLODED in has:
        row, col = rng.choice(mines)
        words[row][col] = EXPLODED
    free = [cell for cell in hidden if not has_mine[cell]]
    if free and WRONG_FLAG in has:
        row, col = rng.choice(free)
        words[row][col] = WRONG_FLAG


def enlarged(picture, scale, kernel):
    """A picture at another scale: uint8, H x W x 3."""
    if scale == 1:
        return picture
    height, width = (round(side * scale) for side in picture.shape[:2])
    return np.asarray(cv2.resize(picture, (width, height), interpolation=KERNELS[kernel]))


def framed(skin, board, depth, rng):
    """A board's picture with the border of its skin around it, `depth` pixels deep: uint8, H x W x 3."""
    if skin.border is None or depth == 0:
        return board
    picture = np.empty((board.shape[0] + 2 * depth, board.shape[1] + 2 * depth, 3), dtype=np.uint8)
    which = rng.randrange(len(skin.border.left_bgr))
    picture[:, :depth] = skin.border.left_bgr[which]
    picture[:, -depth:] = skin.border.right_bgr[min(which, len(skin.border.right_bgr) - 1)]
    picture[:depth, depth:-depth] = skin.border.top_bgr[which]
    picture[-depth:, depth:-depth] = skin.border.bottom_bgr[min(which, len(skin.border.bottom_bgr) - 1)]
    picture[depth:-depth, depth:-depth] = board
    return picture


def late_position(rng, shape, n_left, state):
    """Rows of cell states late in a game: all is open but `n_left` mines, in this state."""
    cells = rng.sample(list(np.ndindex(shape)), n_left)
    numbers = Layout.of_cells(shape, cells).numbers
    words = [[str(int(number)) for number in row] for row in numbers]
    for row, col in cells:
        words[row][col] = state
    return words


def screen(skin, *, scale=1.0, state="mid", kernel="nearest", place=None, level=None, seed=0, size=SIZE):
    """A cluttered desktop with one board.

    Args:
        skin: of its cells.
        scale: of the cells.
        state: one of `STATES`, or the states of all cells, row by row.
        kernel: one of `KERNELS`.
        place: (x, y) from 0 to 1: 0 and 1 are the very edges of the screen, where the border is cut off; None: random.
        level: one of `solver.layout.LEVELS`; None: a random one that fits.
        seed: equal seeds give equal screens.
        size: (width, height) of the screen.
    """
    rng = random.Random(f"{skin.name} {scale} {state} {kernel} {seed}")
    pitch_x, pitch_y = skin.pitch_px
    fitting = [
        name
        for name, (rows, cols, _) in LEVELS.items()
        if cols * pitch_x * scale + 20 <= size[0] and rows * pitch_y * scale + 20 <= size[1]
    ]
    if isinstance(state, str):
        words, has_mine = dealt(rng, level or rng.choice(fitting), state, skin)
    else:
        words, has_mine = state, np.isin(state, (CLOSED, FLAG))
    depth = 0 if skin.border is None else round(skin.border.depth_px * scale)
    picture = framed(skin, enlarged(paint(skin, words), scale, kernel), depth, rng)
    height, width = picture.shape[:2]
    pixels = desktop(rng, size)
    x, y = place or (rng.random(), rng.random())
    left, top = round(x * (size[0] - width + 2 * depth)) - depth, round(y * (size[1] - height + 2 * depth)) - depth
    _paste(pixels, picture, left, top)
    region = Region(left + depth, top + depth, width - 2 * depth, height - 2 * depth)
    return Screen(Frame(pixels), region, words, has_mine)


def _paste(pixels, picture, left, top):
    height, width = pixels.shape[:2]
    x0, y0 = max(left, 0), max(top, 0)
    x1, y1 = min(left + picture.shape[1], width), min(top + picture.shape[0], height)
    pixels[y0:y1, x0:x1] = picture[y0 - top : y1 - top, x0 - left : x1 - left]


# --- desktops


def desktop(rng, size=SIZE):
    """A desktop full of windows, text, tables and buttons: uint8, H x W x 3, and no board."""
    width, height = size
    pixels = _wallpaper(rng, width, height)
    for _ in range(rng.randrange(4, 12)):
        _window(rng, pixels)
    for _ in range(rng.randrange(10)):
        _icon(rng, pixels)
    _taskbar(rng, pixels)
    return pixels


def not_a_board(seed, size=(1024, 768)):
    """One of many kinds of pictures that show no board: uint8, H x W x 3."""
    rng = random.Random(f"no board {seed}")
    kind = seed % 6
    if kind == 0:
        return desktop(rng, size)
    pixels = np.full((size[1], size[0], 3), _grey(rng), dtype=np.uint8)
    if kind == 1:
        _table(rng, pixels, 0, 0, *size)
    elif kind == 2:
        _text(rng, pixels, 0, 0, *size)
    elif kind == 3:
        _checkerboard(rng, pixels)
    elif kind == 4:
        _buttons(rng, pixels, 0, 0, *size)
    else:
        pixels = _wallpaper(rng, *size)
        for _ in range(rng.randrange(200)):
            _icon(rng, pixels)
    return pixels


def _grey(rng):
    return rng.choice([192, 212, 240, 255, 230, 128, 64, rng.randrange(256)])


def _colour(rng):
    return tuple(rng.choice([0, 64, 128, 192, 255, rng.randrange(256)]) for _ in range(3))


def _wallpaper(rng, width, height):
    kind = rng.randrange(3)
    if kind == 0:
        return np.full((height, width, 3), _colour(rng), dtype=np.uint8)
    if kind == 1:
        start, end = np.array(_colour(rng), dtype=float), np.array(_colour(rng), dtype=float)
        ramp = np.linspace(0, 1, height)[:, None, None] + np.linspace(0, 0.5, width)[None, :, None]
        return np.clip(start + (end - start) * ramp / 1.5, 0, 255).astype(np.uint8)
    noise = np.random.default_rng(rng.randrange(2**32)).integers(0, 256, (height // 16, width // 16, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC))


def _window(rng, pixels):
    height, width = pixels.shape[:2]
    w, h = rng.randrange(80, max(width // 2, 81)), rng.randrange(60, max(height // 2, 61))
    x, y = rng.randrange(-40, width - 40), rng.randrange(-20, height - 40)
    x, y, w, h = max(x, 0), max(y, 0), min(w, width - max(x, 0)), min(h, height - max(y, 0))
    if w < 60 or h < 50:
        return
    pixels[y : y + h, x : x + w] = _grey(rng)
    pixels[y : y + 20, x : x + w] = _colour(rng)
    _label(rng, pixels, x + 6, y + 15)
    rng.choice([_table, _text, _buttons, _picture])(rng, pixels, x + 3, y + 24, w - 6, h - 28)
    cv2.rectangle(pixels, (x, y), (x + w - 1, y + h - 1), _colour(rng), 1)


def _label(rng, pixels, x, y, colour=(0, 0, 0)):
    font = rng.choice(_FONTS)
    cv2.putText(pixels, rng.choice(_WORDS), (x, y), font, 0.4 if font != 1 else 0.8, colour, 1, cv2.LINE_AA)


def _table(rng, pixels, x, y, w, h):
    """A spreadsheet: lines around cells, numbers in some of them."""
    cell_w, cell_h = rng.choice([(64, 20), (20, 20), (16, 16), (24, 24), (32, 32), (80, 18), (40, 40)])
    line = rng.choice([128, 192, 160, 208, 0])
    pixels[y : y + h, x : x + w] = rng.choice([255, 192, 240, 230])
    for top in range(y, y + h, cell_h):
        pixels[top, x : x + w] = line
    for left in range(x, x + w, cell_w):
        pixels[y : y + h, left] = line
    for top in range(y, y + h - cell_h, cell_h):
        for left in range(x, x + w - cell_w, cell_w):
            if rng.random() < 0.3:
                number = str(rng.randrange(9))
                colour = rng.choice([(0, 0, 0), (255, 0, 0), (0, 128, 0), (0, 0, 255)])
                cv2.putText(pixels, number, (left + 3, top + cell_h - 4), 0, 0.4, colour, 1)


def _text(rng, pixels, x, y, w, h):
    pixels[y : y + h, x : x + w] = rng.choice([255, 255, 240, 30])
    for top in range(y + 14, y + h - 4, 16):
        for left in range(x + 4, x + w - 60, 56):
            if rng.random() < 0.8:
                _label(rng, pixels, left, top, _colour(rng))


def _buttons(rng, pixels, x, y, w, h):
    """Bevelled grey buttons with gaps between them, some with a label."""
    side_w, side_h, gap = rng.choice([(75, 23, 6), (24, 24, 2), (32, 32, 4), (16, 16, 3), (48, 48, 8), (24, 22, 0)])
    face, light, dark = rng.choice([(192, 255, 128), (240, 255, 160), (212, 255, 128), (179, 220, 100)])
    depth = rng.choice([1, 2])
    pixels[y : y + h, x : x + w] = face
    for top in range(y + 4, y + h - side_h, side_h + gap):
        for left in range(x + 4, x + w - side_w, side_w + gap):
            pixels[top : top + side_h, left : left + side_w] = dark
            pixels[top : top + side_h - depth, left : left + side_w - depth] = light
            pixels[top + depth : top + side_h - depth, left + depth : left + side_w - depth] = face
            if rng.random() < 0.7:
                _label(rng, pixels, left + 4, top + side_h - 6)


def _picture(rng, pixels, x, y, w, h):
    pixels[y : y + h, x : x + w] = _wallpaper(rng, w + 16, h + 16)[:h, :w]


def _icon(rng, pixels):
    height, width = pixels.shape[:2]
    side = rng.choice([16, 24, 32, 48])
    x, y = rng.randrange(width - side), rng.randrange(height - side)
    pixels[y : y + side, x : x + side] = _colour(rng)
    cv2.circle(pixels, (x + side // 2, y + side // 2), side // 3, _colour(rng), -1)


def _taskbar(rng, pixels):
    width = pixels.shape[1]
    pixels[-30:] = _grey(rng)
    _buttons(rng, pixels, 60, pixels.shape[0] - 30, min(width - 60, 500), 30)


def _checkerboard(rng, pixels):
    side = rng.choice([8, 16, 20, 24, 32])
    y, x = np.indices(pixels.shape[:2]) // side
    pixels[(x + y) % 2 == 0] = _colour(rng)


# --- damage


def noisy(frame, sigma, seed=0):
    """The frame with Gaussian noise."""
    noise = np.random.default_rng(seed).normal(0, sigma, frame.pixels_bgr.shape)
    return Frame(np.clip(np.rint(frame.pixels_bgr + noise), 0, 255).astype(np.uint8))


def shifted(frame, blue_green_red):
    """The frame with every colour moved by so much."""
    return Frame(np.clip(frame.pixels_bgr.astype(np.int16) + blue_green_red, 0, 255).astype(np.uint8))


def as_jpeg(frame, quality):
    """The frame after it was a JPEG file."""
    _, data = cv2.imencode(".jpg", frame.pixels_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return Frame(np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), dtype=np.uint8))


_POINTER = np.array([[0, 0], [0, 16], [4, 13], [7, 19], [9, 18], [6, 12], [11, 12]], dtype=np.int32)


def pointed(frame, region, n_pointers, seed=0):
    """The frame with mouse pointers drawn over random places of a region."""
    rng = random.Random(f"pointer {seed}")
    pixels = frame.pixels_bgr.copy()
    for _ in range(n_pointers):
        tip = (region.left + rng.randrange(region.width), region.top + rng.randrange(region.height))
        cv2.fillPoly(pixels, [_POINTER + tip], (255, 255, 255))
        cv2.polylines(pixels, [_POINTER + tip], isClosed=True, color=(0, 0, 0))
    return Frame(pixels)


def covered(frame, region, seed=0):
    """The frame with a window over one corner of a region."""
    rng = random.Random(f"cover {seed}")
    pixels = frame.pixels_bgr.copy()
    width, height = (rng.randrange(side // 6, side // 2) for side in (region.width, region.height))
    left = rng.choice([region.left - 30, region.left + region.width - width + 30])
    top = rng.choice([region.top - 30, region.top + region.height - height + 30])
    picture = desktop(rng, (max(width, 420), max(height, 420)))[:height, :width]
    _paste(pixels, picture, left, top)
    return Frame(pixels)
