"""What to do about what was read: proven cells first, else the best guess. Pure: no screen, no mouse, no clock.

Proven cells are opened in few clicks and by short ways. Zeros come first, because one click opens all around them. Then
come numbers that open several cells at once, chords, with the flags they need, where that costs less than clicks on the
cells do (`Prices`). The rest follow one by one, the next always the nearest. Where a person asks for few clicks instead
(`Style.efficient`), `solver.efficiency` plans the next few, and the board is looked at anew after each chord.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import BotError
from solver.analysis import analyse
from solver.board import CLOSED, FLAG, OPEN_UNKNOWN, Action, GameState, Move
from solver.decision import decide
from solver.efficiency import plan_clicks
from solver.errors import InconsistentError
from solver.layout import FirstClick
from solver.prior import Prior
from solver.strategy import guess_among
from solver.words import name_cell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bot.models import Reading
    from skins.skin import Skin
    from solver.analysis import Analysis
    from solver.board import Board
    from solver.topology import Cell, Topology


@dataclass(frozen=True, slots=True)
class Prices:
    """What a flag and a chord cost, in clicks that open one cell."""

    flag: float = 1.0
    chord: float = 1.0


EVEN = Prices()  # every click costs the same: chords save clicks, whatever time they take


@dataclass(frozen=True, slots=True)
class Style:
    """How a person wants it played.

    Attributes:
        flags: whether every proven mine gets a flag.
        chords: whether a number is clicked to open its neighbours where that costs less, the flags it takes included.
        flags_to_win: whether the mines are flagged once all else is open: the clone calls it won only then. No flag
            costs anything there, as each is set in the end.
        think_s: how long to think about a guess at most, in seconds; 0 for the quick policy `strong`.
        efficient: whether few clicks count more than time. Then only flags that save clicks are set, and chords are
            made where `chords` allows them.
        prices: what a chord and its flags cost beside the clicks that it saves.
        first_click: the clone's rule for the first click; None where it is not known.
    """

    flags: bool = False
    chords: bool = False
    flags_to_win: bool = False
    think_s: float = 0.0
    efficient: bool = False
    prices: Prices = EVEN
    first_click: FirstClick | None = None

    def for_skin(self, skin: Skin) -> Style:
        """This style on a clone of that skin."""
        rule = None if skin.first_click is None else FirstClick(skin.first_click)
        return replace(self, flags_to_win=skin.win_needs_flags, first_click=rule)


PLAIN = Style()


class TooRiskyError(BotError):
    """The best guess is riskier than a person allowed."""


@dataclass(frozen=True, eq=False)
class Decision:
    """What to do on a settled board.

    Attributes:
        moves: the moves to make, in order; none when the game is over or no cell can be clicked.
        analysis: what is known of the board; None where it was not asked for, as the game is over.
    """

    moves: list[Move]
    analysis: Analysis | None = None

    @cached_property
    def sure_numbers(self) -> frozenset[Cell]:
        """The cells proven safe that surely have a mine beside them: opening one opens no other."""
        return frozenset(() if self.analysis is None else filter(self.is_sure_number, self.analysis.safe))

    def is_sure_number(self, cell: Cell) -> bool:
        """Whether a cell has a mine beside it in every layout: one of them is proven, or a 0 there a contradiction."""
        assert self.analysis is not None, "asked of a cell that was proven safe"
        board = self.analysis.board
        if not set(self.analysis.mines).isdisjoint(board.topology.neighbours(cell)):
            return True
        try:
            analyse(board.with_cells(cell, 0))
        except InconsistentError:
            return True
        return False


def decide_moves(
    reading: Reading, style: Style = PLAIN, positions: Sequence[Board] = (), start: Cell | None = None
) -> Decision:
    """Decide on a settled board.

    Cells that counting finds safe are proven once more before they are opened, by an engine that shares no code with
    it.

    Args:
        reading: the board.
        style: how a person wants it played.
        positions: what the board may be where it shows numbers that are not known yet. Only guesses are made by them.
        start: the cell that was opened first; None where that is not known.

    Raises:
        InconsistentError: the reading contradicts itself: it was misread, or is not settled.
        DisagreementError: the two engines differ, or the second one gives up on every safe cell; shows the position.
    """
    if reading.state is GameState.WON and style.flags_to_win:
        closed = map(tuple, np.argwhere(reading.board.cells == CLOSED).tolist())
        return Decision([Move(Action.FLAG, cell, why="every other cell is open: a mine") for cell in closed])
    if reading.state not in (GameState.FRESH, GameState.PLAYING):
        return Decision([])
    analysis = analyse(reading.board, prior=_prior(reading.board, style.first_click, start))
    by_positions = None if analysis.safe else guess_among(positions)
    if by_positions is not None:
        return Decision([_unflag(reading, by_positions)], analysis)
    choice = decide(analysis, style.think_s, style.first_click)
    if choice.analysis.safe and style.efficient:
        return Decision(plan_clicks(choice.analysis, chords=style.chords), choice.analysis)
    if choice.analysis.safe:
        prices = replace(style.prices, flag=0.0) if style.flags_to_win else style.prices
        moves = _plan_route(choice.analysis, flags=style.flags, chords=style.chords, prices=prices)
        return Decision(moves, choice.analysis)
    return Decision([] if choice.move is None else [_unflag(reading, choice.move)], analysis)


def _prior(board: Board, rule: FirstClick | None, start: Cell | None) -> Prior | None:
    """How likely layouts were before anything was seen; None where the game's beginning or its mines are not known."""
    if rule is None or start is None or board.mines is None or board.cut:
        return None
    return Prior(rule, start) if board[start] >= 0 or board[start] == OPEN_UNKNOWN else None


