"""`minebot solve`: everything that can be known of a position given as text. Needs no display."""

from __future__ import annotations

import json
import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.commands.convert import load_document
from bot.errors import UsageError
from solver import Analysis, Board, InconsistentError, SolverError, analyse, choose, iter_solutions
from solver.board import format_rows
from solver.formats import AUTO, FORMATS, view_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable

    from solver import Cell

EXAMPLE = "minebot solve board.txt --mines 99 --json"

_INCONSISTENT = 3
_DEFAULT_LIMIT = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("board", metavar="BOARD", help="a file with a board's text, or - for standard input")
    parser.add_argument("--format", default="minebot", choices=[AUTO, *FORMATS], help="its form (default %(default)s)")
    parser.add_argument("--mines", type=int, metavar="N", help="the total number of mines, known ones included")
    parser.add_argument("--wrap", action="store_true", help="the edges join: every axis is a ring")
    parser.add_argument("--solutions", action="store_true", help="list the layouts that agree with the position")
    parser.add_argument(
        "--limit", type=int, default=_DEFAULT_LIMIT, metavar="N", help="list at most so many (default %(default)s)"
    )
    parser.add_argument("--exact", action="store_true", help="give the risks as fractions too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--time", action="store_true", help="say how long each method took")


def run(args: argparse.Namespace) -> int:
    """Solve the position; return 0, or 3 when it contradicts itself."""
    if args.limit < 0:
        raise UsageError(f"expected --limit of 0 or more, got {args.limit}")
    board = _load_board(args.board, args.format, mines=args.mines, wrap=args.wrap)
    try:
        analysis = analyse(board)
    except InconsistentError as error:
        if not args.json:
            raise
        print(json.dumps({"consistent": False, "clue": error.clue}))
        print(f"minebot: {error}", file=sys.stderr)
        return _INCONSISTENT
    solutions = list(islice(iter_solutions(board), args.limit)) if args.solutions else None
    if args.json:
        print(json.dumps(_as_json(analysis, solutions, exact=args.exact)))
    else:
        print("\n".join(_as_lines(analysis, solutions, exact=args.exact, timed=args.time)))
    return 0


def _load_board(source: str, form: str, *, mines: int | None, wrap: bool) -> Board:
    _, document = load_document(source, form)
    board = view_of(document)
    try:
        return Board(board.cells, board.mines if mines is None else mines, wrap or board.wrap)
    except SolverError as error:
        raise UsageError(f"{'standard input' if source == '-' else source}: {error}") from error


def _as_json(analysis: Analysis, solutions: list[tuple[Cell, ...]] | None, *, exact: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "consistent": True,
        "safe": analysis.safe,
        "mines": analysis.mines,
        "p_mine": _in_rows([None if np.isnan(p) else p for p in analysis.p_mine.ravel().tolist()], analysis),
        "n_models": None if analysis.n_models is None else str(analysis.n_models),
        "methods": [[cell, method] for cell, method in analysis.methods.items()],
        "seconds": dict(analysis.seconds),
    }
    if exact:
        result["p_mine_exact"] = _in_rows([_fraction_text(analysis, cell) for cell in _all_cells(analysis)], analysis)
    if solutions is not None:
        result["solutions"] = solutions
    return result


def _in_rows(values: list[Any], analysis: Analysis) -> list[list[Any]]:
    """Cut into rows of the last index, as the board's text has them."""
    width = analysis.board.shape[-1]
    return [values[start : start + width] for start in range(0, len(values), width)]


def _all_cells(analysis: Analysis) -> list[Cell]:
    topology = analysis.board.topology
    return [topology.cell(index) for index in range(topology.n_cells)]


def _fraction_text(analysis: Analysis, cell: Cell) -> str | None:
    risk = analysis.exact_risk(cell)
    return None if risk is None else f"{risk.numerator}/{risk.denominator}"


def _as_lines(
    analysis: Analysis, solutions: list[tuple[Cell, ...]] | None, *, exact: bool, timed: bool
) -> Iterable[str]:
    """The answer for a person."""
    yield from _annotated(analysis)
    yield ""
    yield f"proven safe, marked '.': {_listing(analysis.safe)}"
    yield f"proven mines, marked '*': {_listing(analysis.mines)}"
    scope = "layouts" if analysis.board.mines is not None else "layouts of the frontier (mine count not known)"
    yield f"{scope}: {'not known (too wide to count)' if analysis.n_models is None else f'{analysis.n_models:,}'}"
    move = choose(analysis)
    yield "best move: nothing is left to open" if move is None else f"best move: open {move.cell}, {move.why}"
    if exact:
        yield from _exact_lines(analysis)
    for number, solution in enumerate(solutions or (), start=1):
        yield f"solution {number}: {_listing(solution)}"
    if timed:
        yield from (f"{stage}: {seconds * 1e3:.2f} ms" for stage, seconds in analysis.seconds.items())


def _annotated(analysis: Analysis) -> list[str]:
    """The board's rows, with marks on the cells that are proven."""
    joint = " " if int(analysis.board.cells.max()) > 9 else ""
    texts = [list(row.split() if joint else row) for row in format_rows(analysis.board.cells)]
    width = analysis.board.shape[-1]
    for cells, mark in ((analysis.safe, "."), (analysis.mines, "*")):
        for cell in cells:
            row, col = divmod(analysis.board.topology.index(cell), width)
            texts[row][col] = mark
    return [joint.join(row) for row in texts]


def _listing(cells: Iterable[Cell]) -> str:
    return " ".join(f"({','.join(map(str, cell))})" for cell in cells) or "none"


def _exact_lines(analysis: Analysis) -> Iterable[str]:
    """The cells that are not proven, by risk."""
    cells_at: dict[Any, list[Cell]] = {}
    for cell in _all_cells(analysis):
        risk = analysis.exact_risk(cell)
        if risk is not None and 0 < risk < 1:
            cells_at.setdefault(risk, []).append(cell)
    for risk in sorted(cells_at):
        yield f"risk {risk}: {_listing(cells_at[risk])}"
