"""One sheet: every board cut out of its picture and enlarged, with rulers, a caption and marks; a legend below.

A board's picture is enlarged by a whole number, so that every pixel of the clone stays a clean square, until its cells
are large enough for a figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import UsageError
from bot.models import Pixel, Region
from bot.reporting.drawing import ink
from bot.reporting.drawing.marks import BEST, LEGEND, Kind, Mark

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from bot.models import Frame, Grid
    from solver.topology import Cell

MIN_CELL_PX = 40
"""A smaller cell is enlarged: it has to hold a figure such as 20.6."""
_FRAME_CELL_PX = 24
"""The same for animations, which need not be studied cell by cell."""
MAX_SIDE_PX = 12_000
"""A picture wider or higher than this is not enlarged further: programs that show pictures give up somewhere."""
_MARGIN_CELLS = 3
"""Width of the picture around the board that is shown, in cells."""
_MIN_WIDTH_PX = 560
"""No sheet is narrower: the words need room."""
_RULER_PX = 24
_OUTLINE_PX = 3
_PAD_PX = 12
_TEXT_SCALE = 0.5
_SWATCH_PX = 40
_SWATCH_COLOUR: ink.Colour = (192, 192, 192)


@dataclass(frozen=True, eq=False)
class Annotated:
    """A board on a picture, and what is to be drawn over it.

    Attributes:
        frame: the picture.
        grid: where the board lies on it.
        caption: words above it, a paragraph each.
        marks: by cell; a cell without one stays as it is.
        ringed: the cell of the best move.
    """

    frame: Frame
    grid: Grid
    caption: tuple[str, ...]
    marks: Mapping[Cell, Mark]
    ringed: Cell | None = None


class View:
    """Where on the enlarged picture of one board things lie.

    Args:
        grid: where the board lies.
        frame: what was seen of the screen.
        min_cell_px: a smaller cell is enlarged.
        has_rulers: whether there is room for rulers in any case.

    Attributes:
        scale: how many pixels wide a pixel of the frame becomes.
        shown: the rectangle of the screen that is shown; part of it may lie beside the frame.
    """

    def __init__(self, grid: Grid, frame: Frame, min_cell_px: int = MIN_CELL_PX, *, has_rulers: bool = True) -> None:
        cell, board = grid.place_region(0, 0), grid.region
        least = min(cell.width, cell.height)
        most = max(1, MAX_SIDE_PX // (max(board.width, board.height) + 2 * _MARGIN_CELLS * least))
        self.scale = min(most, -(-min_cell_px // least))
        ruler = -(-(_RULER_PX + _OUTLINE_PX) // self.scale) if has_rulers else 0
        margin = max(ruler, _MARGIN_CELLS * least)
        # Within the picture, but never without room for the rulers.
        seen = frame.region
        left = max(board.left - margin, min(seen.left, board.left - ruler))
        top = max(board.top - margin, min(seen.top, board.top - ruler))
        right = min(board.left + board.width + margin, max(seen.left + seen.width, board.left + board.width + ruler))
        bottom = min(board.top + board.height + margin, max(seen.top + seen.height, board.top + board.height + ruler))
        self.shown = Region(left, top, right - left, bottom - top)

    def place(self, region: Region) -> Region:
        """Where a rectangle of the screen lies on the enlarged picture."""
        left, top = (region.left - self.shown.left) * self.scale, (region.top - self.shown.top) * self.scale
        return Region(left, top, region.width * self.scale, region.height * self.scale)

    def enlarge(self, frame: Frame) -> NDArray[np.uint8]:
        """The shown part of a frame, enlarged: uint8, H x W x 3; paper beside the frame."""
        shown, seen = self.shown, frame.region
        pixels = np.full((shown.height, shown.width, 3), ink.PAPER, dtype=np.uint8)
        left, top = max(shown.left, seen.left), max(shown.top, seen.top)
        right = min(shown.left + shown.width, seen.left + seen.width)
        bottom = min(shown.top + shown.height, seen.top + seen.height)
        cut = frame.crop(Region(left, top, right - left, bottom - top)).pixels_bgr
        y, x = top - shown.top, left - shown.left
        pixels[y : y + cut.shape[0], x : x + cut.shape[1]] = cut
        return pixels.repeat(self.scale, axis=0).repeat(self.scale, axis=1)


def draw_board(annotated: Annotated, min_cell_px: int = MIN_CELL_PX, *, has_rulers: bool = True) -> NDArray[np.uint8]:
    """One board with its rulers and marks, without words: uint8, H x W x 3."""
    view = View(annotated.grid, annotated.frame, min_cell_px, has_rulers=has_rulers)
    pixels = view.enlarge(annotated.frame)
    if has_rulers:
        _draw_rulers(pixels, annotated.grid, view)
        ink.outline(pixels, view.place(annotated.grid.region), ink.BLUE, _OUTLINE_PX)
    for cell, mark in annotated.marks.items():
        mark.draw(pixels, view.place(annotated.grid.cell_region(cell)))
    if annotated.ringed is not None:
        BEST.draw(pixels, view.place(annotated.grid.cell_region(annotated.ringed)))
    return pixels


def draw_sheet(boards: Sequence[Annotated]) -> NDArray[np.uint8]:
    """All boards, one below the other, each under its caption, and the legend: uint8, H x W x 3, BGR."""
    return _stack(boards, [draw_board(board) for board in boards], _kinds_on(boards))


def draw_frame(board: Annotated, kinds: Collection[Kind]) -> NDArray[np.uint8]:
    """One board of an animation: smaller than on a sheet, its legend the same whatever is on the board.

    Args:
        board: the board; its caption should take equally many lines in each frame.
        kinds: what the legend explains.
    """
    return _stack([board], [draw_board(board, _FRAME_CELL_PX)], kinds)


def draw_zoomed(board: Annotated, zoom: int, *, has_rulers: bool) -> NDArray[np.uint8]:
    """One board of a given size, and the legend where it has marks: uint8, H x W x 3, BGR.

    Args:
        board: the board; it has no caption.
        zoom: how many pixels wide each pixel becomes.
        has_rulers: whether its rows and columns have numbers.

    Raises:
        UsageError: the picture would be larger than programs show.
    """
    cell = board.grid.place_region(0, 0)
    min_cell_px = zoom * min(cell.width, cell.height)
    most = View(board.grid, board.frame, min_cell_px).scale
    if most < zoom:
        raise UsageError(
            f"expected a zoom of at most {most} for a board of {board.grid.region.width} x "
            f"{board.grid.region.height} pixels, got {zoom}"
        )
    picture = draw_board(board, min_cell_px, has_rulers=has_rulers)
    kinds = _kinds_on([board])
    return _stack([board], [picture], kinds) if kinds else picture


def _stack(
    boards: Sequence[Annotated], pictures: Sequence[NDArray[np.uint8]], kinds: Collection[Kind]
) -> NDArray[np.uint8]:
    """Each board's picture under its caption, and the legend."""
    width = max(_MIN_WIDTH_PX, *(picture.shape[1] for picture in pictures)) + 2 * _PAD_PX
    parts = []
    for board, picture in zip(boards, pictures, strict=True):
        parts += [_write(board.caption, width), _padded(picture, width)]
    legend = [entry for kind, entry in LEGEND.items() if kind in kinds]
    return np.concatenate([*parts, _draw_legend(legend, width)])


