"""The guesses of `strong`, held against slow computations that share no code with the kernel."""

import random
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from solver import Board, Topology, analyse, chances_of_number, kernel, parse_board
from solver.board import CLOSED
from solver.decision import decide
from solver.game import Game
from solver.kernel import BY_ENDING, BY_PLAN, BY_SURVIVAL, STRONG
from solver.layout import Layout
from solver.strategy import Worth, strong


def rate(board, exact_steps=0):
    return kernel.rate_guesses(board.cells.ravel().astype(np.int16), board.topology, board.mines, exact_steps)


def guess_positions(shape, n_mines, seeds, *, most_models=None):
    """The positions of played games in which nothing is proven safe; the least risky cell is opened there."""
    for seed in seeds:
        game = Game(shape, n_mines, seed=seed)
        while not game.is_over:
            analysis = analyse(game.board)
            if analysis.safe:
                game.open(analysis.safe[0])
                continue
            if (game.board.cells >= 0).any() and (most_models is None or analysis.n_models <= most_models):
                yield analysis
            risks = np.where(game.board.cells == CLOSED, analysis.p_mine, 2.0)
            game.open(tuple(map(int, np.unravel_index(risks.argmin(), shape))))


def models_of(board):
    """Every layout that agrees with a board, by trying all of them."""
    near = board.topology.neighbour_indices
    codes = board.cells.ravel()
    closed = np.flatnonzero(codes == CLOSED).tolist()
    numbers = [(i, int(codes[i])) for i in np.flatnonzero(codes >= 0).tolist()]
    for mines in map(frozenset, combinations(closed, board.mines)):
        if all(len(mines.intersection(near[i])) == number for i, number in numbers):
            yield mines


def win_shares(board):
    """How many layouts are won by the best play, for every cell that may be opened first: expectimax over boards."""
    near = board.topology.neighbour_indices
    n_cells = board.topology.n_cells

    @cache
    def best(models, opened):
        if n_cells - len(opened) == board.mines:
            return len(models)
        return max(worth(models, opened, cell) for cell in range(n_cells) if cell not in opened)

    @cache
    def worth(models, opened, cell):
        parts = {}
        for mines in models:
            if cell not in mines:
                parts.setdefault(len(mines.intersection(near[cell])), set()).add(mines)
        if not parts:
            return 0
        return sum(best(frozenset(part), opened | {cell}) for part in parts.values())

    models = frozenset(models_of(board))
    opened = frozenset(np.flatnonzero(board.cells.ravel() >= 0).tolist())
    closed = [cell for cell in range(n_cells) if cell not in opened]
    return len(models), {cell: worth(models, opened, cell) for cell in closed}


def tiny_endings():
    found = []
    for shape, n_mines in [((3, 4), 4), ((4, 4), 5), ((3, 5), 5), ((2, 7), 5), ((4, 4), 7)]:
        positions = guess_positions(shape, n_mines, range(400), most_models=40)
        unique = {}
        for analysis in positions:
            if (analysis.board.cells == CLOSED).sum() <= 10:
                unique.setdefault(str(analysis.board), analysis.board)
        found += list(unique.values())[:45]
    return found


@pytest.mark.slow
def test_endgame_equals_brute_force_on_two_hundred_tiny_endings():
    boards = tiny_endings()
    assert len(boards) >= 200
    n_hard = 0
    for board in boards:
        n_models, shares = win_shares(board)
        rated = rate(board)
        assert rated.kind == BY_ENDING
        assert not rated.is_bound.any()
        assert rated.values[rated.chosen] == max(rated.values)
        for cell, value in zip(rated.cells, rated.values, strict=True):
            assert value * n_models == pytest.approx(shares[cell]), f"{cell}\n{board}"
        n_hard += max(shares.values()) != max(round((1 - p) * n_models) for p in rated.risks)
    assert n_hard >= 20, "most of these must need more than the least risk"


