from math import isnan

import pytest

from solver import Action, analyse, best_move, choose, parse_board


def best(text, mines=None):
    return best_move(parse_board(text), mines)


def test_best_move_opens_what_is_proven_safe():
    move = best("01#\n02#\n01#")
    assert (move.action, move.cell, move.p_mine, move.is_guess) == (Action.OPEN, (1, 2), 0.0, False)
    assert "proven safe" in move.why


def test_best_move_starts_in_the_corner():
    move = best("####\n####\n####", mines=3)
    assert (move.cell, move.p_mine) == ((0, 0), pytest.approx(0.25))
    assert "25.00%" in move.why
    assert "a corner" in move.why


def test_best_move_starts_in_the_corner_without_a_mine_count():
    move = best("####\n####")
    assert move.cell == (0, 0)
    assert isnan(move.p_mine)
    assert move.is_guess


def test_best_move_prefers_an_edge_to_the_middle():
    assert best("?##?\n?##?\n?##?\n????", mines=2).cell == (0, 1)


def test_best_move_takes_the_least_risk():
    move = best("1###\n####\n####", mines=2)
    assert move.cell == (0, 3)
    assert move.p_mine == pytest.approx(1 / 8)
    move = best("1###\n####\n####", mines=5)
    assert move.cell == (0, 1)
    assert move.p_mine == pytest.approx(1 / 3)


def test_best_move_breaks_ties_by_the_numbers_beside():
    move = best("?11?\n####")
    assert move.cell in {(1, 1), (1, 2)}


@pytest.mark.parametrize(
    ("text", "mines"), [("11\n+1", None), ("11\n#1", 1), ("00\n00", 0), ("F1\n?1", 1), ("!?\n??", None)]
)
def test_best_move_has_nothing_to_open(text, mines):
    assert best(text, mines) is None


def test_best_move_never_opens_an_unreadable_or_known_mine_cell():
    assert best("!+\n!*", mines=2) is None
    assert best("!0\n!0") is None
    assert best("!1#\n!??", mines=1).cell == (0, 2)


def test_best_move_may_open_a_flag_that_is_proven_wrong():
    assert best("01F\n02F\n01F").cell == (1, 2)


def test_choose_says_what_best_move_says():
    board = parse_board("; mines: 4\n1###\n####\n####")
    assert choose(analyse(board)) == best_move(board)


def test_best_move_says_how_many_cells_are_as_good():
    assert "the same as 1 other cell" in best("##\n11").why
    assert "2 open numbers beside it" in best("##\n11").why
