"""Tells a person how play goes: a live line on a terminal, a line a game elsewhere, a table at the end."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from solver.board import closed_mask
from solver.game import GameState

if TYPE_CHECKING:
    from types import TracebackType

    from bot.models import Reading
    from bot.results import GameResult, Tally
    from solver.moves import Move

REFRESH_S = 0.15
"""A status line drawn more often than this costs more than it tells."""
_STYLES = {GameState.WON: "bold green", GameState.LOST: "red"}


class Status:
    """The watcher a person sees, on standard error.

    Args:
        n_games: how many games are asked for, None when that depends on how they go.
    """

    def __init__(self, n_games: int | None) -> None:
        self.console = Console(stderr=True, highlight=False)
        self._of_all = "" if n_games is None else f" of {n_games}"
        self._n_done = 0
        self._n_won = 0
        self._risk = ""
        self._drawn_at = 0.0
        self._live = Live(console=self.console, auto_refresh=False, transient=True)

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def decided(self, reading: Reading, moves: list[Move]) -> None:
        """Redraw the status line, but not too often."""
        if moves and moves[0].is_guess:
            self._risk = f", last guess {moves[0].p_mine:.0%} risk"
        now = time.perf_counter()
        if not self.console.is_terminal or now - self._drawn_at < REFRESH_S:
            return
        self._drawn_at = now
        n_left = int(closed_mask(reading.board.cells).sum()) - (reading.board.mines or 0)
        line = f"game {self._n_done + 1}{self._of_all}: {n_left} safe cells to open{self._risk}"
        self._live.update(Text(f"{line}; won {self._n_won} of {self._n_done}"), refresh=True)

    def ended(self, result: GameResult) -> None:
        """Print one line about a game."""
        self._n_done += 1
        self._n_won += result.result is GameState.WON
        self._risk = ""
        speed = f", {result.bbbv / result.seconds:.1f} 3BV/s" if result.bbbv and result.result is GameState.WON else ""
        self.console.print(
            Text.assemble(
                f"game {self._n_done}{self._of_all}: ",
                (result.result.value, _STYLES[result.result]),
                f" in {result.seconds:.2f} s, {result.n_clicks} clicks, {len(result.guesses)} guesses{speed}",
            )
        )

    def remark(self, text: str) -> None:
        """Print something a person should know."""
        self.console.print(text, soft_wrap=True)


def results_table(tally: Tally) -> Table:
    """All games of a run."""
    table = Table(title=f"won {tally.n_won} of {len(tally.games)}")
    for name, justify in (
        ("board", "left"),
        ("mines", "right"),
        ("result", "left"),
        ("seconds", "right"),
        ("clicks", "right"),
        ("guesses", "right"),
        ("riskiest", "right"),
        ("3BV", "right"),
    ):
        table.add_column(name, justify="left" if justify == "left" else "right")
    for game in tally.games:
        riskiest = max((guess.p_mine for guess in game.guesses), default=None)
        table.add_row(
            f"{game.rows}x{game.cols}",
            str(game.mines),
            Text(game.result.value, style=_STYLES[game.result]),
            f"{game.seconds:.2f}",
            str(game.n_clicks),
            str(len(game.guesses)),
            "-" if riskiest is None else f"{riskiest:.0%}",
            "-" if game.bbbv is None else str(game.bbbv),
        )
    return table
