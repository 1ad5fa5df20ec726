"""Plays games on one board: read, decide, click, until they end.

The player knows what comes after what; how to look is the business of `bot.eyes`, how to click of `bot.actuator`,
what to click of `bot.decide`. Whatever it does not understand, it does not click on: it looks again, and in the end
stops with a picture saved.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.actuator import Actuator
from bot.decide import decide
from bot.errors import BoardNotFoundError, BotError
from bot.eyes import Eyes, is_half_painted
from bot.layouts import bbbv_of_end
from bot.results import GameResult, Guess
from solver.board import CLOSED, FLAG, closed_mask
from solver.errors import DisagreementError, InconsistentError
from solver.game import GameState
from solver.moves import Action

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bot.control import Control
    from bot.journal import Journal
    from bot.locate import FoundBoard
    from bot.models import Frame, Reading
    from bot.ports import Keyboard, Mouse, Screen
    from solver.board import Board
    from solver.moves import Move

DIALOG_S = 0.4
"""How long a dialog may take to close, or the next one to come up."""
MAX_DIALOGS = 6
"""More dialogs than this are not the end of a game."""
NEW_GAME_S = 1.5
"""How long a game may take to show a fresh board after the spot was clicked."""
NEW_GAME_TRIES = 4
ENDED = (GameState.WON, GameState.LOST)


class Watcher(Protocol):
    """Somebody who is told how play goes."""

    def decided(self, reading: Reading, moves: list[Move]) -> None:
        """Moves were decided on."""

    def ended(self, result: GameResult) -> None:
        """A game ended."""

    def remark(self, text: str) -> None:
        """Something a person should know."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The machine, as the player uses it."""

    screen: Screen
    mouse: Mouse
    keyboard: Keyboard


class UnreadableError(BoardNotFoundError):
    """The board is there but cannot be read: nothing was clicked on what is not understood."""


