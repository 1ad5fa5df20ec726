"""Whole games: the compiled twin of a policy does what the policy does, and the books of a game are true."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
from same_games import BY_CHOICES_ALONE, plays_as_its_choices, same_games

from solver import BoardValueError, analyse, kernel, play_game
from solver.game import Game
from solver.kernel import Played
from solver.layout import Layout
from solver.simulation.playing import _Guessed
from solver.strategy import FAST, policy_named

BOARDS = [((16, 30), 99, False), ((9, 9), 10, True), ((16, 16), 40, False), ((3, 3, 3, 3), 8, False), ((40,), 7, True)]


def layouts(n_seeds):
    for shape, mines, wrap in BOARDS:
        for seed in range(n_seeds):
            yield Layout.random(shape, mines, random.Random(seed), first_cell=(0,) * len(shape), wrap=wrap)


def first_cell(layout):
    return (0,) * len(layout.shape)


def test_compiled_twin_plays_the_same_games_as_the_choices():
    for layout in layouts(12):
        assert plays_as_its_choices(layout, first_cell(layout))


def test_game_goes_on_where_the_kernel_left_it():
    def stop_after_first(truth, topology, n_mines, first):
        played = kernel.play(truth, topology, n_mines, first)
        codes = np.full_like(played.codes, -1)
        codes[first] = truth[first]
        return Played(None, (0, 0, 0), np.empty(0), codes)

    def refuse(truth, topology, n_mines, first):
        return Played(None, (0, 0, 0), np.empty(0), np.full(truth.size, -1, dtype=np.int16))

    for layout in layouts(4):
        if layout.numbers[first_cell(layout)] == 0:
            continue  # it would have been opened with its neighbours
        whole = play_game(layout, first_cell(layout))
        for play in (stop_after_first, refuse):
            assert same_games(play_game(layout, first_cell(layout), replace(FAST, play=play)), whole)


def test_watch_is_told_every_move():
    for layout in layouts(3):
        told = []
        game = play_game(layout, first_cell(layout), watch=told.append)
        assert [move.method for move in told].count("guess") == game.n_guesses
        assert len(told) == game.moves.total
        assert all(layout.has_mine[move.cell] == move.was_mine for move in told)
        assert game.guesses == tuple(_Guessed(move.p_mine, move.was_mine) for move in told if move.method == "guess")
        assert told[-1].was_mine is not game.is_won


def test_books_of_a_game_add_up():
    for layout in layouts(8):
        game = play_game(layout, first_cell(layout))
        assert game.moves.first == 1
        assert game.moves.guess == game.n_guesses
        assert sum(guess.was_mine for guess in game.guesses) == (not game.is_won)
        assert all(0 < guess.p_mine < 1 for guess in game.guesses)
        assert not any(math.isnan(guess.p_mine) for guess in game.guesses)
        assert game.cpu_s >= 0


def test_first_cell_that_is_a_mine_loses_at_once():
    layout = Layout.of_cells((4, 4), [(1, 1)])
    for policy in (FAST, BY_CHOICES_ALONE):
        game = play_game(layout, (1, 1), policy)
        assert (game.is_won, game.moves.total, game.guesses) == (False, 1, ())


@pytest.mark.parametrize("name", ["brave", "think", "think brave", "think 0", "think -1", "think inf", "think nan"])
def test_unknown_policy_is_named(name):
    assert policy_named("fast") is FAST
    with pytest.raises(BoardValueError, match=f"'{name}'"):
        policy_named(name)


def test_policy_with_time_for_a_guess_plays_games_on():
    layout = next(layouts(1))
    game = Game.on(layout)
    game.open(first_cell(layout))
    policy = policy_named("think 0.2")
    while (analysis := analyse(game.board)).safe:
        for cell in analysis.safe:
            game.open(cell)
    assert "games played on from here" in policy.choose(analysis).why
    assert play_game(layout, first_cell(layout), policy).n_guesses > 0
