"""Proof by satisfiability: forced cells, contradictions with their clue, solutions one by one.

A second engine beside `solver.exact`, and an independent one: it shares the constraints and nothing else. Knows
no geometry. A cell is forced when the opposite is unsatisfiable; the forced cells together are the backbone of the
formula, found by flipping one candidate after another in a known model [1].

The number of mines around a clue is stated by two native at-most constraints (of mines, and of safe cells), which
Minicard propagates itself: over 150 expert positions a whole backbone took 0.15 ms in the median (Gluecard 0.16),
against 0.21 to 0.24 ms for pairwise clauses in Minisat, CaDiCaL or Glucose.

[1] M. Janota, I. Lynce, J. Marques-Silva: Algorithms for computing backbones of propositional formulae (2015),
    the iterative algorithm with one test per variable.
"""

from __future__ import annotations

import random
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from pysat.card import CardEnc, EncType
from pysat.solvers import Glucose4, Minicard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from solver.constraints import Constraint, Total

CONFLICT_BUDGET = 1_000
"""Conflicts a single question may cost, some 10 ms. 500 expert positions needed fewer than 10; in four dimensions, and
with a total mine count, a question can be as hard as the pigeonhole principle and would not end."""
MAX_UNDECIDED = 4  # questions beyond their budget after which the others of that formula are not asked


class _Backbone(NamedTuple):
    """What proof says of the cells of a formula.

    Attributes:
        forced: cell -> whether it is a mine, in every model.
        undecided: cells of which the budget did not suffice to say; all others are forced neither way.
        has_model: whether there is a model; None when undecided.
    """

    forced: dict[int, bool]
    undecided: frozenset[int]
    has_model: bool | None


class _Uniform(NamedTuple):
    """Interchangeable cells that had one value in every model so far, and their variables."""

    cells: Sequence[int]
    is_mine: bool
    variables: Sequence[int]

    def is_so_in(self, values: Sequence[int]) -> bool:
        """Whether they have that value in one more model, given as `_Formula.values`."""
        return all((values[variable - 1] > 0) == self.is_mine for variable in self.variables)


_HEARD_AFTER = 2_000  # conflicts, of which there are some 10,000 a second


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
        known = self._literals
        literals = [known.get(cell) or self.literal(cell, is_mine=True) for cell in cells]
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

    def prefer(self, values: Iterable[tuple[int, bool]]) -> None:
        """Have models look for these values first: one that differs in many cells at once answers many questions."""
        self._solver.set_phases([self.literal(cell, is_mine=is_mine) for cell, is_mine in values])

    def solve(self) -> bool:
        """Whether there is a model, however long that takes."""
        while (answer := self.solve_within(_HEARD_AFTER)) is None:
            pass  # Ctrl-C is heard here
        return answer

    def solve_within(self, n_conflicts: int, assumptions: Sequence[int] = ()) -> bool | None:
        """Whether there is a model; None when that takes more conflicts."""
        self._solver.conf_budget(n_conflicts)
        answer: bool | None = self._solver.solve_limited(assumptions=list(assumptions), expect_interrupt=True)
        # Else pysat catches Ctrl-C itself: it raises another error, jumps out of the middle of what it keeps in
        # memory, and leaves its handler behind, which jumps to nowhere the next time.
        return answer

    def values(self) -> list[int]:
        """The model just found: for each variable, from 1 on, its literal."""
        values: list[int] = self._solver.get_model()
        return values

    def model(self) -> dict[int, bool]:
        """The model just found: cell -> whether it is a mine."""
        return {cell: value > 0 for cell, value in zip(self._cells, self.values(), strict=True)}


def find_forced(
    constraints: Sequence[Constraint],
    groups: Sequence[Sequence[int]],
    total: Total | None = None,
    n_conflicts: int = CONFLICT_BUDGET,
    varying: AbstractSet[int] = frozenset(),
) -> _Backbone:
    """Find every cell that has the same value in all models.

    Args:
        constraints: of one position.
        groups: all cells of the formula, in groups of interchangeable ones (supercells; with a total also the
            uncharted cells): one question stands for the group.
        total: the mine count, if the models must honour it.
        n_conflicts: budget of a single question.
        varying: cells known to be forced neither way, about which nothing is asked.

    Returns:
        The backbone: complete unless cells are undecided.
    """
    with closing(_Formula(constraints, total)) as formula:
        has_model = formula.solve_within(n_conflicts)
        if not has_model:
            everything = frozenset(cell for cells in groups for cell in cells)
            return _Backbone({}, everything if has_model is None else frozenset(), has_model)
        candidates = _uniform(formula, [cells for cells in groups if cells[0] not in varying])
        formula.prefer([(group.cells[0], not group.is_mine) for group in candidates])
        forced: dict[int, bool] = {}
        undecided: list[_Uniform] = []
        while candidates and len(undecided) < MAX_UNDECIDED:
            group = candidates.pop()
            cells, is_mine, _ = group
            answer = formula.solve_within(n_conflicts, [formula.literal(cells[0], is_mine=not is_mine)])
            if answer is None:
                undecided.append(group)
            elif answer:
                values = formula.values()
                candidates = [other for other in candidates if other.is_so_in(values)]
                undecided = [other for other in undecided if other.is_so_in(values)]
            else:
                forced.update(dict.fromkeys(cells, is_mine))
                for cell in cells:
                    formula.add_any([formula.literal(cell, is_mine=is_mine)])
    left = frozenset(cell for group in [*undecided, *candidates] for cell in group.cells)
    return _Backbone(forced, left, has_model=True)


