"""An analysis in whole numbers: the exact twin of `solver.kernel`, and the court of last resort.

The stages, from top to bottom: constraints, trivial deduction, supercells and clusters, counting, combination by mine
count. Where a cluster is too wide to be counted there is no analysis: see `solver.proving` and `solver.estimating`.
Satisfiability names the clue of a contradiction. Shares no code with the kernel but the board.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from solver import sat
from solver.combining import Ratio, combine_with_count, combine_without_count
from solver.constraints import Cluster, Constraint, Problem, find_clusters, impossible_clue, read_problem
from solver.counting import STATE_LIMIT, ClusterCount, count_cluster
from solver.errors import InconsistentError
from solver.trivial import deduce

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from solver.board import Board

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


class Counted(NamedTuple):
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


def count_clusters(board: Board, clusters: Sequence[Cluster], rest: Rest, state_limit: int) -> Counted | None:
    """Count what the all/none rule leaves of a board; None when that takes too many states.

    Raises:
        InconsistentError: no layout agrees with it.
    """
    counts = _count_all(board, clusters, state_limit)
    if counts is None:
        return None
    risks, n_models = _find_risks(board, clusters, counts, rest)
    return Counted(risks, n_models, *_read_off(clusters, counts, risks))


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
