"""`minebot stop`: what Esc does, for desktops that tell no program of keys.

Without options `bot.__main__` does it: that is quicker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.console import emit
from bot.playing.orders import STOP, as_json, give, lines

if TYPE_CHECKING:
    import argparse

EXAMPLE = "minebot stop        (bind it to a key in the desktop's own settings)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    """Stop every bot that runs; return 0.

    Raises:
        BotError: none took the order.
    """
    taken = give(STOP)
    emit(as_json(taken), lines(taken), as_json=args.json)
    return 0
