"""Joint satisfiability over labels and mines: what is proven is true, and small cases come out as counted by hand."""

import random
import signal
from itertools import combinations

import numpy as np
import pytest

from bot.learning.label_solver import HIDDEN, LABELS, NUMBERS, Claim, LabelSolver
from skins.skin import CLOSED, MINE
from solver.game import Game
from solver.layout import Layout

CLOSED_APPEARANCE = 9
"""Appearances 0 to 8 are the numbers, in the order of their digits."""


def every_pair(n):
    return ~np.eye(n, dtype=np.bool_)


def claim(*boards, labels=NUMBERS, **more):
    domains = [labels] * 9 + [frozenset({CLOSED})]
    return Claim([np.array(board, dtype=np.intp) for board in boards], domains, every_pair(10), **more)


def possible(asked):
    with LabelSolver(asked) as model:
        return model.possible_labels()


def drawn(text):
    """A board drawn as text: digits are appearances, # is the closed one, ! cannot be seen."""
    values = {"#": CLOSED_APPEARANCE, "!": HIDDEN}
    return [[values.get(sign, int(sign) if sign.isdecimal() else 0) for sign in row] for row in text.split()]


def half_open(seed, share, shape=(16, 30), mines=99):
    rng = random.Random(seed)
    first = (shape[0] // 2, shape[1] // 2)
    layout = Layout.random(shape, mines, rng, first_cell=first)
    game = Game.on(layout)
    game.open(first)
    cells = [cell for cell in np.ndindex(shape) if not layout.has_mine[cell]]
    rng.shuffle(cells)
    for cell in cells:
        if (game.board.cells >= 0).sum() >= share * len(cells):
            break
        game.open(cell)
    codes = game.board.cells
    return np.where(codes < 0, CLOSED_APPEARANCE, codes), layout


def test_an_appearance_beside_one_closed_cell_only_is_a_one():
    labels = possible(claim(drawn("#1 11")))
    assert labels[1] == {"1"}, "one label for four cells that touch the same closed cell"


def test_most_of_a_board_is_never_taken_for_mines():
    """Whatever a board shows, that nearly all of it is shown mines would fit every rule."""
    board = np.zeros((8, 8), dtype=np.intp)
    board[0], board[1, :4] = 1, 2
    domains = [frozenset({MINE, CLOSED})] * 3
    labels = possible(Claim([board], domains, np.zeros((3, 3), dtype=np.bool_)))
    assert labels == [{CLOSED}, {MINE, CLOSED}, {MINE, CLOSED}]


def test_board_without_any_mine_is_none():
    """Whatever appearance a fresh board has, that all of it is an open 0 would fit every rule."""
    labels = possible(Claim([np.zeros((5, 5), dtype=np.intp)], [LABELS], np.zeros((1, 1), dtype=np.bool_)))
    assert "0" not in labels[0]
    assert CLOSED in labels[0]


def test_appearances_that_are_too_many_mines_together_are_not_all_mines():
    board = np.arange(64).reshape(8, 8) // 16  # four appearances of a quarter each
    domains = [frozenset({MINE, CLOSED})] * 2 + [frozenset({MINE})] + [frozenset({CLOSED})]
    labels = possible(Claim([board], domains, np.zeros((4, 4), dtype=np.bool_)))
    assert labels == [{CLOSED}, {CLOSED}, {MINE}, {CLOSED}]


def test_two_appearances_that_differ_are_two_numbers():
    board = drawn("##1 221")
    labels = possible(claim(board))
    assert not labels[1] & labels[2] or min(len(labels[1]), len(labels[2])) > 1
    with LabelSolver(claim(board)) as model:
        found = model.labelling()
    assert found[1] != found[2]


def test_numbers_that_nothing_satisfies_are_a_contradiction():
    # The same appearance touches one closed cell here and none there: it would have to be 1 and 0 at once.
    assert possible(claim(drawn("#1111 11111"), labels=NUMBERS - {"0"})) is None


def test_a_zero_never_touches_a_closed_cell_unless_told_so():
    board = drawn("#11## 111## #####")
    assert "0" not in possible(claim(board))[1]
    assert "0" in possible(claim(board, floods=False))[1]


def test_a_hidden_cell_may_be_a_mine():
    assert "1" in possible(claim(drawn("!1 11")))[1]


@pytest.mark.parametrize("seed", range(6))
def test_true_labels_are_always_possible_and_what_is_single_is_true(seed):
    board, _ = half_open(seed, 0.6)
    labels = possible(claim(board, labels=LABELS - {CLOSED}))
    seen = set(board.ravel().tolist()) - {CLOSED_APPEARANCE}
    assert all(str(appearance) in labels[appearance] for appearance in seen)
    assert sum(len(labels[appearance]) == 1 for appearance in seen) >= 4


def test_boards_narrow_each_others_labels():
    boards = [half_open(seed, 0.5)[0] for seed in range(3)]
    together = possible(claim(*boards))
    alone = [possible(claim(board)) for board in boards]
    for appearance in range(9):
        assert together[appearance] <= frozenset.intersection(*(one[appearance] for one in alone))
    assert sum(map(len, together)) < min(sum(map(len, one)) for one in alone)


@pytest.mark.parametrize("seed", range(6))
def test_forced_cells_are_what_they_are_under_every_labelling(seed):
    board, layout = half_open(seed, 0.5)
    with LabelSolver(claim(board)) as model:
        assert model.is_satisfiable()
        forced = model.forced_cells(0)
    assert forced
    assert all(layout.has_mine[cell] == is_mine for cell, is_mine in forced.items())


def test_a_board_that_shows_its_mines_leaves_no_doubt():
    layout = half_open(3, 0.4)[1]
    board = np.where(layout.has_mine, 10, layout.numbers)
    domains = [NUMBERS] * 11
    domains[9] = frozenset({CLOSED})
    domains[10] = frozenset({MINE})
    labels = possible(Claim([board.astype(np.intp)], domains, every_pair(11)))
    assert all(labels[appearance] == {str(appearance)} for appearance in set(board.ravel().tolist()) - {10})


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer by signals")
def test_signal_is_heard_in_the_middle_of_a_question_that_would_not_end():
    class StoppedError(Exception):
        pass

    def stop(*_):
        raise StoppedError

    holes, pigeons = range(14), range(15)
    before = signal.signal(signal.SIGALRM, stop)
    try:
        with LabelSolver(claim([[0]])) as model:
            seat = [[model._new() for _ in holes] for _ in pigeons]
            for own in seat:
                model._solver.add_clause(own)
            for hole in holes:
                for one, other in combinations(pigeons, 2):
                    model._solver.add_clause([-seat[one][hole], -seat[other][hole]])
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            with pytest.raises(StoppedError):
                model.is_satisfiable()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
