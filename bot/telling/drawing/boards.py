"""Which cell gets which mark: what was read of a board, or what is advised on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.telling.drawing import marks
from bot.telling.drawing.layout import Annotated
from solver import board as codes
from solver.game import GameState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Frame, Grid, Reading
    from bot.telling.advice import Advice
    from bot.telling.drawing.marks import Mark
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
