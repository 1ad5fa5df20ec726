"""Keeps the score of the game that is on, and makes its result when it ends. Pure: told the time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.playing.layouts import bbbv_of_end
from bot.playing.results import GameResult, Guess
from solver.board import CLOSED, OPEN_UNKNOWN

if TYPE_CHECKING:
    from bot.models import Reading
    from solver.board import Board, Move


@dataclass(slots=True)
class Score:
    """One game, from the first look at it.

    Attributes:
        started_at: when it was first looked at; later where play was paused meanwhile.
        ended_at: when the last click had its effect.
        n_opened_before: cells that were open by then.
        n_clicks_before: clicks made by then, in other games; likewise `n_retries_before`.
        guesses: those made so far.
        pending: a guess that was to be made, whose effect has not been seen yet.
    """

    started_at: float
    ended_at: float
    n_opened_before: int
    n_clicks_before: int
    n_retries_before: int
    guesses: list[Guess] = field(default_factory=list)
    pending: Move | None = None

    def settle_guess(self, reading: Reading) -> None:
        """Count a guess once its effect is seen; one that was put off is none."""
        move, self.pending = self.pending, None
        if move is not None and reading.board[move.cell] != CLOSED:
            self.guesses.append(Guess(move.cell, move.p_mine))

    def result(self, end: Reading, mines: int, *, n_clicks: int, n_retries: int) -> GameResult:
        """How it went.

        Args:
            end: the last look.
            mines: how many mines the board has.
            n_clicks: clicks made so far, in all games.
            n_retries: those of them made again.
        """
        return GameResult(
            result=end.state,
            rows=end.grid.rows,
            cols=end.grid.cols,
            mines=mines,
            seconds=self.ended_at - self.started_at,
            n_clicks=n_clicks - self.n_clicks_before,
            n_opened=n_opened(end.board) - self.n_opened_before,
            bbbv=bbbv_of_end(end.board),
            guesses=tuple(self.guesses),
            n_retries=n_retries - self.n_retries_before,
        )


def n_opened(board: Board) -> int:
    """How many cells show a number, known or not."""
    return int(((board.cells >= 0) | (board.cells == OPEN_UNKNOWN)).sum())
