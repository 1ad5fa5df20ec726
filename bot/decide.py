"""What to do about what was read: proven cells first, else the best guess. Pure: no screen, no mouse, no clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.analysis import analyse
from solver.board import FLAG
from solver.confirmation import confirm
from solver.game import GameState
from solver.moves import Action, Move
from solver.strategy import choose

if TYPE_CHECKING:
    from bot.models import Reading
    from solver.topology import Cell


def decide(reading: Reading) -> list[Move]:
    """The moves to make on a settled board, in order; none when the game is over or no cell can be clicked.

    Cells that counting finds safe are proven once more before they are opened, by an engine that shares no code with
    it.

    Raises:
        InconsistentError: the reading contradicts itself: it was misread, or is not settled.
        DisagreementError: the two engines differ; shows the position.
    """
    if reading.state in (GameState.WON, GameState.LOST):
        return []
    analysis = analyse(reading.board)
    if analysis.safe:
        confirm(analysis)
        moves = [Move(Action.OPEN, cell, why="proven safe") for cell in _by_travel(analysis.safe)]
    else:
        guess = choose(analysis)
        moves = [] if guess is None else [guess]
    return [_unflag(move) if reading.board[move.cell] == FLAG else move for move in moves]


def _unflag(move: Move) -> Move:
    """A flag protects its cell from being opened: take it off first; the cell is opened when it is closed again."""
    return Move(Action.FLAG, move.cell, why=f"a flag is in the way of opening it ({move.why})")


def _by_travel(cells: tuple[Cell, ...]) -> list[Cell]:
    """Row by row, every other row backwards: the pointer never flies across the board."""
    rows = sorted({cell[0] for cell in cells})
    return [
        cell for n, row in enumerate(rows) for cell in sorted((c for c in cells if c[0] == row), reverse=n % 2 == 1)
    ]
