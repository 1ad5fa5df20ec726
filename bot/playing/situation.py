"""What the player knows: of its board, the game that is on, the end of the one before, and what is in the way."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from bot.playing.board_view import StandsStill
from bot.playing.decide import PLAIN, Decision, Style
from bot.playing.outcome import NOTHING_CLICKED, Clicked
from bot.playing.speeds import speed_named
from bot.playing.transitions import ENDED, PATIENCE_S, Obstruction
from solver.board import GameState

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.models import Frame, Reading
    from bot.playing.actuator import Actuator
    from bot.playing.board_view import GameObservation, GameView
    from bot.playing.control import Control, FocusWatch
    from bot.playing.new_game import NewGameButton, NextGame
    from bot.playing.reporter import Reporter
    from bot.playing.results import GameResult
    from bot.playing.skin_in_play import SkinInPlay
    from bot.playing.speeds import Speed
    from bot.playing.transitions import GameScore
    from solver.topology import Cell

LATE_DIALOG_S = 3.0
"""Longest delay of a dialog that a won game brings up, in seconds: the next game may have begun by then."""


class State(Enum):
    """What the player is about."""

    SEARCHING = "searching"
    READING = "reading"
    DECIDING = "deciding"
    CLICKING = "clicking"
    VERIFYING = "verifying"
    WAITING = "waiting"
    DIALOG = "dialog"
    BEGINNING = "beginning"
    PAUSED = "paused"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a person wants games played.

    Attributes:
        style: flags and chords.
        speed: how the pointer gets to a cell.
        saves_time: whether chords are made only where they take less time than the clicks that they save, by what the
            clone's clicks took in this run; else where they save clicks.
        risk_limit: the highest risk of a guess that is taken once a game has begun, None for any.
        on_click: called right before every click.
    """

    style: Style = PLAIN
    speed: Speed = field(default_factory=lambda: speed_named("max"))
    saves_time: bool = False
    risk_limit: float | None = None
    on_click: Callable[[], None] | None = None


class Due(Enum):
    """What end the last clicks may have brought."""

    NOTHING = "nothing"
    END = "end"
    """A flood may have opened what was left; a guess may have hit a mine."""
    WIN = "win"
    """All was clicked that is no mine, flags came up on all mines, or the board shows a won game."""


@dataclass(frozen=True, slots=True)
class LastEnd:
    """The end of a game that was played: how, and when it was seen, in seconds as `time.perf_counter` has them."""

    result: GameResult
    at_s: float


