"""Closed cells of two colours in turn, pixel by pixel, as old clones draw grey: found at their size and place."""

import numpy as np
import pytest

from bot.models import Frame
from calibration.grids import find_cuts
from calibration.lattices import undithered

LEFT, TOP = 61, 83


def dotted_board(px, n_open=0, line_px=2):
    """A 8x8 board of dotted cells with black lines between, its first rows open and plain white, on a window."""
    board = np.full((8 * px, 8 * px, 3), 255, dtype=np.uint8)
    y, x = np.indices(board.shape[:2])
    board[((x + y) % 2 == 0) & (y >= n_open * px)] = 127
    for edge in range(0, 8 * px, px):
        board[edge : edge + line_px] = 0
        board[:, edge : edge + line_px] = 0
    screen = np.zeros((TOP + 8 * px + 90, LEFT + 8 * px + 120, 3), dtype=np.uint8)
    screen[TOP - 40 : TOP + 8 * px + 30, LEFT - 8 : LEFT + 8 * px + 8] = 255
    screen[TOP : TOP + 8 * px, LEFT : LEFT + 8 * px] = board
    screen[TOP + 8 * px : TOP + 8 * px + line_px, LEFT : LEFT + 8 * px + line_px] = 0
    screen[TOP : TOP + 8 * px + line_px, LEFT + 8 * px : LEFT + 8 * px + line_px] = 0
    return screen


@pytest.mark.parametrize("px", [24, 50])
@pytest.mark.parametrize("n_open", [0, 3])
def test_board_of_dotted_cells_is_found_at_their_size(px, n_open):
    found = find_cuts(Frame(dotted_board(px, n_open)))[0].grid
    assert (found.rows, found.cols, found.pitch_px) == (8, 8, (px, px))
    assert max(abs(found.origin.x - LEFT), abs(found.origin.y - TOP)) <= 2


def test_dots_become_their_mean_and_nothing_else_changes():
    screen = dotted_board(24)
    plain = undithered(screen)
    assert (plain[TOP + 4 : TOP + 20, LEFT + 4 : LEFT + 20] == 191).all()
    lines = (screen == 0).all(axis=2)
    assert (plain[lines] == 0).all()
    assert undithered(plain) is None
