"""A position to explore: cells that a person paints, what is known of them, and every step back and forth.

It may come from a review: then it has stations, the position before each click of the game. Knows nothing of windows,
and nothing that a player could not see.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.errors import UsageError
from bot.reporting.advice import advise_on
from solver import Board, InconsistentError, analyse, explain
from solver.board import CLOSED, FLAG, KNOWN_MINE, UNREADABLE
from solver.prospects import chances_of_number
from solver.words import format_cells, name_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bot.game.sizes import BoardSize
    from bot.reporting.advice import Advice
    from solver import Analysis
    from solver.topology import Cell

_NOT_OPEN = (CLOSED, FLAG, UNREADABLE)


class Station(NamedTuple):
    """One position of a review.

    Attributes:
        board: what the player saw.
        title: which click came next, in words.
        cell: where that was.
    """

    board: Board
    title: str
    cell: Cell


class Assumed(NamedTuple):
    """A cell that was opened as a number, only to see what then.

    Attributes:
        cell: the cell.
        number: what it shows.
        chance: how likely that was; None where it is not known.
    """

    cell: Cell
    number: int
    chance: float | None


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a position.

    Attributes:
        analysis: everything; None where the position contradicts itself.
        advice: the best moves, ranked; None where there is none to give.
        problem: why there is none; empty where there is.
        clue: a number that contradicts the others; None where there is none, or only the mine count contradicts.
    """

    analysis: Analysis | None
    advice: Advice | None
    problem: str = ""
    clue: Cell | None = None


class Reason(NamedTuple):
    """Why a cell is what it is, in words, and the open numbers that this rests on."""

    text: str
    clues: tuple[Cell, ...] = ()


@dataclass(frozen=True, eq=False)
class _State:
    board: Board
    assumed: tuple[Assumed, ...] = ()
    station: int | None = None

    @cached_property
    def known(self) -> Known:
        return know(self.board)


def know(board: Board) -> Known:
    """Analyse a position, and rank what could be opened."""
    try:
        analysis = analyse(board)
    except InconsistentError as error:
        return Known(None, None, str(error).splitlines()[0], error.clue)
    try:
        return Known(analysis, advise_on(analysis))
    except UsageError as error:
        if board.mines is None and not board.cut:
            return Known(analysis, None, "nothing is proven safe, and a guess needs the mine count: Ctrl+M sets it")
        return Known(analysis, None, str(error))
    except InconsistentError as error:
        return Known(None, None, str(error).splitlines()[0], error.clue)


