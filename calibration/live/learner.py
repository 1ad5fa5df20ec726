"""Plays games of an unknown clone to learn what its looks mean; every click is one that a careful player could make.

A cell is opened as safe only where no labelling allows a mine there; where none is safe, one is guessed. Once every
closed cell is decided, one safe cell is left closed and a proven mine is opened instead of the last: a lost board
shows what mines look like, and no calibration wins a best time.

Clicks cells of an unknown clone and says what came of it.
"""

from __future__ import annotations

import functools
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
from calibration.errors import CalibrationError, GoneError, RulesError
from calibration.live.cut_board import LONG_STILL_S, StoodStill, cut_anew
from calibration.live.evidence import is_fresh, prints_of
from calibration.live.memory import Memory
from skins.pixels import distinct_rows
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, QUESTION, WRONG_FLAG
from solver.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.models import Pixel
    from bot.playing.control import Control, Pointer
    from calibration.live.cut_board import CutLook, CutView
    from calibration.live.evidence import Evidence, Judgement
    from solver.topology import Cell

    Pixels = NDArray[np.uint8]


_TRIES_S = (0.3, 0.6, 1.2)
"""How long a click may take to have an effect before it is made again, or is taken to have none."""
_POLL_S = 0.0025  # pause between two looks at a cell that was clicked, in seconds
_LIT_S = 0.3
"""How long a cell may take to look otherwise once the pointer is over it, or off it, in clones that lighten it."""
_UNLIT_S, _MOST_UNLIT = 0.02, 3
"""How long an open cell may take, in seconds, once this many in a row looked no different when the pointer left."""
_LOOK_S = 0.05  # pause between two looks at a board on which a hint may come up, in seconds
_HINT_S = 1.0  # how long a hint may take to come up at a pointer that rests


_FOR_LONG = StoodStill(LONG_STILL_S)  # where a game may have ended
_AFTER_MANY = StoodStill(0.15)
"""Where many cells change at once: a busy program may pause between two pictures of a cell that fades in."""


class _InterruptedClickError(Exception):
    """A person was let go first, or the cell changed before it was clicked: what was seen is not what is."""


