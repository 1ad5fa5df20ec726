"""How weighted games change a layout: as little as possible, and every layout as likely as it should be."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from solver import Topology
from solver.board import CLOSED
from solver.kernel.workspace import Neighbours

TOPOLOGY = Topology((2, 5))
CODES = np.array([1] + [CLOSED] * 9, dtype=np.int16)
UNCHARTED = [2, 3, 4, 7, 8, 9]
EACH = 400
"""How often each outcome is expected."""


def layout_of(*mines):
    layout = np.zeros(TOPOLOGY.n_cells, dtype=np.int8)
    layout[list(mines)] = 1
    return layout


def mines_of(layout):
    return frozenset(np.flatnonzero(layout).tolist())


def assert_equally_likely(counts, expected):
    """Chi-square, at four and a half standard deviations."""
    assert set(counts) == set(expected)
    chi_square = sum((counts[each] - EACH) ** 2 / EACH for each in expected)
    freedom = len(expected) - 1
    assert chi_square <= freedom + 4.5 * np.sqrt(2 * freedom) + 6


def survive(layout, cell, state):
    from solver.kernel.layouts import survive_uncharted

    truth = np.zeros(TOPOLOGY.n_cells, dtype=np.int16)
    chance = survive_uncharted(state, cell, CODES, layout, truth, Neighbours(*TOPOLOGY.neighbour_table))
    return chance, truth


def keep(before, drawn, state):
    from solver.kernel.layouts import keep_uncharted

    keep_uncharted(state, CODES, before, drawn, Neighbours(*TOPOLOGY.neighbour_table))


def test_a_mine_moves_to_any_other_uncharted_cell_alike_and_all_else_stays():
    state = np.array([1], dtype=np.int64)
    counts = Counter()
    for _ in range(4 * EACH):
        layout = layout_of(1, 3, 8)
        chance, truth = survive(layout, 3, state)
        assert chance == pytest.approx(4 / 6)
        assert truth.tolist() == [
            -1 if layout[i] else sum(layout[j] for j in TOPOLOGY.neighbour_indices[i]) for i in range(10)
        ]
        counts[mines_of(layout)] += 1
    assert_equally_likely(counts, [frozenset({1, 8, to}) for to in (2, 4, 7, 9)])


def test_a_layout_without_a_mine_there_stays_and_counts_as_much():
    layout = layout_of(1, 4, 8)
    chance, _ = survive(layout, 3, np.array([1], dtype=np.int64))
    assert chance == pytest.approx(4 / 6)
    assert mines_of(layout) == {1, 4, 8}


def test_where_all_uncharted_cells_are_mines_there_is_no_chance():
    layout = layout_of(1, *UNCHARTED)
    chance, _ = survive(layout, 3, np.array([1], dtype=np.int64))
    assert chance == 0.0
    assert mines_of(layout) == {1, *UNCHARTED}


@pytest.mark.parametrize("n_drawn", [0, 1, 2, 3, 5])
def test_a_drawn_layout_keeps_the_uncharted_cells_but_for_the_mines_there_are_more_or_less(n_drawn):
    kept = {3, 8}
    if n_drawn <= 2:
        expected = [frozenset({6, *chosen}) for chosen in combinations(kept, n_drawn)]
    else:
        free = set(UNCHARTED) - kept
        expected = [frozenset({6, *kept, *chosen}) for chosen in combinations(free, n_drawn - 2)]
    state = np.array([2], dtype=np.int64)
    counts = Counter()
    for _ in range(EACH * len(expected)):
        drawn = layout_of(6, *UNCHARTED[:n_drawn])
        keep(layout_of(1, *kept), drawn, state)
        counts[mines_of(drawn)] += 1
    assert_equally_likely(counts, expected)