class AnalysisBoard:
    """A position that changes, with all positions before and after it.

    Attributes:
        stations: the positions of a review; empty without one.

    Args:
        board: the first position; with stations the first of these.
        stations: of a review.
    """

    def __init__(self, board: Board, stations: Sequence[Station] = ()) -> None:
        self.stations = tuple(stations)
        self._undone: list[_State] = []
        self._done = [_State(board, station=0 if self.stations else None)]

    @property
    def board(self) -> Board:
        """The position."""
        return self._done[-1].board

    @property
    def known(self) -> Known:
        """What is known of it."""
        return self._done[-1].known

    @property
    def assumed(self) -> tuple[Assumed, ...]:
        """What was opened to see what then, in order."""
        return self._done[-1].assumed

    @property
    def station(self) -> int | None:
        """The number of the review's position that this is, or was painted from; None without one."""
        return self._done[-1].station

    @property
    def odds(self) -> float | None:
        """The chance of all that is assumed; None where it is not known."""
        chances = [one.chance for one in self.assumed if one.chance is not None]
        return prod(chances) if len(chances) == len(self.assumed) else None

    def paint(self, cell: Cell, code: int, *, is_joined: bool = False) -> bool:
        """Make a cell another one.

        Args:
            cell: which.
            code: what it becomes, one of `solver.board`.
            is_joined: whether one undo takes this back with the change before.

        Returns:
            Whether that changed anything.
        """
        if self.board[cell] == code:
            return False
        state = replace(self._done[-1], board=self.board.with_cells(cell, code))
        if is_joined and len(self._done) > 1:
            self._done.pop()
        self._push(state)
        return True

    def open_as(self, cell: Cell, number: int) -> None:
        """Open a closed cell as a number, to see what then.

        Raises:
            UsageError: it is open, or cannot show that number; says which it can.
        """
        chances = self.chances(cell)
        name = name_cell(cell)
        if chances is not None and (number >= len(chances) or chances[number] == 0.0):
            possible = ", ".join(str(n) for n in np.flatnonzero(chances)) or "none: it is a mine"
            raise UsageError(f"{name} cannot show {number}; possible: {possible}")
        state = _State(self.board.with_cells(cell, number), (), self.station)
        if chances is None and state.known.analysis is None:
            raise UsageError(f"{name} cannot show {number}: {state.known.problem}")
        chance = None if chances is None else float(chances[number])
        self._push(replace(state, assumed=(*self.assumed, Assumed(cell, number, chance))))

    def chances(self, cell: Cell) -> NDArray[np.float64] | None:
        """How likely a closed cell shows each number, as `solver.prospects` has it; None where it is not known.

        Raises:
            UsageError: the cell is open, or the position contradicts itself.
        """
        if self.board[cell] not in _NOT_OPEN:
            raise UsageError(f"{name_cell(cell)} is not closed: what if is about closed cells")
        if self.known.analysis is None:
            raise UsageError(self.known.problem)
        if self.board.mines is None:
            return None
        chances = chances_of_number(self.board, cell)
        return None if np.isnan(chances).any() else chances

    def reason(self, cell: Cell) -> Reason:
        """Say why a closed cell is safe, a mine or neither; of an open one there is nothing to say."""
        analysis = self.known.analysis
        if analysis is None or self.board[cell] not in (CLOSED, FLAG):
            return Reason("")
        explanation = explain(self.board, cell, analysis=analysis)
        if explanation.rule is not None:
            return Reason(explanation.text, tuple(explanation.clues))
        told = explanation.text.splitlines()[1:]  # the first line is what `describe` says
        if explanation.layouts:
            told = ["Its numbers allow a mine there, and none."]  # which mines, hundreds at times, nobody reads
        return Reason("\n".join([*self._tell_numbers(cell), *told]))

    def _tell_numbers(self, cell: Cell) -> list[str]:
        """What a cell would show, in words; nothing where that is not known exactly."""
        analysis = self.known.analysis
        if analysis is None or np.isnan(analysis.p_mine[cell]) or analysis.is_estimate[cell]:
            return []
        chances = self.chances(cell)
        if chances is None:
            return []
        possible = np.flatnonzero(chances).tolist()
        if len(possible) == 1:
            return [f"If it is safe it shows {possible[0]}: opening it tells nothing new."]
        return ["It would show " + ", ".join(f"{number}: {chances[number]:.1%}" for number in possible) + "."]

    def describe(self, cell: Cell, *, is_exact: bool = False) -> str:
        """A cell and its risk in one line; `is_exact`: with the risk as a fraction, where that is known."""
        code, name = self.board[cell], format_cells([cell])
        if code >= 0:
            return f"{name}: an open {code}"
        if code == KNOWN_MINE:
            return f"{name}: a mine, given as a fact"
        analysis = self.known.analysis
        if analysis is None or np.isnan(analysis.p_mine[cell]):
            return f"{name}: its risk is not known"
        p_mine = float(analysis.p_mine[cell])
        if p_mine in (0.0, 1.0):
            return f"{name}: proven {'a mine' if p_mine else 'safe'}"
        ratio = analysis.exact_risk(cell) if is_exact else None
        told = "" if ratio is None else f" ({ratio})"
        return f"{name}: risk {'about ' if analysis.is_estimate[cell] else ''}{p_mine:.2%}{told}"

    def replace_board(self, board: Board) -> None:
        """Go on from another position, of any size."""
        self._push(_State(board, station=self.station))

    def resize(self, size: BoardSize) -> None:
        """Make the board of another size and mine count; cells that both have stay."""
        cells = np.full(size.shape, CLOSED, dtype=np.int16)
        if len(size.shape) == self.board.cells.ndim:
            common = tuple(slice(min(sides)) for sides in zip(size.shape, self.board.shape, strict=True))
            cells[common] = self.board.cells[common]
        self.replace_board(Board(cells, size.mines, self.board.wrap))

    def add_mines(self, by: int) -> None:
        """Add mines to the mine count; less than 0 takes some away. An unknown count starts at 0.

        Raises:
            SolverError: the board cannot have as many.
        """
        board = self.board.with_mines((self.board.mines or 0) + by)
        self._push(replace(self._done[-1], board=board))

    def clear(self) -> None:
        """Close every cell."""
        cells = np.full(self.board.shape, CLOSED, dtype=np.int16)
        self.replace_board(replace(self.board, cells=cells))

    def go_to(self, station: int) -> None:
        """Show a position of the review; the nearest one where there is none of this number."""
        if self.stations:
            place = min(max(station, 0), len(self.stations) - 1)
            if place != self.station or self.board is not self.stations[place].board:
                self._push(_State(self.stations[place].board, station=place))

    def undo(self) -> bool:
        """Take the last change back; returns whether there was one."""
        if len(self._done) == 1:
            return False
        self._undone.append(self._done.pop())
        return True

    def redo(self) -> bool:
        """Do again what was undone last; returns whether there was something."""
        if not self._undone:
            return False
        self._done.append(self._undone.pop())
        return True

    def _push(self, state: _State) -> None:
        self._undone.clear()
        self._done.append(state)