class _Clicker:
    """Clicks cells of the board that is watched.

    Args:
        view: looks at the board.
        pointer: clicks.
        wait: waits for the seconds given, and notices when a person wants to stop.
    """

    def __init__(self, view: CutView, pointer: Pointer, wait: Callable[[float], None]) -> None:
        self._view = view
        self._pointer = pointer
        self._wait = wait
        self._has_hovered = self._lightens = False
        self._leaves = False
        """Whether the pointer leaves the board after each click: it changes how cells look, or brings up a hint."""
        self._n_unlit = 0
        """How many cells in a row, once clicked, did not look otherwise when the pointer left."""
        self._last: CutLook | None = None
        """The settled board, as it was last seen."""
        self.takes_many = True
        """Whether clicks that follow each other at once all have had their effect."""

    @property
    def n_clicks(self) -> int:
        """How many clicks were made."""
        return self._pointer.n_clicks

    def settled(self) -> CutLook:
        """The board, settled: at once where it still shows what it showed when it last was."""
        now = self._view.look()
        is_still = (
            self._last is not None
            and now.is_in_place
            and np.array_equal(now.frame.pixels_bgr, self._last.frame.pixels_bgr)
        )
        self._last = now if is_still else self._view.settled()
        return self._last

    def click(
        self, cell: Cell, seen: CutLook, button: Button = Button.LEFT, tries_s: tuple[float, ...] = _TRIES_S
    ) -> CutLook | None:
        """Click a cell until it changes; the board then, settled. None where it does not.

        Args:
            cell: which.
            seen: the settled board, as it was just looked at.
            button: with which button.
            tries_s: how long to wait after each click.

        Raises:
            Aborted: the abort key was pressed.
            InterruptedClickError: nothing was clicked since.
        """
        board, region = self._view.grid.region, self._view.grid.cell_region(cell)
        self._pointer.follow_anew()
        for patience_s in tries_s:
            lit = self._lit(seen, cell, region.middle, self._view.settled)
            is_as_seen = functools.partial(self._view.is_as_seen, seen=lit)
            if not self._pointer.click(region.middle, button, board, is_as_seen=is_as_seen):
                raise _InterruptedClickError
            has_changed = self._view.wait_for_change(cell, lit, patience_s, _POLL_S)
            if self._leaves:  # what is seen with the pointer there may be its doing
                has_changed = False
                self._leave_cell(cell)
            after = self._view.settled()
            if self._leaves and after.pixels(region) == seen.pixels(region):
                # The click may take effect yet; made again at once it would be the second half of a double click.
                self._view.wait_for_change(cell, after, patience_s, _POLL_S)
                after = self._view.settled()
            if has_changed or after.pixels(region) != seen.pixels(region):
                self._last = after
                return after
        return None

    def click_all(self, cells: Sequence[Cell], seen: CutLook) -> CutLook:
        """Click cells one after the other and wait once; the board then, settled. Some cells may be as they were.

        Args:
            cells: which; only the last may change others when it is opened.
            seen: the settled board, as it was just looked at.

        Raises:
            Aborted: the abort key was pressed.
        """
        board = self._view.grid.region
        clicked: list[Cell] = []
        self._pointer.follow_anew()
        for cell in cells:
            middle = self._view.grid.cell_region(cell).middle
            lit = self._lit(seen, cell, middle, self._view.look)
            is_as_seen = functools.partial(self._view.is_as_seen, seen=lit)
            if not self._pointer.click(middle, Button.LEFT, board, is_as_seen=is_as_seen):
                break
            clicked.append(cell)
        if self._leaves and clicked:
            self._leave_cell(clicked[-1])
        for cell in clicked:
            self._view.wait_for_change(cell, seen, _TRIES_S[0], _POLL_S)
        self._last = after = self._view.settled(_AFTER_MANY)
        regions = map(self._view.grid.cell_region, clicked)
        self.takes_many = bool(clicked) and all(after.pixels(one) != seen.pixels(one) for one in regions)
        return after

    def _leave_cell(self, cell: Cell) -> None:
        """Take the pointer off a cell and off the board, and wait until the cell shows it, where it does."""
        lit = self._view.look()
        if self._pointer.park(self._view.grid.region):
            at_most_s = _LIT_S if self._n_unlit < _MOST_UNLIT else _UNLIT_S
            is_unlit = not self._view.wait_for_change(cell, lit, at_most_s, _POLL_S)
            self._n_unlit = self._n_unlit + 1 if is_unlit else 0

    def leave(self) -> None:
        """Take the pointer off the board, if a person lets: the cell under it may look otherwise than all others."""
        board = self._view.grid.region
        if board.has_pixel(self._pointer.at) and self._pointer.park(board):
            self._wait(_LIT_S)

    def hover(self, fresh: CutLook) -> tuple[CutLook, Cell] | None:
        """Go over the middle of a fresh board, once: some clones lighten the cell under the pointer, or say what it is.

        Args:
            fresh: the board before.

        Returns:
            The board with the pointer there, before a hint comes up, and the cell. None where a person has the mouse,
            or it was done before.
        """
        if self._has_hovered or not self._pointer.is_free():
            return None
        self._has_hovered = True
        grid = self._view.grid
        cell = grid.rows // 2, grid.cols // 2
        self._pointer.move(grid.cell_region(cell).middle)
        self._wait(_LIT_S)
        seen = self._view.settled()
        self._lightens = not np.array_equal(seen.frame.pixels_bgr, fresh.frame.pixels_bgr)
        self._leaves = self._lightens or not self._stays_for(_HINT_S, fresh)
        if self._leaves:
            self.leave()
        return seen, cell

    def _stays_for(self, at_least_s: float, seen: CutLook) -> bool:
        """Whether the board looks as it did in a look all that time."""
        deadline = time.perf_counter() + at_least_s
        while time.perf_counter() < deadline:
            self._wait(_LOOK_S)
            if not np.array_equal(self._view.look().frame.pixels_bgr, seen.frame.pixels_bgr):
                return False
        return True

    def _lit(self, seen: CutLook, cell: Cell, middle: Pixel, look: Callable[[], CutLook]) -> CutLook:
        """The board with the pointer where it will click, where that makes a difference."""
        if not self._lightens or not self._pointer.is_free():
            return seen
        if self._pointer.at != middle:
            self._pointer.move(middle)
            self._view.wait_for_change(cell, seen, _LIT_S, _POLL_S)
        return look()


