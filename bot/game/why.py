"""Why? after a game: of any cell, whether it was forced, what its risk was, and what would have been best.

The position that is asked about is the last one in which the cell was closed: for a cell that was opened the one before
that move, for every other the one before the last move of the game. Whatever is said of it is the solver's
(`solver.explain`, `bot.reporting.advice`), which is told nothing that the player could not see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.reporting.advice import advise
from solver import explain
from solver.board import CLOSED, FLAG, Action, GameState
from solver.words import format_cells

if TYPE_CHECKING:
    from bot.game.session import Session, Turn
    from bot.reporting.advice import Advice
    from solver.topology import Cell

_MOST_COMPARED = 5
_DONE = {Action.OPEN: "opened", Action.FLAG: "marked", Action.CHORD: "chorded on"}


@dataclass(frozen=True, slots=True)
class Why:
    """The answer about one cell.

    Attributes:
        cell: what was asked about.
        best: the cell that would have been best to open then; None where nothing was left to open.
        clues: the open numbers that the answer rests on.
        text: all of it, in words.
    """

    cell: Cell
    best: Cell | None
    text: str
    clues: tuple[Cell, ...] = ()


def asked_first(session: Session) -> Cell | None:
    """The cell that a person most likely asks about: the one that was lost by; None before a move."""
    return session.turns[-1].move.cell if session.turns else None


def ask_why(session: Session, cell: Cell) -> Why | None:
    """Explain a cell of a game that is over; None where it was never closed before a move."""
    layout = session.game.layout
    assert session.game.is_over, "nothing is told while a game is on"
    assert layout is not None, "a game that is over has a layout"
    numbered = [(n, turn) for n, turn in enumerate(session.turns, 1) if turn.before.board[cell] in (CLOSED, FLAG)]
    if not numbered:
        return None
    number, turn = numbered[-1]
    board = turn.before.board
    truth = "a mine" if layout.has_mine[cell] else f"no mine, but a {layout.numbers[cell]}"
    done = f"{_DONE[turn.move.action]} {format_cells([turn.move.cell])}"
    head = f"Before move {number}, which {done}:"
    if turn.before.state is GameState.FRESH:
        risk = session.size.mines / board.cells.size
        told = f"nothing was open, and every cell had the same risk, {risk:.1%}."
        return Why(cell, None, f"{head}\n\n{told}\n\n{format_cells([cell])} was {truth}.")
    advice = advise(board)
    explanation = explain(board, cell, analysis=advice.analysis)
    is_forced = explanation.verdict in ("mine", "safe")
    paragraphs = [head, explanation.text, *([] if is_forced else [f"It was {truth}."]), _say_best(advice, turn)]
    best = None if advice.move is None else advice.move.cell
    return Why(cell, best, "\n\n".join(paragraphs), tuple(explanation.clues))


def _say_best(advice: Advice, turn: Turn) -> str:
    """What would have been best, whether it was done, and what it is compared with."""
    if advice.move is None:
        return "Nothing was left to open."
    best = format_cells([advice.move.cell])
    safe = advice.analysis.safe
    is_done = turn.move.action is Action.OPEN and turn.move.cell in (safe or [advice.move.cell])
    if safe:
        n = len(safe)
        is_are = "cell was" if n == 1 else "cells were"
        cells = format_cells(safe[:_MOST_COMPARED]) + (f" and {n - _MOST_COMPARED} more" if n > _MOST_COMPARED else "")
        lines = [f"No guess was needed: {n} {is_are} proven safe, {cells}."]
        lines.append("One of these was opened." if is_done else f"Best was to open {best}.")
        return "\n".join(lines)
    lines = [f"Nothing was proven safe: a guess was needed, and best was {best}{', as was done' if is_done else ''}."]
    for candidate in advice.candidates[:_MOST_COMPARED]:
        told = [f"  {format_cells([candidate.cell])} risk {'about ' * candidate.is_estimate}{candidate.p_mine:.1%}"]
        if candidate.survival is not None:
            told.append(f"two clicks survived {candidate.survival:.1%}")
        if candidate.p_win is not None:
            told.append(f"game won {candidate.p_win:.1%}")
        lines.append(", ".join(told))
    return "\n".join(lines)
