"""How fast the solver is, in an environment with the extra `bench`.

CPU time, everything in one process on one thread. The peer is ms_toollib (Rust), as far as it is installed. Each is
given a position as its own users hold it, made before the clock starts: ours an int16 array, which `analyse` checks and
copies; the peer's a list of lists. Each gives back the risk of every cell; `analyse` also says which cells are forced.
Each goes through all positions, ROUNDS times, after one call to warm up; each worst case is done once, in a process of
its own, so that it can be stopped.
"""

from __future__ import annotations

import multiprocessing
import random
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benches import cpu_ms, spread
from solver import Board, analyse, kernel, play_game
from solver.board import CLOSED
from solver.layout import LEVELS, Layout

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
ROUNDS = 3
LARGE_SHARES = (0.15, 0.2, 0.25, 0.3, 0.4, 0.6)
PEERS_CLOSED = 10  # ms_toollib's code of a closed cell


class Position(NamedTuple):
    """One line of a file of positions."""

    cells: NDArray[np.int16]
    mines: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--games", type=int, default=10_000, metavar="N", help="whole games (default %(default)s)")
    parser.add_argument("--limit", type=float, default=60, metavar="S", help="seconds for a worst case, each engine")
    parser.add_argument("--no-peer", action="store_true", help="without ms_toollib")


def run(args: argparse.Namespace) -> int:
    """Measure what was asked for and print it."""
    start = time.process_time()
    if not kernel.load():
        print("the kernel is not compiled: python -m solver.kernel")
    print(f"loading the kernel: {time.process_time() - start:.2f} s")
    peer = None if args.no_peer else _find_peer()
    _time_positions(read_positions(GOLDEN / "positions-expert-500.txt"), peer)
    _time_worst(read_positions(GOLDEN / "positions-worst.txt"), args.limit, with_peer=peer is not None)
    _time_large()
    _time_games(args.games)
    return 0


def read_positions(path: Path) -> list[Position]:
    """Read positions, a line each; see tests/golden/SOURCE.md."""
    positions = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            fields = line.split()
            rows = [[CLOSED if letter == "." else int(letter) for letter in row] for row in fields[-1].split("/")]
            positions.append(Position(np.array(rows, dtype=np.int16), int(fields[4])))
    return positions


def _find_peer() -> Callable[[list[list[int]], float], Any] | None:
    try:
        import ms_toollib  # noqa: PLC0415 - an extra
    except ImportError:
        print("ms_toollib is not installed (pip install '.[bench]'): nothing to compare with")
        return None
    peer: Callable[[list[list[int]], float], Any] = ms_toollib.cal_probability_onboard
    return peer


def _for_peer(cells: NDArray[np.int16]) -> list[list[int]]:
    rows: list[list[int]] = np.where(cells == CLOSED, PEERS_CLOSED, cells).tolist()
    return rows


def _time_positions(positions: Sequence[Position], peer: Callable[[list[list[int]], float], Any] | None) -> None:
    boards = [Board(cells, mines) for cells, mines in positions]
    lists = [(_for_peer(cells), float(mines)) for cells, mines in positions]
    engines: list[tuple[str, Callable[..., Any], Sequence[tuple[Any, ...]]]] = [("analyse", analyse, positions)]
    if kernel.load():
        engines.append(("the kernel alone", kernel.analyse, [(board,) for board in boards]))
    if peer is not None:
        engines.append(("ms_toollib", peer, lists))
    summaries = {}
    print(f"\n{len(positions)} expert positions, {ROUNDS} rounds, CPU ms   median      p95      max")
    for name, work, inputs in engines:
        work(*inputs[0])
        summaries[name] = spread([cpu_ms(partial(work, *given)) for _ in range(ROUNDS) for given in inputs])
        print(f"  {name:<36}" + "".join(f"{value:9.4f}" for value in summaries[name]))
    if peer is not None:
        ratios = [b / a for a, b in zip(summaries["analyse"], summaries["ms_toollib"], strict=True)]
        print(f"  {'ms_toollib / analyse':<36}" + "".join(f"{ratio:9.1f}" for ratio in ratios))


