"""Looks at the board, says what follows from what is seen, and finds the board again where its window went."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bot.playing import ends
from bot.playing.board_view import first_shown
from bot.playing.new_game import DIALOG_S
from bot.playing.outcome import STAYS_S, has_flagged_all
from bot.playing.situation import Due, State
from bot.playing.transitions import ENDED, Change, GameScore, classify_change, n_opened, unreadable
from bot.vision.finding import ClippedBoardError

if TYPE_CHECKING:
    from bot.models import Reading
    from bot.playing.board_view import GameObservation
    from bot.playing.situation import Play

_NEW_APPEARANCE_S = 0.5
"""Time after which an unknown cell, the pointer elsewhere, may show what the skin lacks, in seconds."""
_LOOK_S = 0.3  # longest time of one look while waiting for an obstruction to pass, in seconds


def reads(play: Play) -> State:
    """Look at the board."""
    return understands(play, play.now.settle(play.view, _LOOK_S if play.patience.obstruction else None))


def verifies(play: Play) -> State:
    """Look at what the clicks did; after the last one a dialog may come up."""
    now = play.now
    assert now.known is not None, "there was something to click on"
    is_last = now.clicked.opens_the_last(now.known.board)
    seen = now.settle(play.view, DIALOG_S if is_last else None)
    if is_last or has_flagged_all(now.known.board, seen.reading.board):
        now.due = Due.WIN
    return understands(play, seen)


def searches(play: Play) -> State:
    """Look for the board on the whole screen."""
    now, patience = play.now, play.patience
    if patience.obstruction is not None:
        patience.obstruction.note_search()
    before, was_in_place = play.view.grid, now.seen is None or now.seen.is_in_place
    try:
        found = play.view.relocate()
    except ClippedBoardError as error:
        if patience.obstruction is None or patience.obstruction.what != str(error):
            play.reporter.remark(str(error))
        if now.may_have_ended and play.next_game.may_close_dialog:  # the board moved right before that came up
            return State.DIALOG
        return patience.wait_for(str(error), "")
    if found is None:
        return ends.hidden(play, "the board is not where it was, and nowhere else on the screen")
    if play.view.grid != before:
        origin = play.view.grid.origin
        play.reporter.remark(f"the board has moved: it is at ({origin.x},{origin.y}) now")
        play.button.learn(play.view.grid)
    elif not (found.is_whole or found.is_in_place or was_in_place):
        return ends.hidden(play, unreadable(found.reading))
    return State.READING


def waits(play: Play) -> State:
    """Give an obstruction time to pass; look for the board elsewhere now and then."""
    obstruction = play.patience.obstruction
    assert obstruction is not None, "something is waited for"
    play.actuator.give_way()
    if not play.control.is_running:
        return State.PAUSED
    play.control.wait(play.view.board.skin.retry_s / 2)
    return State.SEARCHING if obstruction.is_time_to_search else State.READING


# --- what an observation leads to


def understands(play: Play, seen: GameObservation) -> State:
    """The state that follows from an observation, which is the last one.

    Raises:
        UnreadableError: it has not been understood for too long.
        BotError: games give way to others again and again.
    """
    now, patience = play.now, play.patience
    if not seen.is_in_place:
        patience.wait_for(patience.obstruction.what if patience.obstruction else "the board does not keep its place")
        return State.SEARCHING
    reading = ends.completed(play, seen.reading)
    is_half = seen.is_half_painted if reading is seen.reading else play.view.board.is_half_painted(reading)
    change = classify_change(reading, now.known, is_half_painted=is_half)
    if change is Change.HIDDEN:
        return _unread(play, reading)
    play.actuator.hides_cells |= play.patience.has_parked
    play.patience.has_parked = False
    if change is Change.HALF_PAINTED or (change is Change.CHANGED and not patience.has_lasted(STAYS_S)):
        return patience.wait_for(change.value)
    if change in {Change.CHANGED, Change.ANOTHER_GAME} and _is_overlaid(play):
        return patience.wait_for("another window with a board lies over it")
    if change is Change.ANOTHER_GAME and now.game is not None:
        _break_off(play)
    if reading.state in ENDED:
        return ends.ended(play, reading)
    now.know(reading)
    _count(play, reading)
    return State.DECIDING


def _break_off(play: Play) -> None:
    """Forget the game that was on: another one is on the board."""
    play.reporter.remark("another game was begun on the board: the one before does not count")
    play.now.game, play.now.is_begun_here = None, False
    play.next_game.broke_off()


def _count(play: Play, reading: Reading) -> None:
    """A game is on: begin to count it, or count its last guess."""
    now, actuator = play.now, play.actuator
    if now.game is None:
        began_s, n_open = time.perf_counter(), n_opened(reading.board)
        is_whole = n_open == 0 or now.is_begun_here
        now.game = GameScore(began_s, began_s, n_open, actuator.n_clicks, actuator.n_retries, is_whole)
    now.game.settle_guess(reading)


def _unread(play: Play, reading: Reading) -> State:
    """Some cells cannot be read: the pointer may be over one, its sprite may be missing, something may hide it."""
    if play.actuator.is_over(reading.unknown) and not play.patience.has_parked:
        play.patience.has_parked = True  # some clones draw the cell under the pointer otherwise
        return State.READING if play.actuator.park() else State.PAUSED
    if play.patience.has_lasted(_NEW_APPEARANCE_S) and play.skin.has_changed(reading):
        return State.READING
    state = ends.unread(play, reading)
    if state is not None:
        return state
    play.focus.learn(first_shown(reading))
    return ends.hidden(play, unreadable(reading))


def _is_overlaid(play: Play) -> bool:
    """Whether it is known that another window shows where the board is."""
    return play.focus.knows_windows and not play.focus.is_same_window([play.view.grid.region.middle])
