"""Running what `windows_env` made: CPython for Windows, under wine.

wine 8 gives a program standard streams that work only where they are pipes, or nothing at all; so all of its output
goes through pipes here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from progress import stop

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parent.parent
WINE_VARIABLES = {
    "USER": "Jörg Übung",  # as many on Windows have one: a space, and letters that are not ASCII
    "WINEDEBUG": "-all",
    "WINEDLLOVERRIDES": "mscoree,mshtml=;winemenubuilder.exe=d",  # it offers to install nothing, and adds no menus
    "NO_AT_BRIDGE": "1",
    "LC_ALL": "C.UTF-8",  # for paths in any letters
}
_OF_ANOTHER_PYTHON = ("PYTHON", "VIRTUAL_ENV", "PYTEST_")


@dataclass(frozen=True)
class WindowsPython:
    """A finished environment.

    Attributes:
        folder: Python, in `python`, and the wine prefix that came with it, in `prefix`.
        cache: where compiled code is kept beside it.
    """

    folder: Path
    cache: Path

    @property
    def prefix(self) -> Path:
        """The wine prefix that came with it."""
        return self.folder / "prefix"

    def command(self, program: str, *arguments: str) -> list[str]:
        """What to start for `program`: `python` is this Python, anything else is found by wine."""
        path = str(self.folder / "python" / "python.exe") if program == "python" else program
        return ["wine", path, *arguments]

    def environment(self, **variables: str) -> dict[str, str]:
        """The variables for `command`: this process's, less those that mean its own Python.

        Args:
            variables: more of them: WINEPREFIX for another prefix, DISPLAY for another screen.
        """
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_OF_ANOTHER_PYTHON)}
        wine = {**WINE_VARIABLES, "WINEPREFIX": str(self.prefix), "HOME": str(self.folder)}
        paths = {"PYTHONPATH": windows_path(ROOT), "NUMBA_CACHE_DIR": windows_path(self.cache / "numba")}
        return {**kept, **wine, **paths, **variables}

    def compile_kernel(self) -> None:
        """Compile the solver's kernel: 50 s, or 4 s where that was done before.

        Raises:
            subprocess.CalledProcessError: it cannot be compiled.
        """
        command = self.command("python", "-m", "solver.kernel")
        subprocess.run(
            command, env=self.environment(), cwd=ROOT, check=True, stdin=subprocess.DEVNULL, capture_output=True
        )

    def run(self, command: Sequence[str], **variables: str) -> int:
        """Run a command in the foreground, from the checkout; return its exit code.

        Args:
            command: a program, as `command` takes it, and its arguments.
            variables: as `environment` takes them.
        """
        process = subprocess.Popen(
            self.command(*command),
            env=self.environment(**variables),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        pairs = ((process.stdout, sys.stdout.buffer), (process.stderr, sys.stderr.buffer))
        threads = [threading.Thread(target=_pass_on, args=pair, daemon=True) for pair in pairs]
        for thread in threads:
            thread.start()
        try:
            exit_code = process.wait()
        except BaseException:
            stop(process)
            raise
        for thread in threads:
            thread.join()
        return exit_code if exit_code >= 0 else 128 - exit_code


@contextmanager
def copied_prefix(template: Path) -> Iterator[dict[str, str]]:
    """A wine prefix for the block alone, a copy of another; what runs in it is ended and the copy removed.

    Yields:
        The variables by which programs are run in it, for `WindowsPython.environment`.
    """
    with tempfile.TemporaryDirectory(prefix="minebot-wine-", ignore_cleanup_errors=True) as folder:
        where = {"HOME": folder, "WINEPREFIX": str(Path(folder, "prefix"))}
        shutil.copytree(template, where["WINEPREFIX"], symlinks=True)
        try:
            yield where
        finally:
            for ask in ("-k", "-w"):
                subprocess.run(["wineserver", ask], env={**os.environ, **where}, check=False)


def windows_path(path: Path) -> str:
    """How a program under wine names a file of this machine."""
    return "Z:" + str(path.resolve()).replace("/", "\\")


def _pass_on(source: IO[bytes], sink: IO[bytes]) -> None:
    """Copy bytes as they come."""
    while chunk := os.read(source.fileno(), 65536):
        sink.write(chunk)
        sink.flush()
