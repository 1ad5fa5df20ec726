"""A second opinion before anything is clicked: proof by satisfiability, of what counting found.

`analyse` counts; this reads the position anew and asks `solver.sat`, which shares no code with the kernel. One question
stands for all cells: is there a model in which one of them is a mine? The mine count is put into the formula only for
cells whose proof needs it, because that can be hard. Where it is too hard the kernel's exact twin is asked, which
shares no code with the kernel either; cells that the twin itself found are not confirmed then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver import sat
from solver.constraints import read_problem
from solver.errors import DisagreementError
from solver.exact import analyse_exactly

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.analysis import Analysis
    from solver.topology import Cell


def confirm(analysis: Analysis, cells: Iterable[Cell] | None = None) -> Analysis:
    """Prove once more that cells are safe.

    Args:
        analysis: what was found.
        cells: those of `analysis.safe` to confirm; all of them when left out.

    Returns:
        The analysis without the cells whose second proof was too hard: they are not called safe.

    Raises:
        DisagreementError: one of them can be a mine, or was not found safe. Shows the position.
    """
    board = analysis.board
    problem = read_problem(board.widened)
    total = None if problem.n_hidden is None else sat.Total(problem.unknown, problem.n_hidden)
    by_numbers: list[Cell] = []
    by_count: list[Cell] = []
    for cell in analysis.safe if cells is None else cells:
        method = analysis.methods.get(cell)
        if method is None or analysis.p_mine[cell] != 0.0:
            raise DisagreementError(f"cell {cell} was not found safe:\n{board}")
        (by_count if method == "count" else by_numbers).append(cell)
    unconfirmed: list[Cell] = []
    for group, limit in ((by_numbers, None), (by_count, total)):
        if not group:
            continue
        forced = {board.index_of(cell): False for cell in group}
        can_be_mine = sat.can_differ(problem.constraints, limit, forced)
        if can_be_mine is None:
            can_be_mine = _is_refuted_by_twin(analysis, list(forced))
        if can_be_mine is None:
            unconfirmed += group
        elif can_be_mine:
            raise DisagreementError(f"not all of {group} are safe, by proof:\n{board}")
    return analysis.without(unconfirmed) if unconfirmed else analysis


def _is_refuted_by_twin(analysis: Analysis, indices: Sequence[int]) -> bool | None:
    """Whether one of these cells of `Board.widened` can be a mine; None where the twin found them, or cannot count."""
    exact = None if analysis.is_by_twin else analyse_exactly(analysis.board.widened)
    return None if exact is None else any(exact.risks[index].numerator != 0 for index in indices)
