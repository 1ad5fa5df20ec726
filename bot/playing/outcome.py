"""How a game ended: by what was clicked, what is seen of that, and how long it stays. Pure.

The bot knows what it clicked. A game can only be won when every cell without a mine is open, and only be lost by a
guess. So mostly logic tells; how cells are painted is looked at where it leaves two answers.

| what is seen | proven cells | proven cells, the last | a guess | a guess for the last cell |
| --- | --- | --- | --- | --- |
| every number, now or before | won | won | won | won |
| a mine at the guess; the layout of all mines | - | - | lost | lost |
| no number any more, and it stays | won, if cells show a layout | won | won so, else lost | as it is painted (1) |
| a guess alone is unread, and stays so | - | - | lost, if it can be no number | the same |
| cells in several other places changed, and stay so | - | - | lost | as it is painted (1) |
| nothing, but that the game is over | None | won | lost | over, not known how |

(1) By the paint of its cell; where that does not tell, the game is over, and it is not known how.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bot.playing.clicks import DEAD_S
from bot.playing.painted_end import has_odd_one, layout_painted, state_painted
from bot.playing.transitions import continues, n_opened
from solver.board import CLOSED, EXPLODED, FLAG, MINE, OPEN_UNKNOWN, UNREADABLE, Action, GameState, closed_mask
from solver.topology import box_sum

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame, Reading
    from bot.playing.decide import Decision
    from solver.board import Board, Move
    from solver.topology import Cell

STAYS_S = 2.0
"""Time after which what an unread board shows is no animation, and no window on its way, in seconds."""
_LEAST_SCATTERED = 3
"""Fewest places away from a guess at which closed cells must have changed: a hint or a message may lie over one."""


@dataclass(frozen=True, slots=True)
class Clicked:
    """What was clicked since a board was known.

    Attributes:
        moves: what was decided.
        are_all: whether each of them was clicked: the flood of one may have been the last.
    """

    moves: Sequence[Move]
    are_all: bool = True

    @property
    def guess(self) -> Cell | None:
        """The cell that was guessed, None where everything was proven."""
        return next((move.cell for move in self.moves if move.is_guess), None)

    def opened(self, board: Board) -> set[Cell]:
        """The cells of a board that the moves open by themselves, floods left out."""
        opened = {move.cell for move in self.moves if move.action is Action.OPEN}
        flags = {move.cell for move in self.moves if move.action is Action.FLAG}
        for move in self.moves:
            if move.action is Action.CHORD:
                near = board.topology.neighbours(move.cell)
                opened.update(cell for cell in near if board[cell] == CLOSED and cell not in flags)
        return opened

    def left(self, board: Board) -> NDArray[np.bool_]:
        """Which cells are still closed when the moves are made: bool, of the board's shape."""
        is_left = closed_mask(board.cells)
        for cell in self.opened(board):
            is_left[cell] = False
        return is_left

    def opens_the_last(self, board: Board) -> bool:
        """Whether all of the moves were clicked, and only mines are closed then."""
        return self.are_all and int(closed_mask(board.cells).sum()) - len(self.opened(board)) == board.mines


NOTHING_CLICKED = Clicked((), are_all=False)


@dataclass(frozen=True, slots=True)
class Look:
    """What is seen of a board.

    Attributes:
        reading: what can be read.
        frame: shows the board.
        still_s: for how long it has been so and nothing has lain over it, in seconds; 0 where that is not known.
        numbers: those that look the same on every machine, so that they would be read.
    """

    reading: Reading
    frame: Frame
    still_s: float = 0.0
    numbers: frozenset[int] = frozenset()


def outcome(before: Reading | None, clicked: Clicked, look: Look | None) -> Reading | None:
    """How a game has ended; None where it may go on, or where nothing tells yet.

    Args:
        before: the last reading of the game that is on, None where there is none.
        clicked: what was clicked since.
        look: what is seen; None where it is known that the game is over, and nothing else is seen of it.

    Returns:
        The reading with what is known of the end: won, lost or unknown. Its `unknown` is empty. A guess of which
        nothing is known is unreadable on its board.
    """
    if look is None:
        return None if before is None else _unseen(before, clicked)
    end = _proven(look.reading, before, clicked)
    if end is None and before is not None and look.still_s >= STAYS_S:
        end = _lasting(look, before, clicked)
    return end


