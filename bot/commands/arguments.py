"""The arguments that `simulate` and `density` share, and what they ask for."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from bot.console import tell
from bot.errors import UsageError
from bot.warm_up import warm_up
from solver.errors import BoardValueError
from solver.simulation import HINT, RULES, Dask, Loky, SeededDeals, usual_first_cell
from solver.strategy import FAST, POLICIES, policy_named

if TYPE_CHECKING:
    import argparse

    from solver.simulation import Backend
    from solver.topology import Cell

_DEFAULT_RULE, _DEFAULT_SEED, _DEFAULT_POLICY = "safe", 1, "strong"
_MOST_CELLS = 10_000_000
_MOST_JOBS_A_PROCESSOR = 4
"""More only take memory, 0.1 GB each."""
_NUMBERS = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")


def add_board_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what says how boards are made."""
    parser.add_argument("--wrap", action="store_true", help="the edges join: every axis is a ring")
    parser.add_argument(
        "--seed", type=int, metavar="S", help=f"the first board's; others follow (default {_DEFAULT_SEED})"
    )
    parser.add_argument(
        "--first",
        choices=RULES,
        help=f"what is promised of the first click: nothing, no mine, a zero, or that the game names the cell "
        f"(default {_DEFAULT_RULE})",
    )
    parser.add_argument("--start", metavar="R,C", help="the cell to open first (default: the best one known)")


def add_play_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what says how games are played, and by whom."""
    names = ", ".join(POLICIES)
    parser.add_argument("--policy", metavar="NAME", help=f"how guesses are chosen: {names} (default {_DEFAULT_POLICY})")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="processes (default 1; -1: one a processor)")
    parser.add_argument("--backend", choices=["loky", "dask"], default="loky", help="this machine, or a Dask cluster")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of the Dask cluster, such as tcp://10.0.0.1:8786")


def parse_cell(text: str, option: str) -> Cell:
    """Read a cell, "R,C" or in N dimensions all its indices.

    Raises:
        UsageError: it is none.
    """
    if not _NUMBERS.fullmatch(text):
        raise UsageError(f"expected {option} R,C (in N dimensions all indices), from 0 on, got {text!r}")
    return tuple(map(int, text.split(",")))


def parse_numbers(text: str, option: str) -> Cell:
    """Read numbers joined by commas.

    Raises:
        UsageError: they are not.
    """
    if not _NUMBERS.fullmatch(text):
        raise UsageError(f"expected {option} with numbers joined by commas, got {text!r}")
    return tuple(map(int, text.split(",")))


def policy_to_play(name: str | None) -> str:
    """The name of the policy that games will be played by; compiles the kernel first, where that was not done yet.

    Args:
        name: the one that was asked for, None for the default.

    Raises:
        UsageError: there is none of this name, or it needs the kernel, which cannot be had here.
    """
    try:
        wanted = policy_named(name or _DEFAULT_POLICY)
    except BoardValueError as error:
        raise UsageError(f"--policy: {error}") from error
    why_not = warm_up()
    if why_not is None or wanted is FAST:
        return wanted.name
    what = f"policy {wanted.name} needs the solver's compiled kernel, which cannot be had here ({why_not})"
    if name is not None:
        raise UsageError(f"{what}: take --policy {FAST.name}")
    tell(f"{what}: policy {FAST.name} is played")
    return FAST.name


def seeded_deals(args: argparse.Namespace, shape: tuple[int, ...], mines: int, n: int, *, wrap: bool) -> SeededDeals:
    """Return the boards that are asked for.

    Raises:
        UsageError: there are none like that.
    """
    rule = args.first or _DEFAULT_RULE
    if rule == HINT and args.start is not None:
        raise UsageError(f"with --first {HINT} the game names the cell to begin with: no --start")
    n_cells = 1
    for side in shape:
        n_cells *= side
    if not 1 <= n_cells <= _MOST_CELLS or len(shape) > 32:
        raise UsageError(f"expected a shape of 1 to {_MOST_CELLS} cells in at most 32 dimensions, got {shape}")
    first_cell = (
        usual_first_cell(shape, rule, wrap=wrap) if args.start is None else parse_numbers(args.start, "--start")
    )
    try:
        return SeededDeals(shape, mines, wrap, rule, first_cell, _DEFAULT_SEED if args.seed is None else args.seed, n)
    except BoardValueError as error:
        raise UsageError(str(error)) from error


def backend_of(args: argparse.Namespace) -> Backend | None:
    """Return who plays; None: this process.

    Raises:
        UsageError: that makes no sense.
    """
    most_jobs = _MOST_JOBS_A_PROCESSOR * (os.cpu_count() or 1)
    if not 1 <= args.jobs <= most_jobs and args.jobs != -1:
        raise UsageError(f"expected --jobs of 1 to {most_jobs} on this machine, or -1, got {args.jobs}")
    if (args.scheduler is None) != (args.backend != "dask"):
        raise UsageError("--backend dask and --scheduler ADDRESS go together")
    if args.backend == "dask":
        if args.jobs != 1:
            raise UsageError("--jobs is about this machine: with --backend dask the cluster's workers play")
        return Dask(args.scheduler)
    return None if args.jobs == 1 else Loky(args.jobs)
