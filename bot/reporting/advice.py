"""What to advise a person: the best move of a position, what else could be done, and why, in words.

Knows nothing of pictures or of how it is shown. It decides nothing itself: the move is the policy's
(`solver.strategy`), and a cell called safe was proven by two engines.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.errors import UsageError
from solver import Board, analyse, decide
from solver.board import FLAG, UNREADABLE, GameState, known_risk
from solver.explain import explain
from solver.prospects import chances_of_number
from solver.strategy import Worth, rank_guesses
from solver.unavoidable import find_unavoidable
from solver.words import format_cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from solver import Analysis, Cell, Move
    from solver.layout import FirstClick
    from solver.strategy import Ratings

MOST_CANDIDATES = 10  # more cells than this nobody compares


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cell that could be opened next, with the figures that rank it (`solver.strategy`: `Guess` and `RatedGuess`).

    Attributes:
        cell: the cell.
        p_mine: its risk; NaN when not known.
        is_estimate: whether that is an estimate.
        n_numbers: open numbers beside it.
        n_neighbours: cells beside it.
        p_zero: chance that it opens as 0; None when it was not asked for, or cannot be known.
        p_progress: chance that it is safe and its number proves another cell safe; None likewise.
        survival: chance to survive this click and the best one after it; None where the policy did not need it.
        p_win: chance to win by it; None likewise.
        margin: half of the 95 % interval around that, 0 where it is exact.
    """

    cell: Cell
    p_mine: float
    is_estimate: bool
    n_numbers: int
    n_neighbours: int
    p_zero: float | None = None
    p_progress: float | None = None
    survival: float | None = None
    p_win: float | None = None
    margin: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """For one JSON object."""
        return {
            "cell": self.cell,
            "p_mine": known_risk(self.p_mine),
            "is_estimate": self.is_estimate,
            "numbers_beside": self.n_numbers,
            "neighbours": self.n_neighbours,
            "p_zero": self.p_zero,
            "p_progress": self.p_progress,
            "survival": self.survival,
            "p_win": self.p_win,
            "p_win_margin": None if self.p_win is None else self.margin,
        }


@dataclass(frozen=True, eq=False)
class Advice:
    """What to do about one position.

    Attributes:
        analysis: everything that is known of it.
        state: fresh, playing, won or lost.
        move: what to do; None when the game is over, or no cell is left that could be opened.
        why: the reason, in words.
        candidates: the best cells to open, best first: the proven ones, else guesses; at most `MOST_CANDIDATES`.
    """

    analysis: Analysis
    state: GameState
    move: Move | None
    why: str
    candidates: tuple[Candidate, ...]

    @property
    def headline(self) -> str:
        """The move and its reason in one line."""
        if self.move is None:
            return f"best move: none, {self.why.splitlines()[0]}"
        return f"best move: open {format_cells([self.move.cell])}, {self.move.why}"


def advise(
    board: Board, *, first_click: FirstClick | None = None, in_words: bool = False, think_s: float = 0.0
) -> Advice:
    """Find the best move of a position.

    Args:
        board: the position, as a text or a picture gave it.
        first_click: the clone's rule for the first click; None where it is not known.
        in_words: whether to look for the reason in full: the proof of a cell that is safe, and for guesses the chance
            that each opens as 0, and that it lets another cell be proven safe.
        think_s: how long to think about a guess at most, in seconds; 0 for the quick policy `strong`.

    Raises:
        InconsistentError: no layout agrees with the position.
        UsageError: nothing is proven safe, and a guess needs the mine count, which is not known.
    """
    return advise_on(analyse(board), first_click=first_click, in_words=in_words, think_s=think_s)


def advise_on(
    analysis: Analysis, *, first_click: FirstClick | None = None, in_words: bool = False, think_s: float = 0.0
) -> Advice:
    """Find the best move of a position that is already analysed; otherwise as `advise`.

    Raises:
        UsageError: as `advise`.
    """
    board = analysis.board
    state = board.state
    if state is GameState.WON and analysis.safe:  # without a mine count, all flags look like a win
        state = GameState.PLAYING
    if state in (GameState.WON, GameState.LOST):
        return Advice(analysis, state, None, f"the game is {state.value}", ())
    choice = decide(analysis, think_s, first_click)
    analysis, move, ratings = choice.analysis, choice.move, choice.ratings
    if move is None:
        return Advice(analysis, state, None, _say_nothing_is_left(board), ())
    if move.is_promised:
        return Advice(analysis, state, move, _mind_flag(board, move.cell, move.why), ())
    if analysis.safe:
        why = explain(board, move.cell, analysis=analysis).text if in_words else move.why
        return Advice(analysis, state, move, _mind_flag(board, move.cell, why), _safe_cells(analysis))
    if board.cut:
        raise UsageError("part of the board is out of sight, and without it nothing is proven safe: show all of it")
    if board.mines is None:
        raise UsageError(
            "nothing is proven safe whatever the mine count is, and a guess needs the count: give it with --mines N"
        )
    move = _mind_unreadable(board, move)
    candidates = _guesses(analysis, ratings, with_prospects=in_words)
    why = "\n".join(_say_guess(analysis, state, move, candidates, ratings)) if in_words else move.why
    return Advice(analysis, state, move, _mind_flag(board, move.cell, why), candidates)


