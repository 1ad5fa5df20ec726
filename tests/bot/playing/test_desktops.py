"""Whole games on real GNOME and KDE, by their real portals, consent included: `portal_games` in sessions of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest
import setup_env
import wayland

pytestmark = [pytest.mark.screen, pytest.mark.safety]


@pytest.mark.full("makes a Debian 13 system, in 2 to 8 minutes, at first")
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(
    ("session", "chosen"),
    [
        (["gnome"], ""),
        (["kde"], ""),
        (["gnome", "--scale", "2"], "games_are"),
        (["kde", "--scale", "1.5"], "games_are"),
        (["kde", "--outputs", "2"], "games_are or second_output"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_games_by_the_real_portals(session, chosen):
    why = wayland.complain()
    if why is not None:
        pytest.skip(why)
    script = str(setup_env.ROOT / "scripts" / "wayland.py")
    inside = [".venv/bin/python", "-m", "pytest", "-s", "-p", "no:cacheprovider", "-p", "no:rerunfailures"]
    command = [sys.executable, script, *session, "--", *inside, "tests/support/portal_games.py", "-k", chosen]
    assert subprocess.run(command, check=False).returncode == 0
