"""`minebot simulate`: many games without a screen: how many are won, how, how fast, and do predicted risks hold?"""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.commands.arguments import (
    add_board_arguments,
    add_play_arguments,
    add_size,
    backend_of,
    policy_to_play,
    seeded_deals,
    whole,
)
from bot.console import emit, tell
from bot.errors import UsageError
from bot.images import check_can_save
from bot.reporting.status import GamesBar
from bot.signals import STOPPED, note_stop
from skins.errors import FileError
from skins.files import read_file
from solver.board import known_risk
from solver.errors import BoardTextError
from solver.formats import decode
from solver.simulation import PRESETS, ListedDeals, RunFile, SeededDeals, Summary, iter_games, parse_deals, play_game
from solver.strategy import policy_named
from solver.words import counted, name_cell, name_shape

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from solver.simulation import Backend, Deals, Opened, PlayedGame

EXAMPLE = "minebot simulate expert -n 1000 --jobs 4"

_MOST_BYTES = 2**27  # most bytes of a file of boards: 200,000 Expert boards, which take 0.5 GB once they are read
_DEFAULT_GAMES = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "preset", nargs="?", choices=list(PRESETS), metavar="PRESET", help=f"a board with a name: {', '.join(PRESETS)}"
    )
    add_size(parser, "or the size of a board, such as 16x30 or 4x4x4x4")
    parser.add_argument("--mines", type=whole(0), metavar="N", help="how many mines (default: the preset's)")
    parser.add_argument("--boards", type=Path, metavar="FILE", help="instead, the boards of a file or of a recording")
    parser.add_argument(
        "-n", dest="n", type=whole(1), metavar="N", help=f"how many games (default {_DEFAULT_GAMES}; with --boards all)"
    )
    add_board_arguments(parser)
    add_play_arguments(parser)
    parser.add_argument(
        "--efficient",
        action="store_true",
        help="the same guesses in few clicks, with chords and flags; tells 3BV/clicks",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep every game; an interrupted run goes on from it")
    parser.add_argument("--per-game", action="store_true", help="list every game")
    parser.add_argument("--plot", type=Path, metavar="OUT.png", help="draw win rate and calibration")
    parser.add_argument("-v", "--verbose", action="store_true", help="say every move, on standard error")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Play; return 0, however the games went. A person who stops it sees the figures of the games so far."""
    if args.plot is not None:
        check_can_save(args.plot)
    backend = backend_of(args)
    if args.verbose and backend is not None:
        raise UsageError("-v says every move in its order: it goes with neither --jobs nor --backend dask")
    deals = _deals(args)
    args.policy = policy_to_play(args.policy)
    if args.efficient:
        args.policy = policy_named(args.policy).efficient.name
    played = _play(deals, args, backend)
    if played.n_done:
        tell(f"{args.out}: {counted(played.n_done, 'game')} played before")
    if args.plot is not None:
        from bot.reporting.drawing.plots import save_simulation

        save_simulation(played.summary, args.plot)
    told = {**deals.describe(), "policy": args.policy, **played.summary.as_json()}
    told |= {"seconds": played.seconds, "games_per_s": played.games_per_s}
    told |= {"stopped": True} if played.is_stopped else {}
    told |= {"per_game": played.listed} if args.per_game else {}
    lines = _as_lines(deals, args.policy, played.summary, played.games_per_s)
    emit(told, [*lines, *_per_game_lines(played.listed)], as_json=args.json)
    if not played.is_stopped:
        return 0
    goes_on = "the same command goes on from there" if args.out else "with --out FILE it could go on from there"
    tell(f"stopped after {played.summary.n_games:,} of {counted(len(deals), 'game')}; {goes_on}")
    return STOPPED


@dataclass
class _Played:
    """What came of the games.

    Attributes:
        summary: of all of them.
        listed: each one, for --per-game.
        n_done: how many an earlier run had played.
        seconds: what the others took.
        is_stopped: whether a person ended it.
    """

    summary: Summary = field(default_factory=Summary)
    listed: list[dict[str, Any]] = field(default_factory=list)
    n_done: int = 0
    seconds: float = 0.0
    is_stopped: bool = False

    @property
    def games_per_s(self) -> float | None:
        """How fast they were played now; None where none was."""
        n_new = self.summary.n_games - self.n_done
        return n_new / self.seconds if n_new else None


def _play(deals: Deals, args: argparse.Namespace, backend: Backend | None) -> _Played:
    """Play until all are played, or a person stops it; an earlier run's games are taken from its file.

    Raises:
        KeyboardInterrupt: a person stopped it before the first game had ended.
    """
    result = _Played()
    summary = result.summary
    with ExitStack() as stack:
        kept = stack.enter_context(RunFile(args.out, {**deals.describe(), "policy": args.policy})) if args.out else None
        done = kept.games[: len(deals)] if kept else []
        result.n_done = len(done)
        bar = stack.enter_context(GamesBar(len(deals), "playing"))
        begun_at_s = time.perf_counter()
        new = deals.part(len(done), len(deals))
        games = _trace(new, args.policy) if args.verbose else iter_games(new, args.policy, backend)
        try:
            for place, game in enumerate(chain(done, games)):
                summary.add(game)
                if kept is not None and place >= len(done):
                    kept.add(deals.seed_of(place), game)
                if args.per_game:
                    result.listed.append(_game_as_json(deals.seed_of(place), game))
                bar.show(summary.n_games, f"{summary.n_won / summary.n_games:.1%} won")
        except KeyboardInterrupt:
            if not summary.n_games:
                raise
            note_stop()
            result.is_stopped = True
        result.seconds = time.perf_counter() - begun_at_s
    return result


def _deals(args: argparse.Namespace) -> Deals:
    if sum(given is not None for given in (args.preset, args.shape, args.boards)) != 1:
        raise UsageError("expected one of a preset's name (such as expert), --size and --boards")
    if args.boards is not None:
        return _load_deals(args)
    if args.preset is not None:
        preset = PRESETS[args.preset]
        mines = preset.mines if args.mines is None else args.mines
        return seeded_deals(args, preset.shape, mines, args.n or _DEFAULT_GAMES, wrap=preset.wrap or args.wrap)
    if args.mines is None:
        raise UsageError("expected --mines with --size")
    return seeded_deals(args, args.shape, args.mines, args.n or _DEFAULT_GAMES, wrap=args.wrap)


def _load_deals(args: argparse.Namespace) -> Deals:
    from bot.reporting.recorded_games import load_recorded_deals
    from bot.reporting.recording import is_recording

    if args.mines is not None or args.start is not None or args.first is not None or args.seed is not None:
        raise UsageError("--boards says where mines are and where to begin: no --mines, --first, --start or --seed")
    if is_recording(args.boards):
        deals = load_recorded_deals(args.boards)
    else:
        try:
            deals = parse_deals(decode(read_file(args.boards, _MOST_BYTES), _MOST_BYTES), wrap=args.wrap)
        except FileError as error:
            raise UsageError(str(error)) from error
        except BoardTextError as error:
            hint = "'minebot generate --format boards' writes such files"
            raise UsageError(f"{args.boards}: {error} ({hint})") from error
    if not deals:
        raise UsageError(f"{args.boards}: holds no board")
    return ListedDeals(deals[: args.n])


def _trace(deals: Deals, policy: str) -> Iterator[PlayedGame]:
    """Play the games, saying every move on standard error."""
    chosen = policy_named(policy)
    for place in range(len(deals)):
        deal = deals[place]
        print(f"seed {deal.seed}", file=sys.stderr)
        game = play_game(deal.layout, deal.first_cell, chosen, rule=deal.rule, watch=_say_move)
        print("  won" if game.is_won else "  lost", file=sys.stderr)
        yield game


def _say_move(move: Opened) -> None:
    risk = "" if move.method != "guess" else f", risk {move.p_mine:.2%}"
    print(f"  {name_cell(move.cell)} {move.method}{risk}{': a mine' * move.was_mine}", file=sys.stderr)


def _game_as_json(seed: int, game: PlayedGame) -> dict[str, Any]:
    return {
        "seed": seed,
        "won": game.is_won,
        "guesses": [{"p_mine": known_risk(p_mine), "was_mine": was_mine} for p_mine, was_mine in game.guesses],
        "moves": game.moves.total,
        "cpu_s": game.cpu_s,
        **game.counted,
    }


def _as_lines(deals: Deals, policy: str, summary: Summary, games_per_s: float | None) -> list[str]:
    assert summary.interval is not None, "there is a game"
    low, high = summary.interval
    speed = "" if games_per_s is None else f", {games_per_s:.4g} games/s"
    n_moves = sum(summary.moves.values())
    rate = f"{summary.n_won / summary.n_games:.2%} ({low:.2%} to {high:.2%} with 95 % confidence)"
    lines = [
        f"{_describe(deals)}; policy {policy}",
        f"{counted(summary.n_games, 'game')}, {summary.n_won:,} won: {rate}",
        f"{1e3 * summary.cpu_s / summary.n_games:.4g} ms CPU a game{speed}",
        *_efficiency_lines(summary),
        "",
        f"{'moves by method':<16}{'total':>12}{'per game':>12}{'%':>9}",
    ]
    for method, n in summary.moves.items():
        lines.append(f"{method:<16}{n:>12}{n / summary.n_games:>12.3f}{100 * n / n_moves:>9.2f}")
    if summary.buckets:
        lines += ["", f"{'predicted risk':<16}{'guesses':>12}{'mean':>12}{'observed':>12}{'sigma':>8}"]
    for bucket in summary.buckets:
        sigma = "-" if bucket.deviation is None else f"{bucket.deviation:+.2f}"
        lines.append(
            f"{f'{bucket.low:.2f} to {bucket.high:.2f}':<16}{bucket.n_guesses:>12}{bucket.predicted:>12.4f}"
            f"{bucket.observed:>12.4f}{sigma:>8}"
        )
    if summary.n_unknown_risks:
        lines.append(f"{counted(summary.n_unknown_risks, 'guess')} of a risk that was not known")
    return lines


def _efficiency_lines(summary: Summary) -> list[str]:
    if summary.efficiency is None:
        return []
    mean, margin = summary.efficiency
    return [f"3BV/clicks of {counted(len(summary.efficiencies), 'won game')}: {mean:.2%} +- {margin:.2%} in the mean"]


def _describe(deals: Deals) -> str:
    if not isinstance(deals, SeededDeals):
        return counted(len(deals), "board")
    start = "" if deals.first_cell is None else f" at {name_cell(deals.first_cell)}"
    wrapped = ", wrapped" if deals.wrap else ""
    last = deals.seed + deals.n - 1
    return (
        f"{name_shape(deals.shape)}{wrapped}, {counted(deals.mines, 'mine')}; first click: {deals.rule}{start}; "
        f"seeds {deals.seed} to {last}"
    )


def _per_game_lines(listed: list[dict[str, Any]]) -> list[str]:
    if not listed:
        return []
    lines = ["", f"{'seed':>12}{'':>6}{'guesses':>9}{'moves':>8}{'CPU ms':>11}"]
    for game in listed:
        won = "won" if game["won"] else "lost"
        lines.append(
            f"{game['seed']:>12}{won:>6}{len(game['guesses']):>9}{game['moves']:>8}{1e3 * game['cpu_s']:>11.3f}"
        )
    return lines