def _lasting(look: Look, before: Reading, clicked: Clicked) -> Reading | None:
    """The end of a game that no observation proves, by what stays."""
    if _is_painted_anew(look.reading.board, before.board):
        return _painted(look.reading, look.frame, before, clicked)
    guess = clicked.guess
    if guess is None or not clicked.are_all:
        return None
    if _is_struck(look, before, guess):
        return _with_hit(look.reading, guess)
    if not _is_scattered(look.reading, before, guess):
        return None
    if clicked.opens_the_last(before.board):
        return _last(look.reading, look.frame, before, clicked)
    return _with_hit(replace(look.reading, board=before.board), guess)


def _proven(now: Reading, before: Reading | None, clicked: Clicked) -> Reading | None:
    """The end that one observation proves.

    Won: every cell without a mine shows its number, or did before, a guess too: whatever lies over the others or is
    drawn there, they are mines. Lost: a mine shows that exploded; or a guess opened no number, and what cannot be read,
    with the mines and flags in sight, is a layout that agrees with every number: nothing else would cover just that.
    While something lies over open cells it may lie over others as well: no loss is told then.
    """
    if before is not None and not continues(now, before):
        return None
    cells, mines, guess = now.board.cells, now.board.mines, clicked.guess
    shown = _uncovered(now, before)
    is_hit = guess is not None and cells[guess] in (UNREADABLE, MINE, EXPLODED)
    if not is_hit and mines is not None and n_opened(shown.board) + mines == cells.size:
        return _with_mines(shown, GameState.WON)
    if (cells == EXPLODED).any() or (is_hit and (cells[guess] == MINE or _shows_layout(now.board, before))):
        return _with_mines(now, GameState.LOST, guess if is_hit else None) if shown is now else None
    return None


def _painted(now: Reading, frame: Frame, before: Reading, clicked: Clicked) -> Reading | None:
    """The end of a game whose board was painted anew, so that no number reads as it did."""
    guess, is_last = clicked.guess, clicked.opens_the_last(before.board)
    if guess is not None and not clicked.are_all:
        return None
    if is_last:
        return _last(now, frame, before, clicked)
    found = layout_painted(clicked.opened(before.board), guess, now, before, frame)
    if found is not None:
        return _won(now, before, found)
    return None if guess is None else _with_hit(replace(now, board=before.board), guess)


def _last(now: Reading, frame: Frame, before: Reading, clicked: Clicked) -> Reading:
    """The end of a game whose last cell was clicked. Proven, it has won.

    A guess may have done either: its cell is painted as others with its number are, or is not; or what is left has one
    appearance but for a single cell, so that this one is no mine. Else it is not known how the game has ended.
    """
    guess, is_mine = clicked.guess, clicked.left(before.board)
    state = GameState.WON if guess is None else state_painted(guess, now, before, frame)
    if state is GameState.WON:
        return _won(now, before, is_mine)
    assert guess is not None, "what is proven has won"
    if state is GameState.LOST or has_odd_one(frame, now.grid, is_mine):
        return _with_hit(replace(now, board=before.board), guess)
    return _over(now, before, guess)


def _unseen(before: Reading, clicked: Clicked) -> Reading | None:
    """The end of a game of which nothing is seen but that it has ended."""
    guess, is_last = clicked.guess, clicked.opens_the_last(before.board)
    if guess is not None and is_last:
        return _over(before, before, guess)
    if guess is not None:
        return _with_hit(before, guess) if clicked.are_all else None
    return _won(before, before, clicked.left(before.board)) if is_last else None


def _is_struck(look: Look, before: Reading, guess: Cell) -> bool:
    """Whether nothing but a guess cannot be read, and it is a mine: it is no number, as all that it could be is read.

    A number whose appearance is not known is none either, on a board that takes no clicks.
    """
    now = look.reading
    if now.board[guess] == OPEN_UNKNOWN:
        return look.still_s >= DEAD_S
    if now.unknown != (guess,) or not continues(now, before):
        return False
    was_closed = closed_mask(before.board.cells)
    was_closed[guess] = False
    if (now.board.cells[was_closed] >= 0).any():
        return False
    most = sum(bool(closed_mask(before.board.cells)[cell]) for cell in before.board.topology.neighbours(guess))
    return set(range(most + 1)).issubset(look.numbers)


def _is_scattered(now: Reading, before: Reading, guess: Cell) -> bool:
    """Whether mines show in an appearance that is not known, as after a guess that was lost.

    A message may lie over some of them. A safe guess changes cells that hang together with it. Where cells in several
    other places changed, these are mines.
    """
    if not continues(now, before):
        return False
    has_changed = closed_mask(before.board.cells) & ~closed_mask(now.board.cells)
    has_changed[guess] = True
    is_unread = now.board.cells == UNREADABLE
    apart = [part for part in _parts(has_changed | is_unread, wrap=now.board.wrap) if not part[guess]]
    return sum(bool((has_changed & is_unread)[part].all()) for part in apart) >= _LEAST_SCATTERED


