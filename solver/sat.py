"""Proof by satisfiability: forced cells, contradictions with their clue, solutions one by one.

A second engine beside `solver.counting`, and an independent one: it shares the constraints and nothing else. Knows
no geometry. A cell is forced when the opposite is unsatisfiable; the forced cells together are the backbone of the
formula, found by flipping one candidate after another in a known model [1].

The number of mines around a clue is stated by two native at-most constraints (of mines, and of safe cells), which
Minicard propagates itself: over 150 expert positions a whole backbone took 0.15 ms in the median (Gluecard 0.16),
against 0.21 to 0.24 ms for pairwise clauses in Minisat, CaDiCaL or Glucose.

[1] M. Janota, I. Lynce, J. Marques-Silva: Algorithms for computing backbones of propositional formulae (2015),
    the iterative algorithm with one test per variable.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from pysat.card import CardEnc, EncType
from pysat.solvers import Glucose4, Minicard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from solver.constraints import Constraint

CONFLICT_BUDGET = 5_000
"""Conflicts a question about the total mine count may cost, about 0.1 s: without counting, such questions can be
as hard as the pigeonhole principle."""


class Total(NamedTuple):
    """The mine count as one more constraint: exactly `n_mines` of `cells`, which include all others."""

    cells: tuple[int, ...]
    n_mines: int


class _Formula:
    """Constraints, and if given the total, as a Minicard formula; use with `closing`."""

    def __init__(self, constraints: Iterable[Constraint], total: Total | None = None) -> None:
        self._solver = Minicard()
        self._literals: dict[int, int] = {}
        self._cells: list[int] = []
        for constraint in constraints:
            self._add_exactly(constraint.cells, constraint.n_mines)
        if total is not None:
            self._add_exactly(total.cells, total.n_mines)

    def close(self) -> None:
        self._solver.delete()

    def literal(self, cell: int, *, is_mine: bool) -> int:
        """The literal that says whether a cell is a mine."""
        literal = self._literals.get(cell)
        if literal is None:
            self._cells.append(cell)
            literal = self._literals[cell] = len(self._cells)
        return literal if is_mine else -literal

    def _add_exactly(self, cells: Sequence[int], n_mines: int) -> None:
        literals = [self.literal(cell, is_mine=True) for cell in cells]
        if not 0 <= n_mines <= len(cells):
            self._solver.add_clause([])
        elif n_mines in (0, len(cells)):
            for literal in literals:
                self._solver.add_clause([literal if n_mines else -literal])
        else:
            self._solver.add_atmost(literals, n_mines)
            self._solver.add_atmost([-literal for literal in literals], len(cells) - n_mines)

    def add_any(self, literals: list[int]) -> None:
        """Demand that at least one of these holds."""
        self._solver.add_clause(literals)

    def solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether there is a model."""
        return bool(self._solver.solve(assumptions=list(assumptions)))

    def solve_within(self, n_conflicts: int, assumptions: Sequence[int] = ()) -> bool | None:
        """Whether there is a model; None when that takes more conflicts."""
        self._solver.conf_budget(n_conflicts)
        answer: bool | None = self._solver.solve_limited(assumptions=list(assumptions))
        return answer

    def model(self) -> dict[int, bool]:
        """The model just found: cell -> whether it is a mine."""
        values: list[int] = self._solver.get_model()
        return {cell: values[v] > 0 for v, cell in enumerate(self._cells)}


def find_forced(constraints: Sequence[Constraint], groups: Iterable[Sequence[int]]) -> dict[int, bool] | None:
    """Find every cell that has the same value in all models.

    Args:
        constraints: at least one.
        groups: their cells, in groups of interchangeable ones (supercells): one test stands for the group.

    Returns:
        Forced cell -> whether it is a mine; None when there is no model.
    """
    with closing(_Formula(constraints)) as formula:
        if not formula.solve():
            return None
        candidates = _uniform(groups, formula.model())
        forced: dict[int, bool] = {}
        while candidates:
            group, is_mine = candidates.pop()
            if formula.solve([formula.literal(group[0], is_mine=not is_mine)]):
                model = formula.model()
                candidates = [(cells, value) for cells, value in candidates if _agrees(cells, model, is_mine=value)]
            else:
                forced.update(dict.fromkeys(group, is_mine))
                for cell in group:
                    formula.add_any([formula.literal(cell, is_mine=is_mine)])
    return forced


