"""Guesses where a position is one of several, held against a count of all positions and layouts."""

from itertools import combinations

import numpy as np
import pytest

from solver.analysis import analyse
from solver.board import parse_board
from solver.strategy import choose, guess_among


def mean_risks(boards):
    """The share of (position, layout) pairs with a mine, cell by cell: counted one by one."""
    shape, near = boards[0].shape, boards[0].topology.neighbours
    total, hits = 0, np.zeros(shape)
    for board in boards:
        closed = [tuple(cell) for cell in np.argwhere(board.cells < 0).tolist()]
        numbers = [(tuple(cell), board[tuple(cell)]) for cell in np.argwhere(board.cells >= 0).tolist()]
        for layout in map(set, combinations(closed, board.mines)):
            if all(len(layout.intersection(near(cell))) == number for cell, number in numbers):
                total += 1
                for cell in layout:
                    hits[cell] += 1
    return hits / total


@pytest.mark.parametrize(
    "text",
    ["; mines: 4\n####\n#?##\n####\n", "; mines: 4\n1###\n####\n###?\n", "; mines: 5\n#1##\n#?1#\n####\n"],
)
@pytest.mark.parametrize("numbers", [(6, 7, 8), (1, 2, 3, 4), tuple(range(9)), (3, 4)])
def test_guess_among_positions_has_the_least_mean_risk(text, numbers):
    boards = [parse_board(text.replace("?", str(number))) for number in numbers]
    try:
        risks = mean_risks(boards)
    except (ZeroDivisionError, RuntimeWarning):
        assert guess_among(boards) is None, "no position has a layout"
        return
    move, closed = guess_among(boards), boards[0].cells < 0
    if move is None:
        assert risks[closed].min() == 1.0
        return
    assert move.is_guess, "nothing is proven by one of several positions"
    fitting = [board for board in boards if guess_among([board]) is not None]
    if len(fitting) > 1:  # a single one is played as ever: not by least risk alone
        assert move.p_mine == pytest.approx(risks[closed].min(), abs=1e-12)
    assert risks[move.cell] == pytest.approx(move.p_mine, abs=1e-12)


def test_single_position_that_fits_is_played_like_any_other():
    board = parse_board("; mines: 4\n1###\n####\n####\n")
    impossible = parse_board("; mines: 4\n8###\n####\n####\n")
    assert guess_among([impossible, board]) == choose(analyse(board))


def test_only_cells_that_may_be_opened_are_guessed():
    boards = [parse_board(f"; mines: 2\n{number}###\n####\n") for number in (1, 2)]
    may_open = np.zeros((2, 4), dtype=np.bool_)
    may_open[0, 1] = True
    assert guess_among(boards, may_open).cell == (0, 1)
    assert guess_among(boards, np.zeros((2, 4), dtype=np.bool_)) is None


def test_a_six_that_cannot_be_read_is_kept_away_from():
    text = "; mines: 8\n######\n#?####\n######\n######\n"
    ignored = choose(analyse(parse_board(text)))
    positions = [parse_board(text.replace("?", number)) for number in "678"]
    beside = set(positions[0].topology.neighbours((1, 1)))
    move = guess_among(positions)
    assert move.cell not in beside
    assert ignored is not None
    assert move.p_mine < 0.2
