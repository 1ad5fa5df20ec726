"""The rule for the first click as a prior: layouts weigh as often as they come about, tried one by one."""

import random
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from chunks import in_chunks

from solver import Board, BoardValueError, analyse, chances_of_number, confirm, decide
from solver.board import CLOSED, FLAG, KNOWN_MINE
from solver.decision import begin
from solver.layout import FirstClick, Layout
from solver.prior import Prior
from solver.simulation import SeededDeals, Summary, play_game
from solver.strategy import FAST, STRONG, rollouts
from solver.strategy.least_risk import Worth
from solver.topology import Topology

SHAPES = [((3, 4), False), ((2, 5), False), ((4, 3), True), ((2, 2, 3), False)]


def as_winmine_moves(mines, start, cells):
    """The mines once the start is opened: one that is hit goes to the first cell that has none."""
    if start not in mines:
        return frozenset(mines)
    return frozenset(mines) - {start} | {next(cell for cell in cells if cell not in mines)}


def ways_of(shape, n_mines, start):
    """How often every layout comes about, by trying all that may be dealt."""
    cells = list(product(*map(range, shape)))
    ways = {}
    for dealt in combinations(cells, n_mines):
        layout = as_winmine_moves(dealt, start, cells)
        ways[layout] = ways.get(layout, 0) + 1
    return ways


def random_case(seed, numbers_of):
    """A shape, a start, a board on which that is open, and the layouts that agree with it, each with its ways."""
    rng = random.Random(seed)
    shape, wrap = SHAPES[seed % len(SHAPES)]
    cells = list(product(*map(range, shape)))
    n_mines, start = rng.randint(2, 5), rng.choice(cells[:3] + cells[-2:])
    ways = ways_of(shape, n_mines, start)
    true = rng.choices(list(ways), list(ways.values()))[0]
    numbers = numbers_of(true, shape, wrap=wrap)
    seen = np.full(shape, CLOSED, dtype=np.int16)
    for cell in {start, *rng.sample(cells, rng.randint(0, 4))}:
        seen[cell] = KNOWN_MINE if cell in true else numbers[cell]
    seen[rng.choice([cell for cell in cells if seen[cell] == CLOSED])] = FLAG
    agreeing = {
        layout: n
        for layout, n in ways.items()
        if all(cell in layout for cell in cells if seen[cell] == KNOWN_MINE)
        and not any(seen[cell] >= 0 for cell in layout)
        and all(numbers_of(layout, shape, wrap=wrap)[c] == seen[c] for c in cells if seen[c] >= 0)
    }
    return Board(seen, n_mines, wrap), Prior(FirstClick.MOVED, start), agreeing


@in_chunks("seed", range(200), 4)
def test_analyse_weighs_layouts_by_the_ways_they_come_about(seed, numbers_of, engine):
    board, prior, agreeing = random_case(seed, numbers_of)
    analysis, whole = analyse(board, prior=prior), sum(agreeing.values())
    for cell in np.ndindex(board.shape):
        if board[cell] in (CLOSED, FLAG):
            risk = Fraction(sum(n for layout, n in agreeing.items() if cell in layout), whole)
            assert analysis.p_mine[cell] == pytest.approx(float(risk), rel=1e-12, abs=0), (engine, cell)
            assert analysis.exact_risk(cell) == risk
            assert (analysis.p_mine[cell] in (0, 1)) is bool(analysis.is_forced[cell]) is (risk in (0, 1))
    assert (analysis.safe, analysis.mines) == (analyse(board).safe, analyse(board).mines)
    assert confirm(analysis).safe == analysis.safe


@in_chunks("seed", range(100), 4)
def test_chances_of_number_weigh_layouts_by_the_ways_they_come_about(seed, numbers_of, engine):
    board, prior, agreeing = random_case(seed, numbers_of)
    cell = next(cell for cell in np.ndindex(board.shape) if board[cell] in (CLOSED, FLAG))
    found = np.zeros(27)
    for layout, n in agreeing.items():
        if cell not in layout:
            found[numbers_of(layout, board.shape, wrap=board.wrap)[cell]] += n / sum(agreeing.values())
    chances = chances_of_number(board, cell, prior=prior)
    np.testing.assert_allclose(chances, found[: chances.size], rtol=1e-12, err_msg=engine)


