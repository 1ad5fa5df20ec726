"""The forced cells of a position with a cluster too wide to be counted, by proof.

Satisfiability is complete but for its budget; where that does not suffice, as happens in four dimensions, the human
rules may still prove some cells. Walks through the models (`solver.estimating`) come first where they can be had: a
cell that was met both ways is forced neither way, and no question about it is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from solver import sat
from solver.board import KNOWN_MINE, OPEN_UNKNOWN
from solver.constraints import find_clusters, read_problem
from solver.estimating import meet_both_ways
from solver.exact import contradiction_of, deduce_trivially, impossible_total

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from solver.board import Board
    from solver.constraints import Problem


class Proofs(NamedTuple):
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


def prove(board: Board) -> Proofs:
    """Find the forced cells by the numbers alone, as far as the budgets go.

    Raises:
        InconsistentError: the numbers contradict each other; names a clue.
    """
    problem = read_problem(board)
    by_rule, constraints = deduce_trivially(board, problem)
    groups = [supercell.cells for cluster in find_clusters(constraints) for supercell in cluster.supercells]
    backbone = sat.find_forced(constraints, groups, varying=meet_both_ways(constraints))
    if backbone.has_model is False:
        raise contradiction_of(board, constraints)
    by_numbers = dict(backbone.forced)
    if backbone.undecided:
        ruled = _prove_by_rules(problem)
        by_numbers.update((cell, is_mine) for cell, is_mine in ruled.items() if cell not in by_rule)
    return Proofs(by_rule, by_numbers)


def prove_by_total(board: Board, varying: AbstractSet[int]) -> dict[int, bool]:
    """Find cells that only the mine count forces, as far as the budget goes.

    Args:
        board: with what the numbers prove written on it, and with a mine count.
        varying: cells known to be forced neither way.

    Raises:
        InconsistentError: no layout has that many mines.
    """
    problem = read_problem(board)
    assert problem.n_hidden is not None, "the board has a mine count"
    total = sat.Total(problem.unknown, problem.n_hidden)
    groups = [supercell.cells for cluster in find_clusters(problem.constraints) for supercell in cluster.supercells]
    charted = {cell for group in groups for cell in group}
    uncharted = tuple(cell for cell in problem.unknown if cell not in charted)
    backbone = sat.find_forced(problem.constraints, [*groups, *[uncharted][: len(uncharted)]], total, varying=varying)
    if backbone.has_model is False:
        raise impossible_total(board)
    return backbone.forced


def _prove_by_rules(problem: Problem) -> dict[int, bool]:
    from solver.rules.facts import given_facts  # noqa: PLC0415 - the rules import the analysis, which imports this
    from solver.rules.reasoner import RULE_LEVELS, Reasoner  # noqa: PLC0415 - the same

    reasoner = Reasoner(given_facts(problem.constraints))
    reasoner.run(RULE_LEVELS[-1])
    return {cell: bound.is_lower for cell, bound in reasoner.forced.items()}
