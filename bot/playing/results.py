"""How games went, one by one and all together. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from solver.board import GameState, known_risk
from solver.simulation import win_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        result: won, lost, or unknown where the board did not show it.
        seconds: from the first look to the effect of the last click; dialogs and new games do not count. None for a
            game that had begun before the bot joined it.
        n_clicks: presses made.
        n_opened: cells open at the end that were not before.
        bbbv: the layout's 3BV, None where the end does not show every mine.
        guesses: in the order made.
        n_retries: presses among `n_clicks` that were made again because the one before seemed lost.
    """

    result: GameState
    rows: int
    cols: int
    mines: int
    seconds: float | None
    n_clicks: int
    n_opened: int
    bbbv: int | None
    guesses: tuple[Guess, ...]
    n_retries: int = 0

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` prints and a journal keeps."""
        return {
            "result": self.result.value,
            "rows": self.rows,
            "cols": self.cols,
            "mines": self.mines,
            "seconds": None if self.seconds is None else round(self.seconds, 3),
            "clicks": self.n_clicks,
            "retries": self.n_retries,
            "cells_opened": self.n_opened,
            "bbbv": self.bbbv,
            "guesses": [{"cell": list(guess.cell), "p_mine": known_risk(guess.p_mine)} for guess in self.guesses],
        }


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What some games come to: one game, or all of a run.

    Attributes:
        n_games: how many.
        n_won: how many of them were won; likewise `n_unknown`, of which that is not known.
        seconds: what those took together that have a time of their own; None without any.
        ms_per_move: of these, milliseconds from one move to the next, seeing and thinking included; a retry is no new
            move. None without any; likewise `clicks_per_s`, their presses a second.
        n_clicks: presses made, in all games; likewise `n_retries`, `n_opened` and `n_guesses`.
        riskiest: the highest risk of a guess; None without any, NaN where none of them is known.
        bbbv: the 3BV of the games whose layout the end showed; None without any.
        bbbv_per_s: of the won games among those, None without any: a lost game has cleared a part of its 3BV only.
        best_s: the time of the quickest won game, None without any.
    """

    n_games: int
    n_won: int
    n_unknown: int
    seconds: float | None
    ms_per_move: float | None
    clicks_per_s: float | None
    n_clicks: int
    n_retries: int
    n_opened: int
    n_guesses: int
    riskiest: float | None
    bbbv: int | None
    bbbv_per_s: float | None
    best_s: float | None

    @property
    def n_known(self) -> int:
        """How many games ended in a way that is known."""
        return self.n_games - self.n_unknown

    @property
    def p_retry(self) -> float | None:
        """The share of presses that were made again."""
        return self.n_retries / self.n_clicks if self.n_clicks else None


def figures_of(games: Sequence[GameResult]) -> RunFigures:
    """What these games come to."""
    risks = [guess.p_mine for game in games for guess in game.guesses]
    known_risks = [risk for risk in risks if not math.isnan(risk)]
    known_bbbv = [game.bbbv for game in games if game.bbbv is not None]
    timed = [(game, game.seconds) for game in games if game.seconds is not None]
    seconds = sum(seconds for _, seconds in timed)
    n_clicks, n_moves = (
        sum(game.n_clicks for game, _ in timed),
        sum(game.n_clicks - game.n_retries for game, _ in timed),
    )
    won_in = [(game.bbbv, seconds) for game, seconds in timed if game.result is GameState.WON]
    cleared = [(bbbv, seconds) for bbbv, seconds in won_in if bbbv is not None and seconds > 0]
    return RunFigures(
        n_games=len(games),
        n_won=sum(game.result is GameState.WON for game in games),
        n_unknown=sum(game.result is GameState.UNKNOWN for game in games),
        seconds=seconds if timed else None,
        ms_per_move=1000 * seconds / n_moves if n_moves > 0 else None,
        clicks_per_s=n_clicks / seconds if seconds > 0 else None,
        n_clicks=sum(game.n_clicks for game in games),
        n_retries=sum(game.n_retries for game in games),
        n_opened=sum(game.n_opened for game in games),
        n_guesses=len(risks),
        riskiest=max(known_risks, default=math.nan) if risks else None,
        bbbv=sum(known_bbbv) if known_bbbv else None,
        bbbv_per_s=sum(bbbv for bbbv, _ in cleared) / sum(seconds for _, seconds in cleared) if cleared else None,
        best_s=min((seconds for _, seconds in won_in), default=None),
    )


@dataclass(slots=True)
class Tally:
    """All games of one run, as they come in."""

    games: list[GameResult] = field(default_factory=list)
    n_stray: int = 0

    @property
    def n_won(self) -> int:
        """How many games were won."""
        return sum(game.result is GameState.WON for game in self.games)

    def as_json(self) -> dict[str, Any]:
        """The form that `--json` prints."""
        figures = figures_of(self.games)
        n_won, n_known = figures.n_won, figures.n_known
        return {
            "games": [game.as_json() for game in self.games],
            "won": n_won,
            "lost": n_known - n_won,
            "unknown": figures.n_unknown,
            "win_rate": n_won / n_known if n_known else None,
            "ci95": list(win_interval(n_won, n_known)) if n_known else None,
            "stray_clicks": self.n_stray,
        }
