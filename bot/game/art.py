"""The pictures of the built-in game: cells from a skin, face and counter from its own files. Knows no window system.

The order of the sprites in the files is fixed here.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.game.plan import cell_px
from bot.game.session import HINTED, QUESTION
from bot.models import Region
from bot.reporting.drawing import ink
from skins import skin as words
from solver import board

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from skins.skin import Skin

FACES = ("happy", "worried", "cool", "dead", "happy_pressed")
DIGITS = "0123456789- "

WINDOW = "#2E3247"
FRAME = "#1D2030"
TEXT = "#E4E7F4"
ACCENT = "#4A5070"
WARNING = "#FFB08A"
NEAR = "#FF8A3D"
CURSOR = "#FF8A3D"
ASKED = "#FF8A3D"
CLUE = "#E05BFF"
BEST = "#2BE07A"
EDGE = "#14161F"
"""Around frames and rings, which are seen on any skin by it."""
_INK_BGR = (64, 43, 39)
_HINT_BGR = (102, 209, 255)

STATE_OF_CODE = {
    board.CLOSED: words.CLOSED,
    board.FLAG: words.FLAG,
    board.MINE: words.MINE,
    board.EXPLODED: words.EXPLODED,
    board.WRONG_FLAG: words.WRONG_FLAG,
    **{number: str(number) for number in range(9)},
}
"""The skin's word for every code that every game shows."""
_MOST_FLAT = 8  # the highest number of a flat board: every skin has a sprite of it


def has_question(skin: Skin) -> bool:
    """Whether a skin has a sprite of question marks."""
    return bool(skin.sprites_of(words.QUESTION))


def can_paint(skin: Skin) -> bool:
    """Whether a skin has a sprite of all that every game shows."""
    return all(skin.sprites_of(state) for state in STATE_OF_CODE.values())


def cell_sprites(skin: Skin, zoom: float = 1.0, most: int = _MOST_FLAT) -> dict[int, NDArray[np.uint8]]:
    """The picture of every code a game shows, BGR.

    Args:
        skin: what the cells look like.
        zoom: how many times as large.
        most: the highest number; those above 8 that the skin has no sprite of are written on its empty cell.

    Raises:
        SkinError: the skin has no sprite of one of the others.
    """
    states = STATE_OF_CODE | ({QUESTION: words.QUESTION} if has_question(skin) else {})
    states |= {number: str(number) for number in range(_MOST_FLAT + 1, most + 1) if skin.sprites_of(str(number))}
    by_state = skin.pictures(states.values())
    drawn = {code: _resized(by_state[state], cell_px(skin, zoom)) for code, state in states.items()}
    drawn |= {hinted: crossed(drawn[code]) for code, hinted in HINTED.items() if code in drawn}
    return drawn | {number: _write(drawn[0], str(number)) for number in range(most + 1) if number not in drawn}


def position_sprites(skin: Skin, zoom: float = 1.0, most: int = _MOST_FLAT) -> dict[int, NDArray[np.uint8]]:
    """The picture of every code that a position can have, also of what no game shows; otherwise as `cell_sprites`."""
    drawn = cell_sprites(skin, zoom, most)
    return drawn | {
        board.OPEN_UNKNOWN: _write(drawn[0], "?"),
        board.UNREADABLE: _write(drawn[board.CLOSED], "!"),
        board.KNOWN_MINE: drawn[board.MINE],
    }


def face_sprites(zoom: float = 1.0) -> dict[str, NDArray[np.uint8]]:
    """The face in every mood, BGR."""
    return _cut("faces.png", FACES, zoom)


def digit_sprites(zoom: float = 1.0) -> dict[str, NDArray[np.uint8]]:
    """The counter's digits, minus and blank, BGR."""
    return _cut("digits.png", DIGITS, zoom)


