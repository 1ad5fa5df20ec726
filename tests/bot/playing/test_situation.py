"""What is asked of a situation: when a dialog may be what the end of a game brought up."""

from __future__ import annotations

from dataclasses import replace

import pytest
from text_readings import reading_of

from bot.playing.decide import PLAIN
from bot.playing.results import GameResult
from bot.playing.situation import Due, LastEnd, Situation
from solver.board import GameState

OVER = "1!2#\n1121\n"
"""As many cells are closed as there are mines left."""


def ended(state):
    now = Situation(PLAIN, None)
    now.know(replace(reading_of(OVER, 1), state=state))
    now.last_end = LastEnd(GameResult(state, 2, 4, 1, 1.0, 3, 3, None, ()), 10.0)
    return now


@pytest.mark.parametrize("state", [GameState.WON, GameState.LOST, GameState.UNKNOWN])
def test_dialog_after_an_end_may_be_of_that_end(state):
    assert ended(state).may_have_ended


@pytest.mark.safety
@pytest.mark.parametrize(
    ("state", "due", "may"),
    [
        (GameState.LOST, Due.END, False),
        (GameState.UNKNOWN, Due.END, False),
        (GameState.WON, Due.WIN, True),
        (GameState.PLAYING, Due.NOTHING, False),
    ],
)
def test_dialog_after_a_pause_may_be_of_the_end_only_where_a_win_is_due(state, due, may):
    now = ended(state)
    now.due = due
    now.resume(5.0)
    assert now.may_have_ended is may


@pytest.mark.parametrize(("state", "may"), [(GameState.WON, True), (GameState.LOST, False), (GameState.UNKNOWN, True)])
def test_late_dialog_over_the_next_game_may_be_of_an_end_that_may_have_been_won(state, may):
    now = ended(state)
    now.begin()
    assert now.may_have_ended is may
