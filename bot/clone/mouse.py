"""What the mouse means on a board: gestures to moves. Knows nothing of windows or pixels.

Left opens on release, right flags on press, and middle, or left and right together, chords on release. A gesture that
is released on another cell than it began on is cancelled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.models import Button
from solver.board import CLOSED, Action, Move

if TYPE_CHECKING:
    from collections.abc import Collection

    from solver.game import Game
    from solver.topology import Cell

_BOTH = {Button.LEFT, Button.RIGHT}


class Gesture:
    """The mouse over one board: at most one gesture at a time. A cell of None is a place off the board."""

    def __init__(self) -> None:
        self._action: Action | None = None
        self._start: Cell | None = None
        self._here: Cell | None = None

    @property
    def is_active(self) -> bool:
        """Whether a button is held that will do something when released here."""
        return self._action is not None and self._start is not None and self._here == self._start

    def press(self, button: Button, cell: Cell | None, held: Collection[Button] = ()) -> Move | None:
        """A button goes down while others are `held`; returns the move that is made at once."""
        if button is Button.MIDDLE or {button, *held} >= _BOTH:
            self._begin(Action.CHORD, cell)
        elif button is Button.LEFT:
            self._begin(Action.OPEN, cell)
        elif cell is not None:
            return Move(Action.FLAG, cell)
        return None

    def drag(self, cell: Cell | None) -> bool:
        """The pointer is over this cell now; returns whether that changes what releasing would do."""
        was_active = self.is_active
        self._here = cell
        return self.is_active != was_active

    def release(self, cell: Cell | None) -> Move | None:
        """A button goes up; returns the move this completes. The second button of a chord completes nothing."""
        self.drag(cell)
        done = Move(self._action, self._start) if self.is_active and self._action and self._start else None
        self._action = None
        return done

    def pressed_cells(self, game: Game) -> tuple[Cell, ...]:
        """The closed cells to be drawn pushed in: what releasing the button here would try to open."""
        if not self.is_active or self._start is None or game.is_over:
            return ()
        is_chord = self._action is Action.CHORD or game.code(self._start) >= 0
        reach = (self._start, *game.topology.neighbours(self._start)) if is_chord else (self._start,)
        return tuple(cell for cell in reach if game.code(cell) == CLOSED)

    def _begin(self, action: Action, cell: Cell | None) -> None:
        self._action = action
        self._start = self._here = cell
