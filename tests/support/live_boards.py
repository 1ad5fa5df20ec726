"""A board of a real game on a screen, found and read by the bot."""

from __future__ import annotations

import time
from functools import cache

from patience import PATIENCE_S

from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from skins import load_shipped_skins

FADED_S = 5.0


_skins = cache(load_shipped_skins)


def read_screen(desk, origin=None, *, faded_s=FADED_S):
    """The one board on the screen and its reading; with `origin` (left, top), once it begins there.

    A game on a busy machine may paint its window late: the board is waited for. Its cells may fade in with rests
    between: while some are unknown it is read again for so long. What cells are read as makes no difference.
    """
    began = time.monotonic()
    while True:
        desk.move(0, 0)
        frame = Frame(desk.wait_until_still())
        boards = find_boards(frame, _skins())
        if len(boards) == 1 and origin in (None, boards[0].grid.origin):
            reading = read_board(frame, boards[0].grid, boards[0].skin)
            if not reading.unknown or time.monotonic() >= began + faded_s:
                return boards[0], reading
        seen = [(board.skin.name, board.grid) for board in boards]
        assert time.monotonic() < began + PATIENCE_S, f"expected one board at {origin or 'any place'}, got {seen}"
