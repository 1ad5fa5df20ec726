"""The kernel where plain floats do not suffice: large boards, in wide numbers, against its twin and closed forms."""

import random
from bisect import bisect_left
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from amounts import count
from benches.solver import GOLDEN, read_positions
from same_games import plays_as_its_choices

from solver import Board, InconsistentError, kernel, parse_board
from solver.exact import analyse_exactly
from solver.kernel import NO_MODEL, engine
from solver.layout import Layout
from solver.prospects import chances_of_number

EXPERT = read_positions(GOLDEN / "positions-expert-500.txt")
WORST = read_positions(GOLDEN / "positions-worst.txt")
TOLERANCE = 1e-13
BY_COUNT = 3


@pytest.fixture
def wide_numbers(monkeypatch):
    """Wide numbers from the start, whether they are needed or not."""
    monkeypatch.setattr(engine.Space, "is_wide", property(lambda _: True, lambda *_: None), raising=False)
    monkeypatch.setattr(engine, "_local", engine.threading.local())


def is_wide(board):
    return engine._local.spaces[board.topology].is_wide


def check_against_twin(board):
    """Compare every risk and proof, and the number of models."""
    found = kernel.analyse(board)
    try:
        exact = analyse_exactly(board, 10**9)
    except InconsistentError:
        assert found == NO_MODEL
        return
    assert not isinstance(found, int), found
    n_cells = board.cells.size
    expected = exact.p_mine(n_cells)
    np.testing.assert_array_equal(found.proof, exact.proof(n_cells))
    np.testing.assert_allclose(found.p_mine, expected, rtol=TOLERANCE)
    np.testing.assert_array_equal(found.p_mine == 0, expected == 0)
    np.testing.assert_array_equal(found.p_mine == 1, expected == 1)
    if board.mines is not None:
        assert abs(models_of(kernel.count_models(board)[1]) / exact.n_models - 1) < TOLERANCE


def models_of(weight):
    return Fraction(weight.fraction) * Fraction(2) ** weight.power * comb(weight.n_free, weight.n_mines)


def fewest_and_most(cells, mines):
    """The least and the greatest mine count that the kernel finds models for, `mines` being one it does."""

    def has_model(count):
        return kernel.analyse(Board(cells, count)) != NO_MODEL

    fewest = bisect_left(range(mines), True, key=has_model)
    return fewest, mines + bisect_left(range(mines + 1, cells.size + 1), True, key=lambda n: not has_model(n))


def board_of(layout, is_open):
    return Board(np.where(is_open & ~layout.has_mine, layout.numbers, -1).astype(np.int16), layout.n_mines)


def scattered_board(side, density, open_share, seed):
    """A board with a share of its safe cells open, anywhere."""
    rng = random.Random(seed)
    mines = rng.sample(range(side * side), int(side * side * density))
    layout = Layout.of_cells((side, side), [divmod(mine, side) for mine in mines])
    return board_of(layout, np.array([[rng.random() < open_share for _ in range(side)] for _ in range(side)]))


def strip_board(n_numbers, density, n_uncharted_rows, seed):
    """One cluster of 5 cells a number, every second cell of row 1 open, and uncharted rows below it."""
    rng = random.Random(seed)
    shape = 3 + n_uncharted_rows, 2 * n_numbers + 1
    has_mine = np.array([[rng.random() < density for _ in range(shape[1])] for _ in range(shape[0])])
    is_open = np.zeros(shape, dtype=np.bool_)
    is_open[1, 1::2] = True
    has_mine[is_open] = False
    has_mine[0, 1::2] = True  # no number is 0 ...
    has_mine[2, 1::2] = False  # ... nor the number of its cells: the all/none rule does not break the cluster
    return board_of(Layout(has_mine), is_open)


def locked_chain(n, n_free_rows=0):
    """One cluster with 2^n + 1 models: all of its n + 1 single cells are mines, or one of each of its n pairs.

    Returns:
        The board without a mine count, and its number of known mines.
    """
    rows = ["#3#3" * n + "#", "++#+" * n + "+"]
    if n_free_rows:
        rows += ["?" * len(rows[0])] + ["#" * len(rows[0])] * n_free_rows
    return parse_board("\n".join(rows)), 3 * n + 1


