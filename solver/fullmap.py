"""A full map, solved from a start cell: opens only what is proven, and says how far that goes.

The layout is known to this module and not to the solver: every step puts what a player would see to `analyse`, and
opens what it proves safe. Ends when every safe cell is open, or when nothing is proven any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from solver.analysis import Analysis, analyse
from solver.board import CLOSED, KNOWN_MINE, Board, GameState
from solver.errors import BoardValueError
from solver.game import Game
from solver.strategy.least_risk import choose
from solver.words import name_cell

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from solver.layout import Layout
    from solver.topology import Cell


class Verdict(Enum):
    """How far proofs go on a map."""

    SOLVED = "solved"
    """Every safe cell is open."""
    STUCK = "stuck"
    """Nothing is proven any more: only a guess is left."""
    UNREACHABLE_PART = "unreachable-part"
    """Stuck, although the mine count is known, and no cell that is left touches an open one: it is walled off."""
    STEPPED_ON_MINE = "stepped-on-mine"
    """The start cell is a mine."""
    INCONSISTENT = "inconsistent"
    """The map contradicts itself, or the mine count given."""


@dataclass(frozen=True)
class _MapGuess:
    """A cell to guess, and its risk.

    Attributes:
        cell: where.
        p_mine_exact: its exact risk; None when no cell's risk is known.
    """

    cell: Cell
    p_mine_exact: Fraction | None


@dataclass(frozen=True)
class MapResult:
    """What solving a map came to.

    Attributes:
        verdict: how far proofs go.
        board: what the player sees at the end, proven mines as known mines.
        start: the cell opened first; None when nothing had to be.
        best: the guess of least exact risk, when stuck.
    """

    verdict: Verdict
    board: Board
    start: Cell | None
    best: _MapGuess | None = None


def solve_map(
    layout: Layout, start: Cell | None = None, *, mines: int | None = None, is_open: Iterable[Cell] = ()
) -> MapResult:
    """Solve what proofs can solve of a map.

    Args:
        layout: the truth.
        start: the cell to open first; None: `_find_start`, unless something is open already.
        mines: the mine count that the solver is told; None: it is not told.
        is_open: safe cells that are open from the start. Open zeros open their neighbours.

    Raises:
        BoardValueError: a cell off the map, or a mine among `is_open`.
    """
    if mines not in (None, layout.n_mines):
        closed = np.full(layout.shape, CLOSED, dtype=np.int16)
        return MapResult(Verdict.INCONSISTENT, Board(closed, None, layout.wrap), None)
    game = Game.on(layout)
    for cell in is_open:
        if cell in layout.mine_cells:
            raise BoardValueError(f"expected safe cells to be open, got the mine {name_cell(cell)}")
        game.open(cell)
    if start is None and game.state is GameState.FRESH:
        start = _find_start(layout)
    if start is not None:
        game.open(start)
    return _finish(game, layout, start, mines)


def _find_start(layout: Layout) -> Cell | None:
    """The cell to start from: the first zero, row by row, else the first safe cell; None when there is none."""
    safe = ~layout.has_mine
    for candidates in (safe & (layout.numbers == 0), safe):
        if candidates.any():
            return layout.topology.cell(int(candidates.argmax()))
    return None


def _finish(game: Game, layout: Layout, start: Cell | None, mines: int | None) -> MapResult:
    if game.state is GameState.LOST:
        return MapResult(Verdict.STEPPED_ON_MINE, _seen(game, mines), start)
    while True:
        analysis = analyse(_seen(game, mines))
        if game.state is GameState.WON or layout.has_mine.all():
            return MapResult(Verdict.SOLVED, _with_mines(analysis), start)
        if not analysis.safe:
            verdict = Verdict.UNREACHABLE_PART if _is_walled_off(analysis) else Verdict.STUCK
            return MapResult(verdict, _with_mines(analysis), start, _find_best(analysis))
        for cell in analysis.safe:
            game.open(cell)


def _seen(game: Game, mines: int | None) -> Board:
    """What the player knows by opening alone: the marks that a game puts on mines at its end are left out."""
    cells = game.board.cells
    if game.state is GameState.WON:
        cells = np.where(cells >= 0, cells, CLOSED)
    return Board(cells, mines, game.topology.wrap)


def _with_mines(analysis: Analysis) -> Board:
    cells = analysis.board.cells.copy()
    for cell in analysis.mines:
        cells[cell] = KNOWN_MINE
    return Board(cells, analysis.board.mines, analysis.board.wrap)


def _cells_left(analysis: Analysis) -> list[Cell]:
    """Closed cells that are not proven."""
    proven = {*analysis.safe, *analysis.mines}
    cells = [tuple(map(int, cell)) for cell in np.argwhere(analysis.board.cells == CLOSED)]
    return [cell for cell in cells if cell not in proven]


def _is_walled_off(analysis: Analysis) -> bool:
    board = analysis.board
    if board.mines is None:  # the count may yet tell what is in there, as it does on a map with one part walled off
        return False
    return not any(board[near] >= 0 for cell in _cells_left(analysis) for near in board.topology.neighbours(cell))


def _find_best(analysis: Analysis) -> _MapGuess | None:
    """The guess of least exact risk; among equals the one that the strategy prefers, else the first."""
    risks = {cell: risk for cell in _cells_left(analysis) if (risk := analysis.exact_risk(cell)) is not None}
    move = choose(analysis)
    if not risks:
        return None if move is None else _MapGuess(move.cell, None)
    least = min(risks.values())
    best = [cell for cell, risk in risks.items() if risk == least]
    return _MapGuess(move.cell if move is not None and move.cell in best else best[0], least)
