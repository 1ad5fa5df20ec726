"""The policy `max`: anytime, repeatable, and never below what is known exactly."""

import time

import numpy as np
import pytest

from solver import analyse, decide, kernel, parse_board
from solver.game import Game
from solver.strategy import MAX, STRONG, Worth, rollouts, strong
from solver.strategy.rollouts import MOST_CANDIDATES, MOST_LINKED, _Budget, _group_twins


def guess_position(shape=(9, 9), n_mines=14, worth=Worth.SURVIVAL, closed=(0.0, 1.0)):
    """The first position of that kind in played games, with such a share of its cells closed."""
    for seed in range(100):
        game = Game(shape, n_mines, seed=seed)
        while not game.is_over:
            analysis = analyse(game.board)
            if analysis.safe:
                game.open(analysis.safe[0])
                continue
            ratings = strong.rate(analysis)
            is_there = closed[0] < np.mean(game.board.cells < 0) <= closed[1]
            if is_there and ratings is not None and ratings.worth is worth and len(ratings.guesses) > 3:
                return analysis
            game.open(STRONG.choose(analysis).cell)
    raise AssertionError("no such position")


def test_the_same_number_of_games_gives_the_same_ratings():
    analysis = guess_position()
    assert rollouts.rate(analysis, 512) == rollouts.rate(analysis, 512)
    assert MAX.choose(analysis) == MAX.choose(analysis)


def test_before_the_first_game_the_best_is_that_of_strong():
    analysis = guess_position()
    known = strong.rate(analysis)
    search = rollouts._RolloutSearch(analysis, known, _Budget(1000))
    assert search.ratings() == known
    assert rollouts.rate(analysis, 0).best == known.best
    assert rollouts.rate(analysis, 1000, seconds=0.0).best == known.best


def test_it_can_be_asked_at_any_moment_and_keeps_to_its_budget():
    analysis = guess_position()
    search = rollouts._RolloutSearch(analysis, strong.rate(analysis), _Budget(3000))
    played = []
    while search.is_open:
        search.play_batch()
        ratings = search.ratings()
        assert ratings.worth is Worth.ROLLOUT
        assert 0.0 < ratings.best.p_win < 1.0 - ratings.best.p_mine + 0.05
        assert ratings.best.margin > 0.0
        played.append(ratings.n_playouts)
    assert played == sorted(played)
    assert 0 < played[-1] <= 3000 + (MOST_CANDIDATES + MOST_LINKED) * 32
    assert "games played on from here" in ratings.move.why


def test_with_a_time_limit_it_begins_with_one_game_from_each_and_plays_more_at_a_time_while_that_is_quick():
    analysis = guess_position()
    n_between = {}
    for seconds in (None, 3600.0, 1e-3):
        search = rollouts._RolloutSearch(analysis, strong.rate(analysis), _Budget(3000, seconds))
        search.play_batch()
        n_between[seconds] = search.ratings().n_playouts
    assert n_between[None] == 32 * n_between[3600.0]
    assert n_between[1e-3] <= n_between[3600.0]
    patient = rollouts._RolloutSearch(analysis, strong.rate(analysis), _Budget(3000, 3600.0))
    for n_games in (1, 3, 7, 15, 31, 63, 95):
        patient.play_batch()
        assert patient.ratings().n_playouts == n_games * n_between[3600.0]


def test_where_the_time_ends_between_two_candidates_neither_is_ahead_by_a_game(monkeypatch):
    analysis = guess_position()
    budget = _Budget(3000, 3600.0)
    search = rollouts._RolloutSearch(analysis, strong.rate(analysis), budget)
    search.play_batch()
    known = search.ratings()
    is_time_left = iter((True, True, False))
    played_from = []
    do = kernel.play_rollouts
    monkeypatch.setattr(budget, "has_time", lambda: next(is_time_left))
    monkeypatch.setattr(
        kernel, "play_rollouts", lambda *args, **given: played_from.append(args[3]) or do(*args, **given)
    )
    search.play_batch()
    assert len(played_from) == 2
    assert search.ratings() == known


