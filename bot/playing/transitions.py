"""What observations of the board mean for the game that is on: what changed, whether it is over, or won. Pure.

An open number never changes within a game, and no open cell is ever closed again: what does so is another game, a board
that moved, or a misreading. What cannot be told apart by one observation is left to the player, who looks again. An
obstruction, a board that is hidden, half painted, contradictory or gone, may last for a while.

Where all of a board can be read, its cells tell whether a game is over (`solver.board.Board.state`). Many clones draw
cells at the end as at no other time, and the skin may lack that: flags or mines on what stayed closed, or all cells in
other colours. Then it is told by what was opened: every cell without a mine, or a guess that became no number.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import combinations
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.playing.results import GameResult, Guess
from bot.vision.alike import BETWEEN_PIXELS, IN_PLACE, Comparer, insides
from bot.vision.matching import rms
from bot.vision.reading import is_half_painted
from skins.skin import inside_px
from solver.board import CLOSED, EXPLODED, FLAG, MINE, OPEN_UNKNOWN, UNREADABLE, Action, Board, GameState, closed_mask
from solver.layout import Layout
from solver.topology import box_sum

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame, Grid, Reading
    from bot.playing.decide import Decision
    from bot.vision.reading import IgnoredFlags
    from solver.board import Move
    from solver.topology import Cell


ENDED = (GameState.WON, GameState.LOST)


class Change(Enum):
    """What was seen."""

    PLAYABLE = "the game goes on"
    ENDED = "the game is over"
    ANOTHER_GAME = "another game is on the board"
    HIDDEN = "not all cells can be read"
    HALF_PAINTED = "an open 0 beside a closed cell does not go away"
    CHANGED = "open cells show other numbers than before"


def classify_change(now: Reading, known: Reading | None, *, is_half_painted: bool) -> Change:
    """What a settled observation means.

    Args:
        now: what is seen.
        known: the last reading of the game that is on, None where there is none.
        is_half_painted: whether it cannot be a whole picture (`bot.vision.reading`).
    """
    if now.unknown:
        return Change.HIDDEN
    if is_half_painted:
        return Change.HALF_PAINTED
    if known is not None and not continues(now, known):
        return Change.ANOTHER_GAME if has_closed_again(now, known) else Change.CHANGED
    return Change.ENDED if now.state in ENDED else Change.PLAYABLE


def continues(now: Reading, known: Reading) -> bool:
    """Whether `now` may be a later observation of the same game: every open cell that can be read shows what it did.

    A clone may draw the numbers of a lost game anew, so that they are unknown again.
    """
    if now.board.shape != known.board.shape:
        return False
    unknown = (UNREADABLE, OPEN_UNKNOWN) if now.state is GameState.LOST else (UNREADABLE,)
    here = (known.board.cells >= 0) & ~np.isin(now.board.cells, unknown)
    return np.array_equal(now.board.cells[here], known.board.cells[here])


def has_closed_again(now: Reading, known: Reading) -> bool:
    """Whether half of the cells that were open are closed, or the board has another size: it is another game.

    A single one may have been held down when it was seen open.
    """
    if now.board.shape != known.board.shape:
        return True
    was_open = known.board.cells >= 0
    return 2 * int((was_open & np.isin(now.board.cells, (CLOSED, FLAG))).sum()) >= max(1, int(was_open.sum()))


def is_whole(reading: Reading, ignored_flags: IgnoredFlags = frozenset()) -> bool:
    """Whether every cell can be read and the picture is not half painted."""
    return not reading.unknown and not is_half_painted(reading, ignored_flags)


def is_same_game(before: Reading, now: Reading, *, is_whole: bool) -> bool:
    """Whether moves decided on `before` may still be made: the picture is whole, and no open cell has changed."""
    return is_whole and continues(now, before) and now.state is not GameState.LOST


def is_same_game_in_part(before: Reading, now: Reading) -> bool:
    """Whether this is still the same game, while clicks are under way and closed cells may be half painted.

    Args:
        before: what the moves were decided on: whole.
        now: what is seen.
    """
    if now.state is GameState.LOST or not continues(now, before):
        return False
    return not bool(((before.board.cells >= 0) & (now.board.cells == UNREADABLE)).any())


def is_another_game(now: Reading, ended: Reading) -> bool:
    """Whether a new game is on the board of one that ended: fresh, or with cells open already, as some games begin.

    What ended was seen whole and for long: a single cell that is closed again tells.
    """
    if now.unknown or now.state in ENDED:
        return False
    if now.state is GameState.FRESH or now.board.shape != ended.board.shape:
        return True
    return bool(((ended.board.cells >= 0) & np.isin(now.board.cells, (CLOSED, FLAG))).any())


PATIENCE_S = 6.0  # time until play stops, in seconds
_SEARCH_AGAIN_S = 0.5
"""Between two searches of the whole screen while waiting; the first look of all is followed by one."""


@dataclass(slots=True)
class Obstruction:
    """What keeps the player from going on, since when, and when the screen was last searched for the board."""

    what: str
    began_at: float
    searched_at: float = -float("inf")

    def has_lasted(self, seconds: float) -> bool:
        """Whether it has been there for that many seconds."""
        return time.perf_counter() > self.began_at + seconds

    @property
    def is_time_to_search(self) -> bool:
        """Whether the last search is long enough ago."""
        return time.perf_counter() > self.searched_at + _SEARCH_AGAIN_S

    def note_search(self) -> None:
        """The screen is searched now."""
        self.searched_at = time.perf_counter()


# --- the end of a game

MOST_APPEARANCES = 10  # numbers and mines have no more, together; what is painted with more is no end of a game


def opens_the_last(moves: Sequence[Move], board: Board) -> bool:
    """Whether only mines are closed when these moves are made."""
    return int(closed_mask(board.cells).sum()) - len(_opened_by(moves, board)) == board.mines


def _opened_by(moves: Sequence[Move], board: Board) -> set[Cell]:
    """The cells that moves open by themselves, floods left out."""
    opened = {move.cell for move in moves if move.action is Action.OPEN}
    for move in moves:
        if move.action is Action.CHORD:
            near = board.topology.neighbours(move.cell)
            flags = {m.cell for m in moves if m.action is Action.FLAG}
            opened.update(cell for cell in near if board[cell] == CLOSED and cell not in flags)
    return opened


def opens_numbers_only(decision: Decision) -> bool:
    """Whether its moves surely open no cell but their own: no flood can have won the game."""
    return all(
        move.action is Action.FLAG or (move.action is Action.OPEN and decision.is_sure_number(move.cell))
        for move in decision.moves
    )


def has_flagged_all(before: Board, now: Board) -> bool:
    """Whether flags came up on every closed cell in sight: games flag the mines of a won board."""
    n_flags_before, n_flags_now = (int((board.cells == FLAG).sum()) for board in (before, now))
    return n_flags_now > n_flags_before and not bool((now.cells == CLOSED).any())


def end_of(now: Reading, known: Reading | None, moves: Sequence[Move]) -> Reading | None:
    """The end of a game of which not all cells can be read, by proof; None where it may not be over.

    It is won when every cell without a mine shows its number, or did before, a guess too: whatever lies over the others
    or is drawn there, they are mines. Else it is lost when a mine shows that exploded, or when a guess opened no number
    and what cannot be read, with the mines and flags in sight, is a layout that agrees with every number: nothing else
    would cover just that. While something lies over open cells it may lie over others as well: no loss is told then.

    Args:
        now: what is seen.
        known: the last reading of the game that is on, None where there is none.
        moves: what was clicked since.

    Returns:
        The reading with its mines filled in, won or lost.
    """
    if known is not None and not continues(now, known):
        return None
    cells, mines, guess = now.board.cells, now.board.mines, _guess_of(moves)
    shown = _uncovered(now, known)
    is_hit = guess is not None and cells[guess] in (UNREADABLE, MINE, EXPLODED)
    if not is_hit and mines is not None and n_opened(shown.board) + mines == cells.size:
        return _with_mines(shown, GameState.WON)
    if (cells == EXPLODED).any() or (is_hit and (cells[guess] == MINE or _shows_layout(now.board, known))):
        return _with_mines(now, GameState.LOST, guess if is_hit else None) if shown is now else None
    return None


def _is_open(cells: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Which cells are open, whether their numbers are known or not: bool, of the board's shape."""
    return np.asarray((cells >= 0) | (cells == OPEN_UNKNOWN))


