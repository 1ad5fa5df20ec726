"""Positions too wide to be counted: what is proven of them, what is counted after all, and the estimates."""

import random
from fractions import Fraction

import numpy as np
import pytest
from amounts import count
from benches.solver import GOLDEN, read_positions
from chunks import spread

from solver import Board, InconsistentError, analyse, parse_board
from solver import analysis as analysis_module
from solver.board import CLOSED
from solver.constraints import read_problem
from solver.layout import Layout
from solver.rules import deduce
from solver.wide import _meet_both_ways, estimate, prove, prove_by_total

EXPERT = read_positions(GOLDEN / "positions-expert-500.txt")


def large_board(side, density, open_share, seed):
    rng = random.Random(seed)
    mines = rng.sample(range(side * side), int(side * side * density))
    layout = Layout.of_cells((side, side), [divmod(mine, side) for mine in mines])
    is_open = np.array([rng.random() < open_share for _ in range(side * side)]).reshape(side, side)
    return Board(np.where(is_open & ~layout.has_mine, layout.numbers, -1).astype(np.int16), len(mines)), layout


@pytest.fixture(scope="module")
def wide():
    """A position that no engine counts, its layout and its analysis."""
    board, layout = large_board(70, 0.4, 0.4, 2)
    return board, layout, analyse(board)


@pytest.fixture
def never_counted(monkeypatch):
    """Have the first attempt at counting a position fail, as if it were too wide."""

    def analyse_as_wide(board):
        count = analysis_module._count
        attempts = []

        def count_at_the_second_attempt(position):
            attempts.append(position)
            return count(position) if len(attempts) > 1 else None

        monkeypatch.setattr(analysis_module, "_count", count_at_the_second_attempt)
        try:
            return analyse(board)
        finally:
            monkeypatch.setattr(analysis_module, "_count", count)

    return analyse_as_wide


def test_analyse_proves_and_estimates_what_is_too_wide_to_count(wide):
    board, layout, analysis = wide
    assert analysis.safe
    assert not any(layout.has_mine[cell] for cell in analysis.safe)
    assert all(layout.has_mine[cell] for cell in analysis.mines)
    assert analysis.n_models is None
    is_closed = board.cells == CLOSED
    np.testing.assert_array_equal(analysis.is_estimate, is_closed & ~analysis.is_forced)
    np.testing.assert_array_equal(np.isnan(analysis.p_mine), ~is_closed)
    assert analysis.p_mine[is_closed].sum() == pytest.approx(board.mines, rel=0.01)
    estimated = analysis.p_mine[analysis.is_estimate]
    assert 0 < estimated.min() < 0.1
    assert 0.9 < estimated.max() < 1


def test_analyse_gives_fractions_only_of_what_is_proven_where_it_estimates(wide):
    _, _, analysis = wide
    assert analysis.exact_risk(analysis.safe[0]) == Fraction(0)
    assert analysis.exact_risk(analysis.mines[0]) == Fraction(1)
    assert analysis.exact_risk(tuple(np.argwhere(analysis.is_estimate)[0])) is None


def test_estimates_are_borne_out_by_the_layout(wide):
    """Of the cells estimated at some risk about that share are mines."""
    _, layout, analysis = wide
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        group = analysis.is_estimate & (analysis.p_mine >= low) & (analysis.p_mine < low + 0.2)
        p_mine = analysis.p_mine[group]
        spread = np.sqrt(np.sum(p_mine * (1 - p_mine)))
        assert abs(layout.has_mine[group].sum() - p_mine.sum()) < 4 * spread, low


def test_analyse_estimates_the_same_every_time(wide):
    board, _, analysis = wide
    np.testing.assert_array_equal(analyse(board).p_mine, analysis.p_mine)


def test_analyse_estimates_nothing_that_can_be_counted():
    for cells, mines in EXPERT[:20]:
        assert not analyse(cells, mines).is_estimate.any()


