"""What to do about what was read: proven cells first, else the best guess. Pure: no screen, no mouse, no clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import BotError
from bot.playing.route import plan_route
from solver.analysis import analyse
from solver.board import CLOSED, FLAG, Action, Move
from solver.confirmation import confirm
from solver.errors import DisagreementError
from solver.game import GameState
from solver.strategy import choose, decide_guess, guess_among

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


def decide(reading: Reading, style: Style = PLAIN, positions: Sequence[Board] = ()) -> list[Move]:
    """The moves to make on a settled board, in order; none when the game is over or no cell can be clicked.

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
        return [Move(Action.FLAG, cell, why="every other cell is open: a mine") for cell in closed]
    if reading.state in (GameState.WON, GameState.LOST):
        return []
    analysis = analyse(reading.board)
    if analysis.safe:
        confirmed = confirm(analysis)
        if not confirmed.safe:
            raise DisagreementError(f"the second proof that {analysis.safe[0]} is safe is too hard:\n{reading.board}")
        return plan_route(confirmed, flags=style.flags, chords=style.chords)
    guess = guess_among(positions) or _guess(analysis, style)
    if guess is None:
        return []
    return [_unflag(guess) if reading.board[guess.cell] == FLAG else guess]


def _guess(analysis: Analysis, style: Style) -> Move | None:
    ratings = decide_guess(analysis, style.think_s)
    return choose(analysis) if ratings is None else ratings.move


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


def sure_numbers(reading: Reading) -> frozenset[Cell]:
    """The cells proven safe that have a proven mine beside them: opening one opens no other.

    Raises:
        InconsistentError: the reading contradicts itself.
    """
    analysis = analyse(reading.board)
    mines, near = set(analysis.mines), reading.board.topology.neighbours
    return frozenset(cell for cell in analysis.safe if not mines.isdisjoint(near(cell)))


def _unflag(move: Move) -> Move:
    """A flag protects its cell from being opened: take it off first; the cell is opened when it is closed again."""
    return Move(Action.FLAG, move.cell, why=f"a flag is in the way of opening it ({move.why})")
