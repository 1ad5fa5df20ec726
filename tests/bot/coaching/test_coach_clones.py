"""`minebot coach` over real winemine and GNOME Mines: what it marks is what `solve` says, and it disturbs nothing.

Every click is made by other hands through the overlay. Each position is read twice: by the coach, from under what it
has drawn, and from a picture of the screen while nothing is drawn. MINEBOT_COACH_POSITIONS says how many of each.
"""

from __future__ import annotations

import os

import numpy as np
import pytest
from coached import PROGRAMS, begin_another, coached, expected_marks, read_uncovered, running_clone, told_marks
from desktop_game import desk

from solver.board import format_rows

N_POSITIONS = int(os.environ.get("MINEBOT_COACH_POSITIONS", "3"))

pytestmark = [pytest.mark.screen, pytest.mark.winemine, pytest.mark.timeout(300 + 10 * N_POSITIONS)]


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
        n_seen = 0
        while True:
            hands.move(0, 0)
            told = coach.wait_until_settled()
            drawn = hands.capture_all()
            coach.toggle()
            frame, reading = read_uncovered(hands)
            coach.toggle()
            again = coach.wait_until_settled(still_s=0)
            assert told["board"] == again["board"] == format_rows(reading.board.cells), "with it on as with it off"
            proven, risks = told_marks(told)
            expected_proven, expected_risks = expected_marks(told)
            assert proven == expected_proven
            assert risks == pytest.approx(expected_risks, rel=1e-12)
            region = reading.grid.region
            assert told["origin"] == list(region.corner)
            rows, cols = slice(region.top, region.top + region.height), slice(region.left, region.left + region.width)
            is_drawn = not np.array_equal(drawn[rows, cols], frame.pixels_bgr[rows, cols])
            assert is_drawn == (told["state"] in ("fresh", "playing"))
            n_seen += told["state"] == "playing"
            if n_seen == N_POSITIONS:
                break
            n_before = len(coach.events)
            if told["move"] is None:
                begin_another(hands, clone, told["state"])
                coach.wait_for(lambda event: event.get("state") == "fresh", n_before, "new game")
            else:
                middle = reading.grid.cell_region(tuple(told["move"]["cell"])).middle
                hands.move(*middle)
                coach.wait_for(lambda event: event["event"] == "cell", n_before, "reason")
                n_before = len(coach.events)
                hands.click(*middle)
                coach.wait_for_kind("position", n_before)
