"""The gate: `python3 scripts/check.py` sets the project up with its tools and says whether everything is in order.

After the set-up, all checks run at the same time, in lanes (`_lanes`; tests/README.md names them), whatever the
others find; the exit code is 0 only if all passed. The table at the end says what was not run.

`--fast` leaves out the tests that need a virtual screen, wine or patience; `--full` runs what a release needs;
`--changed [REF]` runs, for a minute and a half, the tests that a change can reach (`reach`), the nearest first.

With CI=true, anything missing is a failure; on a person's machine the tests concerned are skipped and say why.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import lanes
import reach
import setup_env
import system_packages
import windows_env
from lanes import Lane, Outcome, run_lanes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FAST_MARKS = "not screen and not winemine and not windows"
"""The tests of the project's own code: they use a processor all the time."""
REAL_WINDOW_MARKS = "(screen or winemine) and not windows and not in_time"
"""The tests of real programs: they mostly wait."""
IN_TIME_MARKS = "in_time and not windows"  # the tests of how soon the bot stops: no other programs may keep it waiting
WINDOWS_MARKS = "windows"  # the tests of the bot in CPython for Windows, by programs of this machine
KERNEL = "kernel"  # the lane that compiles the solver's kernel
IN_TIME = "in time"  # the lane of the tests of how soon the bot stops
NEWEST = "newest packages"
"""The lane of a gate of its own, `--fast`, with the newest packages: what fails there alone is due to others."""
N_SCREENS = 3
"""How many tests of real programs go on at the same time, each on its own virtual screen and in its own wine prefix."""
N_FAST = 2  # how many processes run the tests of the project's own code
N_CHANGED = 2  # how many processes run the tests of a change
CHANGED_S = 90  # when the last test of a change may begin, in seconds from the start of pytest
FULL_TIMEOUT_S = 3600
"""How long a test may take with `--full`, in seconds, where it does not say so itself: it tries ten times as much."""
N_SLOWEST = 10
MOST_LINES, MOST_CHARACTERS = 6, 300
"""How much is shown of what a test failed with: all of it stands further up."""
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",  # as the program itself sets it (`bot.last_resort`): its parts compute likewise
    "OPENCV_FOR_THREADS_NUM": "1",  # the lanes use all processors: OpenCV's threads would wait for one another
    "PYTHONDONTWRITEBYTECODE": "",  # or each of a thousand processes compiles what it imports
}
"""What the tests' processes read in the environment, besides how much to try."""


@dataclass(frozen=True)
class Row:
    """A line of the table.

    Attributes:
        name: of the check or lane.
        took_s: in seconds, though it is shown in minutes; None for what was not run.
        failure: what was wrong; empty when nothing was.
        remark: what else there is to say.
    """

    name: str
    took_s: float | None
    failure: str = ""
    remark: str = ""


def main(arguments: Sequence[str]) -> int:
    """Set up, check everything; return 0 if all of it passed."""
    parser = argparse.ArgumentParser(prog="check.py", description="Sets the project up and runs every check.")
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--fast", action="store_true", help="without the tests that need a screen, wine or patience")
    scope.add_argument("--full", action="store_true", help="with all that is asked of a release: an hour and more")
    scope.add_argument(
        "--changed",
        nargs="?",
        const="HEAD",
        metavar="REF",
        help="only the tests that a change since this commit (HEAD when not given) can reach, the nearest first",
    )
    args = parser.parse_args(arguments)

    is_short = args.fast or args.changed is not None
    rows = [_set_up(with_screen=not is_short)]
    with tempfile.TemporaryDirectory(prefix="minebot-check-") as name:
        folder = Path(name)
        if args.changed is not None:
            chosen, left_out = _lane_of_change(args.changed, folder / "tests")
        else:
            chosen, left_out = _lanes(fast=args.fast, full=args.full)
        outcomes = run_lanes([*_tools(), *chosen], folder)
    rows += [judge(outcome) for outcome in outcomes]
    if left_out:
        rows.append(Row("tests, others", None, remark=left_out))
    print("\n".join([*format_table(rows), *format_tests(outcomes)]), flush=True)
    return 1 if any(row.failure for row in rows) else 0


