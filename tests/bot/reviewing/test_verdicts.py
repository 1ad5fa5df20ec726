"""What clicks were worth, against every layout of small boards listed one by one: no code of the solver's is asked."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from amounts import count

from bot.reviewing import verdicts
from bot.reviewing.mouse import CountedButton, CountedClick
from bot.reviewing.replay_files import Replay, iter_steps, load_replays
from bot.reviewing.verdicts import Verdict, give_reason, joint_risk, judge_cell, judge_guess, review, summarise
from solver import analyse, decide, parse_board
from solver.board import CLOSED, FLAG, Action
from solver.game import Game
from solver.layout import Layout

REPLAYS = Path(__file__).parents[2] / "golden" / "replays"
SHAPE, N_MINES = (4, 5), 4


@cache
def all_layouts():
    """Every layout of the small board, and the numbers of each: bool and int, layouts x rows x cols."""
    cells = list(np.ndindex(SHAPE))
    layouts = np.zeros((math.comb(len(cells), N_MINES), *SHAPE), dtype=bool)
    for layout, mines in zip(layouts, combinations(cells, N_MINES), strict=True):
        for mine in mines:
            layout[mine] = True
    numbers = np.zeros(layouts.shape, dtype=int)
    for row, col in cells:
        around = layouts[:, max(row - 1, 0) : row + 2, max(col - 1, 0) : col + 2]
        numbers[:, row, col] = around.sum(axis=(1, 2)) - layouts[:, row, col]
    return layouts, numbers


def agreeing(board):
    """The layouts that agree with what a player sees."""
    layouts, numbers = all_layouts()
    is_open = board.cells >= 0
    fits = ~layouts[:, is_open].any(axis=1) & (numbers[:, is_open] == board.cells[is_open]).all(axis=1)
    return layouts[fits]


def small_replay(seed):
    """A game of somebody who opens, flags and chords without much thought."""
    rng = random.Random(seed)
    layout = Layout.random(SHAPE, N_MINES, rng, first_cell=(0, 0))
    game, clicks = Game.on(layout), []
    while not game.is_over and len(clicks) < 60:
        cells = list(np.ndindex(SHAPE)) if clicks else [(0, 0)]
        cell = rng.choice([cell for cell in cells if rng.random() < 0.9 or not layout.has_mine[cell]] or cells)
        if not clicks or rng.random() < 0.5:
            if layout.has_mine[cell] and rng.random() < 0.8:
                continue
            click = CountedClick(len(clicks) / 4, CountedButton.LEFT, Action.OPEN, cell)
            game.open(cell)
        elif rng.random() < 0.5:
            click = CountedClick(len(clicks) / 4, CountedButton.RIGHT, Action.FLAG, cell)
            game.toggle_flag(cell)
        else:
            click = CountedClick(len(clicks) / 4, CountedButton.DOUBLE, Action.CHORD, cell)
            game.chord(cell)
        clicks.append(click)
    return Replay(f"seed {seed}", "", "", layout, tuple(clicks), math.nan)


def test_verdicts_agree_with_every_layout_listed():
    seen = dict.fromkeys([*Verdict, "chord with a risk"], 0)
    for seed in range(count("MINEBOT_SMALL_REVIEWS", gate=200, full=5_000)):
        for judged in review(small_replay(seed)).clicks:
            if judged.verdict is not None:
                seen[judged.verdict] += 1
                seen["chord with a risk"] += len(judged.step.targets) > 1 and judged.is_guess
                check(judged)
    assert min(seen[verdict] for verdict in (Verdict.START, Verdict.BEST, Verdict.FORCED, Verdict.BLUNDER)) > 10, seen
    assert seen[Verdict.MISTAKE] > 5, seen
    assert seen["chord with a risk"] > 5, seen


def check(judged):
    if judged.verdict is Verdict.START:
        assert not (judged.step.before.cells >= 0).any()
        return
    layouts = agreeing(judged.step.before)
    targets = tuple(np.array(judged.step.targets).T)
    risk = layouts[:, targets[0], targets[1]].any(axis=1).mean()
    is_closed = judged.step.before.cells < 0
    safe = [tuple(cell) for cell in np.argwhere(is_closed & ~layouts.any(axis=0)).tolist()]
    least = layouts.mean(axis=0)[is_closed].min()
    assert judged.p_mine == pytest.approx(risk, abs=1e-9)
    assert (judged.p_mine == 0.0) == (risk == 0.0), "0 only where that is proven"
    assert (judged.proven == "safe") == all(cell in safe for cell in judged.step.targets)
    assert (judged.verdict is Verdict.BEST) == (risk == 0.0)
    assert (judged.verdict is Verdict.BLUNDER) == (risk > 0.0 and bool(safe))
    if safe:
        assert set(judged.best) == set(safe)
        assert judged.p_mine_best == 0.0
    else:
        assert judged.p_mine_best >= least - 1e-9
        assert all(layouts.mean(axis=0)[cell] < 1 or least == 1 for cell in judged.best)
    assert 0.0 <= judged.kept <= 1.0


def test_endings_are_valued_by_the_best_play_there_is():
    # Two 50/50s are left, each decided by no number: every cell of them is as good, and half of a half is won.
    rows = ["*0", "00", "00", "00", "0*"]
    layout = Layout(np.array([[letter == "*" for letter in row] for row in rows]))
    clicks = [(2, 0), (0, 1)]
    replay = Replay(
        "",
        "",
        "",
        layout,
        tuple(CountedClick(n, CountedButton.LEFT, Action.OPEN, cell) for n, cell in enumerate(clicks)),
        math.nan,
    )
    reviewed = review(replay)
    guess = reviewed.clicks[1]
    layouts = 2 * 2
    assert guess.p_mine == 0.5
    assert guess.verdict is Verdict.FORCED
    assert [point.chance.value for point in reviewed.curve if point.n == 1] == [1 / layouts]


def test_p_luck_sums_what_was_survived():
    # Two 50/50s, by hand: the first is survived, which is worth log10(2), and the second is not.
    layout = Layout.of_cells((5, 2), [(0, 0), (4, 1)])
    clicks = [CountedClick(n, CountedButton.LEFT, Action.OPEN, cell) for n, cell in enumerate([(2, 0), (0, 1), (4, 1)])]
    lucks = [review(Replay("", "", "", layout, tuple(clicks[:n]), math.nan)).luck for n in (1, 2, 3)]
    assert [luck.p_luck for luck in lucks] == pytest.approx([0.0, math.log10(2), math.log10(2)])
    assert [luck.lost for luck in lucks] == [0, 0, 1]


def test_p_luck_of_a_persons_game_is_that_of_ms_toollib():
    """ms_toollib tests the same game in base/tests/test_pluck.rs, and expects this number."""
    (replay,) = load_replays(REPLAYS / "custom-evf.rawvf")
    assert review(replay).luck.p_luck == pytest.approx(3.9618354380416467, rel=1e-12)


def test_guess_is_judged_alike_whether_the_solver_rated_it_or_not():
    """Far from the number the cells are as safe as the best guess, and mostly too far inside to be as good."""
    analysis = analyse(parse_board("; mines: 10\n1#######" + "\n########" * 7))
    ratings = decide(analysis).ratings
    unasked = replace(ratings, guesses=ratings.guesses[:1])

    def judge(cell, rated=ratings):
        return judge_guess(analysis, rated, (cell,), float(analysis.p_mine[cell]))

    assert {judge(cell) for cell in ((0, 7), (7, 0), (7, 7))} == {(Verdict.FORCED, 1.0)}, "the corners"
    for guess in ratings.guesses:
        (verdict, kept), (verdict_unasked, kept_unasked) = judge(guess.cell), judge(guess.cell, unasked)
        assert (verdict, kept) == (verdict_unasked, pytest.approx(kept_unasked, abs=1e-9)), guess
    rated = {guess.cell for guess in ratings.guesses}
    inside = [cell for cell in np.ndindex(6, 6) if cell > (2, 0) and cell[1] > 1 and cell not in rated]
    assert inside
    for cell in inside:
        assert float(analysis.p_mine[cell]) == pytest.approx(ratings.best.p_mine)
        verdict, kept = judge(cell)
        assert verdict is not Verdict.FORCED
        assert kept == pytest.approx(judge(cell[::-1])[1], abs=1e-9), "the board is its own mirror image"


@pytest.mark.parametrize(
    "name", ["expert-1-avf", "expert-2-avf", "expert-mvf", "expert-lost-rmv", "rmv1_utf8_basic-rmv"]
)
def test_risks_of_peoples_games_are_those_of_ms_toollib(name, ms_toollib):
    (replay,) = load_replays(REPLAYS / f"{name}.rawvf")
    reviewed = review(replay)
    n_compared = 0
    for judged in reviewed.clicks:
        if judged.verdict in (None, Verdict.START):
            continue
        board = judged.step.before.cells
        peers = np.where(board < 0, 10, board).tolist()
        risks, _ = ms_toollib.cal_probability_onboard(peers, float(replay.layout.n_mines))
        risks = np.array(risks)
        closed = board < 0
        assert np.allclose(risks[closed], judged.analysis.p_mine[closed], atol=1e-9), judged.step.click
        has_safe = bool((risks[closed] < 1e-12).any())
        assert (judged.verdict is Verdict.BLUNDER) == (judged.p_mine > 0 and has_safe)
        n_compared += 1
    assert n_compared > 50


def test_clicks_drawn_from_all_games_are_judged_as_by_ms_toollib(ms_toollib):
    """Clicks of people, of the bot and of somebody careless: what was proven, every risk, and who is blamed."""
    n_wanted, rng = count("MINEBOT_REVIEWED_CLICKS", gate=200, full=2_000), random.Random(26)
    n_games = max(4, n_wanted // 10)
    played = [own_replay(1_000 + n) for n in range(n_games)] + [careless_replay(n) for n in range(n_games)]
    peoples = [load_replays(path)[0] for path in sorted(REPLAYS.glob("*.rawvf"))]
    drawn = [(replay, step) for replay in [*peoples, *played] for step in iter_steps(replay) if step.opened]
    seen = dict.fromkeys(Verdict, 0)
    for replay, step in rng.sample([one for one in drawn if (one[1].before.cells >= 0).any()], n_wanted):
        judged = verdicts._Judge(0.0).judge(step)
        seen[judged.verdict] += 1
        n_mines, closed = replay.layout.n_mines, step.before.cells < 0
        risks = peers_risks(ms_toollib, step.before.cells, n_mines)
        assert np.allclose(risks[closed], judged.analysis.p_mine[closed], atol=1e-9), (replay.source, step.click)
        is_safe, is_mine = closed & (risks < 1e-12), closed & (risks > 1 - 1e-12)
        forced = judged.analysis.is_forced & closed
        assert np.array_equal(forced, is_safe | is_mine), (replay.source, step.click)
        opened_safely = all(is_safe[cell] for cell in step.targets)
        assert (judged.proven == "safe") == (judged.verdict is Verdict.BEST) == opened_safely
        assert (judged.verdict is Verdict.BLUNDER) == (bool(is_safe.any()) and not opened_safely)
        assert not (replay.layout.has_mine & is_safe).any()
        in_doubt = [cell for cell in step.targets if not is_safe[cell]]
        if len(in_doubt) < 2:  # of more it is not the sum: every layout of small boards is listed for that
            assert judged.p_mine == pytest.approx(sum(risks[cell] for cell in in_doubt), abs=1e-9)
    assert seen[Verdict.BEST] > n_wanted // 4, seen
    assert min(seen[Verdict.BLUNDER], seen[Verdict.FORCED]) > 0, seen


def peers_risks(ms_toollib, cells, n_mines):
    """The risk of every cell by ms_toollib."""
    codes = np.where(cells < 0, 10, cells).tolist()
    return np.array(ms_toollib.cal_probability_onboard(codes, float(n_mines))[0])


def careless_replay(seed):
    """A game of somebody who opens a cell at random now and then."""
    rng = random.Random(seed)
    layout = Layout.random((16, 16), 40, rng, first_cell=(0, 0))
    game, cells = Game.on(layout), [(0, 0)]
    game.open((0, 0))
    while not game.is_over:
        closed = [tuple(cell) for cell in np.argwhere(game.board.cells == CLOSED).tolist()]
        likely = [cell for cell in closed if not layout.has_mine[cell]] if rng.random() < 0.9 else closed
        cells.append(rng.choice(likely) if rng.random() < 0.5 else decide(analyse(game.board)).move.cell)
        game.open(cells[-1])
    clicks = (CountedClick(n / 5, CountedButton.LEFT, Action.OPEN, cell) for n, cell in enumerate(cells))
    return Replay(f"careless seed {seed}", "", "", layout, tuple(clicks), math.nan)


def test_review_of_a_persons_game_blames_and_explains():
    (replay,) = load_replays(REPLAYS / "expert-lost-rmv.rawvf")
    reviewed = review(replay)
    assert reviewed.result == "won"
    assert reviewed.counts == {
        "start": 1,
        "best": 106,
        "forced guess": 1,
        "good": 0,
        "inaccuracy": 1,
        "mistake": 0,
        "blunder": 2,
    }
    blunder = reviewed.clicks[2]
    assert (blunder.verdict, blunder.step.click.cell, blunder.p_mine) == (Verdict.BLUNDER, (0, 1), 0.5)
    assert blunder.best == ((2, 0), (2, 1))
    assert "the 1 at (1,0) needs 1 mine among (0,1) (1,1) (2,0) (2,1)" in give_reason(blunder)
    assert reviewed.luck.guesses == 4
    assert reviewed.luck.survival == pytest.approx(0.5 * 0.4 * 0.5 * (1 - 1 / 3) * 1.5)
    assert reviewed.worst(9) == sorted(reviewed.worst(9), key=lambda n: reviewed.clicks[n].kept)


def test_review_of_flags_and_wasted_clicks_is_no_verdict():
    (replay,) = load_replays(REPLAYS / "expert-mvf.rawvf")
    reviewed = review(replay)
    for judged in reviewed.clicks:
        if judged.step.click.action is Action.FLAG or not judged.step.opened:
            assert judged.verdict is None
            assert judged.kept == 1.0
    wrong = [one for one in reviewed.clicks if one.step.click.action is Action.FLAG and one.proven == "safe"]
    assert all(one.p_mine == 0.0 for one in wrong)
    assert any(one.proven == "mine" for one in reviewed.clicks)


def test_joint_risk_is_that_of_any_of_the_cells():
    game = Game.on(Layout.of_cells(SHAPE, [(0, 1), (2, 3), (3, 0), (3, 4)]))
    game.open((1, 1))
    board = game.board
    layouts = agreeing(board)
    for cells in combinations([(0, 0), (0, 1), (1, 0), (3, 4)], 3):
        expected = np.any([layouts[(slice(None), *cell)] for cell in cells], axis=0).mean()
        assert joint_risk(analyse(board), cells) == pytest.approx(expected)


def test_the_bots_own_games_are_reviewed_without_a_fault():
    for seed in range(count("MINEBOT_OWN_REVIEWS", gate=9, full=200)):
        replay = own_replay(seed)
        reviewed = review(replay)
        blamed = [one for one in reviewed.clicks if one.verdict not in (Verdict.START, Verdict.BEST, Verdict.FORCED)]
        assert not blamed, (seed, blamed[0].step.click, give_reason(blamed[0]))
        assert reviewed.accuracy == 1.0
        assert reviewed.figures.bbbv_solved <= reviewed.figures.bbbv == replay.layout.bbbv
        assert (reviewed.result == "won") == (reviewed.figures.bbbv_solved == reviewed.figures.bbbv)
        assert reviewed.luck.lost == (reviewed.result == "lost")


def own_replay(seed):
    """A game played by the solver's strongest moves."""
    shape, n_mines = [((9, 9), 10), ((16, 16), 40), ((16, 30), 99)][seed % 3]
    layout = Layout.random(shape, n_mines, random.Random(seed), first_cell=(0, 0))
    game, cells = Game.on(layout), [(0, 0)]
    game.open((0, 0))
    while not game.is_over:
        cells.append(decide(analyse(game.board)).move.cell)
        game.open(cells[-1])
    clicks = (CountedClick(n / 5, CountedButton.LEFT, Action.OPEN, cell) for n, cell in enumerate(cells))
    return Replay(f"seed {seed}", "minebot", "", layout, tuple(clicks), math.nan)