def find_forced_within(
    constraints: Sequence[Constraint], groups: Iterable[Sequence[int]], total: Total, n_conflicts: int = CONFLICT_BUDGET
) -> dict[int, bool] | None:
    """Find the cells that have the same value in all models with that total, as far as the budget goes.

    For positions that cannot be counted. What it returns is proven; what it leaves out may still be forced.

    Args:
        constraints: all of the position.
        groups: all unknown cells, in groups of interchangeable ones.
        total: the mine count.
        n_conflicts: budget of a single question; the first one that exceeds it ends the search.

    Returns:
        Forced cell -> whether it is a mine; None when there is no model.
    """
    forced: dict[int, bool] = {}
    with closing(_Formula(constraints, total)) as formula:
        answer = formula.solve_within(n_conflicts)
        if answer is False:
            return None
        candidates = _uniform(groups, formula.model()) if answer else []
        while candidates:
            group, is_mine = candidates.pop()
            answer = formula.solve_within(n_conflicts, [formula.literal(group[0], is_mine=not is_mine)])
            if answer is None:
                break
            if answer:
                model = formula.model()
                candidates = [(cells, value) for cells, value in candidates if _agrees(cells, model, is_mine=value)]
            else:
                forced.update(dict.fromkeys(group, is_mine))
    return forced


def can_differ(
    constraints: Sequence[Constraint], total: Total, forced: Mapping[int, bool], n_conflicts: int = CONFLICT_BUDGET
) -> bool | None:
    """Whether some model with that total gives at least one of these cells another value.

    One question for all cells: it confirms what only the mine count forces.

    Returns:
        The answer, or None when it would take more conflicts.
    """
    with closing(_Formula(constraints, total)) as formula:
        formula.add_any([formula.literal(cell, is_mine=not is_mine) for cell, is_mine in forced.items()])
        return formula.solve_within(n_conflicts)


def _uniform(groups: Iterable[Sequence[int]], model: Mapping[int, bool]) -> list[tuple[Sequence[int], bool]]:
    """The groups that have one value in a model: a mixed one has another model with two cells exchanged."""
    return [(cells, model[cells[0]]) for cells in groups if _agrees(cells, model, is_mine=model[cells[0]])]


def _agrees(cells: Sequence[int], model: Mapping[int, bool], *, is_mine: bool) -> bool:
    return all(model[cell] == is_mine for cell in cells)


def find_contradiction(constraints: Sequence[Constraint]) -> tuple[Constraint, ...]:
    """Find constraints that contradict each other, none of which can be left out.

    Each constraint gets a selector; an unsatisfiable core of selectors is thinned out one by one.

    Returns:
        A minimal set in the order given; empty when there is a model.
    """
    with closing(Glucose4()) as solver:
        selectors = _add_selected(solver, constraints)
        if solver.solve(assumptions=selectors):
            return ()
        core = sorted(solver.get_core())
        for selector in tuple(core):
            fewer = [other for other in core if other != selector]
            if not solver.solve(assumptions=fewer):
                core = fewer
    return tuple(constraints[selectors.index(selector)] for selector in core)


def _add_selected(solver: Glucose4, constraints: Sequence[Constraint]) -> list[int]:
    """Add every constraint under a selector of its own; return the selectors."""
    cells = sorted({cell for constraint in constraints for cell in constraint.cells})
    variables = {cell: v for v, cell in enumerate(cells, start=1)}
    top = len(cells) + len(constraints)
    selectors = list(range(len(cells) + 1, top + 1))
    for constraint, selector in zip(constraints, selectors, strict=True):
        literals = [variables[cell] for cell in constraint.cells]
        encoding = CardEnc.equals(literals, constraint.n_mines, top_id=top, encoding=EncType.seqcounter)
        top = max(top, encoding.nv)
        for clause in encoding.clauses:
            solver.add_clause([*clause, -selector])
    return selectors


def iter_solutions(constraints: Sequence[Constraint], total: Total | None = None) -> Iterator[tuple[int, ...]]:
    """Generate every model, lazily.

    Args:
        constraints: of one position.
        total: the mine count; when given the models are of all its cells, else of the constraints' only.

    Yields:
        The cells that are mines, in order. No model twice.
    """
    with closing(_Formula(constraints, total)) as formula:
        while formula.solve():
            model = formula.model()
            yield tuple(sorted(cell for cell, is_mine in model.items() if is_mine))
            formula.add_any([formula.literal(cell, is_mine=not is_mine) for cell, is_mine in model.items()])
