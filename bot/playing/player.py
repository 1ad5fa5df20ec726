"""Plays games on one board, state by state, until they end.

    searching --> reading --> deciding --> clicking --> verifying --> deciding ...
        ^            |            |                         |
        |            +------------+---> waiting <-----------+    hidden, half painted, contradictory, gone:
        +---------------------------------+                      look again and search again, up to a limit
    beginning: a game is over, another is started      dialog: what a won game brings up is closed
    paused: by a person; what was seen before is looked at anew      stopped: the end, with the reason raised

A state is a function of the `Play`: it does its work, changes the `Situation`, and names the next state. `_STEPS` lists
them. Whatever the player does not understand, it does not click on.

| room | has |
|---|---|
| `situation` | what is known: of the board, the game that is on, and the last end |
| `perception` | searching, reading, verifying, waiting: looks, and says what follows |
| `mover` | deciding, clicking |
| `ends` | what follows where a game has ended, or may have: by `outcome` |
| `aftermath` | dialog, beginning: what the end brings up is closed, another game begun |
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bot.playing import aftermath, mover, perception
from bot.playing.actuator import Actuator
from bot.playing.board_view import Found, KnownBoard, first_shown, watch_known
from bot.playing.control import FocusWatch, Pointer
from bot.playing.new_game import NewGameButton, NextGame
from bot.playing.reporter import Reporter
from bot.playing.situation import Patience, Play, Settings, Situation, State
from bot.playing.skin_in_play import SkinInPlay
from bot.vision.board_edge import watch_border

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.desktop import Desktop
    from bot.models import Frame, Reading
    from bot.playing.board_view import BoardSearch, GameObservation, GameView, Place
    from bot.playing.control import Control
    from bot.playing.reporter import Recorder, Watcher
    from bot.playing.results import GameResult
    from skins.skin import Skin, Sprite


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

    Attributes:
        play: where it stands, and what it sees and acts with.
        state: what the player is about.
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
        settings, skin = settings or Settings(), place.board.skin
        board = KnownBoard(place.board, place.mines)
        reading = board.read(place.frame)
        now = Situation(settings.style.for_skin(skin), reading)
        focus = _focus_on(desktop, place, reading)
        view = _watch(desktop, place.frame, board, search, control, focus, now)
        reporter = Reporter(now, view, focus, watcher, recorder, keep_picture)
        pointer = Pointer(
            desktop.mouse,
            desktop.keyboard,
            control,
            focus,
            self._say_taken,
            lambda keys: reporter.remark(f"{keys} held down: nothing is clicked until it is let go"),
            settings.on_click,
        )
        button = NewGameButton(desktop.screen, skin)
        button.learn(place.board.grid)
        self.play = Play(
            now=now,
            settings=settings,
            control=control,
            view=view,
            focus=focus,
            skin=SkinInPlay(now, view, search, button, control, reporter),
            button=button,
            actuator=Actuator(pointer, view, control, settings.speed),
            next_game=NextGame(pointer, view, control, focus, button),
            patience=Patience(reporter),
            reporter=reporter,
        )
        self.state = State.READING
        self._is_last_over = False

    @property
    def n_stray(self) -> int:
        """Clicks that would have left the board, and were refused."""
        return self.play.actuator.n_stray

    @property
    def learned(self) -> tuple[Skin, tuple[Sprite, ...]] | None:
        """The skin that is played with, and the sprites that play has proven of it; None where there are none."""
        return self.play.skin.proven

    def iter_games(self, n_games: int) -> Iterator[GameResult]:
        """Play a number of games, one after the other; a finished board is cleared first, a begun one is played on.

        Raises:
            Aborted: the abort key was pressed.
            UnreadableError: the board cannot be read, or contradicts itself, or the solver's two engines disagree.
            NoEffectError: the game takes no clicks.
            TooRiskyError: nothing is left but a guess above the limit.
        """
        for _ in range(n_games):
            while (result := self.step()) is None:
                pass
            yield result

    def step(self) -> GameResult | None:
        """Do the work of one state, and enter the next one; how a game ended, if one did with it.

        Raises:
            BotError: as `iter_games` does; nothing follows then.
        """
        now, before, last_end = self.play.now, self.state, self.play.now.last_end
        try:
            self.state = _STEPS[before](self.play)
        except BaseException:
            self.state = State.STOPPED
            self.play.reporter.entered(self.state.value)
            raise
        if self.state is not before:
            self.play.reporter.entered(self.state.value)
        if now.last_end is None or now.last_end is last_end:
            return None
        self.play.reporter.ended(now.last_end.result)
        return now.last_end.result

    def close_last_dialogs(self) -> None:
        """Close what the last game brought up, if it was won; a dialog may come up some time after it.

        A person who takes the mouse or the keyboard ends that: nothing is left to go on with.

        Raises:
            Aborted: the abort key was pressed.
        """
        self._is_last_over = True
        aftermath.close_late_dialogs(self.play)

    def _say_taken(self, what: str) -> None:
        """A person has taken the mouse or the keyboard."""
        paused = f"paused; {self.play.control.start_name} goes on"
        self.play.reporter.remark(f"{what}: {'the last dialog is left open' if self._is_last_over else paused}")


def _pauses(play: Play) -> State:
    """Let a person do what they like; then look at everything anew."""
    paused_at = time.perf_counter()
    play.control.check()
    play.patience.end()
    play.next_game.n_broken_off = 0
    play.now.resume(time.perf_counter() - paused_at)
    return State.READING


_STEPS: dict[State, Callable[[Play], State]] = {
    State.SEARCHING: perception.searches,
    State.READING: perception.reads,
    State.DECIDING: mover.decides,
    State.CLICKING: mover.clicks,
    State.VERIFYING: perception.verifies,
    State.WAITING: perception.waits,
    State.DIALOG: aftermath.closes_dialog,
    State.BEGINNING: aftermath.begins_game,
    State.PAUSED: _pauses,
}
"""What is done in each state; it names the next one."""


def _focus_on(desktop: Desktop, place: Place, reading: Reading) -> FocusWatch:
    """Learn which program is played; none where its window has moved since the board was found: another shows there."""
    focus, border = FocusWatch(desktop.programs), watch_border(place.frame, place.board.grid, place.board.skin)
    focus.learn(first_shown(reading))
    is_in_place = border.is_still_there(desktop.screen.grab(border.region))
    return focus if is_in_place else FocusWatch(desktop.programs)


def _watch(
    desktop: Desktop,
    frame: Frame,
    board: KnownBoard,
    search: BoardSearch,
    control: Control,
    focus: FocusWatch,
    now: Situation,
) -> GameView:
    """Watch the board; found again is where the game that is on went, or another one that may be played instead."""

    def find_again(_seen: GameObservation | None) -> Found[KnownBoard] | None:
        found = search.again(view.board.found, now.known or now.found_as, focus)
        if found is None:
            return None
        if found.board.grid == view.grid:
            return Found(found.frame, is_by_lines=found.is_by_lines)
        board = KnownBoard(found.board, found.mines)
        return Found(found.frame, (board, watch_border(found.frame, board.grid, board.skin)))

    view = watch_known(desktop.screen, control, board, frame, find_again)
    return view
