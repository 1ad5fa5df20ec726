"""The signature of a policy: it changes with one move, and with nothing else."""

from dataclasses import replace

from benches.signature import signature_of

from solver.simulation import SeededDeals
from solver.strategy import FAST, least_risk

DEALS = SeededDeals((9, 9), 10, False, "safe", (0, 0), 1, 10)


def test_signature_is_that_of_the_choices():
    asked = []

    def choose(analysis):
        asked.append(analysis)
        return least_risk.choose(analysis)

    assert signature_of(replace(FAST, name="the same", choose=choose, play=None), DEALS) == signature_of(FAST, DEALS)
    assert asked


def test_signature_changes_with_one_move():
    n_guesses = 0

    def choose(analysis):
        nonlocal n_guesses
        n_guesses += 1
        best, *others = least_risk.rank_guesses(analysis)
        guess = others[0] if n_guesses == 1 else best
        return replace(least_risk.choose(analysis), cell=guess.cell)

    assert signature_of(replace(FAST, choose=choose), DEALS) != signature_of(FAST, DEALS)


def test_signature_is_of_these_boards():
    assert signature_of(FAST, DEALS) != signature_of(FAST, replace(DEALS, seed=2))
