"""The bot on Windows, under wine: `python3 scripts/windows.py run -- python -m bot solve -`.

Sets up CPython for Windows with everything the bot needs (see windows_env.py), and runs commands in it: `python` is
that Python, anything else a program that wine knows. `python3 scripts/windows.py set-up` only sets up, and says where.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

import setup_env
import system_packages
import windows_env

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="windows.py", description="Runs the bot in CPython for Windows, under wine.")
    subparsers = parser.add_subparsers(dest="do", required=True)
    subparsers.add_parser("set-up", help="make the environment and say where it is")
    run = subparsers.add_parser("run", help="run a command in it, and end with its exit code")
    run.add_argument("command", nargs="+", metavar="COMMAND", help="after --, such as: python -m bot doctor")
    args = parser.parse_args(arguments)

    setup_env.prepare(extras=["dev"], needed=[*system_packages.FOR_THE_BOT, *system_packages.FOR_WINDOWS])
    windows = windows_env.prepare(setup_env.venv_program("python"))
    if args.do == "set-up":
        print(windows.folder)
        return 0
    windows.compile_kernel()
    return windows.run(*args.command)


if __name__ == "__main__":
    sys.exit(setup_env.run_as_script(main))
