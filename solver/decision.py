"""The second door of the solver: from an analysis to the move to make.

A cell that counting found safe is proven once more, by satisfiability, before it is called a move. Where nothing is
safe, the strongest policy that the time allows chooses the guess.

The second proof reads the position anew and asks `solver.sat`, which shares no code with the kernel. One question
stands for all cells: is there a model in which one of them is a mine? The mine count is put into the formula only for
cells whose proof needs it, because that can be hard. Where it is too hard the kernel's exact twin is asked, which
shares no code with the kernel either, unless the twin found the cells itself. At last each cell is asked for alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver import sat
from solver.board import Action, GameState, Move
from solver.constraints import read_problem
from solver.errors import DisagreementError
from solver.exact import analyse_exactly
from solver.layout import FirstClick
from solver.strategy import least_risk, rollouts, strong
from solver.words import name_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.analysis import Analysis
    from solver.board import Board
    from solver.constraints import Constraint, Total
    from solver.strategy.least_risk import Ratings
    from solver.topology import Cell


@dataclass(frozen=True, eq=False)
class Choice:
    """What to do about a position.

    Attributes:
        analysis: what is known of it; only cells whose second proof held are called safe.
        move: the best move, None where nothing is left to open.
        ratings: how the guesses compare; None for a proven move, and where the guess is made by least risk alone.
    """

    analysis: Analysis
    move: Move | None
    ratings: Ratings | None = None


def begin(board: Board, rule: FirstClick) -> Move:
    """Choose the first cell of a game by the clone's rule for the first click; its risk is what the rule leaves."""
    cell = rule.best_start(board.shape, wrap=board.wrap)
    if rule is FirstClick.ANY:
        p_mine = math.nan if board.mines is None else board.mines / board.cells.size
        return Move(Action.OPEN, cell, p_mine, "the first click: it may be a mine", is_promised=True)
    what = "a zero" if rule is FirstClick.ZERO else "no mine"
    return Move(Action.OPEN, cell, 0.0, f"{what}, by the clone's rule for the first click", is_promised=True)


def decide(analysis: Analysis, think_s: float = 0.0, first_click: FirstClick | None = None) -> Choice:
    """Choose the best move of a position that is already analysed.

    Args:
        analysis: the position.
        think_s: how long to think about a guess at most, in seconds; 0 for the policy `strong`, which takes a
            millisecond.
        first_click: the clone's rule for the first click, by which a game is begun; None where it is not known.

    Raises:
        DisagreementError: the two engines differ, or the second one gives up on every safe cell; shows the position.
    """
    if analysis.safe:
        confirmed = confirm(analysis)
        if not confirmed.safe:
            raise DisagreementError(f"the second proof that {analysis.safe[0]} is safe is too hard:\n{analysis.board}")
        return Choice(confirmed, least_risk.choose(confirmed))
    if first_click is not None and analysis.board.state is GameState.FRESH:
        return Choice(analysis, begin(analysis.board, first_click))
    ratings = rollouts.rate(analysis, rollouts.MOST_PLAYOUTS, think_s) if think_s > 0 else strong.rate(analysis)
    return Choice(analysis, least_risk.choose(analysis) if ratings is None else ratings.move, ratings)


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
    by_numbers: list[Cell] = []
    by_count: list[Cell] = []
    for cell in analysis.safe if cells is None else cells:
        method = analysis.methods.get(cell)
        if method is None or analysis.p_mine[cell] != 0.0:
            raise DisagreementError(f"cell {name_cell(cell)} was not found safe:\n{board}")
        (by_count if method == "count" else by_numbers).append(cell)
    unconfirmed: list[Cell] = []
    for group, limit in ((by_numbers, None), (by_count, problem.total)):
        if not group:
            continue
        indices = [board.index_of(cell) for cell in group]
        can_be_mine = sat.can_differ(problem.constraints, limit, dict.fromkeys(indices, False))
        if can_be_mine is None:
            can_be_mine = _is_refuted_by_twin(analysis, indices)
        if can_be_mine is None:
            alone = _can_be_mines(problem.constraints, limit, indices)
            unconfirmed += [cell for cell, answer in zip(group, alone, strict=True) if answer is None]
            can_be_mine = any(alone)
        if can_be_mine:
            raise DisagreementError(f"not all of {group} are safe, by proof:\n{board}")
    return analysis.without(unconfirmed) if unconfirmed else analysis


def _can_be_mines(constraints: Sequence[Constraint], limit: Total | None, indices: Sequence[int]) -> list[bool | None]:
    """Whether each of these cells can be a mine, one question a cell: easier than whether any of them can.

    None where a question is too hard; after `sat.MAX_UNDECIDED` of those the others are not asked.
    """
    answers: list[bool | None] = []
    for index in indices:
        is_over = answers.count(None) >= sat.MAX_UNDECIDED
        answers.append(None if is_over else sat.can_differ(constraints, limit, {index: False}))
    return answers


def _is_refuted_by_twin(analysis: Analysis, indices: Sequence[int]) -> bool | None:
    """Whether one of these cells of `Board.widened` can be a mine; None where the twin found them, or cannot count."""
    exact = None if analysis.is_by_twin else analyse_exactly(analysis.board.widened)
    return None if exact is None else any(exact.risks[index].numerator != 0 for index in indices)
