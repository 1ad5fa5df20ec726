"""The bench of strength: what decisions say is what whole games show."""

import re

import bench_strength
import numpy as np
import pytest

from solver import analyse, kernel
from solver.board import CLOSED
from solver.game import Game
from solver.moves import Move
from solver.simulation import SeededDeals
from solver.strategy import STRONG

pytestmark = pytest.mark.skipif(not kernel.load(), reason="the kernel is not compiled: python -m solver.kernel")

N_JUDGED, N_PLAYED = 100, 600


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


def gain_by_decisions(capsys, choose):
    bench_strength.compare_decisions(deals(N_JUDGED), choose, 100)
    lines = capsys.readouterr().out.splitlines()
    told = [re.match(rf" +([+-][\d.]+) \+- ([\d.]+) % \({N_JUDGED} boards\)", line) for line in lines]
    (found,) = filter(None, told)
    return float(found[1]) / 100, float(found[2]) / 100


@pytest.mark.slow
def test_decisions_say_what_whole_games_show(capsys):
    gain, margin = gain_by_decisions(capsys, choose_rashly)
    played = bench_strength.each_of(deals(N_PLAYED))
    won_more = np.array([is_won(deal, choose_rashly) - is_won(deal, STRONG.choose) for deal in played])
    doubt = np.hypot(margin / 1.96, won_more.std() / N_PLAYED**0.5)
    assert gain == pytest.approx(won_more.mean(), abs=3 * doubt)
    assert doubt < 0.04
    assert gain < -0.15


def test_a_policy_gains_nothing_over_itself(capsys):
    assert gain_by_decisions(capsys, STRONG.choose) == (0.0, 0.0)
