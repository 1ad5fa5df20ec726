"""How strong the policies are: `python scripts/bench_strength.py games` and `... decisions`.

`games` plays whole games, each board once a policy, and compares pair by pair: with each other, and with the results of
other programs on the same boards (`--against FILE`, lines of `seed won`). The board of a seed is
`sorted(random.Random(seed).sample(allowed, mines))`, where `allowed` are the cells row by row without the first cell
(`safe`), or without it and its neighbours (`zero`).

`decisions` measures a small difference with far fewer games: it plays by `strong`, and wherever the other policy would
guess another cell, it plays on from both by `strong`, on layouts drawn fresh and the same for both. The differences of
the chances to win, summed over a game, are what the other policy would gain if it decided there.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver import Topology, analyse, kernel
from solver.game import Game, GameState
from solver.kernel import status
from solver.layout import LEVELS, Layout
from solver.simulation import play_game
from solver.strategy import POLICIES, STRONG, policy_named, rollouts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from solver.moves import Move
    from solver.topology import Cell

SHAPES = {
    **{name: (level.rows, level.cols, level.mines) for name, level in LEVELS.items()},
    "beginner8": (8, 8, 10),
}
MOST_MODELS = 200
"""Endings that `strong` solves in the games that judge a decision."""


class Deal(NamedTuple):
    """What boards are played."""

    rows: int
    cols: int
    mines: int
    first: Cell
    is_zero: bool

    def layout(self, seed: int) -> Layout:
        """The board of a seed."""
        topology = Topology((self.rows, self.cols))
        first = topology.index(self.first)
        kept = {first, *topology.neighbour_indices[first]} if self.is_zero else {first}
        allowed = [index for index in range(topology.n_cells) if index not in kept]
        has_mine = np.zeros(topology.n_cells, dtype=np.bool_)
        has_mine[random.Random(seed).sample(allowed, self.mines)] = True
        return Layout(has_mine.reshape(self.rows, self.cols))


def main(arguments: Sequence[str]) -> int:
    """Measure what was asked for and print it."""
    parser = argparse.ArgumentParser(prog="bench_strength.py", description="Measures how strong the policies are.")
    parser.add_argument("what", choices=["games", "decisions"])
    parser.add_argument("--level", choices=sorted(SHAPES), default="expert")
    parser.add_argument("--start", choices=["safe", "zero"], default="safe", help="what the first cell is")
    parser.add_argument(
        "--first", metavar="R,C", help="the first cell (default: 0,0 safe; zero 3,3, smaller boards 2,2)"
    )
    parser.add_argument("--seeds", metavar="A-B", default="1-8000", help="boards (default %(default)s)")
    parser.add_argument("--policy", action="append", choices=sorted(POLICIES), help="of games: may be repeated")
    parser.add_argument("--against", type=Path, action="append", default=[], metavar="FILE", help="results by seed")
    parser.add_argument("--out", type=Path, metavar="FILE", help="of games: write who won, a line a seed")
    parser.add_argument("--other", default="max", help="of decisions: the policy that is judged (default %(default)s)")
    parser.add_argument("--playouts", type=int, default=rollouts.PLAYOUTS, help="of decisions: games a guess of max")
    parser.add_argument("--judges", type=int, default=2000, help="of decisions: games from each cell that judge it")
    args = parser.parse_args(arguments)

    if not kernel.load():
        print("the kernel is not compiled: python -m solver.kernel")
        return 1
    rows, cols, mines = SHAPES[args.level]
    default = (0, 0) if args.start == "safe" else (3, 3) if args.level == "expert" else (2, 2)
    row, col = default if args.first is None else map(int, args.first.split(","))
    deal = Deal(rows, cols, mines, (row, col), args.start == "zero")
    first, last = map(int, args.seeds.split("-"))
    print(f"{args.level}, {rows}x{cols} with {mines} mines, {args.start} start at {deal.first}, seeds {first}-{last}")
    if args.what == "games":
        compare_games(deal, range(first, last + 1), args.policy or ["fast", "strong"], args.against, args.out)
    else:
        compare_decisions(deal, range(first, last + 1), _judged(args.other, args.playouts), args.judges)
    return 0


def _judged(name: str, playouts: int) -> Callable[..., Move | None]:
    if name == "max":
        return lambda analysis: rollouts.choose(analysis, playouts)
    return policy_named(name).choose


def compare_games(deal: Deal, seeds: range, policies: Sequence[str], against: Sequence[Path], out: Path | None) -> None:
    """Play every board by every policy and print the rates and the paired differences."""
    won: dict[str, NDArray[np.float64]] = {}
    for name in policies:
        start_s = time.process_time()
        games = [play_game(deal.layout(seed), deal.first, policy_named(name)) for seed in seeds]
        won[name] = np.array([game.is_won for game in games], dtype=np.float64)
        cpu_ms = 1e3 * sum(game.cpu_s for game in games) / len(games)
        print(
            f"  {name:<28} {_percent(won[name])}   {cpu_ms:.3f} ms CPU a game"
            f" ({time.process_time() - start_s:.0f} s with the boards)",
            flush=True,
        )
    for path in against:
        known = read_results(path)
        won[path.stem] = np.array([known.get(seed, np.nan) for seed in seeds], dtype=np.float64)
        print(f"  {path.stem:<28} {_percent(won[path.stem])}")
    for name in policies:
        for other, results in won.items():
            if other not in policies[: policies.index(name) + 1]:
                print(f"  {name} - {other}: {_percent(won[name] - results, has_sign=True)}")
    if out is not None:
        lines = [" ".join(["seed", *policies])]
        lines += [" ".join([str(seed), *(str(int(won[name][i])) for name in policies)]) for i, seed in enumerate(seeds)]
        out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_results(path: Path) -> dict[int, int]:
    """Read who won by seed: lines of two whole numbers, after a line of titles."""
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return {int(row[0]): int(row[1]) for row in rows if row}


def _percent(values: NDArray[np.float64], *, has_sign: bool = False) -> str:
    """The mean in percent with its 95 % interval, over what is known."""
    known = values[~np.isnan(values)]
    if not known.size:
        return "no board in common"
    margin = 1.96 * float(known.std()) / sqrt(known.size)
    return f"{100 * known.mean():{'+' if has_sign else ''}.2f} +- {100 * margin:.2f} % ({known.size} boards)"


def compare_decisions(deal: Deal, seeds: range, other: Callable[..., Move | None], n_judges: int) -> None:
    """Play by `strong`, and value every guess the other would make differently; print the gain of a game."""
    gains = []
    n_guesses, n_different, think_s = 0, 0, 0.0
    for number, seed in enumerate(seeds, start=1):
        game = Game.on(deal.layout(seed))
        game.open(deal.first)
        gain = 0.0
        while not game.is_over:
            analysis = analyse(game.board)
            if analysis.safe:
                for cell in analysis.safe:
                    game.open(cell)
                continue
            ours = STRONG.choose(analysis)
            start_s = time.thread_time()
            theirs = other(analysis)
            think_s += time.thread_time() - start_s
            assert ours is not None, "a game that is not over has a safe cell left"
            assert theirs is not None, "the same"
            n_guesses += 1
            if ours.cell != theirs.cell:
                n_different += 1
                gain += judge(game, (ours, theirs), n_judges, seed=1_000_003 * seed + n_guesses)
            game.open(ours.cell)
        assert game.state in (GameState.WON, GameState.LOST)
        gains.append(gain)
        if number % 10 == 0 or number == len(seeds):
            print(
                f"  {number} games: {_percent(np.array(gains), has_sign=True)}; {n_guesses} guesses,"
                f" {n_different} different, {1e3 * think_s / max(1, n_guesses):.0f} ms CPU a guess",
                flush=True,
            )


def judge(game: Game, moves: tuple[Move, Move], n_judges: int, seed: int) -> float:
    """How much likelier the second guess wins than the first, `strong` playing on from both."""
    board = game.board
    codes = board.cells.astype(np.int16).ravel()
    assert board.mines is not None, "a game knows its mines"
    layouts = kernel.draw(codes, board.topology, board.mines, n_judges, seed)
    if isinstance(layouts, int):
        return 0.0
    chances = []
    for move in moves:
        worth = kernel.roll(
            codes,
            board.topology,
            board.mines,
            board.topology.index(move.cell),
            layouts,
            (0, n_judges),
            policy=status.STRONG,
            most_models=MOST_MODELS,
            seed=seed,
        )
        if isinstance(worth, int):
            return 0.0
        chances.append((1.0 - move.p_mine) * float(np.nanmean(worth)))
    return chances[1] - chances[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
