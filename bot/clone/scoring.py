"""How well a game was played: 3BV, its speed, and what the clicks were worth.

3BV and efficiency as the speed-running community defines them (https://minesweepergame.com/wiki.php): the 3BV is the
fewest left clicks that clear a board without flags, and the efficiency the 3BV that was cleared for every click made,
those for flags and those without effect included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from solver.game import Game


@dataclass(frozen=True, slots=True)
class Score:
    """The figures of one game.

    Attributes:
        seconds: since the first cell was opened.
        clicks: moves tried while the game ran, useful or not.
        bbbv: of the whole board.
        bbbv_done: what of it is open.
    """

    seconds: float
    clicks: int
    bbbv: int
    bbbv_done: int

    @property
    def bbbv_per_s(self) -> float | None:
        """3BV a second; None for a game that took no time."""
        return self.bbbv_done / self.seconds if self.seconds > 0 else None

    @property
    def efficiency(self) -> float | None:
        """3BV for every click; None without a click."""
        return self.bbbv_done / self.clicks if self.clicks else None

    @property
    def text(self) -> str:
        """The figures in one line."""
        done = f"{self.bbbv}" if self.bbbv_done == self.bbbv else f"{self.bbbv_done} of {self.bbbv}"
        parts = [f"{self.seconds:.2f} s", f"3BV {done}"]
        if self.bbbv_per_s is not None:
            parts.append(f"3BV/s {self.bbbv_per_s:.2f}")
        if self.efficiency is not None:
            parts.append(f"efficiency {self.efficiency:.0%}")
        return ", ".join(parts)


def score_of(game: Game, seconds: float, clicks: int) -> Score:
    """Score a game whose layout is decided, as far as it was played."""
    assert game.layout is not None, "a cell was opened"
    return Score(seconds, clicks, game.layout.bbbv, game.layout.bbbv_of(game.board.cells >= 0))