def _uncovered(now: Reading, known: Reading | None) -> Reading:
    """What is seen, and what open cells showed before that cannot be read now; `now` itself where there are none."""
    if known is None:
        return now
    is_hidden = (now.board.cells == UNREADABLE) & _is_open(known.board.cells)
    if not is_hidden.any():
        return now
    return replace(now, board=replace(now.board, cells=np.where(is_hidden, known.board.cells, now.board.cells)))


def repainted_end(
    now: Reading, known: Reading, moves: Sequence[Move], frame: Frame, *, are_all_clicked: bool = True
) -> Reading | None:
    """The end of a game whose board was painted anew, so that no number reads as it did; None where it may go on.

    Proven cells, the last ones, have won. So have any whose flood opened the rest: all cells together show a layout
    then. Otherwise a guess was lost. A guess for the last cell may have done either: its cell is painted as others with
    its number are, or is not; or what is left has one appearance but for a single cell, so that this one is no mine.

    Args:
        now: what is seen, and stays.
        known: the last reading of the game that is on.
        moves: what was clicked since.
        frame: shows the board now.
        are_all_clicked: whether each of them was: the flood of one may have been the last.

    Returns:
        The reading that was known, with what is known of the end.
    """
    if now.board.shape != known.board.shape or not _is_painted_anew(now.board, known.board):
        return None
    guess, is_last = _guess_of(moves), are_all_clicked and opens_the_last(moves, known.board)
    if guess is not None and not are_all_clicked:
        return None
    if is_last:
        is_mine = _left_by(moves, known.board)
        state = GameState.WON if guess is None else _state_painted(guess, now, known, frame)
        if state is None and _has_odd_one(_alike_kinds(frame, now.grid)[is_mine]):  # not a mine, as others are
            state = GameState.LOST
    else:
        found = _layout_painted(moves, now, known, frame)
        state = GameState.WON if found is not None else None if guess is None else GameState.LOST
        is_mine = closed_mask(known.board.cells) if found is None else found
    if state is None:
        return None
    if state is GameState.WON:
        return _won(now, known, is_mine)
    assert guess is not None, "only a guess is lost"
    return with_hit(replace(now, board=known.board), guess)


