"""sgt-mines and gnome-mines with other fonts than the skins were made with: every digit is read, none as another.

What sgt-mines must show is known; GNOME Mines shows its mines when it is lost. MINEBOT_FONT_GAMES says how many games
are lost in every font and theme.
"""

from __future__ import annotations

import random

import pytest
from amounts import count
from desktop_game import desk
from fonts import BARE, SETS
from gnome_mines import PROGRAM as GNOME_MINES
from gnome_mines import THEMES, gnome_mines
from live_boards import read_screen
from lost_games import lose_gnome_mines
from sgt_mines import PROGRAM as SGT_MINES
from sgt_mines import draw_layout, sgt_mines

from solver.board import format_rows

N_GAMES = count("MINEBOT_FONT_GAMES", gate=1, full=3)
pytestmark = [pytest.mark.screen]

OTHERS = sorted(SETS.keys() - {BARE})
FEW_FONTS = "half of the fonts are read in the theme without colours, and two in those with colours"
SIZES = (14, 20, 33)
WINDOW = ("medium", (760, 640))
"""Cells of 36 pixels."""


@pytest.fixture(scope="module")
def hands(virtual_display, require_program):
    for program, package in ((SGT_MINES, "sgt-puzzles"), (GNOME_MINES, "gnome-mines")):
        require_program(program, package)
    require_program("dbus-run-session", "dbus")
    with desk(virtual_display) as opened:
        yield opened


@pytest.mark.parametrize("fonts", OTHERS)
def test_sgt_mines_is_read_in_other_fonts(hands, require_fonts, fonts):
    require_fonts(fonts)
    layout, first_cell = draw_layout(2, rows=9, cols=16)
    with sgt_mines(hands, layout, first_cell, fonts) as game:
        game.open_all_but_one()
        for px in SIZES:
            game.resize_cells(px)
            board, reading = read_screen(hands, origin=(game.left, game.top))
            assert board.skin.name == "sgt-mines"
            assert format_rows(reading.board.cells) == format_rows(game.cells)


def check_gnome_mines(hands, fonts, theme, seed):
    level, size = WINDOW
    with gnome_mines(hands, level, size=size, theme=theme, fonts=fonts) as game:
        lose_gnome_mines(game, random.Random(seed))


@pytest.mark.parametrize(
    "fonts", [*OTHERS[::2], *(pytest.param(one, marks=pytest.mark.full(FEW_FONTS)) for one in OTHERS[1::2])]
)
def test_gnome_mines_without_colours_is_read_in_other_fonts(hands, require_fonts, fonts):
    require_fonts(fonts)
    check_gnome_mines(hands, fonts, "default", seed=1)


@pytest.mark.parametrize(("fonts", "theme"), [("free", "classic"), ("cantarell", "bgcolors")])
def test_gnome_mines_with_colours_is_read_in_other_fonts(hands, require_fonts, fonts, theme):
    require_fonts(fonts)
    check_gnome_mines(hands, fonts, theme, seed=1)


@pytest.mark.full(FEW_FONTS)
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("fonts", OTHERS)
def test_gnome_mines_is_read_in_every_font_and_theme_game_after_game(hands, require_fonts, fonts, theme):
    require_fonts(fonts)
    for seed in range(N_GAMES):
        check_gnome_mines(hands, fonts, theme, seed)
