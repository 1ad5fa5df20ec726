import pytest

from solver import InconsistentError, parse_board
from solver.constraints import Constraint, find_clusters, read_problem


def constraints_of(text):
    return read_problem(parse_board(text)).constraints


def test_read_problem_takes_flags_and_unreadable_cells_as_unknown():
    assert constraints_of("F2!\n###") == (Constraint((0, 2, 3, 4, 5), 2, 1),)


def test_read_problem_subtracts_every_mine_that_is_a_fact():
    problem = read_problem(parse_board("; mines: 5\n+3*\nX##"))
    assert problem.constraints == (Constraint((4, 5), 0, 1),)
    assert problem.known_mines == (0, 2, 3)
    assert problem.n_hidden == 2


def test_read_problem_takes_open_cells_without_number_as_safe_and_silent():
    assert constraints_of("?1x\n?#x") == (Constraint((4,), 1, 1),)


def test_read_problem_names_an_impossible_clue():
    with pytest.raises(
        InconsistentError, match=r"the number at \(0,1\) contradicts the rest: it needs 1 mine and has 2"
    ) as caught:
        constraints_of("+1+\n###")
    assert caught.value.clue == (0, 1)


@pytest.mark.parametrize("text", ["; mines: 0\n+#", "; mines: 3\n+#\n??"])
def test_read_problem_refuses_a_mine_count_without_a_place(text):
    with pytest.raises(InconsistentError, match="expected 1 to 2 mines") as caught:
        read_problem(parse_board(text))
    assert caught.value.clue is None


@pytest.mark.parametrize(("text", "sizes"), [("#1?1#", [1, 1]), ("#1#1#", [2]), ("#1#1?1#?1#", [2, 1, 1])])
def test_find_clusters_joins_constraints_that_share_cells(text, sizes):
    assert [len(cluster.constraints) for cluster in find_clusters(constraints_of(text))] == sizes


def test_find_clusters_groups_cells_under_the_same_constraints():
    (cluster,) = find_clusters(constraints_of("####\n?11?"))
    assert sorted(supercell.cells for supercell in cluster.supercells) == [(0,), (1, 2), (3,)]
    assert cluster.n_cells == 4


def test_find_clusters_is_empty_without_constraints():
    assert find_clusters([]) == []
