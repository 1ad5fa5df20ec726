"""Fixtures that several test modules of the bot share."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_desktop import FakeDesktop
from player_table import BEGINNER, CLASSIC, Table, simulate_time

SCREENS = Path(__file__).parent.parent / "screens"


@pytest.fixture(scope="session")
def screens():
    """The folder of recorded screens."""
    return SCREENS


@pytest.fixture
def sit_down(monkeypatch):
    """Return a function that makes a desktop and a player before it, both in simulated time."""

    def _sit_down(skin=CLASSIC, level=BEGINNER, *, knows_programs=True, known=None, settings=None, **options):
        desktop = FakeDesktop(skin, level, **options)
        desktop.knows_programs = knows_programs
        simulate_time(monkeypatch, desktop.clock)
        return Table(desktop, known=known, settings=settings)

    return _sit_down