def _lanes(*, fast: bool, full: bool) -> tuple[list[Lane], str]:
    """The lanes of the gate's tests, and of the set-up that only some of them wait for; what is left out, in words.

    How soon the bot stops is tested first, with no other real programs beside it; then the tests of real programs come
    first in everything. The other lanes take the time that they leave, first the one that runs in a single process: two
    can use both processors to the end.
    """
    as_in_the_gate = _ENVIRONMENT | {"MINEBOT_TESTS": "gate"}
    variables = as_in_the_gate | ({"MINEBOT_TESTS": "full"} if full else {})
    patience = ["--timeout", str(FULL_TIMEOUT_S)] if full else []

    def tests(
        name: str, marks: str, *options: str, where: Sequence[str] = (), niceness: int = 0, after: tuple[str, ...] = ()
    ) -> Lane:
        command = [*_pytest(), "-m", marks, *patience, *options, *where]
        return Lane(name, command, niceness, variables, after=(KERNEL, *after))

    if fast:
        return [_kernel(), tests("fast", f"{FAST_MARKS} and not slow")], "left out by --fast"
    tracebacks = "--rerun-show-tracebacks"
    on_screens = ("-n", str(N_SCREENS), "--dist", "worksteal", tracebacks)
    found = [
        _kernel(),
        tests(IN_TIME, IN_TIME_MARKS, where=_modules_with("in_time")),
        tests(
            "real windows", REAL_WINDOW_MARKS, *on_screens, where=_modules_with("screen", "winemine"), after=(IN_TIME,)
        ),
        tests("fast", FAST_MARKS, "-n", str(N_FAST), niceness=19),
    ]
    if not system_packages.is_linux():
        return found, "Windows under wine: it is for Linux only"
    if system_packages.find_missing(system_packages.FOR_WINDOWS) and not setup_env.is_ci():
        return found, "Windows under wine: system packages are missing"
    complaint = windows_env.complain_about_python()
    if complaint is not None and not setup_env.is_ci():
        return found, f"Windows under wine: {complaint}"
    script, first = [setup_env.venv_program("python"), "scripts/windows.py"], "set-up for Windows"
    unit = [*script, "test", *(["--all"] if full else []), "--", *patience]
    if full:
        newest = [setup_env.base_python(), "scripts/check.py", "--fast"]
        found.append(
            Lane(NEWEST, newest, niceness=19, variables={setup_env.NEWEST: "1"}, after=("fast",), is_pytest=False)
        )
    found += [
        Lane(first, [*script, "set-up"], niceness=10, is_pytest=False),
        tests("Windows", WINDOWS_MARKS, tracebacks, where=_modules_with("windows"), after=(first, IN_TIME)),
        Lane("Windows' Python", unit, niceness=10, variables=as_in_the_gate, after=(first,)),
    ]
    return found, ""


def _modules_with(*marks: str) -> list[str]:
    """The test modules that name one of these marks: a lane of few tests need not import the others.

    Each test's marks stand in its module: `tests/conftest.py` sees to it.
    """
    named = re.compile(rf"\bmark\.({'|'.join(marks)})\b")
    modules = sorted((setup_env.ROOT / "tests").rglob("test_*.py"))
    found = [module for module in modules if named.search(module.read_text(encoding="utf-8"))]
    return [module.relative_to(setup_env.ROOT).as_posix() for module in found]


def _kernel() -> Lane:
    """The solver's kernel, compiled before any test: half a minute where that is not done yet."""
    return Lane(KERNEL, [setup_env.venv_program("python"), "-P", "-m", "solver.kernel"], is_pytest=False)


def _lane_of_change(ref: str, listing: Path) -> tuple[list[Lane], str]:
    """The lanes of the tests that a change can reach, none where it reaches none; and what is left out, in words.

    Args:
        ref: the commit to compare the working tree with.
        listing: a file to write the tests' names to: they can be too many for a command line.
    """
    run, far = reach.to_run(reach.modules_reached(reach.changed_files(ref)))
    words = f"{len(far)} modules that take long, and are far from the change" if far else ""
    if not run:
        return [], words or f"no test reaches what differs from {ref}"
    listing.write_text("".join(f"{path}\n" for path in run), encoding="utf-8")
    options = ["-n", str(N_CHANGED), "--maxschedchunk", "4", "--within", str(CHANGED_S)]
    command = [*_pytest(), f"@{listing}", *options]
    variables = _ENVIRONMENT | {"MINEBOT_TESTS": "dev"}
    return [_kernel(), Lane("changed", command, variables=variables, after=(KERNEL,))], words


