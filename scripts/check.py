"""The gate: `python3 scripts/check.py` sets the project up with its tools and says whether everything is in order.

Every check runs, whatever the ones before it found; the exit code is 0 only if all passed. pytest comes last, and its
own summary is the last line of all. The tests in Windows' Python that need no screen run beside the others, at low
priority: what they say is shown when they have ended. `--fast` leaves out the tests that need a virtual screen or wine,
and the slow ones.

With CI=true, anything missing is a failure; on a person's machine the tests concerned are skipped and say why.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import IO, TYPE_CHECKING

import setup_env
import system_packages
import windows_env
from progress import SetUpError, stop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FAST_MARKS = "not screen and not winemine and not windows and not slow"
BESIDE_MARKS = "windows and not screen"
NICENESS = 19
"""Of what runs beside: it takes a processor for minutes, and the tests on a screen, which mostly wait, need theirs when
they need it."""
PYTEST_RAN_NOTHING = 5


@dataclass(frozen=True)
class Result:
    """How one check went."""

    name: str
    remark: str
    """Empty when it passed."""
    took_s: float


def main(arguments: Sequence[str]) -> int:
    """Set up, check everything; return 0 if all of it passed."""
    parser = argparse.ArgumentParser(prog="check.py", description="Sets the project up and runs every check.")
    parser.add_argument("--fast", action="store_true", help="without the tests that need a screen, wine or patience")
    args = parser.parse_args(arguments)

    results = [_set_up(with_screen=not args.fast)]
    if not args.fast:
        results.append(_set_up_windows())
    results += [_run_tool(name, command) for name, command in _tools()]
    if args.fast or not system_packages.is_linux():
        pytest_result, summary = _run_pytest(["-m", FAST_MARKS] if args.fast else [])
    else:
        with _pytest_beside(["-m", BESIDE_MARKS]) as beside:
            pytest_result, summary = _run_pytest(["-m", f"not ({BESIDE_MARKS})"])
            results.append(beside.wait())
    results.append(pytest_result)
    print(format_table(results))
    print(summary, flush=True)
    return 1 if any(result.remark for result in results) else 0


def _set_up(*, with_screen: bool) -> Result:
    begun_at_s = time.monotonic()
    wished = dict.fromkeys((*system_packages.FOR_REAL_CLONES, *system_packages.FOR_WINDOWS)) if with_screen else {}
    missing = setup_env.prepare(extras=["dev"], wished=list(wished))
    if missing:
        print(system_packages.explain(missing))
        print("Tests that need them are skipped." if not setup_env.is_ci() else "In CI that is a failure.")
    remark = "system packages are missing" if missing and setup_env.is_ci() else ""
    return Result("set-up", remark, time.monotonic() - begun_at_s)


def _set_up_windows() -> Result:
    """Make CPython for Windows, which the tests marked `windows` run the bot in; only Linux has a use for it."""
    name = "Windows under wine"
    begun_at_s = time.monotonic()
    if not system_packages.is_linux():
        return Result(name, "", 0.0)
    remark = ""
    try:
        windows_env.prepare(setup_env.venv_program("python"))
    except SetUpError as error:
        print(f"\n{error}")
        remark = "CPython for Windows could not be made" if setup_env.is_ci() else ""
    return Result(name, remark, time.monotonic() - begun_at_s)


def _tools() -> list[tuple[str, list[str]]]:
    return [
        ("ruff format", [setup_env.venv_program("ruff"), "format", "--check"]),
        ("ruff check", [setup_env.venv_program("ruff"), "check"]),
        ("mypy", [setup_env.venv_program("mypy")]),
        ("lint-imports", [setup_env.venv_program("lint-imports")]),
    ]


def _run_tool(name: str, command: Sequence[str]) -> Result:
    print(f"\n--- {name}", flush=True)
    begun_at_s = time.monotonic()
    process = subprocess.run(command, cwd=setup_env.ROOT, stdin=subprocess.DEVNULL, check=False)
    remark = f"exit code {process.returncode}" if process.returncode != 0 else ""
    return Result(name, remark, time.monotonic() - begun_at_s)


def _run_pytest(arguments: Sequence[str]) -> tuple[Result, str]:
    """Run pytest, its output passed on as it comes; return how it went and its last line, not shown yet."""
    print("\n--- pytest", flush=True)
    begun_at_s = time.monotonic()
    with _begin_pytest(arguments, subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            summary = pass_on(process.stdout, sys.stdout.buffer)
            exit_code = process.wait()
        except BaseException:
            stop(process)
            raise
    result = Result("pytest", _complain_of_pytest(exit_code), time.monotonic() - begun_at_s)
    return result, summary.decode(errors="replace").strip()


class _Beside:
    """A run of pytest whose output is kept until it has ended."""

    name = "pytest, beside"

    def __init__(self, process: subprocess.Popen[bytes], output: IO[bytes]) -> None:
        self._process = process
        self._output = output
        self._begun_at_s = self._ended_at_s = time.monotonic()
        self._waiting = Thread(target=self._wait, daemon=True)
        self._waiting.start()

    def wait(self) -> Result:
        """Wait for its end, show what it said and return how it went."""
        self._waiting.join()
        exit_code = self._process.wait()
        print(f"\n--- {self.name}", flush=True)
        self._output.seek(0)
        shutil.copyfileobj(self._output, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return Result(self.name, _complain_of_pytest(exit_code), self._ended_at_s - self._begun_at_s)

    def _wait(self) -> None:
        """Note when it ended, which may be long before anybody asks."""
        self._process.wait()
        self._ended_at_s = time.monotonic()


@contextmanager
def _pytest_beside(arguments: Sequence[str]) -> Iterator[_Beside]:
    """Run pytest at low priority during the `with` statement, and end it where that does not wait for it."""
    with tempfile.TemporaryFile() as output:
        process = _begin_pytest([*arguments, "-p", "no:cacheprovider"], output)
        os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)
        try:
            yield _Beside(process, output)
        finally:
            if process.poll() is None:
                stop(process)


def _begin_pytest(arguments: Sequence[str], output: int | IO[bytes]) -> subprocess.Popen[bytes]:
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    return subprocess.Popen(
        [setup_env.venv_program("python"), "-m", "pytest", *colour, *arguments],
        cwd=setup_env.ROOT,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=None if output == subprocess.PIPE else subprocess.STDOUT,
        env={**os.environ, "COLUMNS": str(shutil.get_terminal_size().columns)},
    )


def _complain_of_pytest(exit_code: int) -> str:
    if exit_code == PYTEST_RAN_NOTHING:
        return "no test ran"
    return f"exit code {exit_code}" if exit_code != 0 else ""


def pass_on(source: IO[bytes], sink: IO[bytes]) -> bytes:
    """Copy bytes as they come, except a last line that looks like pytest's summary: return that one instead."""
    held = b""
    while chunk := os.read(source.fileno(), 65536):
        text = held + chunk
        start = text.rfind(b"\n", 0, -1) + 1
        held = text[start:] if text[start : start + 1] in {b"=", b"\x1b"} else b""
        sink.write(text[: len(text) - len(held)])
        sink.flush()
    return held


def format_table(results: Sequence[Result]) -> str:
    """The results as text, a line each."""
    width = max(len(result.name) for result in results)
    rows = [
        f"{result.name:<{width}}  {result.took_s:7.1f} s  {f'FAILED: {result.remark}' if result.remark else 'passed'}"
        for result in results
    ]
    return "\n".join(["", *rows, ""])


if __name__ == "__main__":
    sys.exit(setup_env.run_as_script(main))
