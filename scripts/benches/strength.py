"""How strong the policies are: by `games`, and by `decisions`.

`games` plays whole games, each board once a policy, and compares pair by pair: with each other, and with the results of
other programs on the same boards (`--against FILE`, lines of `seed won`). The board of a seed is
`sorted(random.Random(seed).sample(allowed, mines))`, where `allowed` are the cells row by row without the first cell
(`safe`), or without it and its neighbours (`zero`).

`decisions` measures a small difference with far fewer games: it plays by the other policy, and wherever `strong` would
guess another cell, it plays on from both by `strong`, on layouts drawn fresh and the same for both. The differences of
the chances to win, summed over a game, are on average what the other policy wins more than `strong` [1].

[1] S. Kakade, J. Langford, Approximately optimal approximate reinforcement learning, ICML 2002, lemma 6.1.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver import analyse, kernel
from solver.game import Game
from solver.layout import Layout
from solver.simulation import PRESETS, Deal, SeededDeals, play_game, usual_first_cell
from solver.strategy import POLICIES, STRONG, policy_named, rollouts

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from solver.board import Move
    from solver.topology import Cell

LEVELS = {name: preset for name, preset in PRESETS.items() if len(preset.shape) == 2}
FEWEST_JUDGES = 100
MOST_DRAWN = 256  # layouts among which one is looked for that has no mine in a cell
STAGES = ("more than 5/6 closed", "the middle", "less than 1/3 closed")
HUNT, LATE = 5 / 6, 1 / 3


@dataclass
class Stage:
    """The guesses of a part of the games."""

    n_guesses: int = 0
    n_different: int = 0
    gain: float = 0.0
    think_s: float = 0.0


class Judged(NamedTuple):
    """What a guess gains over another, and the variance of that estimate."""

    gain: float
    variance: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("what", choices=["games", "decisions"])
    parser.add_argument("--level", choices=sorted(LEVELS), default="expert")
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


def run(args: argparse.Namespace) -> int:
    """Measure what was asked for and print it."""
    if not kernel.load():
        print("the kernel is not compiled: python -m solver.kernel")
        return 1
    shape, mines, wrap = LEVELS[args.level]
    cell = usual_first_cell(shape, args.start, wrap=wrap)
    if args.first is not None:
        row, col = map(int, args.first.split(","))
        cell = (row, col)
    first, last = map(int, args.seeds.split("-"))
    deals = SeededDeals(shape, mines, wrap, args.start, cell, first, last - first + 1)
    print(f"{args.level}, {shape} with {mines} mines, {args.start} start at {cell}, seeds {first}-{last}")
    if args.what == "games":
        compare_games(deals, args.policy or ["fast", "strong"], args.against, args.out)
    else:
        compare_decisions(deals, _judged(args.other, args.playouts), args.judges)
    return 0


def _judged(name: str, playouts: int) -> Callable[..., Move | None]:
    if name == "max":
        return lambda analysis: rollouts.choose(analysis, playouts)
    return policy_named(name).choose


def each_of(deals: SeededDeals) -> Iterator[Deal]:
    """The boards one by one."""
    return (deals[place] for place in range(len(deals)))


def compare_games(deals: SeededDeals, policies: Sequence[str], against: Sequence[Path], out: Path | None) -> None:
    """Play every board by every policy and print the rates and the paired differences."""
    won: dict[str, NDArray[np.float64]] = {}
    for name in policies:
        start_s = time.process_time()
        games = [play_game(deal.layout, deal.first_cell, policy_named(name)) for deal in each_of(deals)]
        won[name] = np.array([game.is_won for game in games], dtype=np.float64)
        cpu_ms = 1e3 * sum(game.cpu_s for game in games) / len(games)
        print(
            f"  {name:<28} {_percent(won[name])}   {cpu_ms:.3f} ms CPU a game"
            f" ({time.process_time() - start_s:.0f} s with the boards)",
            flush=True,
        )
    for path in against:
        known = read_results(path)
        won[path.stem] = np.array([known.get(deals.seed_of(i), np.nan) for i in range(len(deals))], dtype=np.float64)
        print(f"  {path.stem:<28} {_percent(won[path.stem])}")
    for name in policies:
        for other, results in won.items():
            if other not in policies[: policies.index(name) + 1]:
                print(f"  {name} - {other}: {_percent(won[name] - results, has_sign=True)}")
    if out is not None:
        rows = ([deals.seed_of(i), *(int(won[name][i]) for name in policies)] for i in range(len(deals)))
        lines = [" ".join(["seed", *policies]), *(" ".join(map(str, row)) for row in rows)]
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


def compare_decisions(deals: SeededDeals, other: Callable[..., Move | None], n_judges: int) -> None:
    """Play by the other policy, and value every guess that `strong` would make differently; print the gain of a game.

    No game is lost: what comes after a guess counts as much as the guess was likely to be survived.
    """
    gains: list[float] = []
    stages = {name: Stage() for name in STAGES}
    variance = 0.0
    for number, (seed, layout, first_cell, _) in enumerate(each_of(deals), start=1):
        game: Game | None = Game.on(layout)
        assert game is not None
        game.open(first_cell)
        gain, weight = 0.0, 1.0
        while game is not None and not game.is_over:
            analysis = analyse(game.board)
            if analysis.safe:
                for cell in analysis.safe:
                    game.open(cell)
                continue
            stage = stages[stage_of(game)]
            ours = STRONG.choose(analysis)
            start_s = time.thread_time()
            theirs = other(analysis)
            stage.think_s += time.thread_time() - start_s
            assert ours is not None, "a game that is not over has a safe cell left"
            assert theirs is not None, "the same"
            stage.n_guesses += 1
            seed_here = 1000 * seed + stage.n_guesses
            if ours.cell != theirs.cell:
                judged = judge(game, (ours, theirs), max(FEWEST_JUDGES, int(n_judges * weight)), seed_here)
                stage.n_different += 1
                stage.gain += weight * judged.gain
                gain += weight * judged.gain
                variance += weight**2 * judged.variance
            weight *= 1.0 - theirs.p_mine
            game = survive(game, theirs.cell, seed_here)
        gains.append(gain)
        if number % 10 == 0 or number == len(deals):
            margin = 196 * sqrt(variance) / number
            print(f"  {_percent(np.array(gains), has_sign=True)}, +- {margin:.2f} of that by judging", flush=True)
    for name, stage in stages.items():
        print(
            f"  {name:<21} {stage.n_guesses} guesses, {stage.n_different} different,"
            f" {100 * stage.gain / len(gains):+.2f} %,"
            f" {1e3 * stage.think_s / max(1, stage.n_guesses):.0f} ms CPU a guess"
        )


def stage_of(game: Game) -> str:
    """How far a game is: one of STAGES."""
    closed = float(np.mean(game.board.cells < 0))
    return STAGES[0 if closed > HUNT else 1 if closed > LATE else 2]


def survive(game: Game, cell: Cell, seed: int) -> Game | None:
    """Open a cell; where it has a mine, on another layout that agrees with what is seen. None when none is found."""
    board = game.board
    assert game.layout is not None, "it is given"
    assert board.mines is not None, "a game knows its mines"
    if not game.layout.has_mine[cell]:
        game.open(cell)
        return game
    layouts = kernel.sample_layouts(board.cells.astype(np.int16).ravel(), board.topology, board.mines, MOST_DRAWN, seed)
    if isinstance(layouts, int):
        return None
    safe = np.flatnonzero(layouts[:, board.topology.index(cell)] == 0)
    if not safe.size:
        return None
    game = Game.on(Layout(layouts[safe[0]].astype(np.bool_).reshape(board.shape), wrap=board.wrap))
    for place in np.argwhere(board.cells >= 0):
        game.open(tuple(place.tolist()))
    game.open(cell)
    return game


def judge(game: Game, moves: tuple[Move, Move], n_judges: int, seed: int) -> Judged:
    """How much likelier the second guess wins than the first, `strong` playing on from both."""
    board = game.board
    codes = board.cells.astype(np.int16).ravel()
    assert board.mines is not None, "a game knows its mines"
    layouts = kernel.sample_layouts(codes, board.topology, board.mines, n_judges, seed)
    if isinstance(layouts, int):
        return Judged(0.0, 0.0)
    won = []
    for move in moves:
        chances = kernel.play_rollouts(
            codes,
            board.topology,
            board.mines,
            board.topology.index(move.cell),
            move.p_mine,
            layouts,
            (0, n_judges),
            policy=kernel.STRONG,
            most_models=kernel.MOST_MODELS,
            seed=seed,
        )
        if isinstance(chances, int):
            return Judged(0.0, 0.0)
        won.append(chances)
    gains = won[1] - won[0]
    return Judged(float(gains.mean()), float(gains.var()) / n_judges)
