"""`minebot warm-up`: compiles the solver's kernel ahead, so that the first game does not wait for it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from bot.console import emit
from bot.errors import BotError
from bot.warm_up import warm_up
from solver import kernel

if TYPE_CHECKING:
    import argparse

EXAMPLE = "minebot warm-up"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Compile what is not compiled yet; return 0.

    Raises:
        BotError: it cannot be had here.
    """
    begun_at_s = time.perf_counter()
    was_compiled = _is_compiled()
    why_not = warm_up()
    if why_not is not None:
        raise BotError(f"the solver's kernel cannot be had here ({why_not}): play and coach do without it, more slowly")
    seconds = time.perf_counter() - begun_at_s
    line = f"{'loaded, it was compiled before' if was_compiled else 'compiled'}: {seconds:.1f} s"
    emit({"seconds": seconds, "was_compiled": was_compiled}, [line], as_json=args.json)
    return 0


def _is_compiled() -> bool:
    try:
        return kernel.is_compiled()
    except ImportError:  # no numba: warm_up says so
        return False
