"""What all command lines share: their parser and its help, what a person answers, and what is remarked.

A remark is a line on standard error. An answer is a line on standard input, of a person, a file or another program.
On a terminal lines are broken between words; what goes to a file or a pipe is left as it is.
"""

from __future__ import annotations

import argparse
import difflib
import io
import os
import re
import sys
from typing import IO, TYPE_CHECKING, Any, NoReturn

from bot.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from _typeshed import SupportsWrite


_NEGATIVE = re.compile(r"-[\d.]")
"""How a value begins that is no option: a number, a cell or a region left of the first monitor."""


class Parser(argparse.ArgumentParser):
    """A parser that says what was wrong, and what to do, in two lines.

    Its help arrives, or ends in an error: argparse keeps an output that is full to itself.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help} | options)
        self._negative_number_matcher = _NEGATIVE

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
        message = message.removeprefix("argument ").replace("the following arguments are required", "missing")
        raise UsageError(f"{message}\n'{self.prog} --help' shows what it takes")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse the words; an unknown one is an error here, where those beside it are known."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            word = unknown[0].partition("=")[0]
            options = [option for action in self._actions for option in action.option_strings]
            kind = "option" if word.startswith("-") else "place for"
            self.error(f"there is no {kind} {word[:40]!r}{did_you_mean(word, options)}")
        return parsed, unknown

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse what is no choice; where one is nearly the word, that is named instead of all of them."""
        if action.choices is None or value in action.choices:
            return
        names = [str(choice) for choice in action.choices]
        nearest = did_you_mean(str(value), names)
        if action.nargs == argparse.PARSER or (nearest and not action.option_strings):
            what = f"there is no {str(action.metavar or action.dest).lower()} {str(value)[:40]!r}{nearest}"
            raise argparse.ArgumentError(None, what)
        wanted = "" if nearest else f"expected {_listed(names)}, "
        raise argparse.ArgumentError(action, f"{wanted}got {str(value)[:40]!r}{nearest}")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Write the help, to standard output unless told otherwise.

        Raises:
            OSError: it cannot be written.
        """
        (sys.stdout if file is None else file).write(self.format_help())


class _Help(argparse.HelpFormatter):
    """Help that fits the terminal: every line of a text for itself, and long lists of choices where there is room."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(
            fold_line(f"{indent}{line}", width, n_hanging=2 * line.startswith(" ")) for line in text.splitlines()
        )

    def _split_lines(self, text: str, width: int) -> list[str]:
        return fold_line(" ".join(text.split()), width, n_hanging=0).splitlines()

    def _metavar_formatter(self, action: argparse.Action, default_metavar: str) -> Any:
        if _has_long_list(action):
            return lambda size: (default_metavar,) * size
        return super()._metavar_formatter(action, default_metavar)

    def _get_help_string(self, action: argparse.Action) -> str | None:
        told = action.help
        if told is None or not _has_long_list(action) or all(str(choice) in told for choice in action.choices or ()):
            return told
        return f"{told}; one of %(choices)s"


_LONG_LIST = 30  # letters of choices that the name of an option's value stands for in its help


def _has_long_list(action: argparse.Action) -> bool:
    if action.metavar is not None or action.choices is None or action.nargs == argparse.PARSER:
        return False
    return len(",".join(map(str, action.choices))) > _LONG_LIST


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
    from importlib import metadata  # noqa: PLC0415 - slow to import, and seldom needed

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


def ask(out: IO[str]) -> str | None:
    """Prompt a person; return the words of the next line in small letters, None at the end of the input.

    A terminal shows what is typed. Elsewhere the line is shown, so that the dialogue reads as one there too.

    Raises:
        UsageError: the line is longer than any answer.
    """
    print("> ", end="", file=out, flush=True)
    line = listen()
    if not line or not sys.stdin.isatty():
        print(ascii(line.rstrip())[1:-1][:80], file=out, flush=True)
    return " ".join(line.split()).lower() if line else None


def tell(text: str) -> None:
    """Say it."""
    print(fold(f"minebot: {text}", sys.stderr), file=sys.stderr)  # noqa: T201 - this module prints the messages


def emit(answer: Mapping[str, Any], lines: Iterable[str] = (), *, as_json: bool) -> None:
    """Print what a command found: one JSON object, or lines for a person; nothing where there are no lines."""
    import json  # noqa: PLC0415 - `--version` does without it

    text = json.dumps(answer) if as_json else fold("\n".join(lines), sys.stdout)
    if text:
        sys.stdout.write(f"{text}\n")


def emit_event(event: str, **fields: Any) -> None:
    """Print one event at once, as a JSON object on its own line."""
    import json  # noqa: PLC0415 - as above

    sys.stdout.write(f"{json.dumps({'event': event, **fields})}\n")
    sys.stdout.flush()


def fold(text: str, out: IO[str]) -> str:
    """A text as an output shows it: on a terminal no word and no number is broken, elsewhere it is as it was."""
    if not out.isatty():
        return text
    try:
        width = os.get_terminal_size(out.fileno()).columns
    except OSError:
        return text
    return "\n".join(fold_line(line, width) for line in text.split("\n"))


def fold_line(line: str, width: int, n_hanging: int = 2) -> str:
    """A line in as many as it takes; a word that is longer is not broken.

    Args:
        line: which.
        width: of the terminal.
        n_hanging: how much farther in the later ones begin. Where the line is one of a table, they begin under its last
            column, if that leaves them half of the width.
    """
    if not 0 < width < len(line):
        return line
    import textwrap  # noqa: PLC0415 - slow to import, and most lines need no folding

    indent = line[: len(line) - len(line.lstrip())]
    gap = line.rfind("  ", len(indent))
    hanging = gap + 2 if 0 <= gap <= width // 2 - 2 else len(indent) + n_hanging
    return textwrap.fill(
        line.lstrip(),
        width,
        initial_indent=indent,
        subsequent_indent=" " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
