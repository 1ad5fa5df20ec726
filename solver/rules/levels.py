"""What a player of a given skill can prove: deduction by level.

basic: all/none on single sets. subset: differences of exact sets too. bounds: every rule of `solver.rules.reasoner`.
full: everything that can be known (`solver.analysis`). Each level proves at least what the one before proves, and
none ever proves what is not so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

from solver.analysis import analyse
from solver.board import Board, closed_mask
from solver.constraints import read_problem
from solver.errors import InconsistentError
from solver.rules.facts import Bound, Rule, clues_of, given_facts, name_rule
from solver.rules.reasoner import RULE_LEVELS, Reasoner, RuleLevel
from solver.rules.steps import Step, write_steps
from solver.sat import Total

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from solver.analysis import Analysis
    from solver.constraints import Problem
    from solver.topology import Cell

Level = Literal["basic", "subset", "bounds", "full"]
"""How much may be used to prove a cell."""

LEVELS: tuple[Level, ...] = get_args(Level)
"""Weakest first."""


@dataclass(frozen=True, eq=False)
class Deduction:
    """What one level proves of a position.

    Attributes:
        board: the position.
        level: the level.
        safe: closed or flagged cells proven safe, row by row.
        mines: closed or flagged cells proven mines, row by row.
        rules: for every cell of `safe` and `mines` the rule that proved it; of the level "full" those that no rule
            proves have "contradiction", or "mine-count" when only the mine count forces them.
    """

    board: Board
    level: Level
    safe: tuple[Cell, ...]
    mines: tuple[Cell, ...]
    rules: Mapping[Cell, Rule]
    _proofs: Mapping[Cell, Bound] = field(repr=False)

    def steps(self, cell: Cell) -> tuple[Step, ...]:
        """The chain of rules that proves a cell, each step after what it rests on.

        Empty when no rule proves it; `solver.explain.explain` finds the shortest reason of any cell.
        """
        proof = self._proofs.get(cell)
        return () if proof is None else tuple(write_steps(self.board, [proof]))


def deduce(
    board: Board | NDArray[Any], level: Level = "full", mines: int | None = None, analysis: Analysis | None = None
) -> Deduction:
    """Prove what a level can prove.

    Args:
        board: a board, or an array of the codes of `solver.board`.
        level: what may be used.
        mines: the total number of mines; replaces the board's own.
        analysis: that of the same position, if there is one already; used by the level "full" only.

    Raises:
        BoardValueError: `board` or `mines` is not a board's.
        InconsistentError: the level meets a contradiction.
    """
    board = Board.of(board, mines)
    rule_level: RuleLevel = RULE_LEVELS[-1] if level == "full" else level
    reasoner = reason(board, rule_level)
    proofs = {board.topology.cell(index): bound for index, bound in reasoner.forced.items()}
    values = {cell: bound.is_lower for cell, bound in proofs.items()}
    rules: dict[Cell, Rule] = {cell: name_rule(bound) for cell, bound in proofs.items()}
    if level == "full":
        analysis = analyse(board) if analysis is None else analysis
        for cell, method in analysis.methods.items():
            values.setdefault(cell, bool(analysis.p_mine[cell]))
            rules.setdefault(cell, "mine-count" if method == "count" else "contradiction")
    can_be_opened = closed_mask(board.cells)
    found = sorted(cell for cell in values if can_be_opened[cell])
    return Deduction(
        board,
        level,
        safe=tuple(cell for cell in found if not values[cell]),
        mines=tuple(cell for cell in found if values[cell]),
        rules=MappingProxyType({cell: rules[cell] for cell in found}),
        _proofs=MappingProxyType(proofs),
    )


def reason(board: Board, level: RuleLevel) -> Reasoner:
    """Apply the rules of a level to a position: first to its numbers, then to these and the mine count.

    The mine count overlaps everything, and near the end of a game the sets it leads to take all the looks there are.

    Raises:
        InconsistentError: they meet a contradiction; names a clue unless only the mine count contradicts.
    """
    problem = read_problem(board)
    reasoner = Reasoner(given_facts(problem.constraints))
    reasoner.run(level)
    total = total_of(problem)
    if total is not None:
        reasoner.learn(given_facts((), total))
        reasoner.run(level)
    if reasoner.crossing is not None:
        clues = [board.topology.cell(clue) for clue in clues_of(*reasoner.crossing.bounds)]
        if not clues:
            raise InconsistentError(f"no layout with {board.mines} mines agrees with the numbers", None)
        raise InconsistentError(f"the numbers at {', '.join(map(str, clues))} contradict each other", clues[0])
    return reasoner


def total_of(problem: Problem) -> Total | None:
    """The mine count as one more constraint; None when it is not known."""
    return None if problem.n_hidden is None else Total(problem.unknown, problem.n_hidden)