def nearest(ratio):
    return ratio.numerator / ratio.denominator


# ---------------------------------------------------------------- everything in wide numbers


@pytest.mark.usefixtures("wide_numbers")
@pytest.mark.parametrize("has_count", [True, False])
def test_wide_numbers_agree_with_the_twin_on_expert_positions(has_count):
    for cells, mines in EXPERT[::10]:
        board = Board(cells, mines if has_count else None)
        check_against_twin(board)
        assert is_wide(board)


@pytest.mark.usefixtures("wide_numbers")
@pytest.mark.parametrize("density", [0.05, 0.4, 0.9])
@pytest.mark.parametrize("open_share", [0.04, 0.15])
def test_wide_numbers_agree_with_the_twin_at_every_mine_count(density, open_share):
    board = scattered_board(50, density, open_share, 1)
    fewest, most = fewest_and_most(board.cells, board.mines)
    for mines in (None, board.mines, fewest - 1, fewest, fewest + 1, most - 1, most, most + 1):
        check_against_twin(Board(board.cells, mines))


@pytest.mark.usefixtures("wide_numbers")
def test_wide_numbers_agree_with_plain_ones_on_lattices(monkeypatch):
    boards = [Board(*position) for position in WORST[:6]]
    wide = [kernel.analyse(board) for board in boards]
    monkeypatch.undo()
    for board, found in zip(boards, wide, strict=True):
        plain = kernel.analyse(board)
        assert not is_wide(board)
        np.testing.assert_array_equal(found.proof, plain.proof)
        np.testing.assert_allclose(found.p_mine, plain.p_mine, rtol=TOLERANCE)


@pytest.mark.usefixtures("wide_numbers")
def test_play_game_plays_as_step_by_step_in_wide_numbers():
    for seed in range(15):
        layout = Layout.random((9, 9), 12, random.Random(seed), first_cell=(0, 0))
        assert plays_as_its_choices(layout, (0, 0))


# ---------------------------------------------------------------- where they are needed


def test_kernel_goes_back_to_plain_floats():
    chain, _ = locked_chain(400)
    small = np.full_like(chain.cells, -1)
    kernel.analyse(chain)
    assert is_wide(chain)
    check_against_twin(Board(small, 10))
    assert not is_wide(chain)


OTHER_DENSITIES = "a board of another density is counted"


def test_kernel_counts_a_cluster_of_any_length():
    board = strip_board(190, 0.05, 5, 1)
    check_against_twin(board)
    assert is_wide(board)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("density", "n_uncharted_rows"),
    [
        (0.05, 5),
        pytest.param(0.4, 0, marks=pytest.mark.full(OTHER_DENSITIES)),
        pytest.param(0.9, 5, marks=pytest.mark.full(OTHER_DENSITIES)),
    ],
)
def test_kernel_counts_a_cluster_of_any_length_at_every_mine_count(density, n_uncharted_rows):
    board = strip_board(190, density, n_uncharted_rows, 1)
    fewest, most = fewest_and_most(board.cells, board.mines)
    for mines in (None, fewest, most):
        check_against_twin(Board(board.cells, mines))
        assert is_wide(board)


def test_kernel_counts_chains_with_a_mine_count():
    check_against_twin(parse_board("; mines: 500\n" + "#" + "1##" * 500))
    check_against_twin(parse_board("; mines: 500\n" + "#1" * 999 + "#"))


@pytest.mark.parametrize("n", [400, 900, 1060, 2000])
def test_tiny_risks_are_right_and_never_zero(n):
    board, _ = locked_chain(n)
    found = kernel.analyse(board)
    p_mine = found.p_mine.reshape(board.shape)
    assert is_wide(board)
    assert not found.proof.any()
    np.testing.assert_allclose(p_mine[0, ::4], max(nearest(Fraction(1, 2**n + 1)), 5e-324), rtol=TOLERANCE)
    np.testing.assert_allclose(p_mine[:, 2::4], 0.5, rtol=TOLERANCE)


