"""A move: what the player decides to do to one cell. A click is what the bot makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solver.topology import Cell


class Action(Enum):
    """What a move does to its cell."""

    OPEN = "open"
    FLAG = "flag"
    CHORD = "chord"


@dataclass(frozen=True, slots=True)
class Move:
    """One logical move.

    Attributes:
        action: open, flag or chord.
        cell: the cell it is about.
        p_mine: risk of the move, 0.0 when proven safe, NaN when not known.
        why: the reason, in words for a person.
    """

    action: Action
    cell: Cell
    p_mine: float = 0.0
    why: str = ""

    @property
    def is_guess(self) -> bool:
        """Whether the cell is not proven safe."""
        return self.p_mine != 0.0
