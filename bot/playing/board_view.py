"""One live board: looks at it, waits until it stands still, and finds it again where its window went.

Player, coach and calibration watch a board with the same `BoardView`; an observation is a frozen value. It captures; it
never clicks or decides. What an observation means is known to who asked for it. What differs is given as parts:

| part | is |
|---|---|
| source | where pictures come from: the screen, or one window's own picture |
| board | says what a picture shows: `KnownBoard` reads it by a skin; calibration has one of unknown appearances |
| surroundings | tell by what lies around it whether the board is in its place: `BorderWatch`, or calibration's |
| settling | when it stands still: `StandsStill`, `BecomesWhole`, or calibration's |
| search | finds the board again, and says whether it is another one then |

`BoardSearch` is the search of who plays. Found again is only a board in the skin of the one that was lost from sight,
in a window of the same program, and only where it continues the game that is on, lies in the very same window or, if
that is gone or not known, stands where the old one stood: no other board on the screen is ever played instead.
"""

from __future__ import annotations

import time
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import numpy as np

from bot.errors import UsageError
from bot.models import Pixel
from bot.playing.transitions import continues
from bot.vision.board_edge import show_border, watch_border
from bot.vision.cell_edges import has_lines_of
from bot.vision.finding import check_whole, find_boards, locate_board
from bot.vision.mine_counter import MineCount, count_on, known_count
from bot.vision.reading import Reader, is_half_painted, read_board
from solver.board import UNREADABLE, GameState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bot.desktop import Desktop, Screen
    from bot.models import FoundBoard, Frame, Grid, Reading, Region
    from bot.playing.control import Control, FocusWatch
    from bot.vision.reading import IgnoredFlags
    from skins.skin import Skin
    from solver.topology import Cell

R = TypeVar("R")
_SETTLE_POLL_S = 0.004
"""Pause between two observations. A repaint takes 2 to 25 ms in the clones that were measured."""
_WHOLE_POLL_S = 0.001  # pause between two observations in a burst of clicks: a held cell is soon up again
SETTLE_S = 1.5  # longest time that a picture stays half painted before it is taken for what it is, in seconds
COUNT_TRIES = 5
_COUNT_PAUSE_S = 0.2
_CORNER_PX = 2  # boards whose corners are no farther apart are in the same place


@dataclass(frozen=True, eq=False)
class Observation(Generic[R]):
    """What was seen of a board at one moment.

    Attributes:
        frame: the board, and nothing around it.
        wide: the board with what lies around it.
        reading: what the board shows; None where its appearances have no meaning yet.
        is_in_place: whether what lies around the board is what it was when the board was found.
        is_half_painted: whether the picture cannot be a whole one.
        is_whole: whether every cell can be read and the picture is not half painted. Where nothing is read, nothing
            speaks against it.
    """

    frame: Frame
    wide: Frame
    reading: R
    is_in_place: bool
    is_half_painted: bool
    is_whole: bool

    @property
    def is_sure(self) -> bool:
        """Whether all of it can be believed; else cells may be hidden, or in the middle of a repaint."""
        return self.is_in_place and self.is_whole

    def shows_same_as(self, other: Observation[R]) -> bool:
        """Whether the board has the same pixels in both."""
        return np.array_equal(self.frame.pixels_bgr, other.frame.pixels_bgr)

    def pixels(self, region: Region) -> bytes:
        """The pixels of a part of the board."""
        return self.wide.crop(region).pixels_bgr.tobytes()