@pytest.mark.parametrize("n", [400, 1060, 2000])
@pytest.mark.parametrize("share", [0.003, 0.4, 0.9])
def test_risks_of_a_chain_with_a_mine_count_are_right(n, share):
    free, known = locked_chain(n, n_free_rows=2)
    n_free = 2 * free.shape[1]
    spare = int(share * n_free)
    found = kernel.analyse(Board(free.cells, known + n + spare))
    p_mine = found.p_mine.reshape(free.shape)
    all_single, one_of_each = comb(n_free, spare - 1), 2**n * comb(n_free, spare)
    single = Fraction(all_single, all_single + one_of_each)
    uncharted = (single * (spare - 1) + (1 - single) * spare) / n_free
    assert is_wide(free)
    assert not found.proof.any()
    np.testing.assert_allclose(p_mine[0, ::4], max(nearest(single), 5e-324), rtol=TOLERANCE)
    np.testing.assert_allclose(p_mine[:2, 2::4], nearest((1 - single) / 2), rtol=TOLERANCE)
    np.testing.assert_allclose(p_mine[3:], nearest(uncharted), rtol=TOLERANCE)
    _, weight = kernel.count_models(Board(free.cells, known + n + spare))
    assert abs(models_of(weight) / (all_single + one_of_each) - 1) < TOLERANCE


@pytest.mark.parametrize("n", [400, 1060])
def test_what_only_the_mine_count_forces_is_exact_on_large_boards(n):
    board, known = locked_chain(n, n_free_rows=1)
    pairs = kernel.analyse(Board(board.cells, known + n))
    p_mine, proof = pairs.p_mine.reshape(board.shape), pairs.proof.reshape(board.shape)
    assert is_wide(board)
    assert np.all(p_mine[0, ::4] == 0)
    assert np.all(proof[0, ::4] == -BY_COUNT)
    assert np.all(p_mine[3] == 0)
    assert np.all(proof[3] == -BY_COUNT)
    assert np.all(proof[:, 2::4][:2] == 0)
    single = kernel.analyse(Board(board.cells, known + n + 1 + board.shape[1]))
    p_mine, proof = single.p_mine.reshape(board.shape), single.proof.reshape(board.shape)
    assert np.all(p_mine[0, ::4] == 1)
    assert np.all(proof[0, ::4] == BY_COUNT)
    assert np.all(proof[3] == BY_COUNT)
    assert np.all(proof[:2, 2::4] == -BY_COUNT)
    assert kernel.analyse(Board(board.cells, known + n - 1)) == NO_MODEL
    assert kernel.analyse(Board(board.cells, known + n + 2 + board.shape[1])) == NO_MODEL


def test_chances_of_a_number_are_right_on_a_large_board():
    n = 500
    board, known = locked_chain(n, n_free_rows=1)
    n_free, spare = board.shape[1], 900
    chances = chances_of_number(board, (0, 2), known + n + spare)
    all_single, one_of_each = comb(n_free, spare - 1), 2**n * comb(n_free, spare)
    n_models = all_single + one_of_each
    assert chances[3] == pytest.approx(nearest(Fraction(one_of_each, 2 * n_models)), rel=1e-12)
    assert chances[2] == pytest.approx(nearest(Fraction(all_single, n_models)), rel=1e-12)
    assert not chances[[0, 1, 4, 5]].any()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 1 + count("MINEBOT_LARGE_BOARDS", gate=1, full=6)))
def test_kernel_agrees_with_its_twin_on_a_large_board_of_many_clusters(seed):
    board = scattered_board(100, 0.4, 0.2, seed)
    check_against_twin(board)
    assert is_wide(board)


@pytest.mark.slow
@pytest.mark.parametrize("density", [0.05, 0.4, 0.9])
def test_kernel_agrees_with_its_twin_on_small_clusters_in_a_large_board_at_every_mine_count(density):
    board = scattered_board(100, density, 0.05, 1)
    fewest, most = fewest_and_most(board.cells, board.mines)
    for mines in (None, board.mines, fewest, fewest + 1, most - 1, most):
        check_against_twin(Board(board.cells, mines))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_risks_add_up_on_boards_too_large_for_the_twin(seed):
    board = scattered_board(100, 0.4, 0.25, seed)
    p_mine = kernel.analyse(board).p_mine
    assert is_wide(board)
    assert np.nansum(p_mine) == pytest.approx(board.mines, rel=1e-12)