def hidden_end(known: Reading, moves: Sequence[Move], *, are_all_clicked: bool) -> Reading | None:
    """The end of a game of which nothing is seen but that it has ended; None where it may have been either.

    Proven cells, the last ones, have won. A guess that could not win was lost.

    Args:
        known: the last reading of the game.
        moves: what was clicked since.
        are_all_clicked: whether each of them was.
    """
    guess, is_last = _guess_of(moves), are_all_clicked and opens_the_last(moves, known.board)
    if guess is not None:
        return None if is_last or not are_all_clicked else with_hit(known, guess)
    if not is_last:
        return None
    return _won(known, known, _left_by(moves, known.board))


def _left_by(moves: Sequence[Move], board: Board) -> NDArray[np.bool_]:
    """Which cells are still closed when these moves are made: bool, of the board's shape."""
    is_left = closed_mask(board.cells)
    for cell in _opened_by(moves, board):
        is_left[cell] = False
    return is_left


def _won(now: Reading, known: Reading, is_mine: NDArray[np.bool_]) -> Reading:
    """What is seen, as a won game with these mines; the numbers of cells that were closed before are not known."""
    board = known.board.with_cells(closed_mask(known.board.cells), OPEN_UNKNOWN).with_cells(is_mine, MINE)
    return replace(now, board=board, unknown=(), alternatives={}, state=GameState.WON)


def struck_end(now: Reading, known: Reading, moves: Sequence[Move], numbers: Collection[int]) -> Reading | None:
    """The end of a game that shows nothing but the mine that a guess hit, its appearance not known; else None.

    It is no number: all that the cell could show can be read.

    Args:
        now: what is seen, and stays.
        known: the last reading of the game that is on.
        moves: what was clicked since, each of them.
        numbers: those that can be read.
    """
    guess = _guess_of(moves)
    if guess is None or list(now.unknown) != [guess] or not continues(now, known):
        return None
    was_closed = closed_mask(known.board.cells)
    was_closed[guess] = False
    if (now.board.cells[was_closed] >= 0).any():
        return None
    most = sum(bool(closed_mask(known.board.cells)[cell]) for cell in known.board.topology.neighbours(guess))
    if not set(range(most + 1)).issubset(numbers):
        return None
    return with_hit(now, guess)


