"""The bot on Windows beside the bot on X11, in one run.

Both play the same winemine, of one wine prefix on one virtual screen: the bot of this Python by X11, the bot in CPython
for Windows (`scripts/windows.py`) by Windows' own calls under wine. Prints the milliseconds of a capture of the screen
and of the board, of reading the board and of a move of the pointer, then the seconds of played games.
"""

from __future__ import annotations

import importlib
import json
import os
import statistics
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import windows_env

from bot.virtual_screen import xvfb

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
MEASURE = """
import json, statistics, time
from bot.desktop import this_platform
screen = this_platform().screen()
from bot.models import Pixel
from bot.vision.finding import locate_board
from bot.vision.reading import Reader
from skins import load_shipped_skins
mouse = this_platform().mouse()
board = locate_board(screen.grab(), load_shipped_skins())
reader = Reader(board.skin, board.grid, 99)
frame = screen.grab(board.grid.region)
middle = board.grid.region.middle
places = [Pixel(middle.x + n % 50, middle.y + n % 7) for n in range(200)]
def ms(act, n):
    times = []
    for step in range(n):
        start = time.perf_counter()
        act(step)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)
print(json.dumps({
    "capture of the screen": ms(lambda _: screen.grab(), 30),
    "capture of the board": ms(lambda _: screen.grab(board.grid.region), 200),
    "reading the board": ms(lambda _: reader.read(frame), 200),
    "a move of the pointer": ms(lambda n: mouse.move(places[n]), 200),
}))
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--games", type=int, default=10, metavar="N", help="games of each (default %(default)s)")
    parser.add_argument("--level", choices=("beginner", "expert"), default="expert")


def run(args: argparse.Namespace) -> int:
    """Measure and print."""
    winemine = importlib.import_module("winemine")
    windows = windows_env.prepare()
    windows.compile_kernel()
    with ExitStack() as stack:
        display = stack.enter_context(xvfb())
        stack.enter_context(importlib.import_module("window_manager").openbox(display))
        wine = stack.enter_context(winemine.wine_prefix(display, windows.prefix))
        where = {name: wine.variables[name] for name in ("DISPLAY", "HOME", "WINEPREFIX")}
        here = {**os.environ, "DISPLAY": display, "PYTHONPATH": str(ROOT)}
        pythons = {"X11": ([sys.executable], here), "wine": (windows.command("python"), windows.environment(**where))}
        found: dict[str, dict[str, float]] = {}
        for name, (python, variables) in pythons.items():
            with wine.winemine(args.level):
                figures: dict[str, float] = _told([*python, "-c", MEASURE], variables)
            with wine.winemine(args.level):
                play = ("play", "--now", "--games", str(args.games), "--json")
                games = _told([*python, "-m", "bot", *play], variables)["games"]
            seconds = [game["seconds"] for game in games]
            figures["a click, games through"] = 1e3 * sum(seconds) / sum(game["clicks"] for game in games)
            won = [game["seconds"] for game in games if game["result"] == "won"]
            figures["a won game"] = 1e3 * statistics.median(won) if won else float("nan")
            figures["games won"] = len(won)
            found[name] = figures
    print(f"{'median ms':<26}" + "".join(f"{name:>10}" for name in found))
    for what in found["X11"]:
        print(f"{what:<26}" + "".join(f"{figures[what]:>10.2f}" for figures in found.values()))
    return 0


def _told(command: Sequence[str], variables: dict[str, str]) -> Any:
    """The JSON object that a command prints."""
    done = subprocess.run(command, env=variables, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if not done.stdout:
        sys.stderr.buffer.write(done.stderr)
    return json.loads(done.stdout)
