from itertools import pairwise
from math import isnan

import pytest

from solver import Action, analyse, parse_board
from solver.game import Game
from solver.layout import FirstClick
from solver.strategy import rank_guesses
from solver.strategy.least_risk import _Guess, choose


def best(text, mines=None):
    return choose(analyse(parse_board(text), mines))


def test_least_risk_opens_what_is_proven_safe():
    move = best("01#\n02#\n01#")
    assert (move.action, move.cell, move.p_mine, move.is_guess) == (Action.OPEN, (1, 2), 0.0, False)
    assert "proven safe" in move.why


def test_least_risk_starts_in_the_corner():
    move = best("####\n####\n####", mines=3)
    assert (move.cell, move.p_mine) == ((0, 0), pytest.approx(0.25))
    assert "25.00%" in move.why
    assert "a corner" in move.why


def test_least_risk_starts_in_the_corner_without_a_mine_count():
    move = best("####\n####")
    assert move.cell == (0, 0)
    assert isnan(move.p_mine)
    assert move.is_guess


def test_least_risk_prefers_an_edge_to_the_middle():
    assert best("?##?\n?##?\n?##?\n????", mines=2).cell == (0, 1)


def test_least_risk_takes_the_least_risk():
    move = best("1###\n####\n####", mines=2)
    assert move.cell == (0, 3)
    assert move.p_mine == pytest.approx(1 / 8)
    move = best("1###\n####\n####", mines=5)
    assert move.cell == (0, 1)
    assert move.p_mine == pytest.approx(1 / 3)


def test_least_risk_breaks_ties_by_the_numbers_beside():
    move = best("?11?\n####")
    assert move.cell in {(1, 1), (1, 2)}


@pytest.mark.parametrize(
    ("text", "mines"), [("11\n+1", None), ("11\n#1", 1), ("00\n00", 0), ("F1\n?1", 1), ("!?\n??", None)]
)
def test_least_risk_has_nothing_to_open(text, mines):
    assert best(text, mines) is None


def test_least_risk_never_opens_an_unreadable_or_known_mine_cell():
    assert best("!+\n!*", mines=2) is None
    assert best("!0\n!0") is None
    assert best("!1#\n!??", mines=1).cell == (0, 2)


def test_least_risk_may_open_a_flag_that_is_proven_wrong():
    assert best("01F\n02F\n01F").cell == (1, 2)


def test_least_risk_says_how_many_cells_are_as_good():
    assert "the same as 1 other cell" in best("##\n11").why
    assert "2 open numbers beside it" in best("##\n11").why


def test_rank_guesses_gives_the_figures_in_the_order_they_decide():
    ranked = rank_guesses(analyse(parse_board("; mines: 5\n1###\n####\n####")))
    assert ranked[:3] == [
        _Guess((0, 1), pytest.approx(1 / 3), 1, 5),
        _Guess((1, 0), pytest.approx(1 / 3), 1, 5),
        _Guess((1, 1), pytest.approx(1 / 3), 1, 8),
    ]
    assert ranked[3] == _Guess((0, 3), pytest.approx(1 / 2), 0, 3)
    assert [guess.cell for guess in ranked[3:5]] == [(0, 3), (2, 0)]
    assert len(ranked) == 11


def test_rank_guesses_puts_unknown_risks_last_and_leaves_out_what_is_proven():
    ranked = rank_guesses(analyse(parse_board("1##1\n#!##\n####\n####")))
    assert [isnan(guess.p_mine) for guess in ranked] == sorted(isnan(guess.p_mine) for guess in ranked)
    assert (1, 1) not in {guess.cell for guess in ranked}
    assert rank_guesses(analyse(parse_board("01#\n02#\n01#"))) == []


@pytest.mark.parametrize("seed", range(12))
def test_rank_guesses_begins_with_what_choose_chooses(seed):
    game = Game((9, 9), 14, seed=seed, first_click=FirstClick.SAFE)
    n_guesses = 0
    while not game.is_over:
        analysis = analyse(game.board)
        move = choose(analysis)
        if move.is_guess:
            n_guesses += 1
            ranked = rank_guesses(analysis)
            assert ranked[0].cell == move.cell
            assert all(one.p_mine <= two.p_mine * (1 + 1e-9) for one, two in pairwise(ranked))
        game.open(move.cell)
    assert n_guesses
