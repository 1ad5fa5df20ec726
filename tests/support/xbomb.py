"""A real xbomb, playing on squares."""

from __future__ import annotations

from contextlib import contextmanager

from desktop_game import started

PROGRAM = "/usr/games/xbomb"
TITLE = "XBomb"
LEVELS = {1: (8, 8, 50), 2: (16, 16, 20), 3: (16, 30, 20)}
"""Rows, columns, and the side of a cell in the window that it begins with."""
BOARD_LEFT_PX, BOARD_TOP_PX = 5, 36
"""Measured from the top left corner of its window."""


@contextmanager
def xbomb(desk, level):
    """Run xbomb at a level; yields the region of its board: left, top, right, bottom."""
    rows, cols, px = LEVELS[level]
    desk.move(0, 0)
    with started(PROGRAM, "-square", f"-{level}", display=desk.name):
        window = desk.wait_for_window(TITLE)
        desk.wait_until_still()
        left, top = window.left + BOARD_LEFT_PX, window.top + BOARD_TOP_PX
        yield left, top, left + cols * px, top + rows * px
