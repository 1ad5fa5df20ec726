"""Trivial deduction: the all/none rule on single constraints, to a fixpoint.

A constraint whose mines are all placed makes the rest of its cells safe; one with as many mines as cells makes
them all mines. A work stack revisits only the constraints that share a cell with what was just found, so the
cost is linear in the total number of cells under constraints. Knows no geometry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.constraints import Constraint

if TYPE_CHECKING:
    from collections.abc import Sequence


class Contradiction(NamedTuple):
    """A constraint that cannot be met once what the others force is known.

    Attributes:
        clue: flat index of its number.
        n_mines: the mines it still needs.
        n_cells: the unknown cells it still has.
    """

    clue: int
    n_mines: int
    n_cells: int


class Deduction(NamedTuple):
    """What trivial deduction found.

    Attributes:
        forced: flat index -> whether the cell is a mine.
        constraints: what is left: no forced cell, 0 < n_mines < cells, no two over the same cells.
        contradiction: the first constraint that cannot be met; None when there is none. When there is one the
            rest is unfinished.
    """

    forced: dict[int, bool]
    constraints: list[Constraint]
    contradiction: Contradiction | None


def deduce(constraints: Sequence[Constraint]) -> Deduction:
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
                    found = Contradiction(constraints[other].clue, n_mines[other], n_cells[other])
                    return Deduction(forced, [], found)
                if n_mines[other] in (0, n_cells[other]):
                    stack.append(other)
    return _reduce(constraints, forced, n_mines)


def _reduce(constraints: Sequence[Constraint], forced: dict[int, bool], n_mines: Sequence[int]) -> Deduction:
    """Drop forced cells, satisfied constraints and repetitions."""
    left: dict[tuple[int, ...], Constraint] = {}
    for constraint, needed in zip(constraints, n_mines, strict=True):
        cells = tuple([cell for cell in constraint.cells if cell not in forced])
        if not cells:
            continue
        same = left.setdefault(cells, Constraint(cells, needed, constraint.clue))
        if same.n_mines != needed:
            return Deduction(forced, [], Contradiction(constraint.clue, needed, len(cells)))
    return Deduction(forced, list(left.values()), None)
