"""A real gnome-mines of any size and theme."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
from desktop_game import started
from fonts import BARE
from patience import wait_until

PROGRAM = "/usr/games/gnome-mines"
TITLE = "Mines"
THEMES = ("bgcolors", "classic", "default")
CLOSED_BGR = (182, 189, 186)
SMALLEST_TILE_PX = 12
LEAST_SHARE_CLOSED = 0.15
GAP_PX = 4
"""Between two tiles, at scale 1."""


class GnomeMines:
    """A running game, fresh at first: the edges of its cells, found as stripes of the closed colour."""

    def __init__(self, desk, scale, home=None):
        self.desk = desk
        self._home = home
        self._gap = round(GAP_PX * scale)
        self._settle(desk.wait_for_window(TITLE))

    def _settle(self, window):
        self.window = window
        is_closed = (self.capture() == CLOSED_BGR).all(axis=2)
        self.x_edges, self.y_edges = (self._edges(is_closed.sum(axis=axis)) for axis in (0, 1))

    def _edges(self, n_closed):
        is_tile = np.concatenate([[False], n_closed > n_closed.max() / 2, [False]])
        changes = np.flatnonzero(np.diff(is_tile.astype(int)))
        tiles = [(start, end) for start, end in zip(changes[::2], changes[1::2], strict=True)]
        tiles = [(start, end) for start, end in tiles if end - start >= SMALLEST_TILE_PX]
        return [int(start) - self._gap // 2 for start, _ in tiles] + [int(tiles[-1][1]) + self._gap // 2]

    @property
    def shape(self):
        """(rows, cols) that can be seen."""
        return len(self.y_edges) - 1, len(self.x_edges) - 1

    def capture(self):
        """The window's pixels once they stand still, with the pointer away."""
        self.desk.move(0, 0)
        self.desk.wait_until_still()
        return self.desk.capture(self.window.left, self.window.top, self.window.width, self.window.height)

    @property
    def wins(self):
        """How many games it counts as won: it keeps a line for each of the ten best, and shows the last in a window."""
        scores = (self._home / ".local").glob("*/scores/*")  # newer versions have another name for the folder
        n_kept = sum(len(score.read_text().splitlines()) for score in scores)
        return n_kept + (self.desk.find_dialog() is not None)

    def strays(self, presses, scale=1.0):
        """The presses (`wayland_log`) in another of its windows than its board's, and those beside the board.

        `scale` is that of the output.
        """
        (_, *others) = dict.fromkeys(press.surface for press in presses)
        across, down = self.x_edges, self.y_edges
        places = [(press.x * scale, press.y * scale) for press in presses]
        beside = [(x, y) for x, y in places if not (across[0] <= x < across[-1] and down[0] <= y < down[-1])]
        return [*others, *beside]

    def resize(self, width, height):
        """Give its window another size, before anything is opened."""
        self._settle(self.desk.resize(TITLE, width, height))

    def click(self, cell, button=1):
        """Click a cell that this opens or flags, and wait until it does: the pointer alone lightens it before."""
        row, col = cell
        left, top = self.window.left + self.x_edges[col], self.window.top + self.y_edges[row]
        width, height = self.x_edges[col + 1] - self.x_edges[col], self.y_edges[row + 1] - self.y_edges[row]
        x, y = left + width // 2, top + height // 2
        self.desk.move(x, y)
        self.desk.wait_until_still()
        before = self.desk.capture(left, top, width, height)
        self.desk.click_until_changed(x, y, button, before, (left, top))


@contextmanager
def gnome_mines(desk, level, *, size=(900, 650), theme="bgcolors", scale=1, fonts=BARE, **more):
    """Run gnome-mines at a level ("small", "medium", "big"), its window about that large and in one of `THEMES`.

    Its digits are of that set of `fonts`; `more` goes to `started`.
    """
    settings = f"[org/gnome/Mines]\ntheme='{theme}'\nwindow-width={size[0]}\nwindow-height={size[1]}\n{desk.settings}"
    desk.move(0, 0)
    command = ("dbus-run-session", "--", PROGRAM, f"--{level}")
    more = {"display": desk.name, "settings": settings, "fonts": fonts, "GDK_SCALE": str(scale)} | desk.variables | more
    with started(*command, **more) as process:
        desk.wait_for_window(TITLE)
        wait_until_painted(desk)
        desk.wait_until_still(still_s=0.6)
        yield GnomeMines(desk, scale, process.home)


def wait_until_painted(desk):
    """Wait until closed cells fill a good part of the window: it comes up empty, and fades in."""

    def is_painted():
        window = desk.wait_for_window(TITLE)
        shown = desk.capture(window.left, window.top, window.width, window.height)
        return (shown == CLOSED_BGR).all(axis=2).mean() > LEAST_SHARE_CLOSED

    wait_until(is_painted, f"{TITLE} shows no closed cells")
