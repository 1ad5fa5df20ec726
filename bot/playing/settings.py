"""What the player is given beside a desktop: somebody to tell, and how a person wants games played."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from bot.playing.decide import PLAIN, Style
from bot.playing.pointer import MaxSpeed

if TYPE_CHECKING:
    from bot.models import Reading
    from bot.playing.pointer import Speed
    from bot.playing.results import GameResult
    from solver.board import Move


class Watcher(Protocol):
    """Somebody who is told how play goes."""

    def entered(self, state: str) -> None:
        """The player is in another state now."""

    def decided(self, reading: Reading, moves: list[Move]) -> None:
        """Moves were decided on."""

    def ended(self, result: GameResult) -> None:
        """A game ended."""

    def remark(self, text: str) -> None:
        """Something a person should know."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a person wants games played.

    Attributes:
        style: flags and chords.
        speed: how the pointer gets to a cell.
        risk_limit: the highest risk of a guess that is taken once a game has begun, None for any.
    """

    style: Style = PLAIN
    speed: Speed = field(default_factory=MaxSpeed)
    risk_limit: float | None = None
