"""A real xdemineur."""

from __future__ import annotations

from contextlib import contextmanager

from desktop_game import started
from face_watch import FaceWatch, n_of_colour

PROGRAM = "/usr/games/xdemineur"
TITLE = "mineur"  # an accent before it
CELL_PX = 21
# Measured from the top left corner of its window; a cell starts at its white bevel.
BOARD_LEFT_PX, BOARD_TOP_PX = 16, 81
FACE_ABOVE_BOARD_PX = 41
FEWEST_COLS = 12
BLACK_OF_FACES = {104: "won", 30: "lost", 38: "smiling", 60: "astonished"}
"""Black pixels of the middle 20 x 20 of a face."""


class Xdemineur:
    """A running game: where everything is."""

    def __init__(self, desk, window, rows, cols):
        self.desk = desk
        self.window = window
        self.left, self.top = window.left + BOARD_LEFT_PX, window.top + BOARD_TOP_PX
        self._rows, self.n_cols = rows, max(cols, FEWEST_COLS)

    @property
    def face(self):
        """The middle of the face."""
        return self.left + self.n_cols * CELL_PX // 2, self.top - FACE_ABOVE_BOARD_PX

    def face_watch(self):
        """A watch on the face."""
        return FaceWatch(self.desk.name, self.face, 20, lambda pixels: BLACK_OF_FACES.get(n_of_colour(pixels, 0)))

    def capture(self):
        """The window's pixels once they stand still, with the pointer away."""
        self.desk.move(0, 0)
        self.desk.wait_until_still()
        return self.desk.capture(self.window.left, self.window.top, self.window.width, self.window.height)

    def click(self, cell, button=1):
        """Click a cell that this opens or flags, and wait until it does."""
        row, col = cell
        left, top = self.left + col * CELL_PX, self.top + row * CELL_PX
        before = self.desk.capture(left, top, CELL_PX, CELL_PX)
        self.desk.click_until_changed(left + 9, top + 9, button, before, (left, top))

    def press_face(self):
        """Start another game, and wait until the board is another one."""
        x, y = self.left + self.n_cols * CELL_PX // 2, self.top - FACE_ABOVE_BOARD_PX
        before = self.desk.capture(self.left, self.top, self.n_cols * CELL_PX, self._rows * CELL_PX)
        self.desk.click_until_changed(x, y, 1, before, (self.left, self.top))


@contextmanager
def xdemineur(desk, rows, cols, mines):
    """Run xdemineur on a board of that size; it opens a first region by itself."""
    desk.move(0, 0)
    with started(PROGRAM, "-geometry", f"{cols}x{rows}+60+60", "-m", str(mines), display=desk.name):
        window = desk.wait_for_window(TITLE)
        desk.wait_until_still()
        yield Xdemineur(desk, window, rows, cols)
