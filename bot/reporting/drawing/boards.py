"""Which cell gets which mark: what was read of a board, or what is advised on it.

Pictures of boards that nobody has seen on a screen: painted in a skin, with marks on what no skin has a sprite of.

One sheet: every board cut out of its picture and enlarged, with rulers, a caption and marks; a legend below.

A board's picture is enlarged by a whole number, so that every pixel of the clone stays a clean square, until its cells
are large enough for a figure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bot.blocks import Blocks
from bot.errors import UsageError
from bot.models import Frame, Region
from bot.paint import Desk, paint_board
from bot.reporting.drawing import ink, marks
from bot.reporting.drawing.marks import BEST, Kind, Mark
from skins import load_shipped_skin
from skins.files import MOST_PIXELS
from skins.skin import CLOSED, EXPLODED, FLAG, MINE, WRONG_FLAG
from solver import board as codes
from solver.board import GameState
from solver.words import counted, name_shape

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from bot.models import Grid, Reading
    from bot.reporting.advice import Advice
    from skins.skin import Skin
    from solver.board import Board
    from solver.topology import Cell


MIN_CELL_PX = 40  # a smaller cell is enlarged: it has to hold a figure such as 20.6
_FRAME_CELL_PX = 24  # smallest cell of an animation, in pixels: it need not be studied cell by cell
MAX_SIDE_PX = 12_000
"""A picture wider or higher than this, or with more pixels than we read ourselves, is neither painted nor enlarged to
that: programs that show pictures give up somewhere."""
_MARGIN_CELLS = 3  # width of the picture around the board that is shown, in cells
_MIN_WIDTH_PX = 560  # no sheet is narrower: the words need room
_RULER_PX = 24
_OUTLINE_PX = 3
_PAD_PX = 12
_TEXT_PX = 15
_SWATCH_PX = 40


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


class _View:
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
        width, height = (side + 2 * _MARGIN_CELLS * least for side in (board.width, board.height))
        most = min(MAX_SIDE_PX // max(width, height), math.isqrt(MOST_PIXELS // (width * height)))
        self.scale = min(max(1, most), -(-min_cell_px // least))
        ruler = -(-(_RULER_PX + _OUTLINE_PX) // self.scale) if has_rulers else 0
        margin = max(ruler, _MARGIN_CELLS * least)
        # Within the picture, but never without room for the rulers.
        seen = frame.region
        left = max(board.left - margin, min(seen.left, board.left - ruler))
        top = max(board.top - margin, min(seen.top, board.top - ruler))
        right = min(board.right + margin, max(seen.right, board.right + ruler))
        bottom = min(board.bottom + margin, max(seen.bottom, board.bottom + ruler))
        self.shown = Region(left, top, right - left, bottom - top)

    def place(self, region: Region) -> Region:
        """Where a rectangle of the screen lies on the enlarged picture."""
        left, top = (region.left - self.shown.left) * self.scale, (region.top - self.shown.top) * self.scale
        return Region(left, top, region.width * self.scale, region.height * self.scale)

    def enlarge(self, frame: Frame) -> NDArray[np.uint8]:
        """The shown part of a frame, enlarged: uint8, H x W x 3; paper beside the frame."""
        pixels = np.full((self.shown.height, self.shown.width, 3), ink.PAPER, dtype=np.uint8)
        seen = self.shown.shared(frame.region)
        Frame(pixels, self.shown.left, self.shown.top).crop(seen).pixels_bgr[:] = frame.crop(seen).pixels_bgr
        return pixels.repeat(self.scale, axis=0).repeat(self.scale, axis=1)


def _draw_board(annotated: Annotated, min_cell_px: int = MIN_CELL_PX, *, has_rulers: bool = True) -> NDArray[np.uint8]:
    """One board with its rulers and marks, without words: uint8, H x W x 3."""
    view = _View(annotated.grid, annotated.frame, min_cell_px, has_rulers=has_rulers)
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
    return _stack(boards, [_draw_board(board) for board in boards], _kinds_on(boards))


def draw_frame(board: Annotated, kinds: Collection[Kind]) -> NDArray[np.uint8]:
    """One board of an animation: smaller than on a sheet, its legend the same whatever is on the board.

    Args:
        board: the board; its caption should take equally many lines in each frame.
        kinds: what the legend explains.
    """
    return _stack([board], [_draw_board(board, _FRAME_CELL_PX)], kinds)


def _draw_zoomed(board: Annotated, zoom: int, *, has_rulers: bool) -> NDArray[np.uint8]:
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
    most = _View(board.grid, board.frame, min_cell_px).scale
    if most < zoom:
        raise UsageError(
            f"expected a zoom of at most {most} for a board of {board.grid.region.width} x "
            f"{board.grid.region.height} pixels, got {zoom}"
        )
    picture = _draw_board(board, min_cell_px, has_rulers=has_rulers)
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
    return np.concatenate([*parts, marks.draw_legend(kinds, width, _SWATCH_PX, _TEXT_PX)])


def _kinds_on(boards: Sequence[Annotated]) -> set[Kind]:
    """What the marks on these boards mean."""
    marks = [mark for board in boards for mark in board.marks.values()]
    marks += [BEST for board in boards if board.ringed is not None]
    return {kind for mark in marks for kind in mark.kinds}


def _draw_rulers(pixels: NDArray[np.uint8], grid: Grid, view: _View) -> None:
    """Number the rows and columns at the board's left and upper edge: with the indices that their cells share."""
    board = view.place(grid.region)
    side = _RULER_PX
    left, top = board.left - _OUTLINE_PX - side, board.top - _OUTLINE_PX - side
    ink.fill(pixels, Region(left, top, board.right - left, side), ink.PAPER)
    ink.fill(pixels, Region(left, top, side, board.bottom - top), ink.PAPER)
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
    lines = [line for text in paragraphs for line in ink.wrap_text(text, _TEXT_PX, width - 2 * _PAD_PX)]
    step = ink.line_height(_TEXT_PX)
    pixels = np.full((len(lines) * step + _PAD_PX, width, 3), ink.PAPER, dtype=np.uint8)
    for number, line in enumerate(lines, start=1):
        ink.put_text(pixels, line, _PAD_PX, number * step, _TEXT_PX)
    return pixels


