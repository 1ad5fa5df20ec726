"""The bench of strength: what decisions say is what whole games show."""

import re

import numpy as np
import pytest
from benches import strength

from solver import analyse
from solver.board import CLOSED, Move
from solver.game import Game
from solver.simulation import SeededDeals
from solver.strategy import STRONG

N_JUDGED, N_PLAYED = 400, 800
N_JUDGES = 10
"""Games that judge a decision: most of the doubt is in the boards."""


def deals(n_boards):
    return SeededDeals((8, 8), 10, False, "safe", (0, 0), 1, n_boards)


def choose_rashly(analysis):
    """Opens what is proven safe, but guesses the cell of the greatest risk that is no proven mine."""
    if analysis.safe:
        return STRONG.choose(analysis)
    is_open_to = (analysis.board.cells == CLOSED) & (analysis.p_mine < 1.0)
    risks = np.where(is_open_to, analysis.p_mine, -1.0)
    cell = tuple(int(place) for place in np.unravel_index(risks.argmax(), risks.shape))
    return Move("open", cell, float(risks.max()))


def is_won(deal, choose):
    game = Game.on(deal.layout)
    game.open(deal.first_cell)
    while not game.is_over:
        game.open(choose(analyse(game.board)).cell)
    return game.state.value == "won"


@pytest.fixture
def gain_by_decisions(capsys, monkeypatch):
    """What a policy gains over `strong`, and the margin of that."""
    monkeypatch.setattr(strength, "FEWEST_JUDGES", N_JUDGES)

    def gain(choose, n_boards):
        strength.compare_decisions(deals(n_boards), choose, N_JUDGES)
        lines = capsys.readouterr().out.splitlines()
        told = [re.match(rf" +([+-][\d.]+) \+- ([\d.]+) % \({n_boards} boards\)", line) for line in lines]
        (found,) = filter(None, told)
        return float(found[1]) / 100, float(found[2]) / 100

    return gain


@pytest.mark.slow
def test_decisions_say_what_whole_games_show(gain_by_decisions):
    gain, margin = gain_by_decisions(choose_rashly, N_JUDGED)
    played = strength.each_of(deals(N_PLAYED))
    won_more = np.array([is_won(deal, choose_rashly) - is_won(deal, STRONG.choose) for deal in played])
    doubt = np.hypot(margin / 1.96, won_more.std() / N_PLAYED**0.5)
    assert gain == pytest.approx(won_more.mean(), abs=2.5 * doubt)
    assert doubt < 0.03
    assert gain < -0.15


def test_a_policy_gains_nothing_over_itself(gain_by_decisions):
    assert gain_by_decisions(STRONG.choose, 100) == (0.0, 0.0)
