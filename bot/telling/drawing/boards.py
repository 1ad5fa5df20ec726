"""Which cell gets which mark: what was read of a board, or what is advised on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.errors import UsageError
from bot.models import Frame, Grid, Pixel
from bot.telling.drawing import marks
from bot.telling.drawing.layout import Annotated
from skins.painter import paint
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, WRONG_FLAG
from solver import board as codes
from solver.game import GameState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Reading
    from bot.telling.advice import Advice
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
_SIGNS = "signs: # closed, F flag, * mine shown, X exploded, x wrong flag"
_DESK_BGR = (196, 192, 190)


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
    return marks.unreadable_mark() if code == codes.UNREADABLE else marks.reading_mark(codes.format_cell(code), score)


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
            drawn[cell] = marks.unreadable_mark()
        elif code == codes.KNOWN_MINE:
            drawn[cell] = marks.mine_mark()
        elif code == codes.OPEN_UNKNOWN:
            drawn[cell] = marks.no_number_mark()
        elif code in (codes.CLOSED, codes.FLAG) and not is_over:
            assert advice is not None, "a game without advice counts as over"
            mark = _risk_mark(advice, cell)
            drawn[cell] = marks.flagged(mark) if code == codes.FLAG else mark
    ringed = None if advice is None or advice.move is None else advice.move.cell
    return Annotated(frame, grid, tuple(caption), drawn, ringed)


def _risk_mark(advice: Advice, cell: Cell) -> Mark:
    p_mine = float(advice.analysis.p_mine[cell])
    if p_mine == 0.0:
        return marks.safe_mark()
    if p_mine == 1.0:
        return marks.mine_mark()
    return marks.risk_mark(p_mine, is_estimate=bool(advice.analysis.is_estimate[cell]))


def paint_board(board: Board, skin: Skin) -> tuple[Frame, Grid]:
    """Paint a board given as text, with a desk around it; returns the picture and where the board lies on it.

    Raises:
        UsageError: the board has not two dimensions.
    """
    if len(board.shape) != 2:
        raise UsageError(f"expected a board of two dimensions to draw, got shape {'x'.join(map(str, board.shape))}")
    words = [[str(code) if code >= 0 else _STATES[code] for code in row] for row in board.cells.tolist()]
    cells = paint(skin, words)
    width, height = skin.pitch_px
    pixels = np.full((cells.shape[0] + 2 * height, cells.shape[1] + 2 * width, 3), _DESK_BGR, dtype=np.uint8)
    pixels[height:-height, width:-width] = cells
    return Frame(pixels), Grid(Pixel(width, height), skin.pitch_px, *board.shape)
