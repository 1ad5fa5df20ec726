"""Which clues force a cell: a minimal set of constraints, and if the budget allows a smallest one.

Every constraint gets a selector. With the cell's opposite assumed the formula is unsatisfiable; an unsatisfiable core
of selectors, thinned out one by one, is minimal: no clue of it can be left out. Another set may still be smaller. A
smallest one is found by hitting sets [1]: of every set of clues that allows the opposite at least one clue outside it
is needed, and a smallest set of clues that meets all these demands is the answer as soon as it forces the cell. Knows
no geometry, and decides by satisfiability alone.

[1] A. Ignatiev, A. Previti, M. Liffiton, J. Marques-Silva: Smallest MUS extraction with minimal hitting set
    dualization (CP 2015).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from pysat.card import CardEnc, EncType
from pysat.solvers import Glucose4, Minicard

from solver.sat import CONFLICT_BUDGET, find_model

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from solver.constraints import Constraint
    from solver.sat import Total

_MAX_ROUNDS = 400
"""Hitting sets that are tried before a minimal set has to do."""
_MAX_QUESTIONS = 1_500
"""Questions asked for one cell. On expert boards a cell takes 8 ms in the median and less than 300 ms without the mine
count; with it, where nearly every number is needed, 1 to 3 s."""

_MOST_COUNTED = 1_000
"""Cells among which the mine count may be a clue. Its clauses grow with the square: 3,600 cells took half a minute."""

Extent = Literal["smallest", "minimal", "enough"]
"""How small a set of clues is: no set with fewer clues forces the cell; none of these clues can be left out; neither
is known."""


class _BudgetError(Exception):
    """A question takes more than its budget; never leaves this module."""


class _ClueSet(NamedTuple):
    """Constraints that together force a cell.

    Attributes:
        constraints: those of the clues, in the order given.
        total: the mine count, None when it is not needed.
        extent: what is known of the set's size.
    """

    constraints: tuple[Constraint, ...]
    total: Total | None
    extent: Extent


def find_clues(
    constraints: Sequence[Constraint], cell: int, *, is_mine: bool, total: Total | None = None
) -> _ClueSet | None:
    """Find the clues that force a cell.

    Args:
        constraints: of one position.
        cell: the cell, under a constraint or in the total.
        is_mine: what it is.
        total: the mine count, if it may be used.

    Returns:
        The clues; the mine count counts as one. None when they do not force the cell, or not within the budget.
    """
    near = _tied_to(constraints, cell) if total is None else list(constraints)
    if total is not None and len(total.cells) > _MOST_COUNTED:
        return None
    question = _Question(near, cell, is_mine=is_mine, total=total)
    try:
        core = question.find_core()
        if core is None:
            return None
        core, is_minimal = question.thin_out(core)
        smaller = question.find_smallest(len(core))
        extent: Extent = "minimal" if is_minimal else "enough"
        if smaller is not None:
            core, extent = smaller or core, "smallest"
    finally:
        question.close()
    chosen = tuple(near[j] for j in sorted(core) if j < len(near))
    return _ClueSet(chosen, total if len(near) in core else None, extent)


def find_layout(
    constraints: Sequence[Constraint], cell: int, *, is_mine: bool, total: Total | None = None
) -> tuple[int, ...] | None:
    """Find mines that agree with all constraints when a cell is, or is no, mine.

    Returns:
        The mines among the cells tied to it by constraints; None when there are none, or not within the budget.
    """
    near = _tied_to(constraints, cell)
    model = find_model(near if total is None else constraints, {cell: is_mine}, total)
    if model is None:
        return None
    tied = {cell, *(other for constraint in near for other in constraint.cells)}
    return tuple(sorted(other for other in tied if model[other]))


def _tied_to(constraints: Sequence[Constraint], cell: int) -> list[Constraint]:
    """The constraints tied to a cell by shared cells, nearest first."""
    over: dict[int, list[int]] = {}
    for j, constraint in enumerate(constraints):
        for other in constraint.cells:
            over.setdefault(other, []).append(j)
    found = dict.fromkeys(over.get(cell, ()))
    order = list(found)
    for j in order:
        for other in constraints[j].cells:
            for k in over[other]:
                if k not in found:
                    found[k] = None
                    order.append(k)
    return [constraints[j] for j in order]


class _Question:
    """Which constraints refute the opposite of a cell's value; constraint number `len(constraints)` is the total."""

    def __init__(self, constraints: Sequence[Constraint], cell: int, *, is_mine: bool, total: Total | None) -> None:
        self._constraints = constraints
        self._total = total
        self._cell = cell
        charted = dict.fromkeys([cell, *(other for constraint in constraints for other in constraint.cells)])
        self._variables = {other: v for v, other in enumerate(charted, start=1)}
        self._everything = range(len(constraints) + (total is not None))
        self._selectors = [len(charted) + 1 + j for j in self._everything]
        self._top = len(charted) + len(self._selectors)
        self._solver = Glucose4()
        self._n_left = _MAX_QUESTIONS
        for constraint, selector in zip(constraints, self._selectors, strict=False):
            self._add(constraint.cells, constraint.n_mines, constraint.n_mines, selector)
        if total is not None:
            # Cells under no constraint take up any slack: the count bounds the mines among the others.
            n_slack = len(total.cells) - len(charted)
            self._lo, self._hi = max(0, total.n_mines - n_slack), min(len(charted), total.n_mines)
            self._add(tuple(charted), self._lo, self._hi, self._selectors[-1])
        self._assumed = -self._variables[cell] if is_mine else self._variables[cell]

    def close(self) -> None:
        self._solver.delete()

    def _add(self, cells: Sequence[int], lo: int, hi: int, selector: int) -> None:
        """Demand `lo` to `hi` mines among cells when the selector holds."""
        literals = [self._variables[cell] for cell in cells]
        for make, n in ((CardEnc.atleast, lo), (CardEnc.atmost, hi)):
            if not 0 <= n <= len(literals):
                self._solver.add_clause([-selector])
                continue
            encoding = make(literals, n, top_id=self._top, encoding=EncType.seqcounter)
            self._top = max(self._top, encoding.nv)
            for clause in encoding.clauses:
                self._solver.add_clause([*clause, -selector])

    def _is_possible(self, chosen: Iterable[int]) -> bool | None:
        """Whether chosen constraints allow the opposite; None when the budget does not suffice to say."""
        if self._n_left <= 0:
            return None
        self._n_left -= 1
        self._solver.conf_budget(CONFLICT_BUDGET)
        answer: bool | None = self._solver.solve_limited(
            assumptions=[self._assumed, *(self._selectors[j] for j in chosen)], expect_interrupt=True
        )  # else pysat would catch Ctrl-C
        return answer

    def _model(self) -> dict[int, bool]:
        values: list[int] = self._solver.get_model()
        return {cell: values[v - 1] > 0 for cell, v in self._variables.items()}

    def find_core(self) -> list[int] | None:
        """Constraints that refute the opposite; None when they do not, or not within the budget."""
        if self._is_possible(self._everything) is not False:
            return None
        core = set(self._solver.get_core())
        return [j for j in self._everything if self._selectors[j] in core]

    def thin_out(self, core: list[int]) -> tuple[list[int], bool]:
        """Leave out what is not needed, the mine count first, then from afar; say whether that was done to the end."""
        is_complete = True
        for j in reversed(core):
            fewer = [other for other in core if other != j]
            answer = self._is_possible(fewer)
            is_complete = is_complete and answer is not None
            if answer is False:
                core = fewer
        return core, is_complete

    def find_smallest(self, n_known: int) -> list[int] | None:
        """Find fewer constraints than are known to suffice.

        Returns:
            The fewest; an empty list when there are no fewer; None when the budget does not suffice to say.
        """
        candidates = self._within(n_known - 2)
        demands: list[frozenset[int]] = []
        n = 1
        for _ in range(_MAX_ROUNDS):
            try:
                hitting = _smallest_hitting_set(demands, n, n_known - 1)
            except _BudgetError:
                return None
            if hitting is None:
                return []
            n = max(n, len(hitting))
            answer = self._is_possible(hitting)
            if answer is False:
                return sorted(hitting)
            if answer is None:
                return None
            demands.append(frozenset(candidates) - self._allowed_with(hitting, candidates))
            if not demands[-1]:
                return []
        return None

    def _within(self, n_steps: int) -> list[int]:
        """The constraints that a connected set of `n_steps` + 1 of them about the cell can reach, and the total."""
        if self._total is not None:
            return list(self._everything)
        reached, cells = set[int](), {self._cell}
        for _ in range(n_steps + 1):
            reached |= {j for j, constraint in enumerate(self._constraints) if not cells.isdisjoint(constraint.cells)}
            cells |= {cell for j in reached for cell in self._constraints[j].cells}
        return sorted(reached)

    def _allowed_with(self, chosen: Collection[int], candidates: Sequence[int]) -> set[int]:
        """As many candidates as can be found that, with those chosen, still allow the opposite; needs a model."""
        allowed = {*chosen, *self._met_by_model(candidates)}
        for j in candidates:
            if j not in allowed and self._is_possible([*allowed, j]):
                allowed |= {j, *self._met_by_model(candidates)}
        return allowed

    def _met_by_model(self, candidates: Iterable[int]) -> set[int]:
        model = self._model()
        met = set()
        for j in candidates:
            if j == len(self._constraints):
                is_met = self._lo <= sum(model.values()) <= self._hi
            else:
                is_met = sum(model[cell] for cell in self._constraints[j].cells) == self._constraints[j].n_mines
            if is_met:
                met.add(j)
        return met


def _smallest_hitting_set(demands: Sequence[Collection[int]], least: int, most: int) -> list[int] | None:
    """A smallest set with a member of every demand.

    Args:
        demands: sets, none empty.
        least: no smaller set will do, as is already known.
        most: the largest size of use.

    Returns:
        The set; None when it has more members than `most`.

    Raises:
        _BudgetError: it takes more conflicts than the budget to say.
    """
    members = sorted({member for demand in demands for member in demand})
    variables = {member: v for v, member in enumerate(members, start=1)}
    for n in range(least, most + 1):
        with Minicard() as solver:
            for demand in demands:
                solver.add_clause([variables[member] for member in demand])
            if n < len(members):
                solver.add_atmost(list(variables.values()), n)
            solver.conf_budget(CONFLICT_BUDGET)
            answer = solver.solve_limited(expect_interrupt=True)
            if answer is None:
                raise _BudgetError
            if answer:
                values = solver.get_model() or []
                return [member for member, v in variables.items() if v <= len(values) and values[v - 1] > 0]
    return None
