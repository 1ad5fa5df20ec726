"""The bot on Windows, under wine: `python3 scripts/windows.py run -- python -m bot solve -`.

Sets up CPython for Windows with everything the bot needs (see windows_env.py), and runs commands in it: `python` is
that Python, anything else a program that wine knows. `python3 scripts/windows.py set-up` only sets up, and says where.

`python3 scripts/windows.py test` runs the tests there that have to do with the system (files, processes, consoles) and
need no screen. What cannot be imported without X11 is skipped: `tests/conftest.py` says which. Of each test it runs one
set of parameters: the others say something of the project, not of the system. With `--all` it runs every set of all the
tests of solver, skins, bot and calibration: an hour, as memory is slow under wine.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import setup_env
import system_packages
import windows_env
from windows_env import copied_prefix, windows_path

if TYPE_CHECKING:
    from collections.abc import Sequence

ALL_TESTS = ("tests/bot", "tests/solver", "tests/skins", "tests/calibration")
_ARITHMETIC = (
    *(
        f"bot/{name}"
        for name in ("vision", "playing", "commands/test_replay_command.py", "commands/test_render_command.py")
    ),
    *(f"bot/reporting/test_{name}.py" for name in ("journal", "drawing", "colours")),
    *("skins/test_painter.py", "skins/test_sheet.py", "bot/reviewing/test_verdicts.py"),
)
_SLOW_UNDER_WINE = (
    "commands/test_commands.py::test_replay_of_a_real_winemine_game_has_no_differences",
    "commands/test_commands.py::test_replay_says_where_it_differs",
    "commands/test_skins_command.py::test_check_prints_the_verdict",
    "commands/test_skins_command.py::test_show_prints_a_profile_in_words",
    "reporting/test_journal_killed.py::test_a_line_cut_off_anywhere_is_told_of_and_left_out",
)
OF_THE_SYSTEM = (
    *("tests/bot", "tests/skins"),
    *(f"--ignore=tests/{name}" for name in _ARITHMETIC),
    *(f"--deselect=tests/bot/{name}" for name in _SLOW_UNDER_WINE),
)
"""What the gate runs: no reading, drawing and replaying of boards: tests/windows/test_same_results compares that."""
TEST_MARKS = "not screen and not winemine and not windows and not slow"
TEST_OPTIONS = ("-q", "-p", "no:cacheprovider", "--timeout", "600")


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments ask for; return the exit code."""
    parser = argparse.ArgumentParser(prog="windows.py", description="Runs the bot in CPython for Windows, under wine.")
    subparsers = parser.add_subparsers(dest="do", required=True)
    subparsers.add_parser("set-up", help="make the environment and say where it is")
    run = subparsers.add_parser("run", help="run a command in it, and end with its exit code")
    run.add_argument("command", nargs="+", metavar="COMMAND", help="after --, such as: python -m bot doctor")
    test = subparsers.add_parser("test", help="run the tests that need no screen in it")
    test.add_argument("--all", action="store_true", help="every set of parameters of every test")
    test.add_argument("options", nargs="*", metavar="OPTION", help="pytest's, after --")
    args = parser.parse_args(arguments)

    setup_env.prepare(extras=["dev"], needed=[*system_packages.FOR_THE_BOT, *system_packages.FOR_WINDOWS])
    windows = windows_env.prepare(setup_env.venv_program("python"))
    windows.compile_kernel()
    if args.do == "set-up":
        print(windows.folder)
        return 0
    if args.do == "run":
        return windows.run(args.command)
    share = ALL_TESTS if args.all else (*OF_THE_SYSTEM, "--at-most", "1")
    with copied_prefix(windows.prefix) as where:  # programs that run in the same one could meet
        folder = windows_path(Path(where["HOME"], "tests"))  # in ASCII: cv2 writes and reads no other files on Windows
        options = ["-m", TEST_MARKS, *TEST_OPTIONS, "--basetemp", folder, *args.options]
        command = ["python", "-m", "pytest", *share, *options]
        return windows.run(command, PYTHONUNBUFFERED="1", **where)


if __name__ == "__main__":
    sys.exit(setup_env.run_as_script(main))
