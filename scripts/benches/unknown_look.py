"""What not knowing a clone's look costs in play.

Plays the same boards twice, simulated, without a screen: once with the labels of all appearances known, once with none
known, as `minebot-calibrate --live` plays its first game: everything is forgotten before each game. Prints games won
with 95 % intervals, the paired difference, and how many of the cells opened as proven safe exploded: it must be none.
"""

from __future__ import annotations

import math
import random
import sys
import time
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from bot.learning.label_solver import NUMBERS
from bot.vision.matching import code_of
from calibration.live.evidence import Evidence, prints_of
from skins import load_shipped_skin
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, WRONG_FLAG
from solver import analyse, kernel
from solver import board as codes
from solver.board import GameState
from solver.game import Game
from solver.layout import LEVELS, FirstClick, Layout
from solver.strategy import choose

if TYPE_CHECKING:
    import argparse

    from numpy.typing import NDArray

    from solver.layout import _Level as Level
    from solver.topology import Cell

    Pixels = NDArray[np.uint8]

STATES = (*map(str, range(9)), CLOSED, FLAG, MINE, EXPLODED, WRONG_FLAG)
SKIN = "minebot"
SIGMAS = 1.96
REPORT_S = 30.0


@dataclass(slots=True)
class Played:
    """One game with unknown labels.

    Attributes:
        is_won: whether every safe cell was opened.
        n_safe: cells opened as proven safe, those of them that exploded, and cells guessed.
        n_exploded: see above.
        n_guesses: see above.
        n_unfit: positions that no labelling was found to fit: each is a fault.
        n_labelled: appearances of open cells whose label was proven when the game ended.
        n_seen: appearances of open cells on the board by then.
    """

    is_won: bool = False
    n_safe: int = 0
    n_exploded: int = 0
    n_guesses: int = 0
    n_unfit: int = 0
    n_labelled: int = 0
    n_seen: int = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--games", type=int, default=200, metavar="N", help="games a level (default %(default)s)")
    parser.add_argument("--level", choices=tuple(LEVELS), action="append", help="instead of all three; may be repeated")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="of the first board (default %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Play and print; return 1 where a cell that was opened as safe exploded, or a true board fitted no labelling."""
    kernel.load()
    pictures = _pictures()
    is_sound = True
    for name in args.level or LEVELS:
        is_sound &= _compare(name, range(args.seed, args.seed + args.games), pictures)
    return 0 if is_sound else 1


def _compare(name: str, seeds: range, pictures: dict[int, Pixels]) -> bool:
    """Play one level both ways and print how it went; whether nothing unsound happened."""
    known, unknown = [], []
    began_s = said_s = time.process_time()
    for number, seed in enumerate(seeds, start=1):
        layout, first = _layout(LEVELS[name], seed)
        known.append(play_known(layout, first))
        unknown.append(play_unknown(layout, first, pictures))
        if time.process_time() - said_s > REPORT_S:
            said_s = time.process_time()
            n_won = sum(one.is_won for one in unknown)
            print(f"{name}: {number} of {len(seeds)} games, won {sum(known)} / {n_won}", file=sys.stderr, flush=True)
    n = len(seeds)
    won = [one.is_won for one in unknown]
    gained = sum(own and not other for own, other in zip(won, known, strict=True))
    missed = sum(other and not own for own, other in zip(won, known, strict=True))
    reach = SIGMAS * math.sqrt(max(0.0, gained + missed - (gained - missed) ** 2 / n)) / n
    totals = {field.name: sum(int(getattr(one, field.name)) for one in unknown) for field in fields(Played)}
    print(f"{name}, {n} games, seeds {seeds.start}-{seeds.stop - 1}, {time.process_time() - began_s:.0f} s CPU")
    print(f"  labels known:   won {_share(sum(known), n)}")
    print(f"  labels unknown: won {_share(sum(won), n)}")
    print(f"  paired: {gained} won only unknown, {missed} only known: {(gained - missed) / n:+.1%} +- {reach:.1%}")
    print(
        f"  opened as safe {totals['n_safe']}, exploded of them {totals['n_exploded']}; guessed {totals['n_guesses']}\n"
        f"  boards that fitted no labelling {totals['n_unfit']}; looks of numbers labelled when the game ended "
        f"{totals['n_labelled']} of {totals['n_seen']}",
        flush=True,
    )
    return totals["n_exploded"] == totals["n_unfit"] == 0


