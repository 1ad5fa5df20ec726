"""The test page in a real Chromium: learned in one command, then played, and held against the page's own truth."""

import sys

import pytest
from chromium import PROGRAM
from fonts import WEB
from page_runs import run_page
from web_page import Setting, random_setting, small

pytestmark = [pytest.mark.screen, pytest.mark.slow]

DRAWN = range(1, 61)
"""Numbers of the settings that are tried as they were drawn, many of them on large boards."""
SMALL = (8, 15, 27, 33, 42)
"""Numbers of settings that are tried on a small board; with three that were not drawn they are eight."""


def _learned_and_played(virtual_display, number, setting, least_equal):
    run = run_page(virtual_display, setting, n_games=1)
    sys.stdout.write(f"{number}: {run.in_words()}\n")
    assert run.is_verified, run.in_words()
    assert not run.faults, run.in_words()
    assert run.n_played == 1, run.in_words()
    assert run.n_equal > least_equal, run.in_words()


@pytest.mark.parametrize("number", SMALL)
def test_page_is_learned_and_played_without_a_wrong_cell_or_a_needless_guess(
    virtual_display, require_program, require_fonts, number
):
    require_program(PROGRAM, "chromium")
    require_fonts(WEB)
    _learned_and_played(virtual_display, number, small(random_setting(number)), 800)


@pytest.mark.full("sixty settings take an hour: eight on small boards have the same looks and manners")
@pytest.mark.parametrize("number", DRAWN)
def test_page_as_it_was_drawn_is_learned_and_played_likewise(virtual_display, require_program, require_fonts, number):
    require_program(PROGRAM, "chromium")
    require_fonts(WEB)
    setting = random_setting(number)
    _learned_and_played(virtual_display, number, setting, setting.rows * setting.cols)


@pytest.mark.parametrize(
    ("place", "end"),
    [
        ("toolbar", "none"),
        ("overlay", "overlay"),
        pytest.param("below", "none", marks=pytest.mark.full("a minute; the toolbar's button is a box like it, too")),
    ],
)
def test_button_of_a_page_begins_the_games_where_loading_it_anew_does_not(
    virtual_display, require_program, require_fonts, place, end
):
    require_program(PROGRAM, "chromium")
    require_fonts(WEB)
    _played_twice(virtual_display, Setting(new=place, end=end, keep=1))


def test_message_of_the_browser_over_the_board_is_closed(virtual_display, require_program, require_fonts):
    require_program(PROGRAM, "chromium")
    require_fonts(WEB)
    _played_twice(virtual_display, Setting(cols=14, cell=32, mines=18, end="dialog"))


def _played_twice(virtual_display, setting):
    run = run_page(virtual_display, setting, n_games=2)
    assert run.is_verified, run.in_words()
    assert not run.faults, run.in_words()
    assert run.n_played == 2, run.in_words()
