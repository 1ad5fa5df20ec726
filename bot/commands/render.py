"""`minebot render`: a picture of a board's text, in any skin. Needs no display."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands.arguments import parse_cell, whole
from bot.commands.loading import load_board
from bot.console import emit
from bot.errors import UsageError
from bot.images import check_can_save, save_png
from bot.reporting.drawing import draw_painted, usual_skin
from skins import find_skin
from skins.sprite_sheet import load_sheet
from solver.board import CLOSED
from solver.formats import AUTO, FORMATS
from solver.words import name_cell, name_shape

if TYPE_CHECKING:
    import argparse

    from skins import Skin
    from solver import Board, Cell

EXAMPLE = "minebot render board.txt --skin winemine --out board.png"

_MOST_ZOOM = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "board",
        metavar="BOARD",
        help="a file with a board's text, an address of JSMinesweeper, or - for standard input",
    )
    parser.add_argument("--out", type=Path, required=True, metavar="P.png", help="write the picture there")
    look = parser.add_mutually_exclusive_group()
    look.add_argument(
        "--skin", metavar="NAME", help="the look of this skin (default: minebot, or 4d in other dimensions)"
    )
    look.add_argument("--sheet", type=Path, metavar="FILE", help="the look of a sprite sheet (Minesweeper X layout)")
    parser.add_argument("--hint", type=parse_cell, metavar="R,C", help="mark this closed cell with an X")
    parser.add_argument("--rulers", action="store_true", help="number the rows and columns")
    parser.add_argument(
        "--zoom",
        type=whole(1, _MOST_ZOOM),
        default=1,
        metavar="N",
        help="draw every pixel N times as large (default 1)",
    )
    parser.add_argument("--format", choices=[AUTO, *FORMATS], help="the form of the text (default: found out from it)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Paint the board; return 0.

    Raises:
        SkinError: there is no such skin or sheet, or it has no sprite of what the board shows.
        UsageError: no board, a hint that is no closed cell, or a picture that is too large or cannot be written.
    """
    check_can_save(args.out)
    board = load_board(args.board, args.format, mines=None, wrap=False)
    if args.hint is not None:
        _check_hint(args.hint, board)
    skin = _skin(args, board)
    pixels = draw_painted(board, skin, hint=args.hint, zoom=args.zoom, has_rulers=args.rulers)
    save_png(args.out, pixels)
    height, width = pixels.shape[:2]
    told = {"picture": str(args.out), "skin": skin.name, "shape": list(board.shape), "size": [width, height]}
    emit(told, as_json=args.json)
    return 0


def _skin(args: argparse.Namespace, board: Board) -> Skin:
    if args.sheet is not None:
        return load_sheet(args.sheet, args.sheet.stem)
    return usual_skin(board.shape) if args.skin is None else find_skin(args.skin)


def _check_hint(hint: Cell, board: Board) -> None:
    if not board.topology.has_cell(hint) or board[hint] != CLOSED:
        raise UsageError(
            f"expected --hint with a closed cell of the {name_shape(board.shape)} board, got {name_cell(hint)}"
        )
