"""What follows the end of a game: what it brings up is closed, and another game begun."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.errors import BotError
from bot.playing import ends, perception
from bot.playing.board_view import corners_of, first_shown
from bot.playing.new_game import DIALOG_S
from bot.playing.situation import Due, State
from bot.playing.transitions import unreadable
from solver.board import GameState

if TYPE_CHECKING:
    from bot.models import Reading
    from bot.playing.situation import Play

NEW_GAME_TRIES = 12
_OVER_THE_BUTTON = "another window lies over the button for a new game"


def closes_dialog(play: Play) -> State:
    """Close what a won game brought up, with the skin's key."""
    if not play.next_game.close_dialog():
        return _looks_again(play)
    play.patience.end()  # something was done about it
    return perception.understands(play, play.now.settle(play.view, DIALOG_S))


def begins_game(play: Play) -> State:
    """Start another game, however often that takes; a dialog that came up late is closed first.

    A dialog beside the board hides no cell, but takes the clicks: where the end may have raised one, it is closed.

    Raises:
        BotError: none begins.
        UnreadableError: another window lies over the button.
    """
    now, ended = play.now, play.now.known
    assert ended is not None, "a game has ended"
    now.due = Due.WIN if ended.state is GameState.WON else now.due
    if not play.next_game.skin_says.is_known:
        return _waits_for_person(play, ended)
    play.control.wait(play.next_game.skin_says.pause_s)
    for n_asked in range(1, NEW_GAME_TRIES + 1):
        may_be_hidden = ended.state is GameState.WON or now.unread_at_end
        observation = play.now.settle(play.view, DIALOG_S if may_be_hidden else None)
        if not play.control.is_running:
            return State.PAUSED
        if not observation.is_in_place or not now.unread_at_end.issuperset(observation.reading.unknown):
            play.next_game.goes_on()
            return perception.understands(play, observation)
        hindered = _hindered(play, observation.reading)
        if hindered is not None:
            return hindered
        if not play.next_game.ask(observation, ended, may_meet_dialog=now.may_have_ended):
            if play.actuator.is_covered:  # a dialog that has come up just now
                play.control.wait(DIALOG_S)
                continue
            return _looks_again(play)
        if play.next_game.has_begun(ended, n_asked):
            return _begun(play)
    if play.actuator.is_covered:
        raise play.reporter.stop(_OVER_THE_BUTTON + play.reporter.who_has_keyboard)
    raise BotError("no new game began: it was asked for as the skin says, and the board stayed as it was")


def _begun(play: Play) -> State:
    """Another game is on the board."""
    play.now.begin()
    play.patience.end()
    play.view.board.ignored_flags = frozenset()
    return State.READING


def _waits_for_person(play: Play, ended: Reading) -> State:
    """A person begins the next game, as the skin knows no way to."""
    play.reporter.remark(f"begin the next game: skin {play.view.board.skin.name} does not say how")
    return _begun(play) if play.next_game.wait_for_person(ended) else State.PAUSED


def _hindered(play: Play, reading: Reading) -> State | None:
    """What follows where another game cannot be asked for or would not be seen; None where nothing hinders."""
    if play.now.may_have_ended:
        play.next_game.close_dialogs_beside()
    if not play.next_game.may_ask():
        return play.patience.wait_for(_OVER_THE_BUTTON)
    if not play.focus.shows_only_played(corners_of(play.view.grid, reading.unknown)):
        return ends.hidden(play, unreadable(reading))
    return None


def _looks_again(play: Play) -> State:
    return State.READING if play.control.is_running else State.PAUSED


def close_late_dialogs(play: Play) -> None:
    """Close what the last game of all brought up, if it may have been won; a dialog may come up late.

    Raises:
        Aborted: the abort key was pressed.
    """
    if play.now.known is not None and play.now.known.state in (GameState.WON, GameState.UNKNOWN):
        play.focus.learn(first_shown(play.view.look().reading))
        play.next_game.close_late_dialogs()
