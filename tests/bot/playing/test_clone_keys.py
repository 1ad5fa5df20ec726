"""The keys that profiles name do in the real games what the profiles say."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from desktop_game import desk
from gnome_mines import PROGRAM as GNOME_MINES
from gnome_mines import gnome_mines
from patience import PATIENCE_S, wait_until
from sgt_mines import PROGRAM as SGT_MINES
from sgt_mines import sgt_mines

from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from skins import load_shipped_skin
from solver import analyse
from solver.board import CLOSED, GameState
from solver.layout import Layout

pytestmark = [pytest.mark.screen]

LAYOUT = Layout.of_cells((9, 9), [(0, 0), (8, 0), (8, 8), (4, 4), (0, 7), (1, 7), (1, 8)])
"""The corner that its mines enclose keeps the game from being won at once."""


@pytest.fixture(scope="module")
def hands(virtual_display, require_program):
    for program, package in ((SGT_MINES, "sgt-puzzles"), (GNOME_MINES, "gnome-mines")):
        require_program(program, package)
    require_program("dbus-run-session", "dbus")
    with desk(virtual_display) as opened:
        yield opened


def read_with(hands, skin):
    """The one board of a skin on the screen, as the bot reads it; None where none is found or a cell is unknown."""
    hands.move(0, 0)
    frame = Frame(hands.wait_until_still())
    readings = [read_board(frame, board.grid, skin) for board in find_boards(frame, [skin])]
    return readings[0] if len(readings) == 1 and not readings[0].unknown else None


def wait_for_reading(hands, skin):
    """Read until every cell of one board is known."""
    deadline = time.monotonic() + PATIENCE_S
    while (reading := read_with(hands, skin)) is None:
        assert time.monotonic() < deadline, "no board without an unknown cell"
    return reading


def wait_for_state(hands, skin, state):
    """Read until the board is in that state."""
    deadline = time.monotonic() + PATIENCE_S
    while (reading := read_with(hands, skin)) is None or reading.state is not state:
        assert time.monotonic() < deadline, f"no board became {state.name}, the last is {reading}"
    return reading


@pytest.mark.parametrize("state", [GameState.PLAYING, GameState.LOST, GameState.WON])
def test_key_of_sgt_mines_starts_a_new_game_at_any_time(hands, state):
    skin = load_shipped_skin("sgt-mines")
    with sgt_mines(hands, LAYOUT, (2, 2)) as game:
        if state is GameState.LOST:
            game.lose((4, 4))
        if state is GameState.WON:
            for cell in game.closed_safe_cells():
                game.open(cell)
        wait_for_state(hands, skin, state)
        hands.type_key(skin.new_game.key)
        wait_for_state(hands, skin, GameState.FRESH)


def test_key_of_gnome_mines_starts_a_new_game_after_a_loss_and_asks_in_the_middle_of_one(hands):
    skin = load_shipped_skin("gnome-mines")
    with gnome_mines(hands, "small") as game:
        game.click((0, 0))
        wait_for_state(hands, skin, GameState.PLAYING)
        hands.type_key(skin.new_game.key)
        hands.wait_until_still(still_s=0.6)
        assert read_with(hands, skin) is None, "its question hides the board"
        hands.type_key("escape")
        reading = wait_for_state(hands, skin, GameState.PLAYING)
        while reading.state is GameState.PLAYING:
            game.click(random.Random(1).choice(closed_cells(reading)))
            reading = wait_for_reading(hands, skin)
        assert reading.state is GameState.LOST, "ten mines are left to be hit"
        hands.type_key(skin.new_game.key)
        wait_for_state(hands, skin, GameState.FRESH)


def test_dialog_key_of_gnome_mines_closes_the_best_times_after_a_win(hands):
    skin = load_shipped_skin("gnome-mines")
    with gnome_mines(hands, "small") as game:
        while not wins(game, skin):
            hands.type_key(skin.new_game.key)
            wait_for_state(hands, skin, GameState.FRESH)
        wait_until(hands.find_dialog, "the window of best times did not come up")
        hands.wait_until_still()
        assert read_with(hands, skin) is None, "it covers some of the board"
        hands.type_key(skin.new_game.dialog_keys[0])
        wait_for_state(hands, skin, GameState.WON)
        wait_until(lambda: hands.find_dialog() is None, "the window of best times stays")
        hands.type_key(skin.new_game.key)
        wait_for_state(hands, skin, GameState.FRESH)


def closed_cells(reading):
    """Closed cells, row by row."""
    return [tuple(int(i) for i in cell) for cell in np.argwhere(reading.board.cells == CLOSED)]


def wins(game, skin):
    """Play a game of ten mines, as surely as one can; whether it is won, that is, its best times come up."""
    reading = read_with(game.desk, skin)
    while reading is not None and reading.state is not GameState.LOST:
        if reading.state is GameState.WON:
            return True
        analysis = analyse(reading.board.with_mines(10))
        game.click(min(closed_cells(reading), key=lambda cell: float(analysis.p_mine[cell])))
        reading = read_with(game.desk, skin)
    return reading is None
