"""An analysis in whole numbers: the exact twin of `solver.kernel`, and the court of last resort.

The stages, from top to bottom: constraints, trivial deduction, supercells and clusters, counting, combination by mine
count. Where a cluster is too wide to be counted there is no analysis: see `solver.wide` and `solver.wide`.
Satisfiability names the clue of a contradiction. Shares no code with the kernel but the board.

Trivial deduction: the all/none rule on single constraints, to a fixpoint.

A constraint whose mines are all placed makes the rest of its cells safe; one with as many mines as cells makes
them all mines. A work stack revisits only the constraints that share a cell with what was just found, so the
cost is linear in the total number of cells under constraints. Knows no geometry.

From the counts of single clusters to the risk of every cell, with or without the total number of mines.

With the number of hidden mines known, a model of the whole board takes one model of every cluster and puts the
mines that are left anywhere among the uncharted cells: C(uncharted, mines left) ways. Without it, clusters do not
influence each other and the uncharted cells have no risk that could be known.

All sums are of non-negative whole numbers, so a risk of 0 or 1 is exact. Cost: two passes over the clusters, each
a product of short polynomials.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import comb
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from solver import sat
from solver.constraints import Cluster, Constraint, Problem, find_clusters, impossible_clue, read_problem
from solver.counting import STATE_LIMIT, ClusterCount, count_cluster
from solver.errors import InconsistentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from solver.board import Board


class Contradiction(NamedTuple):
    """A constraint that cannot be met once what the others force is known.

    Attributes:
        clue: flat index of its number.
        n_mines: the mines it still needs.
        n_cells: the unknown cells it still has.
    """

    clue: int
    n_mines: int
    n_cells: int


class Deduction(NamedTuple):
    """What trivial deduction found.

    Attributes:
        forced: flat index -> whether the cell is a mine.
        constraints: what is left: no forced cell, 0 < n_mines < cells, no two over the same cells.
        contradiction: the first constraint that cannot be met; None when there is none. When there is one the
            rest is unfinished.
    """

    forced: dict[int, bool]
    constraints: list[Constraint]
    contradiction: Contradiction | None


def deduce(constraints: Sequence[Constraint]) -> Deduction:
    """Apply the all/none rule until nothing changes."""
    n_mines = [constraint.n_mines for constraint in constraints]
    n_cells = [len(constraint.cells) for constraint in constraints]
    over: dict[int, list[int]] = {}
    for j, constraint in enumerate(constraints):
        for cell in constraint.cells:
            over.setdefault(cell, []).append(j)
    forced: dict[int, bool] = {}
    stack = list(range(len(constraints) - 1, -1, -1))
    while stack:
        j = stack.pop()
        if n_cells[j] == 0 or 0 < n_mines[j] < n_cells[j]:
            continue
        is_mine = n_mines[j] > 0
        for cell in constraints[j].cells:
            if cell in forced:
                continue
            forced[cell] = is_mine
            for other in over[cell]:
                n_cells[other] -= 1
                n_mines[other] -= is_mine
                if not 0 <= n_mines[other] <= n_cells[other]:
                    found = Contradiction(constraints[other].clue, n_mines[other], n_cells[other])
                    return Deduction(forced, [], found)
                if n_mines[other] in (0, n_cells[other]):
                    stack.append(other)
    return _reduce(constraints, forced, n_mines)


def _reduce(constraints: Sequence[Constraint], forced: dict[int, bool], n_mines: Sequence[int]) -> Deduction:
    """Drop forced cells, satisfied constraints and repetitions."""
    left: dict[tuple[int, ...], Constraint] = {}
    for constraint, needed in zip(constraints, n_mines, strict=True):
        cells = tuple([cell for cell in constraint.cells if cell not in forced])
        if not cells:
            continue
        same = left.setdefault(cells, Constraint(cells, needed, constraint.clue))
        if same.n_mines != needed:
            return Deduction(forced, [], Contradiction(constraint.clue, needed, len(cells)))
    return Deduction(forced, list(left.values()), None)


_Polynomial = list[int]
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


Method = Literal["trivial", "sat", "count"]
"""What proved a cell: the all/none rule alone; the numbers together; the numbers and the mine count."""

_USUAL_CELLS = 250
"""Cells of the largest clusters that a state's cost was measured with."""

METHODS: tuple[Method, ...] = ("trivial", "sat", "count")


@dataclass(frozen=True)
class Exact:
    """Everything that can be known of a position, as fractions.

    Attributes:
        proofs: for every method, flat index -> whether the cell is a mine. No cell twice.
        risks: flat index -> risk, of every unknown cell and known mine; without a mine count not of uncharted cells.
        n_models: the layouts that agree; without a mine count those of the frontier alone.
        seconds: time spent, by stage: read, trivial, count.
    """

    proofs: Mapping[Method, Mapping[int, bool]]
    risks: Mapping[int, Ratio]
    n_models: int
    seconds: Mapping[str, float]

    def p_mine(self, n_cells: int) -> NDArray[np.float64]:
        """The risks as floats, row by row; NaN where not known."""
        p_mine = [math.nan] * n_cells
        for cell, ratio in self.risks.items():
            p_mine[cell] = as_float(ratio)
        return np.array(p_mine)

    def proof(self, n_cells: int) -> NDArray[np.int8]:
        """What proved each cell, row by row: 1 + its place in METHODS, negative where the cell is safe; 0: nothing."""
        proof = [0] * n_cells
        for code, method in enumerate(METHODS, start=1):
            for cell, is_mine in self.proofs[method].items():
                proof[cell] = code if is_mine else -code
        return np.array(proof, dtype=np.int8)


