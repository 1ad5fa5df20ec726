"""Plays games on one board, state by state, until they end.

    searching --> reading --> deciding --> clicking --> verifying --> deciding ...
        ^            |            |                         |
        |            +------------+---> waiting <-----------+    hidden, half painted, contradictory, gone:
        +---------------------------------+                      look again and search again, up to a limit
    beginning: a game is over, another is started      dialog: what a won game brings up is closed
    paused: by a person; what was seen before is looked at anew      stopped: the end, with the reason raised

Each state is one method, which does its work and names the next state; `_STEPS` lists them. `board_view`
looks, and finds the board again; `transitions` says what an observation means; `outcome` how a game has ended; `decide`
what to click; `actuator` clicks; `new_game` begins another game. Whatever the player does not understand, it does not
click on.
"""

from __future__ import annotations

import time
from dataclasses import astuple, dataclass, field, replace
from enum import Enum
from itertools import product
from typing import TYPE_CHECKING, ClassVar, Protocol

from bot.errors import BoardNotFoundError, BotError
from bot.learning.unknown_appearances import UnknownAppearances
from bot.models import Pixel
from bot.playing.actuator import Actuator, NoEffectError
from bot.playing.board_view import Found, KnownBoard, StandsStill, first_shown, watch_known
from bot.playing.clicks import DEAD_S
from bot.playing.control import FocusWatch, Pointer
from bot.playing.decide import PLAIN, Decision, Style, check_risk, decide_moves
from bot.playing.new_game import DIALOG_S, NewGameButton, NextGame
from bot.playing.outcome import STAYS_S, Clicked, Look, has_flagged_all, opens_numbers_only, outcome
from bot.playing.speeds import speed_named
from bot.playing.transitions import (
    ENDED,
    PATIENCE_S,
    Change,
    GameScore,
    Obstruction,
    classify_change,
    continues,
    n_opened,
)
from bot.vision.board_edge import watch_border
from bot.vision.cell_edges import has_lines_of
from bot.vision.finding import ClippedBoardError
from skins.profile_read import shipped_skin_names
from solver.board import CLOSED, FLAG, Action, GameState, Move
from solver.errors import DisagreementError, InconsistentError
from solver.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from bot.desktop import Desktop
    from bot.models import Frame, Grid, Reading
    from bot.playing.board_view import BoardSearch, GameObservation, Place
    from bot.playing.control import Control
    from bot.playing.results import GameResult
    from bot.playing.speeds import Speed
    from skins.skin import Skin, Sprite
    from solver.topology import Cell

NEW_GAME_TRIES = 12
_NEW_APPEARANCE_S = 0.5
"""Time after which an unknown cell, the pointer elsewhere, may show what the skin lacks, in seconds."""
_LOOK_S = 0.3  # longest time of one look while waiting for an obstruction to pass, in seconds
LATE_DIALOG_S = 3.0
"""Longest delay of a dialog that a won game brings up, in seconds: the next game may have begun by then."""
_MAX_IDLE = 40  # number of queues in a row that end before their first click by no chance
MOST_BROKEN_OFF = 8
"""Most games in a row that may give way to another one before their end, while no person pauses play."""
COVERED = "another window takes the clicks, though the board shows through it or beside it"
_OVER_THE_BUTTON = "another window lies over the button for a new game"


class Recorder(Protocol):
    """Somebody who keeps what was seen and decided; every method may raise `UsageError` where it cannot be kept."""

    def board(
        self, skin: Skin, grid: Grid, mines: int, style: Style = PLAIN, *, learned: Mapping[int, str] | None = None
    ) -> None:
        """A board was taken up, or is played in another style, or with more sprites known, from here on."""

    def decision(self, frame: Frame, reading: Reading, moves: list[Move]) -> None:
        """One picture of the board, what it was read as, and what was decided."""

    def result(self, result: GameResult) -> None:
        """How a game ended."""


class Watcher(Protocol):
    """Somebody who is told how play goes."""

    def entered(self, state: str) -> None:
        """The player is in another state now."""

    def decided(self, reading: Reading, moves: list[Move]) -> None:
        """Moves were decided on."""

    def ended(self, result: GameResult) -> None:
        """A game ended."""

    def remark(self, text: str) -> None:
        """Something a person should know."""


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


class UnreadableError(BoardNotFoundError):
    """The board is there but cannot be read: nothing was clicked on what is not understood."""