class _Source(Protocol):
    """Where pictures come from."""

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, or of everything."""


class _Board(Protocol[R]):
    """One board in one place, and how its pictures are read."""

    @property
    def grid(self) -> Grid:
        """Where it lies."""

    def read(self, frame: Frame) -> R:
        """What a picture shows that shows at least the board."""

    def is_half_painted(self, reading: R) -> bool:
        """Whether what was read cannot be a whole picture."""

    def has_unknown(self, reading: R) -> bool:
        """Whether some cells could not be read."""


B = TypeVar("B", bound=_Board[Any])


class _Surroundings(Protocol):
    """What lies around a board."""

    @property
    def region(self) -> Region:
        """What a picture must show at least."""

    def is_still_there(self, frame: Frame) -> bool:
        """Whether a picture shows what there was."""

    def forgive(self, frame: Frame) -> None:
        """The board is known to be in its place on this picture: what changed around it changes by itself."""


@dataclass(frozen=True, eq=False)
class Found(Generic[B]):
    """What a search has found.

    Attributes:
        frame: shows the board and what lies around it.
        board: another board, or the same in another place, with its surroundings; None where it is where it was.
        is_by_lines: whether the lines between its cells say so: nothing lies over it, though it may be dimmed.
    """

    frame: Frame
    board: tuple[B, _Surroundings] | None = None
    is_by_lines: bool = False


class _Settling(Protocol[R]):
    """When a board has settled."""

    def wait(self, view: BoardView[Any, R]) -> Observation[R]:
        """Look until it has."""


class BoardView(Generic[B, R]):
    """Watches one board.

    Args:
        source: where pictures come from.
        control: asked while waiting.
        board: which, and how it is read.
        surroundings: tell whether it is in its place.
        settling: when it stands still, unless `settled` is told otherwise.
        search: finds it again; given the last observation of who asks. None where it finds nothing.
    """

    def __init__(
        self,
        source: _Source,
        control: Control,
        board: B,
        surroundings: _Surroundings,
        *,
        settling: _Settling[R],
        search: Callable[[Observation[R] | None], Found[B] | None] = lambda _: None,
    ) -> None:
        self._source = source
        self._control = control
        self._surroundings = surroundings
        self._settling = settling
        self._search = search
        self.board = board
        """The board that is watched now."""

    @property
    def grid(self) -> Grid:
        """Where it lies."""
        return self.board.grid

    def look(self) -> Observation[R]:
        """See the board as it is now, settled or not."""
        return self.seen_on(self._source.grab(self._surroundings.region))

    def seen_on(self, frame: Frame) -> Observation[R]:
        """What a picture shows that was taken already: it shows at least the board and what lies around it."""
        reading = self.board.read(frame)
        is_half = self.board.is_half_painted(reading)
        return Observation(
            frame=frame.crop(self.grid.region),
            wide=frame,
            reading=reading,
            is_in_place=self._surroundings.is_still_there(frame),
            is_half_painted=is_half,
            is_whole=not is_half and not self.board.has_unknown(reading),
        )

    def iter_observations(self, poll_s: float) -> Iterator[Observation[R]]:
        """Look again and again, with a pause between.

        Raises:
            Aborted: the abort key was pressed meanwhile.
        """
        while True:
            yield self.look()
            self._control.wait(poll_s)

    def settled(self, settling: _Settling[R] | None = None) -> Observation[R]:
        """Look until the board has settled.

        Raises:
            Aborted: the abort key was pressed meanwhile.
        """
        return (settling or self._settling).wait(self)

    def relocate(self, seen: Observation[R] | None = None) -> Observation[R] | None:
        """Find the board where it went, and watch it there; None where it is nowhere to be seen.

        Where it is in its place, what changed around it changes by itself. That is not believed where part of the board
        is hidden: what hides it may lie over the edge too.

        Args:
            seen: the last observation; a search may use its picture instead of taking one.

        Returns:
            What the picture shows on which it was found.
        """
        found = self._search(seen)
        if found is None:
            return None
        if found.board is not None:
            self.watch(*found.board)
        now = self.seen_on(found.frame)
        if now.is_whole or found.is_by_lines:
            self._surroundings.forgive(found.frame)
            return replace(now, is_in_place=True)
        return now

    def accept(self, seen: Observation[R]) -> None:
        """From now on what lies around the board in this observation may lie there."""
        self._surroundings.forgive(seen.wide)

    def watch(self, board: B, surroundings: _Surroundings) -> None:
        """Watch this board from now on."""
        self.board, self._surroundings = board, surroundings

    def is_in_place(self) -> bool:
        """Whether what lies around the board is now what it was when the board was found; nothing is read."""
        return self._surroundings.is_still_there(self._source.grab(self._surroundings.region))

    def is_as_seen(self, pixel: Pixel, seen: Observation[R] | None = None) -> bool:
        """Whether the cell at a pixel, and what lies around the board, show what they did when seen.

        The screen is looked at once more, but nothing is read: reading takes longer than all else before a click, and
        meanwhile a window may move.

        Args:
            pixel: where; beside the board only what lies around it is compared.
            seen: what was observed; needed for a cell.
        """
        frame = self._source.grab(self._surroundings.region)
        if not self._surroundings.is_still_there(frame):
            return False
        cell = self.grid.cell_at(pixel)
        if cell is None:
            return True
        assert seen is not None, "a cell is clicked by what was seen of it"
        region = self.grid.cell_region(cell)
        return frame.crop(region).pixels_bgr.tobytes() == seen.pixels(region)

    def wait_for_change(self, cell: Cell, seen: Observation[R], at_most_s: float, poll_s: float) -> bool:
        """Wait until a cell shows something else than it did when seen; whether it does.

        Looking at one cell is cheaper than at the board, for the game too.

        Raises:
            Aborted: the abort key was pressed meanwhile.
        """
        deadline = time.perf_counter() + at_most_s
        region = self.grid.cell_region(cell)
        before = seen.pixels(region)
        while True:
            self._control.wait(poll_s)
            if self._source.grab(region).pixels_bgr.tobytes() != before:
                return True
            if time.perf_counter() > deadline:
                return False


@dataclass(frozen=True, slots=True)
class StandsStill:
    """Two observations in a row are equal, and the picture is whole.

    A picture that stays unreadable or half painted is taken as it is in the end, one that is out of place at once:
    the caller decides.

    Attributes:
        patience_s: how long to wait for that.
    """

    patience_s: float = SETTLE_S

    def wait(self, view: BoardView[Any, Reading]) -> Observation[Reading]:
        """Look until it does."""
        deadline = time.perf_counter() + self.patience_s
        observations = view.iter_observations(_SETTLE_POLL_S)
        before = next(observations)
        for seen in observations:
            is_still = np.array_equal(before.reading.board.cells, seen.reading.board.cells)
            if is_still and (seen.is_whole or not seen.is_in_place):
                return seen
            if time.perf_counter() > deadline:
                return seen
            before = seen
        raise AssertionError("observations never end")


@dataclass(frozen=True, slots=True)
class BecomesWhole:
    """One picture is whole: every cell readable, none half painted.

    A picture that does not become whole for `SETTLE_S` is taken as it is, one that is out of place at once: the caller
    decides.
    """

    def wait(self, view: BoardView[Any, Reading]) -> Observation[Reading]:
        """Look until it is."""
        deadline = time.perf_counter() + SETTLE_S
        for seen in view.iter_observations(_WHOLE_POLL_S):
            if seen.is_whole or not seen.is_in_place or time.perf_counter() > deadline:
                return seen
        raise AssertionError("observations never end")


class KnownBoard:
    """A board that is read by its skin.

    Args:
        found: where it lies, and its skin.
        mines: how many mines it has, None where that is not known.
        ignored: closed cells that may stand beside an open 0 in a reading, besides `ignored_flags`.
    """

    def __init__(
        self,
        found: FoundBoard,
        mines: int | None,
        ignored: Callable[[Reading], IgnoredFlags] = lambda _: frozenset(),
    ) -> None:
        self.found = found
        self._ignored = ignored
        self._reader = Reader(found.skin, found.grid, mines)
        self.ignored_flags: frozenset[Cell] = frozenset()
        """Closed cells that may stand beside an open 0: the bot took a flag off them."""

    @property
    def grid(self) -> Grid:
        """Where it lies."""
        return self.found.grid

    @property
    def skin(self) -> Skin:
        """How it looks."""
        return self.found.skin

    @property
    def mines(self) -> int | None:
        """How many mines it has."""
        return self._reader.mines

    @mines.setter
    def mines(self, mines: int | None) -> None:
        self._reader.mines = mines

    def set_skin(self, skin: Skin) -> None:
        """From now on the board looks so."""
        self.found = replace(self.found, skin=skin)
        self._reader = Reader(skin, self.grid, self.mines)

    def read(self, frame: Frame) -> Reading:
        """Read the board: by its own pixels alone, as what lies around it may be anything."""
        return self._reader.read(frame.crop(self.grid.region))

    def is_half_painted(self, reading: Reading) -> bool:
        """Whether an open 0 touches a closed cell: cells are held down, or a flood is on its way."""
        return is_half_painted(reading, self.ignored_flags | self._ignored(reading))

    def has_unknown(self, reading: Reading) -> bool:
        """Whether some cells cannot be read."""
        return bool(reading.unknown)

    def count_mines(self, frame: Frame, given: int | None) -> MineCount:
        """How many mines it has, by a picture that shows its counter.

        Raises:
            UsageError: what was given cannot be.
        """
        return count_on(frame, read_board(frame, self.grid, self.skin), self.skin, given)[1]


GameView: TypeAlias = BoardView[KnownBoard, "Reading"]
"""How a board that is read is watched."""
GameObservation: TypeAlias = Observation["Reading"]
"""An observation of a board that is read."""


def watch_known(
    source: _Source,
    control: Control,
    board: KnownBoard,
    frame: Frame,
    search: Callable[[GameObservation | None], Found[KnownBoard] | None] = lambda _: None,
) -> GameView:
    """Watch a board that is read.

    Args:
        source: where pictures come from.
        control: asked while waiting.
        board: which.
        frame: shows it and what lies around it.
        search: finds it again.
    """
    return BoardView(
        source, control, board, watch_border(frame, board.grid, board.skin), settling=StandsStill(), search=search
    )


@dataclass(frozen=True, slots=True)
class Place:
    """A board on the screen.

    Attributes:
        board: where it is and how it looks.
        mines: how many mines it has.
        frame: the picture it was found on.
        remark: what a person should know of the mine count; empty when nothing.
        is_by_lines: whether the lines between its cells say that it is where it was: nothing lies over it, and it may
            look otherwise, as on a page that dims a finished game.
    """

    board: FoundBoard
    mines: int
    frame: Frame
    remark: str = ""
    is_by_lines: bool = False


class BoardSearch:
    """Looks for boards.

    Args:
        screen: where pictures come from.
        skins: what a board may look like.
        control: asked while waiting.
        region: where on the screen to look; None for everywhere.
        mines: the mine count as given by a person, None to take it from the clone's counter or the board's size.
        is_whole: whether a person says that all of the board is seen, whatever lies beside it.
    """

    def __init__(
        self,
        screen: Screen,
        skins: Sequence[Skin],
        control: Control,
        *,
        region: Region | None = None,
        mines: int | None = None,
        is_whole: bool = False,
    ) -> None:
        self._screen = screen
        self._skins = skins
        self._is_whole = is_whole
        self._control = control
        self._region = region
        self._mines = mines
        self._shape: tuple[int, ...] | None = None

    def first(self, desktop: Desktop | None = None) -> Place:
        """The board that is meant: under the pointer, then in the window with the keyboard, then the best recognised.

        Args:
            desktop: knows the pointer and the windows; None where nobody does.

        Raises:
            Aborted: the abort key was pressed meanwhile.
            BoardNotFoundError: there is none; the message says what was looked for and how near it came.
            ClippedBoardError: it is not seen whole.
            UsageError: its mine count is not known.
        """
        pointer = None if desktop is None else desktop.mouse.position()
        focused = None if desktop is None else desktop.programs.focused_window()

        def rank(board: FoundBoard) -> tuple[bool, ...]:
            is_pointed_at = pointer is not None and board.grid.region.has_pixel(pointer)
            if desktop is None or focused is None:
                return is_pointed_at, False
            return is_pointed_at, any(desktop.programs.window_at(point) == focused for point in _points(board.grid))

        frame = self._screen.grab(self._region)
        with self._control.thinking():
            board = locate_board(frame, self._skins, rank, is_whole=self._is_whole)
        check_whole(board.grid, frame)
        return self._placed(board, frame)

    def again(self, lost: FoundBoard, known: Reading | None, focus: FocusWatch) -> Place | None:
        """The board that was lost from sight, None where it is nowhere to be seen.

        Args:
            lost: where it was.
            known: the last reading of its game, None where none was on.
            focus: knows the windows of the program that is played: boards in others are not looked at.

        Raises:
            Aborted: the abort key was pressed meanwhile.
            ClippedBoardError: nothing but boards that are not seen whole.
        """
        frame = self._screen.grab(self._region)
        with self._control.thinking():
            found = find_boards(frame, [lost.skin], is_whole=self._is_whole)
        seen = [board for board in found if focus.is_played(_points(board.grid))]
        boards = [_where_it_was(board, lost, frame) for board in seen if not board.grid.clipped]
        elsewhere = [board for board in seen if not lost.grid.region.holds(board.grid.region)]
        if elsewhere and not boards:  # what shows within its old place is what something leaves of it
            check_whole(max(elsewhere, key=lambda board: board.n_known).grid, frame)
        boards.sort(key=lambda board: _distance(board.grid, lost.grid))
        if known is not None and known.board.mines is not None:
            for board in (board for board in boards if board.grid.shape == known.board.shape):
                if _goes_on(read_board(frame, board.grid, board.skin, known.board.mines), known):
                    return Place(board, known.board.mines, frame)
        for board in boards:
            if board.grid.shape != lost.grid.shape and not all(show_border(board.grid, frame, board.skin).values()):
                continue  # it may be what a window leaves of one
            if self._is_of_window(board, frame, focus) or (
                not focus.has_window and _stands_for(board, lost, known, frame)
            ):
                try:
                    return self._placed(board, frame)
                except UsageError:
                    continue
        if known is not None and known.board.mines is not None and _has_its_lines(lost, frame, focus):
            return Place(lost, known.board.mines, frame, is_by_lines=True)
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
            has_its_cells = skin.pitch_px == board.skin.pitch_px and skin.drawing.has_one_size
            if skin.name == board.skin.name or not (has_its_cells and board.skin.drawing.has_one_size):
                continue
            other = read_board(frame, board.grid, skin, reading.board.mines)
            cells, others = reading.board.cells, other.board.cells
            is_alike = (cells == others) | (cells == UNREADABLE) | (others == UNREADABLE)
            if len(other.unknown) < fewest and is_alike.all():
                best, fewest = skin, len(other.unknown)
        return best

    def _is_of_window(self, board: FoundBoard, frame: Frame, focus: FocusWatch) -> bool:
        """Whether it is known that a board lies in the very window that is played: that shows wherever its cells do."""
        shown = _shown(read_board(frame, board.grid, board.skin))
        return bool(shown) and focus.is_all_of_window(shown)

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
            count = KnownBoard(board, None).count_mines(frame, given)
            if not count.remark or count == before:
                return count
            before = count
            self._control.wait(_COUNT_PAUSE_S)
        return MineCount(remark="the mine counter does not stand still")


def corners_of(grid: Grid, cells: Iterable[Cell]) -> Iterator[Pixel]:
    """Pixels that no window can miss that lies over one of these cells, but for one smaller than a cell."""
    for cell in cells:
        left, top, width, height = astuple(grid.cell_region(cell))
        yield from (Pixel(x, y) for x in (left, left + width - 1) for y in (top, top + height - 1))


def first_shown(reading: Reading) -> Pixel | None:
    """The middle of the first cell that can be read: nothing lies over it. None where none can."""
    unknown = set(reading.unknown)
    cell = next((cell for cell in np.ndindex(reading.board.shape) if cell not in unknown), None)
    return None if cell is None else reading.grid.cell_region(cell).middle


def _shown(reading: Reading) -> list[Pixel]:
    """The points of a board at which a cell shows that can be read."""
    unknown = set(reading.unknown)
    cells = ((reading.grid.cell_at(point), point) for point in _points(reading.grid))
    return [point for cell, point in cells if cell is not None and cell not in unknown]


def _points(grid: Grid) -> Iterator[Pixel]:
    """The middles of five cells, in a board's middle and corners: something may lie over some of them."""
    yield grid.place_region(grid.rows // 2, grid.cols // 2).middle
    for row in (0, grid.rows - 1):
        for col in (0, grid.cols - 1):
            yield grid.place_region(row, col).middle


def _distance(a: Grid, b: Grid) -> int:
    return abs(a.origin.x - b.origin.x) + abs(a.origin.y - b.origin.y)


def _has_its_lines(board: FoundBoard, frame: Frame, focus: FocusWatch) -> bool:
    """Whether a board is where it was in its window, by the lines between its cells."""
    is_told = board.skin.drawing.is_told_by_lines and focus.is_all_of_window(_points(board.grid))
    return is_told and has_lines_of(frame, board.grid)


def _where_it_was(board: FoundBoard, lost: FoundBoard, frame: Frame) -> FoundBoard:
    """The board, in its old place if it reads as well there. Some skins do not tell to the pixel where cells begin."""
    old = lost.grid
    if (board.grid.shape, board.grid.pitch_px) != (old.shape, old.pitch_px) or _distance(board.grid, old) > _CORNER_PX:
        return board
    there, here = (len(read_board(frame, grid, board.skin).unknown) for grid in (old, board.grid))
    return replace(board, grid=old) if there <= here else board


def _goes_on(now: Reading, known: Reading) -> bool:
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
