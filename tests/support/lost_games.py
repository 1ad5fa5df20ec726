"""Lose a real gnome-mines, and hold every digit that was read on the way against the mines it shows then."""

from __future__ import annotations

import numpy as np
from live_boards import read_screen

from solver.board import CLOSED, EXPLODED, FLAG, MINE, GameState
from solver.layout import Layout

N_MINES = {(8, 8): 10, (16, 16): 40, (16, 30): 99}
N_FLAGS = 3


def check_against_lost_board(cells, lost, n_mines, flagged_mines=()):
    """Hold every digit against the mines that the same game shows when it is lost."""
    has_mine = (lost == MINE) | (lost == EXPLODED)
    for cell in flagged_mines:
        has_mine[cell] = True
    layout = Layout(has_mine)
    assert layout.n_mines == n_mines
    shown = cells >= 0
    assert cells[shown].tolist() == layout.numbers[shown].tolist()


def lose_gnome_mines(game, rng):
    """Flag three cells, click others until a mine shows; then every reading is held against the mines."""
    seen, flags = [], set()
    for _ in range(60):
        board, reading = read_screen(game.desk)
        assert board.skin.name == "gnome-mines"
        assert board.grid.edges(0) == [game.window.left + x for x in game.x_edges]
        assert board.grid.edges(1) == [game.window.top + y for y in game.y_edges]
        assert reading.unknown == ()
        seen.append(reading.board.cells)
        if reading.state is GameState.LOST:
            break
        assert all(seen[-1][cell] == FLAG or seen[-1][cell] >= 0 for cell in flags), "an opening takes flags with it"
        assert int((seen[-1] == FLAG).sum()) == sum(seen[-1][cell] == FLAG for cell in flags)
        cell = rng.choice([tuple(int(i) for i in cell) for cell in np.argwhere(seen[-1] == CLOSED)])
        if len(flags) < N_FLAGS:
            flags.add(cell)
        game.click(cell, button=3 if len(seen) <= N_FLAGS else 1)
    assert seen[0].tolist() == np.full(game.shape, CLOSED).tolist()
    lost = seen[-1]
    assert reading.state is GameState.LOST, "60 random cells hold a mine"
    flagged_mines = [cell for cell in flags if lost[cell] == FLAG]
    for cells in seen:
        check_against_lost_board(cells, lost, n_mines=N_MINES[game.shape], flagged_mines=flagged_mines)