def best_play(board):
    """As `win_shares`, far sooner: what is safe in every layout and tells some apart is opened at once."""
    near = [sum(1 << other for other in others) for others in board.topology.neighbour_indices]
    closed = np.flatnonzero(board.cells.ravel() == CLOSED).tolist()

    def parts_of(models, cell):
        parts = {}
        for model in models:
            if not model >> cell & 1:
                parts.setdefault((model & near[cell]).bit_count(), []).append(model)
        return [tuple(part) for part in parts.values()]

    @cache
    def best(models):
        if len(models) == 1:
            return 1
        splits = {cell: parts_of(models, cell) for cell in closed}
        n_safe = {cell: sum(map(len, parts)) for cell, parts in splits.items()}
        for cell in closed:
            if n_safe[cell] == len(models) and len(splits[cell]) > 1:
                return sum(map(best, splits[cell]))
        won = 1
        for cell in sorted(closed, key=n_safe.get, reverse=True):
            if n_safe[cell] < len(models) and n_safe[cell] > won:
                won = max(won, sum(map(best, splits[cell])))
        return won

    models = [sum(1 << mine for mine in mines) for mines in models_of(board)]
    return len(models), {cell: sum(map(best, parts_of(models, cell))) for cell in closed}


ENDINGS = [((4, 5), 5), ((4, 5), 6), ((3, 6), 5), ((2, 9), 5), ((1, 16), 5), ((3, 3, 2), 5)]


def endings(most_models, fewest_models):
    """Different positions of games, with so many models."""
    found = {}
    for shape, n_mines in ENDINGS:
        for analysis in guess_positions(shape, n_mines, range(12), most_models=most_models):
            if analysis.n_models >= fewest_models:
                found.setdefault(str(analysis.board), analysis.board)
    return list(found.values())


def test_larger_endgames_equal_expectimax():
    boards = endings(500, 60)
    assert len(boards) >= 20
    for board in boards:
        n_models, shares = best_play(board)
        rated = rate(board)
        assert rated.kind == BY_ENDING
        assert not rated.is_bound.any()
        for cell, value in zip(rated.cells, rated.values, strict=True):
            assert value * n_models == pytest.approx(shares[cell]), f"{cell}\n{board}"


def test_the_plan_of_a_larger_ending_wins_hardly_less_than_the_best_play_which_can_be_had():
    boards = endings(900, 501)
    assert len(boards) >= 5
    for board in boards:
        n_models, shares = best_play(board)
        rated = rate(board)
        assert rated.kind == BY_PLAN
        for cell, value in zip(rated.cells, rated.values, strict=True):
            assert value * n_models <= shares[cell] + 1e-6, f"{cell}\n{board}"
        assert rated.values[rated.chosen] == max(rated.values)
        assert rated.values[rated.chosen] * n_models > 0.9 * max(shares.values())
        assert shares[rated.cells[rated.chosen]] > 0.97 * max(shares.values())
        exact = rate(board, 1_000_000)
        assert exact.kind == BY_ENDING
        assert exact.values * n_models == pytest.approx([shares[cell] for cell in exact.cells])
        assert exact.values[exact.chosen] == max(exact.values)
        assert rate(board, 1).kind == BY_SURVIVAL, "that is too short a search"


def survival(analysis, cell):
    """The chance to survive a click and the best one after it, by whole analyses of every number."""
    survived = 0.0
    for number, chance in enumerate(chances_of_number(analysis.board, cell)):
        if chance == 0.0:
            continue
        cells = analysis.board.cells.copy()
        cells[cell] = number
        after = analyse(Board(cells, analysis.board.mines))
        is_open_to = (cells == CLOSED) & ~(after.is_forced & (after.p_mine == 1.0))
        survived += chance * (1.0 - (after.p_mine[is_open_to].min() if is_open_to.any() else 0.0))
    return survived


@pytest.mark.parametrize(("shape", "n_mines", "seeds"), [((16, 30), 99, range(6)), ((9, 9), 14, range(12))])
def test_lookahead_equals_whole_analyses_of_every_number(shape, n_mines, seeds):
    n_compared = 0
    for analysis in guess_positions(shape, n_mines, seeds):
        rated = rate(analysis.board)
        if rated.kind != BY_SURVIVAL:
            continue
        values = [survival(analysis, analysis.board.topology.cell(i)) for i in rated.cells]
        assert rated.values == pytest.approx(values, abs=1e-11)
        assert rated.values[rated.chosen] == pytest.approx(max(values), abs=1e-9)
        assert 1 <= len(values) <= 16
        n_compared += len(values)
    assert n_compared > 50


def test_lookahead_has_the_safest_cells_as_candidates():
    for analysis in guess_positions((16, 30), 99, range(4)):
        rated = rate(analysis.board)
        if rated.kind == BY_SURVIVAL:
            p_mine = analysis.p_mine[(analysis.board.cells == CLOSED) & ~analysis.is_forced]
            assert rated.risks[0] == pytest.approx(p_mine.min())
            assert (1 - rated.risks >= 0.85 * (1 - p_mine.min()) - 1e-9).all()
            assert (np.diff(rated.risks) >= -1e-9).all()


