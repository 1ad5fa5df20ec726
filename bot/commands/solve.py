"""`minebot solve`: everything that can be known of a position given as text. Needs no display."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

from bot.commands.arguments import parse_cell, whole
from bot.commands.loading import load_board
from bot.commands.output import all_cells, analysis_as_json, listing, rule_proven
from bot.console import emit, tell
from bot.errors import UsageError
from bot.reporting.advice import advise_on
from solver import Analysis, Board, InconsistentError, analyse, iter_solutions
from solver.board import known_risk
from solver.explain import Explanation, explain
from solver.formats import AUTO, FORMATS
from solver.rules import LEVELS, Deduction, DerivedSet, clues_of, deduce, list_sets, reason
from solver.words import counted, format_cells

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable

    from solver import Cell

EXAMPLE = "minebot solve board.txt --mines 99 --json"

_INCONSISTENT = 3
_DEFAULT_LIMIT = 1000
_MOST_LISTED = 4_000_000
"""Mines of all solutions together: 40,000 solutions of an Expert board. Each takes some 80 bytes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "board",
        metavar="BOARD",
        help="a file with a board's text, an address of JSMinesweeper, or - for standard input",
    )
    parser.add_argument("--format", choices=[AUTO, *FORMATS], help="the form of the text (default: found out from it)")
    parser.add_argument("--mines", type=whole(0), metavar="N", help="the total number of mines, known ones included")
    parser.add_argument("--wrap", action="store_true", help="the edges join: every axis is a ring")
    parser.add_argument("--solutions", action="store_true", help="list the layouts that agree with the position")
    parser.add_argument(
        "--limit",
        type=whole(1),
        default=_DEFAULT_LIMIT,
        metavar="N",
        help="list at most N layouts (default %(default)s)",
    )
    parser.add_argument("--exact", action="store_true", help="give the risks as fractions too")
    parser.add_argument("--level", choices=LEVELS, help="list only the cells that rules of this level prove")
    parser.add_argument("--sets", action="store_true", help="list the derived sets of cells with their bounds")
    parser.add_argument("--explain", type=parse_cell, metavar="R,C", help="say why this cell is safe or a mine")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--time", action="store_true", help="say how long each method took")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Solve the position; return 0, or 3 when it contradicts itself."""
    board = load_board(args.board, args.format, mines=args.mines, wrap=args.wrap)
    try:
        analysis = analyse(board)
    except InconsistentError as error:
        if not args.json:
            raise
        emit({"consistent": False, "clue": error.clue}, as_json=True)
        tell(str(error))
        return _INCONSISTENT
    solutions = _list_solutions(board, args.limit) if args.solutions else None
    answers = _answer(args, analysis)
    told = analysis_as_json(analysis, solutions, exact=args.exact) | answers.as_json()
    emit(told, _as_lines(analysis, solutions, answers, exact=args.exact, timed=args.time), as_json=args.json)
    return 0


def _list_solutions(board: Board, limit: int) -> list[tuple[Cell, ...]]:
    listed: list[tuple[Cell, ...]] = []
    n_mines = 0
    for solution in islice(iter_solutions(board), min(limit, _MOST_LISTED)):
        listed.append(solution)
        n_mines += len(solution)
        if n_mines > _MOST_LISTED:
            raise UsageError(f"expected a --limit of solutions with at most {_MOST_LISTED} mines together, got {limit}")
    return listed


