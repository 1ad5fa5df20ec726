"""`minebot play`: arms the hot key; plays what it finds on the screen."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from bot.models import Region

EXAMPLE = "minebot play --games 5        (then press F10; Esc stops)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--now", action="store_true", help="begin at once, without the hot key")
    parser.add_argument("--games", type=int, default=1, metavar="N", help="how many games to play (default 1)")
    parser.add_argument("--skin", default="auto", help="a skin's name, or auto (the default): try them all")
    parser.add_argument("--mines", type=int, metavar="N", help="how many mines, where neither counter nor size tell")
    parser.add_argument("--stop-on-loss", action="store_true", help="end after the first lost game")
    parser.add_argument("--record", type=Path, metavar="DIR", help="keep pictures and decisions in a new folder")
    parser.add_argument("--hotkey", default="f10", help="starts, pauses and goes on (default f10)")
    parser.add_argument("--abort-key", default="esc", help="stops (default esc)")
    parser.add_argument("--region", metavar="L,T,W,H", help="look for the board in this part of the screen only")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")


def run(args: argparse.Namespace) -> int:
    """Play; the exit code is 0 when every game was won, 1 when one was lost."""
    from rich.console import Console

    from bot.control import Control
    from bot.errors import UsageError
    from bot.journal import Journal
    from bot.remarks import tell
    from bot.results import Tally
    from bot.session import PlayOptions, listening, play, real_ports
    from bot.status import Status, results_table
    from skins import load_skins

    if args.games < 1:
        raise UsageError(f"expected at least 1 game, got {args.games}")
    options = PlayOptions(
        n_games=args.games,
        mines=args.mines,
        stop_on_loss=args.stop_on_loss,
        start_key=args.hotkey,
        abort_key=args.abort_key,
        region=_parse_region(args.region),
    )
    skins = load_skins(args.skin, tell=tell)
    control = Control(running=args.now)
    tally = Tally()
    try:
        with ExitStack() as stack:
            ports = stack.enter_context(real_ports())
            stack.enter_context(listening(control, options))
            journal = None if args.record is None else stack.enter_context(Journal(args.record))
            status = stack.enter_context(Status(options.n_games))
            if not args.now:
                status.remark(f"Press {args.hotkey.upper()} to start and pause, {args.abort_key.upper()} to stop.")
            play(ports, skins, options, control, status, tally=tally, journal=journal)
    finally:
        if args.json:
            print(json.dumps(tally.as_json()))
        elif tally.games:
            Console().print(results_table(tally))
    return 0 if tally.n_won == len(tally.games) else 1


def _parse_region(text: str | None) -> Region | None:
    from bot.errors import UsageError
    from bot.models import Region

    if text is None:
        return None
    try:
        left, top, width, height = (int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"expected --region LEFT,TOP,WIDTH,HEIGHT in pixels, got {text!r}") from None
    if width < 1 or height < 1:
        raise UsageError(f"expected a --region at least 1 pixel wide and high, got {text!r}")
    return Region(left, top, width, height)
