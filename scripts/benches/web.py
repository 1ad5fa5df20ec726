"""How a board on a web page is learned and played.

Opens the tests' own page in a real Chromium, each time with other looks and manners, drawn from their number. Each is
learned by `minebot-calibrate --live` and played with what was learned. A line says how that went: verified or refused,
cells read as the page's truth has them, unknown and wrong, games played to their ends, and what must never be: presses
beside the board, guesses made while a safe cell exists (the page makes each a mine), a board found elsewhere.

A screen of the bench's own is used; the processor decides the seconds.
"""

from __future__ import annotations

import importlib
import statistics
from contextlib import ExitStack
from typing import TYPE_CHECKING

from bot.virtual_screen import xvfb

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("--settings", type=int, default=10, metavar="N", help="how many (default %(default)s)")
    parser.add_argument("--from", dest="first", type=int, default=1, metavar="K", help="number of the first one")
    parser.add_argument("--only", type=int, action="append", metavar="K", help="this one instead; may be repeated")
    parser.add_argument("--games", type=int, default=5, metavar="N", help="games each (default %(default)s)")


def run(args: argparse.Namespace) -> int:
    """Measure and print; return 1 where something was that must never be."""
    page_runs, web_page = importlib.import_module("page_runs"), importlib.import_module("web_page")
    runs = []
    with ExitStack() as stack:
        display = stack.enter_context(xvfb())
        stack.enter_context(importlib.import_module("window_manager").openbox(display))
        for number in args.only or range(args.first, args.first + args.settings):
            setting = web_page.random_setting(number)
            run = page_runs.run_page(display, setting, n_games=args.games)
            runs.append(run)
            print(f"{number}: {run.in_words()}\n   {web_page.in_words(setting)}", flush=True)
    verified = [run for run in runs if run.is_verified]
    n_cells = [sum(getattr(run, name) for run in runs) for name in ("n_equal", "n_unknown", "n_wrong")]
    print(
        f"{len(runs)} settings: {len(verified)} verified"
        + (f" in {statistics.median(run.learn_s for run in verified):.0f} s (median)" if verified else "")
        + f"; {n_cells[0]} cells equal, {n_cells[1]} unknown, {n_cells[2]} wrong; "
        f"{sum(run.n_played for run in runs)} of {args.games * len(runs)} games played to their ends; "
        f"{sum(run.n_punished for run in runs)} guesses punished, {sum(run.n_strays for run in runs)} strays; "
        f"all as it should be in {sum(run.is_good for run in runs)}"
    )
    return 1 if any(run.faults for run in runs) else 0