class Player:
    """Plays one found board.

    Args:
        ports: screen, mouse and keyboard.
        board: where it is and how it looks.
        mines: how many mines it has.
        control: start, pause, stop.
        watcher: told how it goes.
        journal: records what was seen and decided, or None.
        keep_picture: saves the picture of a board that cannot be read; returns where.
    """

    def __init__(
        self,
        ports: Ports,
        board: FoundBoard,
        mines: int,
        control: Control,
        watcher: Watcher,
        *,
        journal: Journal | None,
        keep_picture: Callable[[Frame], str],
    ) -> None:
        self._mines = mines
        self._control = control
        self._watcher = watcher
        self._journal = journal
        self._keep_picture = keep_picture
        self._keyboard = ports.keyboard
        self._eyes = Eyes(ports.screen, board, mines, control)
        self._hand = Actuator(ports.mouse, self._eyes, control, self._mouse_taken)
        self._win_is_due = False
        if journal is not None:
            journal.board(board.skin, board.grid, mines)

    @property
    def n_stray(self) -> int:
        """Clicks that would have left the board, and were refused."""
        return self._hand.n_stray

    def iter_games(self, n_games: int) -> Iterator[GameResult]:
        """Play so many games, one after the other; a finished board is cleared first, a begun one is played on.

        Raises:
            Aborted: the abort key was pressed.
            UnreadableError: the board cannot be read, or contradicts itself, or the solver's two engines disagree.
            NoEffectError: the game takes no clicks.
        """
        reading = self._eyes.settled()
        for n in range(n_games):
            if n > 0 or reading.state in ENDED:
                reading = self._start_new_game(after=reading.state)
            reading, result = self._play(reading)
            if self._journal is not None:
                self._journal.result(result)
            self._watcher.ended(result)
            yield result

    def _play(self, reading: Reading) -> tuple[Reading, GameResult]:
        """Play from here to the end: the last reading, and how it went."""
        clicks_before = self._hand.n_clicks
        started_at = ended_at = time.perf_counter()
        opened_at_start = n_opened(reading.board)
        guesses: list[Guess] = []
        self._win_is_due = False
        while True:
            reading, moves = self._understand(reading)
            self._note(reading, moves)
            if reading.state in ENDED:
                break
            if not moves:
                raise BotError(f"nothing can be clicked on this board:\n{reading.board}")
            left_over = self._hand.perform(moves, reading)
            ended_at = time.perf_counter()
            guesses += [Guess(move.cell, move.p_mine) for move in moves if move.is_guess and move not in left_over]
            is_last = not left_over and opens_the_last(moves, reading.board)
            before, reading = reading, self._eyes.settled(DIALOG_S if is_last else None)
            self._win_is_due = is_last or has_flagged_all(before.board, reading.board)
        return reading, GameResult(
            result=reading.state,
            rows=self._eyes.grid.rows,
            cols=self._eyes.grid.cols,
            mines=self._mines,
            seconds=ended_at - started_at,
            n_clicks=self._hand.n_clicks - clicks_before,
            n_opened=n_opened(reading.board) - opened_at_start,
            bbbv=bbbv_of_end(reading.board),
            guesses=tuple(guesses),
        )

    def _understand(self, reading: Reading) -> tuple[Reading, list[Move]]:
        """Make sense of a reading: close dialogs after a win, look again at what contradicts itself."""
        if reading.unknown:
            reading = self._close_dialogs(reading)
        for last_try in (False, True):
            try:
                if not is_half_painted(reading):
                    return reading, decide(reading)
                doubt = "an open 0 beside a closed cell does not go away"
            except InconsistentError as error:
                doubt = f"the board contradicts itself: {error}"
            except DisagreementError as error:
                raise UnreadableError(self._stop_message(f"the solver disagrees with itself: {error}")) from error
            if last_try:
                raise UnreadableError(self._stop_message(doubt))
            self._control.wait(self._eyes.skin.retry_s)
            reading = self._eyes.settled()
            if reading.unknown:
                break
        raise UnreadableError(self._stop_message(f"{len(reading.unknown)} cells cannot be read"))

    def _close_dialogs(self, reading: Reading) -> Reading:
        """After the last safe cell a dialog may cover the board: close it with the skin's key; never otherwise."""
        key = self._eyes.skin.new_game.dialog_key
        for _ in range(MAX_DIALOGS if key is not None and self._win_is_due else 0):
            assert key is not None, "guarded by the range"
            self._press_dialog_key(key)
            reading = self._eyes.settled(DIALOG_S)
            if not reading.unknown:
                return reading
        raise UnreadableError(self._stop_message(f"{len(reading.unknown)} cells cannot be read"))

    def _press_dialog_key(self, key: str) -> None:
        self._control.check()
        self._keyboard.press(key)
        self._control.wait(DIALOG_S)

    def _start_new_game(self, after: GameState) -> Reading:
        """Click the new-game spot until another game is there; a dialog that came up late is closed first.

        A dialog beside the board hides no cell, but takes the clicks: where a win may have raised one and the spot
        did nothing, the dialog key is pressed too.
        """
        self._win_is_due = after is GameState.WON
        key = self._eyes.skin.new_game.dialog_key
        self._control.wait(self._eyes.skin.new_game.pause_s)
        for n_tried in range(NEW_GAME_TRIES):
            reading = self._eyes.settled(DIALOG_S if self._win_is_due else None)
            ended = reading.board
            if reading.unknown:
                self._close_dialogs(reading)
            elif n_tried and self._win_is_due and key is not None:
                self._press_dialog_key(key)
            self._hand.click_spot()
            deadline = time.perf_counter() + NEW_GAME_S
            while time.perf_counter() < deadline:
                reading = self._eyes.glance()
                if is_another_game(reading, ended):
                    return self._eyes.settled()
                self._control.wait(0.02)
        raise BotError("no new game began: the spot declared by the skin was clicked, and the board stayed as it was")

    def _note(self, reading: Reading, moves: list[Move]) -> None:
        if self._journal is not None:
            assert self._eyes.frame is not None, "a reading comes from a frame"
            self._journal.decision(self._eyes.frame, reading, moves)
        self._watcher.decided(reading, moves)

    def _stop_message(self, what: str) -> str:
        saved = "" if self._eyes.frame is None else f"; its picture is kept in {self._keep_picture(self._eyes.frame)}"
        return f"{what}: nothing more was clicked{saved}"

    def _mouse_taken(self) -> None:
        self._watcher.remark("the mouse was moved: paused; the start key goes on")


def opens_the_last(moves: list[Move], board: Board) -> bool:
    """Whether only mines are closed when these moves are made."""
    n_opened_by_moves = sum(move.action is Action.OPEN for move in moves)
    return int(closed_mask(board.cells).sum()) - n_opened_by_moves == board.mines


def is_another_game(reading: Reading, ended: Board) -> bool:
    """Whether a new game is on the board: fresh, or with open cells already, as some games begin.

    In one and the same game no open cell is ever closed again.
    """
    if reading.unknown or reading.state in ENDED:
        return False
    was_open = (ended.cells >= 0) & (reading.board.cells == CLOSED)
    return reading.state is GameState.FRESH or bool(was_open.any())


def has_flagged_all(before: Board, now: Board) -> bool:
    """Whether flags came up on every closed cell in sight: games flag the mines of a won board, the bot never flags."""
    n_flags_before, n_flags_now = (int((board.cells == FLAG).sum()) for board in (before, now))
    return n_flags_now > n_flags_before and not bool((now.cells == CLOSED).any())


def n_opened(board: Board) -> int:
    """How many cells show a number."""
    return int((board.cells >= 0).sum())
