"""Ends of games as no skin has them, and late ones, on real windows: each is counted, and the next goes on."""

from __future__ import annotations

import json

import pytest
from bot_process import run_bot
from person import seeded
from window_game import Script, window_game

pytestmark = [pytest.mark.screen]


def play(display, script, n_games, n_mines):
    """Play so many games; the results as the bot tells them, and as the game does."""
    with window_game(display, script) as game:
        code, output, remarks = run_bot(
            "play", "--now", "--json", "--skin", "classic", "--mines", str(n_mines), "--games", str(n_games),
            display=display,
        )  # fmt: skip
        truth = [one["state"] for one in game.told("ended")]
        assert game.keys() == []
    assert code in (0, 1), f"{remarks} {truth}"
    told = json.loads(output)
    assert told["stray_clicks"] == 0
    return [one["result"] for one in told["games"]], truth


def random_mines(n_games, n_mines=10):
    chance = seeded()
    cells = [(row, col) for row in range(9) for col in range(9) if row + col > 2]
    return [sorted(chance.sample(cells, n_mines)) for _ in range(n_games)]


@pytest.mark.parametrize("lost", ["painted", "strange", ""])
def test_games_with_strange_ends_are_counted_as_they_ended(virtual_display, lost):
    n_games = 3
    script = Script(random_mines(n_games), ends={"won": "painted", "lost": lost})
    told, truth = play(virtual_display, script, n_games, 10)
    assert told == truth
    assert len(told) == n_games


def test_won_board_painted_anew_after_a_flood_is_won(virtual_display):
    """The first click wins, a guess by which all is opened."""
    script = Script([[(0, 8), (8, 0), (8, 8)]], ends={"won": "painted"})
    assert play(virtual_display, script, 2, 3) == (["won"] * 2, ["won"] * 2)


@pytest.mark.parametrize("end", ["", "strange"])
def test_game_that_shows_its_loss_after_three_seconds_is_lost(virtual_display, end):
    """The bot begins in the corner, where a mine is."""
    script = Script([random_mines(1, 9)[0] + [(0, 0)]], ends={"lost": end}, end_s={"lost": 3.0})
    assert play(virtual_display, script, 2, 10) == (["lost"] * 2, ["lost"] * 2)
