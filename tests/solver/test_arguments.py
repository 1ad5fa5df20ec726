"""Shapes and mine counts: any number of sides of 1 costs nothing, and what is no whole number is refused."""

from __future__ import annotations

import random

import numpy as np
import pytest

from solver import Board, BoardValueError, analyse, kernel
from solver.layout import Layout
from solver.topology import Topology


@pytest.mark.parametrize("n_dimensions", [10, 14, 32])
@pytest.mark.parametrize("wrap", [False, True])
def test_analyse_takes_any_number_of_sides_of_one(n_dimensions, wrap):
    cells = np.full((*(1,) * (n_dimensions - 2), 2, 3), -1)
    cells[..., 0, 0] = 3
    flat, deep = analyse(Board(cells.reshape(2, 3), wrap=wrap)), analyse(Board(cells, wrap=wrap))
    assert np.array_equal(deep.p_mine.reshape(2, 3), flat.p_mine, equal_nan=True)


@pytest.mark.parametrize("is_loaded", [False, True])
@pytest.mark.parametrize("mines", [99.5, 2.0, "2", True, np.float64(2), np.True_])
def test_mines_that_are_no_whole_number_are_refused(mines, is_loaded):
    if is_loaded:
        kernel.load()
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
