"""Shapes and mine counts: any number of sides of 1 costs nothing, and what is no whole number is refused."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from solver import Board, BoardValueError, InconsistentError, analyse
from solver.board import CLOSED
from solver.layout import Layout
from solver.topology import Topology


@pytest.mark.parametrize("n_dimensions", [10, 14, 32])
@pytest.mark.parametrize("wrap", [False, True])
def test_analyse_takes_any_number_of_sides_of_one(n_dimensions, wrap):
    cells = np.full((*(1,) * (n_dimensions - 2), 2, 3), -1)
    cells[..., 0, 0] = 3
    flat, deep = analyse(Board(cells.reshape(2, 3), wrap=wrap)), analyse(Board(cells, wrap=wrap))
    assert np.array_equal(deep.p_mine.reshape(2, 3), flat.p_mine, equal_nan=True)


@pytest.mark.parametrize("mines", [99.5, 2.0, "2", True, np.float64(2), np.True_])
def test_mines_that_are_no_whole_number_are_refused(mines, engine):
    cells = np.array([[1, -1], [-1, -1]])
    for call in (
        lambda: analyse(cells, mines=mines),
        lambda: Board(cells, mines),
        lambda: Layout.random((5, 5), mines, random.Random(1)),
    ):
        with pytest.raises(BoardValueError, match="expected a whole number of mines, got"):
            call()


def test_mines_may_be_an_integer_of_numpy():
    assert analyse(np.array([[1, -1], [-1, -1]]), mines=np.int64(1)).n_models == 3


@pytest.mark.parametrize("side", [2.5, 2.0, "2", True])
def test_topology_refuses_a_side_that_is_no_whole_number(side):
    with pytest.raises(BoardValueError, match="expected a whole number of cells along every axis, got"):
        Topology((3, side))


@pytest.mark.parametrize("mines", [None, 0, 3, 12])
def test_a_contradiction_of_numbers_alone_names_a_clue_whatever_the_mine_count_is(mines):
    """By brute force: the numbers have no layout at all, whatever the count, and the named clue takes part in that."""
    chance = random.Random(f"clue {mines}")
    n_named = 0
    for _ in range(300):
        cells = np.array(
            [[chance.choice([CLOSED, CLOSED, 0, 1, 1, 2, 3]) for _ in range(4)] for _ in range(3)], np.int16
        )
        if (cells == CLOSED).all() or has_layout(cells):
            continue
        with pytest.raises(InconsistentError) as caught:
            analyse(Board(cells, mines))
        assert caught.value.clue is not None, f"{caught.value}\n{Board(cells, mines)}"
        assert cells[caught.value.clue] >= 0
        n_named += 1
    assert n_named > 50


def has_layout(cells):
    """Whether any way to put mines on the closed cells agrees with all numbers."""
    closed, numbered = np.argwhere(cells == CLOSED), np.argwhere(cells >= 0)
    is_near = (np.abs(numbered[:, None] - closed[None]).max(axis=2) == 1).astype(np.int16)
    layouts = np.array(list(product([0, 1], repeat=len(closed))), dtype=np.int16).reshape(2 ** len(closed), len(closed))
    return bool((layouts @ is_near.T == cells[cells >= 0]).all(axis=1).any())
