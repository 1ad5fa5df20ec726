"""What observations of the board mean for the game that is on: what changed, whether it is over, or won. Pure.

An open number never changes within a game, and no open cell is ever closed again: what does so is another game, a board
that moved, or a misreading. What cannot be told apart by one observation is left to the player, who looks again. An
obstruction, a board that is hidden, half painted, contradictory or gone, may last for a while.

Where all of a board can be read, its cells tell whether a game is over (`solver.board.Board.state`). Else it is told by
what was clicked (`outcome`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from bot.playing.results import GameResult, Guess
from bot.vision.reading import is_half_painted
from solver.board import CLOSED, EXPLODED, FLAG, MINE, OPEN_UNKNOWN, UNREADABLE, Board, GameState
from solver.layout import Layout
from solver.words import counted

if TYPE_CHECKING:
    from bot.models import Reading
    from bot.vision.reading import IgnoredFlags
    from solver.board import Move
    from solver.topology import Cell


ENDED = (GameState.WON, GameState.LOST, GameState.UNKNOWN)


class Change(Enum):
    """What was seen."""

    PLAYABLE = "the game goes on"
    ENDED = "the game is over"
    ANOTHER_GAME = "another game is on the board"
    HIDDEN = "not all cells can be read"
    HALF_PAINTED = "an open 0 beside a closed cell does not go away"
    CHANGED = "open cells show other numbers than before"


def classify_change(now: Reading, known: Reading | None, *, is_half_painted: bool) -> Change:
    """What a settled observation means.

    Args:
        now: what is seen.
        known: the last reading of the game that is on, None where there is none.
        is_half_painted: whether it cannot be a whole picture (`bot.vision.reading`).
    """
    if now.unknown:
        return Change.HIDDEN
    if is_half_painted:
        return Change.HALF_PAINTED
    if known is not None and not continues(now, known):
        return Change.ANOTHER_GAME if has_closed_again(now, known) else Change.CHANGED
    return Change.ENDED if now.state in ENDED else Change.PLAYABLE


def continues(now: Reading, known: Reading) -> bool:
    """Whether `now` may be a later observation of the same game: every open cell that can be read shows what it did.

    A clone may draw the numbers of a lost game anew, so that they are unknown again.
    """
    if now.board.shape != known.board.shape:
        return False
    unknown = (UNREADABLE, OPEN_UNKNOWN) if now.state is GameState.LOST else (UNREADABLE,)
    here = (known.board.cells >= 0) & ~np.isin(now.board.cells, unknown)
    return np.array_equal(now.board.cells[here], known.board.cells[here])


def has_closed_again(now: Reading, known: Reading) -> bool:
    """Whether half of the cells that were open are closed, or the board has another size: it is another game.

    A single one may have been held down when it was seen open.
    """
    if now.board.shape != known.board.shape:
        return True
    was_open = known.board.cells >= 0
    return 2 * int((was_open & np.isin(now.board.cells, (CLOSED, FLAG))).sum()) >= max(1, int(was_open.sum()))


def is_whole(reading: Reading, ignored_flags: IgnoredFlags = frozenset()) -> bool:
    """Whether every cell can be read and the picture is not half painted."""
    return not reading.unknown and not is_half_painted(reading, ignored_flags)


def is_same_game(before: Reading, now: Reading, *, is_whole: bool) -> bool:
    """Whether moves decided on `before` may still be made: the picture is whole, and no open cell has changed."""
    return is_whole and continues(now, before) and now.state is not GameState.LOST


def is_same_game_in_part(before: Reading, now: Reading) -> bool:
    """Whether this is still the same game, while clicks are under way and closed cells may be half painted.

    Args:
        before: what the moves were decided on: whole.
        now: what is seen.
    """
    if now.state is GameState.LOST or not continues(now, before):
        return False
    return not bool(((before.board.cells >= 0) & (now.board.cells == UNREADABLE)).any())


def is_another_game(now: Reading, ended: Reading) -> bool:
    """Whether a new game is on the board of one that ended: fresh, or with cells open already, as some games begin.

    What ended was seen whole and for long: a single cell that is closed again tells.
    """
    if now.unknown or now.state in ENDED:
        return False
    if now.state is GameState.FRESH or now.board.shape != ended.board.shape:
        return True
    return bool(((ended.board.cells >= 0) & np.isin(now.board.cells, (CLOSED, FLAG))).any())


def unreadable(reading: Reading) -> str:
    """What is wrong with a board that cannot be read whole."""
    return f"{counted(len(reading.unknown), 'cell')} cannot be read"


PATIENCE_S = 6.0  # time until play stops, in seconds
_SEARCH_AGAIN_S = 0.5
"""Between two searches of the whole screen while waiting; the first look of all is followed by one."""


@dataclass(slots=True)
class Obstruction:
    """What keeps the player from going on, since when, and when the screen was last searched for the board."""

    what: str
    began_at: float
    searched_at: float = -float("inf")

    def has_lasted(self, seconds: float) -> bool:
        """Whether it has been there for that many seconds."""
        return time.perf_counter() > self.began_at + seconds

    @property
    def is_time_to_search(self) -> bool:
        """Whether the last search is long enough ago."""
        return time.perf_counter() > self.searched_at + _SEARCH_AGAIN_S

    def note_search(self) -> None:
        """The screen is searched now."""
        self.searched_at = time.perf_counter()


# --- the game that is on


def _bbbv_of_end(board: Board) -> int | None:
    """The 3BV of a finished game's layout, or None when the end does not show where every mine was."""
    has_mine = np.isin(board.cells, (MINE, EXPLODED, FLAG))
    if int(has_mine.sum()) != board.mines:
        has_mine |= board.cells == CLOSED
    if int(has_mine.sum()) != board.mines:
        return None
    return Layout(has_mine, wrap=board.wrap).bbbv


