"""Steps of the set-up, shown while they run.

On a terminal a step is one line that keeps changing: a bar of the steps done, the step's name, its time so far and the
last thing its program said. Elsewhere each step is one plain line. What the programs print goes to a log file; its
end is shown when one of them fails.

Standard library only, and importable by Python 3.8: it runs before anything is installed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

TAIL_LINES = 25  # how much of the log a person is shown when a step fails: pip and gcc name the cause within it

REDRAW_S = 0.2
PATIENCE_S = 5.0
COMMAND_MARK = "$ "


class SetUpError(Exception):
    """The set-up cannot go on; the message says what a person can do about it."""


class Progress:
    """Shows the steps of one set-up and runs their programs."""

    def __init__(self, n_steps: int, log_path: Path, stream: IO[str]) -> None:
        self.n_steps = n_steps
        self.log_path = log_path
        self._stream = stream
        self._live = stream.isatty()
        self._n_begun = 0
        self._title = ""
        self._begun_at_s = 0.0

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Show the body of the `with` statement as the next step."""
        self._n_begun += 1
        self._title = title
        self._begun_at_s = time.monotonic()
        self._draw() if self._live else self._write(f"{self._head()} ... ")
        try:
            yield
        except BaseException:
            self._end("did not finish")
            raise
        self._end("")

    def run(
        self, command: Sequence[str], *, folder: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """Run a program of the current step to its end, its output in the log.

        Args:
            command: the program and its arguments.
            folder: where it runs; here when None.
            environment: variables to set for it, besides those it inherits.

        Raises:
            SetUpError: the program is not there, or it failed; with the end of its output.
        """
        variables = {**os.environ, "PYTHONUNBUFFERED": "1", **(environment or {})}  # unbuffered: the log is in order
        with self.log_path.open("ab") as log:
            log.write(f"\n{COMMAND_MARK}{' '.join(command)}\n".encode())
            log.flush()
            begun_at = log.tell()
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    cwd=folder,
                    env=variables,
                )
            except OSError as error:
                raise SetUpError(f"cannot start {command[0]}: {error.strerror}") from error
            exit_code = self._wait(process)
        if exit_code != 0:
            raise SetUpError(
                f"{self._title}: {command[0]} failed with exit code {exit_code}. The end of what it said:\n\n"
                f"{_tail(self.log_path, begun_at)}\n\nAll of it is in {self.log_path}"
            )

    def _wait(self, process: subprocess.Popen[bytes]) -> int:
        try:
            while True:
                try:
                    return process.wait(timeout=REDRAW_S)
                except subprocess.TimeoutExpired:
                    if self._live:
                        self._draw()
        except BaseException:
            stop(process)
            raise

    def _head(self) -> str:
        return f"[{self._n_begun}/{self.n_steps}] {self._title}"

    def _draw(self) -> None:
        n_done = self._n_begun - 1
        bar = "#" * n_done + "-" * (self.n_steps - n_done)
        said = _last_line(self.log_path)
        line = f"{self._head()} [{bar}] {time.monotonic() - self._begun_at_s:.0f} s  {said}"
        width = shutil.get_terminal_size().columns - 1
        self._write(f"\r\x1b[K{line[:width]}")

    def _end(self, remark: str) -> None:
        took = f"{time.monotonic() - self._begun_at_s:.0f} s" + (f", {remark}" if remark else "")
        self._write(f"\r\x1b[K{self._head()} ... {took}\n" if self._live else f"{took}\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a program after Ctrl-C.

    Ctrl-C on a terminal has reached it too, and a second one would disturb its cleaning up: it is waited for first,
    then asked, then made to.
    """
    asking = [lambda: None, process.terminate, process.kill]
    if sys.platform != "win32":  # Windows can send it to whole groups only
        asking.insert(1, lambda: process.send_signal(signal.SIGINT))
    for ask in asking:
        ask()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=PATIENCE_S)
            return


def _tail(log_path: Path, offset: int) -> str:
    """The last lines of the log after this byte."""
    with log_path.open("rb") as log:
        log.seek(offset)
        lines = log.read().decode(errors="replace").splitlines()
    return "\n".join(f"    {line}" for line in lines[-TAIL_LINES:])


def _last_line(log_path: Path, *, window: int = 400) -> str:
    """The last full line that a program wrote to the log, or nothing."""
    with log_path.open("rb") as log:
        log.seek(max(0, log.seek(0, 2) - window))
        lines = log.read().decode(errors="replace").rpartition("\n")[0].splitlines()
    if not lines or lines[-1].startswith(COMMAND_MARK):
        return ""
    return "".join(character for character in lines[-1].strip() if character.isprintable())
