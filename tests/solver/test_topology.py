from itertools import product

import pytest

from solver import BoardValueError, Topology


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
    with pytest.raises(BoardValueError, match="shape"):
        Topology((3, 0))
