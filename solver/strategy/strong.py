"""The policy `strong`: two plies ahead, and endings solved; some 0.5 ms a guess, by the compiled kernel.

It begins by the opening book. Away from the end it takes the cell with the best chance to survive this click and the
best one after it, among at most 16 that are nearly as safe as the safest. Once no more than 8000 models are left, it
is the move by which a plan wins most of them; of 500 or less, the best play.

It needs the kernel, a mine count, a position whose risks are exact, and no unreadable cell. Where one of these is
missing, `rate` says so and `choose` makes the guess of the base policy (`solver.strategy.least_risk`).

The opening book says what to open next while the first cells opened are all the board shows. These positions come up
in most games after a safe start, so they were thought about longer than any game has time for: `python
scripts/make_book.py` plays games on from each candidate and writes `book.json`. A position is the cells that are open,
with their numbers, in any order; boards that are mirrored, or turned where they are square, share an entry.

The best guess where a position is one of several: a number is seen, and cannot be read.

Every layout is equally likely, and so a position is as likely as it has layouts: risks are averaged over the positions,
each weighed by its layouts. Nothing is proven that way: all of it holds only if one of the positions is the true one.
"""

from __future__ import annotations

import json
import logging
import math
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from solver import kernel
from solver.analysis import analyse
from solver.board import CLOSED, FLAG, UNREADABLE, Action, Move, closed_mask
from solver.errors import InconsistentError
from solver.kernel import BY_ENDING, BY_PLAN, BY_SURVIVAL, STRONG
from solver.strategy import least_risk
from solver.strategy.least_risk import RatedGuess, Ratings, Worth, rank_guesses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from solver.analysis import Analysis
    from solver.board import Board
    from solver.kernel import Played
    from solver.topology import Cell, Topology

    Turn = Callable[[Cell], Cell]


_log = logging.getLogger(__name__)
_has_told = False
_WORTHS = {BY_SURVIVAL: Worth.SURVIVAL, BY_ENDING: Worth.ENDGAME, BY_PLAN: Worth.PLAN}
_PLAIN = (CLOSED, FLAG, *range(9))  # what a board of the opening book shows


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


def _look_up(analysis: Analysis) -> tuple[RatedGuess, ...]:
    """What the opening book says of a position, the best guess first; nothing when it has no entry for it."""
    board = analysis.board
    if board.wrap or board.mines is None or len(board.shape) != 2 or not np.isin(board.cells, _PLAIN).all():
        return ()
    places = np.argwhere(board.cells >= 0)
    if not 0 < len(places) <= _MOST_OPEN:
        return ()
    opened = [((int(row), int(col)), int(board.cells[row, col])) for row, col in places]
    found = _find_move(board.shape, board.mines, opened)
    if found is None or board.cells[found.cell] != CLOSED:
        return ()
    moves = ((found.cell, found.p_win), *found.next_best)
    return tuple(
        RatedGuess(cell, float(analysis.p_mine[cell]), None, p_win, found.margin)
        for cell, p_win in moves
        if board.cells[cell] == CLOSED
    )


