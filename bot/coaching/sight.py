"""Finds the board in a window, reads it again and again, and finds it anew when it went elsewhere in the window.

Unlike the player it may take any board that shows: nothing is clicked. But what is not whole is not believed either.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import ScreenError, WindowClosedError
from bot.playing.transitions import Obstruction, continues, has_closed_again, is_whole
from bot.vision.board_edge import BorderWatch
from bot.vision.finding import find_boards
from bot.vision.mine_counter import count_on
from bot.vision.reading import Reader, read_board
from solver.board import CLOSED, FLAG, GameState

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bot.desktop import WatchedWindow
    from bot.models import FoundBoard, Frame, Grid, Reading
    from skins.skin import Skin
    from solver.topology import Cell

_SEARCH_S = 0.3
"""Time that a board is unreadable before it is looked for elsewhere, in seconds: GNOME Mines fades for 0.2 s."""


@dataclass(frozen=True, eq=False)
class Look:
    """What was seen of a board.

    Attributes:
        frame: the board as it is, and nothing around it.
        reading: what it shows.
        is_whole: whether all of it can be believed; else cells may be hidden, or in the middle of a repaint.
    """

    frame: Frame
    reading: Reading
    is_whole: bool


class BoardSight:
    """Looks at the board of one window.

    Args:
        window: the window.
        skins: what the board may look like, the likeliest first.
        mines: the mine count as a person gave it, for boards of the size that is found first; None to take it from the
            clone's counter or the board's size.
        remark: told what a person should know of the mine count.
    """

    def __init__(
        self, window: WatchedWindow, skins: Sequence[Skin], mines: int | None, remark: Callable[[str], None]
    ) -> None:
        self._window = window
        self._skins = skins
        self._given = mines
        self._given_for: tuple[int, ...] | None = None
        self._remark = remark
        self._reader: Reader | None = None
        self._watch: BorderWatch | None = None
        self._doubt = ""
        """What speaks against the mine count: it is read again, as the clone may be painting."""
        self._told: set[str] = set()
        self._known: Reading | None = None
        self._excused: frozenset[Cell] = frozenset()
        self._obstruction: Obstruction | None = None

    @property
    def grid(self) -> Grid | None:
        """Where the board is in the window; None while it is nowhere to be seen."""
        return None if self._reader is None else self._reader.grid

    @property
    def is_in_trouble(self) -> bool:
        """Whether another look is needed though nothing changes."""
        is_doubtful = self._doubt != "" and self._doubt not in self._told
        return is_doubtful or self._obstruction is not None or self._reader is None

    def forget_place(self) -> None:
        """The window has another size: its board may be anywhere."""
        self._reader = self._watch = self._obstruction = None

    def look(self) -> Look | None:
        """Look at the board; None where it is nowhere to be seen.

        Raises:
            WindowClosedError: the window is closed.
        """
        try:
            look = self._glance() if self._reader is not None else self._search() if self._may_search else None
            if look is not None and look.is_whole:
                return self._believed(look)
            return self._troubled(look)
        except WindowClosedError:
            raise
        except ScreenError:  # hidden or resized in this very moment
            return None

    def _glance(self) -> Look:
        """Read the board where it was."""
        assert self._reader is not None, "asked only once a board was found"
        assert self._watch is not None, "made with the reader"
        frame = self._window.grab(self._watch.region)
        board = frame.crop(self._reader.grid.region)
        reading = self._reader.read(board)
        return Look(board, reading, self._watch.is_still_there(frame) and is_whole(reading, self._now_excused(reading)))

    def _believed(self, look: Look) -> Look:
        """A whole look: what follows from it for later ones."""
        reading, known = look.reading, self._known
        self._obstruction = None
        self._excused = self._now_excused(reading)
        self._known = reading
        is_another = known is not None and (
            reading.board.shape != known.board.shape or has_closed_again(reading, known)
        )
        return self._recounted(look) if self._doubt or (is_another and reading.state is GameState.FRESH) else look

    def _now_excused(self, reading: Reading) -> frozenset[Cell]:
        """Cells that had a flag in this game, and may be closed beside an open 0."""
        known = self._known
        if known is None or not continues(reading, known):
            return frozenset()
        unflagged = np.argwhere((known.board.cells == FLAG) & (reading.board.cells == CLOSED)).tolist()
        return self._excused | {tuple(cell) for cell in unflagged}

    def _troubled(self, look: Look | None) -> Look | None:
        """What is seen instead of a whole board: look for it elsewhere once that has lasted."""
        if self._obstruction is None:
            self._obstruction = Obstruction("the board cannot be read", time.perf_counter())
        if self._reader is None or not (self._obstruction.has_lasted(_SEARCH_S) and self._may_search):
            return look
        before = self._reader.grid
        found = self._search()
        if found is None or found.is_whole:
            return None if found is None else self._believed(found)
        return look if found.reading.grid == before else found

    @property
    def _may_search(self) -> bool:
        """Whether the last search is long enough ago."""
        return self._obstruction is None or self._obstruction.is_time_to_search

    def _search(self) -> Look | None:
        """Find the board in the whole window."""
        if self._obstruction is not None:
            self._obstruction.note_search()
        frame = self._window.grab()
        boards = [board for board in find_boards(frame, self._skins) if not board.grid.cut]
        return self._begun(max(boards, key=lambda board: board.n_known), frame) if boards else None

    def _begun(self, found: FoundBoard, frame: Frame) -> Look:
        """The first look at a board that was found."""
        mines = self._count(found.grid, found.skin, frame)
        self._reader = Reader(found.skin, found.grid, mines)
        self._watch = BorderWatch(frame, found.grid)
        board = frame.crop(found.grid.region)
        reading = self._reader.read(board)
        return Look(board, reading, is_whole(reading, self._now_excused(reading)))

    def _count(self, grid: Grid, skin: Skin, frame: Frame) -> int | None:
        """How many mines a board has."""
        self._given_for = self._given_for or grid.shape
        given = self._given if grid.shape == self._given_for else None
        _, count = count_on(frame, read_board(frame, grid, skin), skin, given)
        if count.remark and count.remark == self._doubt and count.remark not in self._told:
            self._told.add(count.remark)
            self._remark(count.remark)
        self._doubt = count.remark
        return count.mines

    def _recounted(self, look: Look) -> Look:
        """The same look with the mine count read again."""
        assert self._reader is not None, "something was read"
        grid, skin = self._reader.grid, self._reader.skin
        self._reader.mines = self._count(grid, skin, self._window.grab())
        return Look(look.frame, self._reader.read(look.frame), look.is_whole)
