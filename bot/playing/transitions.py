"""What a look at the board means for the game that is on: from one reading to the next.

Pure: readings in, a word out.

An open number never changes within a game, and no open cell is ever closed again: what does so is another game, a board
that moved, or a misreading. What cannot be told apart by one look is left to the player, who looks again. An
obstruction, a board that is hidden, half painted, contradictory or gone, may last for a while.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from bot.vision.reading import is_half_painted
from solver.board import CLOSED, FLAG, OPEN_UNKNOWN, UNREADABLE, GameState

if TYPE_CHECKING:
    from bot.models import Reading
    from bot.vision.reading import IgnoredFlags


ENDED = (GameState.WON, GameState.LOST)


class Change(Enum):
    """What was seen."""

    PLAYABLE = "the game goes on"
    ENDED = "the game is over"
    ANOTHER_GAME = "another game is on the board"
    HIDDEN = "not all cells can be read"
    HALF_PAINTED = "an open 0 beside a closed cell does not go away"
    CHANGED = "open cells show other numbers than before"


def classify_change(now: Reading, known: Reading | None, ignored_flags: IgnoredFlags = frozenset()) -> Change:
    """What a settled look means.

    Args:
        now: what is seen.
        known: the last reading of the game that is on, None where there is none.
        ignored_flags: closed cells that may stand beside an open 0: they had a flag.
    """
    if now.unknown:
        return Change.HIDDEN
    if is_half_painted(now, ignored_flags):
        return Change.HALF_PAINTED
    if known is not None and not continues(now, known):
        return Change.ANOTHER_GAME if has_closed_again(now, known) else Change.CHANGED
    return Change.ENDED if now.state in ENDED else Change.PLAYABLE


def continues(now: Reading, known: Reading) -> bool:
    """Whether `now` may be a later look at the same game: every open cell that can be read shows what it did.

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


def is_same_game(before: Reading, now: Reading, ignored_flags: IgnoredFlags = frozenset()) -> bool:
    """Whether moves decided on `before` may still be made: the picture is whole, and no open cell has changed."""
    return is_whole(now, ignored_flags) and continues(now, before) and now.state is not GameState.LOST


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
    """Whether a new game is on the board of one that ended: fresh, or with cells open already, as some games begin.

    What ended was seen whole and for long: a single cell that is closed again tells.
    """
    if now.unknown or now.state in ENDED:
        return False
    if now.state is GameState.FRESH or now.board.shape != ended.board.shape:
        return True
    return bool(((ended.board.cells >= 0) & np.isin(now.board.cells, (CLOSED, FLAG))).any())


PATIENCE_S = 6.0
"""Time until play stops, in seconds."""
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