def test_far_corner_of_expert_has_the_risks_that_winmine_shows():
    fresh = np.full((16, 30), CLOSED, dtype=np.int16)
    fresh[15, 29] = 1
    p_mine = analyse(Board(fresh, 99), prior=Prior(FirstClick.MOVED, (15, 29))).p_mine
    beside = Fraction(98 * 97, 476 * 475)  # (0,0) and (0,1), one mine being beside the start
    assert p_mine[0, 0] == pytest.approx(0.369, abs=5e-4)
    assert p_mine[0, 1] > p_mine[0, 2] > p_mine[0, 3] > p_mine[1, 0] > float(beside)
    assert p_mine[p_mine > 0].sum() == pytest.approx(99)


def test_start_in_the_first_corner_makes_the_cell_beside_it_the_riskiest():
    fresh = np.full((16, 30), CLOSED, dtype=np.int16)
    fresh[0, 0] = -3  # open, whatever its number: 39 of 110 real games had a mine on (0,1)
    p_mine = analyse(Board(fresh, 99), prior=Prior(FirstClick.MOVED, (0, 0))).p_mine
    assert p_mine[0, 1] == pytest.approx(1 - (1 - 99 / 480) * (1 - 99 / 479), abs=0.02)
    assert np.nanargmax(p_mine) == 1


def test_layouts_are_equally_likely_once_a_free_cell_ends_the_run(numbers_of):
    board, prior, _ = random_case(0, numbers_of)
    cells = np.full(board.shape, CLOSED, dtype=np.int16)
    cells[prior.start] = cells[(0,) * cells.ndim] = cells[0, 1] = 1
    analysis = analyse(Board(cells, 3), prior=prior)
    assert analysis.prior is None
    assert analysis is analysis.even


@pytest.mark.parametrize("rule", [rule for rule in FirstClick if rule is not FirstClick.MOVED])
def test_every_other_rule_leaves_layouts_equally_likely(rule):
    cells = np.full((3, 4), CLOSED, dtype=np.int16)
    cells[2, 3] = 1
    assert analyse(Board(cells, 3), prior=Prior(rule, (2, 3))).prior is None


@pytest.mark.parametrize(
    ("board", "start"),
    [
        (Board(np.full((3, 4), CLOSED)), (2, 3)),
        (Board(np.full((3, 4), CLOSED), cut=frozenset({"top"})), (2, 3)),
        (Board(np.full((3, 4), CLOSED), 3), (3, 3)),
    ],
)
def test_prior_is_refused_where_layouts_cannot_be_weighed(board, start):
    with pytest.raises(BoardValueError):
        analyse(board, prior=Prior(FirstClick.MOVED, start))


def test_rule_moves_the_mine_that_the_first_click_hits():
    cells = list(product(range(4), range(5)))
    n_moved = 0
    for seed in range(200):
        any_mine = Layout.random((4, 5), 8, random.Random(seed), first_cell=(3, 4), first_click=FirstClick.ANY)
        moved = Layout.random((4, 5), 8, random.Random(seed), first_cell=(3, 4), first_click=FirstClick.MOVED)
        assert moved.mine_cells == as_winmine_moves(any_mine.mine_cells, (3, 4), cells)
        n_moved += moved != any_mine
    assert 50 < n_moved < 110


@pytest.mark.parametrize("mines", [0, 8, 19])
def test_seeded_deals_move_the_mine_of_the_board_where_it_may_be_hit(mines):
    cells = list(product(range(4), range(5)))
    for place in range(50):
        hit, moved = (
            SeededDeals((4, 5), mines, False, rule, (3, 4), 1, 50)[place] for rule in ("any", "moved-to-corner")
        )
        assert moved.layout.mine_cells == as_winmine_moves(hit.layout.mine_cells, (3, 4), cells)
        assert moved.rule is FirstClick.MOVED


def test_full_board_has_no_cell_that_a_mine_could_move_to():
    assert FirstClick.MOVED.most_mines(Topology((4, 5))) == 19
    with pytest.raises(BoardValueError, match="0 to 19 mines"):
        SeededDeals((4, 5), 20, False, "moved-to-corner", (3, 4), 1, 1)
    with pytest.raises(BoardValueError, match="0 to 19 mines"):
        Layout.random((4, 5), 20, random.Random(1), first_cell=(3, 4), first_click=FirstClick.MOVED)


