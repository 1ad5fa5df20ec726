import random
from itertools import product

import numpy as np
import pytest

from solver import Board, BoardValueError, Topology, chances_of_number, explain, play_game
from solver.game import Game
from solver.layout import Layout
from solver.simulation import SeededDeals


@pytest.mark.parametrize("wrap", [False, True])
@pytest.mark.parametrize("shape", [(1,), (5,), (1, 1), (1, 4), (2, 2), (2, 5), (3, 4), (2, 3, 4)])
def test_neighbours_are_those_one_step_away(shape, wrap):
    topology = Topology(shape, wrap=wrap)
    for cell in product(*map(range, shape)):
        expected = []
        for other in product(*map(range, shape)):
            gaps = [abs(i - j) for i, j in zip(cell, other, strict=True)]
            if wrap:
                gaps = [min(gap, n - gap) for gap, n in zip(gaps, shape, strict=True)]
            if 0 < max(gaps) <= 1:
                expected.append(other)
        assert list(topology.neighbours(cell)) == expected


def test_index_and_cell_undo_each_other():
    topology = Topology((2, 3, 4))
    assert [topology.index(topology.cell(i)) for i in range(24)] == list(range(24))
    assert topology.cell(23) == (1, 2, 3)


def test_has_cell_knows_the_edges():
    topology = Topology((2, 3))
    assert topology.has_cell((1, 2))
    assert not topology.has_cell((2, 0))
    assert not topology.has_cell((0, -1))
    assert not topology.has_cell((0,))


def test_topology_refuses_empty_sides():
    with pytest.raises(BoardValueError, match="got 3x0"):
        Topology((3, 0))


@pytest.mark.parametrize(
    "cell", [(0.0, 1.0), (0.5, 1), (np.float64(1), 1), (True, 1), ("0", 1), (None, 0), (float("nan"), 0)]
)
def test_has_cell_takes_whole_numbers_only(cell):
    assert not Topology((2, 3)).has_cell(cell)


def test_has_cell_takes_numpys_whole_numbers():
    assert Topology((2, 3)).has_cell(tuple(np.array([1, 2], dtype=np.int16)))


@pytest.mark.parametrize("cell", [(0.0, 1.0), (0.5, 1.5)])
@pytest.mark.parametrize(
    "ask",
    [
        lambda cell: Game((3, 3), 2).open(cell),
        lambda cell: Game((3, 3), 2).toggle_flag(cell),
        lambda cell: Layout.of_cells((3, 3), [cell]),
        lambda cell: Layout.random((3, 3), 2, random.Random(1), first_cell=cell),
        lambda cell: explain(Board(np.full((3, 3), -1), 2), cell),
        lambda cell: chances_of_number(Board(np.full((3, 3), -1), 2), cell),
        lambda cell: SeededDeals((3, 3), 2, False, "safe", cell, 1, 2),
        lambda cell: play_game(Layout.random((3, 3), 2, random.Random(1)), cell),
    ],
)
def test_cells_of_fractions_are_the_documented_error(ask, cell):
    with pytest.raises(BoardValueError):
        ask(cell)
