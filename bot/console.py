"""What all command lines share: their parser, what a person answers, and what is remarked.

Where commands that print nothing else tell a person something: standard error, one line a remark.

The parser of our command lines.

What is answered to prompts, on standard input: lines of a person, of a file or of another program.
"""

from __future__ import annotations

import argparse
import io
import sys
from typing import TYPE_CHECKING

from bot.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """A parser whose help arrives, or ends in an error: argparse keeps an output that is full to itself."""

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Write the help, to standard output unless told otherwise.

        Raises:
            OSError: it cannot be written.
        """
        (sys.stdout if file is None else file).write(self.format_help())


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
