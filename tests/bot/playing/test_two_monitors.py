"""A real clone that lies across two monitors which only the X server's XINERAMA knows."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import contextmanager
from copy import deepcopy

import pytest
from bot_process import run_bot
from desktop_game import desk, started
from patience import PATIENCE_S
from window_manager import openbox
from xdemineur import BOARD_LEFT_PX, CELL_PX, PROGRAM, TITLE
from xledger import XLedger
from Xlib.protocol.display import Display as Connection

from bot.virtual_screen import xvfb

pytestmark = [pytest.mark.screen]

SEAM_PX = 800
"""Where the second monitor begins."""
LEFT_PX, TOP_PX = 620, 90
ROWS, COLS, MINES = 16, 30, 99
N_GAMES = "5"
"""One alone may be lost before it has left the monitor that it began on."""


@contextmanager
def two_monitors():
    """A virtual screen of two monitors of 800 x 600 side by side, with a window manager; yields the display's name.

    Without RANDR: Xephyr's knows one monitor, and keeps the pointer on it.
    """
    with xvfb() as host:
        reader, writer = os.pipe()
        screens = ["-origin", "0,0", "-screen", "800x600", "-origin", f"{SEAM_PX},0", "-screen", "800x600"]
        server = subprocess.Popen(
            ["Xephyr", "-displayfd", str(writer), "+xinerama", "-extension", "RANDR", *screens],
            env={**os.environ, "DISPLAY": host},
            pass_fds=[writer],
            stderr=subprocess.DEVNULL,
        )
        os.close(writer)
        with os.fdopen(reader) as told:
            name = f":{told.readline().strip()}"
        try:
            with openbox(name):
                yield name
        finally:
            server.terminate()
            server.wait(timeout=PATIENCE_S)


@pytest.mark.safety
def test_board_across_two_monitors_is_seen_whole_and_played(require_program, monkeypatch):
    # python-xlib keeps one table of event numbers for all servers, and this one numbers them in its own way
    monkeypatch.setattr(Connection, "event_classes", deepcopy(Connection.event_classes))
    for program, package in (("Xephyr", "xserver-xephyr"), ("openbox", "openbox"), (PROGRAM, "xdemineur")):
        require_program(program, package)
    with (
        two_monitors() as name,
        desk(name) as hands,
        started(PROGRAM, "-geometry", f"{COLS}x{ROWS}+{LEFT_PX}+{TOP_PX}", "-m", str(MINES), display=name),
    ):
        board_left = hands.wait_for_window(TITLE).left + BOARD_LEFT_PX
        assert board_left < SEAM_PX < board_left + COLS * CELL_PX, "the board must lie across the seam"
        with XLedger(name) as witness:
            code, output, remarks = run_bot("play", "--now", "--json", "--games", N_GAMES, display=name)
        assert code in (0, 1), remarks
        games = json.loads(output)["games"]
        assert {(game["rows"], game["cols"]) for game in games} == {(ROWS, COLS)}
        presses = [event.x for event in witness.of("press")]
        assert min(presses) < SEAM_PX <= max(presses)
        _, report, _ = run_bot("doctor", display=name)
        line = next(line for line in report.splitlines() if "displays" in line)
        assert line.startswith("ok")
        assert "800 x 600" in line
        assert f"({SEAM_PX},0)" in " ".join(report.split())
