"""From the counts of single clusters to the risk of every cell, with or without the total number of mines.

With the number of hidden mines known, a model of the whole board takes one model of every cluster and puts the
mines that are left anywhere among the uncharted cells: C(uncharted, mines left) ways. Without it, clusters do not
influence each other and the uncharted cells have no risk that could be known.

All sums are of non-negative whole numbers, so a risk of 0 or 1 is exact. Cost: two passes over the clusters, each
a product of short polynomials. Satisfiability names the clues of a cluster without a model.
"""

from __future__ import annotations

import math
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from solver import sat
from solver.errors import InconsistentError
from solver.exact.counting import ClusterCount, count_cluster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.board import Board
    from solver.constraints import Cluster


_Polynomial = list[int]
"""Number of ways by number of mines."""


_USUAL_CELLS = 250  # cells of the largest clusters by which a state's cost was measured


class Ratio(NamedTuple):
    """An exact risk, not reduced."""

    numerator: int
    denominator: int

    def as_float(self) -> float:
        """The nearest float, but 0 and 1 only when exact."""
        p = self.numerator / self.denominator
        if 0 < self.numerator < self.denominator:
            return min(max(p, math.ulp(0.0)), math.nextafter(1.0, 0.0))
        return p


class Rest(NamedTuple):
    """What the all/none rule leaves beside the clusters.

    Attributes:
        uncharted: unknown cells under no constraint.
        n_mines: the mines among the clusters' cells and the uncharted ones; None when not known.
    """

    uncharted: tuple[int, ...]
    n_mines: int | None


_GroupRisk = tuple["tuple[int, ...]", Ratio]
"""Interchangeable cells and the risk of each."""


class _Counted(NamedTuple):
    """What counting says of clusters and what is beside them.

    Attributes:
        risks: interchangeable cells, and the risk of each of them.
        n_models: the layouts that agree.
        by_numbers: cells that the numbers force: flat index -> whether it is a mine.
        by_total: cells that only the mine count forces.
    """

    risks: list[_GroupRisk]
    n_models: int
    by_numbers: dict[int, bool]
    by_total: dict[int, bool]


def count_clusters(board: Board, clusters: Sequence[Cluster], rest: Rest, state_limit: int) -> _Counted | None:
    """Count what the all/none rule leaves of a board; None when that takes too many states.

    Raises:
        InconsistentError: no layout agrees with it.
    """
    counts = _count_all(board, clusters, state_limit)
    if counts is None:
        return None
    risks, n_models = _find_risks(board, clusters, counts, rest)
    return _Counted(risks, n_models, *_read_off(clusters, counts, risks))


def _count_all(board: Board, clusters: Sequence[Cluster], state_limit: int) -> list[ClusterCount] | None:
    """Count every cluster; None when they take more states than that, larger clusters counting dearer ones."""
    counts = []
    left = float(state_limit)
    for cluster in clusters:
        cost = max(cluster.n_cells / _USUAL_CELLS, 1.0) ** 2  # a coefficient a cell, of a bit a cell
        count = count_cluster(cluster, int(left / cost))
        if count is None:
            return None
        if not count.models:
            clues = [board.topology.cell(each.clue) for each in sat.find_contradiction(cluster.constraints)]
            raise InconsistentError.of_clues(clues)
        left -= count.n_states * cost
        counts.append(count)
    return counts


def _find_risks(
    board: Board, clusters: Sequence[Cluster], counts: Sequence[ClusterCount], rest: Rest
) -> tuple[list[_GroupRisk], int]:
    """Join the clusters' counts; return the risks that can be known, and the number of models."""
    if rest.n_mines is None:
        risks = _combine_without_count(clusters, counts)
    else:
        found = _combine_with_count(clusters, counts, len(rest.uncharted), rest.n_mines)
        if found is None:
            raise InconsistentError.of_total(board.mines)
        risks = found
    cells = [supercell.cells for cluster in clusters for supercell in cluster.supercells]
    groups = list(zip(cells, [ratio for ratios in risks.supercells for ratio in ratios], strict=True))
    if risks.uncharted is not None:
        groups.append((rest.uncharted, risks.uncharted))
    return groups, risks.n_models