@dataclass(frozen=True, eq=False)
class _Reasons:
    """Why moves were decided on.

    Attributes:
        analysis: everything that is known of the position.
        texts: the reason for each move, in words: a proof, or why it is the best guess.
        candidates: for a guess the cells it was chosen from, best first; else empty.
    """

    analysis: Analysis
    texts: tuple[str, ...]
    candidates: tuple[Candidate, ...]


def give_reasons(board: Board, moves: Sequence[Move]) -> _Reasons:
    """Say why these moves were decided on.

    Args:
        board: the position.
        moves: what `bot.playing.decide` made of it.

    Raises:
        InconsistentError: no layout agrees with the position.
        UsageError: they hold a guess, and the mine count is not known.
    """
    guesses = [move for move in moves if move.is_guess]
    if guesses:
        advice = advise(board, in_words=True)
        own = None if advice.move is None else advice.move.cell
        texts = (advice.why if guess.cell == own else guess.why for guess in guesses)
        return _Reasons(advice.analysis, tuple(texts), advice.candidates)
    analysis = analyse(board)
    proofs = (_mind_flag(board, move.cell, explain(board, move.cell, analysis=analysis).text) for move in moves)
    return _Reasons(analysis, tuple(proofs), ())


def _safe_cells(analysis: Analysis) -> tuple[Candidate, ...]:
    board = analysis.board
    near = {cell: board.topology.neighbours(cell) for cell in analysis.safe[:MOST_CANDIDATES]}
    return tuple(
        Candidate(cell, 0.0, False, sum(board[other] >= 0 for other in others), len(others))
        for cell, others in near.items()
    )


def _guesses(analysis: Analysis, ratings: Ratings | None, *, with_prospects: bool) -> tuple[Candidate, ...]:
    """The cells that could be guessed: in the order of the policy, then those it did not look at, by least risk."""
    is_estimate = analysis.is_estimate
    ranked = {guess.cell: guess for guess in rank_guesses(analysis)}
    rated = {} if ratings is None else {guess.cell: guess for guess in ratings.guesses}
    candidates = []
    for cell in [*rated, *(cell for cell in ranked if cell not in rated)][:MOST_CANDIDATES]:
        guess = ranked[cell]
        one = Candidate(guess.cell, guess.p_mine, bool(is_estimate[guess.cell]), guess.n_numbers, guess.n_neighbours)
        if cell in rated:
            one = replace(one, survival=rated[cell].survival, p_win=rated[cell].p_win, margin=rated[cell].margin)
        if with_prospects and not (one.is_estimate or np.isnan(one.p_mine)):
            p_zero, p_progress = _prospects(analysis.board, one.cell)
            one = replace(one, p_zero=p_zero, p_progress=p_progress)
        candidates.append(one)
    return tuple(candidates)


def _prospects(board: Board, cell: Cell) -> tuple[float | None, float | None]:
    """The chances that a cell opens as 0, and that its number proves another cell safe."""
    chances = chances_of_number(board, cell)
    if np.isnan(chances).any():
        return None, None
    p_progress = 0.0
    for number in np.flatnonzero(chances):
        if analyse(board.with_cells(cell, int(number))).safe:
            p_progress += float(chances[number])
    return float(chances[0]), p_progress


def _say_nothing_is_left(board: Board) -> str:
    n_unreadable = int((board.cells == UNREADABLE).sum())
    if n_unreadable:
        return f"no cell that can be read is left to open; unreadable ones ({n_unreadable} here) are never advised"
    return "every closed cell is a proven mine"


def _mind_flag(board: Board, cell: Cell, why: str) -> str:
    return f"{why}\na flag is on it: take that off first." if board[cell] == FLAG else why


def _mind_unreadable(board: Board, move: Move) -> Move:
    """The guess, with a word of warning where numbers beside it may be missing from its risk."""
    n_unreadable = sum(board[cell] == UNREADABLE for cell in board.topology.neighbours(move.cell))
    if not n_unreadable:
        return move
    lie = "lies a cell" if n_unreadable == 1 else f"lie {n_unreadable} cells"
    return replace(
        move, why=f"{move.why}; beware: beside it {lie} that cannot be read, and a number there would change the risk"
    )


_ORDERS = {
    None: "least risk comes first, then most open numbers beside it, then fewest neighbours, then row by row.",
    Worth.SURVIVAL: "what survives this click and the best one after it comes first, then least risk.",
    Worth.ENDGAME: "what wins most of the layouts that are left comes first.",
    Worth.PLAN: "what wins most of the layouts that are left, by a plan for all of them, comes first.",
    Worth.ROLLOUT: "what wins most of the games played on from here comes first.",
    Worth.BOOK: "the opening book knows this position; the others come in the order of what survives two clicks.",
}
"""By what guesses are ordered, by what they are worth."""


def _say_guess(
    analysis: Analysis, state: GameState, move: Move, candidates: Sequence[Candidate], ratings: Ratings | None
) -> Iterator[str]:
    """Why a guess, and why this one; and which of the candidates have to be guessed in any case."""
    best = candidates[0]
    yield move.why
    if state is GameState.FRESH:
        yield "nothing is open yet, so every cell has the same risk; many clones keep the first click safe."
    yield _ORDERS[None if ratings is None else ratings.worth]
    if best.p_zero is not None and best.p_progress is not None:
        yield (
            f"chances are {best.p_zero:.2%} that it opens as 0, and {best.p_progress:.2%} that its number proves"
            " another cell safe (the order above does not look at these)."
        )
    yield from dict.fromkeys(
        guess.text for one in candidates if (guess := find_unavoidable(analysis, one.cell)) is not None
    )