def test_a_review_of_many_blunders_plays_no_more_games(monkeypatch):
    played = []
    real = verdicts.chance_to_win

    def counted(analysis, cell, playouts=128):
        played.append(playouts)
        return real(analysis, cell, playouts)

    monkeypatch.setattr(verdicts, "chance_to_win", counted)
    (replay,) = load_replays(REPLAYS / "expert-mvf.rawvf")
    review(replay)
    assert len(played) > 20
    assert sum(played) <= verdicts._ALL_PLAYOUTS
    assert len(set(played)) == 1
    played.clear()
    (large,) = load_replays(REPLAYS / "custom-evf.rawvf")
    reviewed = review(large)
    assert 5 <= len(played) <= 10
    assert sum(played) <= verdicts._LEAST_PLAYOUTS
    assert reviewed.curve[-1].chance.value == 1.0


def test_accuracy_is_one_where_everything_was_proven_or_best():
    reviewed = review(load_replays(REPLAYS / "custom-8x11-avf.rawvf")[0])
    assert reviewed.accuracy == 1.0
    assert reviewed.luck.guesses == 0
    assert reviewed.worst(5) == []


def test_summary_of_many_games_names_what_blunders_missed():
    names = ["expert-lost-rmv", "expert-2-avf", "custom-8x11-avf"]
    reviews = [review(load_replays(REPLAYS / f"{name}.rawvf")[0]) for name in names]
    told = summarise(reviews)
    assert (told["games"], told["won"]) == (3, 3)
    assert sum(told["missed_rules"].values()) == told["verdicts"]["blunder"] == 4
    assert sum(told["missed_patterns"].values()) == 4
    assert told["guesses"] == sum(one.luck.guesses for one in reviews)
    assert told["means"]["ioe"] == pytest.approx(sum(one.figures.ioe for one in reviews) / 3)


def test_a_cell_is_judged_by_games_played_on():
    # The 50/50 at the left has to be guessed whatever is opened first: to do it too early costs nothing.
    judged = judge_cell(parse_board("; mines: 1\n#10#\n#10#\n"), (0, 0))
    assert (judged.verdict, judged.p_mine, judged.best) == (Verdict.BLUNDER, 0.5, ((0, 3), (1, 3)))
    assert judged.kept == 1.0


def test_flags_are_no_evidence():
    plain = small_replay(3)
    flagged = Replay(
        "",
        "",
        "",
        plain.layout,
        (plain.clicks[0], *(CountedClick(0.1, CountedButton.RIGHT, Action.FLAG, cell) for cell in np.ndindex(SHAPE))),
        math.nan,
    )
    last = review(flagged).clicks[-1]
    assert (last.step.before.cells == FLAG).any()
    assert (last.analysis.board.cells != FLAG).all()
