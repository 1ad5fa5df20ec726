"""`scripts/wayland.py`: commands in GNOME and KDE sessions of their own."""

from __future__ import annotations

import subprocess
import sys

import pytest
import setup_env
import wayland

SCRIPT = str(setup_env.ROOT / "scripts" / "wayland.py")
TELL = "echo $XDG_CURRENT_DESKTOP $DISPLAY $(id -u); touch new 2>/dev/null && echo wrote"


def test_says_not_run_and_why_where_something_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(wayland, "NEEDED", ("no-such-program",))
    monkeypatch.setattr(wayland.os, "geteuid", lambda: 0)
    assert wayland.main(["kde", "--", "true"]) == wayland.NOT_RUN
    assert capsys.readouterr().err == "NOT RUN: this machine lacks no-such-program\n"


def test_says_not_run_to_who_is_not_root(monkeypatch, capsys):
    monkeypatch.setattr(wayland.os, "geteuid", lambda: 1000)
    assert wayland.main(["kde", "--", "true"]) == wayland.NOT_RUN
    assert capsys.readouterr().err.startswith("NOT RUN: ")


@pytest.mark.screen
@pytest.mark.full("makes a Debian 13 system, in 2 to 8 minutes, at first")
@pytest.mark.timeout(1800)
def test_two_sessions_at_once_run_each_its_command_as_a_plain_user():
    why = wayland.complain()
    if why is not None:
        pytest.skip(why)
    wayland.prepare_venv(wayland.prepare(), setup_env.ROOT)
    commands = [[sys.executable, SCRIPT, desktop, "--", "sh", "-c", f"{TELL}; exit 7"] for desktop in ("gnome", "kde")]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
    told = [process.communicate(timeout=300)[0] for process in processes]
    assert told == [f"GNOME :0 {wayland.USER}\n", f"KDE :0 {wayland.USER}\n"]
    assert [process.returncode for process in processes] == [7, 7]
