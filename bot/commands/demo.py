"""`minebot demo`: the built-in game, opened in a real window and played for real."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

    from bot.playing.results import Tally

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
    from bot.desktop.session import has_display
    from bot.errors import UsageError
    from bot.playing.control import Control
    from bot.playing.results import Tally
    from bot.playing.session import PlayOptions, listening, real_ports
    from bot.reporting.journal import Journal
    from bot.reporting.status import Status
    from bot.virtual_screen import virtual_screen
    from bot.warm_up import warm_up
    from solver.layout import LEVELS

    if args.games is not None and args.games < 1:
        raise UsageError(f"expected at least 1 game, got {args.games}")
    warm_up()
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
        stack.enter_context(listening(control, options, ports.keyboard))
        status = Status(None if args.games is None else args.games * len(levels))
        stack.callback(_tell_of_what_was_played, tally, journal.folder, as_json=args.json)
        stack.enter_context(status)  # it is off the screen before the table comes
        status.remark("The bot plays by looking and clicking: leave the mouse alone. Esc stops, F10 pauses.")
        run_demo(ports, levels, options, control, status, journal=journal, tally=tally, seed=args.seed)
    return 0


def _tell_of_what_was_played(tally: Tally, folder: Path, *, as_json: bool) -> None:
    """Say it, also where play was stopped."""
    from rich.console import Console

    from bot.demo import LAST_BOARD
    from bot.reporting.status import results_table

    picture = folder / LAST_BOARD
    if as_json:
        print(json.dumps(tally.as_json() | {"recording": str(folder), "picture": str(picture)}))
        return
    console = Console()
    console.print(results_table(tally))
    console.print(f"recording:  {folder}", soft_wrap=True, highlight=False)
    if picture.exists():
        console.print(f"last board: {picture}", soft_wrap=True, highlight=False)


def _new_folder() -> Path:
    import platformdirs

    folder = platformdirs.user_data_path("minebot", appauthor=False) / "recordings"
    return folder / time.strftime("demo-%Y%m%d-%H%M%S")