@pytest.mark.parametrize(
    ("closed", "seconds", "policy"),
    [
        ((1 / 3, 1.0), None, kernel.STRONG),
        ((1 / 3, 1.0), 5.0, kernel.STRONG),
        ((1 / 3, 1.0), 1.0, kernel.FAST),
        ((0.0, 1 / 3), 1.0, kernel.STRONG),
    ],
)
def test_strong_plays_on_and_in_a_hurry_the_base_policy_until_late(closed, seconds, policy, monkeypatch):
    analysis = guess_position((16, 30), 99, closed=closed)
    used = set()
    do = kernel.play_rollouts
    monkeypatch.setattr(kernel, "play_rollouts", lambda *args, **given: used.add(given["policy"]) or do(*args, **given))
    rollouts._RolloutSearch(analysis, strong.rate(analysis), _Budget(64, seconds)).play_batch()
    assert used == {policy}


def test_an_ending_is_not_played_but_solved():
    analysis = guess_position((4, 5), 6, Worth.ENDGAME)
    ratings = rollouts.rate(analysis, 1000)
    assert ratings.worth is Worth.ENDGAME
    assert ratings.best.margin == 0.0
    assert "exactly" in ratings.move.why


def test_what_strong_plays_by_a_plan_is_solved_if_there_is_time(monkeypatch):
    analysis = guess_position((6, 6), 10, Worth.PLAN)
    assert rollouts.rate(analysis, 1000, seconds=1.0).worth is Worth.PLAN
    solved = rollouts.rate(analysis, 1000)
    assert solved.worth is Worth.ENDGAME
    assert solved.best.p_win >= strong.rate(analysis).best.p_win
    monkeypatch.setattr(rollouts, "_EXACT_STEPS", 1)
    assert rollouts.rate(analysis, 1000) == strong.rate(analysis)


@pytest.mark.parametrize(("a_try_takes_s", "tries"), [(0.2, ["few", "all"]), (0.3, ["few"])])
def test_an_ending_is_solved_only_if_that_ends_in_time_on_this_machine(a_try_takes_s, tries, monkeypatch):
    analysis = guess_position((6, 6), 10, Worth.PLAN)
    now_s, asked = [0.0], []
    rate = strong.rate

    def too_long(analysis, *, with_book=True, exact_steps=0):
        if exact_steps:
            now_s[0] += a_try_takes_s
            asked.append("all" if exact_steps == rollouts._EXACT_STEPS else "few")
        return rate(analysis, with_book=with_book)

    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    monkeypatch.setattr(strong, "rate", too_long)
    assert rollouts.rate(analysis, 1000, seconds=4.0).worth is Worth.PLAN
    assert asked == tries


def test_with_many_games_it_finds_what_wins_most():
    """Just above the limit of exact endings, where the true chances of the candidates are known by solving."""
    analysis = guess_position((6, 6), 8)
    ratings = rollouts.rate(analysis, 20_000)
    best = max(ratings.guesses, key=lambda guess: guess.p_win)
    assert ratings.best.p_win >= best.p_win - 2 * best.margin
    counts = np.array([guess.margin for guess in ratings.guesses])
    assert counts[0] <= counts[-1] + 1e-12, "the best has been played on from most"


def test_cells_that_can_change_places_win_the_same():
    """In endings, where what each cell wins is known exactly; on boards of two rows cells come in such pairs."""
    n_twins = 0
    for seed in range(60):
        game = Game((2, 12), 8, seed=seed)
        game.open((0, 0))
        while not game.is_over:
            analysis = analyse(game.board)
            if analysis.safe:
                game.open(analysis.safe[0])
                continue
            ratings = strong.rate(analysis)
            for twins in _group_twins(analysis, list(ratings.guesses)):
                chances = {guess.p_win for guess in twins if guess.p_win is not None}
                assert len(chances) <= 1, analysis.board
                n_twins += len(twins) > 1 and len(chances) == 1
            game.open(STRONG.choose(analysis).cell)
    assert n_twins > 50


