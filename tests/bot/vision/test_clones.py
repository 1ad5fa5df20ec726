"""sgt-mines, xdemineur and gnome-mines, really running: real captures of real cells, opened by real clicks.

What the screen must show is known without the bot: sgt-mines plays the layouts it is given; the others show their
layout when they are lost.
"""

from __future__ import annotations

import json
import random

import numpy as np
import pytest
from amounts import count
from bot_process import running_bot
from desktop_game import desk, started
from gnome_mines import PROGRAM as GNOME_MINES
from gnome_mines import THEMES, gnome_mines
from live_boards import read_screen
from lost_games import check_against_lost_board, lose_gnome_mines
from sgt_mines import PROGRAM as SGT_MINES
from sgt_mines import draw_layout, sgt_mines
from xdemineur import CELL_PX, xdemineur
from xdemineur import PROGRAM as XDEMINEUR

from solver import analyse
from solver.board import CLOSED, GameState, format_rows
from solver.layout import Layout

pytestmark = [pytest.mark.screen]

GNOME_WINDOWS = {"20 px": ("big", (840, 470)), "36 px": ("big", (1200, 900)), "57 px": ("small", (700, 560))}


@pytest.fixture(scope="module")
def hands(virtual_display, require_program):
    for program, package in ((SGT_MINES, "sgt-puzzles"), (XDEMINEUR, "xdemineur"), (GNOME_MINES, "gnome-mines")):
        require_program(program, package)
    require_program("dbus-run-session", "dbus")
    with desk(virtual_display) as opened:
        yield opened


def check_sgt_mines(hands, layout, first_cell, rng):
    with sgt_mines(hands, layout, first_cell) as game:
        board, reading = read_screen(hands)
        assert board.skin.name == "sgt-mines"
        assert board.grid.origin == (game.left, game.top)
        assert format_rows(reading.board.cells) == format_rows(game.cells)
        mine_cells = sorted(layout.mine_cells)
        for cell in rng.sample(mine_cells, len(mine_cells) // 3):
            game.flag(cell)
        game.open_numbers(rng, share=0.5)
        assert format_rows(read_screen(hands)[1].board.cells) == format_rows(game.cells)
        last = game.open_all_but_one()
        shown = read_screen(hands)[1]
        assert format_rows(shown.board.cells) == format_rows(game.cells)
        assert set(range(1, 9)) - {int(layout.numbers[last])} <= set(shown.board.cells.ravel().tolist())
        lost = game.lose(next(cell for cell in mine_cells if game.cells[cell] == CLOSED))
        after = read_screen(hands)[1]
        assert format_rows(after.board.cells) == format_rows(lost)
        assert after.state is GameState.LOST


@pytest.mark.parametrize("seed", range(3))
def test_sgt_mines_shows_what_was_laid_and_is_read_so(hands, seed):
    layout, first_cell = draw_layout(seed)
    check_sgt_mines(hands, layout, first_cell, random.Random(seed))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_sgt_mines_boards_with_every_digit_without_a_wrong_cell(hands):
    """MINEBOT_SGT_BOARDS says how many, five seconds each."""
    for seed in range(count("MINEBOT_SGT_BOARDS", gate=6, full=50)):
        layout, first_cell = draw_layout(seed, rows=9, cols=16)
        check_sgt_mines(hands, layout, first_cell, random.Random(seed))


def test_sgt_mines_won_is_read(hands):
    layout = Layout.of_cells((9, 9), [(0, 0), (0, 8), (8, 0), (8, 8), (4, 4), (4, 5)])  # two flags side by side
    with sgt_mines(hands, layout, (2, 2)) as game:
        _, reading = read_screen(hands)
        assert format_rows(reading.board.cells) == format_rows(game.cells)
        assert reading.state is GameState.WON


def test_xdemineur_is_read_move_by_move_until_it_is_lost(hands):
    rng = random.Random(4)
    with xdemineur(hands, 16, 30, 99) as game:
        seen = []
        for _ in range(60):
            board, reading = read_screen(hands)
            assert board.skin.name == "xdemineur"
            assert (board.grid.rows, board.grid.cols, board.grid.pitch_px) == (16, 30, (CELL_PX, CELL_PX))
            assert board.grid.origin == (game.left, game.top)
            assert reading.unknown == ()
            seen.append(reading.board.cells)
            if reading.state is GameState.LOST:
                break
            analyse(reading.board.with_mines(99))  # raises where no layout fits
            game.click(rng.choice([tuple(cell) for cell in np.argwhere(reading.board.cells == CLOSED)]))
        assert reading.state is GameState.LOST, "60 random cells of an expert board hold a mine"
        for earlier in seen:
            check_against_lost_board(earlier, seen[-1], n_mines=99)
        game.press_face()
        assert read_screen(hands)[1].state is GameState.PLAYING, "it opens a first region by itself"


def test_play_xdemineur_game_after_game(hands, virtual_display):
    with (
        xdemineur(hands, 16, 16, 40),
        running_bot("play", "--now", "--games", "4", "--mines", "40", "--json", display=virtual_display) as bot,
    ):
        code, output = bot.finish()
    assert code in (0, 1), "\n".join(bot.remarks)
    assert [game["result"] in ("won", "lost") for game in json.loads(output)["games"]] == [True] * 4, bot.remarks


@pytest.mark.parametrize("level", [(9, 9, 10), (16, 16, 40), (16, 30, 99)])
def test_sgt_mines_fresh_boards_are_found_whole(hands, level):
    rows, cols, mines = level
    with started(SGT_MINES, f"{cols}x{rows}n{mines}", display=hands.name):
        hands.wait_for_window("Mines")
        board, reading = read_screen(hands)
        assert (board.grid.rows, board.grid.cols) == (rows, cols)
        assert reading.state is GameState.FRESH


@pytest.mark.parametrize(
    ("window", "theme"),
    # below 25 px a flag or a 4 of the default theme may stay unknown
    [(window, theme) for window in GNOME_WINDOWS for theme in THEMES if (window, theme) != ("20 px", "default")],
)
def test_gnome_mines_is_read_at_any_size_until_it_is_lost(hands, window, theme):
    level, size = GNOME_WINDOWS[window]
    with gnome_mines(hands, level, size=size, theme=theme) as game:
        lose_gnome_mines(game, random.Random(1))


def test_gnome_mines_is_read_at_gdk_scale_2(hands):
    with gnome_mines(hands, "small", size=(600, 460), scale=2) as game:
        lose_gnome_mines(game, random.Random(1))
