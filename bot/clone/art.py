"""The pictures of the built-in game: cells from a skin, face and counter from its own files. Knows no window system.

The files are drawn by `scripts/draw_skins.py`; the order of the sprites in them is fixed there and here.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

import cv2
import numpy as np

from skins import skin as words
from skins.painter import sprites
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

STATE_OF_CODE = {
    board.CLOSED: words.CLOSED,
    board.FLAG: words.FLAG,
    board.MINE: words.MINE,
    board.EXPLODED: words.EXPLODED,
    board.WRONG_FLAG: words.WRONG_FLAG,
    **{number: str(number) for number in range(9)},
}
"""The skin's word for every code a game shows."""


def cell_sprites(skin: Skin) -> dict[int, NDArray[np.uint8]]:
    """The picture of every code a game shows, BGR.

    Raises:
        SkinError: the skin has no look of one of them.
    """
    by_state = sprites(skin, STATE_OF_CODE.values())
    return {code: by_state[state] for code, state in STATE_OF_CODE.items()}


def face_sprites() -> dict[str, NDArray[np.uint8]]:
    """The face in every mood, BGR."""
    return _cut("faces.png", FACES)


def digit_sprites() -> dict[str, NDArray[np.uint8]]:
    """The counter's digits, minus and blank, BGR."""
    return _cut("digits.png", DIGITS)


def _cut(file: str, names: tuple[str, ...] | str) -> dict[str, NDArray[np.uint8]]:
    data = (resources.files("bot.clone") / "art" / file).read_bytes()
    sheet = cv2.imdecode(np.frombuffer(data, dtype=np.uint8), cv2.IMREAD_COLOR)
    assert sheet is not None, f"{file} is a picture"
    width = sheet.shape[1] // len(names)
    pieces = {name: sheet[:, i * width : (i + 1) * width].astype(np.uint8) for i, name in enumerate(names)}
    assert sheet.shape[1] == width * len(names), f"{file} holds {len(names)} sprites"
    return pieces