def scattered_end(now: Reading, known: Reading, moves: Sequence[Move]) -> Reading | None:
    """The end of a game that a guess lost, whose mines show in an appearance that is not known; else None.

    A message may lie over some of them. A safe guess changes cells that hang together with it. Where cells in several
    other places changed, these are mines.

    Args:
        now: what is seen, and stays.
        known: the last reading of the game that is on.
        moves: what was clicked since, each of them.
    """
    guess = _guess_of(moves)
    if guess is None or not continues(now, known):
        return None
    has_changed = closed_mask(known.board.cells) & ~closed_mask(now.board.cells)
    has_changed[guess] = True
    is_unread = now.board.cells == UNREADABLE
    n_places, place = cv2.connectedComponents((has_changed | is_unread).astype(np.uint8), connectivity=8)
    apart = [np.flatnonzero(place == one) for one in range(1, n_places) if one != place[guess]]
    shown = [cells for cells in apart if (has_changed & is_unread).flat[cells].all()]
    return with_hit(replace(now, board=known.board), guess) if len(shown) >= _LEAST_SCATTERED else None


_LEAST_SCATTERED = 3
"""Fewest places away from a guess at which closed cells must have changed: a hint or a message may lie over one."""


def with_hit(now: Reading, guess: Cell) -> Reading:
    """The reading of a game that was lost by a guess, of which only that mine is known."""
    board = now.board.with_cells(guess, EXPLODED)
    return replace(now, board=board, unknown=(), alternatives={}, state=GameState.LOST)


def _guess_of(moves: Sequence[Move]) -> Cell | None:
    """The cell that was guessed, None where everything was proven."""
    return next((move.cell for move in moves if move.is_guess), None)


def _shows_layout(now: Board, known: Reading | None) -> bool:
    """Whether all mines show, as appearances that are known or not: those came up together, and every number is met.

    One cell alone that cannot be read is no such thing: it may show a number that the skin lacks.
    """
    if known is None:
        return False
    is_shown = np.isin(now.cells, (UNREADABLE, MINE, EXPLODED))
    is_mine = is_shown | (now.cells == FLAG)
    if int(is_mine.sum()) != now.mines or int((is_shown & closed_mask(known.board.cells)).sum()) < 2:
        return False
    near = box_sum(is_mine.astype(np.int16), wrap=now.wrap)
    is_number = now.cells >= 0
    return np.array_equal(near[is_number], now.cells[is_number])


def _with_mines(now: Reading, state: GameState, exploded: Cell | None = None) -> Reading:
    """A reading of a board in whose end all mines are known, and nothing else is unknown."""
    of_mines = (UNREADABLE, EXPLODED) if state is GameState.WON else (UNREADABLE,)
    board = now.board.with_cells(np.isin(now.board.cells, of_mines), MINE)
    if exploded is not None:
        board = board.with_cells(exploded, EXPLODED)
    return replace(now, board=board, unknown=(), alternatives={}, state=state)


def _is_painted_anew(now: Board, known: Board) -> bool:
    """Whether no number in sight is to be read any more, nor half of all cells; or else none of the cells is closed."""
    is_unread = now.cells == UNREADABLE
    is_everywhere = 2 * int(is_unread.sum()) > now.cells.size or not closed_mask(now.cells).any()
    return is_everywhere and bool(is_unread[known.cells > 0].all())


def _state_painted(guess: Cell, now: Reading, known: Reading, frame: Frame) -> GameState | None:
    """How a guess for the last cell ended, by how it is painted; None where cells that it may be like do not tell.

    Were it safe, every other closed cell would be a mine, and its number is known. Cells with that number need not be
    equal: a picture may show through. Then the guess is one more if it is about as near to one of them as they are to
    each other, and surely none where it is far. Some of them may lie under words, but not beside the guess.
    """
    cells = known.board.cells
    near = known.board.topology.neighbours(guess)
    number = sum(bool(closed_mask(cells)[cell]) for cell in near)
    alike = [(int(row), int(col)) for row, col in np.argwhere(cells == number)]
    shown = [frame.crop(now.grid.cell_region(cell)).pixels_bgr for cell in (guess, *alike)]
    height, width = (min(one.shape[axis] for one in shown) for axis in (0, 1))  # a pitch may be no whole number
    values = np.array([one[:height, :width].ravel() for one in shown], dtype=np.float32)
    own, others = values[0], values[1:]
    if not len(others):
        return None
    nearest = np.array([np.partition(rms(others - one), 1)[1] if len(others) > 1 else 0.0 for one in others])
    is_bare = nearest <= _MOST_SPREAD  # 0 is itself
    if not is_bare.any() or not {cell for cell, bare in zip(alike, is_bare, strict=True) if not bare}.isdisjoint(near):
        return None
    far, spread = float(rms(others[is_bare] - own).min()), float(nearest[is_bare].max())
    slack = _SHADES if spread else 0.0
    if far <= spread + slack:
        return GameState.WON
    return GameState.LOST if far > 2 * (spread + slack) else None


