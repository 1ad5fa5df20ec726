"""`minebot coach` on Wayland: what it marks over real GNOME Mines is what `solve` says, and it disturbs nothing."""

from __future__ import annotations

import re
import subprocess

import pytest
from amounts import count
from bot_process import run_bot
from coached import coached, see_positions
from gnome_mines import PROGRAM, gnome_mines
from mutter_desk import PROGRAMS as FOR_MUTTER
from mutter_desk import mutter_desk
from sway_desk import PROGRAMS as FOR_SWAY
from sway_desk import sway_desk

N_POSITIONS = count("MINEBOT_COACH_POSITIONS", gate=3, full=20)

pytestmark = [pytest.mark.screen, pytest.mark.timeout(900 + 10 * N_POSITIONS)]


KEYS = "alt+d", "ctrl+r"


def require(require_program, programs):
    for program, package in {PROGRAM: "gnome-mines", "Xwayland": "xwayland", **programs}.items():
        require_program(program, package)


def test_coach_on_sway_marks_what_solve_says_and_reads_the_same_as_without_it(require_program):
    require(require_program, FOR_SWAY)
    with sway_desk() as desk, gnome_mines(desk, "medium"), coached(desk) as coach:
        see_positions(coach, desk, KEYS, N_POSITIONS, tells_pointer=False)


def test_coach_by_a_portal_marks_what_solve_says_and_reads_the_same_as_without_it(require_program):
    """Clicks go through what an Xwayland of 24.1 or newer draws; an older one is refused."""
    require(require_program, FOR_MUTTER)
    told = subprocess.run(["Xwayland", "-version"], check=True, stderr=subprocess.PIPE, text=True).stderr
    version = tuple(map(int, re.search(r"Version (\d+)\.(\d+)", told).groups()))
    with mutter_desk(has_x=True) as desk, gnome_mines(desk, "medium"):
        if version < (24, 1):
            code, _, remarks = run_bot("coach", **desk.variables)
            assert code == 5
            assert f"needs Xwayland 24.1, and this one is {version[0]}.{version[1]}" in remarks
        else:
            with coached(desk) as coach:
                see_positions(coach, desk, KEYS, N_POSITIONS)
