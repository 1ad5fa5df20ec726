"""The candidates of `max` that `strong` does not look at."""

import numpy as np
import pytest

from solver import analyse, kernel, parse_board
from solver.game import Game
from solver.kernel import TOO_WIDE, lookahead
from solver.strategy import STRONG, Worth, rollouts, strong
from solver.strategy.rollouts import SHARE, _Budget, _rate_linked, _survival_over_two


def guess_positions(shape, n_mines, seeds, *, wrap=False):
    """Positions of played games where nothing is proven safe, with what `strong` thinks of them."""
    for seed in seeds:
        game = Game(shape, n_mines, seed=seed, wrap=wrap)
        while not game.is_over:
            analysis = analyse(game.board)
            for cell in analysis.safe:
                game.open(cell)
            if not analysis.safe:
                ratings = strong.rate(analysis, with_book=False)
                if ratings is not None and ratings.worth is Worth.SURVIVAL:
                    yield analysis, ratings
                game.open(STRONG.choose(analysis).cell)


@pytest.mark.parametrize(
    ("shape", "n_mines", "wrap", "n_seeds"),
    [((16, 30), 99, False, 3), ((9, 9), 14, False, 8), ((8, 9), 12, True, 8), ((4, 4, 5), 9, False, 8)],
)
def test_survival_over_two_clicks_is_that_of_the_kernel(shape, n_mines, wrap, n_seeds):
    n_compared = 0
    for analysis, ratings in guess_positions(shape, n_mines, range(n_seeds), wrap=wrap):
        for guess in ratings.guesses[:4]:
            assert _survival_over_two(analysis.board, guess.cell) == pytest.approx(guess.survival, abs=1e-11)
            n_compared += 1
    assert n_compared >= 15


def test_when_only_mines_are_left_nothing_more_is_lost():
    assert _survival_over_two(parse_board("; mines: 1\n#1#"), (0, 0)) == 0.5


def test_they_are_as_safe_as_the_candidates_of_the_kernel():
    """The figure stands twice, as the solver works without the kernel's compiler too."""
    assert SHARE == lookahead.SHARE


def test_they_are_close_to_the_numbers_and_nearly_as_safe_as_the_safest_the_best_first():
    n_rated = 0
    for analysis, ratings in guess_positions((16, 30), 99, range(6)):
        known = {guess.cell for guess in ratings.guesses}
        linked = _rate_linked(analysis, known)
        is_number = analysis.board.cells >= 0
        near = {
            cell: {cell, *analysis.board.topology.neighbours(cell)}
            for cell in map(tuple, np.argwhere(~is_number).tolist())
        }
        least = min(guess.p_mine for guess in ratings.guesses)
        for guess in linked:
            assert guess.cell not in known
            assert guess.p_mine == analysis.p_mine[guess.cell]
            assert 1.0 - guess.p_mine >= SHARE * (1.0 - least) - 1e-12
            two_away = {far for cell in near[guess.cell] for far in analysis.board.topology.neighbours(cell)}
            assert any(is_number[cell] for cell in two_away | near[guess.cell])
        assert [guess.survival for guess in linked] == sorted((guess.survival for guess in linked), reverse=True)
        n_rated += len(linked)
    assert n_rated > 50


def test_it_takes_no_longer_than_it_may():
    analysis, _ = next(guess_positions((16, 30), 99, range(20)))
    all_rated = _rate_linked(analysis, ())
    (first,) = _rate_linked(analysis, (), 0.0)
    assert len(all_rated) > 1
    assert first in all_rated
    assert first.p_mine == min(guess.p_mine for guess in all_rated)


def test_where_no_layouts_can_be_drawn_they_are_not_looked_for(monkeypatch):
    monkeypatch.setattr(kernel, "sample_layouts", lambda *_: TOO_WIDE)
    monkeypatch.setattr(rollouts, "_rate_linked", lambda *_: pytest.fail("they are no use"))
    analysis, _ = next(guess_positions((9, 9), 14, range(9)))
    assert rollouts.rate(analysis, 1000) == strong.rate(analysis)


def test_max_plays_on_from_a_few_of_them_unless_it_is_in_a_hurry():
    for analysis, ratings in guess_positions((16, 30), 99, range(20)):
        known = {guess.cell for guess in ratings.guesses}
        linked = _rate_linked(analysis, known)
        if len(linked) > 4:
            break
    search = rollouts._RolloutSearch(analysis, ratings, _Budget(1000))
    search.play_batch()
    rated = [guess.cell for guess in search.ratings().guesses]
    assert linked[0].cell in rated
    assert known.intersection(rated)
    in_a_hurry = rollouts._RolloutSearch(analysis, ratings, _Budget(1000, 1.0))
    in_a_hurry.play_batch()
    assert known.issuperset(guess.cell for guess in in_a_hurry.ratings().guesses)
