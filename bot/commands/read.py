"""`minebot read`: the board, or boards, on a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from bot.mines import MineCount
    from bot.models import Reading

EXAMPLE = "minebot read screenshot.png --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("image", type=Path, metavar="IMAGE", help="a picture file: PNG, BMP, JPEG")
    parser.add_argument("--skin", default="auto", help="a skin's name, or auto (the default): try them all")
    parser.add_argument("--mines", type=int, metavar="N", help="how many mines the board has")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Read every board on the picture, from top to bottom."""
    from bot.counter import count_on
    from bot.errors import BoardNotFoundError
    from bot.locate import explain_not_found, find_boards
    from bot.pictures import load_frame
    from bot.read import read_board
    from bot.remarks import tell
    from skins import load_skins

    skins = load_skins(args.skin, tell=tell)
    frame = load_frame(args.image)
    boards = find_boards(frame, skins)
    if not boards:
        raise BoardNotFoundError(f"{args.image}: {explain_not_found(frame, skins)}")
    readings = []
    for board in boards:
        reading, count = count_on(frame, read_board(frame, board.grid, board.skin), board.skin, args.mines)
        readings.append((reading, count))
        if count.remark:
            tell(count.remark)
    if args.json:
        print(json.dumps({"boards": [_as_json(reading, count) for reading, count in readings]}))
    else:
        print("\n".join(_as_text(reading) for reading, _ in readings), end="")
    return 0


def _as_json(reading: Reading, count: MineCount) -> dict[str, Any]:
    from solver.board import format_rows

    grid = reading.grid
    return {
        "skin": reading.skin,
        "rows": grid.rows,
        "cols": grid.cols,
        "origin": list(grid.origin),
        "pitch": list(grid.pitch_px),
        "board": format_rows(reading.board.cells),
        "unknown": [list(cell) for cell in reading.unknown],
        "state": reading.state.value,
        "mines": reading.board.mines,
        "mines_from": count.source,
    }


def _as_text(reading: Reading) -> str:
    from solver.board import format_board

    grid = reading.grid
    remarks = [
        f"; skin: {reading.skin}",
        f"; origin: {grid.origin.x},{grid.origin.y}",
        f"; pitch: {grid.pitch_px[0]},{grid.pitch_px[1]}",
        f"; state: {reading.state.value}",
    ]
    if reading.unknown:
        remarks.append(f"; unreadable cells: {len(reading.unknown)}")
    return "\n".join(remarks) + "\n" + format_board(reading.board)
