"""`minebot density`: how many mines a board may have and still be won."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.arguments import (
    add_board_arguments,
    add_play_arguments,
    backend_of,
    parse_size,
    policy_to_play,
    seeded_deals,
    whole,
)
from bot.console import emit
from bot.errors import UsageError
from bot.images import check_can_save
from bot.reporting.status import GamesBar
from solver.simulation import iter_games, win_interval

if TYPE_CHECKING:
    import argparse

    from solver.simulation import Backend, SeededDeals

EXAMPLE = "minebot density 8x8 --from 20 --wins 10"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("shape", type=parse_size, metavar="RxC", help="the size of the board, such as 8x8")
    parser.add_argument(
        "--from", dest="fewest", type=whole(0), required=True, metavar="M", help="the mine count to begin with"
    )
    parser.add_argument("--wins", type=whole(1), default=10, metavar="K", help="games to win at each (default 10)")
    parser.add_argument(
        "--tries",
        type=whole(1),
        default=1000,
        metavar="N",
        help="games to win them in, else it ends (default 1000)",
    )
    add_board_arguments(parser)
    add_play_arguments(parser)
    parser.add_argument("--plot", type=Path, metavar="OUT.png", help="draw the win rate by mine count")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Add mine after mine until too few games are won; return 0."""
    if args.plot is not None:
        check_can_save(args.plot)
    backend = backend_of(args)
    if args.wins > args.tries:
        raise UsageError(f"expected --wins of 1 to {args.tries} (--tries), got {args.wins}")
    shape = args.shape
    most = seeded_deals(args, shape, args.fewest, args.tries, wrap=args.wrap).most_mines
    args.policy = policy_to_play(args.policy)
    rows: list[dict[str, Any]] = []
    if not args.json:
        print(f"{'mines':>7}{'density':>9}{'games':>8}{'won':>7}{'win rate':>10}   95 % interval", flush=True)
    for mines in count(args.fewest):
        if mines > most:
            break
        row = _play(seeded_deals(args, shape, mines, args.tries, wrap=args.wrap), args.policy, args.wins, backend)
        rows.append(row)
        if not args.json:
            print(_as_line(row), flush=True)
        if row["won"] < args.wins:
            break
    if args.plot is not None:
        from bot.reporting.drawing.plots import save_density

        save_density(rows, args.plot)
    won = [row["mines"] for row in rows if row["won"] >= args.wins]
    told = {"shape": shape, "wins": args.wins, "most_mines": max(won, default=None), "rows": rows}
    line = f"most mines with {args.wins} games won of at most {args.tries}: {max(won, default='none')}"
    emit(told, [line], as_json=args.json)
    return 0


def _play(deals: SeededDeals, policy: str, n_wanted: int, backend: Backend | None) -> dict[str, Any]:
    """Play until enough games are won, or all are played."""
    n_games = n_won = 0
    with GamesBar(len(deals), f"mines: {deals.mines}") as bar:
        for game in iter_games(deals, policy, backend):
            n_games += 1
            n_won += game.is_won
            bar.show(n_games, f"{n_won} of {n_wanted} won")
            if n_won == n_wanted:
                break
    return {
        "mines": deals.mines,
        "density": deals.mines / deals.n_cells,
        "games": n_games,
        "won": n_won,
        "win_rate": n_won / n_games,
        "ci95": list(win_interval(n_won, n_games)),
    }


def _as_line(row: dict[str, Any]) -> str:
    low, high = row["ci95"]
    return (
        f"{row['mines']:>7}{row['density']:>9.4f}{row['games']:>8}{row['won']:>7}{row['win_rate']:>10.2%}"
        f"   {low:.2%} to {high:.2%}"
    )
