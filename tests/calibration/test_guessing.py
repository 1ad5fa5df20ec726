"""Guesses on boards whose appearances may mean several things, held against a count of all labellings and layouts."""

from itertools import combinations

import numpy as np
import pytest

from bot.learning.label_solver import Claim, LabelSolver
from calibration.live.evidence import guess
from skins.skin import CLOSED
from solver.board import parse_board
from solver.topology import Topology

LIKING = (*"012345678", CLOSED)


def boards_of(*texts):
    return [parse_board(text).cells for text in texts]


def counted_risks(boards, mines):
    """The share of (labelling, layout) pairs with a mine, cell by cell: counted one by one."""
    shape = boards[0].shape
    near, total, hits = Topology(shape).neighbours, 0, np.zeros(shape)
    for board in boards:
        closed = [tuple(cell) for cell in np.argwhere(board < 0).tolist()]
        for layout in combinations(closed, mines):
            own = set(layout)
            if all(
                len(own & set(near(tuple(cell)))) == board[tuple(cell)] for cell in np.argwhere(board >= 0).tolist()
            ):
                total += 1
                for cell in own:
                    hits[cell] += 1
    return hits / total


@pytest.mark.parametrize(
    ("texts", "mines"),
    [
        (("####\n#1##\n####", "####\n#2##\n####", "####\n#5##\n####"), 4),
        (("1###\n####\n###2", "2###\n####\n###1", "1###\n####\n###3"), 4),
        (("#1##\n#11#\n####", "#2##\n#22#\n####"), 3),
    ],
)
def test_guess_has_the_least_risk_over_all_labellings_and_layouts(texts, mines):
    boards = boards_of(*texts)
    closed = boards[0] < 0
    risks = counted_risks(boards, mines)
    cell = guess(boards, closed, (), mines)
    assert closed[cell]
    assert risks[cell] == pytest.approx(risks[closed].min())


def test_proven_mines_are_not_guessed():
    boards = boards_of("#1")
    closed = boards[0] < 0
    assert guess(boards, closed, [(0, 0)], 1) is None
    assert guess(boards, closed, (), None) == (0, 0)


def test_labelling_that_leaves_no_layout_counts_for_nothing():
    fits, does_not = boards_of("#2#\n###", "#1#\n#3#")
    assert guess([does_not, fits], fits < 0, (), 2) is not None


def test_likely_labellings_come_best_first_and_each_once():
    board = np.array([[0, 2, 1]])
    domains = [frozenset("0123"), frozenset("0123"), frozenset({CLOSED})]
    claim = Claim([board], domains, ~np.eye(3, dtype=np.bool_), floods=False)
    with LabelSolver(claim) as model:
        found = model.likely_labellings([0, 1, 2], LIKING, 10)
    assert found == [], "two appearances beside one closed cell are one number, and they differ"
    board = np.array([[0, 2, 1, 2]])  # every board has a mine: the number on the right is none of 0
    claim = Claim([board], domains, np.zeros((3, 3), dtype=np.bool_), floods=False)
    with LabelSolver(claim) as model:
        found = model.likely_labellings([0, 1, 2], LIKING, 10)
        assert model.likely_labellings([0, 1, 2], LIKING, 1) == found[:1]
    assert [one[:2] for one in found] == [["0", "1"], ["1", "1"], ["1", "2"]]
