"""Positions with answers from an independent counter: see tests/golden/SOURCE.md."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from chunks import in_chunks

from solver import Board, InconsistentError, analyse, iter_solutions, parse_board
from solver.strategy.least_risk import choose

GOLDEN = Path(__file__).parents[1] / "golden"
POSITIONS = json.loads((GOLDEN / "positions.json").read_text())["positions"]
GUESSES = json.loads((GOLDEN / "guess_positions.json").read_text())["positions"]


def board_of(position):
    text = "\n".join(position["rows"]).translate(str.maketrans("-#", "#?"))
    return parse_board(text).with_mines(position["total_mines"])


def cell_of(xy):
    x, y = map(int, xy.split(",")) if isinstance(xy, str) else xy
    return (y, x)


def name_of(position):
    return position["id"]


CONSISTENT = [position for position in POSITIONS if position["expected"]["consistent"]]
INCONSISTENT = [position for position in POSITIONS if not position["expected"]["consistent"]]


@pytest.mark.parametrize("position", CONSISTENT, ids=name_of)
def test_analyse_agrees_with_the_golden_position(position):
    expected = position["expected"]
    analysis = analyse(board_of(position))
    assert set(analysis.safe) == set(map(cell_of, expected["certain_safe"]))
    assert set(analysis.mines) == set(map(cell_of, expected["certain_mines"]))
    if position["total_mines"] is not None:
        assert analysis.n_models == expected["full_solutions"]
    elif expected["frontier_solutions"] is not None:
        assert analysis.n_models == expected["frontier_solutions"]
    risks = expected["probability"] or expected["frontier_frequency"] or {}
    assert {xy: analysis.exact_risk(cell_of(xy)) for xy in risks} == {xy: Fraction(p) for xy, p in risks.items()}


@pytest.mark.parametrize("position", CONSISTENT, ids=name_of)
def test_iter_solutions_lists_as_many_as_are_counted(position):
    most = 200  # two of the positions have thousands: there the first 200 must be different layouts
    n_models = analyse(board_of(position)).n_models
    listed = list(itertools.islice(iter_solutions(board_of(position)), most))
    assert len(set(listed)) == len(listed) == min(n_models, most)


def test_iter_solutions_lists_the_published_sets():
    (position,) = [position for position in POSITIONS if position["id"] == "lisp-main-9x9"]
    expected = {tuple(sorted(map(cell_of, cells))) for cells in position["expected"]["location_sets"]}
    assert set(iter_solutions(board_of(position))) == expected


@pytest.mark.parametrize("position", INCONSISTENT, ids=name_of)
def test_analyse_names_a_clue_of_an_inconsistent_position(position):
    board = board_of(position)
    with pytest.raises(InconsistentError) as caught:
        analyse(board)
    assert board[caught.value.clue] >= 0


def test_analyse_names_the_clue_of_the_published_contradiction():
    (position,) = [position for position in POSITIONS if position["id"] == "md-minesweep-30x16"]
    with pytest.raises(InconsistentError, match=r"\(2,27\)") as caught:
        analyse(board_of(position))
    assert caught.value.clue == (2, 27)


@in_chunks("position", GUESSES, 6, name=name_of)
def test_analyse_gives_every_risk_of_the_golden_guess(position):
    board = board_of(position)
    analysis = analyse(board)
    assert (analysis.safe, analysis.mines) == ((), ())
    assert str(analysis.n_models) == position["full_solutions"]
    expected = {cell_of(xy): Fraction(p) for xy, p in position["frontier_probability"].items()}
    closed = [tuple(map(int, cell)) for cell in np.argwhere(board.cells == -1)]
    uncharted = position["off_frontier_probability"]
    for cell in closed:
        assert analysis.exact_risk(cell) == expected.get(cell, None if uncharted is None else Fraction(uncharted))


@in_chunks("position", GUESSES, 6, name=name_of)
def test_base_policy_guesses_among_the_cells_of_least_risk(position):
    move = choose(analyse(board_of(position)))
    assert move.is_guess
    assert move.cell in set(map(cell_of, position["min_cells"]))
    assert move.p_mine == pytest.approx(float(Fraction(position["min_probability"])), rel=1e-13)


def test_analyse_takes_an_array_wherever_a_board_is_taken():
    position = next(position for position in GUESSES if position["id"] == "guess-beginner-00")
    board = board_of(position)
    by_array = analyse(np.array(board.cells.tolist()), mines=10)
    np.testing.assert_array_equal(by_array.p_mine, analyse(board).p_mine)
    assert by_array.board == Board(board.cells, 10)
