"""The built-in game's window where the X server goes away: a line and a documented exit code, not Xlib's own end."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack

import pytest
from bot_process import environment
from patience import PATIENCE_S, wait_until

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
            pipes = {"env": environment(display), "capture_output": True}
            wait_until(lambda: subprocess.run(find, check=False, **pipes).returncode == 0, "no window came up")
            screen.close()
            _, said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, said.count("\n")) == (5, 1), said
    assert "X server is gone" in said