class Player:
    """Plays one found board.

    Args:
        desktop: screen, mouse and keyboard.
        place: the board, and the picture it was found on.
        search: finds it again.
        control: start, pause, stop.
        watcher: told how it goes.
        recorder: keeps what was seen and decided, or None.
        keep_picture: saves the picture of a board that cannot be read; returns where. OSError: it cannot.
        settings: how to play.
    """

    def __init__(
        self,
        desktop: Desktop,
        place: Place,
        search: BoardSearch,
        control: Control,
        watcher: Watcher,
        *,
        recorder: Recorder | None,
        keep_picture: Callable[[Frame], str],
        settings: Settings | None = None,
    ) -> None:
        self._desktop = desktop
        self._search = search
        self._control = control
        self._watcher = watcher
        self._recorder = recorder
        self._keep_picture = keep_picture
        self._settings = settings or Settings()
        self._view = watch_known(
            desktop.screen, control, KnownBoard(place.board, place.mines), place.frame, self._find_again
        )
        self._observation: GameObservation | None = None
        """The last one that was understood; what was seen while clicking is not."""
        self._met_appearances: UnknownAppearances | None = None
        """The appearances that the board's skin lacks; None until one was met."""
        self._focus = FocusWatch(desktop.programs)
        found_as = self._view.seen_on(place.frame).reading
        self._found_as: Reading | None = found_as
        """The board as it was found: the game that is looked for until another observation was understood."""
        self._focus.learn(first_shown(found_as))
        if not self._view.is_in_place():  # its window has moved meanwhile: what shows there is another one
            self._focus = FocusWatch(desktop.programs)
        self._button = NewGameButton(desktop.screen, place.board.skin)
        self._button.learn(place.board.grid)
        pointer = Pointer(
            desktop.mouse,
            desktop.keyboard,
            control,
            self._focus,
            self._say_taken,
            lambda keys: self._watcher.remark(f"{keys} held down: nothing is clicked until it is let go"),
            self._settings.on_click,
        )
        self._pointer = pointer
        self._actuator = Actuator(pointer, self._view, control, self._settings.speed)
        self._next_game = NextGame(pointer, self._view, control, self._focus, self._button)
        self._state = State.READING
        self._game: GameScore | None = None
        self._finished: list[GameResult] = []
        self._known: Reading | None = None
        self._decision = Decision([])
        self._left_over: list[Move] = []
        self._n_idle = self._n_broken_off = 0
        self._is_last_over = False
        self._style = self._settings.style.for_skin(place.board.skin)
        self._obstruction: Obstruction | None = None
        self._win_is_due = False
        self._may_have_won = False
        self._has_just_ended = False
        """Whether a game that was played has ended, and no person has had the mouse since."""
        self._has_begun_it = False
        """Whether another game has just been begun by the bot: what is open on the board belongs to it."""
        self._won_at: float | None = None
        self._clicked_at = 0.0
        self._has_parked = False
        self._unread_at_end: frozenset[Cell] = frozenset()
        self._note_place()

    @property
    def n_stray(self) -> int:
        """Clicks that would have left the board, and were refused."""
        return self._actuator.n_stray

    @property
    def state(self) -> State:
        """What the player is about."""
        return self._state

    def iter_games(self, n_games: int) -> Iterator[GameResult]:
        """Play a number of games, one after the other; a finished board is cleared first, a begun one is played on.

        Raises:
            Aborted: the abort key was pressed.
            UnreadableError: the board cannot be read, or contradicts itself, or the solver's two engines disagree.
            NoEffectError: the game takes no clicks.
            TooRiskyError: nothing is left but a guess above the limit.
        """
        for _ in range(n_games):
            yield self._play_one()

    def close_last_dialogs(self) -> None:
        """Close what the last game brought up, if it was won; a dialog may come up some time after it.

        A person who takes the mouse or the keyboard ends that: nothing is left to go on with.

        Raises:
            Aborted: the abort key was pressed.
        """
        self._is_last_over = True
        if self._known is not None and self._known.state is GameState.WON:
            self._focus.learn(first_shown(self._view.look().reading))
            self._next_game.close_late_dialogs()

    def _play_one(self) -> GameResult:
        """Step from state to state until a game has ended."""
        try:
            while not self._finished:
                before, self._state = self._state, self._STEPS[self._state](self)
                if self._state is not before:
                    self._watcher.entered(self._state.value)
        except BaseException:
            self._state = State.STOPPED
            self._watcher.entered(self._state.value)
            raise
        result = self._finished.pop()
        if self._recorder is not None:
            self._recorder.result(result)
        self._watcher.ended(result)
        return result

    # --- the states

    def _searching(self) -> State:
        """Look for the board on the whole screen."""
        if self._obstruction is not None:
            self._obstruction.note_search()
        before, was_in_place = self._view.grid, self._observation is None or self._observation.is_in_place
        try:
            found = self._view.relocate()
        except ClippedBoardError as error:
            if self._obstruction is None or self._obstruction.what != str(error):
                self._watcher.remark(str(error))
            if self._may_close_dialog:  # the board moved right before that came up
                return State.DIALOG
            return self._wait_for(str(error), "")
        if found is None:
            return self._hidden("the board is not where it was, and nowhere else on the screen")
        if self._view.grid != before:
            self._watcher.remark(
                f"the board has moved: it is at ({self._view.grid.origin.x},{self._view.grid.origin.y}) now"
            )
            self._button.learn(self._view.grid)
            self._note_place()
        elif not (found.is_whole or found.is_in_place or was_in_place):
            return self._hidden(_unreadable(found.reading))
        return State.READING

    def _find_again(self, _seen: GameObservation | None) -> Found[KnownBoard] | None:
        """Where the game that is on went, or another one that may be played in its place."""
        place = self._search.again(self._view.board.found, self._known or self._found_as, self._focus)
        if place is None:
            return None
        if place.board.grid == self._view.grid:
            return Found(place.frame, is_by_lines=place.is_by_lines)
        board = KnownBoard(place.board, place.mines)
        return Found(place.frame, (board, watch_border(place.frame, board.grid, board.skin)))

    def _settled(self, patience_s: float | None = None) -> GameObservation:
        """Look at the board until it stands still, or for that long."""
        self._observation = self._view.settled(None if patience_s is None else StandsStill(patience_s))
        return self._observation

    def _reading(self) -> State:
        """Look at the board."""
        return self._understand(self._settled(_LOOK_S if self._obstruction else None))

    def _verifying(self) -> State:
        """Look at what the clicks did; after the last one a dialog may come up."""
        before = self._known
        assert before is not None, "there was something to click on"
        is_last = not self._left_over and self._clicked.opens_the_last(before.board)
        observation = self._settled(DIALOG_S if is_last else None)
        self._win_is_due = is_last or has_flagged_all(before.board, observation.reading.board)
        return self._understand(observation)

    def _deciding(self) -> State:
        """Work out what to click."""
        reading = self._known
        assert reading is not None, "something was read"
        if self._has_worked_out(reading):
            return State.READING
        self._settle_style()
        try:
            positions = () if self._met_appearances is None else self._met_appearances.positions(self._frame, reading)
            with self._control.thinking():
                start = None if self._game is None else self._game.start
                self._decision = decide_moves(reading, self._style, positions, start)
        except InconsistentError as error:
            return self._wait_for(f"the board contradicts itself: {error}")
        except DisagreementError as error:
            raise UnreadableError(self._stop_message(f"the solver disagrees with itself: {error}")) from error
        self._obstruction = None
        taken_off = {move.cell for move in self._decision.moves if reading.board[move.cell] == FLAG}
        self._view.board.ignored_flags |= taken_off
        self._note(reading)
        if not self._decision.moves:
            raise BotError(f"nothing can be clicked on this board:\n{reading.board}")
        check_risk(self._decision.moves[0], reading, self._settings.risk_limit)
        return State.CLICKING

    def _settle_style(self) -> None:
        """Play on without chords where the clone has none, and at the prices of clicks that were measured.

        Chords that are to save time wait for the first click that has an effect: before that, nothing was measured.
        """
        asked, actuator = self._settings, self._actuator
        if self._style.chords and not actuator.can_chord and (actuator.has_chorded_in_vain or not asked.saves_time):
            self._watcher.remark("clicks on numbers open nothing here: no chords")
        style = replace(self._style, chords=asked.style.chords and actuator.can_chord)
        if style.chords and asked.saves_time:
            is_measured = actuator.pace.effect_s is not None
            style = replace(style, chords=is_measured, prices=actuator.pace.prices)
        if style != self._style:
            self._style = style
            self._note_place()

    def _clicking(self) -> State:
        """Make the moves."""
        game, reading = self._game, self._known
        assert game is not None, "a game is on where something is clicked"
        assert reading is not None, "it was read"
        if self._is_fresh_after_a_win and self._next_game.may_close_dialog:  # it hides no cell, but takes the clicks
            return self._without_dialogs()
        move = self._decision.moves[0]
        game.pending = move if move.is_guess else None
        if reading.state is GameState.FRESH and move.action is Action.OPEN:
            game.start = move.cell
        n_before, self._clicked_at = self._actuator.n_clicks, time.perf_counter()
        try:
            sure = self._decision.sure_numbers if self._actuator.pace.n_ahead > 1 else frozenset()
            self._left_over = self._actuator.perform(self._decision.moves, reading, sure, self._decide_ahead)
        except NoEffectError:
            if self._is_soon_after_a_win and self._next_game.may_close_dialog:  # it came up when clicks were under way
                return self._without_dialogs()
            struck = self._struck(game, reading)
            if struck is None:
                raise
            self._known = struck
            return self._ended(struck)
        game.ended_at = time.perf_counter()
        reading = self._known or reading  # where more was decided meanwhile
        has_won = self._clicked.are_all and self._clicked.opens_the_last(reading.board)
        self._may_have_won = has_won or not opens_numbers_only(self._decision)  # a flood may have opened what was left
        self._next_game.goes_on()
        if not self._control.is_running:
            return State.PAUSED
        self._n_idle = 0 if self._actuator.n_clicks > n_before else self._n_idle + 1
        if self._n_idle > _MAX_IDLE:
            what = COVERED if self._actuator.is_covered else "the board does not stand still long enough to be clicked"
            raise UnreadableError(self._stop_message(what))
        if self._actuator.is_covered:
            self._control.wait(self._view.board.skin.retry_s / 2)
        return State.VERIFYING

    def _decide_ahead(self, observation: GameObservation) -> Decision | None:
        """What an observation proves while clicks are under way: cells to open. All else waits for their effect."""
        reading, game = observation.reading, self._game
        if reading.state in ENDED or self._style.efficient:
            return None
        try:
            with self._control.thinking():
                decision = decide_moves(reading, self._style, (), None if game is None else game.start)
        except (InconsistentError, DisagreementError):
            return None
        if any(move.action is not Action.OPEN or move.is_guess for move in decision.moves):
            return None
        self._observation, self._known, self._decision = observation, reading, decision
        self._note(reading)
        return decision

    def _without_dialogs(self) -> State:
        """Close what a won game brought up; look again then."""
        self._next_game.close_dialogs_beside()
        return State.READING if self._control.is_running else State.PAUSED

    def _waiting(self) -> State:
        """Give an obstruction time to pass; look for the board elsewhere now and then."""
        obstruction = self._obstruction
        assert obstruction is not None, "something is waited for"
        self._pointer.give_way()
        if not self._control.is_running:
            return State.PAUSED
        self._control.wait(self._view.board.skin.retry_s / 2)
        return State.SEARCHING if obstruction.is_time_to_search else State.READING

    def _dialog(self) -> State:
        """Close what a won game brought up, with the skin's key."""
        if not self._next_game.close_dialog():
            return State.READING if self._control.is_running else State.PAUSED
        self._obstruction = None  # something was done about it
        return self._understand(self._settled(DIALOG_S))

    def _beginning(self) -> State:
        """Start another game, however often that takes; a dialog that came up late is closed first.

        A dialog beside the board hides no cell, but takes the clicks: where the end may have raised one, it is closed.
        """
        ended = self._known
        assert ended is not None, "a game has ended"
        self._win_is_due = ended.state is GameState.WON
        self._control.wait(self._next_game.skin_says.pause_s)
        for n_asked in range(1, NEW_GAME_TRIES + 1):
            observation = self._settled(DIALOG_S if self._win_is_due or self._unread_at_end else None)
            if not self._control.is_running:
                return State.PAUSED
            if not observation.is_in_place or not self._unread_at_end.issuperset(observation.reading.unknown):
                self._next_game.goes_on()
                return self._understand(observation)
            hindered = self._hindered(observation.reading)
            if hindered is not None:
                return hindered
            if not self._next_game.ask(observation, ended):
                if self._actuator.is_covered:  # a dialog that has come up just now
                    self._control.wait(DIALOG_S)
                    continue
                return State.READING if self._control.is_running else State.PAUSED
            if self._next_game.has_begun(ended, n_asked):
                self._known = self._obstruction = self._found_as = None
                self._win_is_due = self._may_have_won = self._has_just_ended = False
                self._has_begun_it = True
                self._view.board.ignored_flags = self._unread_at_end = frozenset()
                return State.READING
        if self._actuator.is_covered:
            raise UnreadableError(self._stop_message(_OVER_THE_BUTTON + self._who_has_keyboard()))
        raise BotError("no new game began: it was asked for as the skin says, and the board stayed as it was")

    def _hindered(self, reading: Reading) -> State | None:
        """What follows where another game cannot be asked for or would not be seen; None where nothing hinders."""
        if self._win_is_due or self._has_just_ended:
            self._next_game.close_dialogs_beside()
        if not self._next_game.may_ask():
            return self._wait_for(_OVER_THE_BUTTON)
        if not self._focus.shows_only_played(self._corners(reading.unknown)):
            return self._hidden(_unreadable(reading))
        return None

    def _paused(self) -> State:
        """Let a person do what they like; then look at everything anew."""
        paused_at = time.perf_counter()
        self._control.check()
        self._obstruction, self._n_broken_off = None, 0
        self._won_at, self._has_just_ended = None, False  # what is up over another game now may be the person's
        self._may_have_won = self._has_begun_it = False
        if self._game is not None:
            self._game.started_at += time.perf_counter() - paused_at
        return State.READING

    _STEPS: ClassVar[dict[State, Callable[[Player], State]]] = {
        State.SEARCHING: _searching,
        State.READING: _reading,
        State.DECIDING: _deciding,
        State.CLICKING: _clicking,
        State.VERIFYING: _verifying,
        State.WAITING: _waiting,
        State.DIALOG: _dialog,
        State.BEGINNING: _beginning,
        State.PAUSED: _paused,
    }

    # --- what an observation leads to

    def _understand(self, seen: GameObservation) -> State:
        """The state that follows from an observation."""
        if not seen.is_in_place:
            self._wait_for(self._obstruction.what if self._obstruction else "the board does not keep its place")
            return State.SEARCHING
        reading = self._completed(seen.reading)
        is_half = seen.is_half_painted if reading is seen.reading else self._view.board.is_half_painted(reading)
        change = classify_change(reading, self._known, is_half_painted=is_half)
        if change is Change.HIDDEN:
            return self._unread(reading)
        self._actuator.hides_cells |= self._has_parked
        self._has_parked = False
        if change is Change.HALF_PAINTED or (change is Change.CHANGED and not self._has_lasted(STAYS_S)):
            return self._wait_for(change.value)
        if change in {Change.CHANGED, Change.ANOTHER_GAME} and self._is_overlaid():
            return self._wait_for("another window with a board lies over it")
        if change is Change.ANOTHER_GAME and self._game is not None:
            self._break_off()
        self._known = reading
        if reading.state in ENDED:
            return self._ended(reading)
        if self._game is None:
            now = time.perf_counter()
            n_open, actuator = n_opened(reading.board), self._actuator
            is_whole = n_open == 0 or self._has_begun_it
            self._game = GameScore(now, now, n_open, actuator.n_clicks, actuator.n_retries, is_whole)
        self._game.settle_guess(reading)
        return State.DECIDING

    def _break_off(self) -> None:
        """Forget the game that was on: another one is on the board.

        Raises:
            BotError: it is as with the games before, and nobody is there to end that.
        """
        self._watcher.remark("another game was begun on the board: the one before does not count")
        self._game, self._has_begun_it = None, False
        self._next_game.broke_off()
        self._n_broken_off += 1
        if self._n_broken_off > MOST_BROKEN_OFF:
            raise BotError(
                f"{self._n_broken_off} games in a row gave way to another one before their end: nothing more was "
                "clicked. A key or a dialog of the game may begin it anew: play one by hand, and see what it asks"
            )

    def _completed(self, reading: Reading) -> Reading:
        """A finished board's reading, with the mines that it must show where it cannot be read; any other as it is."""
        known = self._known
        if not reading.unknown and reading.state is not GameState.WON:
            return reading
        if self._has_ended and known is not None:
            is_left = self._unread_at_end.issuperset(reading.unknown)
            return known if is_left and continues(reading, known) else reading
        end = outcome(known, self._clicked, Look(reading, self._frame))
        is_to_be_flagged = self._style.flags_to_win and bool((reading.board.cells == CLOSED).any())
        if end is None or (end.state is GameState.WON and is_to_be_flagged):
            return reading
        self._unread_at_end = frozenset(reading.unknown)
        return end

    def _is_painted_as_ended(self, reading: Reading) -> bool:
        """Whether a board whose numbers, or whose guess, cannot be read is that of an ended game; it is known so then.

        The board has stayed so for a while, in its place, and no window lies over it or over the button beside it.
        """
        if self._game is None or self._known is None or not self._has_lasted(STAYS_S):
            return False
        if not self._focus.is_all_of_window(self._corners(reading.unknown)) or not self._next_game.may_ask():
            return False
        with self._control.thinking():
            end = outcome(self._known, self._clicked, Look(reading, self._frame, STAYS_S, self._sure_numbers()))
        if end is not None:
            self._unread_at_end, self._known = frozenset(reading.unknown), end
        return end is not None

    def _struck(self, game: GameScore, reading: Reading) -> Reading | None:
        """A board that takes no clicks, as one that its last guess lost, where that shows what the skin lacks."""
        guesses = [Move(Action.OPEN, guess.cell, guess.p_mine) for guess in game.guesses[-1:]]
        return outcome(reading, Clicked(guesses), Look(reading, self._frame, DEAD_S))

    def _sure_numbers(self) -> frozenset[int]:
        """The numbers that can be read, where each has the same pixels on every machine."""
        skin, grid = self._view.board.skin, self._view.grid
        is_native = grid.is_whole and grid.pitch_px == skin.pitch_px
        has_same_pixels = is_native and skin.drawing.has_same_pixels
        return frozenset(int(sprite.state) for sprite in skin.sprites if sprite.state.isdecimal() and has_same_pixels)

    def _corners(self, cells: Iterable[Cell]) -> Iterator[Pixel]:
        """Pixels that no window can miss that lies over one of these cells, but for one smaller than a cell."""
        for cell in cells:
            left, top, width, height = astuple(self._view.grid.cell_region(cell))
            yield from (Pixel(x, y) for x in (left, left + width - 1) for y in (top, top + height - 1))

    def _is_overlaid(self) -> bool:
        """Whether it is known that another window shows where the board is."""
        return self._focus.knows_windows and not self._focus.is_same_window([self._view.grid.region.middle])

    def _unread(self, reading: Reading) -> State:
        """Some cells cannot be read: the pointer may be over one, its sprite may be missing, something may hide it."""
        if self._actuator.is_over(reading.unknown) and not self._has_parked:
            self._has_parked = True  # some clones draw the cell under the pointer otherwise
            return State.READING if self._actuator.park() else State.PAUSED
        if self._has_lasted(_NEW_APPEARANCE_S) and (self._has_better_skin(reading) or self._has_learned(reading)):
            return State.READING
        if self._is_painted_as_ended(reading):
            assert self._known is not None, "the end is known"
            return self._ended(self._known)
        # A part of the game's own window may lie over a game that has ended, as on web pages.
        if self._has_ended and self._focus.is_all_of_window(self._corners(reading.unknown)):
            self._unread_at_end |= frozenset(reading.unknown)
            return State.BEGINNING
        self._focus.learn(first_shown(reading))
        return self._hidden(_unreadable(reading))

    def _has_lasted(self, seconds: float) -> bool:
        """Whether there is an obstruction, and has been for that long."""
        return self._obstruction is not None and self._obstruction.has_lasted(seconds)

    def _has_better_skin(self, reading: Reading) -> bool:
        """Whether another skin reads more of the board: it is read with that one from here on."""
        skin = self._search.better_skin(self._view.board.found, self._frame, reading)
        if skin is None:
            return False
        self._watcher.remark(f"skin {skin.name} reads more of the board than {reading.skin}: it is read with that one")
        self._view.board.set_skin(skin)
        self._met_appearances = None
        self._button.set_skin(skin, self._view.grid)
        self._style = self._style.for_skin(skin)
        self._note_place()
        return True

    def _has_learned(self, reading: Reading) -> bool:
        """Whether unknown cells turn out to show appearances that the skin does not have: it has them from here on."""
        self._met_appearances = self._met_appearances or UnknownAppearances(self._view.board.skin)
        with self._control.thinking():
            learned = self._met_appearances.meet(self._frame, reading, self._known, self._decision.moves)
        return self._is_read_anew(self._met_appearances, learned)

    def _has_worked_out(self, reading: Reading) -> bool:
        """Whether a board tells what an appearance means that had no label yet."""
        if self._met_appearances is None or not self._met_appearances.has_open:
            return False
        with self._control.thinking():
            learned = self._met_appearances.narrow(self._frame, reading)
        return self._is_read_anew(self._met_appearances, learned)

    def _is_read_anew(self, appearances: UnknownAppearances, learned: list[str]) -> bool:
        """Read with what was learned, if anything was; say what."""
        for what in learned:
            self._watcher.remark(what)
        if learned:
            self._view.board.set_skin(appearances.skin)
            self._note_place()
        return bool(learned)

    def _hidden(self, what: str) -> State:
        """Something lies over the board: close what is the game's own where that may have ended; else wait."""
        if self._may_close_dialog:
            return State.DIALOG
        if self._may_have_ended:
            layer = self._next_game.layer() if self._has_lasted(STAYS_S) else None
            if layer is not None:
                return self._laid_over(layer, what)
            won = None if self._focus.knows_windows or not self._has_lasted(STAYS_S) else self._hidden_end()
            if won is not None and won.state is GameState.WON:  # what lies over it may be another program's
                return self._ended_unseen(won)
        hint = " (if the game shows a dialog, close it)" if self._may_have_ended else ""
        return self._wait_for(what + (self._who_has_keyboard() or hint))

    def _who_has_keyboard(self) -> str:
        """What a person should know if it is another window of the game; empty where it is not."""
        has_other = self._focus.has_other_window()
        return ", and another window of the game has the keyboard (close it)" if has_other else ""

    def _laid_over(self, seen: GameObservation, what: str) -> State:
        """The board's own window hides part of it, or painted it anew: close a message; what stays ended the game."""
        if self._next_game.may_close_layer:
            return State.DIALOG
        if self._game is None:
            end = self._known
        else:
            end = self._hidden_end()
            if end is None and has_lines_of(seen.wide, self._view.grid):  # painted anew, and nothing lies over it
                with self._control.thinking():
                    end = outcome(self._known, self._clicked, Look(seen.reading, seen.wide, STAYS_S))
        if end is None:
            return self._wait_for(what)
        self._view.accept(seen)
        return self._ended_unseen(end)

    def _hidden_end(self) -> Reading | None:
        """The end of the game that is on, by what was clicked last; None where it is not known, or no game is on."""
        return None if self._game is None else outcome(self._known, self._clicked, None)

    def _ended_unseen(self, end: Reading) -> State:
        """The game has ended so, and the board shows it nowhere."""
        self._known, self._unread_at_end = end, frozenset(product(*map(range, end.board.shape)))
        return self._ended(end)

    @property
    def _clicked(self) -> Clicked:
        """What was clicked since the board was known."""
        return Clicked(self._decision.moves, are_all=self._actuator.has_clicked_all)

    @property
    def _may_close_dialog(self) -> bool:
        """Whether a dialog is up that the end of a game may have brought."""
        return self._may_have_ended and self._next_game.may_close_dialog

    @property
    def _may_have_ended(self) -> bool:
        """Whether the last clicks may have ended the game: a win is due, a guess was made, or its end was seen."""
        has_guessed = self._game is not None and self._game.pending is not None
        may_be_won = self._win_is_due or self._may_have_won or self._is_soon_after_a_win
        return may_be_won or has_guessed or self._has_just_ended

    @property
    def _has_ended(self) -> bool:
        """Whether the game that was played is known to have ended."""
        return self._game is None and self._known is not None and self._known.state in ENDED

    @property
    def _is_fresh_after_a_win(self) -> bool:
        """Whether nothing has been opened since a game was won: what that brings up may come late."""
        return self._won_at is not None and (self._known is None or self._known.state is GameState.FRESH)

    @property
    def _is_soon_after_a_win(self) -> bool:
        """Whether what came up since the last clicks began may still be what a won game brings up."""
        is_soon = self._won_at is not None and self._clicked_at < self._won_at + LATE_DIALOG_S
        return self._is_fresh_after_a_win or is_soon

    def _ended(self, reading: Reading) -> State:
        """A finished board: the end of the game that was on, or what is left of another."""
        game = self._game
        if game is None:
            return State.BEGINNING
        self._obstruction = None
        self._has_worked_out(reading)  # for the games to come
        game.settle_guess(reading)
        if reading.state is GameState.WON and self._style.flags_to_win and (reading.board.cells == CLOSED).any():
            return State.DECIDING
        self._decision = Decision([])
        self._note(reading)
        actuator = self._actuator
        result = game.result(reading, self._mines, n_clicks=actuator.n_clicks, n_retries=actuator.n_retries)
        self._finished.append(result)
        self._n_broken_off = 0
        self._game, self._has_just_ended, self._has_begun_it = None, True, False
        self._won_at = time.perf_counter() if result.result is GameState.WON else None
        return State.BEGINNING

    def _wait_for(self, what: str, helps: str | None = None) -> State:
        """Wait for an obstruction to pass, no longer than `PATIENCE_S`.

        Args:
            what: the obstruction.
            helps: what a person may do about it; None: by what is seen.

        Raises:
            UnreadableError: it has not passed in that time.
        """
        if self._obstruction is None:
            self._obstruction = Obstruction(what, time.perf_counter())
        elif self._obstruction.has_lasted(PATIENCE_S):
            raise UnreadableError(self._stop_message(what, self._what_helps() if helps is None else helps))
        self._obstruction.what = what
        return State.WAITING

    def _what_helps(self) -> str:
        """What a person may do about a board that is not seen whole; empty where all of it can be read."""
        seen, focus = self._observation, self._focus
        if seen is None or (seen.is_in_place and not seen.reading.unknown):
            return ""
        if focus.window is not None and not focus.has_window:
            return "Its window is closed."
        cells = seen.reading.unknown if seen.is_in_place else tuple(product(*map(range, seen.reading.board.shape)))
        if focus.window is not None and not focus.is_all_of_window(self._corners(cells)):
            return "Another window lies over it, or its own is an icon or elsewhere: bring it to the front."
        if not seen.is_in_place:
            return "Show all of it, as it was."
        name = self._view.board.skin.name
        own = "NAME" if name in shipped_skin_names() else f"{name} --force"
        return f"If nothing lies over it, skin {name} lacks a look: minebot-calibrate --live --name {own} learns it"

    @property
    def _mines(self) -> int:
        """How many mines the board has."""
        mines = self._view.board.mines
        assert mines is not None, "a board is played only where its mine count is known"
        return mines

    @property
    def _frame(self) -> Frame:
        """The board in the last observation that was understood."""
        assert self._observation is not None, "a reading comes from an observation"
        return self._observation.frame

    def _note(self, reading: Reading) -> None:
        if self._recorder is not None:
            self._recorder.decision(self._frame, reading, self._decision.moves)
        self._watcher.decided(reading, self._decision.moves)

    def _note_place(self) -> None:
        if self._recorder is not None:
            board = self._view.board
            learned = {} if self._met_appearances is None else self._met_appearances.learned
            self._recorder.board(board.skin, board.grid, self._mines, self._style, learned=learned)

    @property
    def learned(self) -> tuple[Skin, tuple[Sprite, ...]] | None:
        """The skin that is played with, and the sprites that play has proven of it; None where there are none."""
        sprites = () if self._met_appearances is None else self._met_appearances.proven
        return (self._view.board.skin, sprites) if sprites else None

    def _stop_message(self, what: str, hint: str = "") -> str:
        """What happened, what may help, and where the last picture is, if there is one: a line each."""
        return "\n".join(line for line in (f"{what}: nothing more was clicked", hint, self._kept()) if line)

    def _kept(self) -> str:
        """Keep the last picture, if there is one; says where."""
        if self._observation is None:
            return ""
        try:
            return f"Its picture is kept in {self._keep_picture(self._observation.frame)}"
        except OSError as error:
            return f"Its picture cannot be kept: {error}"

    def _say_taken(self, what: str) -> None:
        then = "the last dialog is left open" if self._is_last_over else f"paused; {self._control.start_name} goes on"
        self._watcher.remark(f"{what}: {then}")


def _unreadable(reading: Reading) -> str:
    return f"{counted(len(reading.unknown), 'cell')} cannot be read"
