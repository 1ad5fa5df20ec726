"""What arguments mean: numbers, sizes and cells, and what `simulate` and `density` share.

A size is written RxC, a cell R,C; with more dimensions there are more numbers.
"""

from __future__ import annotations

import argparse
import math
import os
import re
from typing import TYPE_CHECKING

from bot.console import tell
from bot.errors import UsageError
from bot.models import Region
from bot.warm_up import warm_up
from solver.errors import BoardValueError
from solver.layout import FirstClick
from solver.simulation import HINT, RULES, Dask, Loky, SeededDeals, usual_first_cell
from solver.strategy import FAST, POLICIES, policy_named
from solver.words import name_shape, quoted

if TYPE_CHECKING:
    from collections.abc import Callable

    from solver.simulation import Backend
    from solver.topology import Cell

_DEFAULT_RULE, _DEFAULT_SEED, _DEFAULT_POLICY = "safe", 1, "strong"
_MOST_CELLS = 10_000_000
_MOST_JOBS_A_PROCESSOR = 4  # more only take memory, 0.1 GB each
_CELL = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")
_SIZE = re.compile(r"[0-9]{1,9}([x,][0-9]{1,9})*")
_REGION = re.compile(r"[+-]?[0-9]{1,6}(,[+-]?[0-9]{1,6}){3}")
_WHOLE = re.compile(r"[+-]?[0-9]{1,30}")


class ArgumentError(UsageError, argparse.ArgumentTypeError):
    """An argument that is not what it should be: the parser names the argument, others say which it is."""


def add_desktop(parser: argparse.ArgumentParser) -> None:
    """Declare the option that says how to see and click; it counts from when it is read."""
    told = "how to see and click, on Linux: x11, wlroots or portal (default: what answers)"
    parser.add_argument("--desktop", type=_take_desktop, metavar="KIND", help=told)


def _take_desktop(text: str) -> str:
    from bot.desktop.factory import choose

    match text:
        case "x11" | "wlroots" | "portal":
            choose(text)
        case _:
            raise ArgumentError(f"expected x11, wlroots or portal, got {text!r}")
    return text


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """A type of argument: a whole number, from `least` to `most` where there is one."""
    wanted = f"a whole number of {least} or more" if most is None else f"a whole number from {least} to {most}"

    def parse(text: str) -> int:
        if not _WHOLE.fullmatch(text) or not least <= int(text) <= (math.inf if most is None else most):
            raise ArgumentError(f"expected {wanted}, got {text!r}")
        return int(text)

    return parse


def parse_seed(text: str) -> int:
    """A type of argument: any whole number.

    Raises:
        ArgumentError: it is none.
    """
    if not _WHOLE.fullmatch(text):
        raise ArgumentError(f"expected a whole number, got {text!r}")
    return int(text)


def parse_seconds(text: str) -> float:
    """A type of argument: seconds to spend, 0 or more.

    Raises:
        ArgumentError: it is none.
    """
    return _number(text, "seconds, 0 or more", lambda number: 0 <= number < math.inf)


def parse_time(text: str) -> float:
    """A type of argument: a length of time.

    Raises:
        ArgumentError: it is none.
    """
    return _number(text, "a number above 0", lambda number: 0 < number < math.inf)


def parse_chance(text: str) -> float:
    """A type of argument: a probability.

    Raises:
        ArgumentError: it is none.
    """
    return _number(text, "a chance from 0 to 1 (0.3 for 30 %)", lambda number: 0 <= number <= 1)


def _number(text: str, wanted: str, is_good: Callable[[float], bool]) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not is_good(number):
        raise ArgumentError(f"expected {wanted}, got {text!r}")
    return number


def parse_size(text: str) -> tuple[int, ...]:
    """A type of argument: the size of a board, RxC or in N dimensions all sides; commas are as good.

    Raises:
        ArgumentError: it is none.
    """
    if not _SIZE.fullmatch(text.lower()):
        raise ArgumentError(f"expected a size such as 16x30, or 4x4x4x4, got {quoted(text)}")
    return tuple(map(int, re.split("[x,]", text.lower())))


