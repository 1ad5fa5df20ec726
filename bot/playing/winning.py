"""May a game be over, and won? Then a dialog may lie over it, and its key may be pressed. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.playing.decide import sure_numbers
from solver.board import CLOSED, FLAG, closed_mask
from solver.moves import Action

if TYPE_CHECKING:
    from bot.models import Reading
    from solver.board import Board
    from solver.moves import Move


def opens_the_last(moves: list[Move], board: Board) -> bool:
    """Whether only mines are closed when these moves are made."""
    opened = {move.cell for move in moves if move.action is Action.OPEN}
    for move in moves:
        if move.action is Action.CHORD:
            near = board.topology.neighbours(move.cell)
            flags = {m.cell for m in moves if m.action is Action.FLAG}
            opened.update(cell for cell in near if board[cell] == CLOSED and cell not in flags)
    return int(closed_mask(board.cells).sum()) - len(opened) == board.mines


def opens_numbers_only(moves: list[Move], reading: Reading) -> bool:
    """Whether these moves surely open no cell but their own: no flood can have won the game."""
    sure = sure_numbers(reading)
    return all(move.action is not Action.CHORD and (move.action is Action.FLAG or move.cell in sure) for move in moves)


def has_flagged_all(before: Board, now: Board) -> bool:
    """Whether flags came up on every closed cell in sight: games flag the mines of a won board."""
    n_flags_before, n_flags_now = (int((board.cells == FLAG).sum()) for board in (before, now))
    return n_flags_now > n_flags_before and not bool((now.cells == CLOSED).any())
