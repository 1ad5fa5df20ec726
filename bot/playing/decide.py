"""What to do about what was read: proven cells first, else the best guess. Pure: no screen, no mouse, no clock."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import BotError
from bot.playing.route import plan_route
from solver.analysis import analyse
from solver.board import CLOSED, FLAG, Action, GameState, Move
from solver.decision import decide
from solver.strategy import guess_among

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.models import Reading
    from solver.analysis import Analysis
    from solver.board import Board
    from solver.topology import Cell


@dataclass(frozen=True, slots=True)
class Style:
    """How a person wants it played.

    Attributes:
        flags: whether every proven mine gets a flag.
        chords: whether a number is clicked to open its neighbours where that saves clicks, the flags it takes included.
        flags_to_win: whether the mines are flagged once all else is open: the clone calls it won only then.
        think_s: how long to think about a guess at most, in seconds; 0 for the quick policy `strong`.
    """

    flags: bool = False
    chords: bool = False
    flags_to_win: bool = False
    think_s: float = 0.0


PLAIN = Style()


class TooRiskyError(BotError):
    """The best guess is riskier than a person allowed."""


@dataclass(frozen=True, eq=False)
class Decision:
    """What to do on a settled board.

    Attributes:
        moves: the moves to make, in order; none when the game is over or no cell can be clicked.
        analysis: what is known of the board; None where it was not asked for, as the game is over.
    """

    moves: list[Move]
    analysis: Analysis | None = None

    @cached_property
    def sure_numbers(self) -> frozenset[Cell]:
        """The cells proven safe that have a proven mine beside them: opening one opens no other."""
        if self.analysis is None:
            return frozenset()
        mines, near = set(self.analysis.mines), self.analysis.board.topology.neighbours
        return frozenset(cell for cell in self.analysis.safe if not mines.isdisjoint(near(cell)))


def decide_moves(reading: Reading, style: Style = PLAIN, positions: Sequence[Board] = ()) -> Decision:
    """Decide on a settled board.

    Cells that counting finds safe are proven once more before they are opened, by an engine that shares no code with
    it.

    Args:
        reading: the board.
        style: how a person wants it played.
        positions: what the board may be where it shows numbers that are not known yet. Only guesses are made by them.

    Raises:
        InconsistentError: the reading contradicts itself: it was misread, or is not settled.
        DisagreementError: the two engines differ, or the second one gives up on every safe cell; shows the position.
    """
    if reading.state is GameState.WON and style.flags_to_win:
        closed = map(tuple, np.argwhere(reading.board.cells == CLOSED).tolist())
        return Decision([Move(Action.FLAG, cell, why="every other cell is open: a mine") for cell in closed])
    if reading.state in (GameState.WON, GameState.LOST):
        return Decision([])
    analysis = analyse(reading.board)
    by_positions = None if analysis.safe else guess_among(positions)
    if by_positions is not None:
        return Decision([_unflag(reading, by_positions)], analysis)
    choice = decide(analysis, style.think_s)
    if choice.analysis.safe:
        return Decision(plan_route(choice.analysis, flags=style.flags, chords=style.chords), choice.analysis)
    return Decision([] if choice.move is None else [_unflag(reading, choice.move)], analysis)


def check_risk(move: Move, reading: Reading, limit: float | None) -> None:
    """Let a move pass that a person allows: whatever opens a game, and later what is not riskier than the limit.

    Raises:
        TooRiskyError: it is.
    """
    if limit is None or not move.is_guess or reading.state is GameState.FRESH or move.p_mine <= limit:
        return
    raise TooRiskyError(
        f"stuck: the best guess, cell {move.cell}, has a risk of {move.p_mine:.1%}, and the limit is {limit:.1%}; "
        f"the game is left as it is"
    )


def _unflag(reading: Reading, move: Move) -> Move:
    """A flag protects its cell from being opened: take it off first; the cell is opened when it is closed again."""
    if reading.board[move.cell] != FLAG:
        return move
    return Move(Action.FLAG, move.cell, why=f"a flag is in the way of opening it ({move.why})")