def test_strong_opens_the_cell_that_the_ratings_choose():
    """A compiled game, replayed guess by guess."""
    for seed in range(12):
        layout = random_layout(seed)
        truth = np.where(layout.has_mine, -1, layout.numbers).astype(np.int16).ravel()
        played = kernel.play(truth, layout.topology, layout.n_mines, 0, STRONG)
        game = Game.on(layout)
        game.open((0, 0))
        risks = []
        while not game.is_over:
            analysis = analyse(game.board)
            for cell in analysis.safe:
                game.open(cell)
            if not analysis.safe:
                rated = rate(game.board)
                risks.append(rated.risks[rated.chosen])
                game.open(layout.topology.cell(rated.cells[rated.chosen]))
        assert played.risks.tolist() == pytest.approx(risks)
        assert played.is_won == (game.state.value == "won")


def random_layout(seed, shape=(16, 30), n_mines=99):
    has_mine = np.zeros(shape[0] * shape[1], dtype=bool)
    has_mine[random.Random(seed).sample(range(1, has_mine.size), n_mines)] = True
    return Layout(has_mine.reshape(shape))


def test_drawn_layouts_agree_with_the_position_and_with_its_risks():
    """Chi-square of the mines of every cell, and of whole models where there are few."""
    n_drawn = 4000
    for analysis in list(guess_positions((9, 9), 12, range(5)))[:8]:
        board = analysis.board
        drawn = kernel.sample_layouts(board.cells.ravel().astype(np.int16), board.topology, board.mines, n_drawn, 7)
        assert (drawn.sum(axis=1) == board.mines).all()
        for cell in np.flatnonzero(board.cells.ravel() >= 0):
            near = list(board.topology.neighbour_indices[cell])
            assert (drawn[:, near].sum(axis=1) == board.cells.ravel()[cell]).all()
            assert not drawn[:, cell].any()
        p_mine = analysis.p_mine.ravel()
        for cell in np.flatnonzero(board.cells.ravel() == CLOSED):
            spread = np.sqrt(p_mine[cell] * (1 - p_mine[cell]) / n_drawn)
            assert abs(drawn[:, cell].mean() - p_mine[cell]) <= 4.5 * spread + 1e-12


def test_drawn_layouts_are_equally_likely():
    n_tried = 0
    for analysis in guess_positions((4, 5), 6, range(30), most_models=30):
        board = analysis.board
        models = {tuple(sorted(mines)): 0 for mines in models_of(board)}
        n_drawn = 200 * len(models)
        for layout in kernel.sample_layouts(
            board.cells.ravel().astype(np.int16), board.topology, board.mines, n_drawn, 3
        ):
            models[tuple(np.flatnonzero(layout).tolist())] += 1
        chi_square = sum((count - 200) ** 2 / 200 for count in models.values())
        freedom = len(models) - 1
        assert chi_square <= freedom + 4.5 * np.sqrt(2 * freedom) + 6
        n_tried += len(models) > 1
    assert n_tried >= 10


def test_a_weighted_game_is_an_unbiased_estimate_of_the_chance_to_win():
    """Held against the exact value of the same policy: expectimax with the base policy's choices."""
    n_compared = {True: 0, False: 0}
    tried = [*guess_positions((4, 5), 6, range(40), most_models=60), *guess_positions((2, 8), 3, range(10))]
    for analysis in tried:
        board = analysis.board
        codes = board.cells.ravel().astype(np.int16)
        is_number = codes >= 0
        candidates = {}
        for cell in rate(board).cells:
            candidates.setdefault(not is_number[list(board.topology.neighbour_indices[cell])].any(), cell)
        layouts = kernel.sample_layouts(codes, board.topology, board.mines, 3000, 5)
        for is_uncharted, cell in candidates.items():
            p_mine = float(analysis.p_mine.ravel()[cell])
            won = kernel.play_rollouts(
                codes, board.topology, board.mines, cell, p_mine, layouts, (0, 3000), policy=0, most_models=1, seed=1
            )
            expected = float(base_policy_wins(board, cell))
            assert won.mean() == pytest.approx(expected, abs=4.5 * won.std() / np.sqrt(3000) + 1e-9)
            n_compared[is_uncharted] += won.std() > 0
    assert min(n_compared.values()) >= 10


