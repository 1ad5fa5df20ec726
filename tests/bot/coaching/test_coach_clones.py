"""`minebot coach` over real winemine and GNOME Mines: what it marks is what `solve` says, and it disturbs nothing.

Every click is made by other hands through the overlay. MINEBOT_COACH_POSITIONS says how many positions of each.
"""

from __future__ import annotations

import pytest
from amounts import count
from coached import PROGRAMS, coached, running_clone, see_positions
from desktop_game import desk

N_POSITIONS = count("MINEBOT_COACH_POSITIONS", gate=3, full=20)

pytestmark = [pytest.mark.screen, pytest.mark.winemine, pytest.mark.timeout(900 + 10 * N_POSITIONS)]


@pytest.fixture(scope="module")
def hands(virtual_display, require_program):
    with desk(virtual_display) as opened:
        yield opened


@pytest.fixture(params=["winemine", "gnome-mines"])
def clone(request, hands, require_program):
    """A running clone: the keys that close what a win brings up and begin another game."""
    for program, package in PROGRAMS[request.param]:
        require_program(program, package)
    with running_clone(request.param, hands) as keys:
        yield keys


def test_coach_marks_what_solve_says_and_reads_the_same_as_without_it(clone, hands):
    with coached(hands) as coach:
        see_positions(coach, hands, clone, N_POSITIONS)
