"""`minebot coach` over real winemine and GNOME Mines: what it marks is what `solve` says, and it disturbs nothing.

Every click is made by other hands through the overlay. MINEBOT_COACH_POSITIONS says how many positions of each.
"""

from __future__ import annotations

import pytest
from amounts import count
from coached import PROGRAMS, board_slices, coached, panes, running_clone, see_positions
from desktop_game import desk
from patience import wait_until

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


def test_coach_says_while_it_is_hidden_whether_to_guess(clone, hands):
    with coached(hands) as coach:
        hands.move(0, 0)
        position = coach.wait_until_settled()
        rows, cols = board_slices(position)
        coach.toggle()
        wait_until(lambda: not panes(hands), "the drawing stays on the screen")
        n_before = len(coach.events)
        hands.move(cols.start + 5, rows.start + 5)
        hands.type_key("F6")
        said = coach.wait_for_kind("guess", n_before)
        assert (said["cell"], said["right"]) == ([0, 0], True), "before the first click"
        wait_until(lambda: len(panes(hands)) == 1, "no answer is shown")
        ((left, top, width, height),) = panes(hands)
        assert left >= cols.stop or left + width <= cols.start or top >= rows.stop or top + height <= rows.start
        hands.move(0, 0)
        wait_until(lambda: not panes(hands), "the answer stays when the pointer has left the cell")
        assert [event["event"] for event in coach.events[n_before:]] == ["guess"], "nothing else is told"
