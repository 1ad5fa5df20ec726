"""What a player of a given skill can prove: deduction by level.

basic: all/none on single sets. subset: differences of exact sets too. bounds: every rule of `solver.rules.reasoner`.
full: everything that can be known (`solver.analysis`). Each level proves at least what the one before proves, and
none ever proves what is not so.

Every set of cells of which the rules know something, with its bounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, combinations, islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

from solver.analysis import analyse
from solver.board import Board, closed_mask
from solver.constraints import read_problem
from solver.errors import InconsistentError
from solver.rules.facts import (
    Bound,
    CellSet,
    DerivedSet,
    Rule,
    Step,
    cells_of,
    clues_of,
    given_facts,
    write_steps,
)
from solver.rules.reasoner import RULE_LEVELS, Reasoner, RuleLevel

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from solver.analysis import Analysis
    from solver.topology import Cell


Level = Literal["basic", "subset", "bounds", "full"]
"""How much may be used to prove a cell."""

LEVELS: tuple[Level, ...] = get_args(Level)  # the levels, weakest first


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
    rules: dict[Cell, Rule] = {cell: bound.last_rule for cell, bound in proofs.items()}
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
    if problem.total is not None:
        reasoner.learn(given_facts((), problem.total))
        reasoner.run(level)
    if reasoner.crossing is not None:
        clues = [board.topology.cell(clue) for clue in clues_of(*reasoner.crossing.bounds)]
        if not clues:
            raise InconsistentError.of_total(board.mines)
        raise InconsistentError.of_clues(clues)
    return reasoner


MAX_LISTED = 2_000  # sets listed at most; an expert position in mid-game has some hundreds
MAX_CELLS_LISTED = 250_000
"""Most cells of all implied sets that are listed, added up. An expert board has no more: its mine count alone
implies 480 sets of 479 cells. That of 3^10 cells implies 59,048 sets of 59,047."""

_MAX_PAIRS = 300_000  # pairs of sets looked at for their intersection; an expert position half open has some 100,000


def list_sets(reasoner: Reasoner, most: int = MAX_LISTED) -> list[DerivedSet]:
    """List the sets a reasoner met, then what they imply: intersections, and subgroups with one cell less.

    Args:
        reasoner: after `run`.
        most: how many sets are listed at most. The implied ones have at most `MAX_CELLS_LISTED` cells together.

    Returns:
        First the sets that were given or derived, in that order; then intersections of two sets, bounded from both
        sides; then subgroups, with the fewest or the most mines they can have. None twice, none about which nothing is
        known, and none with a proven cell among the implied ones.
    """
    listed: dict[CellSet, DerivedSet] = {}
    for cells, lower, upper in reasoner.sets():
        listed[cells] = _derived(cells, lower, upper)
    exact = {cells: found for cells, found in listed.items() if reasoner.is_active(cells)}
    n_cells = 0
    for cells, derived in chain(_iter_intersections(exact), _iter_subgroups(exact)):
        n_cells += len(derived.cells)
        if len(listed) >= most or n_cells > MAX_CELLS_LISTED:
            break
        listed.setdefault(cells, derived)
    return list(listed.values())[:most]


def _derived(cells: CellSet, lower: Bound | None, upper: Bound | None) -> DerivedSet:
    lo, hi = 0 if lower is None else lower.n, cells.bit_count() if upper is None else upper.n
    return DerivedSet(cells_of(cells), lo, hi, tuple(bound for bound in (lower, upper) if bound is not None))


def _part_of(whole: DerivedSet, cells: CellSet) -> DerivedSet:
    """What a set says of some of its cells: at least what does not fit elsewhere, no more than it has."""
    n_others = len(whole.cells) - cells.bit_count()
    lower = upper = None
    for bound in whole.from_:
        if bound.is_lower and bound.n > n_others:
            lower = Bound(cells, is_lower=True, n=bound.n - n_others, rule="at-least", sources=(bound,))
        if not bound.is_lower and bound.n < cells.bit_count():
            upper = Bound(cells, is_lower=False, n=bound.n, rule="no-more-than", sources=(bound,))
    return _derived(cells, lower, upper)


def _iter_intersections(sets: dict[CellSet, DerivedSet]) -> Iterator[tuple[CellSet, DerivedSet]]:
    """Generate the intersections that two sets together bound from both sides."""
    seen = {0, *sets}
    for (cells, one), (others, other) in islice(combinations(sets.items(), 2), _MAX_PAIRS):
        both = cells & others
        n_rest, n_others = (cells ^ both).bit_count(), (others ^ both).bit_count()
        if both in seen or not n_rest or not n_others:
            continue
        if max(one.lo - n_rest, other.lo - n_others) <= 0 or min(one.hi, other.hi) >= both.bit_count():
            continue
        seen.add(both)
        bounds = [bound for part in (_part_of(one, both), _part_of(other, both)) for bound in part.from_]
        lower = max((bound for bound in bounds if bound.is_lower), key=lambda bound: bound.n, default=None)
        upper = min((bound for bound in bounds if not bound.is_lower), key=lambda bound: bound.n, default=None)
        if lower is not None and upper is not None:
            yield both, _derived(both, lower, upper)


def _iter_subgroups(sets: dict[CellSet, DerivedSet]) -> Iterator[tuple[CellSet, DerivedSet]]:
    """Generate what exact sets say of all but one of their cells."""
    for cells, whole in sets.items():
        if whole.lo != whole.hi:
            continue
        for cell in whole.cells:
            others = cells & ~(1 << cell)
            part = _part_of(whole, others)
            if part.from_:
                yield others, part
