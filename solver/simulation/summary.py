"""What many games come to: win rate, moves by method, and whether the risks that were predicted came true.

How sure a win rate is.

References:
    [1] E. B. Wilson: Probable inference, the law of succession, and statistical inference, JASA 22 (1927), 209-212.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, NamedTuple

from solver.simulation.playing import METHODS

if TYPE_CHECKING:
    from solver.simulation.playing import PlayedGame


_Z_OF_95 = 1.959963984540054
"""Standard deviations from the mean of a normal distribution beyond which 2.5 % lie on either side."""


def win_interval(n_won: int, n_games: int) -> tuple[float, float]:
    """The 95 % interval of a win rate, by Wilson's score [1]: sensible for a handful of games, and for none lost.

    Raises:
        ValueError: there is no game, or more were won than played.
    """
    if not 0 <= n_won <= n_games or n_games == 0:
        raise ValueError(f"expected 0 to {n_games} of at least 1 game won, got {n_won} of {n_games}")
    rate, z_square = n_won / n_games, _Z_OF_95**2
    middle = rate + z_square / (2 * n_games)
    reach = _Z_OF_95 * math.sqrt(rate * (1 - rate) / n_games + z_square / (4 * n_games**2))
    low, high = ((middle + sign * reach) / (1 + z_square / n_games) for sign in (-1, 1))
    return max(low, 0.0), min(high, 1.0)


_N_BUCKETS = 20  # number of buckets of predicted risks, from 0 to 1
_ROUNDING = 1e-9  # largest rounding of a risk; one that belongs on the edge of two buckets goes into the upper one


class _Bucket(NamedTuple):
    """Guesses of about the same predicted risk.

    Attributes:
        low, high: the risks, from and up to.
        n_guesses: how many guesses.
        predicted: the mean of the predicted risks.
        observed: the share that was a mine.
        deviation: by how many standard deviations more mines than predicted were met; None where no chance was in it.
    """

    low: float
    high: float
    n_guesses: int
    predicted: float
    observed: float
    deviation: float | None


@dataclass
class _Tally:
    """The guesses of a bucket: how many, their summed risks, those that were mines, and the variance of that."""

    n: int = 0
    predicted: float = 0.0
    n_mines: int = 0
    variance: float = 0.0


@dataclass
class Summary:
    """What games come to that are added one by one.

    Attributes:
        results: of every game, 1 where it was won and 0 where it was lost.
        moves: cells opened, by method.
        n_unknown_risks: guesses whose risk was not known: they are in no bucket.
        cpu_s: processor time of all games.
        efficiencies: 3BV by clicks of every won game whose clicks were counted.
    """

    results: bytearray = field(default_factory=bytearray)
    moves: dict[str, int] = field(default_factory=lambda: dict.fromkeys(METHODS, 0))
    n_unknown_risks: int = 0
    cpu_s: float = 0.0
    efficiencies: list[float] = field(default_factory=list)
    _tallies: list[_Tally] = field(default_factory=lambda: [_Tally() for _ in range(_N_BUCKETS)])

    def add(self, game: PlayedGame) -> None:
        """Add a game."""
        self.results.append(game.is_won)
        self.cpu_s += game.cpu_s
        self.efficiencies += [] if game.efficiency is None else [game.efficiency]
        for method in METHODS:
            self.moves[method] += getattr(game.moves, method)
        for p_mine, was_mine in game.guesses:
            if math.isnan(p_mine):
                self.n_unknown_risks += 1
                continue
            tally = self._tallies[min(int(_N_BUCKETS * (p_mine + _ROUNDING)), _N_BUCKETS - 1)]
            tally.n += 1
            tally.predicted += p_mine
            tally.n_mines += was_mine
            tally.variance += p_mine * (1 - p_mine)

    @property
    def n_games(self) -> int:
        """How many games there are."""
        return len(self.results)

    @property
    def n_won(self) -> int:
        """How many of them were won."""
        return sum(self.results)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the win rate; None without a game."""
        return win_interval(self.n_won, self.n_games) if self.results else None

    @property
    def efficiency(self) -> tuple[float, float] | None:
        """The mean efficiency of won games, and half the width of its 95 % interval; None unless two were counted."""
        n = len(self.efficiencies)
        if n < 2:
            return None
        return fmean(self.efficiencies), _Z_OF_95 * stdev(self.efficiencies) / math.sqrt(n)

    @property
    def buckets(self) -> list[_Bucket]:
        """Predicted against observed risk, by predicted risk; buckets without a guess left out."""
        return [
            _Bucket(
                place / _N_BUCKETS,
                (place + 1) / _N_BUCKETS,
                tally.n,
                tally.predicted / tally.n,
                tally.n_mines / tally.n,
                (tally.n_mines - tally.predicted) / math.sqrt(tally.variance) if tally.variance > 0 else None,
            )
            for place, tally in enumerate(self._tallies)
            if tally.n
        ]

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` prints."""
        n_games, n_moves = self.n_games, sum(self.moves.values())
        return {
            "games": n_games,
            "won": self.n_won,
            "win_rate": self.n_won / n_games if n_games else None,
            "ci95": list(self.interval) if self.interval else None,
            "cpu_s_per_game": self.cpu_s / n_games if n_games else None,
            "moves_by_method": {
                method: {
                    "total": n,
                    "per_game": n / n_games if n_games else None,
                    "percent": 100 * n / n_moves if n_moves else None,
                }
                for method, n in self.moves.items()
            },
            "calibration": [bucket._asdict() for bucket in self.buckets],
            "unknown_risks": self.n_unknown_risks,
        } | self._efficiency_as_json()

    def _efficiency_as_json(self) -> dict[str, Any]:
        if self.efficiency is None:
            return {}
        mean, margin = self.efficiency
        return {"efficiency": {"games": len(self.efficiencies), "mean": mean, "ci95": [mean - margin, mean + margin]}}