def _kinds_on(boards: Sequence[Annotated]) -> set[Kind]:
    """What the marks on these boards mean."""
    marks = [mark for board in boards for mark in board.marks.values()]
    marks += [BEST for board in boards if board.ringed is not None]
    return {kind for mark in marks for kind in mark.kinds}


def _draw_rulers(pixels: NDArray[np.uint8], grid: Grid, view: View) -> None:
    """Number the rows and columns at the board's left and upper edge: with the indices that their cells share."""
    board = view.place(grid.region)
    side = _RULER_PX
    left, top = board.left - _OUTLINE_PX - side, board.top - _OUTLINE_PX - side
    ink.fill(pixels, Region(left, top, board.left + board.width - left, side), ink.PAPER)
    ink.fill(pixels, Region(left, top, side, board.top + board.height - top), ink.PAPER)
    for col in range(grid.cols):
        cell = view.place(grid.place_region(0, col))
        ink.put_centred(pixels, grid.line_name(0, col), Region(cell.left, top, cell.width, side), share=0.45)
    for row in range(grid.rows):
        cell = view.place(grid.place_region(row, 0))
        middle = cell.top + (cell.height - side) // 2
        ink.put_centred(pixels, grid.line_name(1, row), Region(left, middle, side, side), share=0.45)


def _padded(picture: NDArray[np.uint8], width: int) -> NDArray[np.uint8]:
    height = picture.shape[0]
    pixels = np.full((height + _PAD_PX, width, 3), ink.PAPER, dtype=np.uint8)
    pixels[:height, _PAD_PX : _PAD_PX + picture.shape[1]] = picture
    return pixels


def _write(paragraphs: Sequence[str], width: int) -> NDArray[np.uint8]:
    lines = [line for text in paragraphs for line in ink.wrap_text(text, _TEXT_SCALE, width - 2 * _PAD_PX)]
    step = ink.line_height(_TEXT_SCALE)
    pixels = np.full((len(lines) * step + _PAD_PX, width, 3), ink.PAPER, dtype=np.uint8)
    for number, line in enumerate(lines, start=1):
        ink.put_text(pixels, line, _PAD_PX, number * step, _TEXT_SCALE)
    return pixels


def _draw_legend(legend: Sequence[tuple[tuple[Mark, ...], str]], width: int) -> NDArray[np.uint8]:
    """The marks of each kind with their meaning, kinds side by side where they fit."""
    gap, step = _PAD_PX, _SWATCH_PX + _PAD_PX
    places: list[Pixel] = []
    left, top = gap, gap
    for marks, meaning in legend:
        needed = len(marks) * step + ink.text_size(meaning, _TEXT_SCALE)[0] + gap
        if left > gap and left + needed > width:
            left, top = gap, top + step
        places.append(Pixel(left, top))
        left += needed + gap
    pixels = np.full((top + step, width, 3), ink.PAPER, dtype=np.uint8)
    _, height = ink.text_size("0", _TEXT_SCALE)
    for (marks, meaning), place in zip(legend, places, strict=True):
        for n, mark in enumerate(marks):
            swatch = Region(place.x + n * step, place.y, _SWATCH_PX, _SWATCH_PX)
            ink.fill(pixels, swatch, _SWATCH_COLOUR)
            mark.draw(pixels, swatch)
        bottom = place.y + (_SWATCH_PX + height) // 2
        ink.put_text(pixels, meaning, place.x + len(marks) * step, bottom, _TEXT_SCALE)
    return pixels
