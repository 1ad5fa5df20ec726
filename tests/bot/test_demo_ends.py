"""The demonstration on a screen of its own, stopped: its table, one line, exit code 130, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from bot_process import environment


def family(mark):
    """The processes with this mark in their environment."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_bytes())
        except OSError:
            continue  # it has ended
    return [command for command in found if command]


@pytest.mark.screen
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])  # Windows has not all of them
def test_stopped_demo_leaves_no_screen_and_no_game_behind(require_program, tmp_path, name):
    require_program("Xvfb", "xvfb")
    number = signal.Signals[name]
    mark = f"MINEBOT_TEST={os.getpid()}-{name}"
    env = environment(None) | dict([mark.split("=")])
    command = [sys.executable, "-m", "bot", "demo", "--headless", "--level", "expert", "--record", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            deadline = time.monotonic() + 30
            while len(family(mark.encode())) < 3:  # the bot, the screen and the game
                assert time.monotonic() < deadline, "the game did not come up"
                time.sleep(0.02)
            time.sleep(0.5)
            process.send_signal(number)
            _, said = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130, said
    assert "Traceback" not in said
    deadline = time.monotonic() + 3
    while left := family(mark.encode()):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)