_MOST_SPREAD = 12.0
"""Greatest root mean square of cells that show one number: where they differ more, something lies over them."""
_SHADES = 3.0  # how much farther apart two of them may be that are not beside each other, where a picture shows through


def _layout_painted(moves: Sequence[Move], now: Reading, known: Reading, frame: Frame) -> NDArray[np.bool_] | None:
    """The layout that the appearances on a board show, all of whose numbers are open; None where they show none.

    Some appearances are those of the mines, as many cells as there are mines; each other is that of one number. That
    agrees with every number that was open before, and no cell that was clicked has a mine. A cell that was guessed must
    not be the only one with its appearance: it may be what exploded.
    """
    found = _layout_of(_equal_kinds(frame, now.grid), moves, known.board)
    if found is not None:
        return found
    kinds = _alike_kinds(frame, now.grid)
    is_odd = np.unique(kinds, return_counts=True)[1][kinds] == 1
    return None if is_odd.mean() > _MOST_ODD else _layout_of(kinds, moves, known.board, is_odd)


def _layout_of(
    kinds: NDArray[np.intp], moves: Sequence[Move], known: Board, is_odd: NDArray[np.bool_] | None = None
) -> NDArray[np.bool_] | None:
    """The layout that an ended board shows, by the kinds of its cells.

    Args:
        kinds: their numbers, rows x cols.
        moves: what was clicked.
        known: the board before.
        is_odd: cells over which words may lie: bool, rows x cols; None for none.
    """
    clicked, guess = _opened_by(moves, known), _guess_of(moves)
    if known.mines is None or (guess is not None and int((kinds == kinds[guess]).sum()) == 1):
        return None
    is_odd = np.zeros(kinds.shape, dtype=np.bool_) if is_odd is None else is_odd
    is_hidden = is_odd & closed_mask(known.cells)
    for cell in clicked:
        is_hidden[cell] = False
    is_of_numbers = {int(kinds[cell]) for cell in (*clicked, *map(tuple, np.argwhere(known.cells >= 0)))}
    others = [kind for kind in np.unique(kinds[~is_hidden]).tolist() if kind not in is_of_numbers]
    if len(others) > MOST_APPEARANCES:
        return None
    for n_appearances in range(len(others) + 1):
        for chosen in combinations(others, n_appearances):
            is_mine = np.isin(kinds, chosen)
            n_left = known.mines - int(is_mine.sum())
            if not 0 <= n_left <= int(is_hidden.sum()):
                continue
            near = box_sum(is_mine.astype(np.int16), wrap=known.wrap)
            is_sure = box_sum(is_hidden.astype(np.int16), wrap=known.wrap) == 0
            is_known = (known.cells >= 0) & is_sure
            is_met = np.array_equal(near[is_known], known.cells[is_known])
            if is_met and _stand_for_numbers(kinds, near, is_sure & ~is_mine & ~is_odd):
                return is_mine | is_hidden if n_left == int(is_hidden.sum()) else np.asarray(is_mine)
    return None


def _stand_for_numbers(kinds: NDArray[np.intp], near: NDArray[np.int16], is_number: NDArray[np.bool_]) -> bool:
    """Whether each kind stands for one number, another one for each; on a chequered board each has two, in turn.

    Args:
        kinds: of cells, rows x cols.
        near: the mines around each cell.
        is_number: the cells that count.
    """
    shades = np.indices(kinds.shape).sum(axis=0) % 2
    shown = zip(kinds[is_number].tolist(), near[is_number].tolist(), shades[is_number].tolist(), strict=True)
    number_of: dict[int, int] = {}
    appearance_of: dict[tuple[int, int], int] = {}
    return all(
        number_of.setdefault(kind, number) == number and appearance_of.setdefault((number, shade), kind) == kind
        for kind, number, shade in shown
    )


def _has_odd_one(kinds: NDArray[np.intp]) -> bool:
    """Whether one of some cells looks otherwise than all others, which have one appearance."""
    counts = sorted(np.unique(kinds, return_counts=True)[1].tolist())
    return len(counts) == 2 and counts[0] == 1 < counts[1]