def _read_off(
    clusters: Sequence[Cluster], counts: Sequence[ClusterCount], risks: Sequence[_GroupRisk]
) -> tuple[dict[int, bool], dict[int, bool]]:
    """The forced cells among counted ones: by the numbers alone, and by the mine count."""
    by_numbers: dict[int, bool] = {}
    for cluster, count in zip(clusters, counts, strict=True):
        for supercell, mines in zip(cluster.supercells, count.mines_in, strict=True):
            is_mine = _forced_value(Ratio(sum(mines), len(supercell.cells) * sum(count.models)))
            if is_mine is not None:
                by_numbers.update(dict.fromkeys(supercell.cells, is_mine))
    by_total: dict[int, bool] = {}
    for cells, ratio in risks:
        is_mine = _forced_value(ratio)
        if is_mine is not None and cells[0] not in by_numbers:
            by_total.update(dict.fromkeys(cells, is_mine))
    return by_numbers, by_total


def _forced_value(ratio: Ratio) -> bool | None:
    """Whether a cell of this risk is forced, and to what."""
    if ratio.numerator in (0, ratio.denominator):
        return ratio.numerator > 0
    return None


class _Risks(NamedTuple):
    """The risk of every group of interchangeable cells.

    Attributes:
        n_models: models of the whole board (of the frontier only, when the mine count is not known).
        supercells: per cluster and supercell, the risk of each of its cells.
        uncharted: the risk of each uncharted cell; None when not known or when there is none.
    """

    n_models: int
    supercells: list[list[Ratio]]
    uncharted: Ratio | None


def _combine_without_count(clusters: Sequence[Cluster], counts: Sequence[ClusterCount]) -> _Risks:
    """Take every model of the frontier as equally likely."""
    n_models = 1
    ratios = []
    for cluster, count in zip(clusters, counts, strict=True):
        n_models *= sum(count.models)
        ratios.append(_cluster_ratios(cluster, count, [1] * len(count.models)))
    return _Risks(n_models, ratios, None)


def _combine_with_count(
    clusters: Sequence[Cluster], counts: Sequence[ClusterCount], n_uncharted: int, n_hidden: int
) -> _Risks | None:
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
    return _Risks(n_models, ratios, uncharted)


def _passes(
    counts: Sequence[ClusterCount], n_uncharted: int, spare: int
) -> tuple[list[_Polynomial], list[_Polynomial]]:
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


def _multiply(a: Sequence[int], b: Sequence[int]) -> _Polynomial:
    product = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += x * y
    return product


def _weighted_sum(values: Sequence[int], weights: Sequence[int]) -> int:
    return sum([value * weight for value, weight in zip(values, weights, strict=False)])


def _rest(before: _Polynomial, after: _Polynomial, n_powers: int) -> _Polynomial:
    """For each number of mines in a cluster, the ways of everything else."""
    return [_weighted_sum(before, after[j:]) for j in range(n_powers)]


def _cluster_ratios(cluster: Cluster, count: ClusterCount, weights: _Polynomial) -> list[Ratio]:
    total = _weighted_sum(count.models, weights)
    return [
        Ratio(_weighted_sum(mines, weights), total * len(supercell.cells))
        for supercell, mines in zip(cluster.supercells, count.mines_in, strict=True)
    ]


def _uncharted_ratio(frontier: _Polynomial, n_uncharted: int, spare: int, n_models: int) -> Ratio:
    """One uncharted cell is a mine: the others take one mine less."""
    mined = sum(ways * _ways(n_uncharted - 1, spare - m - 1) for m, ways in enumerate(frontier))
    return Ratio(mined, n_models)
