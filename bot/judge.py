"""What a look at the board means for the game that is on. Pure: readings in, a word out.

An open number never changes within a game, and no open cell is ever closed again: what does so is another game, a
board that moved, or a misreading. What cannot be told apart by one look is left to the player, who looks again.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from bot.neighbourhood import is_near
from solver.board import CLOSED, FLAG, UNREADABLE
from solver.game import GameState

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Reading
    from solver.board import Board

ENDED = (GameState.WON, GameState.LOST)


class Sight(Enum):
    """What was seen."""

    PLAYABLE = "the game goes on"
    ENDED = "the game is over"
    ANOTHER_GAME = "another game is on the board"
    HIDDEN = "not all cells can be read"
    HALF_PAINTED = "an open 0 beside a closed cell does not go away"
    CHANGED = "open cells show other numbers than before"


def judge(now: Reading, known: Reading | None) -> Sight:
    """What a settled look means.

    Args:
        now: what is seen.
        known: the last reading of the game that is on, None where there is none.
    """
    if now.unknown:
        return Sight.HIDDEN
    if is_half_painted(now):
        return Sight.HALF_PAINTED
    if known is not None and not continues(now, known):
        return Sight.ANOTHER_GAME if has_closed_again(now, known) else Sight.CHANGED
    return Sight.ENDED if now.state in ENDED else Sight.PLAYABLE


def continues(now: Reading, known: Reading) -> bool:
    """Whether `now` may be a later look at the same game: every open cell that can be read shows what it did."""
    if now.board.shape != known.board.shape:
        return False
    here = (known.board.cells >= 0) & (now.board.cells != UNREADABLE)
    return np.array_equal(now.board.cells[here], known.board.cells[here])


def has_closed_again(now: Reading, known: Reading) -> bool:
    """Whether a cell that was open is closed, or the board has another size: a game of its own."""
    if now.board.shape != known.board.shape:
        return True
    return bool(((known.board.cells >= 0) & np.isin(now.board.cells, (CLOSED, FLAG))).any())


def is_whole(reading: Reading) -> bool:
    """Whether every cell can be read and the picture is not half painted."""
    return not reading.unknown and not is_half_painted(reading)


def is_same_game(before: Reading, now: Reading) -> bool:
    """Whether moves decided on `before` may still be made: the picture is whole, and no open cell has changed."""
    return is_whole(now) and continues(now, before) and now.state is not GameState.LOST


def is_same_game_in_part(before: Reading, now: Reading) -> bool:
    """As `is_same_game`, while clicks are under way: cells that were closed may be in any state of repaint.

    Args:
        before: what the moves were decided on: whole.
        now: what is seen.
    """
    if now.state is GameState.LOST or not continues(now, before):
        return False
    return not bool(((before.board.cells >= 0) & (now.board.cells == UNREADABLE)).any())


def is_another_game(now: Reading, ended: Reading) -> bool:
    """Whether a new game is on the board of one that ended: fresh, or with cells open already, as some games begin."""
    if now.unknown or now.state in ENDED:
        return False
    return now.state is GameState.FRESH or has_closed_again(now, ended)


def is_half_painted(reading: Reading) -> bool:
    """Whether the picture cannot be a whole one: in a running game, an open 0 touches no closed cell.

    Catches floods on their way, and cells that are held down: they look like an open 0. A flag beside a 0 proves
    nothing: floods leave a person's wrong flag standing.
    """
    return reading.state is not GameState.LOST and bool(zeros_beside_closed(reading.board).any())


def zeros_beside_closed(board: Board) -> NDArray[np.bool_]:
    """Which open zeros have a closed neighbour without a flag: bool, of the board's shape."""
    touched: NDArray[np.bool_] = (board.cells == 0) & is_near(board.cells == CLOSED)
    return touched
