"""`minebot read`: the board, or boards, on a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.arguments import whole
from bot.commands.loading import add_source, look_around, read_frame
from bot.commands.output import number_boards, reading_as_json
from bot.console import emit

if TYPE_CHECKING:
    import argparse

    from bot.models import Frame, Reading

EXAMPLE = "minebot read screenshot.png --picture seen.png"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_source(parser, "IMAGE", "a picture file: PNG, BMP, JPEG")
    parser.add_argument("--skin", default="auto", help="a skin's name, or auto (the default): try them all")
    parser.add_argument("--mines", type=whole(1), metavar="N", help="how many mines the board has")
    parser.add_argument(
        "--whole", action="store_true", help="the picture shows all of the board, whatever lies beside it"
    )
    parser.add_argument(
        "--picture", type=Path, metavar="OUT.png", help="draw what was read of every cell, and its score"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Read every board on the picture, from top to bottom."""
    from bot.console import tell
    from bot.errors import UsageError
    from bot.images import check_can_save, load_frame
    from solver.board import say_no_board

    if args.picture is not None:
        check_can_save(args.picture, source=None if args.source is None else Path(args.source))
    name, frame = look_around(args) or (args.source, load_frame(Path(args.source)))
    if isinstance(frame, str):
        raise UsageError("expected a picture on the clipboard, got a text: 'minebot advise --clipboard' takes those")
    boards = read_frame(frame, name, args.skin, args.mines, is_whole=args.whole)
    for reading, _ in boards:
        if no_board := say_no_board(reading.board):
            tell(no_board)
    if args.picture is not None:
        _draw(args.picture, frame, [reading for reading, _ in boards])
    told = {"boards": [reading_as_json(reading, count) for reading, count in boards]}
    emit(told, "\n".join(_as_text(reading) for reading, _ in boards).splitlines(), as_json=args.json)
    return 0


def _draw(path: Path, frame: Frame, readings: list[Reading]) -> None:
    from bot.images import save_png
    from bot.reporting.drawing import annotate_reading, draw_sheet

    titles = number_boards(len(readings))
    boards = [annotate_reading(frame, reading, title) for reading, title in zip(readings, titles, strict=True)]
    save_png(path, draw_sheet(boards))


def _as_text(reading: Reading) -> str:
    from bot.reporting.text_boards import board_as_printed
    from bot.vision.other_colours import say_shift

    grid = reading.grid
    remarks = [
        f"; skin: {reading.skin}",
        f"; origin: {grid.origin.x},{grid.origin.y}",
        f"; pitch: {grid.pitch_px[0]},{grid.pitch_px[1]}",
        f"; state: {reading.state.value}",
    ]
    if shift := say_shift(reading):
        remarks.append(f"; colours: {shift}")
    if reading.unknown:
        remarks.append(f"; unreadable cells: {len(reading.unknown)}")
    return "\n".join(remarks) + "\n" + board_as_printed(reading.board)
