"""The board on the screen: finds it, looks at it until it stands still, and finds it again where its window went.

Knows how long to wait; what a look means is known to `transitions`. Captures; never clicks or decides.

Found again is only a board in the look of the one that was lost from sight, in a window of the same program, and only
where it continues the game that is on, or stands where the old one stood: no other board on the screen is ever played
instead.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import UsageError
from bot.playing.transitions import continues, is_whole
from bot.vision.board_edge import BorderWatch, ends_everywhere
from bot.vision.finding import check_whole, find_boards, locate_board
from bot.vision.mine_counter import MineCount, count_on, known_count
from bot.vision.reading import Reader, read_board
from solver.board import UNREADABLE, GameState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.desktop import Screen
    from bot.models import Frame, Grid, Pixel, Reading, Region
    from bot.playing.control import Control
    from bot.playing.focus import FocusWatch
    from bot.vision.finding import FoundBoard
    from skins.skin import Skin
    from solver.topology import Cell


COUNT_TRIES = 5
_COUNT_PAUSE_S = 0.2
_CORNER_PX = 2
"""Boards whose corners are no farther apart are in the same place."""


@dataclass(frozen=True, slots=True)
class Place:
    """A board on the screen.

    Attributes:
        board: where it is and how it looks.
        mines: how many mines it has.
        frame: the picture it was found on.
        remark: what a person should know of the mine count; empty when nothing.
    """

    board: FoundBoard
    mines: int
    frame: Frame
    remark: str = ""


class BoardSearch:
    """Looks for boards.

    Args:
        screen: where pictures come from.
        skins: what a board may look like.
        control: asked while waiting.
        region: where on the screen to look; None for everywhere.
        mines: the mine count as given by a person, None to take it from the clone's counter or the board's size.
    """

    def __init__(
        self,
        screen: Screen,
        skins: Sequence[Skin],
        control: Control,
        *,
        region: Region | None = None,
        mines: int | None = None,
    ) -> None:
        self._screen = screen
        self._skins = skins
        self._control = control
        self._region = region
        self._mines = mines
        self._shape: tuple[int, ...] | None = None

    def first(self) -> Place:
        """The board with the most recognised cells.

        Raises:
            Aborted: the abort key was pressed meanwhile.
            BoardNotFoundError: there is none; the message says what was looked for and how near it came.
            CutBoardError: it is not seen whole.
            UsageError: its mine count is not known.
        """
        frame = self._screen.grab(self._region)
        board = locate_board(frame, self._skins)
        check_whole(board.grid)
        return self._placed(board, frame)

    def again(self, lost: FoundBoard, known: Reading | None, focus: FocusWatch) -> Place | None:
        """The board that was lost from sight, None where it is nowhere to be seen.

        Args:
            lost: where it was.
            known: the last reading of its game, None where none was on.
            focus: knows the windows of the program that is played: boards in others are not looked at.

        Raises:
            Aborted: the abort key was pressed meanwhile.
            CutBoardError: nothing but boards that are not seen whole.
        """
        frame = self._screen.grab(self._region)
        seen = [board for board in find_boards(frame, [lost.skin]) if focus.is_played(_points(board.grid))]
        boards = [board for board in seen if not board.grid.cut]
        if seen and not boards:
            check_whole(max(seen, key=lambda board: board.n_known).grid)
        boards.sort(key=lambda board: _distance(board.grid, lost.grid))
        if known is not None and known.board.mines is not None:
            for board in (board for board in boards if board.grid.shape == known.board.shape):
                if goes_on(read_board(frame, board.grid, board.skin, known.board.mines), known):
                    return Place(board, known.board.mines, frame)
        for board in boards:
            if board.grid.shape != lost.grid.shape and not ends_everywhere(board.grid, frame, board.skin):
                continue  # it may be what a window leaves of one
            if focus.is_same_window(_points(board.grid)) or _stands_for(board, lost, known, frame):
                try:
                    return self._placed(board, frame)
                except UsageError:
                    continue
        return None

    def better_skin(self, board: FoundBoard, frame: Frame, reading: Reading) -> Skin | None:
        """Another skin that reads more of a board, and what both read alike; None where there is none.

        Args:
            board: where it lies, and the skin it is read with.
            frame: shows it.
            reading: what it was read as.
        """
        best, fewest = None, len(reading.unknown)
        for skin in self._skins:
            if skin.name == board.skin.name or not _cuts_alike(skin, board.skin):
                continue
            other = read_board(frame, board.grid, skin, reading.board.mines)
            cells, others = reading.board.cells, other.board.cells
            is_alike = (cells == others) | (cells == UNREADABLE) | (others == UNREADABLE)
            if len(other.unknown) < fewest and is_alike.all():
                best, fewest = skin, len(other.unknown)
        return best

    def _placed(self, board: FoundBoard, frame: Frame) -> Place:
        """The board with its mine count: what a person said is meant for the first board, not for another size."""
        self._shape = self._shape or board.grid.shape
        count = self._count_mines(board, self._mines if board.grid.shape == self._shape else None)
        return Place(board, known_count(count, *board.grid.shape), frame, count.remark)

    def _count_mines(self, board: FoundBoard, given: int | None) -> MineCount:
        """How many mines a board has.

        Where counter and size speak against each other, the screen is looked at until it says the same twice: a
        picture taken while the game paints may show a flag before the counter knows of it.
        """
        before: MineCount | None = None
        for _ in range(COUNT_TRIES):
            frame = self._screen.grab(self._region)
            _, count = count_on(frame, read_board(frame, board.grid, board.skin), board.skin, given)
            if not count.remark or count == before:
                return count
            before = count
            self._control.wait(_COUNT_PAUSE_S)
        return MineCount(remark="the mine counter does not stand still")


def _cuts_alike(one: Skin, two: Skin) -> bool:
    """Whether a board found by one of the skins can be read with the other: both have cells of one size, the same."""
    return one.drawing.has_one_size and two.drawing.has_one_size and one.pitch_px == two.pitch_px


def _points(grid: Grid) -> Iterator[Pixel]:
    """The middle of a board, and of the cells in its corners: something may lie over some of them."""
    yield grid.region.middle
    for row in (0, grid.rows - 1):
        for col in (0, grid.cols - 1):
            yield grid.place_region(row, col).middle


def _distance(a: Grid, b: Grid) -> int:
    return abs(a.origin.x - b.origin.x) + abs(a.origin.y - b.origin.y)


def goes_on(now: Reading, known: Reading) -> bool:
    """Whether a board surely is the one of a game with open cells: at least half of them can be read, none differs."""
    was_open = known.board.cells >= 0
    if not was_open.any() or not continues(now, known):
        return False
    return 2 * int((now.board.cells[was_open] != UNREADABLE).sum()) >= int(was_open.sum())


def _stands_for(board: FoundBoard, lost: FoundBoard, known: Reading | None, frame: Frame) -> bool:
    """Whether another game may be played there, where nothing is known of windows: one with the same corner and cells.

    Anywhere else only the fresh board of a game in which nothing had been opened either. A part of a board, the rest
    hidden by a window, may pass for a smaller board where nothing is known of the border: then no other size is
    believed.
    """
    grid, old = board.grid, lost.grid
    is_alike = grid.shape == old.shape
    if grid.pitch_px == old.pitch_px and _distance(grid, old) <= _CORNER_PX:
        return is_alike or lost.skin.border is not None
    if not is_alike or known is None or (known.board.cells >= 0).any():
        return False
    return read_board(frame, grid, board.skin, known.board.mines).state is GameState.FRESH


POLL_S = 0.004
"""Pause between two looks. A repaint takes 2 to 25 ms in the clones that were measured."""
_WHOLE_POLL_S = 0.001
"""Pause between two looks in a burst of clicks: a held cell is up again within a few milliseconds."""
SETTLE_S = 1.5
"""Longest time that a picture stays half painted before it is taken for what it is, in seconds."""


class BoardView:
    """Captures and reads one board.

    Args:
        screen: where pictures come from.
        place: the board to look at, and the picture it was found on.
        control: asked while waiting.
    """

    def __init__(self, screen: Screen, place: Place, control: Control) -> None:
        self._screen = screen
        self._control = control
        self._reader = Reader(place.board.skin, place.board.grid, place.mines)
        self._watch = BorderWatch(place.frame, place.board.grid)
        self.place = place
        self.grid = place.board.grid
        self.skin = place.board.skin
        self.frame: Frame | None = None
        """The board in the last look."""
        self.is_in_place = True
        """Whether what lies around the board was in the last look as it was when the board was found."""
        self.ignored_flags: frozenset[Cell] = frozenset()
        """Closed cells that may stand beside an open 0: the bot took a flag off them."""

    def wear(self, skin: Skin) -> None:
        """From now on the board looks so."""
        self.place = replace(self.place, board=replace(self.place.board, skin=skin))
        self.skin = skin
        self._reader = Reader(skin, self.grid, self.place.mines)

    def glance(self) -> Reading:
        """Read the board as it is now, settled or not."""
        frame = self._screen.grab(self._watch.region)
        self.is_in_place = self._watch.is_still_there(frame)
        self.frame = frame.crop(self.grid.region)
        return self._reader.read(self.frame)

    def look_at(self, cell: Cell) -> bytes:
        """The pixels of one cell as they are now."""
        return self._screen.grab(self.grid.cell_region(cell)).pixels_bgr.tobytes()

    def seen_of(self, cell: Cell) -> bytes:
        """The pixels of one cell in the last look at the board."""
        assert self.frame is not None, "something was looked at before"
        return self.frame.crop(self.grid.cell_region(cell)).pixels_bgr.tobytes()

    def is_as_seen(self, pixel: Pixel) -> bool:
        """Whether the cell at a pixel, and what lies around the board, show what they did in the last look.

        It is one more look, but nothing is read: reading takes longer than all else between a look and a click, and
        meanwhile a window may move.
        """
        frame = self._screen.grab(self._watch.region)
        cell = self.grid.cell_at(pixel)
        return self._watch.is_still_there(frame) and (
            cell is None or frame.crop(self.grid.cell_region(cell)).pixels_bgr.tobytes() == self.seen_of(cell)
        )

    def is_whole(self, reading: Reading) -> bool:
        """Whether every cell can be read and the picture is not half painted."""
        return is_whole(reading, self.ignored_flags)

    def found_again(self, frame: Frame) -> Reading:
        """Learn from a picture on which the board was found where it was: what changed around it changes by itself.

        That is not believed, and `is_in_place` stays false, where part of the board is hidden: what hides it may lie
        over the edge too.

        Args:
            frame: shows the board and what lies around it.
        """
        reading = self._reader.read(frame.crop(self.grid.region))
        if self.is_whole(reading):
            self._watch.forgive(frame)
            self.is_in_place = True
        return reading

    def settled(self, patience_s: float | None = None) -> Reading:
        """Read the board once two looks in a row are equal and the picture is not half painted.

        A picture that stays unreadable or half painted is returned as it is in the end, one that is out of place at
        once: the caller decides.

        Args:
            patience_s: how long to wait for that; `SETTLE_S` when None.

        Raises:
            Aborted: the abort key was pressed meanwhile.
        """
        deadline = time.perf_counter() + (SETTLE_S if patience_s is None else patience_s)
        reading = self.glance()
        while True:
            self._control.wait(POLL_S)
            before, reading = reading, self.glance()
            still = np.array_equal(before.board.cells, reading.board.cells)
            if still and (self.is_whole(reading) or not self.is_in_place):
                return reading
            if time.perf_counter() > deadline:
                return reading

    def whole(self) -> Reading:
        """Read the board as soon as one picture is whole: every cell readable, none half painted.

        A picture that does not become whole for `SETTLE_S` is returned as it is, one that is out of place at once:
        the caller decides.

        Raises:
            Aborted: the abort key was pressed meanwhile.
        """
        deadline = time.perf_counter() + SETTLE_S
        while True:
            reading = self.glance()
            if self.is_whole(reading) or not self.is_in_place or time.perf_counter() > deadline:
                return reading
            self._control.wait(_WHOLE_POLL_S)