def far_corner(shape, mines, number):
    """A game after its first click, in the last corner: the position with its prior weighed in."""
    cells = np.full(shape, CLOSED, dtype=np.int16)
    cells[-1, -1] = number
    start = (shape[0] - 1, shape[1] - 1)
    return analyse(Board(cells, mines), prior=Prior(FirstClick.MOVED, start))


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize(("shape", "mines"), [((16, 30), 99), ((16, 16), 40), ((9, 9), 10), ((12, 20), 40)])
def test_hunt_for_an_opening_keeps_off_the_corner_that_mines_move_to(shape, mines, number):
    analysis = far_corner(shape, mines, number)
    for policy in (FAST, STRONG):
        move = policy.choose(analysis)
        assert move.p_mine == analysis.p_mine[move.cell] < analysis.p_mine[0, 0]
        assert move.cell != (0, 0)
    assert decide(analysis).move.cell == STRONG.choose(analysis).cell


def test_ratings_are_by_the_risks_of_the_prior():
    analysis = far_corner((16, 16), 40, 1)
    even, weighed = decide(analysis.even).ratings, decide(analysis).ratings
    assert even.worth is weighed.worth is Worth.BOOK
    assert even.best.cell == (0, 0), "the book's best cell is the one that mines move to"
    assert weighed.best.cell in {(0, 15), (15, 0)}
    by_cell = {guess.cell: guess for guess in even.guesses}
    for guess in weighed.guesses:
        assert guess.p_mine == analysis.p_mine[guess.cell]
        before = by_cell[guess.cell]
        for now, then in ((guess.survival, before.survival), (guess.p_win, before.p_win)):
            assert (now is None) is (then is None)
            if now is not None:
                assert now / (1 - guess.p_mine) == pytest.approx(then / (1 - before.p_mine))
    assert weighed.best.p_win == max(guess.p_win for guess in weighed.guesses if guess.p_win is not None)


def test_explanation_of_a_weighed_guess_claims_no_exact_chance():
    cells = np.full((4, 4), CLOSED, dtype=np.int16)
    cells[2, 3], cells[3, 3] = 3, 2
    analysis = analyse(Board(cells, 5), prior=Prior(FirstClick.MOVED, (3, 3)))
    assert decide(analysis.even).ratings.worth is decide(analysis).ratings.worth is Worth.ENDGAME
    assert "exactly" in decide(analysis.even).move.why
    assert "about" in decide(analysis).move.why
    assert "exactly" not in decide(analysis).move.why


def test_max_plays_on_and_weighs_the_risk():
    analysis = far_corner((9, 9), 12, 2)
    ratings = rollouts.rate(analysis, 64)
    assert ratings.worth is Worth.ROLLOUT
    assert ratings.best.cell != (0, 0)
    assert ratings.best.p_mine == analysis.p_mine[ratings.best.cell]


@pytest.mark.parametrize("policy", [FAST, STRONG])
def test_risks_come_true_in_games_whose_rule_is_known(policy):
    deals = SeededDeals((9, 9), 16, False, "moved-to-corner", (8, 8), 1, 400)
    summary = Summary()
    for place in range(len(deals)):
        deal = deals[place]
        summary.add(play_game(deal.layout, deal.first_cell, policy, rule=deal.rule))
    assert all(abs(bucket.deviation) < 4 for bucket in summary.buckets if bucket.n_guesses >= 10)


@pytest.mark.parametrize(
    ("rule", "cell", "p_mine"),
    [("any", (0, 0), 99 / 480), ("safe", (0, 0), 0.0), ("zero", (3, 3), 0.0), ("moved-to-corner", (15, 29), 0.0)],
)
def test_begin_opens_the_cell_of_the_rule_and_says_its_risk(rule, cell, p_mine):
    move = begin(Board(np.full((16, 30), CLOSED, dtype=np.int16), 99), FirstClick(rule))
    assert (move.cell, move.p_mine) == (cell, p_mine)
    assert move.is_guess, "a rule is no proof"
    assert rule == "any" or "rule for the first click" in move.why


@pytest.mark.parametrize(("mines", "p_mine"), [(None, np.nan), (71, 0.0)])
def test_begin_says_what_is_known_of_the_risk(mines, p_mine):
    fresh = Board(np.full((9, 9), CLOSED, dtype=np.int16), mines)
    np.testing.assert_equal(begin(fresh, FirstClick.ANY).p_mine, p_mine if mines is None else 71 / 81)
    assert begin(fresh, FirstClick.ZERO).p_mine == 0.0
    assert begin(fresh, FirstClick.ZERO).cell == (2, 2)
