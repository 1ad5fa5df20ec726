r"""From a fresh clone to a game being played: `python3 scripts/demo.py` (Windows: `py scripts\demo.py`).

Sets the project up in `.venv` where it is not yet, then runs `minebot demo`. Arguments are passed on to it.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import setup_env
import system_packages

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Set up, play; return the exit code of `minebot demo`."""
    screen = () if system_packages.has_display() else system_packages.FOR_NO_DISPLAY
    setup_env.prepare(needed=(*system_packages.FOR_THE_BOT, *screen))
    code = setup_env.run_in_venv(["-P", "-m", "bot", "demo", *arguments])
    if not code and not {"-h", "--help", "--json"} & set(arguments):
        print(_say_what_next(), file=sys.stderr)
    return code


def _say_what_next() -> str:
    program = os.path.relpath(setup_env.venv_program("minebot"))
    return (
        "\nWhat next:\n"
        f"  {program} play     press F10 over a game of yours: it plays; Esc stops it\n"
        f"  {program} coach    you play: it shows what is safe, what is a mine, and why\n"
        f"  {program} --help   everything else"
    )


if __name__ == "__main__":
    sys.exit(setup_env.run_as_script(main))