def as_float(ratio: Ratio) -> float:
    """The nearest float, but 0 and 1 only when exact."""
    p = ratio.numerator / ratio.denominator
    if 0 < ratio.numerator < ratio.denominator:
        return min(max(p, math.ulp(0.0)), math.nextafter(1.0, 0.0))
    return p


def analyse_exactly(board: Board, state_limit: int = STATE_LIMIT) -> Exact | None:
    """Find every forced cell, all risks and the number of models, in whole numbers.

    Args:
        board: the position.
        state_limit: a position of more states is too wide to be counted.

    Returns:
        The analysis; None when the position is too wide.

    Raises:
        InconsistentError: no layout agrees with the position; names a clue unless only the mine count contradicts.
    """
    stopwatch = _Stopwatch()
    with stopwatch.time("read"):
        problem = read_problem(board)
    with stopwatch.time("trivial"):
        by_rule, constraints = deduce_trivially(board, problem)
        clusters = find_clusters(constraints)
        rest = _find_rest(problem, by_rule, clusters)
    with stopwatch.time("count"):
        counted = count_clusters(board, clusters, rest, state_limit)
        if counted is None:
            return None
    proofs: dict[Method, Mapping[int, bool]] = {
        "trivial": by_rule,
        "sat": counted.by_numbers,
        "count": counted.by_total,
    }
    ratios = {cell: ratio for cells, ratio in counted.risks for cell in cells}
    ratios.update(dict.fromkeys(problem.known_mines, Ratio(1, 1)))
    for forced in proofs.values():
        ratios.update({cell: Ratio(int(is_mine), 1) for cell, is_mine in forced.items()})
    return Exact(proofs, ratios, counted.n_models, stopwatch.seconds)


@dataclass
class _Stopwatch:
    """Adds up the time of named stages."""

    seconds: dict[str, float] = field(default_factory=lambda: dict.fromkeys(("read", "trivial", "count"), 0.0))

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[stage] += time.perf_counter() - start


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


def deduce_trivially(board: Board, problem: Problem) -> tuple[dict[int, bool], list[Constraint]]:
    """Apply the all/none rule; return the forced cells and the constraints that are left.

    Raises:
        InconsistentError: a number cannot be met; names it.
    """
    forced, constraints, contradiction = deduce(problem.constraints)
    if contradiction is not None:
        clue, n_mines, n_cells = contradiction
        raise impossible_clue(board.topology.cell(clue), f"{n_mines} of its {n_cells} remaining neighbours to be mines")
    return forced, constraints


def contradiction_of(board: Board, constraints: Sequence[Constraint]) -> InconsistentError:
    """The error that names the clues of constraints without a model."""
    clues = [board.topology.cell(constraint.clue) for constraint in sat.find_contradiction(constraints)]
    return InconsistentError(f"the numbers at {', '.join(map(str, clues))} contradict each other", clues[0])


def impossible_total(board: Board) -> InconsistentError:
    """The error of a mine count that no layout has."""
    return InconsistentError(f"no layout with {board.mines} mines agrees with the numbers", None)


def _groups(clusters: Sequence[Cluster]) -> list[tuple[int, ...]]:
    return [supercell.cells for cluster in clusters for supercell in cluster.supercells]


def _find_rest(problem: Problem, by_rule: Mapping[int, bool], clusters: Sequence[Cluster]) -> Rest:
    left = tuple([cell for cell in problem.unknown if cell not in by_rule])
    charted = {cell for group in _groups(clusters) for cell in group}
    uncharted = tuple([cell for cell in left if cell not in charted])
    return Rest(uncharted, None if problem.n_hidden is None else problem.n_hidden - sum(by_rule.values()))


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
            raise contradiction_of(board, cluster.constraints)
        left -= count.n_states * cost
        counts.append(count)
    return counts


def _find_risks(
    board: Board, clusters: Sequence[Cluster], counts: Sequence[ClusterCount], rest: Rest
) -> tuple[list[_GroupRisk], int]:
    """Join the clusters' counts; return the risks that can be known, and the number of models."""
    if rest.n_mines is None:
        risks = combine_without_count(clusters, counts)
    else:
        found = combine_with_count(clusters, counts, len(rest.uncharted), rest.n_mines)
        if found is None:
            raise impossible_total(board)
        risks = found
    groups = list(zip(_groups(clusters), [ratio for ratios in risks.supercells for ratio in ratios], strict=True))
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