def parse_cell(text: str, option: str = "") -> Cell:
    """A type of argument: a cell, R,C or in N dimensions all indices.

    Args:
        text: what was given.
        option: which one, where the parser does not name it.

    Raises:
        ArgumentError: it is none.
    """
    if not _CELL.fullmatch(text):
        named = f"{option}: " if option else ""
        raise ArgumentError(f"{named}expected a cell as R,C such as 0,5, counted from 0, got {quoted(text)}")
    return tuple(map(int, text.split(",")))


def parse_region(text: str) -> Region:
    """A type of argument: a rectangle on the screen, LEFT,TOP,WIDTH,HEIGHT in pixels.

    Raises:
        ArgumentError: it is none.
    """
    if not _REGION.fullmatch(text):
        raise ArgumentError(f"expected LEFT,TOP,WIDTH,HEIGHT in pixels, got {quoted(text)}")
    left, top, width, height = map(int, text.split(","))
    if width < 1 or height < 1:
        raise ArgumentError(f"expected a region at least 1 pixel wide and high, got {quoted(text)}")
    return Region(left, top, width, height)


def add_size(
    parser: argparse.ArgumentParser, summary: str, *, default: str | None = None, is_required: bool = False
) -> None:
    """Declare the size of a board, as `shape`.

    Args:
        parser: of the command.
        summary: which board it is, and what its size is where it is not given.
        default: this size; None where the command finds out.
        is_required: whether it has to be given.
    """
    parser.add_argument(
        "--size",
        "--shape",
        dest="shape",
        type=parse_size,
        default=default,
        required=is_required,
        metavar="RxC",
        help=summary,
    )


def check_size(shape: tuple[int, ...], most_cells: int, most_dimensions: int = 32) -> None:
    """Refuse a board that is too large.

    Raises:
        UsageError: it has too many cells or dimensions, or none.
    """
    if len(shape) > most_dimensions or not 1 <= math.prod(shape) <= most_cells:
        raise UsageError(
            f"expected a size of 1 to {most_cells:,} cells in at most {most_dimensions} dimensions, "
            f"got {quoted(name_shape(shape))}"
        )


def add_board_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what says how boards are made."""
    parser.add_argument("--wrap", action="store_true", help="the edges join: every axis is a ring")
    parser.add_argument(
        "--seed", type=parse_seed, metavar="S", help=f"the first board's; others follow (default {_DEFAULT_SEED})"
    )
    parser.add_argument(
        "--first",
        choices=RULES,
        help=f"the first click: it may be a mine, is none, is a zero, a mine there moves to the top left, or the game "
        f"names the cell (default {_DEFAULT_RULE})",
    )
    parser.add_argument(
        "--start", type=parse_cell, metavar="R,C", help="the cell to open first (default: the best known)"
    )


def add_rule(parser: argparse.ArgumentParser) -> None:
    """Declare the rule for the first click of a clone, as `first`."""
    parser.add_argument(
        "--first",
        choices=[rule.value for rule in FirstClick],
        help="the game's rule for the first click: it may be a mine, is none, is a zero, or a mine there moves to the "
        "top left, as in winmine (default: the skin's)",
    )


def add_play_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what says how games are played, and by whom."""
    parser.add_argument("--policy", choices=list(POLICIES), help=f"how guesses are chosen (default {_DEFAULT_POLICY})")
    parser.add_argument(
        "--jobs", type=parse_seed, default=1, metavar="J", help="processes (default 1; -1: as many as processors)"
    )
    parser.add_argument("--backend", choices=["loky", "dask"], default="loky", help="this machine, or a Dask cluster")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of the Dask cluster, such as tcp://10.0.0.1:8786")


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
    if why_not is None or not wanted.needs_kernel:
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
    check_size(shape, _MOST_CELLS)
    first_cell = usual_first_cell(shape, rule, wrap=wrap) if args.start is None else args.start
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