@pytest.mark.slow
@pytest.mark.parametrize("has_count", [True, False])
def test_estimates_are_near_the_exact_risks(has_count):
    errors = []
    for cells, mines in spread(EXPERT, count("MINEBOT_ESTIMATED_BOARDS", gate=4, full=50)):
        board = Board(cells, mines if has_count else None)
        analysis = analyse(board)
        estimated = estimate(prove(board).written_on(board)).p_mine.reshape(board.shape)
        is_open_to_doubt = ~np.isnan(analysis.p_mine) & ~analysis.is_forced
        errors.append(np.abs(estimated - analysis.p_mine)[is_open_to_doubt])
    assert np.concatenate(errors).mean() < (0.005 if has_count else 0.02)


@pytest.mark.slow
def test_walks_call_no_forced_cell_varying():
    for cells, mines in EXPERT[::100]:
        board = Board(cells, mines)
        analysis = analyse(board)
        forced = {board.topology.index(cell) for cell in (*analysis.safe, *analysis.mines)}
        by_numbers = {board.topology.index(c) for c, method in analysis.methods.items() if method != "count"}
        assert not _meet_both_ways(read_problem(board).constraints) & by_numbers
        assert not estimate(board).varying & forced


@pytest.mark.parametrize("has_count", [True, False])
def test_what_is_proven_is_what_is_counted(never_counted, has_count):
    """Proof first, and counting what is left, comes to the same as counting at once: two engines."""
    for cells, mines in EXPERT[::20]:
        board = Board(cells, mines if has_count else None)
        counted, proven = analyse(board), never_counted(board)
        assert proven.methods == counted.methods
        np.testing.assert_allclose(proven.p_mine, counted.p_mine, rtol=1e-12)
        assert proven.n_models == counted.n_models


def test_the_mine_count_proves_what_the_numbers_leave_open():
    board = parse_board("; mines: 1\n#1##\n11##\n####\n####")
    analysis = analyse(board)
    by_count = {board.topology.index(cell): False for cell, method in analysis.methods.items() if method == "count"}
    assert by_count
    reduced = prove(board).written_on(board)
    assert prove_by_total(reduced, estimate(reduced).varying) == by_count


def test_walks_find_the_mine_count_from_afar():
    """A chain of numbers with 3 to 6 mines, and none beside it: few models have 6."""
    board = parse_board("; mines: 6\n" + "\n".join(["#1#", "###"] * 6))
    analysis = analyse(board)
    estimated = estimate(board).p_mine.reshape(board.shape)
    is_open_to_doubt = ~np.isnan(analysis.p_mine) & ~analysis.is_forced
    np.testing.assert_allclose(estimated[is_open_to_doubt], analysis.p_mine[is_open_to_doubt], atol=0.03)


def test_prove_names_the_clue_of_a_contradiction():
    with pytest.raises(InconsistentError) as raised:
        prove(parse_board("01#\n03#\n01#"))
    assert raised.value.clue is not None


def test_prove_by_total_refuses_a_count_no_layout_has():
    board = parse_board("; mines: 6\n1##\n###\n##1")
    with pytest.raises(InconsistentError, match="6 mines"):
        prove_by_total(Board(board.cells, 6), frozenset())


def test_analyse_knows_what_the_rules_prove_in_four_dimensions(numbers_of):
    """There proof by satisfiability runs out of budget; the rules prove cells beside it."""
    shape = (4, 4, 4, 4)
    rng = random.Random(1)
    everywhere = list(np.ndindex(shape))
    layout = set(rng.sample(everywhere, 20))
    cells = numbers_of(layout, shape)
    for cell in everywhere:
        if cell in layout or rng.random() > 0.3:
            cells[cell] = -1
    analysis = analyse(cells)
    by_rules = deduce(cells, "bounds")
    assert set(by_rules.safe) <= set(analysis.safe)
    assert set(by_rules.mines) <= set(analysis.mines)
    assert layout.issuperset(analysis.mines)
    assert layout.isdisjoint(analysis.safe)
