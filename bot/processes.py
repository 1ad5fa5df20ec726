"""Starts this program's own commands as processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Literal

Program = Literal["bot", "calibration"]
_FROZEN: dict[Program, str] = {"bot": "minebot", "calibration": "minebot-calibrate"}


def own_command(*arguments: str, program: Program = "bot") -> list[str]:
    """The command line that runs `minebot`, or `minebot-calibrate`, with these arguments."""
    if getattr(sys, "frozen", False):  # a package with no Python: both programs lie in one folder
        path = Path(sys.executable)
        return [str(path.with_name(_FROZEN[program] + path.suffix)), *arguments]
    return [sys.executable, "-P", "-m", program, *arguments]


def start(
    command: list[str], *, stdin: int | IO[str] = subprocess.DEVNULL, stdout: int = subprocess.PIPE
) -> subprocess.Popen[str]:
    """Start a command whose words we read; Ctrl-C in the terminal is for us alone."""
    return subprocess.Popen(  # noqa: S603 - this very program
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONIOENCODING": "utf-8"},
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