def _time_worst(positions: Sequence[Position], limit_s: float, *, with_peer: bool) -> None:
    print(f"\nworst cases, seconds (limit {limit_s:g})    analyse   ms_toollib")
    is_peer_lost = not with_peer
    for number, position in enumerate(positions, start=1):
        rows, cols = position.cells.shape
        ours = _limited(_analyse_worst, position, limit_s)
        theirs = None if is_peer_lost else _limited(_peer_worst, position, limit_s)
        shown = "not tried" if is_peer_lost else _in_words(theirs)
        is_peer_lost = is_peer_lost or theirs is None  # the next one is harder still
        print(f"  {number}: {cols}x{rows}, {position.mines} mines{_in_words(ours):>18}{shown:>13}", flush=True)


def _in_words(seconds: float | None) -> str:
    return "stopped" if seconds is None else f"{seconds:.4f}"


def _analyse_worst(position: Position) -> None:
    assert not np.isnan(analyse(position.cells, position.mines).p_mine[position.cells == CLOSED]).any()


def _peer_worst(position: Position) -> None:
    import ms_toollib  # noqa: PLC0415 - an extra

    ms_toollib.cal_probability_onboard(_for_peer(position.cells), float(position.mines))


def _limited(work: Callable[[Position], None], position: Position, limit_s: float) -> float | None:
    """CPU seconds of some work in a process of its own; None when it takes longer than that, or fails."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_report_seconds, args=(work, position, sender))
    process.start()
    sender.close()
    try:
        return float(receiver.recv()) if receiver.poll(limit_s + 5) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


def _report_seconds(work: Callable[[Position], None], position: Position, sender: Any) -> None:
    kernel.load()
    start = time.process_time()
    work(position)
    sender.send(time.process_time() - start)


def _time_large() -> None:
    print("\n100x100 cells, 40 % mines, a share of the others open at random, CPU seconds")
    for share in LARGE_SHARES:
        board = _large_board(share)
        start = time.process_time()
        analysis = analyse(board)
        seconds = time.process_time() - start
        n_forced, n_estimates = len(analysis.safe) + len(analysis.mines), int(analysis.is_estimate.sum())
        risks = f"{n_estimates} risks estimated" if n_estimates else "all risks exact"
        print(f"  {share:4.0%} open: {seconds:6.2f}   {n_forced} cells forced, {risks}", flush=True)


def _large_board(open_share: float, side: int = 100, mine_share: float = 0.4) -> Board:
    rng = random.Random(1)
    layout = Layout.of_cells(
        (side, side), [divmod(i, side) for i in rng.sample(range(side**2), int(mine_share * side**2))]
    )
    is_open = np.array([rng.random() < open_share for _ in range(side**2)]).reshape(side, side)
    return Board(
        np.where(is_open & ~layout.has_mine, layout.numbers, CLOSED).astype(np.int16), int(mine_share * side**2)
    )


def _time_games(n_games: int) -> None:
    level = LEVELS["expert"]
    layouts = (_layout_of_seed(seed, level.rows, level.cols, level.mines) for seed in range(1, n_games + 1))
    times, won = [], []
    for layout in layouts:
        start = time.process_time()
        won.append(play_game(layout, (0, 0)).is_won)
        times.append(1e3 * (time.process_time() - start))
    if any(won):
        print(f"\n{n_games} expert games by the base policy, seeds 1-{n_games}, safe start in the corner:")
        slowest_won = np.percentile(np.array(times)[won], 95)
        print(f"  {np.mean(times):.3f} ms CPU a game, {np.mean(won):.2%} won; 95 % of those in {slowest_won:.3f} ms")


def _layout_of_seed(seed: int, rows: int, cols: int, n_mines: int) -> Layout:
    has_mine = np.zeros(rows * cols, dtype=np.bool_)
    has_mine[random.Random(seed).sample(range(1, rows * cols), n_mines)] = True
    return Layout(has_mine.reshape(rows, cols))