_SIGNS = "signs: # closed, F flag, * mine shown, X exploded, x wrong flag"


def describe_reading(reading: Reading) -> str:
    """Which board this is, in one line."""
    grid, mines = reading.grid, reading.board.mines
    width, height = grid.pitch_px
    count = "mine count not known" if mines is None else counted(mines, "mine")
    return (
        f"{reading.skin}: {name_shape(grid.shape)}, cells of {width:g} x {height:g} px "
        f"at ({grid.origin.x},{grid.origin.y}), {reading.state.value}, {count}"
    )


def annotate_reading(frame: Frame, reading: Reading, title: str = "") -> Annotated:
    """Mark what was read of every cell, and how sure it is.

    Args:
        frame: the picture it was read from.
        reading: what was read.
        title: put before the caption.
    """
    scores = reading.scores
    n_unknown = len(reading.unknown)
    n_exact = int((scores >= marks.EXACT_SCORE).sum())
    n_alike = scores.size - n_exact - n_unknown
    told = f"{n_exact} cells read by their exact pixels, {n_alike} by likeness, {n_unknown} unreadable"
    if n_alike:
        told += f"; the least score is {scores[scores > 0].min():.3f}"
    drawn = {cell: _reading_mark(int(code), float(scores[cell])) for cell, code in np.ndenumerate(reading.board.cells)}
    return Annotated(frame, reading.grid, (title + describe_reading(reading), told, _SIGNS), drawn)


def _reading_mark(code: int, score: float) -> Mark:
    return marks.UNREADABLE if code == codes.UNREADABLE else marks.reading_mark(codes.format_cell(code), score)


def annotate_advice(frame: Frame, grid: Grid, board: Board, advice: Advice | None, caption: Sequence[str]) -> Annotated:
    """Mark what is proven, every other risk, and the best move.

    Args:
        frame: the picture the board is on.
        grid: where.
        board: its cells.
        advice: what is advised; None when there is none to give.
        caption: words above the board.
    """
    is_over = advice is None or advice.state in (GameState.WON, GameState.LOST)
    drawn: dict[Cell, Mark] = {}
    for cell, code in np.ndenumerate(board.cells):
        if code == codes.UNREADABLE:
            drawn[cell] = marks.UNREADABLE
        elif code == codes.KNOWN_MINE:
            drawn[cell] = marks.MINE
        elif code == codes.OPEN_UNKNOWN:
            drawn[cell] = marks.NO_NUMBER
        elif code in (codes.CLOSED, codes.FLAG) and not is_over:
            assert advice is not None, "a game without advice counts as over"
            risk, is_estimate = float(advice.analysis.p_mine[cell]), bool(advice.analysis.is_estimate[cell])
            mark = marks.mark_of_risk(risk, is_estimate=is_estimate)
            drawn[cell] = marks.flagged(mark) if code == codes.FLAG else mark
    ringed = None if advice is None or advice.move is None else advice.move.cell
    return Annotated(frame, grid, tuple(caption), drawn, ringed)


