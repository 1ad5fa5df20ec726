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
_INK_BGR = (64, 43, 39)
_WRITTEN_SHARE = 0.6  # most of a cell's height that a written number takes
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
    ink.put_centred(cell, text, Region(0, 0, cell.shape[1], cell.shape[0]), _INK_BGR, _WRITTEN_SHARE)
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
