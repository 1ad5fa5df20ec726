"""Where a board's cells begin is told by what clicks change."""

from types import SimpleNamespace

import numpy as np
import pytest

from bot.models import Frame, Grid, Pixel, Region
from calibration.cells import AS_THEY_ARE
from calibration.live.cut_board import _CutBoard

CELL_PX, SIDE = 20, 6
BOARD = Pixel(100, 100)
"""Where the cells of this board truly begin."""
MARGIN_PX = 40


def observed(cell, dx=0, dy=0):
    """A picture on which one cell is painted, of the part of the screen around the board, moved a little."""
    screen = np.zeros((400, 400, 3), dtype=np.uint8)
    if cell is not None:
        top, left = (start + CELL_PX * index for start, index in zip((BOARD.y, BOARD.x), cell, strict=True))
        screen[top : top + CELL_PX, left : left + CELL_PX] = 200
    left, top, side = BOARD.x - MARGIN_PX + dx, BOARD.y - MARGIN_PX + dy, SIDE * CELL_PX + 2 * MARGIN_PX
    return SimpleNamespace(wide=Frame(screen[top : top + side, left : left + side], left, top))


@pytest.mark.parametrize("moved", [(0, 0), (3, 2), (-3, -2), (2, -4)])
def test_cells_begin_where_changes_say_though_the_pictures_do_not_show_the_same_part(moved):
    dx, dy = 2, -3
    grid = Grid(Pixel(BOARD.x + dx, BOARD.y + dy), (CELL_PX, CELL_PX), SIDE, SIDE)
    board = _CutBoard(grid, AS_THEY_ARE, Region(0, 0, 400, 400))
    changes = [(observed(None), observed((2, 3), *moved)), (observed(None, *moved), observed((4, 1)))]
    assert board.grid_by_changes(changes).origin == BOARD