@dataclass(slots=True)
class GameScore:
    """One game, from the first look at it.

    Attributes:
        started_at: when it was first looked at; later where play was paused meanwhile.
        ended_at: when the last click had its effect.
        n_opened_before: cells that were open by then.
        n_clicks_before: clicks made by then, in other games; likewise `n_retries_before`.
        is_whole: whether the bot saw its beginning; its time is known only then.
        guesses: those made so far.
        pending: a guess that was to be made, whose effect has not been seen yet.
        start: the cell that was opened first; None where that was not seen.
    """

    started_at: float
    ended_at: float
    n_opened_before: int
    n_clicks_before: int
    n_retries_before: int
    is_whole: bool
    guesses: list[Guess] = field(default_factory=list)
    pending: Move | None = None
    start: Cell | None = None

    def settle_guess(self, reading: Reading) -> None:
        """Count a guess once its effect is seen; one that was put off is none."""
        move, self.pending = self.pending, None
        if move is not None and reading.board[move.cell] != CLOSED:
            self.guesses.append(Guess(move.cell, move.p_mine))

    def result(self, end: Reading, *, n_clicks: int, n_retries: int) -> GameResult:
        """How it went.

        Args:
            end: the last observation.
            n_clicks: clicks made so far, in all games.
            n_retries: those of them made again.
        """
        mines = end.board.mines
        assert mines is not None, "a board is played only where its mine count is known"
        return GameResult(
            result=end.state,
            rows=end.grid.rows,
            cols=end.grid.cols,
            mines=mines,
            seconds=self.ended_at - self.started_at if self.is_whole else None,
            n_clicks=n_clicks - self.n_clicks_before,
            n_opened=n_opened(end.board) - self.n_opened_before,
            bbbv=None if end.state is GameState.UNKNOWN else _bbbv_of_end(end.board),
            guesses=tuple(self.guesses),
            n_retries=n_retries - self.n_retries_before,
        )


def n_opened(board: Board) -> int:
    """How many cells show a number, known or not."""
    return int(((board.cells >= 0) | (board.cells == OPEN_UNKNOWN)).sum())
