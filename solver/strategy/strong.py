"""The policy `strong`: two plies ahead, and endings solved; some 0.5 ms a guess, by the compiled kernel.

It begins by the opening book (`solver.strategy.book`). Away from the end it takes the cell with the best chance to
survive this click and the best one after it, among at most 16 that are nearly as safe as the safest. Once no more than
8000 models are left, it is the move by which a plan wins most of them; of 500 or less, the best play.

It needs the kernel, a mine count, a position whose risks are exact, and no unreadable cell. Where one of these is
missing, `rate` says so and `choose` makes the guess of the base policy (`solver.strategy.least_risk`).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from solver import kernel
from solver.analysis import analyse
from solver.board import CLOSED, FLAG, UNREADABLE
from solver.kernel.orders import BY_ENDING, BY_PLAN, BY_SURVIVAL
from solver.kernel.status import STRONG
from solver.strategy import book, least_risk
from solver.strategy.rating import RatedGuess, Ratings, Worth

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from solver.analysis import Analysis
    from solver.board import Board
    from solver.kernel.games import Played
    from solver.moves import Move
    from solver.topology import Topology

_log = logging.getLogger(__name__)
_has_told = False
_WORTHS = {BY_SURVIVAL: Worth.SURVIVAL, BY_ENDING: Worth.ENDGAME, BY_PLAN: Worth.PLAN}
_PLAIN = (CLOSED, FLAG, *range(9))
"""What a board of the opening book shows."""


def best_move(board: Board | NDArray[Any], mines: int | None = None) -> Move | None:
    """Choose the best move of a position.

    Args:
        board: a board, or an array of the codes of `solver.board`.
        mines: the total number of mines; replaces the board's own.

    Returns:
        The move, None when nothing is left to open.

    Raises:
        BoardValueError: `board` or `mines` is not a board's.
        InconsistentError: no layout agrees with the position.
    """
    return choose(analyse(board, mines))


def choose(analysis: Analysis) -> Move | None:
    """Choose the best move of a position that is already analysed.

    Returns:
        As `solver.strategy.least_risk.choose`, which chooses among proven cells, and where `rate` cannot.
    """
    ratings = None if analysis.safe else rate(analysis)
    return least_risk.choose(analysis) if ratings is None else ratings.move


def look_up(analysis: Analysis) -> RatedGuess | None:
    """What the opening book says of a position; None when it has no entry for it."""
    board = analysis.board
    if board.wrap or board.mines is None or len(board.shape) != 2 or not np.isin(board.cells, _PLAIN).all():
        return None
    places = np.argwhere(board.cells >= 0)
    if not 0 < len(places) <= book.MOST_OPEN:
        return None
    opened = [((int(row), int(col)), int(board.cells[row, col])) for row, col in places]
    found = book.find_move(board.shape, board.mines, opened)
    if found is None or board.cells[found.cell] != CLOSED:
        return None
    return RatedGuess(found.cell, float(analysis.p_mine[found.cell]), None, found.p_win, found.margin)


def play(truth: NDArray[np.int16], topology: Topology, n_mines: int, first: int) -> Played:
    """Play a whole game by the loaded kernel, after the moves of the opening book; see `solver.kernel.games.play`."""
    opened = [first]
    risks: list[float] = []
    while not topology.wrap and truth[opened[-1]] > 0:
        position = [(topology.cell(index), int(truth[index])) for index in opened]
        found = book.find_move(topology.shape, n_mines, position)
        if found is None:
            break
        opened.append(topology.index(found.cell))
        risks.append(found.p_mine)
    return kernel.play(truth, topology, n_mines, opened, STRONG, risks)


def rate(analysis: Analysis, *, with_book: bool = True, exact_steps: int = 0) -> Ratings | None:
    """Rate the guesses of a position in which nothing is proven safe.

    Args:
        analysis: the position.
        with_book: whether the opening book is asked first.
        exact_steps: as `solver.kernel.games.rate`.

    Returns:
        The candidates, the best first; None when the position is not one for this policy (see above), the game has not
        begun, or nothing is left to guess.
    """
    board = analysis.board
    codes = codes_for_play(analysis)
    if codes is None or board.mines is None:
        return None
    rated = kernel.rate(codes, board.topology, board.mines, exact_steps)
    if isinstance(rated, int) or rated.chosen < 0:
        return None
    worth = _WORTHS[rated.kind]
    values = np.where(rated.is_bound, rated.values - 2.0, rated.values)  # bounds behind
    order = sorted(range(len(values)), key=lambda i: (i != rated.chosen, -values[i], i))
    guesses = []
    for i in order:
        value = None if rated.is_bound[i] else float(rated.values[i])
        survival, p_win = (value, None) if worth is Worth.SURVIVAL else (None, value)
        guesses.append(RatedGuess(board.topology.cell(rated.cells[i]), float(rated.risks[i]), survival, p_win))
    known = look_up(analysis) if with_book else None
    if known is not None:
        return Ratings(Worth.BOOK, (known, *(guess for guess in guesses if guess.cell != known.cell)))
    return Ratings(worth, tuple(guesses))


def codes_for_play(analysis: Analysis) -> NDArray[np.int16] | None:
    """A position as compiled play takes it, row by row and without flags; None where it cannot.

    Flags are no evidence: such a cell is closed.
    """
    board = analysis.board
    if board.mines is None or analysis.safe or np.isnan(analysis.p_mine[board.cells == CLOSED]).any():
        return None
    if (board.cells == UNREADABLE).any() or not (board.cells >= 0).any() or analysis.is_estimate.any():
        return None
    if not kernel.load():
        _tell_once()
        return None
    return np.where(board.cells == FLAG, CLOSED, board.cells).astype(np.int16).ravel()


def _tell_once() -> None:
    global _has_told  # noqa: PLW0603 - of this process
    if not _has_told:
        _has_told = True
        _log.warning("without the compiled kernel guesses are made by least risk (`fast`), which wins fewer games")