def check_risk(move: Move, reading: Reading, limit: float | None) -> None:
    """Let a move pass that a person allows: whatever opens a game, and later what is not riskier than the limit.

    Raises:
        TooRiskyError: it is.
    """
    if limit is None or not move.is_guess or reading.state is GameState.FRESH or move.p_mine <= limit:
        return
    raise TooRiskyError(
        f"stuck: the best guess, cell {name_cell(move.cell)}, has a risk of {move.p_mine:.1%}, "
        f"and the limit is {limit:.1%}; the game is left as it is"
    )


def _unflag(reading: Reading, move: Move) -> Move:
    """A flag protects its cell from being opened: take it off first; the cell is opened when it is closed again."""
    if reading.board[move.cell] != FLAG:
        return move
    return Move(Action.FLAG, move.cell, why=f"a flag is in the way of opening it ({move.why})")


SAFE = "proven safe"
_MANY = 60  # number of cells from which the way goes row by row: the nearest each time would take longer than it saves


def _plan_route(analysis: Analysis, *, flags: bool, chords: bool, prices: Prices = EVEN) -> list[Move]:
    """The moves that open every cell proven safe.

    Args:
        analysis: of a board with safe cells.
        flags: whether to flag every proven mine first.
        chords: whether to chord where that costs less.
        prices: what chords and their flags cost.
    """
    board = analysis.board
    flagged = [cell for cell in analysis.safe if board[cell] == FLAG]
    closed = [cell for cell in analysis.safe if board[cell] == CLOSED]
    unflags = [
        Move(Action.FLAG, cell, why=f"a flag is in the way of opening it ({SAFE})") for cell in _by_travel(flagged)
    ]
    all_zeros = _zeros(analysis, closed)
    zeros = _by_travel(_one_of_each_group(all_zeros, board.topology))
    opened_by_zeros = {near for zero in all_zeros for near in board.topology.neighbours(zero)} | all_zeros
    marks = [cell for cell in analysis.mines if board[cell] == CLOSED] if flags else []
    rest = [cell for cell in closed if cell not in opened_by_zeros]
    chord_moves: list[Cell] = []
    if chords:
        chord_moves, needed, rest = _chords(analysis, rest, set(marks), prices)
        marks += needed
    return [
        *unflags,
        *(Move(Action.OPEN, cell, why=SAFE) for cell in zeros),
        *(Move(Action.FLAG, cell, why="proven mine") for cell in _by_travel(marks)),
        *(Move(Action.CHORD, cell, why="all its mines are flagged") for cell in _by_travel(chord_moves)),
        *(Move(Action.OPEN, cell, why=SAFE) for cell in _by_travel(rest)),
        *(Move(Action.OPEN, cell, why=SAFE) for cell in _by_travel(opened_by_zeros.intersection(closed) - set(zeros))),
    ]