def _parts(is_in: NDArray[np.bool_], *, wrap: bool) -> Iterator[NDArray[np.bool_]]:
    """The parts of a mask of cells that hang together, be it by a corner."""
    left = is_in.copy()
    while left.any():
        part, grown = np.zeros_like(left), np.zeros_like(left)
        grown.flat[left.argmax()] = True
        while not np.array_equal(part, grown):
            part = grown
            grown = left & (box_sum(part.astype(np.int16), wrap=wrap) + part > 0)
        yield part
        left &= ~part


def _shows_layout(now: Board, before: Reading | None) -> bool:
    """Whether all mines show, as appearances that are known or not: those came up together, and every number is met.

    One cell alone that cannot be read is no such thing: it may show a number that the skin lacks.
    """
    if before is None:
        return False
    is_shown = np.isin(now.cells, (UNREADABLE, MINE, EXPLODED))
    is_mine = is_shown | (now.cells == FLAG)
    if int(is_mine.sum()) != now.mines or int((is_shown & closed_mask(before.board.cells)).sum()) < 2:
        return False
    near = box_sum(is_mine.astype(np.int16), wrap=now.wrap)
    is_number = now.cells >= 0
    return np.array_equal(near[is_number], now.cells[is_number])


def _uncovered(now: Reading, before: Reading | None) -> Reading:
    """What is seen, and what open cells showed before that cannot be read now; `now` itself where there are none."""
    if before is None:
        return now
    was_open = (before.board.cells >= 0) | (before.board.cells == OPEN_UNKNOWN)
    is_hidden = (now.board.cells == UNREADABLE) & was_open
    if not is_hidden.any():
        return now
    return replace(now, board=replace(now.board, cells=np.where(is_hidden, before.board.cells, now.board.cells)))


def _is_painted_anew(now: Board, before: Board) -> bool:
    """Whether no number in sight is to be read any more, nor half of all cells; or else none of the cells is closed."""
    if now.shape != before.shape:
        return False
    is_unread = now.cells == UNREADABLE
    is_everywhere = 2 * int(is_unread.sum()) > now.cells.size or not closed_mask(now.cells).any()
    return is_everywhere and bool(is_unread[before.cells > 0].all())


def has_flagged_all(before: Board, now: Board) -> bool:
    """Whether flags came up on every closed cell in sight: games flag the mines of a won board."""
    n_flags_before, n_flags_now = (int((board.cells == FLAG).sum()) for board in (before, now))
    return n_flags_now > n_flags_before and not bool((now.cells == CLOSED).any())


def opens_numbers_only(decision: Decision) -> bool:
    """Whether its moves surely open no cell but their own: no flood can have won the game."""
    return all(
        move.action is Action.FLAG or (move.action is Action.OPEN and decision.is_sure_number(move.cell))
        for move in decision.moves
    )


def _won(now: Reading, before: Reading, is_mine: NDArray[np.bool_]) -> Reading:
    """What is seen, as a won game with these mines; the numbers of cells that were closed before are not known."""
    board = before.board.with_cells(closed_mask(before.board.cells), OPEN_UNKNOWN).with_cells(is_mine, MINE)
    return replace(now, board=board, unknown=(), alternatives={}, state=GameState.WON)


def _over(now: Reading, before: Reading, guess: Cell) -> Reading:
    """What is seen, as the board of a game that has ended, nobody knows how: all but the guess is as it was."""
    return replace(
        now, board=before.board.with_cells(guess, UNREADABLE), unknown=(), alternatives={}, state=GameState.UNKNOWN
    )


def _with_hit(now: Reading, guess: Cell) -> Reading:
    """The reading of a game that was lost by a guess, of which only that mine is known."""
    board = now.board.with_cells(guess, EXPLODED)
    return replace(now, board=board, unknown=(), alternatives={}, state=GameState.LOST)


def _with_mines(now: Reading, state: GameState, exploded: Cell | None = None) -> Reading:
    """A reading of a board in whose end all mines are known, and nothing else is unknown."""
    of_mines = (UNREADABLE, EXPLODED) if state is GameState.WON else (UNREADABLE,)
    board = now.board.with_cells(np.isin(now.board.cells, of_mines), MINE)
    if exploded is not None:
        board = board.with_cells(exploded, EXPLODED)
    return replace(now, board=board, unknown=(), alternatives={}, state=state)
