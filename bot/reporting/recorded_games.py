"""The games that a recording holds to their end: where the mines were, which the ends show, and what was decided."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bot.console import tell
from bot.errors import UsageError
from bot.reporting.recording import DECISION, LOG, SEEN, load_entries, moves_of
from solver.board import CLOSED, EXPLODED, FLAG, MINE, Board, GameState, Move, parse_board
from solver.errors import SolverError
from solver.layout import Layout
from solver.simulation import Deal
from solver.words import name_shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from solver.topology import Cell


class RecordedDecision(NamedTuple):
    """One decision of a recorded game.

    Attributes:
        seconds: since the game's first decision; 0 in recordings that hold no times.
        board: what was read.
        moves: what was decided; None where a person played and the board was only seen.
    """

    seconds: float
    board: Board
    moves: tuple[Move, ...] | None


@dataclass(frozen=True, eq=False)
class RecordedGame:
    """A game that a recording holds to its end.

    Attributes:
        number: its number among the games of the recording, from 1.
        layout: where the mines were, as its end showed it.
        decisions: in their order.
        seconds: how long it took, as the bot counted; NaN where the recording does not say.
    """

    number: int
    layout: Layout
    decisions: tuple[RecordedDecision, ...]
    seconds: float


def load_recorded_deals(folder: Path, tell: Callable[[str], None] = tell) -> tuple[Deal, ...]:
    """Return the boards of the games that a recording holds to their end, called 1, 2, ... in their order.

    A game begins with the cell it was begun with; one that the bot took over, with a cell that was open by then. A game
    whose end did not show all mines is left out, and a remark says so.

    Raises:
        UsageError: the folder holds no recording, or a broken one; the message names file and line.
    """
    return tuple(deal for deal, _, _ in _iter_games(folder, tell))


def load_recorded_games(folder: Path, tell: Callable[[str], None] = tell) -> tuple[RecordedGame, ...]:
    """Return the games themselves, with what was decided in them; as `load_recorded_deals`.

    Raises:
        UsageError: as there.
    """
    return tuple(
        RecordedGame(deal.seed, deal.layout, tuple(game.decisions), seconds)
        for deal, game, seconds in _iter_games(folder, tell)
    )


def _iter_games(folder: Path, tell: Callable[[str], None]) -> Iterator[tuple[Deal, _Game, float]]:
    """The games whose boards are known, what was seen of them, and their seconds."""
    log = folder / LOG
    game = _Game()
    size: tuple[Any, ...] = ()
    n_games = n_mines = 0
    for number, entry in enumerate(load_entries(log, tell), start=1):
        try:
            if entry["event"] == "board":
                n_mines, shape, before = int(entry["mines"]), entry.get("shape"), size
                size = (entry["rows"], entry["cols"], shape)
                if size != before:  # else it is the same board, played in another style from here on
                    game = _Game(None if shape is None else tuple(shape))
            elif entry["event"] in (DECISION, SEEN):
                game.note(entry)
            elif entry["event"] == "result":
                n_games += 1
                deal = game.deal(n_games, n_mines)
                if deal is None:
                    tell(
                        f"{log}: line {number}: the end of game {n_games} does not show where all mines were; left out"
                    )
                else:
                    seconds = entry.get("seconds")
                    yield deal, game, math.nan if seconds is None else float(seconds)
                game = _Game(game.shape)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError, SolverError) as error:
            raise UsageError(f"{log}: line {number}: not an entry of a recording ({error!r})") from error


@dataclass
class _Game:
    """What was seen of one game.

    Attributes:
        shape: of its board, where it is not that of the rows of text.
        first_cell: the cell it begins with.
        last: the last that was seen of it.
        state: as it was said to stand then.
        decisions: all that was decided in it.
    """

    shape: tuple[int, ...] | None = None
    first_cell: Cell | None = None
    last: Board | None = None
    state: GameState = GameState.FRESH
    decisions: list[RecordedDecision] = field(default_factory=list)
    _began_s: float | None = None

    def note(self, entry: dict[str, Any]) -> None:
        """Take up a decision; what was seen before of a game that was left for another is forgotten."""
        head = "" if self.shape is None else f"; shape: {name_shape(self.shape)}\n"
        board = parse_board(head + "\n".join(entry["board"]))
        if self.last is not None and _has_begun_anew(board, self.last):
            self.decisions, self.first_cell, self._began_s = [], None, None
        self.last = board
        self.state = GameState(entry["state"])
        seconds = float(entry.get("seconds") or 0.0)
        self._began_s = seconds if self._began_s is None else self._began_s
        moves = None if entry["event"] == SEEN else tuple(moves_of(entry))
        self.decisions.append(RecordedDecision(seconds - self._began_s, self.last, moves))
        if self.first_cell is not None:
            return
        open_cells = np.argwhere(self.last.cells >= 0)
        if open_cells.size:
            by_number = self.last.cells[tuple(open_cells.T)].argsort(kind="stable")
            self.first_cell = tuple(int(i) for i in open_cells[by_number[0]])
        elif moves:
            self.first_cell = tuple(int(i) for i in entry["moves"][0]["cell"])

    def deal(self, number: int, n_mines: int) -> Deal | None:
        """The board; None where its end does not tell it."""
        if self.last is None or self.first_cell is None:
            return None
        codes = [MINE, EXPLODED, FLAG]
        if self.state is GameState.WON:
            codes.append(CLOSED)
        elif self.state is not GameState.LOST:
            return None
        layout = Layout(np.isin(self.last.cells, codes))
        return Deal(number, layout, self.first_cell) if layout.n_mines == n_mines and self._agrees(layout) else None

    def _agrees(self, layout: Layout) -> bool:
        assert self.last is not None
        is_open = self.last.cells >= 0
        return bool((layout.numbers[is_open] == self.last.cells[is_open]).all())


def _has_begun_anew(now: Board, before: Board) -> bool:
    """Whether half of the cells that were open are closed: a single one may have been held down."""
    was_open = before.cells >= 0
    n_closed = int((was_open & np.isin(now.cells, (CLOSED, FLAG))).sum())
    return 0 < n_closed >= int(was_open.sum()) / 2