def crossed(cell_bgr: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """A cell with the cross of a hint on it, with a dark edge to be seen on any skin."""
    height, width = cell_bgr.shape[:2]
    y, x = np.mgrid[:height, :width]
    right, down = x - (width - 1) / 2, y - (height - 1) / 2
    diagonals = (right + down) / np.sqrt(2), (right - down) / np.sqrt(2)
    reach, half_line, edge = 0.3 * width, 0.07 * width, max(1.0, 0.05 * width)
    from_line = np.minimum(
        *(np.hypot(np.maximum(abs(along) - reach, 0), across) for along, across in (diagonals, diagonals[::-1]))
    )
    picture = cell_bgr.astype(np.float64)
    for colour, radius in ((_INK_BGR, half_line + edge), (_HINT_BGR, half_line)):
        cover = np.clip(radius + 0.5 - from_line, 0, 1)[:, :, None]
        picture += cover * (np.array(colour) - picture)
    return np.round(picture).astype(np.uint8)


def percent_of(p_mine: float) -> int:
    """A risk in whole percent; 0 and 100 only where it is proven."""
    return round(p_mine) * 100 if p_mine in (0.0, 1.0) else min(99, max(1, round(100 * p_mine)))


def risk_sprite(closed_bgr: NDArray[np.uint8], percent: int) -> NDArray[np.uint8]:
    """A closed cell with its risk on it, BGR: a tick at 0, a cross at 100, else the figure on the risk's colour."""
    cell = closed_bgr.copy()
    region = Region(0, 0, cell.shape[1], cell.shape[0])
    if percent == 0:
        ink.disc_with_tick(cell, region)
    elif percent == 100:
        ink.diamond_with_cross(cell, region)
    else:
        chip, colour = ink.inset(region, max(1, region.height // 12)), ink.risk_colour(percent / 100)
        ink.fill(cell, chip, colour)
        ink.put_centred(cell, str(percent), chip, ink.on_colour(colour), share=0.5)
    return cell


def _resized(pixels_bgr: NDArray[np.uint8], size_px: tuple[int, int]) -> NDArray[np.uint8]:
    """Enlarge: pixel by pixel where that comes out even, as clones do it, else smoothly."""
    height, width = pixels_bgr.shape[:2]
    if (width, height) == size_px:
        return pixels_bgr
    is_even = not (size_px[0] % width or size_px[1] % height)
    large = cv2.resize(pixels_bgr, size_px, interpolation=cv2.INTER_NEAREST if is_even else cv2.INTER_LINEAR)
    return np.asarray(large, dtype=np.uint8)


def _write(empty_bgr: NDArray[np.uint8], text: str) -> NDArray[np.uint8]:
    """A number or a sign in the middle of a cell."""
    cell = empty_bgr.copy()
    height, width = cell.shape[:2]
    font, thickness = cv2.FONT_HERSHEY_SIMPLEX, max(1, width // 12)
    (text_width, text_height), _ = cv2.getTextSize(text, font, 1.0, thickness)
    scale = min(0.75 * width / text_width, 0.6 * height / text_height)
    (text_width, text_height), _ = cv2.getTextSize(text, font, scale, thickness)
    corner = (width - text_width) // 2, (height + text_height) // 2
    cv2.putText(cell, text, corner, font, scale, _INK_BGR, thickness, cv2.LINE_AA)
    return cell


def _cut(file: str, names: tuple[str, ...] | str, zoom: float) -> dict[str, NDArray[np.uint8]]:
    data = (resources.files("bot.game") / "art" / file).read_bytes()
    sheet = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    assert sheet is not None, f"{file} is a picture"
    width = sheet.shape[1] // len(names)
    assert sheet.shape[1] == width * len(names), f"{file} holds {len(names)} sprites"
    size_px = round(width * zoom), round(sheet.shape[0] * zoom)
    pieces = {name: sheet[:, i * width : (i + 1) * width].astype(np.uint8) for i, name in enumerate(names)}
    return {name: _resized(piece, size_px) for name, piece in pieces.items()}