@dataclass(slots=True)
class Situation:
    """Where play stands. The states write it; what they ask for is told by it.

    Attributes:
        style: flags and chords, as they are used now.
        found_as: the board as it was found: the game that is looked for until another observation was understood.
        seen: the last observation that was read.
        known: the last reading that was understood: of the game that is on, or of one that ended. None before the
            first one of another game.
        decision: what was decided on last.
        clicked: what was clicked since the board was known so.
        clicked_at_s: when the last clicks began, in seconds as `time.perf_counter` has them.
        game: the game that is on; None where none is.
        is_begun_here: whether another game has just been begun by the bot: what is open on the board belongs to it.
        due: the end that the last clicks may have brought.
        last_end: the end of the last game, None where a person has had the mouse since.
        unread_at_end: the cells that could not be read when a game ended.
    """

    style: Style
    found_as: Reading | None
    seen: GameObservation | None = None
    known: Reading | None = None
    decision: Decision = field(default_factory=lambda: Decision([]))
    clicked: Clicked = NOTHING_CLICKED
    clicked_at_s: float = 0.0
    game: GameScore | None = None
    is_begun_here: bool = False
    due: Due = Due.NOTHING
    last_end: LastEnd | None = None
    unread_at_end: frozenset[Cell] = frozenset()

    @property
    def frame(self) -> Frame:
        """The board in the last observation."""
        assert self.seen is not None, "a reading comes from an observation"
        return self.seen.frame

    def settle(self, view: GameView, patience_s: float | None = None) -> GameObservation:
        """Look at the board until it stands still, or for that long; that is the last observation then."""
        seen = self.seen = view.settled(None if patience_s is None else StandsStill(patience_s))
        return seen

    def know(self, reading: Reading) -> None:
        """The board is understood anew: nothing has been clicked since."""
        self.known, self.clicked = reading, NOTHING_CLICKED

    def begin(self) -> None:
        """Another game has been begun by the bot, and not been looked at yet."""
        self.known = self.found_as = None
        self.clicked, self.due, self.is_begun_here = NOTHING_CLICKED, Due.NOTHING, True
        self.unread_at_end = frozenset()

    def resume(self, paused_s: float) -> None:
        """A person had the mouse for so many seconds, and may have opened what lies over the board now."""
        self.last_end, self.is_begun_here = None, False
        self.due = Due.WIN if self.due is Due.WIN else Due.NOTHING
        if self.game is not None:
            self.game.started_at += paused_s

    @property
    def has_ended(self) -> bool:
        """Whether the game that was played is known to have ended."""
        return self.game is None and self.known is not None and self.known.state in ENDED

    @property
    def may_have_ended(self) -> bool:
        """Whether what came up over the board may be what the end of a game brings up."""
        has_just_ended = self.has_ended and self.last_end is not None and not self.is_begun_here
        has_guessed = self.game is not None and self.game.pending is not None
        return self.due is not Due.NOTHING or has_guessed or has_just_ended or self.is_soon_after_a_win

    @property
    def is_fresh_after_a_win(self) -> bool:
        """Whether nothing has been opened since a game was won: what that brings up may come late."""
        return self._won_at_s is not None and (self.known is None or self.known.state is GameState.FRESH)

    @property
    def is_soon_after_a_win(self) -> bool:
        """Whether what came up since the last clicks began may still be what a won game brings up."""
        won_at_s = self._won_at_s
        return self.is_fresh_after_a_win or (won_at_s is not None and self.clicked_at_s < won_at_s + LATE_DIALOG_S)

    @property
    def _won_at_s(self) -> float | None:
        """When the last game ended that may have been won, None where it was lost."""
        end = self.last_end
        return end.at_s if end is not None and end.result.result is not GameState.LOST else None


class Patience:
    """Knows what keeps play from going on, and since when.

    Args:
        reporter: told why play stops.
    """

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self.obstruction: Obstruction | None = None
        """What keeps play from going on; None where nothing does."""
        self.has_parked = False
        """Whether the pointer was taken off the board because cells under it cannot be read."""
        self.n_idle = 0
        """Queues of moves in a row that ended before their first click."""

    def has_lasted(self, seconds: float) -> bool:
        """Whether there is an obstruction, and has been for that long."""
        return self.obstruction is not None and self.obstruction.has_lasted(seconds)

    def wait_for(self, what: str, helps: str | None = None) -> State:
        """Wait for an obstruction to pass, no longer than `PATIENCE_S`.

        Args:
            what: the obstruction.
            helps: what a person may do about it; None: by what is seen.

        Raises:
            UnreadableError: it has not passed in that time.
        """
        if self.obstruction is None:
            self.obstruction = Obstruction(what, time.perf_counter())
        elif self.obstruction.has_lasted(PATIENCE_S):
            raise self._reporter.stop(what, self._reporter.what_helps if helps is None else helps)
        self.obstruction.what = what
        return State.WAITING

    def end(self) -> None:
        """Nothing keeps play from going on, or something was done about it."""
        self.obstruction = None


@dataclass(frozen=True, slots=True, eq=False)
class Play:
    """What plays on one board: where it stands, what it sees with, and what it acts with.

    Attributes:
        now: where it stands.
        settings: how a person wants it.
        control: start, pause, stop.
        view: the board.
        focus: whose window is where.
        skin: what cells may show.
        button: what lies around the button for a new game.
        actuator: the hand on the board.
        next_game: asks for another game, and closes dialogs.
        patience: waits for what keeps play from going on to pass.
        reporter: tells how it goes.
    """

    now: Situation
    settings: Settings
    control: Control
    view: GameView
    focus: FocusWatch
    skin: SkinInPlay
    button: NewGameButton
    actuator: Actuator
    next_game: NextGame
    patience: Patience
    reporter: Reporter
