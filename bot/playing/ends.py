"""What follows where a game has ended, or may have: by what `outcome` tells of it."""

from __future__ import annotations

import time
from itertools import product
from typing import TYPE_CHECKING

from bot.playing.board_view import corners_of
from bot.playing.clicks import DEAD_S
from bot.playing.outcome import STAYS_S, Clicked, Look, outcome
from bot.playing.situation import LastEnd, State
from bot.playing.transitions import continues
from bot.vision.cell_edges import has_lines_of
from solver.board import CLOSED, Action, GameState, Move

if TYPE_CHECKING:
    from bot.models import Reading
    from bot.playing.board_view import GameObservation
    from bot.playing.situation import Play


def ended(play: Play, reading: Reading) -> State:
    """A finished board: the end of the game that was on, or what is left of another."""
    now, game = play.now, play.now.game
    now.know(reading)
    if game is None:
        return State.BEGINNING
    play.patience.end()
    play.skin.has_worked_out(reading)  # for the games to come
    game.settle_guess(reading)
    if reading.state is GameState.WON and _is_to_be_flagged(play, reading):
        return State.DECIDING
    play.reporter.decided([], play.skin.learned)
    actuator = play.actuator
    result = game.result(reading, n_clicks=actuator.n_clicks, n_retries=actuator.n_retries)
    play.next_game.n_broken_off = 0
    now.game, now.is_begun_here = None, False
    now.last_end = LastEnd(result, time.perf_counter())
    return State.BEGINNING


def completed(play: Play, reading: Reading) -> Reading:
    """A finished board's reading, with the mines that it must show where it cannot be read; any other as it is."""
    now = play.now
    if not reading.unknown and reading.state is not GameState.WON:
        return reading
    if now.has_ended and now.known is not None:
        is_left = now.unread_at_end.issuperset(reading.unknown)
        return now.known if is_left and continues(reading, now.known) else reading
    end = outcome(now.known, now.clicked, Look(reading, now.frame))
    if end is None or (end.state is GameState.WON and _is_to_be_flagged(play, reading)):
        return reading
    now.unread_at_end = frozenset(reading.unknown)
    return end


def unread(play: Play, reading: Reading) -> State | None:
    """What follows where cells of a board stay unread that may be that of an ended game; None where it is not.

    It has stayed so for a while, in its place, and no window lies over it or over the button beside it.
    """
    now = play.now
    if now.game is None:
        # A part of the game's own window may lie over a game that has ended, as on web pages.
        if not now.has_ended or not _is_all_of_window(play, reading):
            return None
        now.unread_at_end |= frozenset(reading.unknown)
        return State.BEGINNING
    if now.known is None or not play.patience.has_lasted(STAYS_S):
        return None
    if not _is_all_of_window(play, reading) or not play.next_game.may_ask():
        return None
    with play.control.thinking():
        look = Look(reading, now.frame, STAYS_S, play.skin.sure_numbers)
        end = outcome(now.known, now.clicked, look)
    if end is None:
        return None
    now.unread_at_end = frozenset(reading.unknown)
    return ended(play, end)


def struck(play: Play, reading: Reading) -> State | None:
    """What follows on a board that takes no clicks, where its last guess shows what the skin lacks: a loss."""
    assert play.now.game is not None, "a game is on where something is clicked"
    guesses = [Move(Action.OPEN, guess.cell, guess.p_mine) for guess in play.now.game.guesses[-1:]]
    end = outcome(reading, Clicked(guesses), Look(reading, play.now.frame, DEAD_S))
    return None if end is None else ended(play, end)


def hidden(play: Play, what: str) -> State:
    """Something lies over the board: close what is the game's own where that may have ended; else wait."""
    may_have_ended = play.now.may_have_ended
    if may_have_ended:
        if play.next_game.may_close_dialog:
            return State.DIALOG
        layer = play.next_game.layer() if play.patience.has_lasted(STAYS_S) else None
        if layer is not None:
            return _laid_over(play, layer, what)
        won = None if play.focus.knows_windows or not play.patience.has_lasted(STAYS_S) else _unseen_end(play)
        if won is not None and won.state is GameState.WON:  # what lies over it may be another program's
            return _ended_unseen(play, won)
    hint = " (if the game shows a dialog, close it)" if may_have_ended else ""
    return play.patience.wait_for(what + (play.reporter.who_has_keyboard or hint))


def _laid_over(play: Play, seen: GameObservation, what: str) -> State:
    """The board's own window hides part of it, or painted it anew: close a message; what stays ended the game."""
    if play.next_game.may_close_layer:
        return State.DIALOG
    now = play.now
    if now.game is None:
        end = now.known
    else:
        end = _unseen_end(play)
        is_told = end is not None and end.state is not GameState.UNKNOWN
        if not is_told and has_lines_of(seen.wide, play.view.grid):  # painted anew, and nothing lies over it
            with play.control.thinking():
                end = outcome(now.known, now.clicked, Look(seen.reading, seen.wide, STAYS_S)) or end
    if end is None:
        return play.patience.wait_for(what)
    play.view.accept(seen)
    return _ended_unseen(play, end)


def _unseen_end(play: Play) -> Reading | None:
    """The end of the game that is on, by what was clicked last; None where it is not known, or no game is on."""
    return None if play.now.game is None else outcome(play.now.known, play.now.clicked, None)


def _ended_unseen(play: Play, end: Reading) -> State:
    """The game has ended so, and the board shows it nowhere."""
    play.now.unread_at_end = frozenset(product(*map(range, end.board.shape)))
    return ended(play, end)


def _is_to_be_flagged(play: Play, reading: Reading) -> bool:
    """Whether the mines of a won board are to be flagged yet."""
    return play.now.style.flags_to_win and bool((reading.board.cells == CLOSED).any())


def _is_all_of_window(play: Play, reading: Reading) -> bool:
    """Whether it is known that no other window lies over a cell that cannot be read."""
    return play.focus.is_all_of_window(corners_of(play.view.grid, reading.unknown))
