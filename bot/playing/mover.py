"""Decides on moves and has them made."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from bot.errors import BotError
from bot.playing import ends
from bot.playing.actuator import NoEffectError
from bot.playing.decide import Decision, check_risk, decide_moves
from bot.playing.outcome import Clicked, opens_numbers_only
from bot.playing.situation import Due, State
from bot.playing.transitions import ENDED
from solver.board import FLAG, Action, GameState
from solver.errors import DisagreementError, InconsistentError

if TYPE_CHECKING:
    from bot.playing.board_view import GameObservation
    from bot.playing.situation import Play

_MAX_IDLE = 40  # number of queues in a row that end before their first click by no chance
COVERED = "another window takes the clicks, though the board shows through it or beside it"


def decides(play: Play) -> State:
    """Work out what to click.

    Raises:
        UnreadableError: the board contradicts itself for too long, or the solver's two engines disagree.
        TooRiskyError: nothing is left but a guess above the limit.
    """
    now, reading = play.now, play.now.known
    assert reading is not None, "something was read"
    if play.skin.has_worked_out(reading):
        return State.READING
    _settle_style(play)
    try:
        positions = play.skin.positions(reading)
        with play.control.thinking():
            start = None if now.game is None else now.game.start
            now.decision = decide_moves(reading, now.style, positions, start)
    except InconsistentError as error:
        return play.patience.wait_for(f"the board contradicts itself: {error}")
    except DisagreementError as error:
        raise play.reporter.stop(f"the solver disagrees with itself: {error}") from error
    play.patience.end()
    moves = now.decision.moves
    play.view.board.ignored_flags |= {move.cell for move in moves if reading.board[move.cell] == FLAG}
    play.reporter.decided(moves, play.skin.learned)
    if not moves:
        raise BotError(f"nothing can be clicked on this board:\n{reading.board}")
    check_risk(moves[0], reading, play.settings.risk_limit)
    return State.CLICKING


def _settle_style(play: Play) -> None:
    """Play on without chords where the clone has none, and at the prices of clicks that were measured.

    Chords that are to save time wait for the first click that has an effect: before that, nothing was measured.
    """
    now, asked, actuator = play.now, play.settings, play.actuator
    if now.style.chords and not actuator.can_chord and (actuator.has_chorded_in_vain or not asked.saves_time):
        play.reporter.remark("clicks on numbers open nothing here: no chords")
    now.style = replace(now.style, chords=asked.style.chords and actuator.can_chord)
    if now.style.chords and asked.saves_time:
        is_measured = actuator.pace.effect_s is not None
        now.style = replace(now.style, chords=is_measured, prices=actuator.pace.prices)


def clicks(play: Play) -> State:
    """Make the moves.

    Raises:
        NoEffectError: the game takes no clicks.
        UnreadableError: something takes the clicks again and again.
    """
    now, reading = play.now, play.now.known
    assert now.game is not None, "a game is on where something is clicked"
    assert reading is not None, "it was read"
    if now.is_fresh_after_a_win and play.next_game.may_close_dialog:  # it hides no cell, but takes the clicks
        return _without_dialogs(play)
    _note_first(play, reading.state)
    n_before = play.actuator.n_clicks
    try:
        _perform(play)
    except NoEffectError:
        if now.is_soon_after_a_win and play.next_game.may_close_dialog:  # it came up when clicks were under way
            return _without_dialogs(play)
        state = ends.struck(play, reading)
        if state is None:
            raise
        return state
    if not play.control.is_running:
        return State.PAUSED
    _check_idle(play, play.actuator.n_clicks - n_before)
    if play.actuator.is_covered:
        play.control.wait(play.view.board.skin.retry_s / 2)
    return State.VERIFYING


def _without_dialogs(play: Play) -> State:
    """Close what a won game brought up; look again then."""
    play.next_game.close_dialogs_beside()
    return State.READING if play.control.is_running else State.PAUSED


def _note_first(play: Play, state: GameState) -> None:
    """Note a guess that is to be made, and where the game begins."""
    game, move = play.now.game, play.now.decision.moves[0]
    assert game is not None, "a game is on where something is clicked"
    game.pending = move if move.is_guess else None
    if state is GameState.FRESH and move.action is Action.OPEN:
        game.start = move.cell


def _perform(play: Play) -> None:
    """Have the moves made, and those that are decided on meanwhile."""
    now, actuator = play.now, play.actuator
    assert now.game is not None, "a game is on where something is clicked"
    assert now.known is not None, "it was read"
    now.clicked_at_s = time.perf_counter()
    now.clicked = Clicked(now.decision.moves, are_all=False)
    now.due = Due.NOTHING
    sure = now.decision.sure_numbers if actuator.pace.n_ahead > 1 else frozenset()
    actuator.perform(now.decision.moves, now.known, sure, partial(_decide_ahead, play))
    now.clicked = Clicked(now.decision.moves, are_all=actuator.has_clicked_all)
    now.game.ended_at = time.perf_counter()
    has_won = now.clicked.opens_the_last(now.known.board)
    may_have_ended = has_won or not opens_numbers_only(now.decision)  # a flood may have opened what was left
    now.due = Due.END if may_have_ended else Due.NOTHING
    play.next_game.goes_on()


def _decide_ahead(play: Play, observation: GameObservation) -> Decision | None:
    """What an observation proves while clicks are under way: cells to open. All else waits for their effect."""
    now, reading = play.now, observation.reading
    if reading.state in ENDED or now.style.efficient:
        return None
    try:
        with play.control.thinking():
            decision = decide_moves(reading, now.style, (), None if now.game is None else now.game.start)
    except (InconsistentError, DisagreementError):
        return None
    if any(move.action is not Action.OPEN or move.is_guess for move in decision.moves):
        return None
    now.seen, now.known, now.decision = observation, reading, decision
    play.reporter.decided(decision.moves, play.skin.learned)
    return decision


def _check_idle(play: Play, n_clicks: int) -> None:
    """Note how many clicks were made of a queue.

    Raises:
        UnreadableError: of many queues in a row not one.
    """
    play.patience.n_idle = 0 if n_clicks else play.patience.n_idle + 1
    if play.patience.n_idle > _MAX_IDLE:
        raise play.reporter.stop(
            COVERED if play.actuator.is_covered else "the board does not stand still long enough to be clicked"
        )
