"""The built-in game's window where the X server goes away: a line and a documented exit code, not Xlib's own end."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import ExitStack

import pytest
from bot_process import environment

from bot.virtual_screen import xvfb


@pytest.mark.screen
def test_game_ends_with_exit_code_5_where_its_screen_dies(require_program):
    require_program("Xvfb", "xvfb")
    require_program("xdotool", "xdotool")
    with ExitStack() as screen:
        display = screen.enter_context(xvfb())
        process = subprocess.Popen(
            [sys.executable, "-m", "bot", "game", "--best-times", "none"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(display),
        )
        with process:
            find = ["xdotool", "search", "--name", "Minebot"]
            deadline = time.monotonic() + 20
            while subprocess.run(find, env=environment(display), capture_output=True, check=False).returncode:
                assert time.monotonic() < deadline, "no window came up"
                time.sleep(0.05)
            screen.close()
            _, said = process.communicate(timeout=20)
    assert (process.returncode, said.count("\n")) == (5, 1), said
    assert "X server is gone" in said
