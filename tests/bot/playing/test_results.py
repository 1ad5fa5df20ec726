"""Figures of games: what they come to, and how sure a win rate is."""

from __future__ import annotations

import math

import pytest

from bot.playing.results import GameResult, Guess, Tally, figures_of
from solver.board import GameState
from solver.simulation import win_interval

WON, LOST = GameState.WON, GameState.LOST
Z_SQUARE = 3.8414588206941236
"""The 95 % quantile of chi-square with one degree of freedom, from its tables."""


def game(result=WON, seconds=10.0, n_clicks=100, bbbv=None, risks=(), n_retries=0, n_opened=71):
    guesses = tuple(Guess((0, n), risk) for n, risk in enumerate(risks))
    return GameResult(result, 9, 9, 10, seconds, n_clicks, n_opened, bbbv, guesses, n_retries)


@pytest.mark.parametrize(
    ("n_won", "n_games", "low", "high"),
    [
        # R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3: the score interval.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_win_interval_agrees_with_published_ones(n_won, n_games, low, high):
    assert win_interval(n_won, n_games) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("n_won", "n_games"), [(0, 1), (1, 1), (1, 2), (3, 7), (7, 7), (385, 1000)])
def test_win_interval_ends_where_the_score_test_does(n_won, n_games):
    rate = n_won / n_games
    for end in win_interval(n_won, n_games):
        assert n_games * (rate - end) ** 2 == pytest.approx(Z_SQUARE * end * (1 - end), abs=1e-9)


@pytest.mark.parametrize(("n_won", "n_games"), [(0, 0), (2, 1), (-1, 3)])
def test_win_interval_refuses_what_cannot_be(n_won, n_games):
    with pytest.raises(ValueError, match=f"got {n_won} of {n_games}"):
        win_interval(n_won, n_games)


def test_figures_of_one_game():
    figures = figures_of([game(seconds=4.0, n_clicks=50, n_retries=10, bbbv=30, risks=(0.1, 0.5, math.nan))])
    assert (figures.ms_per_move, figures.clicks_per_s, figures.p_retry) == (100.0, 12.5, 0.2)
    assert (figures.n_guesses, figures.riskiest) == (3, 0.5)
    assert (figures.bbbv, figures.bbbv_per_s, figures.best_s) == (30, 7.5, 4.0)


def test_figures_of_many_games_weigh_each_by_its_length():
    figures = figures_of([game(seconds=1.0, n_clicks=10, bbbv=8), game(seconds=3.0, n_clicks=90, bbbv=40)])
    assert (figures.seconds, figures.clicks_per_s, figures.bbbv_per_s, figures.best_s) == (4.0, 25.0, 12.0, 1.0)


def test_figures_take_speed_and_best_time_from_won_games_only():
    figures = figures_of([game(LOST, seconds=1.0, bbbv=100), game(WON, seconds=5.0, bbbv=50), game(seconds=7.0)])
    assert (figures.n_games, figures.n_won) == (3, 2)
    assert (figures.bbbv, figures.bbbv_per_s, figures.best_s) == (150, 10.0, 5.0)


def test_rate_leaves_out_games_of_which_it_is_not_known_how_they_ended():
    of_all = Tally([game(), game(LOST), game(GameState.UNKNOWN)]).as_json()
    assert [one["result"] for one in of_all["games"]] == ["won", "lost", "unknown"]
    assert (of_all["won"], of_all["lost"], of_all["unknown"], of_all["win_rate"]) == (1, 1, 1, 0.5)
    assert of_all["ci95"] == list(win_interval(1, 2))
    alone = Tally([game(GameState.UNKNOWN)]).as_json()
    assert (alone["lost"], alone["win_rate"], alone["ci95"]) == (0, None, None)


def test_figures_of_time_leave_out_a_game_that_was_taken_up_in_its_middle():
    middle = game(seconds=None, n_clicks=1, bbbv=160)
    figures = figures_of([middle, game(seconds=5.0, n_clicks=50, bbbv=50)])
    assert (figures.n_won, figures.n_clicks, figures.seconds, figures.best_s) == (2, 51, 5.0, 5.0)
    assert (figures.bbbv_per_s, figures.clicks_per_s, figures.ms_per_move) == (10.0, 10.0, 100.0)
    alone = figures_of([middle])
    assert (alone.seconds, alone.best_s, alone.bbbv_per_s, alone.clicks_per_s, alone.ms_per_move) == (None,) * 5
    assert middle.as_json()["seconds"] is None


def test_figures_that_are_not_there_are_none():
    figures = figures_of([game(LOST, seconds=0.0, n_clicks=0)])
    assert (figures.ms_per_move, figures.clicks_per_s, figures.p_retry) == (None, None, None)
    assert (figures.riskiest, figures.bbbv, figures.bbbv_per_s, figures.best_s) == (None, None, None, None)


def test_figures_tell_risks_that_are_not_known_from_no_risk():
    assert math.isnan(figures_of([game(risks=(math.nan,))]).riskiest)


def test_tally_as_json_adds_rate_interval_and_retries():
    told = Tally([game(LOST, n_retries=3), *[game()] * 3], n_stray=2).as_json()
    assert [one["retries"] for one in told["games"]] == [3, 0, 0, 0]
    assert (told["won"], told["lost"], told["stray_clicks"], told["win_rate"]) == (3, 1, 2, 0.75)
    assert told["ci95"] == pytest.approx([0.3006, 0.9544], abs=5e-5)


def test_tally_without_games_has_no_rate():
    told = Tally().as_json()
    assert (told["games"], told["win_rate"], told["ci95"]) == ([], None, None)
