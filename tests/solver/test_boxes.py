"""Boards whose neighbours are not listed: what sums over boxes find is what lists find."""

import random

import numpy as np
import pytest

from solver import Board, InconsistentError, Topology, analyse, many_neighbours, play_game, topology, wide
from solver import analysis as analysis_module
from solver.exact import analyse_exactly
from solver.layout import FirstClick, Layout
from solver.many_neighbours import find_safe
from solver.simulation import SeededDeals
from solver.topology import box_sum

SHAPES = [
    ((7, 8), 9, False),
    ((6, 5), 5, True),
    ((30,), 7, False),
    ((12,), 3, True),
    ((4, 3, 5), 7, False),
    ((4, 4, 4), 6, True),
    ((1, 2, 7), 3, True),
    ((2, 2, 6, 1), 4, True),
    ((2, 3, 4, 3), 7, False),
]


@pytest.fixture
def without_lists(monkeypatch):
    """No topology has its neighbours listed."""
    monkeypatch.setattr(topology, "LARGEST_NEIGHBOURHOOD", -1)


def mid_game(shape, mines, wrap, seed):
    """A position with about half of the safe cells open."""
    rng = random.Random(seed)
    layout = Layout.random(shape, mines, rng, wrap=wrap)
    is_open = np.array([rng.random() < 0.5 for _ in range(layout.has_mine.size)]).reshape(shape)
    return Board(np.where(is_open & ~layout.has_mine, layout.numbers, -1).astype(np.int16), mines, wrap), layout


@pytest.mark.parametrize(("shape", "mines", "wrap"), SHAPES)
def test_boxes_find_what_lists_find(without_lists, shape, mines, wrap):
    n_forced = 0
    for seed in range(25):
        board, _ = mid_game(shape, mines, wrap, seed)
        analysis, exact = analyse(board), analyse_exactly(board)
        proof = exact.proof(board.cells.size)
        np.testing.assert_allclose(analysis.p_mine.ravel(), exact.p_mine(board.cells.size), rtol=1e-12, atol=0)
        assert np.array_equal(analysis.is_forced.ravel(), proof != 0)
        trivial = {cell for cell, method in analysis.methods.items() if method == "trivial"}
        assert trivial == {board.topology.cell(i) for i in exact.proofs["trivial"]}
        counted = {cell for cell, method in analysis.methods.items() if method == "count"}
        assert counted == {board.topology.cell(i) for i in exact.proofs["count"]}
        n_forced += analysis.is_forced.sum()
    assert n_forced > 20


@pytest.mark.parametrize(("shape", "mines", "wrap"), SHAPES)
def test_what_is_too_wide_for_boxes_is_proven(without_lists, monkeypatch, shape, mines, wrap):
    monkeypatch.setattr(analysis_module, "STATE_LIMIT", 0)
    monkeypatch.setattr(wide, "_SHORTEST_WALK", 2_000)  # what is estimated matters nothing here
    monkeypatch.setattr(wide, "_NODES_A_CELL", 10)
    for seed in range(4):
        board, _ = mid_game(shape, mines, wrap, seed)
        analysis, exact = analyse(board), analyse_exactly(board)
        proof = exact.proof(board.cells.size)
        assert np.array_equal(np.sign(analysis._proof), np.sign(proof))
        assert np.array_equal(np.abs(analysis._proof) == 1, np.abs(proof) == 1)
        assert np.array_equal(analysis.p_mine.ravel()[proof != 0], exact.p_mine(board.cells.size)[proof != 0])


@pytest.mark.parametrize(("shape", "mines", "wrap"), SHAPES)
def test_safe_cells_by_rule_are_all_of_them_and_differences_find_no_mine(shape, mines, wrap):
    for seed in range(40):
        board, layout = mid_game(shape, mines, wrap, seed)
        by_rule = {i for i, is_mine in analyse_exactly(board).proofs["trivial"].items() if not is_mine}
        assert {board.topology.index(cell) for cell in find_safe(board)} == by_rule
        by_differences = find_safe(board, by_differences=True)
        assert by_rule <= {board.topology.index(cell) for cell in by_differences}
        assert not any(layout.has_mine[cell] for cell in by_differences)


def test_difference_proves_what_no_single_number_does():
    board = Board(np.array([[1, 1, -1], [-1, -1, -1]]), 2)
    assert find_safe(board) == ()
    assert find_safe(board, by_differences=True) == ((0, 2), (1, 2))


