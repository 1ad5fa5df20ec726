"""A real minegauler, of PyPI: no package of Debian has it, so only `--full` runs tests with it."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

from desktop_game import started

PROGRAM = shutil.which("minegauler")
TITLE = "Minegauler"
CELL_PX = 16
BOARD_LEFT_PX, BOARD_TOP_PX = 10, 73
"""Measured from the top left corner of its window."""


@contextmanager
def minegauler(desk, key="b"):
    """Run minegauler at the level of a key ("b", "i", "e"), with no best times; yields where its board's corner is."""
    desk.move(0, 0)
    # its best times would go to a list on the web: a proxy that is nowhere keeps them here
    with started(PROGRAM, display=desk.name, http_proxy="http://127.0.0.1:9", https_proxy="http://127.0.0.1:9"):
        desk.wait_for_window(TITLE)
        desk.wait_until_still()
        desk.type_key(key)
        desk.wait_until_still()
        window = desk.wait_for_window(TITLE)
        yield window.left + BOARD_LEFT_PX, window.top + BOARD_TOP_PX
