"""`minebot read`: the board, or boards, on a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from bot.models import Frame, Reading
    from bot.vision.mine_counter import MineCount

EXAMPLE = "minebot read screenshot.png --picture seen.png"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("image", type=Path, metavar="IMAGE", help="a picture file: PNG, BMP, JPEG")
    parser.add_argument("--skin", default="auto", help="a skin's name, or auto (the default): try them all")
    parser.add_argument("--mines", type=int, metavar="N", help="how many mines the board has")
    parser.add_argument("--whole", action="store_true", help="the picture's edge is the board's: it shows all of it")
    parser.add_argument(
        "--picture", type=Path, metavar="OUT.png", help="draw what was read of every cell, and its score"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Read every board on the picture, from top to bottom."""
    from bot.images import check_can_save, load_frame

    if args.picture is not None:
        check_can_save(args.picture, source=args.image)
    frame = load_frame(args.image)
    boards = read_frame(frame, args.image, args.skin, args.mines, is_whole=args.whole)
    if args.picture is not None:
        _draw(args.picture, frame, [reading for reading, _ in boards])
    if args.json:
        print(json.dumps({"boards": [reading_as_json(reading, count) for reading, count in boards]}))
    else:
        print("\n".join(_as_text(reading) for reading, _ in boards), end="")
    return 0


def read_frame(
    frame: Frame, source: Path, skin: str, mines: int | None, *, is_whole: bool = False
) -> list[tuple[Reading, MineCount]]:
    """Read every board on a frame, from top to bottom.

    Args:
        frame: the picture.
        source: its file, for messages.
        skin: a skin's name, or "auto".
        mines: the mine count; None to take it from each board's counter or size.
        is_whole: whether edges of the picture are the board's; else a board may go on past them.

    Returns:
        What each says, and where its mine count comes from.

    Raises:
        BoardNotFoundError: there is none.
        SkinError: there is no such skin.
    """
    from bot.console import tell
    from bot.errors import BoardNotFoundError
    from bot.vision.finding import explain_not_found, find_boards, say_cut
    from bot.vision.half_painted import doubt_pressed
    from bot.vision.mine_counter import count_on
    from bot.vision.reading import read_board
    from skins import load_skins

    skins = load_skins(skin, tell=tell)
    found = find_boards(frame, skins, every_scale=True, is_whole=is_whole)
    if not found:
        raise BoardNotFoundError(f"{source}: {explain_not_found(frame, skins)}")
    readings = [doubt_pressed(read_board(frame, board.grid, board.skin)) for board in found]
    boards = [count_on(frame, reading, board.skin, mines) for reading, board in zip(readings, found, strict=True)]
    for reading, count in boards:
        if reading.board.cut:
            tell(f"{say_cut(reading.board.cut, 'picture')}: numbers there prove little (--whole where it does not)")
        if count.remark:
            tell(count.remark)
    return boards


def reading_as_json(reading: Reading, count: MineCount) -> dict[str, Any]:
    """A reading, and where its mine count comes from, as the fields of one JSON object."""
    from solver.board import format_rows, format_sides

    grid = reading.grid
    return {
        "skin": reading.skin,
        "rows": grid.rows,
        "cols": grid.cols,
        "shape": list(grid.shape),
        "origin": list(grid.origin),
        "pitch": list(grid.pitch_px),
        "board": format_rows(reading.board.cells),
        "unknown": [list(cell) for cell in reading.unknown],
        "state": reading.state.value,
        "mines": reading.board.mines,
        "mines_from": count.source,
    } | ({"cut": format_sides(reading.board.cut).split()} if reading.board.cut else {})


def number_boards(n_boards: int) -> list[str]:
    """What to put before each board's words: nothing where there is just one."""
    return [f"board {n} of {n_boards}: " if n_boards > 1 else "" for n in range(1, n_boards + 1)]


def _draw(path: Path, frame: Frame, readings: list[Reading]) -> None:
    from bot.images import save_png
    from bot.reporting.drawing import annotate_reading, draw_sheet

    titles = number_boards(len(readings))
    boards = [annotate_reading(frame, reading, title) for reading, title in zip(readings, titles, strict=True)]
    save_png(path, draw_sheet(boards))


def _as_text(reading: Reading) -> str:
    from bot.reporting.text_boards import board_as_printed

    grid = reading.grid
    remarks = [
        f"; skin: {reading.skin}",
        f"; origin: {grid.origin.x},{grid.origin.y}",
        f"; pitch: {grid.pitch_px[0]},{grid.pitch_px[1]}",
        f"; state: {reading.state.value}",
    ]
    if reading.unknown:
        remarks.append(f"; unreadable cells: {len(reading.unknown)}")
    return "\n".join(remarks) + "\n" + board_as_printed(reading.board)
