"""What the bar says while a command runs, and the window afterwards."""

import pytest

from bot.launcher.progress import Progress
from bot.models import Region

DECISION = {
    "event": "decision",
    "skin": "minebot",
    "shape": [9, 9],
    "mines": 10,
    "region": [100, 200, 144, 144],
    "opened": 12,
    "moves": 3,
    "p_mine": None,
}
GAME = {"event": "game", "result": "won", "seconds": 0.5, "clicks": 20, "guesses": [], "bbbv": 12}


def test_decision_tells_where_the_board_is_and_how_far_the_game():
    progress = Progress("Play begins.", n_games=3)
    assert progress.board is None
    progress.note(DECISION)
    assert (progress.board, progress.words) == (Region(100, 200, 144, 144), "Game 1 of 3. 12 of 71 cells open.")


@pytest.mark.parametrize("state", ["paused", "waiting", "dialog"])
def test_states_a_person_has_to_know_are_named_and_others_are_not(state):
    progress = Progress("Play begins.")
    progress.note({"event": "state", "state": "clicking"})
    assert progress.words == "Play begins."
    progress.note({"event": "state", "state": state})
    assert progress.words == f"Game 1. {state.capitalize()}."


def test_summary_lists_every_game_and_the_wins():
    progress = Progress("", n_games=2)
    for event in (GAME, {**GAME, "result": "lost", "seconds": None, "bbbv": None, "guesses": [1]}):
        progress.note(event)
    assert progress.summary(1).splitlines() == [
        "1 of 2 won.",
        "  1 won in 0.50 s, 20 clicks, 0 guesses, 3BV 12",
        "  2 lost, taken up in its middle, 20 clicks, 1 guess",
    ]


def test_what_stopped_it_stands_below_the_games():
    progress = Progress("")
    progress.note(GAME)
    progress.note({"event": "told", "text": "stopped by Esc"})
    assert progress.summary(130).splitlines()[-1] == "stopped by Esc"
    assert progress.words == "stopped by Esc"


@pytest.mark.parametrize(
    ("code", "words"), [(130, "Stopped."), (0, ""), (-9, "It ended unexpectedly, with exit code -9.")]
)
def test_command_that_said_nothing_is_told_of_by_its_code(code, words):
    assert Progress("").summary(code) == words


def test_coach_says_why_and_where():
    progress = Progress("")
    progress.note(
        {"event": "position", "shape": [9, 30], "origin": [50, 60], "pitch": [16, 16.5], "why": "(0,0) is safe"}
    )
    assert (progress.board, progress.words) == (Region(50, 60, 480, 148), "(0,0) is safe")
    progress.note({"event": "hidden", "why": "the board cannot be read"})
    assert progress.words == "the board cannot be read"


GOOD = {"name": "screen", "ok": True, "detail": "1280 x 1024", "fix": None}
BAD = {"name": "mouse", "ok": False, "detail": "it does not move", "fix": "plug it in"}


def test_checks_name_what_is_wrong_and_what_to_do_after_what_stopped_the_bot():
    progress = Progress("")
    progress.note({"event": "told", "text": "no mouse"})
    hanging = {"name": "search", "ok": False, "detail": "not tried: there is no picture", "fix": "see to it"}
    progress.note({"event": "answer", "answer": {"checks": [GOOD, BAD, hanging]}})
    assert progress.summary(5) == "no mouse\nmouse: it does not move\n   plug it in"


def test_checks_that_find_nothing_say_so():
    progress = Progress("")
    progress.note({"event": "answer", "answer": {"checks": [GOOD]}})
    assert "All is well" in progress.summary(0)
