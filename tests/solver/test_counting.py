from math import comb

import pytest

from solver import parse_board
from solver.constraints import find_clusters, read_problem
from solver.exact.combining import _combine_with_count, _combine_without_count
from solver.exact.counting import _order_supercells, count_cluster


def clusters_of(text):
    return find_clusters(read_problem(parse_board(text)).constraints)


def lattice(n_rows, n_cols, number=2):
    """Isolated numbers, one closed cell between any two: the hardest boards to count."""
    line = " ".join(str(number) if col % 2 else "#" for col in range(2 * n_cols + 1))
    closed = " ".join("#" * (2 * n_cols + 1))
    return "\n".join([closed, *[line, closed] * n_rows])


@pytest.mark.parametrize("number", range(9))
def test_count_cluster_of_a_single_number_is_a_binomial(number):
    (cluster,) = clusters_of(f"###\n#{number}#\n###")
    count = count_cluster(cluster)
    assert (count.fewest, count.models) == (number, (comb(8, number),))
    assert count.mines_in == ((comb(8, number) * number,),)


def test_count_cluster_of_a_chain_counts_by_mines():
    (cluster,) = clusters_of("#1#1#1#")
    count = count_cluster(cluster)
    assert (count.fewest, count.models) == (2, (2,))
    assert sorted(count.mines_in) == [(1,)] * 4


def test_count_cluster_keeps_models_of_different_size_apart():
    (cluster,) = clusters_of("###\n11?\n###")
    count = count_cluster(cluster)
    assert (count.fewest, count.models) == (1, (4,))
    (cluster,) = clusters_of("###\n?1?\n###\n?1?\n###")
    count = count_cluster(cluster)
    assert (count.fewest, count.models) == (1, (3, 9))


def test_count_cluster_has_no_models_where_there_are_none():
    (cluster,) = clusters_of("01#\n03#\n01#")
    assert count_cluster(cluster).models == ()


def test_count_cluster_gives_up_at_the_state_limit():
    (cluster,) = clusters_of(lattice(2, 6))
    assert count_cluster(cluster, state_limit=10) is None
    assert count_cluster(cluster, state_limit=100_000) is not None


def test_order_supercells_visits_each_once():
    (cluster,) = clusters_of(lattice(9, 10))
    assert sorted(_order_supercells(cluster)) == list(range(len(cluster.supercells)))


def test_order_supercells_sweeps_along_a_lattice():
    # Any order that is not a sweep across the short side has tens of times as many states.
    (cluster,) = clusters_of(lattice(3, 30))
    assert count_cluster(cluster, state_limit=40_000) is not None


def test_combine_without_clusters_leaves_a_binomial():
    risks = _combine_with_count([], [], 10, 3)
    assert risks.n_models == comb(10, 3)
    assert risks.uncharted.numerator * 10 == risks.uncharted.denominator * 3
    assert _combine_without_count([], []).n_models == 1


def test_combine_with_count_finds_no_model_for_a_wrong_count():
    clusters = clusters_of("#1#1#?????")
    counts = [count_cluster(cluster) for cluster in clusters]
    assert _combine_with_count(clusters, counts, 0, 3) is None
    assert _combine_with_count(clusters, counts, 0, 0) is None
    assert _combine_with_count(clusters, counts, 1, 3).n_models == 1
