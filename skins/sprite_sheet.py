"""Sprite sheets of Minesweeper X, Clone, Arbiter and Vienna: one picture is a whole skin.

A sheet for 16-pixel cells is 144 x 122 pixels; for other cells all of it is scaled. In pixels of the 16-pixel sheet:

    y = 0     the open cells 0 to 8, side by side
    y = 16    closed, closed held down, mine, flag, wrong flag, exploded, question mark, the same held down
    y = 33    the counter's digits 0 to 9 and minus, 11 x 21 each, 12 from one to the next
    y = 55    faces, 26 x 26 each, 27 from one to the next: happy, worried, dead, cool, happy held down
    y = 82    the window's frame in nine parts, a pixel apart: corners as they are, edges one pixel long, to be repeated

Where the clones put counter, face and frame around the board was measured on Minesweeper X 1.16 and Minesweeper
Arbiter 0.52.3, which share these sheets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from skins.errors import SkinError
from skins.files import load_picture
from skins.pixels import fingerprint, most_frequent, nearest_pair, safe_accept
from skins.skin import (
    CLOSED,
    EXPLODED,
    FLAG,
    MINE,
    PASSING,
    PRESSED,
    PRESSED_QUESTION,
    QUESTION,
    WRONG_FLAG,
    Border,
    Counter,
    NewGame,
    Skin,
    Sprite,
    Tolerance,
)

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]
    Colour = tuple[int, int, int]


_SHEET_PX = (144, 122)  # (width, height) of a sheet for cells of 16 pixels
CELL_PX = 16
MIN_CELL_PX, MAX_CELL_PX = 8, 128

_FIRST_ROW = tuple(map(str, range(9)))
_SECOND_ROW = (CLOSED, PRESSED, MINE, FLAG, WRONG_FLAG, EXPLODED, QUESTION, PRESSED_QUESTION)
_OPTIONAL = {QUESTION, *PASSING}
_DIGITS = "0123456789-"
_MOODS = ("happy", "worried", "dead", "cool", "pressed")
_COUNTER_SPOTS = ((6, -38), (5, -38))  # Minesweeper X; Arbiter
_COUNTER_ACCEPT = 24.0
_COUNTER_STRIDE = 13
_FACE_SPOT = (0, -28)
_ARBITER_GREY = (166, 166, 166)  # Arbiter's left and top edge, 3 pixels deep: it wears the sheet without its frame
_BORDER_DEPTH = 3


@dataclass(frozen=True, eq=False)
class _Sheet:
    """A sheet's pixels, cut by places in pixels of the 16-pixel sheet."""

    pixels_bgr: Picture
    cell_px: int

    def scaled(self, length: int) -> int:
        """A length of the 16-pixel sheet, on this one."""
        return round(length * self.cell_px / CELL_PX)

    def scaled_middle(self, place: int) -> int:
        """The pixel in the middle of what is one pixel of the 16-pixel sheet."""
        return int((place + 0.5) * self.cell_px / CELL_PX)

    def cut(self, left: int, top: int, width: int, height: int) -> Picture:
        """A rectangle, its size the same wherever it lies."""
        x, y = self.scaled(left), self.scaled(top)
        piece = np.ascontiguousarray(self.pixels_bgr[y : y + self.scaled(height), x : x + self.scaled(width)])
        piece.setflags(write=False)
        return piece


def load_sheet(path: Path, name: str) -> Skin:
    """The skin that a sheet file (BMP or PNG, of any depth) holds.

    Raises:
        SkinError: the file is no picture, or the picture no sheet or too large; names the file.
    """
    pixels = load_picture(path)
    if pixels is None:
        raise SkinError(f"{path}: expected a picture (BMP or PNG), got something else")
    try:
        return _skin_from_sheet(pixels, name, f"From the sprite sheet {path.name}")
    except SkinError as error:
        raise SkinError(f"{path}: {error}") from error


def _skin_from_sheet(pixels_bgr: Picture, name: str, title: str) -> Skin:
    """Make a skin of a sheet (uint8, H x W x 3, BGR).

    States may be drawn alike: `Skin.same_states` names them.

    Raises:
        SkinError: the size is no sheet's, or a state is not drawn.
    """
    sheet = _Sheet(pixels_bgr, _cell_px(pixels_bgr))
    cells = _cells(sheet)
    sprites = tuple(sprite for sprite in cells if sprite.state not in PASSING)
    return Skin(
        name=name,
        title=title,
        pitch_px=(sheet.cell_px, sheet.cell_px),
        closed_bgr=most_frequent(next(sprite for sprite in sprites if sprite.state == CLOSED).pixels_bgr),
        sprites=sprites,
        exact={int(value): sprite.state for value, sprite in zip(_prints(sprites), sprites, strict=True)},
        tolerance=Tolerance(accept=safe_accept(nearest_pair(sprites).apart, Tolerance().accept)),
        new_game=NewGame(spot_px=_scaled_spot(sheet, _FACE_SPOT), dialog_keys=("enter", "escape")),
        border=_border(sheet),
        counter=_counter(sheet),
        passing=tuple(sprite for sprite in cells if sprite.state in PASSING),
        faces=_strip(sheet, _MOODS, (0, 55), (26, 26), 27),
        chord="middle",
        has_question_marks=True,
    )


