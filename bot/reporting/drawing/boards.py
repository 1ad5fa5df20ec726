"""Which cell gets which mark: what was read of a board, or what is advised on it.

Pictures of boards that nobody has seen on a screen: painted in a skin, with marks on what no skin has a look of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.paint import Desk, paint_board
from bot.reporting.drawing import ink, marks
from bot.reporting.drawing.layout import Annotated, draw_zoomed
from skins import load_shipped_skin
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, WRONG_FLAG
from solver import board as codes
from solver.board import GameState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.models import Frame, Grid, Reading
    from bot.reporting.advice import Advice
    from bot.reporting.drawing.marks import Mark
    from skins.skin import Skin
    from solver.board import Board
    from solver.topology import Cell


_SIGNS = "signs: # closed, F flag, * mine shown, X exploded, x wrong flag"


def describe_reading(reading: Reading) -> str:
    """Which board this is, in one line."""
    grid, mines = reading.grid, reading.board.mines
    width, height = grid.pitch_px
    count = "mine count not known" if mines is None else f"{mines} mines"
    sides = " x ".join(map(str, grid.shape))
    return (
        f"{reading.skin}: {sides} cells of {width:g} x {height:g} px "
        f"at ({grid.origin.x},{grid.origin.y}), {reading.state.value}, {count}"
    )


def annotate_reading(frame: Frame, reading: Reading, title: str = "") -> Annotated:
    """Mark what was read of every cell, and how sure it is.

    Args:
        frame: the picture it was read from.
        reading: what was read.
        title: put before the caption.
    """
    scores = reading.scores
    n_unknown = len(reading.unknown)
    n_exact = int((scores >= marks.EXACT_SCORE).sum())
    n_alike = scores.size - n_exact - n_unknown
    told = f"{n_exact} cells read by their exact pixels, {n_alike} by likeness, {n_unknown} unreadable"
    if n_alike:
        told += f"; the least score is {scores[scores > 0].min():.3f}"
    drawn = {cell: _reading_mark(int(code), float(scores[cell])) for cell, code in np.ndenumerate(reading.board.cells)}
    return Annotated(frame, reading.grid, (title + describe_reading(reading), told, _SIGNS), drawn)


def _reading_mark(code: int, score: float) -> Mark:
    return marks.UNREADABLE if code == codes.UNREADABLE else marks.reading_mark(codes.format_cell(code), score)


def annotate_advice(frame: Frame, grid: Grid, board: Board, advice: Advice | None, caption: Sequence[str]) -> Annotated:
    """Mark what is proven, every other risk, and the best move.

    Args:
        frame: the picture the board is on.
        grid: where.
        board: its cells.
        advice: what is advised; None when there is none to give.
        caption: words above the board.
    """
    is_over = advice is None or advice.state in (GameState.WON, GameState.LOST)
    drawn: dict[Cell, Mark] = {}
    for cell, code in np.ndenumerate(board.cells):
        if code == codes.UNREADABLE:
            drawn[cell] = marks.UNREADABLE
        elif code == codes.KNOWN_MINE:
            drawn[cell] = marks.MINE
        elif code == codes.OPEN_UNKNOWN:
            drawn[cell] = marks.NO_NUMBER
        elif code in (codes.CLOSED, codes.FLAG) and not is_over:
            assert advice is not None, "a game without advice counts as over"
            mark = _risk_mark(advice, cell)
            drawn[cell] = marks.flagged(mark) if code == codes.FLAG else mark
    ringed = None if advice is None or advice.move is None else advice.move.cell
    return Annotated(frame, grid, tuple(caption), drawn, ringed)


def _risk_mark(advice: Advice, cell: Cell) -> Mark:
    p_mine = float(advice.analysis.p_mine[cell])
    if p_mine == 0.0:
        return marks.SAFE
    if p_mine == 1.0:
        return marks.MINE
    return marks.risk_mark(p_mine, is_estimate=bool(advice.analysis.is_estimate[cell]))


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
        drawn[hint] = marks.HINT
    return draw_zoomed(Annotated(frame, grid, (), drawn), zoom, has_rulers=has_rulers)


def _mark(code: int) -> Mark | None:
    if code == codes.UNREADABLE:
        return marks.UNREADABLE
    if code == codes.KNOWN_MINE:
        return marks.MINE
    return marks.NO_NUMBER if code == codes.OPEN_UNKNOWN else None
