"""`minebot generate`: boards from a seed: any, without a guess, or of a level of difficulty."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.arguments import add_size, check_size, parse_cell, parse_seed, parse_time, whole
from bot.commands.output import write_output
from bot.console import emit, tell
from bot.errors import UsageError
from bot.reporting.status import GamesBar
from bot.reporting.text_boards import board_as_printed
from solver.board import format_rows
from solver.errors import BoardValueError
from solver.formats import FORMATS, OURS, FullMap, format_mbf, reveal
from solver.generation import Order, generate, level_of
from solver.layout import LEVELS as SIZES
from solver.rules import LEVELS
from solver.simulation import Deal, format_deal
from solver.words import counted, name_cell, name_shape

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from solver.generation import Generated, Moved
    from solver.rules import Level

EXAMPLE = "minebot generate --size 16x30 --mines 99 --guess-free --seed 1"

_BOARDS, _MBF = "boards", "mbf"
_HARD, _CENTER = "hard", "center"
_TEXT_FORMS = [form.name for form in FORMATS.values() if form.is_detected]
_SAYS_HINT = (_BOARDS, *(form.name for form in FORMATS.values() if form.says_start))
_MOST_CELLS = 1_000_000
_DEFAULT_MINES: dict[tuple[int, ...], int] = {(size.rows, size.cols): size.mines for size in SIZES.values()}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_size(parser, "the size of the board, such as 9x9 or 4x4x4x4 (default %(default)s)", default="16x30")
    parser.add_argument("--mines", type=whole(0), metavar="N", help="how many mines (default: the standard board's)")
    parser.add_argument("--wrap", action="store_true", help="the edges join: every axis is a ring")
    parser.add_argument("--guess-free", action="store_true", help="proofs alone open every safe cell from the hint on")
    parser.add_argument(
        "--level",
        choices=[*LEVELS, _HARD],
        help="without a guess: proofs of this level suffice, those of the level before do not; hard is full",
    )
    parser.add_argument("--3bv", dest="bbbv", metavar="A-B", help="3BV from A to B")
    parser.add_argument(
        "--hint",
        default=_CENTER,
        metavar="center|R,C",
        help="the cell to begin at: the zero nearest the centre (the default), or this one",
    )
    parser.add_argument(
        "--seed", type=parse_seed, default=1, metavar="S", help="the first board's, then its successors (default 1)"
    )
    parser.add_argument("-n", dest="n", type=whole(1), default=1, metavar="N", help="how many boards (default 1)")
    parser.add_argument("--rate", action="store_true", help="say the level of every board (0.1 s each)")
    parser.add_argument(
        "--format",
        choices=[*_TEXT_FORMS, _BOARDS, _MBF],
        help=f"a text form (default {OURS}); {_BOARDS}: one board a line, for simulate; "
        f"{_MBF}: the board file of Windows clones; sgt-mines: a game id for it",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write there, not to standard output")
    parser.add_argument(
        "--patience",
        type=parse_time,
        default=60.0,
        metavar="S",
        help="seconds until a board is given up (default 60)",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="say on standard error which mines are moved")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Make the boards and write them; return 0."""
    order = _order(args)
    form = args.format or OURS
    if form == _MBF and args.output is None and (args.json or sys.stdout.isatty() or args.n > 1):
        raise UsageError("mbf is no text, and holds one board: expected -o FILE")
    told, texts = [], []
    for generated in _iter_boards(order, args):
        content = _written(generated, form)
        if isinstance(content, bytes):
            _write_bytes(args, generated.seed, content)
        elif args.json or args.output is not None:
            texts.append(content)
        else:
            print(_shown(generated) if args.format is None else content, end="", flush=True)
        if form not in _SAYS_HINT and not args.json:
            tell(f"seed {generated.seed}: begin at {_numbers(generated.hint)}")
        is_text = args.format is not None and isinstance(content, str)
        if not args.json:
            continue
        told.append(_as_json(generated, order, args) | ({"text": content} if is_text else {}))
    if texts and args.output is not None:
        write_output(args.output, "".join(texts).encode())
    emit({"boards": told}, as_json=args.json)
    return 0


def _order(args: argparse.Namespace) -> Order:
    shape = args.shape
    check_size(shape, _MOST_CELLS)
    mines = _DEFAULT_MINES.get(shape) if args.mines is None else args.mines
    if mines is None:
        raise UsageError(f"expected --mines with the size {name_shape(shape)}, which is no standard one")
    start = None if args.hint == _CENTER else parse_cell(args.hint, f"--hint {_CENTER} or R,C")
    level: Level | None = "full" if args.level == _HARD else args.level
    try:
        return Order(shape, mines, args.wrap, start, level, args.guess_free, _parse_range(args.bbbv))
    except BoardValueError as error:
        raise UsageError(str(error)) from error


def _parse_range(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", text)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if low > high:
        raise UsageError(f"expected --3bv with a number, or two such as 150-180, got {text!r}")
    return low, high


def _iter_boards(order: Order, args: argparse.Namespace) -> Iterator[Generated]:
    with GamesBar(args.n, "generating") as bar:
        for place in range(args.n):
            seed = args.seed + place
            if args.verbose:
                print(f"seed {seed}", file=sys.stderr)
            yield generate(order, seed, patience_s=args.patience, watch=_say_move if args.verbose else None)
            bar.show(place + 1, f"seed {seed}")


def _say_move(moved: Moved) -> None:
    sources, targets = (" ".join(map(name_cell, cells)) for cells in (moved.sources, moved.targets))
    print(
        f"  layout {moved.n_tries}: stuck with {counted(moved.n_closed, 'cell')} closed: {sources} to {targets}",
        file=sys.stderr,
    )


def _written(generated: Generated, form: str) -> str | bytes:
    """A board in a form; several in a row can be told apart."""
    seed, layout, hint = generated.seed, generated.layout, generated.hint
    if form == _MBF:
        return format_mbf(layout)
    if form == _BOARDS:
        return format_deal(Deal(seed, layout, hint)) + "\n"
    text = FORMATS[form].format(FullMap.seen(layout, start=hint))
    return f"; seed: {seed}\n{text}" if form == OURS else text


def _shown(generated: Generated) -> str:
    """A board in our form, or for a person at a terminal with rulers."""
    head = f"; seed: {generated.seed}\n; begin at: {_numbers(generated.hint)}\n"
    return head + board_as_printed(reveal(generated.layout))


def _as_json(generated: Generated, order: Order, args: argparse.Namespace) -> dict[str, Any]:
    level = level_of(generated.layout, generated.hint) or "guess" if args.rate else order.level
    return {
        "seed": generated.seed,
        "rows": format_rows(reveal(generated.layout).cells),
        "hint": list(generated.hint),
        "mines": generated.layout.n_mines,
        "level": level,
        "3bv": generated.layout.bbbv,
        "tries": generated.n_tries,
        "moves": generated.n_moves,
        "seconds": generated.cpu_s,
    }


def _write_bytes(args: argparse.Namespace, seed: int, content: bytes) -> None:
    path = args.output
    if path is None:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    else:
        write_output(path if args.n == 1 else path.with_stem(f"{path.stem}-{seed}"), content)


def _numbers(cell: tuple[int, ...]) -> str:
    return ",".join(map(str, cell))
