"""One sitting: game after game, with seeds, clicks, time and a log. Knows nothing of windows.

The log is an independent look at what happened: one JSON line per finished game, written by the game itself, with the
keys result (`won` or `lost`), rows, cols, mines, seconds, clicks (moves tried on the board while the game ran, useful
or not) and bbbv.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from bot.errors import UsageError
from solver.game import Game, GameState, Level, most_mines
from solver.moves import Action, Move

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MAX_SIDE = 100
"""Cells along one side: more fits no screen."""


def checked_level(rows: int, cols: int, mines: int) -> Level:
    """Make a level of one's own.

    Raises:
        UsageError: a side or a mine count that no game here can have; says which, and what may be.
    """
    for name, side in (("rows", rows), ("cols", cols)):
        if not 1 <= side <= MAX_SIDE:
            raise UsageError(f"expected 1 to {MAX_SIDE} {name}, got {side}")
    most = most_mines((rows, cols))
    if not 0 <= mines <= most:
        raise UsageError(f"expected 0 to {most} mines on {rows} x {cols} cells, got {mines}")
    return Level(rows, cols, mines)


def game_seed(seed: int | None, number: int) -> str | None:
    """The seed of game `number` (from 1) of a sitting: None stays None, a new layout every time."""
    return None if seed is None else f"{seed}/{number}"


class Session:
    """Games one after the other.

    Args:
        level: the first game's size.
        seed: equal seeds give equal layouts, game by game (and first cell by first cell).
        log: appended to when a game ends; None for no log.
        clock: seconds that only grow.

    Raises:
        UsageError: the log cannot be written.
    """

    def __init__(
        self,
        level: Level,
        *,
        seed: int | None = None,
        log: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.level = level
        self.number = 1
        self._seed = seed
        self._log = log
        self._clock = clock
        self._write_log("")
        self._start()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the first cell was opened, up to the end of the game; 0 before."""
        if self._started_s is None:
            return 0.0
        return (self._clock() if self._ended_s is None else self._ended_s) - self._started_s

    @property
    def mines_left(self) -> int:
        """What the mine counter shows: mines minus flags, below 0 when there are too many flags."""
        return self.level.mines - self.game.n_flags

    def new_game(self, level: Level | None = None) -> None:
        """Start over. A game in which no cell was opened keeps its number, so a click too many skips no layout."""
        self.level = self.level if level is None else level
        self.number += self.game.state is not GameState.FRESH
        self._start()

    def act(self, move: Move) -> None:
        """Do what a click means; opening an open number chords on it."""
        if self.game.is_over:
            return
        self.n_clicks += 1
        if move.action is Action.FLAG:
            self.game.toggle_flag(move.cell)
        elif move.action is Action.CHORD or self.game.code(move.cell) >= 0:
            self.game.chord(move.cell)
        elif move.action is Action.OPEN:
            self.game.open(move.cell)
        else:
            raise AssertionError(f"unknown action {move.action!r}")
        self._keep_time()

    def _start(self) -> None:
        level = self.level
        self.game = Game((level.rows, level.cols), level.mines, seed=game_seed(self._seed, self.number))
        self.n_clicks = 0
        self._started_s: float | None = None
        self._ended_s: float | None = None

    def _keep_time(self) -> None:
        if self._started_s is None and self.game.state is not GameState.FRESH:
            self._started_s = self._clock()
        if self.game.is_over:
            self._ended_s = self._clock()
            self._write_log(json.dumps(self._result()) + "\n")

    def _result(self) -> dict[str, str | int | float]:
        assert self.game.layout is not None, "a game that is over has a layout"
        return {
            "result": self.game.state.value,
            **self.level._asdict(),
            "seconds": round(self.elapsed_s, 3),
            "clicks": self.n_clicks,
            "bbbv": self.game.layout.bbbv,
        }

    def _write_log(self, line: str) -> None:
        if self._log is None:
            return
        try:
            with self._log.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as error:
            raise UsageError(f"expected a log file that can be written, got {str(self._log)!r} ({error})") from error
