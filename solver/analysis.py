"""The one door of the solver: from a board to everything that can be known of it.

Stateless and thread-safe. Every position goes through both engines: satisfiability (`solver.sat`) and counting
(`solver.counting`) each find the forced cells on their own, and must agree. What counting proves only by the total
mine count is put to a formula that has the count.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from solver import sat
from solver.board import Board, closed_mask
from solver.combining import Ratio, combine_with_count, combine_without_count
from solver.constraints import Cluster, Constraint, Problem, find_clusters, impossible_clue, read_problem
from solver.counting import ClusterCount, count_cluster
from solver.errors import DisagreementError, InconsistentError
from solver.trivial import deduce

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from solver.topology import Cell

Method = Literal["trivial", "sat", "count"]
"""What proved a cell: the all/none rule alone; the numbers together; the numbers and the mine count."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """Everything that can be known of one position.

    Attributes:
        board: the position.
        safe: closed or flagged cells proven safe, row by row.
        mines: closed or flagged cells proven mines, row by row. Neither lists unreadable cells.
        p_mine: float64 array of the board's shape: the risk of every unknown cell and 1 for every known mine; NaN
            where open, and where the risk is not known. Exactly 0 or 1 only when forced. Not known are: uncharted
            cells without a mine count; and when a cluster is too wide to be counted, its own cells and, with a
            mine count, every cell that is not proven.
        n_models: the layouts that agree with the board, all equally likely; without a mine count those of the
            frontier alone; None when a cluster is too wide to be counted.
        methods: for every cell of `safe` and `mines`, what proved it.
        seconds: time spent, by stage: read, trivial, sat, count.
    """

    board: Board
    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    p_mine: NDArray[np.float64]
    n_models: int | None
    methods: Mapping[Cell, Method]
    seconds: Mapping[str, float]
    _ratios: Mapping[int, Ratio] = field(repr=False)

    def exact_risk(self, cell: Cell) -> Fraction | None:
        """The risk of a cell as a fraction; None where `p_mine` is NaN.

        Raises:
            IndexError: the board has no such cell.
        """
        if not self.board.topology.has_cell(cell):
            raise IndexError(f"expected a cell of a board of shape {self.board.shape}, got {cell}")
        ratio = self._ratios.get(self.board.topology.index(cell))
        return None if ratio is None else Fraction(ratio.numerator, ratio.denominator)


def analyse(board: Board | NDArray[Any], mines: int | None = None) -> Analysis:
    """Find every forced cell of a position, and the exact risk of all others.

    Args:
        board: a board, or an array of the codes of `solver.board`.
        mines: the total number of mines, known ones included; replaces the board's own.

    Returns:
        The analysis. Complete: a cell that is not listed as safe or as a mine is forced neither way. Only where a
        cluster is too wide to be counted (`n_models` is None) may a forced cell be missing: one whose proof, by
        the mine count above all, exceeds the budget of `solver.sat`.

    Raises:
        BoardValueError: `board` or `mines` is not a board's.
        InconsistentError: no layout agrees with the position; names a clue unless only the mine count contradicts.
    """
    board = Board.of(board, mines)
    stopwatch = _Stopwatch()
    with stopwatch.time("read"):
        problem = read_problem(board)
    with stopwatch.time("trivial"):
        by_rule, constraints = _deduce(board, problem)
        clusters = find_clusters(constraints)
        rest = _find_rest(problem, by_rule, clusters)
    with stopwatch.time("sat"):
        proof = _prove(board, constraints, clusters)
    with stopwatch.time("count"):
        counts = [count_cluster(cluster) for cluster in clusters]
        counted = _compare(board, clusters, counts, proof)
        risks, n_models = _find_risks(board, clusters, counts, rest)
    with stopwatch.time("sat"):
        if n_models is None:
            by_total = _prove_uncounted(board, constraints, clusters, rest)
        else:
            by_total = _confirm_counted(constraints, risks, rest, proof.forced.keys() | counted.keys())
    by_count = {**counted, **by_total}
    by_count = {cell: is_mine for cell, is_mine in by_count.items() if cell not in proof.forced}
    proofs: list[tuple[Method, Mapping[int, bool]]] = [
        ("trivial", by_rule),
        ("sat", proof.forced),
        ("count", by_count),
    ]
    known = [*risks, *_certainties(problem, proofs)]
    return _conclude(board, proofs, known, n_models, stopwatch.seconds)


def iter_solutions(board: Board | NDArray[Any], mines: int | None = None) -> Iterator[tuple[Cell, ...]]:
    """Generate every layout that agrees with a position, lazily.

    With a mine count, layouts of the whole board; without one, of the frontier alone. There can be very many: see
    `Analysis.n_models`.

    Args:
        board: as `analyse`.
        mines: as `analyse`.

    Yields:
        The unknown cells that are mines, row by row. No layout twice, none when the position is inconsistent.

    Raises:
        BoardValueError: as `analyse`.
        InconsistentError: a number or the mine count cannot be met even alone.
    """
    board = Board.of(board, mines)
    problem = read_problem(board)
    total = None if problem.n_hidden is None else sat.Total(problem.unknown, problem.n_hidden)
    for solution in sat.iter_solutions(problem.constraints, total):
        yield tuple(board.topology.cell(index) for index in solution)


class _Stopwatch:
    """Adds up the time of named stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def time(self, stage: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start


class _Rest(NamedTuple):
    """What the all/none rule leaves beside the clusters.

    Attributes:
        uncharted: unknown cells under no constraint.
        total: the mines among the clusters' cells and the uncharted ones; None when not known.
    """

    uncharted: tuple[int, ...]
    total: sat.Total | None


_GroupRisk = tuple["tuple[int, ...]", Ratio]
"""Interchangeable cells and the risk of each."""


def _deduce(board: Board, problem: Problem) -> tuple[dict[int, bool], list[Constraint]]:
    """Apply the all/none rule; return the forced cells and the constraints that are left."""
    forced, constraints, contradiction = deduce(problem.constraints)
    if contradiction is not None:
        clue, n_mines, n_cells = contradiction
        raise impossible_clue(board.topology.cell(clue), f"{n_mines} of its {n_cells} remaining neighbours to be mines")
    return forced, constraints


def _prove(board: Board, constraints: Sequence[Constraint], clusters: Sequence[Cluster]) -> sat.Backbone:
    """Find the cells that the numbers force, without the mine count."""
    proof = sat.find_forced(constraints, _groups(clusters))
    if proof.has_model is False:
        raise _contradiction(board, constraints)
    return proof


def _contradiction(board: Board, constraints: Sequence[Constraint]) -> InconsistentError:
    clues = [board.topology.cell(constraint.clue) for constraint in sat.find_contradiction(constraints)]
    return InconsistentError(f"the numbers at {', '.join(map(str, clues))} contradict each other", clues[0])


def _groups(clusters: Sequence[Cluster]) -> list[tuple[int, ...]]:
    return [supercell.cells for cluster in clusters for supercell in cluster.supercells]


def _find_rest(problem: Problem, by_rule: Mapping[int, bool], clusters: Sequence[Cluster]) -> _Rest:
    left = tuple([cell for cell in problem.unknown if cell not in by_rule])
    charted = {cell for group in _groups(clusters) for cell in group}
    uncharted = tuple([cell for cell in left if cell not in charted])
    if problem.n_hidden is None:
        return _Rest(uncharted, None)
    return _Rest(uncharted, sat.Total(left, problem.n_hidden - sum(by_rule.values())))


def _compare(
    board: Board, clusters: Sequence[Cluster], counts: Sequence[ClusterCount | None], proof: sat.Backbone
) -> dict[int, bool]:
    """Compare what both engines say without the mine count; return the forced cells that only counting could decide.

    Raises:
        DisagreementError: they differ.
        InconsistentError: a cluster that proof could not decide has no model.
    """
    decided_by_count = {}
    for cluster, count in zip(clusters, counts, strict=True):
        if count is None:
            continue
        if not count.models and proof.has_model is None:
            raise _contradiction(board, cluster.constraints)
        for supercell, mines in zip(cluster.supercells, count.mines_in, strict=True):
            counted = _forced_value(Ratio(sum(mines), len(supercell.cells) * sum(count.models)))
            for cell in supercell.cells:
                if cell not in proof.undecided and proof.forced.get(cell) is not counted:
                    raise DisagreementError(f"cell {cell}: {proof.forced.get(cell)} by proof, {counted} by counting")
                if cell in proof.undecided and counted is not None:
                    decided_by_count[cell] = counted
    return decided_by_count


def _forced_value(ratio: Ratio) -> bool | None:
    """Whether a cell of this risk is forced, and to what."""
    if ratio.numerator in (0, ratio.denominator):
        return ratio.numerator > 0
    return None


def _find_risks(
    board: Board, clusters: Sequence[Cluster], counts: Sequence[ClusterCount | None], rest: _Rest
) -> tuple[list[_GroupRisk], int | None]:
    """Join the clusters' counts; return the risks that can be known, and the number of models."""
    pairs = [(cluster, count) for cluster, count in zip(clusters, counts, strict=True) if count is not None]
    is_complete = len(pairs) == len(clusters)
    counted, complete_counts = [cluster for cluster, _ in pairs], [count for _, count in pairs]
    if rest.total is None:
        risks = combine_without_count(counted, complete_counts)
    elif is_complete:
        found = combine_with_count(counted, complete_counts, len(rest.uncharted), rest.total.n_mines)
        if found is None:
            raise _impossible_total(board)
        risks = found
    else:
        return [], None
    groups = list(zip(_groups(counted), [ratio for ratios in risks.supercells for ratio in ratios], strict=True))
    if risks.uncharted is not None:
        groups.append((rest.uncharted, risks.uncharted))
    return groups, risks.n_models if is_complete else None


def _impossible_total(board: Board) -> InconsistentError:
    return InconsistentError(f"no layout with {board.mines} mines agrees with the numbers", None)


def _confirm_counted(
    constraints: Sequence[Constraint], risks: Sequence[_GroupRisk], rest: _Rest, known: AbstractSet[int]
) -> dict[int, bool]:
    """Pick the cells that only the mine count forces, and confirm them with a formula that has the count.

    Raises:
        DisagreementError: a proof refutes what counting found.
    """
    forced: dict[int, bool] = {}
    for cells, ratio in risks:
        is_mine = _forced_value(ratio)
        if is_mine is not None and cells[0] not in known:
            forced.update(dict.fromkeys(cells, is_mine))
    # can_differ says None when the confirmation is too hard for its budget: counting is exact, and its word stands.
    if forced and rest.total is not None and sat.can_differ(constraints, rest.total, forced):
        raise DisagreementError(f"cells {sorted(forced)}: forced by counting, refuted by proof")
    return forced


def _prove_uncounted(
    board: Board, constraints: Sequence[Constraint], clusters: Sequence[Cluster], rest: _Rest
) -> dict[int, bool]:
    """Find what the mine count forces where it could not be counted, as far as the budget goes."""
    if rest.total is None:
        return {}
    groups = [group for group in [*_groups(clusters), rest.uncharted] if group]
    proof = sat.find_forced(constraints, groups, rest.total)
    if proof.has_model is False:
        raise _impossible_total(board)
    return proof.forced


def _certainties(problem: Problem, proofs: Sequence[tuple[Method, Mapping[int, bool]]]) -> list[_GroupRisk]:
    """The known mines and the forced cells as risks of 1 and 0."""
    certain = [(problem.known_mines, Ratio(1, 1))]
    for _, forced in proofs:
        for value in (False, True):
            cells = tuple([cell for cell, is_mine in forced.items() if is_mine is value])
            certain.append((cells, Ratio(int(value), 1)))
    return certain


def _conclude(
    board: Board,
    proofs: Sequence[tuple[Method, Mapping[int, bool]]],
    risks: Sequence[_GroupRisk],
    n_models: int | None,
    seconds: Mapping[str, float],
) -> Analysis:
    ratios = {cell: ratio for cells, ratio in risks for cell in cells}
    p_mine = [math.nan] * board.cells.size
    for cells, ratio in risks:
        p = _as_float(ratio)
        for cell in cells:
            p_mine[cell] = p
    can_be_opened = closed_mask(board.cells).ravel().tolist()
    found = sorted((i, is_mine, method) for method, forced in proofs for i, is_mine in forced.items())
    named = [(board.topology.cell(i), is_mine, method) for i, is_mine, method in found if can_be_opened[i]]
    array = np.array(p_mine).reshape(board.shape)
    array.setflags(write=False)
    return Analysis(
        board=board,
        safe=tuple(cell for cell, is_mine, _ in named if not is_mine),
        mines=tuple(cell for cell, is_mine, _ in named if is_mine),
        p_mine=array,
        n_models=n_models,
        methods=MappingProxyType({cell: method for cell, _, method in named}),
        seconds=MappingProxyType(seconds),
        _ratios=MappingProxyType(ratios),
    )


def _as_float(ratio: Ratio) -> float:
    """The nearest float, but 0 and 1 only when exact."""
    p = ratio.numerator / ratio.denominator
    if 0 < ratio.numerator < ratio.denominator:
        return min(max(p, math.ulp(0.0)), math.nextafter(1.0, 0.0))
    return p
