"""The X server goes away while the bot waits or plays: a line and the documented exit code, no traceback."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from bot_process import running_bot
from window_game import Script, window_game

from bot.virtual_screen import xvfb

pytestmark = [pytest.mark.screen]


@pytest.mark.parametrize("is_playing", [False, True], ids=["waiting", "playing"])
def test_play_ends_with_exit_code_5_where_its_screen_dies(require_program, is_playing):
    require_program("Xvfb", "xvfb")
    with ExitStack() as screen, ExitStack() as programs:
        display = screen.enter_context(xvfb())
        script = Script([[(0, 8), (8, 0), (8, 8)]])
        game = programs.enter_context(window_game(display, script))
        begin = ["--now"] if is_playing else []
        bot = programs.enter_context(
            running_bot("play", *begin, "--mines", "3", "--games", "10000", "--json", display=display)
        )
        if is_playing:
            game.wait_for("ended", 3)
        else:
            bot.wait_for("Press F10")
        screen.close()
        code, _ = bot.finish()
    assert code == 5, bot.remarks
    assert "Traceback" not in "".join(bot.remarks)
    assert sum("X server is gone" in line or "cannot be listened to" in line for line in bot.remarks) == 1, bot.remarks
