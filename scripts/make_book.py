"""Makes the opening book: `python scripts/make_book.py --level expert --depth 2`, and so on for every level.

After a safe start in the corner, and as long as no zero was opened, every position of the book so far is thought about
by `max` with many games; the best cell is written down, and the numbers it may show are the next positions, those that
come up at all often. Entries that are in `solver/strategy/book.json` already are kept: delete them to have them made
again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from solver import Board, analyse, chances_of_number, kernel
from solver.board import CLOSED
from solver.layout import LEVELS
from solver.strategy import rollouts
from solver.strategy.strong import _format_board_name, _format_position

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.topology import Cell

    Opened = tuple[tuple[Cell, int], ...]

BOOK = Path(__file__).resolve().parent.parent / "solver" / "strategy" / "book.json"
SHAPES = {
    **{name: (level.rows, level.cols, level.mines) for name, level in LEVELS.items()},
    "beginner8": (8, 8, 10),
}


def main(arguments: Sequence[str]) -> int:
    """Make the entries that are missing."""
    parser = argparse.ArgumentParser(prog="make_book.py", description="Makes the opening book.")
    parser.add_argument("--level", choices=sorted(SHAPES), default="expert")
    parser.add_argument(
        "--depth", type=int, default=2, metavar="N", help="open cells of the last positions (default 2)"
    )
    parser.add_argument("--playouts", type=int, default=60_000, help="games a position (default %(default)s)")
    parser.add_argument("--least", type=float, default=0.02, metavar="P", help="leave out what is rarer (default 0.02)")
    args = parser.parse_args(arguments)
    if not kernel.load():
        print("the kernel is not compiled: python -m solver.kernel")
        return 1
    rows, cols, mines = SHAPES[args.level]
    book: dict[str, dict[str, Any]] = json.loads(BOOK.read_text(encoding="utf-8")) if BOOK.exists() else {}
    moves = book.setdefault(_format_board_name((rows, cols), mines), {})
    start = Board(np.full((rows, cols), CLOSED, dtype=np.int16), mines)
    known_safe = 1.0 - mines / (rows * cols)
    reached: list[tuple[Opened, float]] = _next((), (0, 0), start, 1.0 / known_safe)
    while reached:
        opened, p_reached = reached.pop(0)
        if p_reached < args.least:
            continue
        board = _board(opened, start)
        position = _format_position(opened)
        if position not in moves:
            begun_s = time.process_time()
            move = _think(board, args.playouts)
            if move is None:
                continue
            moves[position] = move
            BOOK.write_text(json.dumps(book, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            print(f"{position} ({p_reached:.1%} of games): {move}, {time.process_time() - begun_s:.0f} s", flush=True)
        if len(opened) < args.depth:
            reached += _next(opened, tuple(moves[position]["cell"]), board, p_reached)
    return 0


def _next(opened: Opened, cell: Cell, board: Board, p_reached: float) -> list[tuple[Opened, float]]:
    """The positions after a cell was opened that is no zero, with how often each comes up."""
    chances = chances_of_number(board, cell)
    return [(tuple(sorted((*opened, (cell, k)))), p_reached * float(chances[k])) for k in range(1, len(chances))]


def _board(opened: Opened, start: Board) -> Board:
    cells = start.cells.copy()
    for cell, number in opened:
        cells[cell] = number
    return Board(cells, start.mines)


def _think(board: Board, playouts: int) -> dict[str, Any] | None:
    """The best guess after many games; None when there is nothing to guess, or strong sees to the end."""
    ratings = rollouts.rate(analyse(board), playouts, with_book=False) if not analyse(board).safe else None
    if ratings is None or ratings.best.p_win is None:
        return None
    best = ratings.best
    others = {f"{guess.cell[0]},{guess.cell[1]}": round(guess.p_win or 0.0, 4) for guess in ratings.guesses[1:4]}
    return {
        "cell": list(best.cell),
        "p_mine": best.p_mine,
        "p_win": round(best.p_win or 0.0, 4),
        "margin": round(best.margin, 4),
        "next_best": others,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
