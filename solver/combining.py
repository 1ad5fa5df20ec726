"""From the counts of single clusters to the risk of every cell, with or without the total number of mines.

With the number of hidden mines known, a model of the whole board takes one model of every cluster and puts the
mines that are left anywhere among the uncharted cells: C(uncharted, mines left) ways. Without it, clusters do not
influence each other and the uncharted cells have no risk that could be known.

All sums are of non-negative whole numbers, so a risk of 0 or 1 is exact. Cost: two passes over the clusters, each
a product of short polynomials.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.constraints import Cluster
    from solver.counting import ClusterCount

Polynomial = list[int]
"""Number of ways by number of mines."""


class Ratio(NamedTuple):
    """An exact risk, not reduced."""

    numerator: int
    denominator: int


class Risks(NamedTuple):
    """The risk of every group of interchangeable cells.

    Attributes:
        n_models: models of the whole board (of the frontier only, when the mine count is not known).
        supercells: per cluster and supercell, the risk of each of its cells.
        uncharted: the risk of each uncharted cell; None when not known or when there is none.
    """

    n_models: int
    supercells: list[list[Ratio]]
    uncharted: Ratio | None


def combine_without_count(clusters: Sequence[Cluster], counts: Sequence[ClusterCount]) -> Risks:
    """Take every model of the frontier as equally likely."""
    n_models = 1
    ratios = []
    for cluster, count in zip(clusters, counts, strict=True):
        n_models *= sum(count.models)
        ratios.append(_cluster_ratios(cluster, count, [1] * len(count.models)))
    return Risks(n_models, ratios, None)


def combine_with_count(
    clusters: Sequence[Cluster], counts: Sequence[ClusterCount], n_uncharted: int, n_hidden: int
) -> Risks | None:
    """Take every model of the board with `n_hidden` hidden mines as equally likely.

    Args:
        clusters: all clusters.
        counts: the count of each, every one with at least one model.
        n_uncharted: unknown cells under no constraint.
        n_hidden: mines among the clusters' cells and the uncharted ones.

    Returns:
        The risks; None when no model has that many mines.
    """
    spare = n_hidden - sum(count.fewest for count in counts)
    if spare < 0:
        return None
    before, after = _passes(counts, n_uncharted, spare)
    n_models = after[0][0]
    if not n_models:
        return None
    ratios = []
    for i, (cluster, count) in enumerate(zip(clusters, counts, strict=True)):
        ratios.append(_cluster_ratios(cluster, count, _rest(before[i], after[i + 1], len(count.models))))
    uncharted = _uncharted_ratio(before[-1], n_uncharted, spare, n_models) if n_uncharted else None
    return Risks(n_models, ratios, uncharted)


def _passes(counts: Sequence[ClusterCount], n_uncharted: int, spare: int) -> tuple[list[Polynomial], list[Polynomial]]:
    """Ways of the clusters before each place, and of all the rest from it on.

    Mines are counted above each cluster's fewest. `before[i][m]`: clusters before `i` hold m. `after[i][m]`: the
    clusters from `i` on and the uncharted cells take what is left when the clusters before hold m.
    """
    before = [[1]]
    for count in counts:
        before.append(_multiply(before[-1], count.models))
    after = [[_ways(n_uncharted, spare - m) for m in range(len(before[-1]))]]
    for i in range(len(counts) - 1, -1, -1):
        models = counts[i].models
        onward = after[-1]
        after.append([_weighted_sum(models, onward[m:]) for m in range(len(before[i]))])
    after.reverse()
    return before, after


def _ways(n_cells: int, n_mines: int) -> int:
    return comb(n_cells, n_mines) if n_mines >= 0 else 0


def _multiply(a: Sequence[int], b: Sequence[int]) -> Polynomial:
    product = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += x * y
    return product


def _weighted_sum(values: Sequence[int], weights: Sequence[int]) -> int:
    return sum([value * weight for value, weight in zip(values, weights, strict=False)])


def _rest(before: Polynomial, after: Polynomial, n_powers: int) -> Polynomial:
    """For each number of mines in a cluster, the ways of everything else."""
    return [_weighted_sum(before, after[j:]) for j in range(n_powers)]


def _cluster_ratios(cluster: Cluster, count: ClusterCount, weights: Polynomial) -> list[Ratio]:
    total = _weighted_sum(count.models, weights)
    return [
        Ratio(_weighted_sum(mines, weights), total * len(supercell.cells))
        for supercell, mines in zip(cluster.supercells, count.mines_in, strict=True)
    ]


def _uncharted_ratio(frontier: Polynomial, n_uncharted: int, spare: int, n_models: int) -> Ratio:
    """One uncharted cell is a mine: the others take one mine less."""
    mined = sum(ways * _ways(n_uncharted - 1, spare - m - 1) for m, ways in enumerate(frontier))
    return Ratio(mined, n_models)
