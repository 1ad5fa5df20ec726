"""Starts this program's own commands in new processes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Literal

Program = Literal["bot", "calibration"]
_FLAGS = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0) | getattr(subprocess, "CREATE_NO_WINDOW", 0)
"""On Windows: Ctrl-C is not for them, and they open no console."""


def own_command(*arguments: str, program: Program = "bot") -> list[str]:
    """The command line that runs `minebot`, or `minebot-calibrate`, with these arguments."""
    return [sys.executable, "-P", "-m", program, *arguments]


def start(
    command: list[str], *, stdin: int = subprocess.DEVNULL, stdout: int = subprocess.PIPE
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
        creationflags=_FLAGS,
    )
