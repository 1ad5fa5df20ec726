"""How fast the analysis board answers, on Expert positions: from a key to all of it on the screen.

A cell at the frontier is asked about, painted as another number, and that undone; then all cells are closed, which
draws every one. Each time is that of the analysis, the ranked moves and the drawing of whatever changed, until the X
server has done it. The proof of the cell, shown when the pointer rests, is timed by itself. The promise is 50 ms.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

import numpy as np

from benches import spread
from bot.game.analysis_board import AnalysisBoard
from bot.game.analysis_window import AnalysisWindow
from bot.game.stage import open_root
from bot.reporting.advice import advise
from bot.virtual_screen import virtual_screen
from bot.warm_up import warm_up
from skins import load_shipped_skin
from solver import Board
from solver.board import CLOSED
from solver.game import Game

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from solver.topology import Cell

SHAPE, MINES = (16, 30), 99
PROMISE_MS = 50.0
KINDS = ("another position", "what if", "proof", "painted", "undone", "all closed", "all undone")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("-n", type=int, default=100, help="positions (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="of games and cells (default 1)")


def run(args: argparse.Namespace) -> int:
    """Measure on a virtual screen, and print a line a kind of answer."""
    with virtual_screen():
        _measure(args.n, args.seed)
    return 0


def _measure(n_positions: int, seed: int) -> None:
    warm_up()
    chance = random.Random(seed)
    model = AnalysisBoard(Board(np.full(SHAPE, CLOSED, dtype=np.int16), MINES))
    root = open_root("Minebot", "analyse")
    window = AnalysisWindow(root, model, _nothing_to_paste, _nothing_to_paste, load_shipped_skin("minebot"), 1.0)
    root.update()
    taken: dict[str, list[float]] = {name: [] for name in KINDS}

    def timed(name: str, do: Callable[[], object]) -> None:
        begun_at_s = time.perf_counter()
        do()
        root.update()
        root.winfo_pointerxy()  # the server answers this once it has drawn
        taken[name].append((time.perf_counter() - begun_at_s) * 1000)

    positions = _positions(seed)
    for _ in range(n_positions):
        board = next(positions)
        timed("another position", lambda board=board: window.set_board(board))  # type: ignore[misc]  # of a default mypy infers nothing
        cell = chance.choice(_frontier(board))
        timed("what if", lambda cell=cell: window.ask(cell))  # type: ignore[misc]  # the same
        timed("proof", lambda cell=cell: model.reason(cell))  # type: ignore[misc]  # the same
        timed("painted", lambda cell=cell: window.paint(cell, chance.randrange(1, 4), is_joined=False))  # type: ignore[misc]  # the same
        timed("undone", window.undo)
        timed("all closed", window.clear)
        timed("all undone", window.undo)
    for name, values in taken.items():
        median, p95, most = spread(values)
        over = sum(value > PROMISE_MS for value in values)
        print(
            f"{name:<18}{median:7.1f} ms median{p95:8.1f} ms p95{most:8.1f} ms most, {over} of {len(values)} over 50 ms"
        )
    root.destroy()


def _positions(seed: int) -> Iterator[Board]:
    """Positions of Expert games that the solver plays, before each move."""
    while True:
        game = Game(SHAPE, MINES, seed=seed)
        game.open((SHAPE[0] // 2, SHAPE[1] // 2))
        while not game.is_over:
            move = advise(game.board).move
            if move is None:
                break
            yield game.board
            game.open(move.cell)
        seed += 1


def _frontier(board: Board) -> list[Cell]:
    closed = [tuple(cell) for cell in np.argwhere(board.cells == CLOSED).tolist()]
    return [cell for cell in closed if any(board[near] >= 0 for near in board.topology.neighbours(cell))]


def _nothing_to_paste(_given: object) -> Board:
    raise AssertionError("nothing is pasted here")
