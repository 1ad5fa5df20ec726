"""The boards of a recording of play: where the mines were, as the end of each game showed it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.errors import UsageError
from bot.remarks import tell
from bot.telling.journal import LOG
from bot.telling.recording import load_entries
from solver.board import CLOSED, EXPLODED, FLAG, MINE, Board, parse_board
from solver.errors import SolverError
from solver.game import GameState
from solver.layout import Layout
from solver.simulation import Deal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from solver.topology import Cell


def is_recording(path: Path) -> bool:
    """Whether a path is that of a recording."""
    return (path / LOG).is_file()


def load_recorded_deals(folder: Path, tell: Callable[[str], None] = tell) -> tuple[Deal, ...]:
    """Return the boards of the games that a recording holds to their end, called 1, 2, ... in their order.

    A game begins with the cell it was begun with; one that the bot took over, with a cell that was open by then. Where
    the end did not show all mines it is told of and left out.

    Raises:
        UsageError: the folder holds no recording, or a broken one; the message names file and line.
    """
    log = folder / LOG
    deals = []
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
            elif entry["event"] == "decision":
                game.note(entry)
            elif entry["event"] == "result":
                n_games += 1
                deal = game.deal(n_games, n_mines)
                if deal is None:
                    tell(
                        f"{log}: line {number}: the end of game {n_games} does not show where all mines were; left out"
                    )
                else:
                    deals.append(deal)
                game = _Game(game.shape)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError, SolverError) as error:
            raise UsageError(f"{log}: line {number}: not an entry of a recording ({error!r})") from error
    return tuple(deals)


@dataclass
class _Game:
    """What was seen of one game.

    Attributes:
        shape: of its board, where it is not that of the rows of text.
        first_cell: the cell it begins with.
        last: the last that was seen of it.
        state: as it was said to stand then.
    """

    shape: tuple[int, ...] | None = None
    first_cell: Cell | None = None
    last: Board | None = None
    state: GameState = GameState.FRESH

    def note(self, entry: dict[str, Any]) -> None:
        """Take up a decision."""
        self.last = _board_of(entry["board"], self.shape)
        self.state = GameState(entry["state"])
        if self.first_cell is not None:
            return
        open_cells = np.argwhere(self.last.cells >= 0)
        if open_cells.size:
            by_number = self.last.cells[tuple(open_cells.T)].argsort(kind="stable")
            self.first_cell = tuple(int(i) for i in open_cells[by_number[0]])
        elif entry["moves"]:
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


def _board_of(rows: list[str], shape: tuple[int, ...] | None) -> Board:
    head = "" if shape is None else f"; shape: {'x'.join(map(str, shape))}\n"
    return parse_board(head + "\n".join(rows))
