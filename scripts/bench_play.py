"""How fast the bot plays a real clone: `python scripts/bench_play.py [--games N] [--plain N] [--level L]`.

Plays WineMine (wine and Xvfb needed; both run on a virtual screen of their own), first by `minebot play`, then by the
fastest plain loop that can be had with the same eyes and brain: capture the whole screen, read all of
the board, click one cell at pyautogui's own pace, and again. Prints seconds per won game, clicks per second, the share
of clicks made again, and the ratio. Every press is also counted by an independent listener on the X server: a press
beside the board and its face is a stray.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.playing.decide import decide_moves
from bot.playing.transitions import is_whole
from bot.virtual_screen import xvfb
from bot.vision.finding import locate_board
from bot.vision.reading import read_board
from skins import load_shipped_skins
from solver.board import GameState
from solver.errors import InconsistentError
from solver.layout import LEVELS

if TYPE_CHECKING:
    from collections.abc import Sequence

SUPPORT = Path(__file__).resolve().parent.parent / "tests" / "support"
PLAIN = "--as-plain-loop"
DIALOG_S = 1.0
"""A board that cannot be read for so long is under a dialog."""


def main(arguments: Sequence[str]) -> int:
    """Measure and print; return 1 where a press was a stray."""
    parser = argparse.ArgumentParser(prog="bench_play.py", description="Measures play on a real WineMine.")
    parser.add_argument("--games", type=int, default=20, metavar="N", help="games of the bot (default %(default)s)")
    parser.add_argument(
        "--plain", type=int, default=4, metavar="N", help="games of the plain loop (default %(default)s)"
    )
    parser.add_argument("--level", choices=("beginner", "expert"), default="expert")
    args = parser.parse_args(arguments)
    sys.path.insert(0, str(SUPPORT))
    winemine, xwatch, bot_process = (importlib.import_module(name) for name in ("winemine", "xwatch", "bot_process"))
    with ExitStack() as stack:
        display = stack.enter_context(xvfb())
        manager = subprocess.Popen(["openbox"], env={**os.environ, "DISPLAY": display}, stderr=subprocess.DEVNULL)
        stack.callback(manager.terminate)
        wine = stack.enter_context(winemine.wine_prefix(display))
        with wine.winemine(args.level) as window, xwatch.XWatch(display) as witness:
            code, output, said = bot_process.run_bot(
                *("play", "--now", "--games", str(args.games), "--json"), display=display, timeout_s=3600.0
            )
        if code not in {0, 1}:
            print(said, file=sys.stderr)
            return int(code)
        games = json.loads(output)["games"]
        strays = [event for event in witness.of("press") if not window.allows_click(event.x, event.y)]
        ours = _summary("minebot", [game for game in games if game["result"] == "won"], len(games), len(strays))
        plain: list[dict[str, Any]] = []
        while len(plain) < args.plain:
            with wine.winemine(args.level):
                plain.append(_played_plainly(display, args.level))
        won = [game for game in plain if game["result"] == "won"]
        theirs = _summary("plain loop", won, len(plain), 0)
        # Lost games tell its pace as well: seconds for as many clicks as the median won game of the bot takes.
        per_click = statistics.mean(game["seconds"] / game["clicks"] for game in plain if game["clicks"])
        needed = statistics.median(game["clicks"] for game in games if game["result"] == "won") if ours else 0
        print(f"plain loop: {1000 * per_click:.0f} ms a click, so {per_click * needed:.1f} s for {needed:.0f} clicks")
        if ours:
            print(f"ratio per won game: {(theirs or per_click * needed) / ours:.1f}")
    return 1 if strays else 0


def _summary(who: str, won: list[dict[str, Any]], n_games: int, n_strays: int) -> float | None:
    """Print a line about some games; the median seconds of a won one."""
    if not won:
        print(f"{who}: won 0 of {n_games}")
        return None
    seconds = [game["seconds"] for game in won]
    pace = sum(game["clicks"] for game in won) / sum(seconds)
    retries = sum(game.get("retries", 0) for game in won) / sum(game["clicks"] for game in won)
    middle = statistics.median(seconds)
    print(
        f"{who}: won {len(won)} of {n_games}; seconds: best {min(seconds):.2f}, median {middle:.2f}, "
        f"worst {max(seconds):.2f}; {pace:.0f} clicks/s, {retries:.2%} of them made again; {n_strays} strays"
    )
    return float(middle)


def _played_plainly(display: str, level: str) -> dict[str, Any]:
    """One game by the plain loop, in a process of its own: pyautogui knows one display."""
    command = [sys.executable, __file__, PLAIN, level]
    done = subprocess.run(command, env={**os.environ, "DISPLAY": display}, capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def play_plainly(level: str) -> dict[str, Any]:
    """Capture, read everything, click one cell, again; at pyautogui's own pace."""
    from bot.desktop import this_platform  # noqa: PLC0415 - needs a display

    screen = this_platform().screen()
    import pyautogui  # noqa: PLC0415 - as above; and mss comes first

    skins, mines = load_shipped_skins(), LEVELS[level][2]
    board = locate_board(screen.grab(), skins)
    begun_at = seen_at = time.perf_counter()
    n_clicks = 0
    while True:
        reading = read_board(screen.grab(), board.grid, board.skin, mines)
        if reading.state in (GameState.WON, GameState.LOST):
            break
        if not is_whole(reading):
            if time.perf_counter() - seen_at > DIALOG_S:  # a best time asks for a name
                pyautogui.press("enter")
            continue
        seen_at = time.perf_counter()
        try:
            move = decide_moves(reading).moves[0]
        except InconsistentError:
            continue
        pyautogui.click(*board.grid.cell_region(move.cell).middle)
        n_clicks += 1
    return {"result": reading.state.value, "seconds": seen_at - begun_at, "clicks": n_clicks}


if __name__ == "__main__":
    if sys.argv[1:2] == [PLAIN]:
        print(json.dumps(play_plainly(sys.argv[2])))
        sys.exit(0)
    sys.exit(main(sys.argv[1:]))
