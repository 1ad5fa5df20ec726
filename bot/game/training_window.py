"""Training in a window: a click on a cell answers; then the answer is judged, and the proof is marked.

Drawn as the game is (`stage`), and changed by the mouse and keys of `input.Brush`: the right button sets flags, which
count for nothing. The face shows whether the answer was right, as if a game was won or lost. The counters are those of
mines and of positions to go.
"""

from __future__ import annotations

import tkinter as tk
from typing import TYPE_CHECKING

from bot.game import art
from bot.game.input import Brush
from bot.game.marks import picture_of
from bot.game.sizes import BoardSize
from bot.game.stage import ReadText, Stage, open_root, run_window
from solver.board import CLOSED, FLAG, MINE, GameState

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bot.game.plan import WindowPlan
    from bot.reviewing.training import Answer, Exercise, Training
    from skins.skin import Skin
    from solver.topology import Cell

TITLE = "Minebot training"
_LINES, _GAP_PX = 22, 8
_QUESTION = """Click a cell that is proven safe. Where none is, click the best guess.

The right button sets flags. Arrows move a mark, and Space answers there. Ctrl+Q ends."""
_ON = "Click, or press Space, for the next position."


def train_in_window(training: Training, exercise: Exercise, skin: Skin) -> None:
    """Open the window, and stay until all is answered or it is closed.

    Args:
        training: the sitting.
        exercise: the position that it asks about first.
        skin: what the cells look like.

    Raises:
        ScreenError: no window can be opened here.
        UsageError: what has to come again cannot be kept.
    """
    root = open_root(TITLE, "train")
    _TrainingWindow(root, training, exercise, skin)
    root.iconphoto(True, picture_of(root, art.cell_sprites(skin)[MINE]))
    root.focus_force()  # without a window manager nobody else gives it the keyboard
    run_window(root)


class _TrainingWindow:
    """What is in the window, and what happens there."""

    _exercise: Exercise
    _answer: Answer | None
    _cells: NDArray[np.int16]

    def __init__(self, root: tk.Tk, training: Training, exercise: Exercise, skin: Skin) -> None:
        self._root, self._training = root, training
        root.title(TITLE)
        root.resizable(width=False, height=False)
        root.configure(background=art.WINDOW)
        frame = tk.Frame(root, background=art.WINDOW)
        frame.grid(row=0, column=0, sticky="n")
        self._stage = Stage(root, frame, skin, None)
        self._stage.has_rulers = True
        self._text = ReadText(root, _LINES)
        self._text.grid(row=0, column=1, sticky="ns", padx=(0, _GAP_PX), pady=_GAP_PX)
        self._brush = Brush(root, self._stage.canvas, self)
        root.bind("<Control-q>", lambda _event: root.destroy())
        self._show_exercise(exercise)

    @property
    def plan(self) -> WindowPlan:
        """Where things stand now."""
        return self._stage.plan

    def mark(self, cell: Cell) -> int:
        """What a right click on a cell paints: a flag, or none where one is."""
        return CLOSED if self._cells[cell] == FLAG else FLAG

    def paint(self, cell: Cell, code: int, *, is_joined: bool) -> None:  # noqa: ARG002 - nothing is undone here
        """Set a flag, or take it off."""
        if self._cells[cell] in (CLOSED, FLAG):
            self._cells[cell] = code
            self._show()

    def ask(self, cell: Cell) -> None:
        """Answer with this cell; after an answer go on."""
        if self._answer is not None:
            self.clear()
        elif self._cells[cell] == CLOSED:
            self._answer = self._training.answer(cell)
            self._show()

    def clear(self) -> None:
        """Go on after an answer; after the last one close the window."""
        if self._answer is None:
            return
        exercise = self._training.next()
        if exercise is None:
            self._root.destroy()
        else:
            self._show_exercise(exercise)

    def type_sign(self, sign: str, cell: Cell | None) -> None:
        """Answer with the marked cell when Space is typed; after an answer go on."""
        if sign == " ":
            self.ask(cell) if cell is not None else self.clear()

    def look_at(self) -> None:
        """Ring the keyboard's cell, and after an answer it, the best cell and the numbers that prove it."""
        answer = self._answer
        if answer is None:
            self._stage.show_rings(self._brush.cursor)
        else:
            self._stage.show_rings(self._brush.cursor, answer.cell, best=answer.best, clues=answer.clues)

    def _show_exercise(self, exercise: Exercise) -> None:
        board, self._exercise = exercise.board, exercise
        self._answer, self._cells = None, board.cells.copy()
        self._text.update_idletasks()
        beside = self._text.winfo_reqwidth() + _GAP_PX
        self._stage.lay_out(BoardSize(board.shape, board.mines or 0), board.topology.most_neighbours, (beside, 0))
        self._brush.forget()
        self._show()

    def _show(self) -> None:
        header, answer = self._stage.header, self._answer
        self._stage.cells.show(self._cells)
        header.show_counts((self._exercise.board.mines or 0) - int((self._cells == FLAG).sum()), self._training.n_left)
        faces = {None: GameState.FRESH, True: GameState.WON, False: GameState.LOST}
        header.show_face(faces[answer and answer.is_right])
        self._text.show(_QUESTION if answer is None else f"{self._training.tally}. {_ON}\n\n{answer.text}")
        self.look_at()
