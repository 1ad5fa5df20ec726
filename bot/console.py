"""What all command lines share: their parser, what a person answers, and what is remarked.

A remark is a line on standard error. An answer is a line on standard input, of a person, a file or another program.
"""

from __future__ import annotations

import argparse
import difflib
import io
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from bot.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """A parser that says what was wrong, and what to do, in two lines.

    Its help arrives, or ends in an error: argparse keeps an output that is full to itself.
    """

    def iter_arguments(self) -> Iterator[argparse.Action]:
        """Every argument, those of its subcommands too."""
        for action in self._actions:
            yield action
            if action.nargs == argparse.PARSER and isinstance(action.choices, dict):
                for parser in action.choices.values():
                    yield from parser.iter_arguments()

    def error(self, message: str) -> NoReturn:
        """Say what was wrong, and where everything is told.

        Raises:
            UsageError: always.
        """
        raise UsageError(f"{message.removeprefix('argument ')}\n'{self.prog} --help' shows what it takes")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As argparse has it, but what is not known is an error here, where its neighbours are known."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            word = unknown[0].partition("=")[0]
            options = [option for action in self._actions for option in action.option_strings]
            kind = "option" if word.startswith("-") else "place for"
            self.error(f"there is no {kind} {word[:40]!r}{did_you_mean(word, options)}")
        return parsed, unknown

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """As argparse has it; where a choice is nearly the word, that is named instead of all of them."""
        if action.choices is None or value in action.choices:
            return
        names = [str(choice) for choice in action.choices]
        nearest = did_you_mean(str(value), names)
        if action.nargs == argparse.PARSER:
            what = f"there is no {str(action.metavar).lower()} {str(value)[:40]!r}{nearest}"
            raise argparse.ArgumentError(None, what)
        wanted = "" if nearest else f"expected {_listed(names)}, "
        raise argparse.ArgumentError(action, f"{wanted}got {str(value)[:40]!r}{nearest}")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Write the help, to standard output unless told otherwise.

        Raises:
            OSError: it cannot be written.
        """
        (sys.stdout if file is None else file).write(self.format_help())


def add_version(parser: argparse.ArgumentParser) -> None:
    """Declare `--version`."""
    parser.add_argument("--version", action=_Version, nargs=0, help="say which version this is")


class _Version(argparse.Action):
    """Says the program's version; it is looked up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Say it, and end."""
        sys.stdout.write(f"{parser.prog} {version_in_words()}\n")
        parser.exit()


def version_in_words() -> str:
    """Which version this is."""
    from importlib import metadata  # noqa: PLC0415 - takes a while

    try:
        return metadata.version("minebot")
    except metadata.PackageNotFoundError:
        return "(run from a folder, not installed)"


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """The end of a sentence that asks for the names nearest to a word; empty where none is near."""
    near = difflib.get_close_matches(word.lower(), list(names), n=2)
    return f": did you mean {' or '.join(near)}?" if near else ""


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


MOST_LETTERS = 10_000
"""Most characters of a line, with its end. Devices and programs may send lines that never end."""


def listen() -> str:
    """The next line, with its end; empty at the end of the input.

    A byte that is no text is a bad answer, not the end.

    Raises:
        UsageError: the line is longer than any answer.
    """
    if isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin.errors != "replace":  # once: not after the first line
        sys.stdin.reconfigure(errors="replace")
    line = sys.stdin.readline(MOST_LETTERS + 1)
    if len(line) > MOST_LETTERS:
        raise UsageError(f"standard input: expected a line of at most {MOST_LETTERS} letters, got a longer one")
    return line


def tell(text: str) -> None:
    """Say it."""
    print(f"minebot: {text}", file=sys.stderr)  # noqa: T201 - what this module is for
