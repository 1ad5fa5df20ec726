"""Pictures of boards that nobody has seen on a screen: painted in a skin, with marks on what no skin has a look of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.painting import Desk, paint_board
from bot.telling.drawing import ink, marks
from bot.telling.drawing.layout import Annotated, draw_zoomed
from skins import load_shipped_skin
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, WRONG_FLAG
from solver import board as codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from bot.telling.drawing.marks import Mark
    from skins.skin import Skin
    from solver.board import Board
    from solver.topology import Cell

_STATES = {
    codes.CLOSED: CLOSED,
    codes.FLAG: FLAG,
    codes.OPEN_UNKNOWN: "0",
    codes.MINE: MINE,
    codes.EXPLODED: EXPLODED,
    codes.WRONG_FLAG: WRONG_FLAG,
    codes.KNOWN_MINE: CLOSED,
    codes.UNREADABLE: CLOSED,
}
"""What a code is painted as; three of them are marked besides."""
_DESK_BGR = (196, 192, 190)
_DESK, _SHEET = Desk(1, _DESK_BGR), Desk(1, ink.PAPER, _DESK_BGR)
"""Around a board alone, and around one with rulers."""
_FLAT, _HIGH = "minebot", "4d"


def usual_skin(shape: tuple[int, ...]) -> Skin:
    """The skin for a board of which nobody said how it should look: that of the built-in game, or of 4D Minesweeper."""
    return load_shipped_skin(_FLAT if len(shape) == 2 else _HIGH)


def paint_position(board: Board, skin: Skin, *, has_rulers: bool = True) -> tuple[Frame, Grid]:
    """Paint a board given as text; returns the picture and where the board lies on it.

    A number that the skin has no look of is written on an open cell.

    Args:
        board: the cells.
        skin: what to paint with.
        has_rulers: whether the picture is for a sheet that puts numbers around the board, or shows a board on a desk.

    Raises:
        SkinError: the skin has no look of a mine, or of what else the board shows.
    """
    has_look = {look.state for look in skin.looks}
    words = np.array([_word(code, has_look) for code in board.cells.ravel().tolist()], dtype=object)
    frame, grid = paint_board(skin, words.reshape(board.shape), _SHEET if has_rulers else _DESK)
    for cell, code in np.ndenumerate(board.cells):
        if code >= 0 and str(code) not in has_look:
            ink.put_centred(frame.pixels_bgr, str(code), grid.cell_region(cell), share=0.5)
    return frame, grid


def _word(code: int, has_look: set[str]) -> str:
    if code < 0:
        return _STATES[code]
    return str(code) if str(code) in has_look else "0"


def draw_painted(
    board: Board, skin: Skin, *, hint: Cell | None = None, zoom: int = 1, has_rulers: bool = False
) -> NDArray[np.uint8]:
    """A picture of a board in a skin: uint8, H x W x 3, BGR.

    Where the board has known mines, or cells that are unreadable or show a number that is not known, these are marked,
    and a legend below says how.

    Args:
        board: the cells.
        skin: what to paint with.
        hint: a closed cell to be marked as the one to begin with.
        zoom: how many pixels wide each pixel becomes.
        has_rulers: whether rows and columns have numbers.

    Raises:
        SkinError: as `paint_position`.
        UsageError: the picture would be too large.
    """
    frame, grid = paint_position(board, skin, has_rulers=has_rulers)
    drawn = {cell: mark for cell, code in np.ndenumerate(board.cells) if (mark := _mark(int(code))) is not None}
    if hint is not None:
        drawn[hint] = marks.hint_mark()
    return draw_zoomed(Annotated(frame, grid, (), drawn), zoom, has_rulers=has_rulers)


def _mark(code: int) -> Mark | None:
    if code == codes.UNREADABLE:
        return marks.unreadable_mark()
    if code == codes.KNOWN_MINE:
        return marks.mine_mark()
    return marks.no_number_mark() if code == codes.OPEN_UNKNOWN else None
