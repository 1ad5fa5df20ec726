"""How strong the policies are: by `games`, by a `curve` of games against time, and by `decisions`.

`games` plays whole games on all processors and compares each player with the first, board by board. A player is a
policy, one of another checkout (`--policy FOLDER:NAME`, played by its `minebot simulate`), or another program that has
played the same boards (`--against FILE`, lines of `seed won`). The board of a seed is
`sorted(random.Random(seed).sample(allowed, mines))`, where `allowed` are the cells row by row without the first cell
(`safe`), or without it and its neighbours (`zero`). `curve` does the same for policies from the fastest to the slowest.

With `--bounds` two players are compared by a sequential test (`benches.sequential`), which ends early. The intervals
are those of a run of fixed length: where a test ended early, the gain is a little too far from 0.

`decisions` measures a small difference with far fewer games: it plays by the other policy, and wherever `strong` would
guess another cell, it plays on from both by `strong`, on layouts drawn fresh and the same for both. The differences of
the chances to win, summed over a game, are on average what the other policy wins more than `strong` [1].

[1] S. Kakade, J. Langford, Approximately optimal approximate reinforcement learning, ICML 2002, lemma 6.1.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import partial
from math import isnan, nan, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benches.sequential import DECIDED, Bounds, Pairs
from solver import analyse, kernel
from solver.errors import BoardValueError
from solver.game import Game
from solver.layout import Layout
from solver.simulation import PRESETS, Deal, Loky, SeededDeals, iter_games, usual_first_cell
from solver.strategy import STRONG, policy_named, rollouts
from solver.words import name_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from solver.board import Move
    from solver.topology import Cell

LEVELS = {name: preset for name, preset in PRESETS.items() if len(preset.shape) == 2}
FEWEST_JUDGES = 100
MOST_DRAWN = 256  # layouts among which one is looked for that has no mine in a cell
PLAYERS = {
    "games": ("strong", "fast"),
    "curve": ("strong", "fast", *(f"think {think_s}" for think_s in (0.003, 0.01, 0.03, 0.1, 0.3))),
}
"""Who plays unless told otherwise."""
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


class Results(NamedTuple):
    """What a player made of some boards.

    Attributes:
        won: float64, one a board: 1 where it was won, 0 where it was lost, NaN where that is not known.
        cpu_s: float64: the seconds of processor time it took; NaN where that is not known.
    """

    won: NDArray[np.float64]
    cpu_s: NDArray[np.float64]


class Player(NamedTuple):
    """Who plays boards, or has played them: a policy of this checkout or of another, or another program."""

    name: str
    play: Callable[[SeededDeals], Results]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("what", choices=[*PLAYERS, "decisions"])
    parser.add_argument("--level", choices=sorted(LEVELS), default="expert")
    parser.add_argument("--start", choices=["safe", "zero"], default="safe", help="what the first cell is")
    parser.add_argument(
        "--first", metavar="R,C", help="the first cell (default: 0,0 safe; zero 3,3, smaller boards 2,2)"
    )
    parser.add_argument("--seeds", metavar="A-B", default="1-8000", help="boards (default %(default)s)")
    parser.add_argument(
        "--policy",
        type=policy_player,
        action="append",
        metavar="[FOLDER:]NAME",
        help="of games: may be repeated, the first is the baseline; with a folder, the policy of the checkout there",
    )
    parser.add_argument(
        "--against", type=file_player, action="append", default=[], metavar="FILE", help="results by seed"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="of games: write who won, a line a seed")
    parser.add_argument(
        "--bounds",
        type=bounds_of,
        metavar="LOW,HIGH",
        help="of two players: stop once the second gains HIGH percentage points or more, or LOW or less",
    )
    parser.add_argument("--batch", type=int, default=2000, metavar="N", help="boards at a time (default %(default)s)")
    parser.add_argument(
        "--other", type=policy_name, default="max", help="of decisions: the policy that is judged (default %(default)s)"
    )
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
    if args.what == "decisions":
        compare_decisions(deals, _judged(args.other, args.playouts), args.judges)
        return 0
    players = [*(args.policy or map(policy_player, PLAYERS[args.what])), *args.against]
    if args.bounds is not None and len(players) != 2:
        wanted = f"expected two players with --bounds, got {len(players)}: name them by --policy or --against"
        print(wanted, file=sys.stderr)
        return 2
    compare_games(deals, players, args.batch, args.bounds, args.out)
    return 0


def _judged(name: str, playouts: int) -> Callable[..., Move | None]:
    if name == "max":
        return lambda analysis: rollouts.choose(analysis, playouts)
    return policy_named(name).choose


def each_of(deals: SeededDeals) -> Iterator[Deal]:
    """The boards one by one."""
    return (deals[place] for place in range(len(deals)))


def policy_name(name: str) -> str:
    """Return the name of a policy.

    Raises:
        ArgumentTypeError: there is none of this name.
    """
    try:
        policy_named(name)
    except BoardValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return name


def policy_player(text: str) -> Player:
    """Read `NAME`, or `FOLDER:NAME` of another checkout.

    Raises:
        ArgumentTypeError: there is no such policy here, or no such folder.
    """
    folder, _, name = text.rpartition(":")
    if folder and not (Path(folder) / "solver").is_dir():
        raise argparse.ArgumentTypeError(f"expected the folder of a checkout before the colon, got {folder!r}")
    play = partial(_play_there, Path(folder), name) if folder else partial(_play_here, policy_name(name))
    return Player(text, play)


def _play_here(policy: str, deals: SeededDeals) -> Results:
    games = list(iter_games(deals, policy, Loky(-1)))
    return Results(np.array([game.is_won for game in games], float), np.array([game.cpu_s for game in games]))


def _play_there(folder: Path, policy: str, deals: SeededDeals) -> Results:
    """Have another checkout play, in this environment, by the command that every version has."""
    assert deals.first_cell is not None, "both starts of this bench have one"
    boards = ["--size", name_shape(deals.shape), "--mines", str(deals.mines), *(["--wrap"] if deals.wrap else [])]
    begin = ["--first", deals.rule, "--start", ",".join(map(str, deals.first_cell))]
    seeds = ["--seed", str(deals.seed), "-n", str(len(deals))]
    how = ["--policy", policy, "--jobs", "-1", "--per-game", "--json"]
    command = [sys.executable, "-m", "bot", "simulate", *boards, *begin, *seeds, *how]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"in {folder}: {' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    games = json.loads(done.stdout)["per_game"]
    return Results(np.array([game["won"] for game in games], float), np.array([game["cpu_s"] for game in games]))


def file_player(text: str) -> Player:
    """Read who won by seed from a file: lines of two whole numbers, after a line of titles.

    Raises:
        ArgumentTypeError: it cannot be read, or is no such file.
    """
    path = Path(text)
    try:
        rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()[1:]]
        known = {int(row[0]): int(row[1]) for row in rows if row}
    except (OSError, ValueError, IndexError) as error:
        raise argparse.ArgumentTypeError(f"expected a file of lines of seed and won, got {text!r}: {error}") from error

    def look_up(deals: SeededDeals) -> Results:
        won = np.array([known.get(deals.seed_of(place), nan) for place in range(len(deals))])
        return Results(won, np.full(len(deals), nan))

    return Player(path.stem, look_up)


def bounds_of(text: str) -> Bounds:
    """Read two differences of win rates, in points of percent.

    Raises:
        ArgumentTypeError: they are no two numbers, the smaller first.
    """
    try:
        low, high = (float(word) / 100 for word in text.split(","))
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected two numbers such as 0,0.5, got {text!r}") from error
    if not -1 < low < high < 1:
        raise argparse.ArgumentTypeError(f"expected -100 < LOW < HIGH < 100, got {text!r}")
    return Bounds(low, high)


def compare_games(
    deals: SeededDeals, players: Sequence[Player], batch: int, bounds: Bounds | None, out: Path | None = None
) -> None:
    """Have every player play every board, in batches; print the rates, and what each gains over the first.

    Args:
        deals: the boards.
        players: who plays them, the baseline first.
        batch: how many boards each plays before the next player does.
        bounds: the test of two players, after each batch, that may end it; None: all boards are played.
        out: a file to write who won to.
    """
    results: list[list[Results]] = [[] for _ in players]
    for start in range(0, len(deals), batch):
        for player, played in zip(players, results, strict=True):
            played.append(player.play(deals.part(start, min(start + batch, len(deals)))))
        if bounds is not None and abs(_show_test(bounds, *_joined_wins(results))) >= DECIDED:
            break
    won = _joined_wins(results)
    for player, wins, played in zip(players, won, results, strict=True):
        cpu_ms = 1e3 * float(np.mean(np.concatenate([each.cpu_s for each in played])))
        print(f"  {player.name:<28} {_percent(wins)}" + ("" if isnan(cpu_ms) else f"   {cpu_ms:.3f} ms CPU a game"))
    for player, wins in zip(players[1:], won[1:], strict=True):
        gain = _percent(wins - won[0], has_sign=True)
        print(f"  {player.name} - {players[0].name}: {gain}{_alone(pairs_of(won[0], wins))}")
    if out is not None:
        rows = [[deals.seed_of(i), *map(int, row)] for i, row in enumerate(np.nan_to_num(won, nan=-1).T)]
        lines = [" ".join(["seed", *(player.name for player in players)]), *(" ".join(map(str, row)) for row in rows)]
        out.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _joined_wins(results: Sequence[Sequence[Results]]) -> list[NDArray[np.float64]]:
    return [np.concatenate([each.won for each in played]) for played in results]


def pairs_of(baseline: NDArray[np.float64], wins: NDArray[np.float64]) -> Pairs:
    """Count the boards that two players have played, and those that one alone won."""
    gains = wins - baseline
    return Pairs(int((~np.isnan(gains)).sum()), int((gains > 0).sum()), int((gains < 0).sum()))


def _alone(pairs: Pairs) -> str:
    return f", {pairs.gained} gained and {pairs.lost} lost"


def _show_test(bounds: Bounds, baseline: NDArray[np.float64], wins: NDArray[np.float64]) -> float:
    """Print how the test stands; return its log-likelihood ratio."""
    pairs = pairs_of(baseline, wins)
    ratio = bounds.ratio(pairs) if pairs.n else 0.0
    print(f"  {pairs.n} boards{_alone(pairs)}: log-likelihood ratio {ratio:+.2f} of {DECIDED:.2f}", flush=True)
    if abs(ratio) >= DECIDED:
        low, high = (f"{100 * bound:+g} points" for bound in bounds)
        print(f"  decided: {f'{high} or more' if ratio > 0 else f'{low} or less'}")
    return ratio


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
