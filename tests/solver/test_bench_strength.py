"""The bench of strength: whole games are compared board by board, and decisions say what whole games show."""

import re
from pathlib import Path

import bench
import numpy as np
import pytest
from benches import strength
from benches.sequential import Bounds

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


def player(name, is_won):
    """Who wins the boards of some seeds, in a millisecond each."""

    def play(boards):
        won = [is_won(boards.seed_of(place)) for place in range(len(boards))]
        return strength.Results(np.array(won, dtype=float), np.full(len(boards), 1e-3))

    return strength.Player(name, play)


def test_games_tell_the_rates_of_the_boards_that_each_has_played(capsys):
    players = [
        player("even", lambda seed: seed % 2 == 0),
        player("third", lambda seed: seed % 3 == 0),
        player("a file", lambda seed: np.nan if seed > 6 else seed == 1),
    ]
    strength.compare_games(deals(12), players, 5, None)
    rates = re.findall(r"^  (.+?) +(\d+\.\d+) \+- .* % \((\d+) boards\)", capsys.readouterr().out, re.MULTILINE)
    assert rates == [("even", "50.00", "12"), ("third", "33.33", "12"), ("a file", "16.67", "6")]


def test_games_tell_gained_and_lost_boards(capsys, tmp_path):
    players = [player("even", lambda seed: seed % 2 == 0), player("third", lambda seed: seed % 3 == 0)]
    strength.compare_games(deals(12), players, 12, None, tmp_path / "won")
    assert "third - even: -16.67 +- " in (told := capsys.readouterr().out)
    assert "2 gained and 4 lost" in told  # 3 and 9; 2, 4, 8 and 10
    assert (tmp_path / "won").read_text(encoding="utf-8").splitlines()[:3] == ["seed even third", "1 0 0", "2 1 0"]


def test_games_end_as_soon_as_the_test_is_decided(capsys):
    players = [player("even", lambda seed: seed % 2 == 0), player("more", lambda seed: seed % 2 == 0 or seed % 9 == 1)]
    strength.compare_games(deals(10_000), players, 50, Bounds(0.0, 0.05))
    told = capsys.readouterr().out
    assert "decided: +5 points or more" in told
    n_boards = [int(n) for n in re.findall(r"^  (\d+) boards", told, re.MULTILINE)]
    assert n_boards == list(range(50, n_boards[-1] + 1, 50))
    assert n_boards[-1] < 500


def test_policy_of_another_checkout_wins_the_same_boards():
    here = Path(bench.__file__).parents[1]
    ours, theirs = (strength.policy_player(name).play(deals(40)) for name in ("fast", f"{here}:fast"))
    assert theirs.won.tolist() == ours.won.tolist()
    assert 0 < ours.won.sum() < 40


def test_results_of_a_file_are_found_by_seed(tmp_path):
    path = tmp_path / "other program"
    path.write_text("seed won\n2 1\n3 0\n", encoding="utf-8")
    results = strength.file_player(str(path)).play(deals(3))
    np.testing.assert_equal(results.won, [np.nan, 1, 0])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--policy", "brave"), "expected a policy"),
        (("--other", "brave"), "expected a policy"),
        (("--policy", "/nowhere:fast"), "expected the folder of a checkout"),
        (("--against", "/nowhere"), "expected a file of lines of seed and won"),
        (("--bounds", "1"), "expected two numbers such as 0,0.5"),
        (("--bounds", "1,0"), "expected -100 < LOW < HIGH < 100"),
        (("--bounds", "0,1", "--policy", "fast"), "expected two players with --bounds, got 1"),
    ],
)
def test_bad_options_are_told(given, said, capsys):
    with pytest.raises(SystemExit) as ended:
        raise SystemExit(bench.main(["strength", "games", *given]))
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
