"""A real sgt-mines with a layout of the test's choice: what every cell must show is known."""

from __future__ import annotations

import random
import time
from contextlib import contextmanager

import numpy as np
from desktop_game import started
from fonts import BARE

from solver.board import CLOSED, EXPLODED
from solver.formats import format_game_id
from solver.game import Game
from solver.layout import Layout

PROGRAM = "/usr/games/sgt-mines"
TITLE = "Mines"
FIELD = (230, 230, 230)  # it keeps 1.5 cells around the board; a menu lies above it, and a line of text below
RETRY_S, TRIES = 5.0, 3  # a click that is merely late must not be made twice: it would chord, or take the flag away


class SgtMines:
    """A running game, and its twin in memory that is told of every click."""

    def __init__(self, desk, window, layout, first_cell):
        self.desk = desk
        self.layout = layout
        self.twin = Game.on(layout)
        self.twin.open(first_cell)
        side = desk.capture(window.left + 3, window.top, 1, window.height)[:, 0]
        of_field = np.flatnonzero((side == FIELD).all(axis=1))  # how high menu and text are, the fonts decide
        self.menu_px, self.text_px = int(of_field[0]), int(window.height - 1 - of_field[-1])
        self._settle(window)

    def _settle(self, window):
        """Learn from the window where the board is in it: cells as large as fit, in the middle."""
        rows, cols = self.layout.shape
        height = window.height - self.menu_px - self.text_px
        self.cell_px = max(
            px for px in range(1, 200) if _field(cols, px) <= window.width and _field(rows, px) <= height
        )
        margin = self.cell_px * 3 // 2
        self.left = window.left + (window.width - _field(cols, self.cell_px)) // 2 + margin
        self.top = window.top + self.menu_px + (height - _field(rows, self.cell_px)) // 2 + margin

    def resize(self, width, height):
        """Give its window another size."""
        self._settle(self.desk.resize(TITLE, width, height))

    def resize_cells(self, cell_px):
        """Make its window just so large that cells are of that size."""
        rows, cols = self.layout.shape
        self.resize(_field(cols, cell_px), _field(rows, cell_px) + self.menu_px + self.text_px)
        assert self.cell_px == cell_px

    @property
    def cells(self):
        """What the screen must show: int16, rows x cols, codes of `solver.board`."""
        return self.twin.board.cells

    def middle_of(self, cell):
        """The pixel in the middle of a cell."""
        half = self.cell_px // 2
        return self.left + cell[1] * self.cell_px + half, self.top + cell[0] * self.cell_px + half

    def open(self, cell):
        """Click a closed cell with the left button, and wait until it is open."""
        self._click(cell, 1)
        self.twin.open(cell)

    def flag(self, cell):
        """Click a closed cell with the right button, and wait until its flag is there or gone."""
        self._click(cell, 3)
        self.twin.toggle_flag(cell)

    def _click(self, cell, button):
        """Click until the screen shows it: in bursts some clicks are lost."""
        x, y = self.middle_of(cell)
        before = self.desk.capture(x - 3, y - 3, 6, 6)
        for _ in range(TRIES):
            self.desk.click(x, y, button)
            deadline = time.monotonic() + RETRY_S
            while time.monotonic() < deadline:
                if not np.array_equal(self.desk.capture(x - 3, y - 3, 6, 6), before):
                    return
                time.sleep(0.001)
        raise AssertionError(f"{TRIES} clicks on {cell} changed nothing")

    def closed_safe_cells(self):
        """The cells that may still be opened, row by row."""
        return [tuple(int(i) for i in cell) for cell in np.argwhere((self.cells == CLOSED) & ~self.layout.has_mine)]

    def open_numbers(self, rng, share):
        """Open a share of the safe cells that are still closed, in random order."""
        closed = self.closed_safe_cells()
        for cell in rng.sample(closed, round(len(closed) * share)):
            if self.twin.code(cell) == CLOSED:  # an opening may have reached it
                self.open(cell)

    def open_all_but_one(self):
        """Open every number but one, the largest first; returns that one."""
        while len(closed := [cell for cell in self.closed_safe_cells() if self.layout.numbers[cell]]) > 1:
            self.open(max(closed, key=lambda cell: self.layout.numbers[cell]))
        return closed[0]

    def lose(self, cell):
        """Open a mine; returns what the screen must show then: nothing new but the mine."""
        shown = self.cells.copy()
        shown[cell] = EXPLODED
        self.open(cell)
        return shown


def _field(n_cells, cell_px):
    return n_cells * cell_px + 2 * (cell_px * 3 // 2)


@contextmanager
def sgt_mines(desk, layout, first_cell, fonts=BARE):
    """Run sgt-mines on a display with that layout, one cell of it open; its digits are of that set of `fonts`."""
    with game_of_id(desk, format_game_id(layout, first_cell), layout, first_cell, fonts) as game:
        yield game


@contextmanager
def game_of_id(desk, game_id, layout, first_cell, fonts=BARE):
    """Run sgt-mines on a display with the game of an id, which is that of a layout, one cell of it open."""
    desk.move(0, 0)
    with started(PROGRAM, game_id, display=desk.name, fonts=fonts):
        window = desk.wait_for_window(TITLE)
        desk.wait_until_still()
        yield SgtMines(desk, window, layout, first_cell)


def draw_layout(seed, rows=16, cols=30):
    """A layout that shows every digit from 1 to 8, and a safe cell of it: thin on the left, thick on the right."""
    rng = random.Random(seed)
    has_mine = np.zeros((rows, cols), dtype=bool)
    for row, col in np.ndindex(rows, cols):
        has_mine[row, col] = rng.random() < 0.08 + 0.5 * col / cols
    for n_mines in (8, 7, 6):  # too rare to wait for
        row, col = rng.randrange(1, rows - 1), (n_mines - 5) * cols // 4 + rng.randrange(cols // 12)
        around = [(row + i, col + j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        has_mine[row, col] = False
        for k, cell in enumerate(rng.sample(around, 8)):
            has_mine[cell] = k < n_mines
    layout = Layout(has_mine)
    safe = [tuple(int(i) for i in cell) for cell in np.argwhere(~layout.has_mine)]
    missing = set(range(1, 9)) - {int(layout.numbers[cell]) for cell in safe}
    assert not missing, f"seed {seed}: no cell shows {missing}"
    return layout, min(safe, key=lambda cell: (layout.numbers[cell], cell))
