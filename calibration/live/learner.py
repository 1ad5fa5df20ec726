"""Plays games of an unknown clone to learn what its appearances mean, as a careful player would.

A cell is opened as safe only where no labelling allows a mine there; where none is safe, one is guessed. Once every
closed cell is decided, one safe cell is left closed and a proven mine is opened instead of the last: a lost board
shows what mines look like, and no calibration wins a best time.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from copy import deepcopy
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from bot.learning.label_solver import NUMBERS
from bot.models import Button
from bot.vision.mine_counter import STANDARD_MINES
from calibration.appearances import stacked
from calibration.errors import CalibrationError, GoneError, RulesError
from calibration.live.clicking import FOR_LONG, TRIES_S, Clicker, InterruptedClickError
from calibration.live.cut_board import MOST_CHANGES, move_lattice
from calibration.live.evidence import is_fresh, prints_of
from calibration.live.memory import Memory
from skins.pixels import distinct_rows
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, QUESTION, WRONG_FLAG
from solver.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bot.playing.control import Control, Pointer
    from calibration.live.cut_board import CutObservation, CutView
    from calibration.live.evidence import Evidence, Judgement
    from solver.topology import Cell

    Pixels = NDArray[np.uint8]


_HALF_PAINTED_S = 1.5  # how long a board that fits no labelling is looked at again: it may be half painted
_LEFT_TO_FLAG = 2  # safe cells left closed in a game that is lost with a wrong flag: one gets it, one does not
_AT_ONCE = 2  # least number of safe cells that are clicked at once
_MOST_IDLE = 40  # number of decisions in a row that come to no click by no chance
_MOST_REPAINTED = 0.5
"""Greatest share of open cells that may look otherwise once a game is lost, where its end is learned from."""
_MOST_COVERED_S = 120.0  # how long a person may take to close what lies over the board, in seconds
_MOST_MARKS = 3  # most right clicks that take a flag, or a question mark, off again


class Ending(Enum):
    """How a game ended, for what it teaches."""

    LOST = "lost"
    WON = "won"
    """The board shows its mines, and what was opened last is none."""
    OVER = "over"
    """Nothing can be opened any more, and it is not known whether it was lost."""
    BROKEN_OFF = "broken off"
    """A person had the mouse meanwhile, or the board contradicts the rules: nothing is learned of it."""


class Learner:
    """Plays on one board and keeps what is learned.

    Args:
        view: looks at the board.
        pointer: clicks its cells.
        control: start, pause, stop.
        tell: told what a person should know.
        close_dialog: closes what the end of a game may bring up over the board; whether there was any, and it is gone.
        close_menu: closes what a right click brought up; whether the board can be seen again.
        layer: the board with what its own window lays over part of it; None where it lays nothing over it.
        memory: what was learned before, None for nothing.
    """

    def __init__(
        self,
        view: CutView,
        pointer: Pointer,
        control: Control,
        tell: Callable[[str], None],
        close_dialog: Callable[[], bool],
        close_menu: Callable[[], bool],
        layer: Callable[[], CutObservation | None],
        memory: Memory | None = None,
    ) -> None:
        self._view = view
        self._clicker = Clicker(view, pointer, control.wait)
        self._control = control
        self._tell = tell
        self._close_dialog = close_dialog
        self._close_menu = close_menu
        self._layer = layer
        self._opened: list[tuple[CutObservation, CutObservation, Cell]] = []
        self._last_guess: tuple[Cell, Pixels] | None = None
        self._lit: tuple[CutObservation, Cell] | None = None
        self.memory = memory or Memory()
        codebook = view.board.cutter.codebook
        self.memory.evidence.comparer = None if codebook is None else codebook.comparer
        self._known_before = deepcopy(self.memory)
        self.first: CutObservation | None = None
        """The board before the first click of the game that is on."""
        self.last: CutObservation | None = None
        """The last sight of the last game."""
        self._went_on: CutObservation | None = None
        """The last sight of this game after which it surely went on."""
        self._n_clicks_before = self._n_effects_before = 0
        self._has_flagged_wrongly = False
        self._left_flagged: Cell | None = None
        """The safe cell that a lost game left with a flag, until a fresh board shows that it has none."""
        self.can_lose = True
        """Whether a game can be lost to see its mines: not where all is closed again when its dialog is."""

    @property
    def evidence(self) -> Evidence:
        """What is known of the appearances."""
        return self.memory.evidence

    def _cells(self, seen: CutObservation) -> Pixels:
        """The cells of the board when seen, all of one size."""
        return self._view.board.cells(seen)

    def play(self, until_s: float = math.inf) -> Ending:
        """Play one game to its end.

        Args:
            until_s: when to break it off, as `time.perf_counter` tells.

        Raises:
            Aborted: the abort key was pressed.
            CalibrationError: the board is gone, or no Minesweeper's.
        """
        self._last_guess = self._went_on = None
        self._n_clicks_before = self._clicker.n_clicks
        self._n_effects_before = self._clicker.n_effects
        try:
            self._begin()
            ending, n_idle = None, 0
            while ending is None:
                n_before = self._clicker.n_clicks
                ending = self._step() if time.perf_counter() < until_s else Ending.BROKEN_OFF
                n_idle = 0 if self._clicker.n_clicks > n_before else n_idle + 1
                if n_idle > _MOST_IDLE:
                    raise CalibrationError("the board does not stand still long enough to be clicked")
        except InterruptedClickError:
            self._control.check()
            self._tell("play was paused, or the board changed by itself: this game counts for nothing")
            ending = Ending.BROKEN_OFF
        except RulesError as error:
            if not self._has_gone_on():
                raise
            self._tell(f"{error}: this game counts for nothing")
            ending = Ending.BROKEN_OFF
        except GoneError as error:
            self.last = self._board_after_cover(error)
            return self._keep(Ending.OVER)
        self.last = self._uncovered_board()
        return self._keep(ending)

    @property
    def has_opened(self) -> bool:
        """Whether any cell could be opened in the last game, or nothing was clicked in it."""
        return self._clicker.n_effects > self._n_effects_before or not self._has_clicked

    def settled(self) -> CutObservation:
        """The board once it stands still.

        Raises:
            GoneError: it is not to be seen.
        """
        return self._view.settled()

    def _uncovered_board(self) -> CutObservation:
        """The board once it stands still for long, without a dialog that the end of a game may have brought up."""
        self._clicker.leave()  # a hint may have come up at the pointer
        try:
            seen = self._view.settled(FOR_LONG)
        except GoneError as error:
            return self._board_after_cover(error)
        if self._has_clicked and self._close_dialog():
            seen = self._view.settled(FOR_LONG)
        return seen

    def _board_after_cover(self, error: GoneError) -> CutObservation:
        """A board that was covered for long: without the cover, or with what its own window lays over it at the end.

        Where neither can be had, a person is asked to close what lies over it.

        Raises:
            GoneError: nobody does, or the board is covered before the first click.
        """
        if not self._has_clicked:
            raise error
        if self._close_dialog():
            return self._view.settled(FOR_LONG)
        layer = self._layer()
        if layer is not None:
            return layer
        self._tell("the board cannot be seen: please close what the game shows over it")
        until_s = time.perf_counter() + _MOST_COVERED_S
        while time.perf_counter() < until_s:
            with suppress(GoneError):
                return self._view.settled(FOR_LONG)
        raise error

    def _keep(self, ending: Ending) -> Ending:
        """Keep the last sight of a game that shows its mines, or the last that it surely went on after.

        That one also where the end of the game gave the window or what was open another colour, or its last sight fits
        nothing: some clones paint over the board.
        """
        went_on, self._went_on = self._went_on, None
        if ending is Ending.BROKEN_OFF:
            return ending
        shows_mines = ending in {Ending.LOST, Ending.WON}
        is_telling = shows_mines and self.last is not None and not self._is_painted_over(self.last, went_on)
        error = None
        for sight in (self.last, went_on) if is_telling else (went_on,):
            if sight is None:
                continue
            try:
                with self._control.thinking():
                    shown = self._view.board.sight(sight)
                    is_end, is_won = sight is self.last, ending is Ending.WON
                    self.memory.keep_sight(shown, shows_mines=is_end, may_be_flagged=is_end and is_won)
            except RulesError as misfit:
                error = misfit
            else:
                return ending
        if error is None:
            return ending
        self._tell(f"{error}: this one is left out")
        return Ending.BROKEN_OFF

    def _is_painted_over(self, seen: CutObservation, before: CutObservation | None) -> bool:
        """Whether most of what was open before has another colour now; where nothing was, what is around the board."""
        share = self._share_repainted(seen, before)
        return self._is_painted_around(seen) if share is None else share > _MOST_REPAINTED

    def _share_repainted(self, seen: CutObservation, before: CutObservation | None) -> float | None:
        """The share of open cells that look otherwise than before: 0 in a running game, None where none was open."""
        if before is None:
            return None
        was, now = self._cells(before), self._cells(seen)
        is_open = ~self.evidence.closed_cells(was)
        return float((was != now).any(axis=(2, 3, 4))[is_open].mean()) if is_open.any() else None

    def _is_painted_around(self, seen: CutObservation) -> bool:
        """Whether what is around the board has another colour than when the game began: one that ended."""
        return self.first is not None and not self._view.board.has_same_border(self.first, seen)

    def keep_unfinished(self) -> None:
        """Keep what a game has shown that was stopped in the middle, up to where it surely went on."""
        self._keep(Ending.OVER)

    def set_aside(self) -> None:
        """Keep an unfinished game at once: what it means is worked out when learning goes on."""
        went_on, self._went_on = self._went_on, None
        self.memory.unfinished = None if went_on is None else self._view.board.sight(went_on)

    # --- one step of a game

    def _begin(self) -> None:
        """Look at the board of a game that begins; the first one shows what closed cells look like."""
        self._clicker.leave()
        self.first = self._view.settled(FOR_LONG)
        board = self._cells(self.first)
        if is_fresh(board):
            self.evidence.tell_fresh(board)
            self.take_off_kept_flag()
            lit = self._clicker.hover(self.first)
            if lit is not None:  # whatever a cell of a fresh board looks like under the pointer, it is closed
                self._lit = lit
                self._tell_lit(board)
        elif not self.evidence.closed_cells(board).any():
            self._find_closed()

    def _tell_lit(self, fresh: Pixels) -> None:
        """Tell how a cell of a fresh board looks under the pointer, if that was seen."""
        if self._lit is not None:
            lit, cell = self._lit
            self.evidence.tell_lit(fresh, cell, self._cells(lit)[cell])

    def _step(self) -> Ending | None:
        """Look, decide, click; how the game ended, None while it is on."""
        seen = self._clicker.settled()
        judged = self._judge(self._cells(seen))
        if judged is not None:
            return self._act_on(judged)
        share = self._share_repainted(self._view.look(), self._went_on)
        is_lost = self._last_guess is not None and bool(share)
        return Ending.OVER if is_lost else Ending.BROKEN_OFF

    def _act_on(self, judged: Judgement) -> Ending | None:
        """Click what follows."""
        if judged.shows_mine:
            return Ending.LOST if self._has_exploded(judged) else Ending.WON
        has_begun_anew = judged.closed.all() and self._has_gone_on()  # by closing a dialog
        if has_begun_anew or not judged.closed.any():
            return Ending.OVER
        if judged.mines and self.memory.can_flag and not self.evidence.knows(FLAG):
            return self._flag(judged.mines[0])
        if judged.mines and self._is_won_by_opening(judged):
            numbers = self._sure_numbers(judged)
            if not numbers and not self.can_lose:
                return Ending.OVER
            return self._open_safe(numbers[:1]) if numbers else self._lose(judged.mines[0], judged.safe)
        return self._open(judged) if judged.safe else self._guess(judged)

    def _is_won_by_opening(self, judged: Judgement) -> bool:
        """Whether opening all safe cells may win the game."""
        n_left = int(judged.closed.sum()) - len(judged.safe)
        likely_mines = self.evidence.mines or STANDARD_MINES.get(judged.closed.shape, 0)
        return not judged.undecided or (bool(judged.safe) and n_left <= likely_mines)

    def _sure_numbers(self, judged: Judgement) -> tuple[Cell, ...]:
        """Safe cells that open no other, but for those that are left closed: the last one wins the game."""
        near = Topology(judged.closed.shape).neighbours
        mines = set(judged.mines)
        n_left = _LEFT_TO_FLAG if self._wants_wrong_flag else 1
        n_most = max(0, len(judged.safe) - n_left)
        return tuple(cell for cell in judged.safe if not mines.isdisjoint(near(cell)))[:n_most]

    @property
    def _has_clicked(self) -> bool:
        """Whether anything was clicked in this game."""
        return self._clicker.n_clicks > self._n_clicks_before

    def _judge(self, board: Pixels) -> Judgement | None:
        """What follows for the board; None where nothing fits it, however long it is looked at."""
        judged = self._judgement(board)
        deadline = time.perf_counter() + _HALF_PAINTED_S
        while judged is None and time.perf_counter() < deadline:
            self._control.wait(0.1)
            board = self._cells(self._uncovered_board())
            judged = self._judgement(board)
        if judged is None and self.evidence.floods:
            self.evidence.give_up_floods()
            judged = self._judgement(board)
            if judged is None:
                self.evidence.floods = True
            else:
                self._tell("it does not hold here that a 0 opens its neighbours")
        return judged

    def _judgement(self, board: Pixels) -> Judgement | None:
        with self._control.thinking():
            return self.evidence.judge(board)

    def _open(self, judged: Judgement) -> Ending | None:
        """Open what is safe: several cells at once where one does not open another, else one by one."""
        numbers = self._sure_numbers(judged)
        others = [cell for cell in judged.safe if cell not in numbers]
        return None if self._open_at_once((*numbers, *others[:1])) else self._open_safe(judged.safe)

    def _open_at_once(self, cells: tuple[Cell, ...]) -> bool:
        """Click safe cells, of which only the last may open others, and wait once: it may take long to settle.

        Whether any was opened.
        """
        if len(cells) < _AT_ONCE or not self._clicker.takes_many or self._may_move_lattice:
            return False
        seen = self._clicker.settled()
        is_closed = self.evidence.closed_cells(self._cells(seen))
        after = self._clicker.click_all([cell for cell in cells if is_closed[cell]], seen)
        board = self._cells(after)
        is_opened = is_closed & ~self.evidence.closed_cells(board)
        opened = [cell for cell in cells if is_opened[cell]]
        if opened:
            self._last_guess = None
            self._note_went_on(seen, after)
            self.evidence.tell(np.stack([board[cell] for cell in opened]), NUMBERS)
        return bool(opened)

    def _open_safe(self, cells: tuple[Cell, ...]) -> Ending | None:
        """Open cells that are still closed and safe under every labelling."""
        for cell in cells:
            seen = self._clicker.settled()
            if not self.evidence.closed_cells(self._cells(seen))[cell]:  # another one opened it
                continue
            after = self._clicker.click(cell, seen)
            if after is None:
                return self._ending_where_stuck()
            self._last_guess = None
            if self._has_moved_lattice(seen, after, cell):
                return None
            self._note_went_on(seen, after)
            self.evidence.tell(self._cells(after)[cell][None], NUMBERS)
        return None

    def _guess(self, judged: Judgement) -> Ending | None:
        with self._control.thinking():
            cell = judged.guess(self.evidence.mines)
        if cell is None:
            return self._ending_where_stuck()
        before = self._clicker.settled()
        if not self.evidence.closed_cells(self._cells(before))[cell]:  # something changed: decide anew
            return None
        after = self._clicker.click(cell, before)
        if after is None:
            return self._ending_where_stuck()
        if not self._has_moved_lattice(before, after, cell):
            self._note_went_on(before, after)
        opened = self._cells(after)[cell]
        self._last_guess = (cell, opened)
        if not self.evidence.is_known(opened):
            self.evidence.tell(opened[None], NUMBERS | {MINE})
            self._view.settled(FOR_LONG)
        return None

    def _lose(self, mine: Cell, safe: tuple[Cell, ...]) -> Ending:
        """Open a proven mine: what it shows then is how mines explode, and a flag on a safe cell, a wrong one."""
        wrong = self._wrongly_flagged_cell(safe)
        before = self._clicker.settled()
        opened = self._clicker.click(mine, before) if self.evidence.closed_cells(self._cells(before))[mine] else None
        if opened is None:
            return self._ending_where_stuck()
        if wrong is None:  # a flag that stays as it is must not be taken for a number
            self._note_went_on(before, opened)
        after = self._uncovered_board()
        board = self._cells(after)
        if self.evidence.closed_cells(board)[mine]:
            self.can_lose = False
            return Ending.OVER
        self.evidence.tell(board[mine][None], frozenset({MINE}), EXPLODED)
        if wrong is not None and self.evidence.known_labels(board[wrong][None]) == [None]:
            numbers = self.evidence.known_labels(board[safe[0]][None])[0]
            shows_all = numbers is not None and numbers <= NUMBERS  # what was flagged may show its number as well
            labels = NUMBERS | {WRONG_FLAG} if shows_all else frozenset({WRONG_FLAG})
            self.evidence.tell(board[wrong][None], labels, None if shows_all else WRONG_FLAG)
        return Ending.LOST

    @property
    def _wants_wrong_flag(self) -> bool:
        """Whether it is still to be seen how a wrong flag looks on a lost board."""
        return not self._has_flagged_wrongly and self.memory.can_flag and self.evidence.knows(FLAG)

    def _wrongly_flagged_cell(self, safe: tuple[Cell, ...]) -> Cell | None:
        """Flag one safe cell of several, once, in a game that is lost on purpose; which one, None for none."""
        if len(safe) < _LEFT_TO_FLAG or not self._wants_wrong_flag:
            return None
        if self._clicker.click(safe[-1], self._view.settled(), Button.RIGHT) is None:
            return None
        self._has_flagged_wrongly, self._left_flagged = True, safe[-1]
        return safe[-1]

    def take_off_kept_flag(self) -> None:
        """Flag the cell that a lost game left flagged, and take the flag off again, on a fresh board.

        Some clones keep the flag, show none, and open the cell no more. There the first right click takes it off.

        Raises:
            Aborted: the abort key was pressed.
            CalibrationError: the board is gone.
        """
        if self._left_flagged is None or not is_fresh(self._cells(seen := self._view.settled())):
            return
        cell, self._left_flagged = self._left_flagged, None
        with suppress(InterruptedClickError):
            for _ in range(_MOST_MARKS):
                after = self._clicker.click(cell, seen, Button.RIGHT)
                if after is None or self.evidence.closed_cells(self._cells(after))[cell]:
                    break
                seen = after
        self._clicker.leave()

    def _ending_where_stuck(self) -> Ending:
        """Nothing can be opened any more: the cell guessed last was a mine, unless the game may be won."""
        if self._last_guess is None:
            return Ending.OVER
        cell, _ = self._last_guess
        seen = self._uncovered_board()
        board = self._cells(seen)
        told = self.evidence.known_labels(board[cell][None])[0]
        may_be_mine = told is None or (len(told) > 1 and MINE in told)
        if not may_be_mine or self.evidence.may_be_won(board, cell):
            return Ending.OVER
        self.evidence.tell(board[cell][None], frozenset({MINE}), EXPLODED)
        return Ending.LOST

    def _has_gone_on(self) -> bool:
        """Whether this game went on after a click: then it is a game."""
        return self._went_on is not None

    def _note_went_on(self, before: CutObservation, after: CutObservation) -> None:
        """A cell could be opened: nothing on the board before was a mine, unless the click began another game."""
        board = self._cells(before)
        is_open = ~self.evidence.closed_cells(board)
        if np.array_equal(board[is_open], self._cells(after)[is_open]):
            self.evidence.tell_played_on(board)
            self._went_on = before

    def _has_exploded(self, judged: Judgement) -> bool:
        """Whether the last guess opened what may be a mine: if it is one, that is how one explodes."""
        if self._last_guess is None:
            return False
        opened = self._last_guess[1][None]
        labels = judged.labels[prints_of(opened)[0]]
        if labels == {MINE}:
            self.evidence.tell(opened, frozenset({MINE}), EXPLODED)
        return MINE in labels

    def _flag(self, mine: Cell) -> Ending | None:
        """Flag a proven mine and take the flag off again: shows the flag, and a question mark where there are any.

        Where the right button does something else, it is not used any more. A flag that stays ends the game.

        Raises:
            GoneError: it brought up something that lies over the board, and no key closed that.
        """
        seen = self._view.settled()
        closed = self._cells(seen)[mine]
        for n_marks in range(_MOST_MARKS):
            after = self._right_click(mine, seen)
            if after is None:
                self._tell("a flag does not come off again here" if n_marks else "a right click sets no flag here")
                self.memory.can_flag = False
                return Ending.BROKEN_OFF if n_marks else None
            seen, board = after, self._cells(after)
            if np.array_equal(board[mine], closed) or self.evidence.closed_cells(board)[mine]:
                self.memory.has_question_marks = n_marks > 1
                return None
            self.evidence.tell(board[mine][None], frozenset({QUESTION if n_marks else FLAG}))
            self.evidence.shown.append(board)
        return None

    def _right_click(self, cell: Cell, seen: CutObservation) -> CutObservation | None:
        """The board after a right click that changed this cell alone; None after any other, its menu closed again.

        Raises:
            GoneError: it brought up something that lies over the board, and no key closed that.
        """
        try:
            after = self._clicker.click(cell, seen, Button.RIGHT)
        except GoneError:
            self.memory.can_flag = False
            if not self._close_menu():
                raise
            return None
        if after is None:
            return None
        has_changed = (self._cells(seen) != self._cells(after)).any(axis=(2, 3, 4))
        has_changed[cell] = False
        if has_changed.any():
            self._close_menu()
            return None
        return after

    # --- what the first game tells besides

    def _find_closed(self) -> None:
        """On a board with open cells: closed are those that look as one that changes when it is clicked.

        Raises:
            RulesError: none does.
        """
        seen = self._view.settled()
        board = self._cells(seen)
        distinct = distinct_rows(stacked(board))
        for place in distinct.first[np.argsort(-distinct.counts, kind="stable")].tolist():
            row, col = divmod(place, board.shape[1])
            after = self._clicker.click((row, col), seen, tries_s=TRIES_S[:1])
            if after is not None:
                if not self._has_moved_lattice(seen, after, (row, col)):
                    self.evidence.tell(board[row, col][None], frozenset({CLOSED}))
                    self._note_went_on(seen, after)
                self._last_guess = (row, col), self._cells(after)[row, col]
                return
        raise RulesError("no cell of the board changes when it is clicked: is the game over, or no Minesweeper?")

    @property
    def _may_move_lattice(self) -> bool:
        """Whether the next click may show that cells begin elsewhere."""
        return len(self._opened) < MOST_CHANGES and self._view.board.can_move_lattice

    def _has_moved_lattice(self, before: CutObservation, after: CutObservation, cell: Cell) -> bool:
        """See by the first clicks where cells begin; whether that is elsewhere. Then all is learned anew."""
        if not self._may_move_lattice:
            return False
        if not self._view.board.has_same_border(before, after):  # painted anew, and not for the cell
            return False
        self._opened.append((before, after, cell))
        if not move_lattice(self._view, [(one, other) for one, other, _ in self._opened]):
            return False
        self.memory = deepcopy(self._known_before)
        if self.first is not None and is_fresh(self._cells(self.first)):
            self.evidence.tell_fresh(self._cells(self.first))
            self._tell_lit(self._cells(self.first))
        for one, _, opened in self._opened:
            self.evidence.tell(self._cells(one)[opened][None], frozenset({CLOSED}))
        self._last_guess = self._went_on = None
        return True