def _share(won: int, n: int) -> str:
    """Games won, with Wilson's interval."""
    share, square = won / n, SIGMAS**2
    middle = (share + square / (2 * n)) / (1 + square / n)
    reach = SIGMAS * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return f"{won} of {n}, {share:.1%} ({middle - reach:.1%} to {middle + reach:.1%})"


def _pictures() -> dict[int, Pixels]:
    """What a cell of each board code looks like."""
    skin = load_shipped_skin(SKIN)
    return {code_of(state): skin.sprites_of(state)[0].pixels_bgr for state in STATES if skin.sprites_of(state)}


def _layout(level: Level, seed: int) -> tuple[Layout, Cell]:
    """A board, and the cell in its middle that is opened first: it is safe."""
    first = (level.rows // 2, level.cols // 2)
    return Layout.random(
        (level.rows, level.cols), level.mines, random.Random(seed), first_cell=first, first_click=FirstClick.SAFE
    ), first


def play_known(layout: Layout, first: Cell) -> bool:
    """Play with all labels known; whether it was won."""
    game = Game.on(layout)
    game.open(first)
    while not game.is_over:
        analysis = analyse(game.board)
        for cell in analysis.safe:
            game.open(cell)
        if not analysis.safe:
            guess = choose(analysis)
            assert guess is not None, "a game that is not over has a safe cell left"
            game.open(guess.cell)
    return game.state is GameState.WON


def play_unknown(layout: Layout, first: Cell, pictures: dict[int, Pixels]) -> Played:
    """Play with no label known: only what play itself tells."""
    game, evidence, played = Game.on(layout), Evidence(), Played()
    evidence.tell_fresh(_painted(game, pictures))
    game.open(first)
    evidence.tell(pictures[int(game.board[first])][None], NUMBERS)
    while not game.is_over:
        board = _painted(game, pictures)
        judged = evidence.judge(board)
        if judged is None:
            played.n_unfit += 1
            return played
        cells = judged.safe
        if not cells:
            guess = judged.guess(layout.n_mines)
            assert guess is not None, "a game that is not over has a safe cell left"
            played.n_guesses += 1
            cells = (guess,)
        for cell in cells:
            if game.is_over or game.board[cell] != codes.CLOSED:
                continue
            game.open(cell)
            played.n_safe += bool(judged.safe)
            if game.state is GameState.LOST:
                played.n_exploded += bool(judged.safe)
                break
            evidence.tell_played_on(board)
            evidence.tell(pictures[int(game.board[cell])][None], NUMBERS)
    played.is_won = game.state is GameState.WON
    shown = {code: pictures[code] for code in np.unique(game.board.cells).tolist() if code >= 0}
    played.n_seen = len(shown)
    judged = evidence.judge(_painted(game, pictures))
    if judged is None:
        played.n_unfit += 1
        return played
    played.n_labelled = sum(
        judged.labels[prints_of(pixels)[0]] == {str(code)} for code, pixels in shown.items() if prints_of(pixels)
    )
    return played


def _painted(game: Game, pictures: dict[int, Pixels]) -> Pixels:
    """The board's cells: rows x cols x height x width x 3."""
    cells = game.board.cells
    distinct, number_of = np.unique(cells, return_inverse=True)
    stack = np.stack([pictures[int(code)] for code in distinct])
    return stack[number_of.reshape(cells.shape)]
