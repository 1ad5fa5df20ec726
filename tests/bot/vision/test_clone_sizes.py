"""sgt-mines at the sizes a person may give its window: it draws its cells anew at each, and each is read exactly.

It plays a known layout, so every cell is known without the bot.
"""

from __future__ import annotations

import random

import numpy as np
import pytest
from desktop_game import desk
from live_boards import read_screen
from sgt_mines import PROGRAM, draw_layout, sgt_mines

from solver.board import CLOSED, FLAG, format_rows

pytestmark = [pytest.mark.screen]

SIZES = (12, 14, 16, 17, 24, 30, 33, 40)


@pytest.fixture(scope="module")
def hands(virtual_display, require_program):
    require_program(PROGRAM, "sgt-puzzles")
    with desk(virtual_display) as opened:
        yield opened


def read_at(game, cell_px, **options):
    """The one board as the bot sees it when its cells are of that size."""
    game.resize_cells(cell_px)
    board, reading = read_screen(game.desk, origin=(game.left, game.top), **options)
    assert board.skin.name == "sgt-mines"
    assert (board.grid.pitch_px, board.grid.rows, board.grid.cols) == ((cell_px, cell_px), *game.cells.shape)
    return reading


def test_sgt_mines_is_read_exactly_at_every_size_of_its_window(hands):
    layout, first_cell = draw_layout(0, rows=9, cols=16)
    with sgt_mines(hands, layout, first_cell) as game:
        for px in SIZES[::3]:
            assert format_rows(read_at(game, px).board.cells) == format_rows(game.cells)
        mine_cells = sorted(layout.mine_cells)
        for cell in random.Random(0).sample(mine_cells, len(mine_cells) // 3):
            game.flag(cell)
        game.open_all_but_one()
        for px in SIZES:
            assert format_rows(read_at(game, px).board.cells) == format_rows(game.cells)
        lost = game.lose(next(cell for cell in mine_cells if game.cells[cell] == CLOSED))
        for px in SIZES:
            assert format_rows(read_at(game, px).board.cells) == format_rows(lost)


def test_sgt_mines_with_too_many_flags_is_read_exactly_at_every_size(hands):
    layout, first_cell = draw_layout(1, rows=9, cols=16)
    with sgt_mines(hands, layout, first_cell) as game:
        game.open_numbers(random.Random(1), share=0.4)
        for cell in [tuple(int(i) for i in cell) for cell in np.argwhere(game.cells == CLOSED)]:
            game.flag(cell)
        flags = np.pad(game.cells == FLAG, 1)
        around = sum(flags[1 + i : 10 + i, 1 + j : 17 + j] for i in (-1, 0, 1) for j in (-1, 0, 1))
        assert len(set(game.cells[(game.cells > 0) & (around > game.cells)].tolist())) >= 4, "red fields"
        for px in SIZES:
            assert format_rows(read_at(game, px).board.cells) == format_rows(game.cells)
