"""What a policy thinks of the cells it could guess: the figures behind a choice."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from solver.moves import Action, Move

if TYPE_CHECKING:
    from solver.topology import Cell


class Worth(Enum):
    """What the values of rated guesses are."""

    SURVIVAL = "survival"
    """The chance to survive this click and the best one after it, exact."""
    ENDGAME = "endgame"
    """The chance to win by the best play, exact."""
    PLAN = "plan"
    """The chance to win by a plan for every layout that is left, exact; the best play wins as many or more."""
    ROLLOUT = "rollout"
    """The chance to win, estimated by playing on from here on layouts drawn at random."""
    BOOK = "book"
    """As `ROLLOUT`, by the opening book, which knows the first guess alone; the others have their survival."""


@dataclass(frozen=True, slots=True)
class RatedGuess:
    """A cell that could be guessed.

    Attributes:
        cell: the cell.
        p_mine: its risk.
        survival: the chance to survive this click and the best one after it; None when that was not asked for.
        p_win: the chance to win by opening it; None when that is not known.
        margin: half of the 95 % interval around `p_win`: 0 where that is no estimate.
    """

    cell: Cell
    p_mine: float
    survival: float | None = None
    p_win: float | None = None
    margin: float = 0.0


@dataclass(frozen=True)
class Ratings:
    """The guesses of one position.

    Attributes:
        worth: what they are ranked by.
        guesses: the best first, at least one. What was given up early comes after what was not.
        n_playouts: how many games were played from here on in all.
    """

    worth: Worth
    guesses: tuple[RatedGuess, ...]
    n_playouts: int = 0

    @property
    def best(self) -> RatedGuess:
        """The guess to make."""
        return self.guesses[0]

    @property
    def move(self) -> Move:
        """Opening the best one."""
        return Move(Action.OPEN, self.best.cell, self.best.p_mine, self.explain())

    def explain(self) -> str:
        """Why the best one is the best, in words."""
        best = self.best
        risk = f"its risk is {best.p_mine:.2%}"
        if self.worth is Worth.SURVIVAL:
            return f"a guess: {risk}, and {best.survival:.2%} to survive it and the best click after it is the most"
        if self.worth is Worth.ENDGAME:
            return f"a guess: {risk}, and the best play from there wins {best.p_win:.2%}, exactly: the most"
        if self.worth is Worth.PLAN:
            return f"a guess: {risk}, and {best.p_win:.2%} to win, by a plan for every layout that is left, is the most"
        if self.worth is Worth.BOOK:
            return f"a guess by the opening book: {risk}, and {best.p_win:.1%} +- {best.margin:.1%} to win is the most"
        return (
            f"a guess: {risk}, and {best.p_win:.1%} +- {best.margin:.1%} to win by it is the most, by"
            f" {self.n_playouts} games played on from here"
        )
