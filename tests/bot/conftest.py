"""Fixtures that several test modules of the bot share."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bot.virtual_screen import virtual_screen

SCREENS = Path(__file__).parent.parent / "screens"


@pytest.fixture(scope="session")
def virtual_display(require_program):
    """The name (`:7`) of a virtual screen of 1280 x 1024 with a window manager, for this test run alone.

    While it is there, the test process and all it starts are on it.
    """
    for program in ("Xvfb", "openbox", "xdotool"):
        require_program(program, program.lower())
    with virtual_screen() as name:
        manager = subprocess.Popen(
            ["openbox"], env={**os.environ, "DISPLAY": name}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        yield name
        manager.terminate()
        manager.wait(timeout=10)


@pytest.fixture(scope="session")
def screens():
    """The folder of recorded screens."""
    return SCREENS