def _zeros(analysis: Analysis, cells: Iterable[Cell]) -> set[Cell]:
    """The safe cells without a mine beside them."""
    board, safe = analysis.board, set(analysis.safe)
    near = board.topology.neighbours
    return {cell for cell in cells if all(board[n] >= 0 or n in safe for n in near(cell))}


def _one_of_each_group(zeros: set[Cell], topology: Topology) -> list[Cell]:
    """One of each group of zeros that touch: it opens the others, and all around them."""
    left, firsts = set(zeros), []
    while left:
        first = min(left)
        firsts.append(first)
        left.remove(first)
        group = [first]
        while group:
            touching = left.intersection(topology.neighbours(group.pop()))
            left -= touching
            group += touching
    return firsts


def _chords(
    analysis: Analysis, cells: list[Cell], marks: set[Cell], prices: Prices
) -> tuple[list[Cell], list[Cell], list[Cell]]:
    """Numbers to chord, the flags still needed for that, and the cells left to be opened one by one.

    Greedy: the number that saves most comes first. It opens what is not flagged around it, so every mine there must be
    proven, and no flag may stand on a safe cell.
    """
    board, left = analysis.board, set(cells)
    is_safe, is_mine = set(analysis.safe), set(analysis.mines)
    unmarked = {cell for cell in is_mine if board[cell] == CLOSED} - marks
    near_of = board.topology.neighbours
    numbers = {number for cell in cells for number in near_of(cell) if board[number] > 0}
    around = {number: set(near_of(number)) for number in numbers}
    ready = {
        number: near
        for number, near in around.items()
        if all(board[n] >= 0 or n in is_mine or (n in is_safe and board[n] == CLOSED) for n in near)
    }
    chords: list[Cell] = []
    needed: list[Cell] = []
    while ready:
        saved = {
            number: len(near & left) - prices.flag * len(near & unmarked) - prices.chord
            for number, near in ready.items()
        }
        best = max(sorted(saved), key=saved.__getitem__)
        if saved[best] <= 0:
            break
        near = ready.pop(best)
        needed += sorted(near & unmarked)
        unmarked -= near
        left -= near
        chords.append(best)
    return chords, needed, [cell for cell in cells if cell in left]


def _by_travel(cells: Iterable[Cell]) -> list[Cell]:
    """An order in which the pointer flies little: from the first row by row, always to the nearest left."""
    ordered = sorted(cells)
    return list(_rowwise(ordered) if len(ordered) >= _MANY else _nearest(ordered))


def _nearest(cells: list[Cell]) -> Iterator[Cell]:
    left = list(cells)
    at = left[0] if left else ()
    while left:
        at = min(left, key=lambda cell: (sum((a - b) ** 2 for a, b in zip(cell, at, strict=True)), cell))
        left.remove(at)
        yield at


def _rowwise(cells: list[Cell]) -> Iterator[Cell]:
    """Row by row, every other row backwards."""
    for n, row in enumerate(sorted({cell[0] for cell in cells})):
        yield from sorted((cell for cell in cells if cell[0] == row), reverse=n % 2 == 1)
