"""`minebot demo`: the built-in game, opened in a real window and played for real."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

EXAMPLE = "minebot demo --level expert --games 3"
MOST_GAMES = 12
"""Even Expert is hardly ever lost this often in a row: 0.61 ** 12 = 0.3 %."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--level", choices=("beginner", "intermediate", "expert"), help="one level; default: all three")
    parser.add_argument("--games", type=int, metavar="N", help="games of each level; default: until one is won")
    parser.add_argument("--headless", action="store_true", help="play on a virtual screen (Linux, needs Xvfb)")
    parser.add_argument("--seed", type=int, metavar="N", help="for the layouts of the games; default: new ones")
    parser.add_argument("--record", type=Path, metavar="DIR", help="where to keep the recording; default: user data")
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")


def run(args: argparse.Namespace) -> int:
    """Play every level; the exit code is 0 when all games were played to their ends, won or lost."""
    from rich.console import Console

    from bot.demo import run_demo
    from bot.errors import UsageError
    from bot.playing.control import Control
    from bot.playing.results import Tally
    from bot.playing.session import PlayOptions, listening, real_ports
    from bot.ports.session import has_display
    from bot.telling.journal import Journal
    from bot.telling.status import Status, results_table
    from bot.virtual_screen import virtual_screen
    from solver.layout import LEVELS

    if args.games is not None and args.games < 1:
        raise UsageError(f"expected at least 1 game, got {args.games}")
    levels = list(LEVELS) if args.level is None else [args.level]
    options = PlayOptions(n_games=args.games or MOST_GAMES, stop_on_win=args.games is None)
    control = Control(running=True)
    tally = Tally()
    with ExitStack() as stack:
        if args.headless or not has_display():
            display = stack.enter_context(virtual_screen())
            Console(stderr=True).print(f"No display is used: playing on the virtual screen {display}.")
        journal = stack.enter_context(Journal(args.record or _new_folder()))
        ports = stack.enter_context(real_ports())
        stack.enter_context(listening(control, options))
        status = stack.enter_context(Status(None if args.games is None else args.games * len(levels)))
        status.remark("The bot plays by looking and clicking: leave the mouse alone. Esc stops, F10 pauses.")
        picture = run_demo(ports, levels, options, control, status, journal=journal, tally=tally, seed=args.seed)
    if args.json:
        paths = {"recording": str(journal.folder), "picture": str(picture)}
        print(json.dumps(tally.as_json() | paths))
    else:
        console = Console()
        console.print(results_table(tally))
        console.print(f"recording:  {journal.folder}", soft_wrap=True, highlight=False)
        console.print(f"last board: {picture}", soft_wrap=True, highlight=False)
    return 0


def _new_folder() -> Path:
    import platformdirs

    folder = platformdirs.user_data_path("minebot", appauthor=False) / "recordings"
    return folder / time.strftime("demo-%Y%m%d-%H%M%S")
