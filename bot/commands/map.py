"""`minebot map`: solves a full map from a start cell, opening only what is proven. Needs no display."""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.commands.arguments import parse_cell
from bot.commands.loading import load_document, name_source
from bot.console import emit, tell
from bot.errors import UsageError
from bot.reporting.text_boards import page_width, rule_board, sign_cells
from solver import BoardValueError, InconsistentError
from solver.board import format_rows
from solver.formats import AUTO, FORMATS, as_full_map, view_of
from solver.fullmap import MapResult, Verdict, solve_map
from solver.words import counted, name_cell, name_shape

if TYPE_CHECKING:
    import argparse

    from solver import Cell

EXAMPLE = "minebot map evil1.txt --start 7,4 --json"

_EXIT_CODES = {
    Verdict.SOLVED: 0,
    Verdict.STUCK: 1,
    Verdict.UNREACHABLE_PART: 1,
    Verdict.STEPPED_ON_MINE: 1,
    Verdict.INCONSISTENT: 3,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "map",
        metavar="FILE",
        help="a map in a text form (x mine, o none; a board without closed cells; an id of sgt-mines), an address of "
        "JSMinesweeper, or - for stdin",
    )
    parser.add_argument("--format", default=AUTO, choices=[AUTO, *FORMATS], help="the form of FILE (default auto)")
    parser.add_argument(
        "--start",
        type=parse_cell,
        metavar="R,C",
        help="the cell to open first, 0-based (default: what the map names, else what is open, else the first zero, "
        "else a safe cell)",
    )
    parser.add_argument("--mines", metavar="N|none", help="the mine count that the solver knows (default: the map's)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Solve the map; return 0 when solved, 1 when lost or stuck, 3 when it contradicts itself."""
    told_mines = None if args.mines is None else _parse_mines(args.mines)
    _, document = load_document(args.map, args.format)
    try:
        full_map = as_full_map(document)
    except BoardValueError as error:
        raise UsageError(
            f"{name_source(args.map)}: {error} ('minebot solve' takes boards with closed cells)"
        ) from error
    except InconsistentError as error:
        board = view_of(document)
        return _tell(MapResult(Verdict.INCONSISTENT, board, None), args, remark=str(error), clue=error.clue)
    if args.start is not None and not full_map.layout.topology.has_cell(args.start):
        shape = name_shape(full_map.layout.shape)
        raise UsageError(f"expected --start on the {shape} map, got {name_cell(args.start)}")
    start = full_map.start if args.start is None else args.start
    n_mines = full_map.layout.n_mines
    mines = n_mines if args.mines is None else told_mines
    begun_at_s = time.perf_counter()
    is_open = [tuple(map(int, cell)) for cell in np.argwhere(full_map.view.cells >= 0)]
    result = solve_map(full_map.layout, start, mines=mines, is_open=is_open)
    remark = (
        f"expected {counted(mines, 'mine')} as told, got a map with {n_mines}" if mines not in (None, n_mines) else ""
    )
    return _tell(result, args, seconds=time.perf_counter() - begun_at_s, remark=remark)


def _parse_mines(text: str) -> int | None:
    if text == "none":
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise UsageError(f"expected --mines with a number or none, got {text!r}")
    return int(text)


def _tell(
    result: MapResult, args: argparse.Namespace, *, seconds: float = 0.0, remark: str = "", clue: Cell | None = None
) -> int:
    if remark:
        tell(f"{name_source(args.map)}: {remark}")
    emit(_as_json(result, seconds, clue), _as_lines(result, seconds), as_json=args.json)
    return _EXIT_CODES[result.verdict]


def _as_json(result: MapResult, seconds: float, clue: Cell | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "verdict": result.verdict.value,
        "board": format_rows(result.board.cells),
        "seconds": seconds,
        "start": result.start,
        "mines": result.board.mines,
    }
    if result.best is not None:
        told["best"] = {"cell": result.best.cell, "p_mine_exact": _exact_text(result)}
    if result.verdict is Verdict.INCONSISTENT:
        told["clue"] = clue
    return told


def _as_lines(result: MapResult, seconds: float) -> list[str]:
    board = rule_board(result.board.shape, sign_cells(result.board), page_width(sys.stdout))
    lines = [*board, "", result.verdict.value]
    if result.best is not None:
        risk = _exact_text(result)
        odds = "risk not known" if risk is None else f"risk {risk}"
        lines.append(f"best guess: {name_cell(result.best.cell)}, {odds}")
    return [*lines, f"{seconds:.3f} s"]


def _exact_text(result: MapResult) -> str | None:
    if result.best is None or result.best.p_mine_exact is None:
        return None
    return f"{result.best.p_mine_exact.numerator}/{result.best.p_mine_exact.denominator}"