@dataclass
class _Answers:
    """What was asked for beside the analysis.

    Attributes:
        analysis: of the same position.
        deduction: for --level.
        sets: for --sets.
        explanation: for --explain.
        seconds: what these took, by method.
    """

    analysis: Analysis
    deduction: Deduction | None = None
    sets: list[DerivedSet] | None = None
    explanation: Explanation | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def timed(self, method: str, answer: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = answer()
        self.seconds[method] = time.perf_counter() - start
        return result

    def as_json(self) -> dict[str, Any]:
        """The fields these add to the object printed, or replace in it."""
        result: dict[str, Any] = {"seconds": {**self.analysis.seconds, **self.seconds}}
        if self.deduction is not None:
            found = self.deduction
            rules = list(found.rules.items())
            result |= {"level": found.level, "safe": found.safe, "mines": found.mines, "rules": rules}
            result["methods"] = [item for item in self.analysis.methods.items() if item[0] in found.rules]
        if self.sets is not None:
            result["sets"] = [_set_as_json(derived, self.analysis.board) for derived in self.sets]
        if self.explanation is not None:
            result["explanation"] = _explanation_as_json(self.explanation)
        return result

    def lines(self) -> Iterable[str]:
        """The sets and the explanation for a person."""
        for derived in self.sets or ():
            fields = _set_as_json(derived, self.analysis.board)
            source = f"{fields['rule']}{', ' + format_cells(fields['clues']) if fields['clues'] else ''}"
            yield f"set {format_cells(fields['cells'])}: {derived.lo}-{derived.hi}{_meaning(derived)} [{source}]"
        if self.explanation is not None:
            yield ""
            yield self.explanation.text


def _answer(args: argparse.Namespace, analysis: Analysis) -> _Answers:
    """Answer what the options ask for beside the analysis."""
    board = analysis.board
    answers = _Answers(analysis)
    if args.level is not None:
        answers.deduction = answers.timed("rules", lambda: deduce(board, args.level, analysis=analysis))
    if args.sets:
        answers.sets = answers.timed("sets", lambda: list_sets(reason(board, "bounds")))
    if args.explain is not None:
        answers.explanation = answers.timed("explain", lambda: explain(board, args.explain, analysis=analysis))
    return answers


def _meaning(derived: DerivedSet) -> str:
    """What a set that settles its cells makes of them."""
    if derived.hi == 0:
        return " safe"
    return (" mine" if derived.lo == 1 else " mines") if derived.lo == len(derived.cells) else ""


def _set_as_json(derived: DerivedSet, board: Board) -> dict[str, Any]:
    return {
        "cells": [board.topology.cell(index) for index in derived.cells],
        "lo": derived.lo,
        "hi": derived.hi,
        "rule": " and ".join(dict.fromkeys(bound.last_rule for bound in derived.from_)),
        "clues": [board.topology.cell(index) for index in clues_of(*derived.from_)],
    }


def _explanation_as_json(explanation: Explanation) -> dict[str, Any]:
    return {
        "cell": explanation.cell,
        "verdict": explanation.verdict,
        "rule": explanation.rule,
        "steps": [step._asdict() for step in explanation.steps],
        "clues": explanation.clues,
        "uses_mine_count": explanation.uses_mine_count,
        "extent": explanation.extent,
        "p_mine": known_risk(explanation.p_mine),
        "layouts": explanation.layouts,
        "text": explanation.text,
    }


def _as_lines(
    analysis: Analysis, solutions: list[tuple[Cell, ...]] | None, answers: _Answers, *, exact: bool, timed: bool
) -> Iterable[str]:
    """The answer for a person."""
    proven = answers.deduction or analysis
    yield from rule_proven(proven)
    yield ""
    yield f"proven safe, marked '.': {listing(proven.safe)}"
    yield f"proven mines, marked '*': {listing(proven.mines)}"
    if answers.deduction is not None:
        yield f"level {answers.deduction.level}: {_rule_listing(answers.deduction)}"
    scope = "layouts" if analysis.board.mines is not None else "layouts of the frontier (mine count not known)"
    yield f"{scope}: {'not known (too wide to count)' if analysis.n_models is None else f'{analysis.n_models:,}'}"
    n_estimates = int(analysis.is_estimate.sum())
    if n_estimates:
        yield f"risks: estimated for {counted(n_estimates, 'cell')}"
    if answers.deduction is None:
        yield _best_move(analysis)
    if exact:
        yield from _exact_lines(analysis)
    for number, solution in enumerate(solutions or (), start=1):
        yield f"solution {number}: {listing(solution)}"
    yield from answers.lines()
    if timed:
        seconds_by_stage = {**analysis.seconds, **answers.seconds}
        yield from (f"{stage}: {seconds * 1e3:.2f} ms" for stage, seconds in seconds_by_stage.items())


def _best_move(analysis: Analysis) -> str:
    """The move that `advise` names, or why it names none."""
    try:
        return advise_on(analysis).headline
    except UsageError as error:
        return f"best move: none, {error}"


def _rule_listing(deduction: Deduction) -> str:
    """How many cells each rule proved."""
    rules = list(deduction.rules.values())
    return ", ".join(f"{rules.count(rule)} by {rule}" for rule in dict.fromkeys(rules)) or "nothing is proven"


def _exact_lines(analysis: Analysis) -> Iterable[str]:
    """The cells that are not proven, by risk."""
    cells_at: dict[Any, list[Cell]] = {}
    for cell in all_cells(analysis):
        risk = analysis.exact_risk(cell)
        if risk is not None and 0 < risk < 1:
            cells_at.setdefault(risk, []).append(cell)
    for risk in sorted(cells_at):
        yield f"risk {risk}: {listing(cells_at[risk])}"