_HALF_PAINTED_S = 1.5  # how long a board that fits no labelling is looked at again: it may be half painted
_LEFT_TO_FLAG = 2  # safe cells left closed in a game that is lost with a wrong flag: one gets it, one does not
_CLICKS_TO_CUT = 12  # number of clicks that tell where cells begin
_AT_ONCE = 2  # least number of safe cells that are clicked at once
_MOST_IDLE = 40  # number of decisions in a row that come to no click by no chance
_MOST_REPAINTED = 0.5
"""Greatest share of open cells that may look otherwise once a game is lost, where its end is learned from."""
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
        layer: a look at the board with what its own window lays over part of it; None where it lays nothing over it.
        memory: what was learned before, None for nothing.
    """

    def __init__(
        self,
        view: CutView,
        pointer: Pointer,
        control: Control,
        tell: Callable[[str], None],
        close_dialog: Callable[[], bool],
        layer: Callable[[], CutLook | None],
        memory: Memory | None = None,
    ) -> None:
        self._view = view
        self._clicker = _Clicker(view, pointer, control.wait)
        self._control = control
        self._tell = tell
        self._close_dialog = close_dialog
        self._layer = layer
        self._opened: list[tuple[CutLook, CutLook, Cell]] = []
        self._last_guess: tuple[Cell, Pixels] | None = None
        self._lit: tuple[CutLook, Cell] | None = None
        self.memory = memory or Memory()
        codebook = view.board.cutter.codebook
        self.memory.evidence.comparer = None if codebook is None else codebook.comparer
        self._known_before = deepcopy(self.memory)
        self.first: CutLook | None = None
        """The board before the first click of the game that is on."""
        self.last: CutLook | None = None
        """The last sight of the last game."""
        self._went_on: CutLook | None = None
        self._n_clicks_before = 0
        self._has_flagged_wrongly = False
        self._left_flagged: Cell | None = None
        """The safe cell that a lost game left with a flag, until a fresh board shows that it has none."""
        self.can_lose = True
        """Whether a game can be lost to see its mines: not where all is closed again when its dialog is."""
        self.n_safe = 0
        self.n_guesses = 0

    @property
    def evidence(self) -> Evidence:
        """What is known of the looks."""
        return self.memory.evidence

    def _cells(self, look: CutLook) -> Pixels:
        """The cells of the board in a look, all of one size."""
        return self._view.board.cells(look)

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
        try:
            self._begin()
            ending, n_idle = None, 0
            while ending is None:
                n_before = self._clicker.n_clicks
                ending = self._step() if time.perf_counter() < until_s else Ending.BROKEN_OFF
                n_idle = 0 if self._clicker.n_clicks > n_before else n_idle + 1
                if n_idle > _MOST_IDLE:
                    raise CalibrationError("the board does not stand still long enough to be clicked")
        except _InterruptedClickError:
            self._control.check()
            self._tell("play was paused, or the board changed by itself: this game counts for nothing")
            ending = Ending.BROKEN_OFF
        except RulesError as error:
            if not self._has_gone_on():
                raise
            self._tell(f"{error}: this game counts for nothing")
            ending = Ending.BROKEN_OFF
        except GoneError as error:
            self.last = self._after_cover(error)
            return self._keep(Ending.OVER)
        self.last = self._uncovered()
        return self._keep(ending)

    def look(self) -> CutLook:
        """The board once it stands still.

        Raises:
            GoneError: it is not to be seen.
        """
        return self._view.settled()

    def _uncovered(self) -> CutLook:
        """The board once it stands still for long, without a dialog that the end of a game may have brought up."""
        self._clicker.leave()  # a hint may have come up at the pointer
        try:
            seen = self._view.settled(_FOR_LONG)
        except GoneError as error:
            return self._after_cover(error)
        if self._has_clicked and self._close_dialog():
            seen = self._view.settled(_FOR_LONG)
        return seen

    def _after_cover(self, error: GoneError) -> CutLook:
        """A board that was covered for long: without the cover, or with what its own window lays over it at the end.

        Raises:
            GoneError: it is neither.
        """
        if self._has_clicked and self._close_dialog():
            return self._view.settled(_FOR_LONG)
        layer = self._layer() if self._has_clicked else None
        if layer is None:
            raise error
        return layer

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

    def _is_painted_over(self, look: CutLook, before: CutLook | None) -> bool:
        """Whether what is around the board, or most of what was open before, has another colour now."""
        return self._is_painted_around(look) or self._repainted(look, before) > _MOST_REPAINTED

    def _repainted(self, look: CutLook, before: CutLook | None) -> float:
        """The share of open cells whose look has changed: 0 in a running game."""
        if before is None:
            return 0.0
        was, now = self._cells(before), self._cells(look)
        is_open = ~self.evidence.closed_cells(was)
        return float((was != now).any(axis=(2, 3, 4))[is_open].mean()) if is_open.any() else 0.0

    def _is_painted_around(self, look: CutLook) -> bool:
        """Whether what is around the board has another colour than when the game began: one that ended."""
        return self.first is not None and not self._view.board.has_same_border(self.first, look)

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
        self.first = self._view.settled(_FOR_LONG)
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
            look, cell = self._lit
            self.evidence.tell_lit(fresh, cell, self._cells(look)[cell])

    def _step(self) -> Ending | None:
        """Look, decide, click; how the game ended, None while it is on."""
        seen = self._clicker.settled()
        if self._is_painted_around(seen):
            return Ending.OVER
        judged = self._judge(self._cells(seen))
        if judged is not None:
            return self._act_on(judged)
        is_lost = self._last_guess is not None and self._repainted(self._view.look(), self._went_on) > 0
        return Ending.OVER if is_lost else Ending.BROKEN_OFF

    def _act_on(self, judged: Judgement) -> Ending | None:
        """Click what follows."""
        if judged.shows_mine:
            return Ending.LOST if self._has_exploded(judged) else Ending.WON
        has_begun_anew = judged.closed.all() and self._has_gone_on()  # by closing a dialog
        if has_begun_anew or not judged.closed.any():
            return Ending.OVER
        if judged.mines and self.memory.can_flag and not self.evidence.knows(FLAG):
            self._flag(judged.mines[0])
            return None
        if judged.mines and self._is_won_by_opening(judged):
            numbers = self._sure_numbers(judged)
            if not numbers and not self.can_lose:
                return Ending.OVER
            return self._open_safe(numbers[:1]) if numbers else self._lose(judged.mines[0], judged.safe)
        return self._open(judged) if judged.safe else self._guess(judged)

    def _is_won_by_opening(self, judged: Judgement) -> bool:
        """Whether opening all safe cells may win the game."""
        n_left = int(judged.closed.sum()) - len(judged.safe)
        return not judged.undecided or (bool(judged.safe) and n_left <= self._likely_mines(judged))

    def _sure_numbers(self, judged: Judgement) -> tuple[Cell, ...]:
        """Safe cells that open no other, but for those that are left closed: the last one wins the game."""
        near = Topology(judged.closed.shape).neighbours
        mines = set(judged.mines)
        n_left = _LEFT_TO_FLAG if self._wants_wrong_flag else 1
        n_most = max(0, len(judged.safe) - n_left)
        return tuple(cell for cell in judged.safe if not mines.isdisjoint(near(cell)))[:n_most]

    def _likely_mines(self, judged: Judgement) -> int:
        """How many mines the board has, or may have."""
        return self.evidence.mines or STANDARD_MINES.get(judged.closed.shape, 0)

    @property
    def _has_clicked(self) -> bool:
        """Whether anything was clicked in this game."""
        return self._clicker.n_clicks > self._n_clicks_before

    def _judge(self, board: Pixels) -> Judgement | None:
        """What follows for the board; None where nothing fits it, however long it is looked at."""
        judged = self._judged(board)
        deadline = time.perf_counter() + _HALF_PAINTED_S
        while judged is None and time.perf_counter() < deadline:
            self._control.wait(0.1)
            board = self._cells(self._uncovered())
            judged = self._judged(board)
        if judged is None and self.evidence.floods:
            self.evidence.give_up_floods()
            judged = self._judged(board)
            if judged is None:
                self.evidence.floods = True
            else:
                self._tell("it does not hold here that a 0 opens its neighbours")
        return judged

    def _judged(self, board: Pixels) -> Judgement | None:
        with self._control.thinking():
            return self.evidence.judge(board)

    def _open(self, judged: Judgement) -> Ending | None:
        """Open what is safe: several cells before the next look where one does not open another, else one by one."""
        numbers = self._sure_numbers(judged)
        others = [cell for cell in judged.safe if cell not in numbers]
        return None if self._open_at_once((*numbers, *others[:1])) else self._open_safe(judged.safe)

    def _open_at_once(self, cells: tuple[Cell, ...]) -> bool:
        """Click safe cells, of which only the last may open others, and wait once: it may take long to settle.

        Whether any was opened.
        """
        if len(cells) < _AT_ONCE or not self._clicker.takes_many or self._may_be_cut_anew:
            return False
        seen = self._clicker.settled()
        is_closed = self.evidence.closed_cells(self._cells(seen))
        after = self._clicker.click_all([cell for cell in cells if is_closed[cell]], seen)
        board = self._cells(after)
        is_opened = is_closed & ~self.evidence.closed_cells(board)
        opened = [cell for cell in cells if is_opened[cell]]
        if opened:
            self.n_safe += len(opened)
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
                return self._over()
            self.n_safe += 1
            self._last_guess = None
            if self._is_cut_anew(seen, after, cell):
                return None
            self._note_went_on(seen, after)
            self.evidence.tell(self._cells(after)[cell][None], NUMBERS)
        return None

    def _guess(self, judged: Judgement) -> Ending | None:
        with self._control.thinking():
            cell = judged.guess(self.evidence.mines)
        if cell is None:
            return self._over()
        before = self._clicker.settled()
        if not self.evidence.closed_cells(self._cells(before))[cell]:  # something changed: decide anew
            return None
        after = self._clicker.click(cell, before)
        if after is None:
            return self._over()
        self.n_guesses += 1
        if not self._is_cut_anew(before, after, cell):
            self._note_went_on(before, after)
        look = self._cells(after)[cell]
        self._last_guess = (cell, look)
        if not self.evidence.is_known(look):
            self.evidence.tell(look[None], NUMBERS | {MINE})
            self._view.settled(_FOR_LONG)
        return None

    def _lose(self, mine: Cell, safe: tuple[Cell, ...]) -> Ending:
        """Open a proven mine: what it shows then is how mines explode, and a flag on a safe cell, a wrong one."""
        wrong = self._flagged_wrongly(safe)
        before = self._clicker.settled()
        opened = self._clicker.click(mine, before) if self.evidence.closed_cells(self._cells(before))[mine] else None
        if opened is None:
            return self._over()
        if wrong is None:  # a flag that stays as it is must not be taken for a number
            self._note_went_on(before, opened)
        after = self._uncovered()
        board = self._cells(after)
        if self.evidence.closed_cells(board)[mine]:
            self.can_lose = False
            return Ending.OVER
        self.evidence.tell(board[mine][None], frozenset({MINE}), EXPLODED)
        if wrong is not None and self.evidence.told(board[wrong][None]) == [None]:
            numbers = self.evidence.told(board[safe[0]][None])[0]
            shows_all = numbers is not None and numbers <= NUMBERS  # what was flagged may show its number as well
            labels = NUMBERS | {WRONG_FLAG} if shows_all else frozenset({WRONG_FLAG})
            self.evidence.tell(board[wrong][None], labels, None if shows_all else WRONG_FLAG)
        return Ending.LOST

    @property
    def _wants_wrong_flag(self) -> bool:
        """Whether it is still to be seen how a wrong flag looks on a lost board."""
        return not self._has_flagged_wrongly and self.memory.can_flag and self.evidence.knows(FLAG)

    def _flagged_wrongly(self, safe: tuple[Cell, ...]) -> Cell | None:
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
        with suppress(_InterruptedClickError):
            for _ in range(_MOST_MARKS):
                after = self._clicker.click(cell, seen, Button.RIGHT)
                if after is None or self.evidence.closed_cells(self._cells(after))[cell]:
                    break
                seen = after
        self._clicker.leave()

    def _over(self) -> Ending:
        """Nothing can be opened any more: the cell guessed last was a mine, unless the game may be won."""
        if self._last_guess is None:
            return Ending.OVER
        cell, _ = self._last_guess
        seen = self._uncovered()
        board = self._cells(seen)
        told = self.evidence.told(board[cell][None])[0]
        may_be_mine = told is None or (len(told) > 1 and MINE in told)
        if not may_be_mine or self.evidence.may_be_won(board, cell):
            return Ending.OVER
        self.evidence.tell(board[cell][None], frozenset({MINE}), EXPLODED)
        return Ending.LOST

    def _has_gone_on(self) -> bool:
        """Whether this game went on after a click: then it is a game."""
        return self._went_on is not None

    def _note_went_on(self, before: CutLook, after: CutLook) -> None:
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
        look = self._last_guess[1][None]
        labels = judged.labels[prints_of(look)[0]]
        if labels == {MINE}:
            self.evidence.tell(look, frozenset({MINE}), EXPLODED)
        return MINE in labels

    def _flag(self, mine: Cell) -> None:
        """Flag a proven mine and take the flag off again: shows the flag, and a question mark where there are any."""
        seen = self._view.settled()
        closed = self._cells(seen)[mine]
        for n_marks in range(_MOST_MARKS):
            after = self._clicker.click(mine, seen, Button.RIGHT)
            if after is None:
                if n_marks:
                    raise CalibrationError(f"the flag on cell {mine} does not come off again")
                self._tell("a right click sets no flag here")
                self.memory.can_flag = False
                return
            seen, look = after, self._cells(after)[mine]
            if np.array_equal(look, closed) or self.evidence.closed_cells(self._cells(after))[mine]:
                self.memory.has_question_marks = n_marks > 1
                return
            self.evidence.tell(look[None], frozenset({QUESTION if n_marks else FLAG}))
            self.evidence.shown.append(self._cells(after))

    # --- what the first game tells besides

    def _find_closed(self) -> None:
        """On a board with open cells: the closed look is one whose cells change when they are clicked.

        Raises:
            RulesError: no look is.
        """
        seen = self._view.settled()
        board = self._cells(seen)
        distinct = distinct_rows(board.reshape(-1, *board.shape[2:]))
        for place in distinct.first[np.argsort(-distinct.counts, kind="stable")].tolist():
            row, col = divmod(place, board.shape[1])
            after = self._clicker.click((row, col), seen, tries_s=_TRIES_S[:1])
            if after is not None:
                if not self._is_cut_anew(seen, after, (row, col)):
                    self.evidence.tell(board[row, col][None], frozenset({CLOSED}))
                    self._note_went_on(seen, after)
                self._last_guess = (row, col), self._cells(after)[row, col]
                return
        raise RulesError("no cell of the board changes when it is clicked: is the game over, or no Minesweeper?")

    @property
    def _may_be_cut_anew(self) -> bool:
        """Whether the next click may show that cells begin elsewhere."""
        return len(self._opened) < _CLICKS_TO_CUT and self._view.board.can_cut_anew

    def _is_cut_anew(self, before: CutLook, after: CutLook, cell: Cell) -> bool:
        """See by the first clicks where cells begin; whether that is elsewhere. Then all is learned anew."""
        if not self._may_be_cut_anew:
            return False
        if not self._view.board.has_same_border(before, after):  # painted anew, and not for the cell
            return False
        self._opened.append((before, after, cell))
        grid = self._view.board.cut_by_changes([(one, other) for one, other, _ in self._opened])
        if grid == self._view.grid:
            return False
        cut_anew(self._view, grid, after)
        self.memory = deepcopy(self._known_before)
        if self.first is not None and is_fresh(self._cells(self.first)):
            self.evidence.tell_fresh(self._cells(self.first))
            self._tell_lit(self._cells(self.first))
        for one, _, opened in self._opened:
            self.evidence.tell(self._cells(one)[opened][None], frozenset({CLOSED}))
        self._last_guess = self._went_on = None
        return True
