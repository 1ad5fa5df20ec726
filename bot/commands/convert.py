"""`minebot convert`: a board or a full map, from one text form to another. Needs no display."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import UsageError
from solver import SolverError
from solver.formats import AUTO, FORMATS, MOST_BYTES, OURS, decode, parse_as, parse_detected

if TYPE_CHECKING:
    import argparse

    from solver.formats import Document

EXAMPLE = "minebot convert map.txt --from ps --to minebot -o board.txt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("input", metavar="IN", help="a file, or - for standard input")
    parser.add_argument("--from", dest="source", default=AUTO, choices=[AUTO, *FORMATS], help=_help_of_formats())
    parser.add_argument("--to", dest="target", required=True, choices=list(FORMATS), help="the form to write")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write there, not to standard output")
    parser.add_argument(
        "--lossy", action="store_true", help="leave out or weaken what the form cannot express, and say so"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Convert; return 0."""
    name, document = load_document(args.input, args.source)
    target = FORMATS[args.target]
    lost: list[str] = []
    try:
        if args.lossy:
            document, lost = target.weaken(document)
        text = target.format(document)
    except SolverError as error:
        hint = "" if args.lossy else " (--lossy leaves out what it can)"
        raise UsageError(f"{_name_source(args.input)} as {args.target}: {error}{hint}") from error
    for loss in lost:
        print(f"lost: {loss}", file=sys.stderr)
    if args.output is not None:
        _save_text(args.output, text)
    if args.json:
        print(json.dumps({"from": name, "to": args.target, "text": text, "lost": lost}))
    elif args.output is None:
        print(text, end="")
    return 0


def load_document(source: str, form: str | None) -> tuple[str, Document]:
    """Read a board or a full map from a file, or from standard input.

    Args:
        source: a path, or `-`.
        form: the name of its text form, or `auto`; None: ours, or if it is not in that the only one that it is in.

    Returns:
        The name of the form, and the document.

    Raises:
        UsageError: it cannot be read, or its text is not in that form.
    """
    text = ""
    try:
        text = load_text(source)
        if form == AUTO:
            return parse_detected(text)
        try:
            return form or OURS, parse_as(text, form or OURS)
        except SolverError:
            if form is None and (found := _detect(text)) is not None:
                return found
            raise
    except SolverError as error:
        raise UsageError(f"{_name_source(source)}: {error}{_hint_of(text, form)}") from error


def load_text(source: str) -> str:
    """Read a text from a file, or from standard input: UTF-8, and no more of it than a board can have.

    Args:
        source: a path, or `-`.

    Raises:
        UsageError: it cannot be read.
        BoardTextError: it is too long, or not UTF-8.
    """
    if source == "-" and not hasattr(sys.stdin, "buffer"):  # a stand-in for standard input that is text already
        return sys.stdin.read(MOST_BYTES)
    try:
        if source == "-":
            return decode(sys.stdin.buffer.read(MOST_BYTES + 1))
        with Path(source).open("rb") as file:
            return decode(file.read(MOST_BYTES + 1))
    except OSError as error:
        raise UsageError(f"cannot read {_name_source(source)}: {error.strerror}") from error
    except ValueError as error:
        if isinstance(error, SolverError):
            raise
        raise UsageError(f"cannot read {source!r}: {error}") from error  # a NUL in the path


def _detect(text: str) -> tuple[str, Document] | None:
    """The only form that a text is in, and what it says there."""
    try:
        return parse_detected(text)
    except SolverError:
        return None


def _hint_of(text: str, form: str | None) -> str:
    """What to say of a text that is not in a form, but in another."""
    found = None if form == AUTO else _detect(text)
    return "" if found is None else f" (it reads as {found[0]}: name that form)"


def _save_text(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot write {path}: {error}") from error


def _name_source(source: str) -> str:
    return "standard input" if source == "-" else source


def _help_of_formats() -> str:
    known = "; ".join(f"{form.name}: {form.summary}" for form in FORMATS.values())
    return f"the form of IN, default auto: found out from the text. {known}"
