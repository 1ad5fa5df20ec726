"""Fixtures that several test modules of the bot share."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from fake_desktop import FakeDesktop
from player_table import BEGINNER, CLASSIC, Table, simulate_time

from bot.virtual_screen import xvfb

SCREENS = Path(__file__).parent.parent / "screens"


@pytest.fixture(scope="session")
def bare_display(require_program):
    """The name (`:7`) of a virtual screen of 1280 x 1024 without a window manager: clicks of any speed arrive there."""
    require_program("Xvfb", "xvfb")
    require_program("xdotool", "xdotool")
    with xvfb() as name:
        yield name


@pytest.fixture(scope="session")
def virtual_display(require_program):
    """The name of a virtual screen of 1280 x 1024 with a window manager, for this test run alone."""
    for program in ("Xvfb", "openbox", "xdotool"):
        require_program(program, program.lower())
    with xvfb() as name:
        manager = subprocess.Popen(
            ["openbox"], env={**os.environ, "DISPLAY": name}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for_window_manager(name)
        yield name
        manager.terminate()
        manager.wait(timeout=10)


def wait_for_window_manager(display_name):
    """Wait until a window manager says that it is there: a window that comes up earlier may get lost to it."""
    from Xlib import X
    from Xlib.display import Display

    display = Display(display_name)
    try:
        check = display.intern_atom("_NET_SUPPORTING_WM_CHECK")
        deadline = time.monotonic() + 20
        while display.screen().root.get_full_property(check, X.AnyPropertyType) is None:
            assert time.monotonic() < deadline, "openbox did not start within 20 s"
            time.sleep(0.05)
    finally:
        display.close()


@pytest.fixture(scope="session")
def screens():
    """The folder of recorded screens."""
    return SCREENS


@pytest.fixture
def sit_down(monkeypatch):
    """Return a function that makes a desktop and a player before it, both in simulated time."""

    def _sit_down(skin=CLASSIC, level=BEGINNER, *, knows_programs=True, **options):
        desktop = FakeDesktop(skin, level, **options)
        desktop.knows_programs = knows_programs
        simulate_time(monkeypatch, desktop.clock)
        return Table(desktop)

    return _sit_down
