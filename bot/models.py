"""The language of the bot: small frozen values that everything else passes along.

Data flows one way: Frame -> Reading -> Board -> Analysis -> Move -> Click. A frame is seen, a reading is believed;
`solver.Board`, `solver.Analysis` and `solver.Move` are known and decided; a click is done. Cells (row, col) and
pixels (x, y) are two types and never meet except in `Grid`.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from bot.blocks import Blocks
    from skins.skin import Skin
    from solver.board import Board, GameState
    from solver.topology import Cell


class Pixel(NamedTuple):
    """A place on the screen, in pixels; other monitors may have negative coordinates."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of the screen, in pixels: right and bottom edges are outside."""

    left: int
    top: int
    width: int
    height: int

    def holds(self, other: Region) -> bool:
        """Whether all of another region lies in it."""
        fits_across = self.left <= other.left and other.right <= self.right
        return fits_across and self.top <= other.top and other.bottom <= self.bottom

    def widened(self, px: int, within: Region) -> Region:
        """This region with `px` more pixels on each side; what lies outside `within` is cut off."""
        return Region(self.left - px, self.top - px, self.width + 2 * px, self.height + 2 * px).shared(within)

    def shared(self, other: Region) -> Region:
        """What this region and another one have in common: of no width or height where they do not meet."""
        left, top = max(self.left, other.left), max(self.top, other.top)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Region(left, top, max(0, right - left), max(0, bottom - top))

    def has_pixel(self, pixel: Pixel) -> bool:
        """Whether `pixel` lies inside."""
        inside_x = self.left <= pixel.x < self.right
        return inside_x and self.top <= pixel.y < self.bottom

    @property
    def right(self) -> int:
        """The first column beyond it."""
        return self.left + self.width

    @property
    def bottom(self) -> int:
        """The first row below it."""
        return self.top + self.height

    @property
    def n_pixels(self) -> int:
        """How many pixels it has."""
        return self.width * self.height

    @property
    def slices(self) -> tuple[slice, slice]:
        """Its rows and columns in a picture whose first pixel is (0, 0)."""
        return slice(self.top, self.bottom), slice(self.left, self.right)

    @property
    def corner(self) -> Pixel:
        """The top left pixel."""
        return Pixel(self.left, self.top)

    @property
    def middle(self) -> Pixel:
        """The pixel in the middle."""
        return Pixel(self.left + self.width // 2, self.top + self.height // 2)


@dataclass(frozen=True, eq=False)
class Frame:
    """A grabbed picture and where on the screen it was.

    Attributes:
        pixels_bgr: uint8, height x width x 3, channels blue, green, red.
        left: screen x of the first column.
        top: screen y of the first row.
    """

    pixels_bgr: NDArray[np.uint8]
    left: int = 0
    top: int = 0

    @property
    def region(self) -> Region:
        """The rectangle of the screen it shows."""
        height, width = self.pixels_bgr.shape[:2]
        return Region(self.left, self.top, width, height)

    def crop(self, region: Region) -> Frame:
        """The part of this frame that shows `region`, which must lie inside."""
        x, y = region.left - self.left, region.top - self.top
        pixels = self.pixels_bgr[y : y + region.height, x : x + region.width]
        return Frame(pixels, region.left, region.top)


@dataclass(frozen=True, eq=False)
class Sheet:
    """Something to be drawn over the screen.

    Attributes:
        picture: what it looks like, and where it goes.
        is_drawn: bool, height x width: the pixels that are covered; through all others the screen is seen.
    """

    picture: Frame
    is_drawn: NDArray[np.bool_]


class Kernel(Enum):
    """How a picture was enlarged."""

    NEAREST = "nearest"
    CORNER = "corner"
    """The nearest neighbour of a pixel's corner, not of its middle."""
    LINEAR = "linear"
    CUBIC = "cubic"
    AREA = "area"
    CELLWISE = "cellwise"
    """Every cell by itself, between whole pixels: a clone that draws its cells in two sizes."""


@dataclass(frozen=True)
class Grid:
    """Where a board lies on the screen.

    A board at another scale than the clone's own may have cells of, say, 22 and 23 pixels: edges lie at
    `origin + offset_px + k * pitch_px`, rounded, or where they are given one by one.

    Attributes:
        origin: top left pixel of cell (0, 0).
        pitch_px: (width, height) from cell to cell.
        rows: cells from top to bottom.
        cols: cells from left to right.
        offset_px: how far the exact corner of cell (0, 0) lies right of and below `origin`, -0.5 to 0.5.
        x_edges: where columns begin and the last one ends, cols + 1 pixels, for clones that do not space them evenly;
            likewise `y_edges`, for rows.
        cell_px: (width, height) of a cell where gaps lie right of it and below; None where cells touch.
        blocks: how the cells of a board of other than two dimensions are laid out; None for boards of two.
        clipped: past which sides (`solver.board.SIDES`) the board may go on where it cannot be seen.
        kernel: how the clone's own pixels were enlarged, where that is known; it makes no other grid.
        is_redrawn: whether the clone drew its cells anew at this size; that makes no other grid either.
    """

    origin: Pixel
    pitch_px: tuple[float, float]
    rows: int
    cols: int
    offset_px: tuple[float, float] = (0.0, 0.0)
    x_edges: tuple[int, ...] | None = None
    y_edges: tuple[int, ...] | None = None
    cell_px: tuple[int, int] | None = None
    blocks: Blocks | None = None
    clipped: frozenset[str] = frozenset()
    kernel: Kernel | None = field(default=None, compare=False)
    is_redrawn: bool = field(default=False, compare=False)

    @classmethod
    def at(cls, corner: tuple[float, float], pitch_px: tuple[float, float], rows: int, cols: int) -> Grid:
        """The grid whose exact corner (x, y) need not lie on a whole pixel."""
        origin = Pixel(_rounded(corner[0]), _rounded(corner[1]))
        return cls(origin, pitch_px, rows, cols, (corner[0] - origin.x, corner[1] - origin.y))

    @classmethod
    def of_edges(cls, x_edges: Sequence[int], y_edges: Sequence[int]) -> Grid:
        """The grid with these edges; where all cells are equally large it is no other than that of their pitch."""
        rows, cols = len(y_edges) - 1, len(x_edges) - 1
        origin = Pixel(x_edges[0], y_edges[0])
        widths, heights = ({b - a for a, b in pairwise(edges)} for edges in (x_edges, y_edges))
        if len(widths) == len(heights) == 1:
            return cls(origin, (widths.pop(), heights.pop()), rows, cols)
        pitch = (x_edges[-1] - origin.x) / cols, (y_edges[-1] - origin.y) / rows
        return cls(origin, pitch, rows, cols, x_edges=tuple(x_edges), y_edges=tuple(y_edges))

    @property
    def corner(self) -> tuple[float, float]:
        """The exact (x, y) of the top left corner."""
        return self.origin.x + self.offset_px[0], self.origin.y + self.offset_px[1]

    @property
    def is_whole(self) -> bool:
        """Whether every cell begins on a whole pixel and is equally large."""
        is_even = self.x_edges is None and self.y_edges is None
        return is_even and not any(self.offset_px) and all(float(pitch).is_integer() for pitch in self.pitch_px)

    @cached_property
    def region(self) -> Region:
        """The rectangle of the screen that the cells fill."""
        left, top = self._edge(0, 0), self._edge(1, 0)
        return Region(left, top, self._edge(0, self.cols) - left, self._edge(1, self.rows) - top)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the board: (rows, cols), or all sides of one in blocks."""
        return (self.rows, self.cols) if self.blocks is None else self.blocks.shape

    def is_near(self, other: Grid, px: float) -> bool:
        """Whether both have the same size in cells, and their corners are at most `px` pixels apart along each axis."""
        apart = max(abs(a - b) for a, b in zip(self.corner, other.corner, strict=True))
        return (self.rows, self.cols) == (other.rows, other.cols) and apart <= px

    def cell_region(self, cell: Cell) -> Region:
        """The rectangle of one cell of the board."""
        row, col = cell if self.blocks is None else self.blocks.place_of(cell)
        return self.place_region(row, col)

    def place_region(self, row: int, col: int) -> Region:
        """The rectangle of the cell in a row and column as they lie on the screen."""
        left, top = self._edge(0, col), self._edge(1, row)
        if self.cell_px is not None:
            return Region(left, top, *self.cell_px)
        return Region(left, top, self._edge(0, col + 1) - left, self._edge(1, row + 1) - top)

    def line_name(self, axis: int, k: int) -> str:
        """What the cells of a column (axis 0) or row (axis 1) of the screen have in common, as a person reads it.

        Its number; on a board in blocks the indices, such as y and w of the cells (x, y, z, w) of a column.
        """
        return str(k) if self.blocks is None else ",".join(map(str, self.blocks.indices(axis, k)))

    def cell_at(self, pixel: Pixel) -> Cell | None:
        """The cell that shows at a pixel, None outside the board and between cells."""
        if not self.region.has_pixel(pixel):
            return None
        row, col = bisect_right(self.edges(1), pixel.y) - 1, bisect_right(self.edges(0), pixel.x) - 1
        return self.cell_of(row * self.cols + col) if self.place_region(row, col).has_pixel(pixel) else None

    def cell_of(self, number: int) -> Cell:
        """The cell at a place of the screen, counted row by row."""
        place = divmod(number, self.cols)
        return place if self.blocks is None else self.blocks.cell_at(place)

    def to_board(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of all cells, row by row on the screen, in the shape of the board."""
        return values.reshape(self.shape) if self.blocks is None else self.blocks.to_board(values)

    def edges(self, axis: int) -> list[int]:
        """Where cells begin along x (axis 0) or y (axis 1), and where the last one ends: whole pixels."""
        return [self._edge(axis, k) for k in range((self.cols, self.rows)[axis] + 1)]

    def _edge(self, axis: int, k: int) -> int:
        given = (self.x_edges, self.y_edges)[axis]
        if given is not None:
            return given[k]
        return _rounded(self.origin[axis] + self.offset_px[axis] + k * self.pitch_px[axis])


def _rounded(value: float) -> int:
    """The nearest whole number, halves up: never towards the even one, so that equal cells stay equal."""
    return math.floor(value + 0.5)


@dataclass(frozen=True, eq=False)
class FoundBoard:
    """A board on a frame.

    Attributes:
        skin: the one it was found by.
        grid: where it lies.
        n_known: how many of its cells were recognised at a glance.
        n_named: how many of those by all of their pixels, not by their rim alone: of two skins that draw closed
            cells alike, the right one names more.
    """

    skin: Skin
    grid: Grid
    n_known: int
    n_named: int = 0


@dataclass(frozen=True, eq=False)
class Reading:
    """What the reader believes one frame shows.

    Attributes:
        skin: the name of the skin it was read with.
        grid: where the board lies.
        board: the cells; what could not be named is `solver.board.UNREADABLE`.
        scores: float64, of the board's shape: 1.0 exact, down to 0.0 for unreadable.
        unknown: the unreadable cells, row by row.
        state: fresh, playing, won, lost, or unknown where it is over and the board does not show how.
        alternatives: for cells whose pixels the skin draws for several states that mean different things: those
            states; the board says unreadable there.
        floods: whether an open 0 opens its neighbours in this clone.
        shift: the colour of closed cells (B, G, R), the skin's own and the one shown, where it is read in other colours
            than its own.
    """

    skin: str
    grid: Grid
    board: Board
    scores: NDArray[np.float64]
    unknown: tuple[Cell, ...]
    state: GameState
    alternatives: Mapping[Cell, frozenset[str]] = field(default_factory=dict)
    floods: bool = True
    shift: tuple[tuple[int, int, int], tuple[int, int, int]] | None = None


class Button(Enum):
    """A mouse button."""

    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"
    BOTH = "left and right"


@dataclass(frozen=True, slots=True)
class Click:
    """One physical click: where and with which button."""

    pixel: Pixel
    button: Button = Button.LEFT


class Refusal(Enum):
    """Why a click was not made."""

    COVERED = "another window is where it was to go"
    HELD = "a key or a mouse button is held down"


@dataclass(frozen=True, slots=True)
class Held:
    """What a person holds down: a click of the bot's would go with it, or let it go.

    Attributes:
        keys: the keys that make another click of a click, such as "Shift".
        has_button: whether a button of the mouse is.
        has_click: whether the button of the bot's last click still counts as pressed: the window manager holds it back.
    """

    keys: tuple[str, ...] = ()
    has_button: bool = False
    has_click: bool = False

    def __bool__(self) -> bool:
        """Whether anything is."""
        return self.has_button or self.has_click or bool(self.keys)
