"""The command line: finds the subcommand and runs it; `bot.last_resort` turns errors into exit codes.

Every subcommand is a module of `bot.commands` with two names: `EXAMPLE` and `add_arguments(parser)`, which also sets
what runs it (`args.run`). A hyphen in its name is an underscore in the module's. A module is imported only when its
command is asked for, so that `solve`, `read` and `replay` work on a machine without a display.
"""

from __future__ import annotations

import importlib.util
import io
import os
import sys
from typing import TYPE_CHECKING, Protocol, cast

from bot.console import Parser, add_version, tell
from bot.errors import ScreenError
from bot.last_resort import finish

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Sequence

COMMANDS = {
    "play": "press the hot key over a game and watch it being played",
    "toggle": "start, pause or resume a bot that runs, as F10 does: for a key of the desktop's own",
    "stop": "stop a bot that runs, as Esc does: for a key of the desktop's own",
    "coach": "over a live game, without clicking: what is safe, what is a mine, and why",
    "demo": "open the built-in game and play it for real",
    "game": "the built-in Minesweeper, for a person",
    "read": "read the board on a picture",
    "advise": "the best move of a picture or a board's text, and why",
    "solve": "everything that can be known of a position",
    "map": "solve a full map from a start cell, opening only what is proven",
    "advisor": "a dialogue: says which cell to open, and is told what it shows",
    "simulate": "play many games in memory, and say how many are won",
    "density": "how many mines a board may have and still be won",
    "generate": "make boards: any, without a guess, or of a level of difficulty",
    "convert": "a board or map from one text form to another",
    "skins": "list, show, check and import skins: what clones look like",
    "doctor": "check whether the bot can work here, and what to do where it cannot",
    "render": "a picture of a board's text, in any skin",
    "replay": "put a recording through the reader and the solver again",
    "review": "explain a finished game click by click, people's replays too",
    "train": "positions in which you went wrong, asked again until you know them",
    "analyse": "explore a position in a window: risks, best moves, what if",
    "warm-up": "compile the solver ahead, so that the first game does not wait for it",
    "completion": "the script by which a shell completes commands and options",
}
"""Every subcommand and its one-line help."""
_HELLO = """minebot finds a Minesweeper on your screen, reads it, and plays it perfectly.

  minebot demo     watch it play the built-in game
  minebot play     press F10 over a game of yours: it plays; Esc stops it
  minebot coach    you play: it shows what is safe, what is a mine, and why

'minebot --help' lists every command, 'minebot COMMAND --help' what it takes.
"""


class _Command(Protocol):
    """What a module of `bot.commands` offers."""

    EXAMPLE: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments, and as the default of `run` what does it: from them to the exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run `minebot` with these arguments (the process's own when None); return the exit code."""
    _print_anything()
    _leave_the_console_as_it_is()
    arguments = list(sys.argv[1:] if argv is None else argv)

    def run() -> int:
        args = make_parser(arguments[:1]).parse_args(arguments)
        return int(args.run(args))

    return finish("minebot", run)


def make_parser(commands: Collection[str]) -> Parser:
    """The parser of `minebot`; it knows the arguments of these commands alone."""
    parser = Parser(
        prog="minebot",
        description="Finds a Minesweeper clone on the screen, reads it, and plays it perfectly.",
        epilog="'minebot COMMAND --help' lists what a command takes, with an example.",
    )
    add_version(parser)
    parser.set_defaults(run=_greet)
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, summary in COMMANDS.items():
        subparser = subparsers.add_parser(name, help=summary, description=f"{summary[0].upper()}{summary[1:]}.")
        if name in commands:
            command = cast("_Command", importlib.import_module(f"bot.commands.{name.replace('-', '_')}"))
            subparser.epilog = f"example:\n  {command.EXAMPLE}"
            command.add_arguments(subparser)
    return parser


def _greet(_args: argparse.Namespace) -> int:
    """What a person meets who names no command: on a desktop the window; where none can be opened, some lines."""
    from bot.desktop import this_platform  # noqa: PLC0415 - `--version` does without it

    if this_platform().has_display() and importlib.util.find_spec("tkinter"):
        from bot.launcher import open_launcher  # noqa: PLC0415 - a machine may have no tkinter

        try:
            return open_launcher()
        except ScreenError as error:
            tell(str(error))
    sys.stdout.write(_HELLO)
    return 0


def _print_anything() -> None:
    """Let no letter stop a command: those that the output's encoding lacks are written as their codes.

    Output that goes to a file or a pipe on Windows has some 200 letters; the folders of a person may have others.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _leave_the_console_as_it_is() -> None:
    """Keep numba from painting its errors: where colorama is installed, that changes the mode of a Windows console."""
    os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")