def _equal_kinds(frame: Frame, grid: Grid) -> NDArray[np.intp]:
    """The kinds of cells, where those of one kind are equal: rows x cols."""
    pictures = [frame.crop(grid.cell_region(cell)).pixels_bgr.tobytes() for cell in np.ndindex(grid.shape)]
    return np.asarray(np.unique(np.array(pictures, dtype=object), return_inverse=True)[1].reshape(grid.shape))


def _alike_kinds(frame: Frame, grid: Grid) -> NDArray[np.intp]:
    """Kinds of cells that have noise, or lie between pixels. Where there are too many, each cell is its own kind."""
    inset = math.ceil(_INSET * min(grid.pitch_px))
    cells = insides(frame.crop(grid.region).pixels_bgr, grid, inset, inside_px(grid.pitch_px, inset))
    comparer = Comparer(IN_PLACE if grid.is_whole else BETWEEN_PIXELS)
    kinds = np.arange(len(cells)) + _MOST_KINDS
    for kind in range(_MOST_KINDS):
        left = np.flatnonzero(kinds >= _MOST_KINDS)
        if not len(left):
            break
        far = comparer.apart(cells[left], cells[left[:1]])[:, 0]
        kinds[left[far <= (_ALIKE_IN_PLACE if grid.is_whole else _ALIKE)]] = kind
    numbers = np.unique(kinds, return_inverse=True)[1]
    return np.asarray(grid.to_board(numbers.reshape(grid.rows, grid.cols)))


_MOST_ODD = 0.2  # greatest share of cells that words may lie over where the others show a layout
_MOST_KINDS = 40  # most kinds of cells that are told apart: numbers and mines on two shades, and parts of words
_INSET = 0.075  # how much of a cell's edge does not count where it lies between pixels, as a share of its side
_ALIKE, _ALIKE_IN_PLACE = 16.0, 5.0
"""Largest distance of cells of one kind where they lie between pixels, and where they do not. On a paled board others
were farther apart than 24."""


# --- the game that is on


def _bbbv_of_end(board: Board) -> int | None:
    """The 3BV of a finished game's layout, or None when the end does not show where every mine was."""
    has_mine = np.isin(board.cells, (MINE, EXPLODED, FLAG))
    if int(has_mine.sum()) != board.mines:
        has_mine |= board.cells == CLOSED
    if int(has_mine.sum()) != board.mines:
        return None
    return Layout(has_mine, wrap=board.wrap).bbbv


@dataclass(slots=True)
class GameScore:
    """One game, from the first look at it.

    Attributes:
        started_at: when it was first looked at; later where play was paused meanwhile.
        ended_at: when the last click had its effect.
        n_opened_before: cells that were open by then.
        n_clicks_before: clicks made by then, in other games; likewise `n_retries_before`.
        is_whole: whether the bot saw its beginning; its time is known only then.
        guesses: those made so far.
        pending: a guess that was to be made, whose effect has not been seen yet.
        start: the cell that was opened first; None where that was not seen.
    """

    started_at: float
    ended_at: float
    n_opened_before: int
    n_clicks_before: int
    n_retries_before: int
    is_whole: bool
    guesses: list[Guess] = field(default_factory=list)
    pending: Move | None = None
    start: Cell | None = None

    def settle_guess(self, reading: Reading) -> None:
        """Count a guess once its effect is seen; one that was put off is none."""
        move, self.pending = self.pending, None
        if move is not None and reading.board[move.cell] != CLOSED:
            self.guesses.append(Guess(move.cell, move.p_mine))

    def result(self, end: Reading, mines: int, *, n_clicks: int, n_retries: int) -> GameResult:
        """How it went.

        Args:
            end: the last observation.
            mines: how many mines the board has.
            n_clicks: clicks made so far, in all games.
            n_retries: those of them made again.
        """
        return GameResult(
            result=end.state,
            rows=end.grid.rows,
            cols=end.grid.cols,
            mines=mines,
            seconds=self.ended_at - self.started_at if self.is_whole else None,
            n_clicks=n_clicks - self.n_clicks_before,
            n_opened=n_opened(end.board) - self.n_opened_before,
            bbbv=_bbbv_of_end(end.board),
            guesses=tuple(self.guesses),
            n_retries=n_retries - self.n_retries_before,
        )


def n_opened(board: Board) -> int:
    """How many cells show a number, known or not."""
    return int(((board.cells >= 0) | (board.cells == OPEN_UNKNOWN)).sum())
