"""An analysis in whole numbers: the exact twin of `solver.kernel`, and the court of last resort.

The stages, from top to bottom: constraints, trivial deduction, supercells and clusters, counting
(`solver.exact.counting`), combination by mine count (`solver.exact.combining`). Where a cluster is too wide to be
counted there is no analysis: see `solver.wide`. Shares no code with the kernel but the board.

Trivial deduction is the all/none rule on single constraints, to a fixpoint. A constraint whose mines are all placed
makes the rest of its cells safe; one with as many mines as cells makes them all mines. A work stack revisits only the
constraints that share a cell with what was just found. So the cost is linear in the cells under constraints.
"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from solver.constraints import Constraint, Problem, find_clusters, read_problem
from solver.errors import InconsistentError
from solver.exact.combining import Ratio, Rest, count_clusters
from solver.exact.counting import STATE_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from solver.board import Board
    from solver.constraints import Cluster


class _Contradiction(NamedTuple):
    """A constraint that cannot be met once what the others force is known.

    Attributes:
        clue: flat index of its number.
        n_mines: the mines it still needs.
        n_cells: the unknown cells it still has.
    """

    clue: int
    n_mines: int
    n_cells: int


class _Deduction(NamedTuple):
    """What trivial deduction found.

    Attributes:
        forced: flat index -> whether the cell is a mine.
        constraints: what is left: no forced cell, 0 < n_mines < cells, no two over the same cells.
        contradiction: the first constraint that cannot be met; None when there is none. When there is one the
            rest is unfinished.
    """

    forced: dict[int, bool]
    constraints: list[Constraint]
    contradiction: _Contradiction | None


def _deduce(constraints: Sequence[Constraint]) -> _Deduction:
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
                    found = _Contradiction(constraints[other].clue, n_mines[other], n_cells[other])
                    return _Deduction(forced, [], found)
                if n_mines[other] in (0, n_cells[other]):
                    stack.append(other)
    return _reduce(constraints, forced, n_mines)


def _reduce(constraints: Sequence[Constraint], forced: dict[int, bool], n_mines: Sequence[int]) -> _Deduction:
    """Drop forced cells, satisfied constraints and repetitions."""
    left: dict[tuple[int, ...], Constraint] = {}
    for constraint, needed in zip(constraints, n_mines, strict=True):
        cells = tuple([cell for cell in constraint.cells if cell not in forced])
        if not cells:
            continue
        same = left.setdefault(cells, Constraint(cells, needed, constraint.clue))
        if same.n_mines != needed:
            return _Deduction(forced, [], _Contradiction(constraint.clue, needed, len(cells)))
    return _Deduction(forced, list(left.values()), None)


Method = Literal["trivial", "sat", "count"]
"""What proved a cell: the all/none rule alone; the numbers together; the numbers and the mine count."""


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
            p_mine[cell] = ratio.as_float()
        return np.array(p_mine)

    def proof(self, n_cells: int) -> NDArray[np.int8]:
        """What proved each cell, row by row: 1 + its place in METHODS, negative where the cell is safe; 0: nothing."""
        proof = [0] * n_cells
        for code, method in enumerate(METHODS, start=1):
            for cell, is_mine in self.proofs[method].items():
                proof[cell] = code if is_mine else -code
        return np.array(proof, dtype=np.int8)


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


def deduce_trivially(board: Board, problem: Problem) -> tuple[dict[int, bool], list[Constraint]]:
    """Apply the all/none rule; return the forced cells and the constraints that are left.

    Raises:
        InconsistentError: a number cannot be met; names it.
    """
    forced, constraints, contradiction = _deduce(problem.constraints)
    if contradiction is not None:
        clue, n_mines, n_cells = contradiction
        raise InconsistentError.of_clue(
            board.topology.cell(clue), f"{n_mines} of its {n_cells} remaining neighbours to be mines"
        )
    return forced, constraints


def _find_rest(problem: Problem, by_rule: Mapping[int, bool], clusters: Sequence[Cluster]) -> Rest:
    left = tuple([cell for cell in problem.unknown if cell not in by_rule])
    charted = {cell for cluster in clusters for supercell in cluster.supercells for cell in supercell.cells}
    uncharted = tuple([cell for cell in left if cell not in charted])
    return Rest(uncharted, None if problem.n_hidden is None else problem.n_hidden - sum(by_rule.values()))