@pytest.mark.parametrize(("shape", "mines", "wrap"), SHAPES)
def test_games_go_the_same_without_lists(monkeypatch, shape, mines, wrap):
    rule, start = "safe", (0,) * len(shape)
    deals = SeededDeals(shape, mines, wrap, rule, start, seed=1, n=12)
    games = [play_game(deal.layout, deal.first_cell) for deal in map(deals.__getitem__, range(12))]
    monkeypatch.setattr(topology, "LARGEST_NEIGHBOURHOOD", -1)
    for place, game in enumerate(games):
        again = play_game(deals[place].layout, deals[place].first_cell)
        assert again.is_won == game.is_won
        assert [guess.was_mine for guess in again.guesses] == [guess.was_mine for guess in game.guesses]
        assert [guess.p_mine for guess in again.guesses] == pytest.approx([guess.p_mine for guess in game.guesses])


@pytest.mark.parametrize(("shape", "mines", "wrap"), SHAPES)
def test_neighbours_are_the_same_without_lists(monkeypatch, shape, mines, wrap):
    listed = Topology(shape, wrap=wrap)
    neighbours = [listed.near_of(i) for i in range(listed.n_cells)]
    monkeypatch.setattr(topology, "LARGEST_NEIGHBOURHOOD", -1)
    assert listed.is_large
    assert [listed.near_of(i) for i in range(listed.n_cells)] == neighbours
    assert listed.most_neighbours == max(map(len, neighbours))
    ones = np.ones(shape, dtype=np.int64)
    assert (box_sum(ones, wrap=wrap) - 1).ravel().tolist() == list(map(len, neighbours))
    assert FirstClick.ZERO.most_mines(Topology(shape, wrap=wrap)) == listed.n_cells - 1 - max(map(len, neighbours))
    first = listed.cell(listed.n_cells // 2)
    assert FirstClick.ZERO.kept_free(listed, first) == {listed.index(first), *neighbours[listed.n_cells // 2]}


def test_contradictions_name_a_number(without_lists):
    for rows in (["2#", "##"], ["1#1", "000"], ["3#", "01"]):
        cells = np.array([[-1 if c == "#" else int(c) for c in row] for row in rows], dtype=np.int16)
        if rows[0] == "2#":
            cells[0, 0] = 7
        with pytest.raises(InconsistentError) as error:
            analyse(Board(cells, 2))
        assert cells[error.value.clue] >= 0


@pytest.mark.parametrize("shape", [(4,) * 6, (4,) * 7])
def test_game_of_many_dimensions_is_played_to_its_end(shape):
    layout = SeededDeals(shape, 50, wrap=False, rule="zero", first_cell=(0,) * len(shape), seed=2, n=1)[0].layout
    game = play_game(layout, (0,) * len(shape))
    assert game.moves.total > 1
    assert game.is_won is not any(guess.was_mine for guess in game.guesses)


@pytest.mark.parametrize(
    ("shape", "wrap"), [((2,) * 14, False), ((3,) * 9, True), ((2,) * 14, True), ((1,) * 20, False)]
)
def test_axes_along_which_all_numbers_see_the_same_are_not_compared(shape, wrap, monkeypatch):
    asked = []
    monkeypatch.setattr(many_neighbours, "_differ", lambda *arguments, **_: asked.append(arguments))
    nothing = np.zeros(shape, dtype=np.int16)
    assert not list(many_neighbours._iter_proven(nothing == 0, nothing, nothing == 1, wrap=wrap))
    assert not asked  # of 14 axes there are 16,383 choices


def test_differences_along_a_line_of_two_prove_nothing():
    """What `iter_proven` leaves out: whatever the numbers are, along such an axis nothing is to be found."""
    rng = random.Random(5)
    for _ in range(200):
        shape = rng.choice([(2, 5), (5, 2), (2, 3, 4), (2, 2, 6)])
        board, _ = mid_game(shape, 3, False, rng.random())
        is_unknown = board.cells == -1
        axes = tuple(axis for axis, side in enumerate(shape) if side == 2)
        need = board.cells.astype(np.int32)
        assert many_neighbours._differ(axes[:1], board.cells >= 0, need, is_unknown, wrap=False) is None
