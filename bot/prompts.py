"""What is answered to prompts, on standard input: lines of a person, of a file or of another program."""

from __future__ import annotations

import io
import sys

from bot.errors import UsageError

MOST_LETTERS = 10_000
"""Of a line, with its end. Devices and programs may send lines that never end."""


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
