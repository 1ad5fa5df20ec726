"""The language of the bot: small frozen values that everything else passes along.

Data flows one way: Frame -> Reading -> Board -> Analysis -> Move -> Click. A frame is seen, a reading is believed;
`solver.Board`, `solver.Analysis` and `solver.Move` are known and decided; a click is done. Cells (row, col) and
pixels (x, y) are two types and never meet except in `Grid`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from solver.board import Board
    from solver.game import GameState
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

    def has_pixel(self, pixel: Pixel) -> bool:
        """Whether `pixel` lies inside."""
        inside_x = self.left <= pixel.x < self.left + self.width
        return inside_x and self.top <= pixel.y < self.top + self.height

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


@dataclass(frozen=True, slots=True)
class Grid:
    """Where a board lies on the screen.

    Attributes:
        origin: top left pixel of cell (0, 0).
        pitch_px: (width, height) from cell to cell.
        rows: cells from top to bottom.
        cols: cells from left to right.
    """

    origin: Pixel
    pitch_px: tuple[int, int]
    rows: int
    cols: int

    @property
    def region(self) -> Region:
        """The rectangle of the screen that the cells fill."""
        width, height = self.pitch_px
        return Region(self.origin.x, self.origin.y, self.cols * width, self.rows * height)

    def cell_region(self, cell: Cell) -> Region:
        """The rectangle of one cell."""
        row, col = cell
        width, height = self.pitch_px
        return Region(self.origin.x + col * width, self.origin.y + row * height, width, height)


@dataclass(frozen=True, eq=False)
class Reading:
    """What the reader believes one frame shows.

    Attributes:
        skin: the name of the skin it was read with.
        grid: where the board lies.
        board: the cells; what could not be named is `solver.board.UNREADABLE`.
        scores: float64, rows x cols: 1.0 exact, down to 0.0 for unreadable.
        unknown: the unreadable cells, row by row.
        state: fresh, playing, won or lost.
    """

    skin: str
    grid: Grid
    board: Board
    scores: NDArray[np.float64]
    unknown: tuple[Cell, ...]
    state: GameState


class Button(Enum):
    """A mouse button."""

    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Click:
    """One physical click: where and with which button."""

    pixel: Pixel
    button: Button = Button.LEFT