def _prints(sprites: tuple[Sprite, ...]) -> NDArray[np.uint64]:
    return fingerprint(np.stack([sprite.pixels_bgr for sprite in sprites]))


def _cell_px(pixels_bgr: Picture) -> int:
    """How large the cells of a sheet of this size are.

    Raises:
        SkinError: no sheet has this size.
    """
    height, width = pixels_bgr.shape[:2]
    cell_px = int(width * CELL_PX / _SHEET_PX[0] + 0.5)
    is_wide = width == round(_SHEET_PX[0] * cell_px / CELL_PX)
    is_high = abs(height - _SHEET_PX[1] * cell_px / CELL_PX) < 1
    if is_wide and is_high and MIN_CELL_PX <= cell_px <= MAX_CELL_PX:
        return cell_px
    raise SkinError(
        f"expected a sheet of 144 x 122 pixels (for 16-pixel cells), or one scaled as a whole: 216 x 183 (24), "
        f"288 x 244 (32), 297 x 252 (33) and so on; got {width} x {height}"
    )


def _cells(sheet: _Sheet) -> tuple[Sprite, ...]:
    unused = sheet.cut(8 * CELL_PX, CELL_PX, CELL_PX, CELL_PX)
    cells = []
    for row, states in enumerate((_FIRST_ROW, _SECOND_ROW)):
        for col, state in enumerate(states):
            pixels = sheet.cut(col * CELL_PX, row * CELL_PX, CELL_PX, CELL_PX)
            if state != "0" and (pixels == unused[0, 0]).all():
                if state not in _OPTIONAL:
                    raise SkinError(f"expected a sprite of the state {state}, got an empty place")
            else:
                cells.append(Sprite(state, pixels))
    return tuple(cells)


def _strip(
    sheet: _Sheet, words: tuple[str, ...], first: tuple[int, int], size: tuple[int, int], stride: int
) -> tuple[Sprite, ...]:
    """Sprites in a row; none where the row is empty or not all of them differ."""
    pieces = [sheet.cut(first[0] + i * stride, first[1], *size) for i in range(len(words))]
    if len({piece.tobytes() for piece in pieces}) < len(words):
        return ()
    return tuple(Sprite(word, piece) for word, piece in zip(words, pieces, strict=True))


def _counter(sheet: _Sheet) -> Counter | None:
    digits = _strip(sheet, tuple(_DIGITS), (0, 33), (11, 21), 12)
    if not digits:
        return None
    return Counter(
        pitch_px=(sheet.cell_px, sheet.cell_px),
        spots_px=tuple(dict.fromkeys(_scaled_spot(sheet, spot) for spot in _COUNTER_SPOTS)),
        digits=digits,
        exact={int(value): sprite.state for value, sprite in zip(_prints(digits), digits, strict=True)},
        accept=safe_accept(nearest_pair(digits).apart, _COUNTER_ACCEPT),
        stride_px=sheet.scaled(_COUNTER_STRIDE),
    )


def _scaled_spot(sheet: _Sheet, spot: tuple[int, int]) -> tuple[int, int]:
    return sheet.scaled(spot[0]), sheet.scaled(spot[1])


def _border(sheet: _Sheet) -> Border:
    """What the frame shows right beside the board, as deep as it is of one colour on every side."""
    beside = sheet.scaled_middle(108)  # of the edge left and right of the board
    above = sheet.scaled_middle(13)  # of the edge above and below it
    pixels = sheet.pixels_bgr
    outward = [
        pixels[beside, : sheet.scaled(12)][::-1],
        pixels[: sheet.scaled(107), above][::-1],
        pixels[beside, sheet.scaled(15) :],
        pixels[sheet.scaled(110) :, above],
    ]
    most = sheet.scaled(_BORDER_DEPTH)
    depths = [int((line[:most] == line[0]).all(axis=1).argmin()) or most for line in outward]
    left, top, right, bottom = (_colour(line[0]) for line in outward)
    return Border(
        depth_px=min(depths),
        left_bgr=tuple(dict.fromkeys([left, _ARBITER_GREY])),
        top_bgr=tuple(dict.fromkeys([top, _ARBITER_GREY])),
        right_bgr=tuple(dict.fromkeys([right, (255, 255, 255)])),
        bottom_bgr=tuple(dict.fromkeys([bottom, (255, 255, 255)])),
    )


def _colour(pixel: NDArray[np.uint8]) -> Colour:
    blue, green, red = (int(channel) for channel in pixel)
    return blue, green, red
