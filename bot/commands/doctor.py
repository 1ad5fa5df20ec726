"""`minebot doctor`: whether the bot can work here, and what to do where it cannot."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bot.health import Check, run_checks

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

EXAMPLE = "minebot doctor"

_UNUSABLE = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    manners = "Nothing is clicked: the pointer is moved by one pixel and back, and Shift is tapped."
    parser.description = f"{parser.description}. {manners}"
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """Run every check; 5 when the bot cannot play here."""
    checks: list[Check] = []
    with Console(stderr=True).status("checking") as status:
        for check in run_checks():
            checks.append(check)
            status.update(f"checked: {check.name}")
    if args.json:
        print(json.dumps({"checks": [check.as_json() for check in checks]}))
    else:
        Console().print(_as_table(checks))
    return 0 if all(check.ok for check in checks if check.essential) else _UNUSABLE


def _as_table(checks: Sequence[Check]) -> Table:
    """The checks for a person; what to do stands below what was found."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        word, style = ("ok", "green") if check.ok else ("FAILED", "bold red") if check.essential else ("note", "yellow")
        text = Text(check.detail)
        if check.fix:
            text.append("\nto do: ", style="bold")
            text.append(check.fix)
        table.add_row(Text(word, style=style), check.name, text)
    return table
