"""Small positions against brute force over all layouts, and properties that hold for any position."""

from math import isnan

import numpy as np
import pytest
from amounts import examples
from chunks import in_chunks
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Board, InconsistentError, analyse, best_move, iter_solutions, parse_board
from solver.exact import combining
from solver.exact.combining import Ratio

SHAPES = [
    ((4, 4), False),
    ((3, 6), False),
    ((4, 4), True),
    ((2, 6), True),
    ((1, 12), False),
    ((3, 3, 2), False),
    ((2, 3, 3), True),
]


def check_against(truth, analysis, cells):
    assert analysis.n_models == truth.n_models
    assert set(analysis.safe) == truth.safe
    assert set(analysis.mines) == truth.mines
    assert set(analysis.methods) == truth.safe | truth.mines
    for cell in np.ndindex(cells.shape):
        expected = truth.p_mine.get(cell)
        assert analysis.exact_risk(cell) == expected
        p = float(analysis.p_mine[cell])
        if expected in (None, 0, 1):
            assert isnan(p) if expected is None else p == expected
        else:
            assert p == pytest.approx(float(expected), rel=1e-13)


@in_chunks("seed", range(40), 1)
@pytest.mark.parametrize(("shape", "wrap"), SHAPES)
def test_analyse_agrees_with_trying_every_layout(shape, wrap, seed, random_position, try_all, engine):
    cells, layout = random_position(seed, shape, 2 + seed % 4, n_unknown=5 + seed % 7, wrap=wrap)
    board = Board(cells, wrap=wrap)
    check_against(try_all(cells, wrap=wrap), analyse(board), cells)
    with_count = try_all(cells, len(layout), wrap=wrap)
    check_against(with_count, analyse(board, mines=len(layout)), cells)
    assert {tuple(sorted(s)) for s in iter_solutions(board, mines=len(layout))} == with_count.layouts


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "wrap"), SHAPES)
def test_analyse_agrees_with_trying_every_layout_two_thousand_times(shape, wrap, random_position, try_all):
    for seed in range(40, 40 + 2000 // len(SHAPES) + 1):
        cells, layout = random_position(seed, shape, 2 + seed % 4, n_unknown=5 + seed % 7, wrap=wrap)
        board = Board(cells, wrap=wrap)
        check_against(try_all(cells, wrap=wrap), analyse(board), cells)
        check_against(try_all(cells, len(layout), wrap=wrap), analyse(board, mines=len(layout)), cells)


@in_chunks("seed", range(60), 3)
def test_analyse_refuses_exactly_what_no_layout_explains(seed, random_position, try_all, engine):
    cells, layout = random_position(seed, (3, 4), 3, n_unknown=6)
    numbers = np.argwhere(cells >= 0)
    cell = tuple(numbers[seed % len(numbers)]) if len(numbers) else (0, 0)
    cells[cell] = (cells[cell] + 1 + seed % 3) % 9 if cells[cell] >= 0 else cells[cell]
    for mines in (None, len(layout) + seed % 3 - 1):
        truth = try_all(cells, mines)
        board = Board(cells, mines)
        if truth.n_models:
            check_against(truth, analyse(board), cells)
            continue
        with pytest.raises(InconsistentError) as caught:
            analyse(board)
        assert caught.value.clue is None or board[caught.value.clue] >= 0
        assert not list(list_solutions_or_nothing(board))


def list_solutions_or_nothing(board):
    try:
        yield from iter_solutions(board)
    except InconsistentError:
        return


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_analyse_without_counting_still_proves_only_the_truth(seed, wrap, random_position, try_all, twin, monkeypatch):
    cells, layout = random_position(seed, (4, 4), 4, n_unknown=9, wrap=wrap)
    monkeypatch.setattr(combining, "count_cluster", lambda cluster, state_limit: None)
    for mines in (None, len(layout)):
        truth = try_all(cells, mines, wrap=wrap)
        analysis = analyse(Board(cells, mines, wrap))
        assert set(analysis.safe) == truth.safe
        assert set(analysis.mines) == truth.mines
        if analysis.n_models is None:
            proven = {cell for cell in np.ndindex(cells.shape) if not isnan(analysis.p_mine[cell])}
            assert all(truth.p_mine[cell] in (0, 1) for cell in proven)


def test_analyse_says_which_stage_proved_a_cell(engine):
    analysis = analyse(parse_board("; mines: 4\n#2#??????\n?????????\n01#??????\n02#??????\n01#?????#"))
    methods = dict(analysis.methods)
    assert methods == {
        (0, 0): "trivial",
        (0, 2): "trivial",
        (2, 2): "sat",
        (3, 2): "sat",
        (4, 2): "sat",
        (4, 8): "count",
    }


def test_analyse_times_its_stages(engine):
    seconds = analyse(parse_board("##\n11")).seconds
    assert list(seconds) == ["read", "trivial", "count", "sat", "estimate"]
    assert all(seconds[stage] > 0 for stage in ("trivial", "count"))
    assert seconds["sat"] == 0


def test_analyse_never_lists_an_unreadable_cell(engine):
    analysis = analyse(parse_board("!1??\n????\n??0!"), mines=1)
    assert (0, 0) not in analysis.mines
    assert (2, 3) not in analysis.safe
    assert analysis.methods == {}
    assert (analysis.p_mine[0, 0], analysis.p_mine[2, 3]) == (1.0, 0.0)


def test_analyse_names_no_clue_when_only_the_count_contradicts(engine):
    with pytest.raises(InconsistentError, match="3 mines") as caught:
        analyse(parse_board("; mines: 3\n#1#1#"))
    assert caught.value.clue is None


def test_analyse_knows_no_risk_off_the_frontier_without_a_count(engine):
    analysis = analyse(parse_board("1###\n####"))
    assert analysis.n_models == 3
    assert isnan(analysis.p_mine[0, 3])
    assert analysis.exact_risk((0, 3)) is None


@pytest.mark.parametrize(("numerator", "denominator"), [(1, 10**400), (10**20 - 1, 10**20)])
def test_as_float_never_rounds_to_certainty(numerator, denominator):
    assert 0 < Ratio(numerator, denominator).as_float() < 1


def test_exact_risk_refuses_a_cell_off_the_board():
    with pytest.raises(IndexError, match=r"\(2,0\)"):
        analyse(parse_board("##\n11")).exact_risk((2, 0))


def symmetries(cells):
    for turned in (cells, cells.T):
        for rows in (slice(None), slice(None, None, -1)):
            for cols in (slice(None), slice(None, None, -1)):
                yield turned[rows, cols]


@st.composite
def positions(draw, random_position):
    shape = draw(st.tuples(st.integers(2, 8), st.integers(2, 8)))
    size = shape[0] * shape[1]
    n_mines = draw(st.integers(0, size // 3))
    n_unknown = draw(st.integers(n_mines, size))
    return random_position(draw(st.integers(0, 10**6)), shape, n_mines, n_unknown=n_unknown)


@settings(max_examples=examples(60))
@given(data=st.data())
def test_analyse_is_the_same_under_all_symmetries(data, random_position):
    cells, layout = data.draw(positions(random_position))
    for mines in (None, len(layout)):
        first, *others = [analyse(np.ascontiguousarray(view), mines) for view in symmetries(cells)]
        for expected, other in zip(list(symmetries(first.p_mine))[1:], others, strict=True):
            np.testing.assert_allclose(other.p_mine, expected, rtol=1e-12)
            assert other.n_models == first.n_models


@settings(max_examples=examples(60))
@given(data=st.data())
def test_analyse_expects_as_many_mines_as_there_are(data, random_position):
    cells, layout = data.draw(positions(random_position))
    analysis = analyse(cells, len(layout))
    risks = [analysis.exact_risk(cell) for cell in np.ndindex(cells.shape)]
    assert sum(risk for risk in risks if risk is not None) == len(layout)


@settings(max_examples=examples(60))
@given(data=st.data())
def test_analyse_never_unlearns_when_a_safe_cell_is_opened(data, random_position, numbers_of):
    cells, layout = data.draw(positions(random_position))
    before = analyse(cells, len(layout))
    if not before.safe:
        return
    opened = cells.copy()
    opened[before.safe[0]] = numbers_of(layout, cells.shape)[before.safe[0]]
    after = analyse(opened, len(layout))
    assert set(before.safe[1:]) <= set(after.safe)
    assert set(before.mines) <= set(after.mines)


@settings(max_examples=examples(40))
@given(data=st.data())
def test_best_move_is_never_a_mine_when_proven_safe(data, random_position):
    cells, layout = data.draw(positions(random_position))
    move = best_move(cells, len(layout))
    if move is None:
        assert set(zip(*np.isin(cells, (-1, -2)).nonzero(), strict=True)) <= layout
    else:
        assert cells[move.cell] in (-1, -2)
        assert move.is_guess or move.cell not in layout