def test_nothing_is_played_on_from_a_mine():
    board = parse_board("; mines: 3\n2##\n##2\n#2#")
    codes = board.cells.ravel().astype(np.int16)
    layouts = np.zeros((1, 9), dtype=np.int8)
    with pytest.raises(ValueError, match="cell 4 is a mine for sure"):
        kernel.play_rollouts(codes, board.topology, 3, 4, 1.0, layouts, (0, 1), policy=0, most_models=1, seed=1)


def base_policy_wins(board, cell):
    """The share of all layouts that the base policy wins after opening a cell."""
    models = list(models_of(board))
    won = 0
    for mines in models:
        if cell in mines:
            continue
        has_mine = np.zeros(board.topology.n_cells, dtype=bool)
        has_mine[list(mines)] = True
        game = Game.on(Layout(has_mine.reshape(board.shape)))
        for opened in np.flatnonzero(board.cells.ravel() >= 0):
            game.open(board.topology.cell(int(opened)))
        game.open(board.topology.cell(cell))
        while not game.is_over:
            analysis = analyse(game.board)
            for safe in analysis.safe:
                game.open(safe)
            if not analysis.safe:
                game.open(base_choice(analysis))
        won += game.state.value == "won"
    return Fraction(won, len(models))


def base_choice(analysis):
    from solver.strategy.least_risk import choose

    return choose(analysis).cell


def test_the_same_seed_gives_the_same_weighted_games_however_they_are_cut():
    board = next(guess_positions((16, 30), 99, range(1))).board
    codes = board.cells.ravel().astype(np.int16)
    layouts = kernel.sample_layouts(codes, board.topology, 99, 40, 11)
    assert np.array_equal(layouts, kernel.sample_layouts(codes, board.topology, 99, 40, 11))
    rated = rate(board)
    guess = (rated.cells[0], rated.risks[0])
    given = {"policy": 0, "most_models": 30, "seed": 9}
    whole = kernel.play_rollouts(codes, board.topology, 99, *guess, layouts, (0, 40), **given)
    parts = [kernel.play_rollouts(codes, board.topology, 99, *guess, layouts, (a, a + 20), **given) for a in (20, 0)]
    assert np.array_equal(whole, np.concatenate([parts[1], parts[0]]))


def test_topology_with_sides_of_one_and_two_under_wrap_is_played():
    for shape, n_mines in [((1, 12), 3), ((2, 9), 4), ((3, 2, 4), 5)]:
        topology = Topology(shape, wrap=True)
        rng = random.Random(4)
        for _ in range(20):
            has_mine = np.zeros(topology.n_cells, dtype=bool)
            has_mine[rng.sample(range(1, topology.n_cells), n_mines)] = True
            numbers = [sum(has_mine[j] for j in topology.neighbour_indices[i]) for i in range(topology.n_cells)]
            truth = np.where(has_mine, -1, numbers).astype(np.int16)
            assert kernel.play(truth, topology, n_mines, 0, STRONG).is_won in {True, False}


HARD_ENDING = """\
#111102#21222#2#3#42111100012#
222#213#32##21224###11#21001##
1#212#22#3322122#332112#10024#
222023322#112#2#221111222102##
2#201##11111#22112#22#21#223#3
2#3123320002221112#22#323#2#3#
222#12#31002#32#1111123#21323#
#11112##1113##21211002#4201#21
1111112211#233201#1002##31323#
001#211001111#101110124#4#4#4#
01222#211221222000112#225#####
02#223#11##12#20012#2112######
24#33#3112223#2012#33212######
##4#4#311101#2101#33##11233###
##413#32#102220012##321001####
##20112#2101#10001##100001####
"""
"""408 layouts."""


def test_a_hard_ending_is_solved_for_every_cell():
    ratings = strong.rate(analyse(parse_board(HARD_ENDING), mines=99))
    assert ratings.worth is Worth.ENDGAME
    assert ratings.best.p_win == pytest.approx(178 / 408)
    assert all(guess.p_win <= ratings.best.p_win for guess in ratings.guesses)
    assert "exactly" in ratings.explain()


def test_a_larger_ending_says_that_its_chance_is_by_a_plan():
    board = endings(900, 501)[0]
    ratings = strong.rate(analyse(board))
    assert ratings.worth is Worth.PLAN
    assert f"a plan for every layout that is left wins {ratings.best.p_win:.2%}" in ratings.explain()
    assert decide(analyse(board), 0.05).ratings.worth is Worth.PLAN