def test_of_cells_that_can_change_places_one_is_played_on_from_for_all():
    analysis = guess_position((2, 40), 14)
    ratings = rollouts.rate(analysis, 1000)
    rated = {guess.cell: (guess.p_win, guess.margin) for guess in ratings.guesses}
    pairs = [(cell, (1, cell[1])) for cell in rated if cell[0] == 0 and (1, cell[1]) in rated]
    assert pairs
    assert all(rated[one] == rated[other] for one, other in pairs)


def test_the_opening_book_is_asked_first():
    board = parse_board("; mines: 99\n" + "\n".join(["1" + "#" * 29] + ["#" * 30] * 15))
    analysis = analyse(board)
    assert decide(analysis).ratings.worth is Worth.BOOK
    assert decide(analysis, 0.01).ratings.worth is Worth.BOOK
    assert rollouts.rate(analysis, 256, with_book=False).worth is Worth.ROLLOUT
    assert decide(analysis).move.cell == STRONG.choose(analysis).cell == MAX.choose(analysis).cell


@pytest.mark.parametrize("text", ["; mines: 2\n###\n###", "1#\n##\n##", "; mines: 1\n1!#\n###"])
def test_positions_that_are_not_for_it_are_left_to_the_base_policy(text):
    """Nothing open yet; no mine count; an unreadable cell."""
    analysis = analyse(parse_board(text))
    assert decide(analysis, 0.05).ratings is None
    assert STRONG.choose(analysis) is not None


def test_without_the_kernel_the_base_policy_guesses_and_that_is_said(monkeypatch, caplog):
    analysis = guess_position()
    monkeypatch.setattr(kernel, "load", lambda: False)
    monkeypatch.setattr(strong, "_has_told", False)
    assert "least risk" in STRONG.choose(analysis).why
    assert "wins fewer games" in caplog.text


HALF = """; mines: 10
0001####
11012321
#1000000
11001121
01111F4#
01#112##
0111013#
0000001#
"""
"""One cell is proven safe, (0,7); whether the last mine is at (6,7) or (7,7) no number will tell."""


def test_chance_to_win_is_exact_where_one_guess_is_left_and_nothing_else_matters():
    analysis = analyse(parse_board(HALF))
    assert analysis.safe == ((0, 7),)
    assert rollouts.chance_to_win(analysis, (0, 7)) == (0.5, 0.0)
    assert rollouts.chance_to_win(analysis, (7, 6 + 1)).value == pytest.approx(0.5, abs=0.15), "the guess made first"
    proven = analysis.mines[0]
    assert rollouts.chance_to_win(analysis, proven) == (0.0, 0.0)


def test_chance_to_win_agrees_with_the_best_play_of_endings():
    for closed in (0.3, 0.5):
        analysis = guess_position(worth=Worth.ENDGAME, closed=(0.0, closed))
        for guess in strong.rate(analysis).guesses:
            if guess.p_win is not None:
                value, margin = rollouts.chance_to_win(analysis, guess.cell, 400)
                assert value == pytest.approx(guess.p_win, abs=max(0.02, 2.5 * margin))


def test_chance_to_win_of_a_guess_beside_proven_cells_is_less_than_of_these():
    for seed in range(30):
        game = Game((9, 9), 14, seed=seed)
        while not game.is_over:
            analysis = analyse(game.board)
            move = STRONG.choose(analysis)
            risky = [cell for cell in np.argwhere(analysis.p_mine > 0.3).tolist() if analysis.p_mine[tuple(cell)] < 1]
            if analysis.safe and risky and (game.board.cells >= 0).any():
                safe = rollouts.chance_to_win(analysis, analysis.safe[0], 200)
                guess = rollouts.chance_to_win(analysis, tuple(risky[0]), 200)
                if guess is not None:
                    assert guess.value <= safe.value + 2 * (safe.margin + guess.margin)
                break
            game.open(move.cell)


def test_chance_to_win_is_not_known_before_the_first_cell():
    assert rollouts.chance_to_win(analyse(Game((5, 5), 3).board), (0, 0)) is None
