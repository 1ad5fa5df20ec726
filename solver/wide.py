"""What is known where a cluster is too wide to be counted: proofs first, then estimates.

The forced cells of a position with a cluster too wide to be counted, by proof.

Satisfiability is complete but for its budget; where that does not suffice, as happens in four dimensions, the human
rules may still prove some cells. Walks through the models come first where they can be had: a
cell that was met both ways is forced neither way, and no question about it is asked.

Risks where a cluster is too wide to be counted: estimates, by walks through the models.

The walks themselves are compiled (`solver.kernel.sampling`); here is what they start from and how a model weighs. With
a mine count a model of the constraints stands for C(uncharted cells, mines left for them) models of the board. The
number of walks and their length are fixed, so that a position always gets the same estimates. Without the compiled
kernel there are none.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver import kernel, sat
from solver.board import KNOWN_MINE, OPEN_UNKNOWN
from solver.constraints import find_clusters, read_problem
from solver.errors import InconsistentError
from solver.exact import deduce_trivially
from solver.kernel import IMPOSSIBLE, SEEN_BOTH_WAYS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from numpy.typing import NDArray

    from solver.board import Board
    from solver.constraints import Constraint, Problem
    from solver.kernel import Walked


_WALKS_FOR_PROOF, _WALKS_FOR_RISK = 6, 36
_NODES_A_CELL = 400
_SHORTEST_WALK, _LONGEST_WALK = 150_000, 1_500_000
"""Search nodes, some 25 ns each. On a 100x100 board of 40 % mines with 40 % of the safe cells open at random, 36 walks
of 2 million nodes were the best of what was tried at the same cost: of the cells estimated at 0.12 on average 0.13 were
mines, of those at 0.88 0.86. With 6 walks, three times as long, it was 0.14 and 0.85."""


class _Estimate(NamedTuple):
    """What walks say of a position.

    Attributes:
        p_mine: float64, one a cell: the estimated risk of every unknown cell; NaN where there is none.
        varying: cells met both ways, in models that have the right number of mines: they are forced neither way.
    """

    p_mine: NDArray[np.float64]
    varying: frozenset[int]


def _meet_both_ways(constraints: Sequence[Constraint]) -> frozenset[int]:
    """Cells that are a mine in one model of the constraints and safe in another: most of those that can be."""
    if not kernel.load():
        return frozenset()
    formula = _WideFormula(constraints)
    models = formula.find_models(_WALKS_FOR_PROOF)
    if not models.size:
        return frozenset()
    walked = kernel.sample_models(formula.numbered, models, np.zeros(len(formula.cells) + 1), formula.n_nodes)
    return formula.varying(walked)


def estimate(board: Board) -> _Estimate:
    """Estimate the risks of a position that has a model.

    Args:
        board: with all that is proven written on it.
    """
    p_mine = np.full(board.cells.size, np.nan)
    nothing = _Estimate(p_mine, frozenset())
    if not kernel.load():
        return nothing
    problem = read_problem(board)
    formula = _WideFormula(problem.constraints)
    models = formula.find_models(_WALKS_FOR_RISK)
    if not models.size:
        return nothing
    uncharted = sorted(set(problem.unknown) - set(formula.cells))
    log_weight = _log_weight(len(formula.cells), len(uncharted), problem.n_hidden)
    walked = kernel.sample_models(formula.numbered, models, log_weight, formula.n_nodes)
    for cluster in find_clusters(problem.constraints):
        for supercell in cluster.supercells:
            places = [formula.place[cell] for cell in supercell.cells]
            p_mine[list(supercell.cells)] = _share(walked.mined[places].sum(), walked.drawn[places].sum())
    if problem.n_hidden is not None and uncharted and walked.totals.any():
        n_charted = np.average(np.arange(walked.totals.size), weights=walked.totals)
        p_mine[uncharted] = (problem.n_hidden - n_charted) / len(uncharted)
    return _Estimate(p_mine, formula.varying(walked))


class _WideFormula:
    """Constraints over cells numbered from 0, as the walks want them."""

    def __init__(self, constraints: Sequence[Constraint]) -> None:
        self._constraints = constraints
        self.cells = sorted({cell for constraint in constraints for cell in constraint.cells})
        self.place = {cell: i for i, cell in enumerate(self.cells)}
        self.numbered = [[self.place[cell] for cell in constraint.cells] for constraint in constraints]

    def find_models(self, n_models: int) -> NDArray[np.int8]:
        """Models far from each other, up to a number: int8, models x cells."""
        found = islice(sat.iter_scattered_models(self._constraints, self.cells), n_models)
        return np.array([[model[cell] for cell in self.cells] for model in found], dtype=np.int8)

    @property
    def n_nodes(self) -> int:
        """The length of a walk."""
        return min(max(_NODES_A_CELL * len(self.cells), _SHORTEST_WALK), _LONGEST_WALK)

    def varying(self, walked: Walked) -> frozenset[int]:
        """Cells met both ways."""
        both = np.flatnonzero(walked.seen == SEEN_BOTH_WAYS)
        return frozenset(self.cells[i] for i in both)


def _share(mined: float, drawn: float) -> float:
    """The share of `mined`; neither 0 nor 1, which are for what is proven, however often it was so."""
    if not drawn:
        return math.nan
    least = 1 / (drawn + 2)
    return min(max(mined / drawn, least), 1 - least)


def _log_weight(n_charted: int, n_uncharted: int, n_hidden: int | None) -> NDArray[np.float64]:
    """The logarithm of a model's weight, by its number of mines from 0 to all.

    Where the rest of the mines cannot be placed there is no model; the weight then falls with the distance from where
    they can, so that a walk that starts there finds its way.
    """
    if n_hidden is None:
        return np.zeros(n_charted + 1)
    weights = []
    for n_mines in range(n_charted + 1):
        n_left = n_hidden - n_mines
        if 0 <= n_left <= n_uncharted:
            ways = math.lgamma(n_uncharted + 1) - math.lgamma(n_left + 1) - math.lgamma(n_uncharted - n_left + 1)
            weights.append(ways)
        else:
            weights.append(IMPOSSIBLE * (1 + max(-n_left, n_left - n_uncharted)))
    return np.array(weights)


class _Proofs(NamedTuple):
    """Proven cells: flat index -> whether the cell is a mine. No cell twice.

    Attributes:
        by_rule: by the all/none rule alone.
        by_numbers: by the numbers together.
    """

    by_rule: Mapping[int, bool]
    by_numbers: Mapping[int, bool]

    def written_on(self, board: Board) -> Board:
        """The board with every proven mine as a known one, and every proven safe cell open, its number not known."""
        cells = board.cells.copy().reshape(-1)
        for forced in self:
            for cell, is_mine in forced.items():
                cells[cell] = KNOWN_MINE if is_mine else OPEN_UNKNOWN
        return replace(board, cells=cells.reshape(board.shape))


def prove(board: Board) -> _Proofs:
    """Find the cells that the numbers alone force, within the budgets.

    Raises:
        InconsistentError: the numbers contradict each other; names a clue.
    """
    problem = read_problem(board)
    by_rule, constraints = deduce_trivially(board, problem)
    groups = [supercell.cells for cluster in find_clusters(constraints) for supercell in cluster.supercells]
    backbone = sat.find_forced(constraints, groups, varying=_meet_both_ways(constraints))
    if backbone.has_model is False:
        clues = [board.topology.cell(each.clue) for each in sat.find_contradiction(constraints)]
        raise InconsistentError.of_clues(clues)
    by_numbers = dict(backbone.forced)
    if backbone.undecided:
        ruled = _prove_by_rules(problem)
        by_numbers.update((cell, is_mine) for cell, is_mine in ruled.items() if cell not in by_rule)
    return _Proofs(by_rule, by_numbers)


def prove_by_total(board: Board, varying: AbstractSet[int]) -> dict[int, bool]:
    """Find cells that only the mine count forces, within the budget.

    Args:
        board: with what the numbers prove written on it, and with a mine count.
        varying: cells known to be forced neither way.

    Raises:
        InconsistentError: no layout has that many mines.
    """
    problem = read_problem(board)
    assert problem.total is not None, "the board has a mine count"
    groups = [supercell.cells for cluster in find_clusters(problem.constraints) for supercell in cluster.supercells]
    charted = {cell for group in groups for cell in group}
    uncharted = tuple(cell for cell in problem.unknown if cell not in charted)
    backbone = sat.find_forced(
        problem.constraints, [*groups, *[uncharted][: len(uncharted)]], problem.total, varying=varying
    )
    if backbone.has_model is False:
        raise InconsistentError.of_total(board.mines)
    return backbone.forced


def _prove_by_rules(problem: Problem) -> dict[int, bool]:
    from solver.rules.facts import given_facts  # noqa: PLC0415 - the rules import the analysis, which imports this
    from solver.rules.reasoner import RULE_LEVELS, Reasoner  # noqa: PLC0415 - the rules import the analysis, which imports this

    reasoner = Reasoner(given_facts(problem.constraints))
    reasoner.run(RULE_LEVELS[-1])
    return {cell: bound.is_lower for cell, bound in reasoner.forced.items()}