_STATES = {
    codes.CLOSED: CLOSED,
    codes.FLAG: FLAG,
    codes.OPEN_UNKNOWN: "0",
    codes.MINE: MINE,
    codes.EXPLODED: EXPLODED,
    codes.WRONG_FLAG: WRONG_FLAG,
    codes.KNOWN_MINE: CLOSED,
    codes.UNREADABLE: CLOSED,
}
"""What a code is painted as; three of them are marked besides."""
_DESK_BGR = (196, 192, 190)
_DESK, _SHEET = Desk(1, _DESK_BGR), Desk(1, ink.PAPER, _DESK_BGR)
"""Around a board alone, and around one with rulers."""
_FLAT, _HIGH = "minebot", "4d"


def usual_skin(shape: tuple[int, ...]) -> Skin:
    """The skin for a board of which nobody said how it should look: that of the built-in game, or of 4D Minesweeper."""
    return load_shipped_skin(_FLAT if len(shape) == 2 else _HIGH)


def paint_position(board: Board, skin: Skin, *, has_rulers: bool = True) -> tuple[Frame, Grid]:
    """Paint a board given as text; returns the picture and where the board lies on it.

    A number that the skin has no sprite of is written on an open cell.

    Args:
        board: the cells.
        skin: what to paint with.
        has_rulers: whether the picture is for a sheet that puts numbers around the board, or shows a board on a desk.

    Raises:
        SkinError: the skin has no sprite of a mine, or of what else the board shows.
        UsageError: the picture would be too large.
    """
    _check_size(board, skin)
    has_sprite = {sprite.state for sprite in skin.sprites}
    words = np.array([_word(code, has_sprite) for code in board.cells.ravel().tolist()], dtype=object)
    frame, grid = paint_board(skin, words.reshape(board.shape), _SHEET if has_rulers else _DESK)
    for cell, code in np.ndenumerate(board.cells):
        if code >= 0 and str(code) not in has_sprite:
            ink.put_centred(frame.pixels_bgr, str(code), grid.cell_region(cell), share=0.5)
    return frame, grid


def _check_size(board: Board, skin: Skin) -> None:
    blocks = Blocks(board.shape)
    width_px, height_px = round(blocks.cols * skin.pitch_px[0]), round(blocks.rows * skin.pitch_px[1])
    if max(width_px, height_px) > MAX_SIDE_PX or width_px * height_px > MOST_PIXELS:
        raise UsageError(
            f"expected a board of at most {MAX_SIDE_PX:,} pixels a side, and {MOST_PIXELS:,} in all, to paint a "
            f"picture of it, got {width_px:,} x {height_px:,}"
        )


def _word(code: int, has_sprite: set[str]) -> str:
    if code < 0:
        return _STATES[code]
    return str(code) if str(code) in has_sprite else "0"


def draw_painted(
    board: Board, skin: Skin, *, hint: Cell | None = None, zoom: int = 1, has_rulers: bool = False
) -> NDArray[np.uint8]:
    """A picture of a board in a skin: uint8, H x W x 3, BGR.

    Where the board has known mines, or cells that are unreadable or show a number that is not known, these are marked,
    and a legend below says how.

    Args:
        board: the cells.
        skin: what to paint with.
        hint: a closed cell to be marked as the one to begin with.
        zoom: how many pixels wide each pixel becomes.
        has_rulers: whether rows and columns have numbers.

    Raises:
        SkinError: as `paint_position`.
        UsageError: the picture would be too large.
    """
    frame, grid = paint_position(board, skin, has_rulers=has_rulers)
    drawn = {cell: mark for cell, code in np.ndenumerate(board.cells) if (mark := _mark(int(code))) is not None}
    if hint is not None:
        drawn[hint] = marks.HINT
    return _draw_zoomed(Annotated(frame, grid, (), drawn), zoom, has_rulers=has_rulers)


def _mark(code: int) -> Mark | None:
    if code == codes.UNREADABLE:
        return marks.UNREADABLE
    if code == codes.KNOWN_MINE:
        return marks.MINE
    return marks.NO_NUMBER if code == codes.OPEN_UNKNOWN else None