def play(truth: NDArray[np.int16], topology: Topology, n_mines: int, first: int) -> Played:
    """Play a whole game by the loaded kernel, after the moves of the opening book; see `solver.kernel.play`."""
    opened = [first]
    risks: list[float] = []
    while not topology.wrap and truth[opened[-1]] > 0:
        position = [(topology.cell(index), int(truth[index])) for index in opened]
        found = _find_move(topology.shape, n_mines, position)
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
        exact_steps: as `solver.kernel.rate_guesses`.

    Returns:
        The candidates, the best first; None when the position is not one for this policy (see above), the game has not
        begun, or nothing is left to guess.
    """
    if analysis.prior is not None:
        even = rate(analysis.even, with_book=with_book, exact_steps=exact_steps)
        return None if even is None else even.under(analysis)
    board = analysis.board
    codes = codes_for_play(analysis)
    if codes is None or board.mines is None:
        return None
    rated = kernel.rate_guesses(codes, board.topology, board.mines, exact_steps)
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
    known = _look_up(analysis) if with_book else ()
    if known:
        in_book = {guess.cell for guess in known}
        return Ratings(Worth.BOOK, (*known, *(guess for guess in guesses if guess.cell not in in_book)))
    return Ratings(worth, tuple(guesses))


def codes_for_play(analysis: Analysis, *, is_guess: bool = True) -> NDArray[np.int16] | None:
    """A position as compiled play takes it, row by row and without flags; None where it cannot.

    Flags are no evidence: such a cell is closed. Unless told otherwise, only positions in which nothing is proven safe.
    """
    board = analysis.board
    if board.mines is None or (is_guess and analysis.safe) or np.isnan(analysis.p_mine[board.cells == CLOSED]).any():
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


_EQUAL = 1e-9  # largest difference of risks that are equal
_LEAST_RISK = math.ulp(0.0)  # the risk of a cell that is safe on all the positions: not 0, which says that it is proven


def guess_among(boards: Sequence[Board], may_open: NDArray[np.bool_] | None = None) -> Move | None:
    """Choose the guess with the least risk over all positions that have a layout.

    Args:
        boards: the positions, alike but for their numbers.
        may_open: which cells may be opened, bool of the boards' shape; None for every closed one.

    Returns:
        Opening that cell, with its mean risk. Of equal ones it is the one that tells most on the likeliest position.
        Where only one position has a layout, and leaves nothing but guesses, it is the guess of
        `solver.strategy.choose`. None when no position has a layout, or no cell may be opened.

    Cost: one analysis a position.
    """
    analyses = [analysis for board in boards if (analysis := _analysed(board)) is not None]
    if not analyses:
        return None
    can_open = closed_mask(boards[0].cells) if may_open is None else may_open
    if len(analyses) == 1 and not analyses[0].safe and may_open is None:
        return choose(analyses[0])
    weights = _weights(analyses)
    risks = np.stack([np.nan_to_num(analysis.p_mine, nan=1.0) for analysis in analyses])
    risk = np.where(can_open, np.tensordot(weights, risks, axes=1), np.inf)
    least = float(risk.min())
    if least >= 1.0:
        return None
    is_equal = risk <= least + _EQUAL
    ranked = rank_guesses(analyses[int(weights.argmax())])
    cell = next((guess.cell for guess in ranked if is_equal[guess.cell]), None)
    if cell is None:
        cell = boards[0].topology.cell(int(is_equal.ravel().argmax()))
    why = f"the least risk of all, over {len(analyses)} readings of numbers that are not known yet: {least:.1%}"
    return Move(Action.OPEN, cell, max(least, _LEAST_RISK), why)


def _analysed(board: Board) -> Analysis | None:
    """The analysis of a position; None where it has no layout."""
    try:
        return analyse(board)
    except InconsistentError:
        return None


def _weights(analyses: Sequence[Analysis]) -> NDArray[np.float64]:
    """How likely each position is; where the layouts of one cannot be counted, all are equally likely."""
    counts = [analysis.n_models for analysis in analyses]
    if any(count is None for count in counts):
        return np.full(len(counts), 1.0 / len(counts))
    logs = np.array([math.log(count) for count in counts if count is not None])
    weights = np.exp(logs - logs.max())
    return np.asarray(weights / weights.sum(), dtype=np.float64)


_MOST_OPEN = 6  # most open cells of a position of the book


class _BookMove(NamedTuple):
    """What the book says of a position.

    Attributes:
        cell: the cell to open.
        p_mine: its risk.
        p_win: the chance to win by it, as the games said that the base policy plays on.
        margin: half of the 95 % interval around that.
        next_best: other cells, each with its chance to win.
    """

    cell: Cell
    p_mine: float
    p_win: float
    margin: float
    next_best: tuple[tuple[Cell, float], ...] = ()


def _find_move(shape: tuple[int, ...], n_mines: int, opened: Iterable[tuple[Cell, int]]) -> _BookMove | None:
    """Look a position up.

    Args:
        shape: of a board without wrap-around.
        n_mines: its mines.
        opened: the open cells with their numbers: all that is known of the board.
    """
    moves = _load().get(_format_board_name(shape, n_mines))
    if moves is None or len(shape) != 2:
        return None
    numbers = tuple(sorted(opened))
    return _find(tuple(shape), n_mines, numbers) if len(numbers) <= _MOST_OPEN else None


def _format_board_name(shape: Sequence[int], n_mines: int) -> str:
    """The book's name of a board: `16x30/99`."""
    return f"{'x'.join(map(str, shape))}/{n_mines}"


def _format_position(opened: Iterable[tuple[Cell, int]]) -> str:
    """The book's name of a position: `0,0=1 15,0=2`."""
    return " ".join(f"{row},{col}={number}" for (row, col), number in sorted(opened))


def _turns(shape: tuple[int, ...]) -> list[tuple[Turn, Turn]]:
    """The symmetries of a board of two dimensions, each with its reverse."""
    rows, cols = shape
    mirrors: list[Turn] = [
        lambda cell: cell,
        lambda cell: (rows - 1 - cell[0], cell[1]),
        lambda cell: (cell[0], cols - 1 - cell[1]),
        lambda cell: (rows - 1 - cell[0], cols - 1 - cell[1]),
    ]
    found = [(mirror, mirror) for mirror in mirrors]
    if rows == cols:
        found.extend((_swapped_after(mirror), _swapped_before(mirror)) for mirror in mirrors)
    return found


def _swapped_after(mirror: Turn) -> Turn:
    return lambda cell: mirror(cell)[::-1]


def _swapped_before(mirror: Turn) -> Turn:
    return lambda cell: mirror(cell[::-1])


@lru_cache(maxsize=4096)
def _find(shape: tuple[int, ...], n_mines: int, opened: tuple[tuple[Cell, int], ...]) -> _BookMove | None:
    moves = _load()[_format_board_name(shape, n_mines)]
    for turn, back in _turns(shape):
        found = moves.get(_format_position((turn(cell), number) for cell, number in opened))
        if found is not None:
            next_best = tuple((back(cell), p_win) for cell, p_win in found.next_best)
            return found._replace(cell=back(found.cell), next_best=next_best)
    return None


@cache
def _load() -> dict[str, dict[str, _BookMove]]:
    boards = json.loads(resources.files(__package__).joinpath("book.json").read_text(encoding="utf-8"))
    return {
        board: {
            position: _BookMove(
                tuple(move["cell"]),
                move["p_mine"],
                move["p_win"],
                move["margin"],
                tuple((tuple(map(int, cell.split(","))), p_win) for cell, p_win in move["next_best"].items()),
            )
            for position, move in moves.items()
        }
        for board, moves in boards.items()
    }
