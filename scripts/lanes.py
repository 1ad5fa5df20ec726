"""Lanes: checks that go on at the same time, what they say, and what became of their tests.

Each lane is one process: a run of pytest, a linter, a step of the set-up that only some tests wait for. What it prints
appears at once, each line behind the lane's name. What became of its tests is read from the report that pytest writes
at the end (JUnit XML).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Literal

import setup_env
from progress import stop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

RAN_NOTHING = 5  # pytest's exit code when no test was left to run
RERUN_MARK = "RERUN "  # how a line begins with which pytest names a test that it tried again

Result = Literal["passed", "failed", "not run"]


@dataclass(frozen=True)
class Lane:
    """One process of the gate.

    Attributes:
        name: what it is called in what is printed.
        command: the program to start; where it is pytest, its options may follow at the end.
        niceness: how far it gives way to the lanes of 0 until they have ended, 0 to 19.
        variables: of its environment, besides those of this process.
        after: the names of the lanes that must have ended first, whatever became of them.
        is_pytest: whether it runs tests.
    """

    name: str
    command: Sequence[str]
    niceness: int = 0
    variables: dict[str, str] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    is_pytest: bool = True


@dataclass(frozen=True)
class Test:
    """What became of one test.

    Attributes:
        name: the module with dots, and the test: `tests.solver.test_board.test_parse[3]`.
        result: "not run" if it was skipped.
        reason: why it was skipped, or what it failed with; empty where it passed.
        took_s: with its set-up and what it cleaned up.
    """

    __test__ = False  # not to be collected where a test imports it

    name: str
    result: Result
    reason: str
    took_s: float


@dataclass(frozen=True)
class Outcome:
    """How one lane went.

    Attributes:
        lane: which one.
        exit_code: of its process.
        took_s: from its start to its end.
        tests: all that its report names; none if it wrote none.
        tried_again: the names of tests that failed at first.
    """

    lane: Lane
    exit_code: int
    took_s: float
    tests: tuple[Test, ...]
    tried_again: tuple[str, ...]

    def count(self, result: Result) -> int:
        """How many of the tests have this result."""
        return sum(test.result == result for test in self.tests)


def run_lanes(lanes: Sequence[Lane], folder: Path) -> list[Outcome]:
    """Run all lanes at the same time, from the checkout, until the last has ended.

    Args:
        lanes: what to run; one that another waits for comes before it.
        folder: where they may write; each lane has its own names in it.
    """
    running: dict[str, _Running] = {}
    printing = Lock()
    width = max((len(lane.name) for lane in lanes), default=0)
    with ThreadPoolExecutor(len(lanes) or 1) as pool:
        try:
            for lane in lanes:
                one = _Running(lane, folder, printing, width)
                one.begin(pool, [running[name] for name in lane.after])
                running[lane.name] = one
            for one in running.values():
                if not one.gives_way:
                    one.wait()
            for one in running.values():
                one.give_way_no_longer()
            return [one.wait() for one in running.values()]
        finally:
            for one in running.values():
                one.call_off()
            for one in running.values():
                one.end()


class _Running:
    """A lane, from when it may start."""

    def __init__(self, lane: Lane, folder: Path, printing: Lock, width: int) -> None:
        self._lane = lane
        self._report = folder / f"{lane.name}.xml".replace(" ", "-")
        self._prefix = f"{lane.name:<{width}} | "
        self._printing = printing
        self._starting = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_called_off = False

    def begin(self, pool: ThreadPoolExecutor, first: Sequence[_Running]) -> None:
        """Start as soon as the others have ended."""
        self._outcome = pool.submit(self._run, first)

    @property
    def gives_way(self) -> bool:
        """Whether others have the processors before it."""
        return self._lane.niceness > 0

    def give_way_no_longer(self) -> None:
        """Let it have as much of the processors as any other session: what else runs here may want all of them."""
        if self.gives_way and self._process is not None:
            _set_niceness_of_session(self._process.pid, 0)

    def wait(self) -> Outcome:
        """What became of it, at its end.

        Raises:
            OSError: its program cannot be started.
        """
        return self._outcome.result()

    def call_off(self) -> None:
        """See to it that it never starts, if it has not."""
        with self._starting:
            self._is_called_off = True

    def end(self) -> None:
        """End it, if it runs."""
        if self._process is not None and self._process.poll() is None:
            if self._lane.niceness and sys.platform != "win32":  # Ctrl-C did not reach its session
                self._process.send_signal(signal.SIGINT)
            stop(self._process)

    def _run(self, first: Sequence[_Running]) -> Outcome:
        for other in first:
            other.wait()
        begun_at_s = time.monotonic()
        with self._starting:
            if self._is_called_off:
                raise CancelledError
            self._process = self._start()
        tried_again = tuple(self._listen(self._process))
        exit_code = self._process.wait()
        return Outcome(self._lane, exit_code, time.monotonic() - begun_at_s, read_report(self._report), tried_again)

    def _start(self) -> subprocess.Popen[bytes]:
        options = ["--junitxml", str(self._report), "--basetemp", str(self._report.with_suffix(""))]
        process = subprocess.Popen(
            [*self._lane.command, *(options if self._lane.is_pytest else [])],
            cwd=setup_env.ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, **self._lane.variables, "PYTHONUNBUFFERED": "1"},
            start_new_session=bool(self._lane.niceness),
        )
        if self._lane.niceness:
            _give_way(process.pid, self._lane.niceness)
        return process

    def _listen(self, process: subprocess.Popen[bytes]) -> Iterator[str]:
        """Print what it says, to its end; yields the names of tests that it tries again."""
        assert process.stdout is not None
        with process.stdout as output:
            for raw in output:
                line = raw.decode(errors="replace").rstrip()
                if line.startswith(RERUN_MARK):
                    yield line.removeprefix(RERUN_MARK).partition(" - ")[0]
                with self._printing:
                    print(self._prefix + line, flush=True)


def _give_way(process: int, niceness: int) -> None:
    """Let a session, which this process leads, give way to all others.

    Linux shares the processors among sessions first (its "autogroups"). Niceness of a process counts within its own.
    Programs that tests start in sessions of their own would get no more than all the tests of a lane together.
    """
    if sys.platform == "win32":
        return
    os.setpriority(os.PRIO_PROCESS, process, niceness)
    _set_niceness_of_session(process, niceness)


def _set_niceness_of_session(leader: int, niceness: int) -> None:
    with contextlib.suppress(OSError):  # a system without autogroups, or it has ended
        Path(f"/proc/{leader}/autogroup").write_text(str(niceness), encoding="ascii")


def read_report(path: Path) -> tuple[Test, ...]:
    """The tests that a report names; none where there is no report, or half of one.

    A test that was tried again stands there twice: the last time counts.
    """
    try:
        cases = ET.parse(path).getroot().iter("testcase")  # noqa: S314 - pytest wrote it a moment ago
    except (OSError, ET.ParseError):
        return ()
    tests = [_read_case(case) for case in cases]
    return tuple({test.name: test for test in tests}.values())


def _read_case(case: ET.Element) -> Test:
    skipped = case.find("skipped")
    failed = next((found for kind in ("failure", "error") if (found := case.find(kind)) is not None), None)
    result: Result = "failed" if failed is not None else "passed" if skipped is None else "not run"
    reason = ""
    if failed is not None:
        reason = failed.get("message", "")
    elif skipped is not None:
        reason = _read_reason(skipped)
    name = ".".join(filter(None, (case.get("classname", ""), case.get("name", ""))))
    return Test(name, result, reason, float(case.get("time", "0")))


def _read_reason(skipped: ET.Element) -> str:
    """Why a test was skipped; where all of a module was, that stands in the text alone."""
    _, is_module, reason = (skipped.text or "").rpartition("'Skipped: ")
    return reason.rstrip("')") if is_module else skipped.get("message", "")