def can_differ(
    constraints: Sequence[Constraint],
    total: Total | None,
    forced: Mapping[int, bool],
    n_conflicts: int = CONFLICT_BUDGET,
) -> bool | None:
    """Whether some model, with that total if given, gives at least one of these cells another value.

    One question for all cells: it confirms what another engine found.

    Returns:
        The answer, or None when it would take more conflicts.
    """
    with closing(_Formula(constraints, total)) as formula:
        formula.add_any([formula.literal(cell, is_mine=not is_mine) for cell, is_mine in forced.items()])
        return formula.solve_within(n_conflicts)


def _uniform(formula: _Formula, groups: Iterable[Sequence[int]]) -> list[_Uniform]:
    """The groups that have one value in the model just found: a mixed one has another, with two cells exchanged."""
    values = formula.values()
    found = []
    for cells in groups:
        variables = [formula.literal(cell, is_mine=True) for cell in cells]
        group = _Uniform(cells, values[variables[0] - 1] > 0, variables)
        if group.is_so_in(values):
            found.append(group)
    return found


def find_contradiction(
    constraints: Sequence[Constraint], n_conflicts: int = 10 * CONFLICT_BUDGET
) -> tuple[Constraint, ...]:
    """Find constraints that contradict each other, none of which can be left out.

    Each constraint gets a selector; an unsatisfiable core of selectors is thinned out one by one.

    Args:
        constraints: of one position.
        n_conflicts: budget of a single question; beyond it a constraint stays in.

    Returns:
        A minimal set (within the budget) in the order given; empty when there is a model.
    """
    with Glucose4() as solver:
        selectors = _add_selected(solver, constraints)
        solver.conf_budget(n_conflicts)
        answer = solver.solve_limited(assumptions=selectors, expect_interrupt=True)
        if answer:
            return ()
        core = sorted(solver.get_core()) if answer is False else selectors
        for selector in tuple(core):
            fewer = [other for other in core if other != selector]
            solver.conf_budget(n_conflicts)
            if solver.solve_limited(assumptions=fewer, expect_interrupt=True) is False:
                core = fewer
    return tuple(constraints[selectors.index(selector)] for selector in core)


def _add_selected(solver: Glucose4, constraints: Sequence[Constraint]) -> list[int]:
    """Add every constraint under its own selector; return the selectors."""
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


def find_model(
    constraints: Sequence[Constraint],
    given: Mapping[int, bool],
    total: Total | None = None,
    n_conflicts: int = CONFLICT_BUDGET,
) -> dict[int, bool] | None:
    """Find a model in which some cells have given values.

    Returns:
        Cell -> whether it is a mine; None when there is no such model, or it would take more conflicts.
    """
    with closing(_Formula(constraints, total)) as formula:
        assumptions = [formula.literal(cell, is_mine=is_mine) for cell, is_mine in given.items()]
        return formula.model() if formula.solve_within(n_conflicts, assumptions) else None


def iter_scattered_models(
    constraints: Sequence[Constraint], cells: Sequence[int], n_conflicts: int = 10 * CONFLICT_BUDGET
) -> Iterator[dict[int, bool]]:
    """Generate models from all over, lazily and without end: each from other values that were tried first.

    Not uniformly distributed, and some may come again. The same ones every time.

    Args:
        constraints: of one position.
        cells: all of their cells.
        n_conflicts: budget of a model; there are no more once it does not suffice.

    Yields:
        Cell -> whether it is a mine.
    """
    rng = random.Random(1)
    with closing(_Formula(constraints)) as formula:
        while True:
            formula.prefer([(cell, rng.random() < 0.5) for cell in cells])
            if not formula.solve_within(n_conflicts):
                return
            yield formula.model()


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
