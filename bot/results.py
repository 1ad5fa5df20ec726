"""How games went."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from solver.game import GameState
    from solver.topology import Cell


@dataclass(frozen=True, slots=True)
class Guess:
    """A click on a cell that was not proven safe, and its risk: NaN where it could not be counted."""

    cell: Cell
    p_mine: float


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game from the bot's first click to its end.

    Attributes:
        result: won or lost.
        seconds: from the first look to the effect of the last click; dialogs and new games do not count.
        n_clicks: presses made.
        n_opened: cells open at the end that were not before.
        bbbv: the layout's 3BV, None where the end does not show every mine.
        guesses: in the order made.
    """

    result: GameState
    rows: int
    cols: int
    mines: int
    seconds: float
    n_clicks: int
    n_opened: int
    bbbv: int | None
    guesses: tuple[Guess, ...]

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` prints and a journal keeps."""
        return {
            "result": self.result.value,
            "rows": self.rows,
            "cols": self.cols,
            "mines": self.mines,
            "seconds": round(self.seconds, 3),
            "clicks": self.n_clicks,
            "cells_opened": self.n_opened,
            "bbbv": self.bbbv,
            "guesses": [
                {"cell": list(guess.cell), "p_mine": None if math.isnan(guess.p_mine) else guess.p_mine}
                for guess in self.guesses
            ],
        }


@dataclass(slots=True)
class Tally:
    """All games of one run, as they come in."""

    games: list[GameResult] = field(default_factory=list)
    n_stray: int = 0

    @property
    def n_won(self) -> int:
        """How many games were won."""
        return sum(game.result.value == "won" for game in self.games)

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` prints."""
        return {
            "games": [game.as_json() for game in self.games],
            "won": self.n_won,
            "lost": len(self.games) - self.n_won,
            "stray_clicks": self.n_stray,
        }
