"""`minebot play` on a page of our own with chequered fields, in a real Chromium: its title is the witness."""

from __future__ import annotations

import json
import random

import pytest
from bot_process import run_bot
from desktop_game import desk
from fields_page import LEVELS, TITLE, game

from solver.layout import Layout

pytestmark = [pytest.mark.screen]


@pytest.fixture(scope="module")
def hands(virtual_display, require_program):
    require_program("chromium", "chromium")
    with desk(virtual_display) as opened:
        yield opened


@pytest.mark.parametrize(("level", "zoom", "options"), [("easy", 1.0, ()), ("hard", 1.1, ("--flags",))])
def test_play_a_page_of_chequered_fields_without_calibration(hands, level, zoom, options):
    rows, cols, mines, side = LEVELS[level]
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    layout = Layout.of_cells((rows, cols), random.Random(3).sample([cell for cell in cells if max(cell) > 2], mines))
    with game(hands, layout, side, zoom=zoom):
        code, output, remarks = run_bot("play", "--now", "--json", *options, display=hands.name)
        title = hands.title(hands.find_window(TITLE))
    assert code in (0, 1), remarks
    told = json.loads(output)
    (only,) = told["games"]
    assert (only["rows"], only["cols"], only["mines"]) == (rows, cols, mines)
    assert title == f"{TITLE} {only['result']} {only['clicks']}"
    assert told["stray_clicks"] == 0