def _pytest() -> list[str]:
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    return [setup_env.venv_program("python"), "-m", "pytest", "-q", *colour]


def _set_up(*, with_screen: bool) -> Row:
    begun_at_s = time.monotonic()
    wished = dict.fromkeys((*system_packages.FOR_REAL_CLONES, *system_packages.FOR_WINDOWS)) if with_screen else {}
    missing = setup_env.prepare(extras=["dev"], wished=list(wished))
    if missing:
        print(system_packages.explain(missing))
        print("Tests that need them are skipped." if not setup_env.is_ci() else "In CI that is a failure.")
    failure = "system packages are missing" if missing and setup_env.is_ci() else ""
    return Row("set-up", time.monotonic() - begun_at_s, failure)


def _tools() -> list[Lane]:
    commands = {"ruff format": ["ruff", "format", "--check"], "ruff check": ["ruff", "check"]}
    commands |= {name: [name] for name in ("mypy", "lint-imports")}
    return [
        Lane(name, [setup_env.venv_program(command[0]), *command[1:]], niceness=10, is_pytest=False)
        for name, command in commands.items()
    ]


def judge(outcome: Outcome) -> Row:
    """A lane's line of the table."""
    if not outcome.lane.is_pytest:
        failure = f"exit code {outcome.exit_code}" if outcome.exit_code else ""
        return Row(outcome.lane.name, outcome.took_s, failure)
    n_passed, n_failed, n_not_run = (outcome.count(result) for result in ("passed", "failed", "not run"))
    name = f"tests, {outcome.lane.name}"
    counts = {"passed": n_passed, "NOT RUN": n_not_run, "tried again": len(outcome.tried_again)}
    remark = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    if outcome.exit_code == 0 and n_passed:
        return Row(name, outcome.took_s, remark=remark)
    if outcome.exit_code == lanes.RAN_NOTHING or (outcome.exit_code == 0 and outcome.tests):
        return Row(name, None, "no test ran" if setup_env.is_ci() else "", remark)
    how = f"with exit code {outcome.exit_code}" if outcome.exit_code else "before it wrote its report"
    failure = f"{n_failed} of {len(outcome.tests):,} tests" if n_failed else f"pytest ended {how}"
    return Row(name, outcome.took_s, failure, remark)


def format_table(rows: Sequence[Row]) -> Iterator[str]:
    """The checks as text, a line each."""
    width = max(len(row.name) for row in rows)
    yield f"\n{'':<{width}}  minutes"
    for row in rows:
        minutes = "" if row.took_s is None else f"{row.took_s / 60:.1f}"
        result = f"FAILED: {row.failure}" if row.failure else "NOT RUN" if row.took_s is None else "passed"
        yield f"{row.name:<{width}}  {minutes:>7}  {result}{f' ({row.remark})' if row.remark else ''}"


def format_tests(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What there is to say of single tests, as text; the last line has the form `1 passed, 0 failed, 0 skipped`."""
    tests = [(outcome.lane.name, test) for outcome in outcomes for test in outcome.tests]
    yield "\nThe slowest tests, in seconds"
    for lane, test in sorted(tests, key=lambda one: -one[1].took_s)[:N_SLOWEST]:
        yield f"  {test.took_s:6.1f}  {lane}: {test.name}"
    not_run = Counter(f"{lane}: {test.reason}" for lane, test in tests if test.result == "not run")
    named = {
        "NOT RUN": [f"{count} x {reason}" for reason, count in not_run.most_common()],
        "Tried again": [f"{one.lane.name}: {name}" for one in outcomes for name in one.tried_again],
        "FAILED": [
            "\n    ".join([f"{lane}: {test.name}", *_first_lines(test.reason)])
            for lane, test in tests
            if test.result == "failed"
        ],
    }
    for title, lines in named.items():
        if lines:
            yield "\n".join(["", title, *(f"  {line}" for line in lines)])
    n_passed, n_failed, n_skipped = (
        sum(o.count(result) for o in outcomes) for result in ("passed", "failed", "not run")
    )
    yield f"\n{n_passed} passed, {n_failed} failed, {n_skipped} skipped"


def _first_lines(text: str) -> list[str]:
    """What a test failed with, short enough to stand in a list of tests."""
    return [line.strip()[:MOST_CHARACTERS] for line in text.splitlines()[:MOST_LINES]]


if __name__ == "__main__":
    sys.exit(setup_env.run_as_script(main))
