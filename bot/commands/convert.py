"""`minebot convert`: a board or a full map, from one text form to another. Needs no display."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.loading import load_document, name_source
from bot.commands.output import write_output
from bot.console import emit, tell
from bot.errors import UsageError
from solver import SolverError
from solver.formats import AUTO, FORMATS, FullMap

if TYPE_CHECKING:
    import argparse


EXAMPLE = "minebot convert map.txt --from ps --to minebot -o board.txt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    forms = "; ".join(f"{form.name}: {form.summary}" for form in FORMATS.values())
    from_help = f"the form of IN, default auto: found out from the text. {forms}"
    parser.add_argument("input", metavar="IN", help="a file, an address of JSMinesweeper, or - for stdin")
    parser.add_argument("--from", dest="source", default=AUTO, choices=[AUTO, *FORMATS], help=from_help)
    parser.add_argument("--to", dest="target", required=True, choices=list(FORMATS), help="the form to write")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write there, not to standard output")
    parser.add_argument(
        "--lossy", action="store_true", help="leave out or weaken what the form cannot express, and say so"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Convert; return 0."""
    name, document = load_document(args.input, args.source)
    target = FORMATS[args.target]
    start = document.start if isinstance(document, FullMap) else None
    lost: list[str] = []
    try:
        if args.lossy:
            document, lost = target.weaken(document)
        text = target.format(document)
    except SolverError as error:
        hint = "" if args.lossy else " (--lossy leaves out what it can)"
        raise UsageError(f"{name_source(args.input)} as {args.target}: {error}{hint}") from error
    if start is not None and not target.says_start:
        tell(f"begin at {','.join(map(str, start))}")
    for loss in lost:
        print(f"lost: {loss}", file=sys.stderr)
    if args.output is not None:
        write_output(args.output, text.encode())
    lines = text.splitlines() if args.output is None else ()
    emit({"from": name, "to": args.target, "text": text, "lost": lost}, lines, as_json=args.json)
    return 0
