"""The test page in a real Chromium: learned in one command, then played, and held against the page's own truth."""

import sys

import pytest
from chromium import PROGRAM
from fonts import WEB
from page_runs import run_page
from web_page import random_setting

pytestmark = [pytest.mark.screen, pytest.mark.slow, pytest.mark.timeout(500)]

GRAINY, NOTHING_STRANGE = 12, 21
"""Numbers of settings: closed cells that differ by a level, on a striped page, with a line beside the board; and cells
that are equal, on a dark page."""


@pytest.mark.parametrize("number", [GRAINY, NOTHING_STRANGE])
def test_page_is_learned_and_played_without_a_wrong_cell_or_a_needless_guess(
    virtual_display, require_program, require_fonts, number
):
    require_program(PROGRAM, "chromium")
    require_fonts(WEB)
    run = run_page(virtual_display, random_setting(number), n_games=1)
    sys.stdout.write(f"{number}: {run.in_words()}\n")
    assert run.is_verified, run.in_words()
    assert not run.faults, run.in_words()
    assert run.n_played == 1, run.in_words()
    assert run.n_equal > 1000, run.in_words()
