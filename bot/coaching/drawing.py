"""What the coach draws: marks on the closed cells of a board, and a panel with words. Pixels in, sheets out.

Marks are drawn upon the picture of the board, so that their soft edges fit what is under them, and a sheet covers no
more than the pixels that this changes. Open cells are never covered: their numbers stay in sight. Shapes and colours
are those of the other pictures (`bot.reporting.drawing`).

What is marked on which cell. Pure: knowledge in, marks out; what they look like is `drawing`'s.

Where the coach's panel goes: beside the window if there is room on its monitor, and never over the board if not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from bot.models import Frame, Pixel, Region, Sheet
from bot.reporting.drawing import ink
from bot.vision.reading import is_near
from skins.pixels import largest_channel
from solver.board import CLOSED, FLAG

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from bot.coaching.knowledge import Knowledge
    from bot.models import Grid
    from solver.board import Board
    from solver.topology import Cell


@dataclass(frozen=True)
class Marks:
    """The marks of a board: no cell has two, but for the best move.

    Attributes:
        safe: cells proven safe, row by row.
        mines: cells proven to be mines, row by row.
        risks: for other closed cells their risk, where it is known.
        best: the cell of the best move; None where there is none.
    """

    safe: tuple[Cell, ...] = ()
    mines: tuple[Cell, ...] = ()
    risks: Mapping[Cell, float] = field(default_factory=lambda: MappingProxyType({}))
    best: Cell | None = None

    def still_true(self, board: Board) -> Marks:
        """The marks that hold for a later picture of the same game, whatever else it shows: what is proven stays so.

        Args:
            board: what can be read by now; cells that may be in the middle of a repaint are left out.
        """
        safe, mines = (
            tuple(cell for cell in cells if board[cell] in (CLOSED, FLAG)) for cells in (self.safe, self.mines)
        )
        return Marks(safe, mines)

    def as_json(self) -> dict[str, Any]:
        """For one JSON object."""
        return {
            "safe": self.safe,
            "mines": self.mines,
            "risks": [{"cell": cell, "p_mine": p_mine} for cell, p_mine in self.risks.items()],
            "best": self.best,
        }


NO_MARKS = Marks()


def mark(knowledge: Knowledge, *, everywhere: bool = False) -> Marks:
    """Mark what is proven, the risks of the frontier or of every closed cell, and the best move."""
    analysis = knowledge.analysis
    if analysis is None:
        return NO_MARKS
    cells = knowledge.board.cells
    has_risk = np.isin(cells, (CLOSED, FLAG)) & ~analysis.is_forced & ~np.isnan(analysis.p_mine)
    if not everywhere:
        has_risk &= is_near(cells >= 0)
    risks = {tuple(cell): float(analysis.p_mine[tuple(cell)]) for cell in np.argwhere(has_risk).tolist()}
    best = None if knowledge.move is None else knowledge.move.cell
    return Marks(analysis.safe, analysis.mines, MappingProxyType(risks), best)


_GAP_PX = 6


def place_panel(size: tuple[int, int], window: Region, board: Region, monitor: Region) -> Pixel:
    """Where a panel goes: the first place that fits of below, right of, left of and above the window.

    Where none does, the corner of the monitor where it covers least of the board, and then of the window.

    Args:
        size: (width, height) of the panel.
        window: the clone's window; all places are on the screen.
        board: its board.
        monitor: the monitor it is on.
    """
    for corner in _beside(size, window, monitor):
        if monitor.holds(_placed(corner, size)):
            return corner
    lefts = (monitor.left, monitor.right - size[0])
    tops = (monitor.bottom - size[1], monitor.top)
    corners = [Pixel(left, top) for top, left in product(tops, lefts)]
    return min(corners, key=lambda corner: [_placed(corner, size).shared(other).n_pixels for other in (board, window)])


def _beside(size: tuple[int, int], window: Region, monitor: Region) -> Iterator[Pixel]:
    width, height = size
    left = _pushed(window.left, width, monitor.left, monitor.width)
    top = _pushed(window.top, height, monitor.top, monitor.height)
    yield Pixel(left, window.bottom + _GAP_PX)
    yield Pixel(window.right + _GAP_PX, top)
    yield Pixel(window.left - width - _GAP_PX, top)
    yield Pixel(left, window.top - height - _GAP_PX)


def _placed(corner: Pixel, size: tuple[int, int]) -> Region:
    return Region(corner.x, corner.y, *size)


def _pushed(start: int, length: int, first: int, n: int) -> int:
    """Where something of some length begins that is to begin at `start` and to lie within n pixels from `first` on."""
    return max(first, min(start, first + n - length))


PANEL_WIDTH_PX = 400  # the panel's width where the desktop draws at 100 %; so are the other sizes here
_MARGIN_PX = 10
_TEXT_PX = 13
_TITLE_PX = 15
_LINE_PX = 18
_SPACE_PX = 5  # below the title, and above the legend
_MOST_LINES = 9  # most lines of a reason; longer proofs are cut, and say so
_LEGEND_PX = 18
_APART_PX = 14  # between a word of the legend and the next mark
_STRIPE_PX = 5
_LEGEND_GROUND = (200, 200, 200)

_SMALLEST_DIGITS_PX = 7
_DIGITS_SHARE = 0.75  # most of a mark's height that its digits take

_SAFE, _MINE, _BEST, _WARNED = "safe", "mine", "best", "warned"
"""Signs; every other is a risk in percent."""
_RING_COLOURS = {_BEST: ink.YELLOW, _WARNED: ink.VERMILION}
_WHOLE, _HALF = 255, 127


def draw_marks(frame: Frame, grid: Grid, marks: Marks, warned: Cell | None = None) -> Sheet:
    """Draw the marks of a board.

    Args:
        frame: the board as it is, and nothing around it.
        grid: where its cells are.
        marks: what to draw.
        warned: a mine that is about to be clicked.
    """
    pixels = frame.pixels_bgr.copy()
    is_drawn = np.zeros(pixels.shape[:2], dtype=bool)
    drawn = [(cell, _SAFE) for cell in marks.safe] + [(cell, _MINE) for cell in marks.mines]
    # Neither 0 nor 100 % is said of a risk: both would be proven.
    drawn += [(cell, str(min(99, max(1, round(100 * p_mine))))) for cell, p_mine in marks.risks.items()]
    drawn += [(cell, sign) for cell, sign in ((marks.best, _BEST), (warned, _WARNED)) if cell is not None]
    for cell, sign in drawn:
        region = grid.cell_region(cell)
        left, top = region.left - frame.left, region.top - frame.top
        here = slice(top, top + region.height), slice(left, left + region.width)
        added, kept = _stamp(sign, region.width, region.height)
        pixels[here] = added + (pixels[here] * kept + _HALF) // _WHOLE
        is_drawn[here] = largest_channel(pixels[here] != frame.pixels_bgr[here])
    return Sheet(Frame(pixels, frame.left, frame.top), is_drawn)


@lru_cache(maxsize=1024)
def _stamp(sign: str, width: int, height: int) -> tuple[NDArray[np.uint16], NDArray[np.uint16]]:
    """What a sign adds to the pixels of a cell, and how much it leaves of them, of `_WHOLE`.

    It is drawn on black, which shows the first, and on white: the second is the difference.
    """
    on_black, on_white = (np.full((height, width, 3), ground, dtype=np.uint8) for ground in (0, _WHOLE))
    for pixels in (on_black, on_white):
        _draw_sign(pixels, Region(0, 0, width, height), sign)
    return on_black.astype(np.uint16), on_white.astype(np.uint16) - on_black


def _draw_sign(pixels: NDArray[np.uint8], region: Region, sign: str) -> None:
    """Draw a sign into the region of a cell."""
    if sign == _SAFE:
        ink.disc_with_tick(pixels, region)
    elif sign == _MINE:
        ink.diamond_with_cross(pixels, region)
    elif sign in _RING_COLOURS:
        width = max(2, region.height // 10)
        ink.outline(pixels, ink.inset(region, width + 1), ink.INK, width + 1)
        ink.outline(pixels, ink.inset(region, width), _RING_COLOURS[sign], width)
    else:
        _draw_risk(pixels, ink.inset(region, max(1, region.height // 12)), sign)


def _draw_risk(pixels: NDArray[np.uint8], chip: Region, percent: str) -> None:
    """Draw a risk in percent, in digits as large as there is room for; cells of some clones have 16 pixels."""
    colour = ink.risk_colour(int(percent) / 100)
    ink.fill(pixels, chip, colour)
    size_px = _size_of_digits(chip.width, chip.height)
    if size_px is None:
        return
    image = Image.new("RGB", (chip.width, chip.height), _rgb(colour))
    left, top, right, bottom = _font(size_px).getbbox(percent)
    corner = (chip.width - left - right) / 2, (chip.height - top - bottom) / 2
    ImageDraw.Draw(image).text(corner, percent, font=_font(size_px), fill=_rgb(ink.on_colour(colour)))
    there = pixels[chip.slices]
    there[:] = np.asarray(image)[:, :, ::-1]


@cache
def _size_of_digits(width: int, height: int) -> int | None:
    """The size at which two digits of any kind fit, with a pixel beside them; None where even small ones do not."""
    for size_px in range(2 * height, _SMALLEST_DIGITS_PX - 1, -1):
        _, top, _, bottom = _font(size_px).getbbox("0123456789")
        if _font(size_px).getlength("00") <= width - 1 and bottom - top <= _DIGITS_SHARE * height:
            return size_px
    return None


def draw_panel(title: str, text: str, keys: str = "", *, is_warning: bool = False, scale: float = 1.0) -> Sheet:
    """Draw words: a title, a text that is wrapped, what the marks mean, and a line on keys. Its place is (0, 0).

    Args:
        title: in larger letters.
        text: below it.
        keys: below what the marks mean; empty for no such line.
        is_warning: whether it is drawn as one.
        scale: how much larger than at 100 %.
    """
    sizes = (PANEL_WIDTH_PX, _MARGIN_PX, _STRIPE_PX, _TITLE_PX, _TEXT_PX, _LINE_PX, _SPACE_PX, _LEGEND_PX)
    width, margin, stripe, title_px, text_px, line_px, space, legend = (round(size * scale) for size in sizes)
    room = width - 2 * margin - stripe
    titles = _wrapped(title, title_px, room)
    lines = _wrapped(text, text_px, room)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"... and {len(lines) - _MOST_LINES + 1} lines more"]
    height = 2 * margin + line_px * (len(titles) + len(lines)) + 2 * space + legend
    height += line_px + space if keys else 0
    paper, edge = (_rgb(ink.VERMILION), (255, 255, 255)) if is_warning else ((250, 250, 250), _rgb(ink.BLUE))
    words = (255, 255, 255) if is_warning else (16, 16, 16)
    image = Image.new("RGB", (width, height), paper)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, stripe - 1, height), fill=edge)
    pen.rectangle((0, 0, width - 1, height - 1), outline=(16, 16, 16))
    left, top = margin + stripe, margin
    for line in titles:
        pen.text((left, top), line, font=_font(title_px), fill=words)
        top += line_px
    top += space
    for line in lines:
        pen.text((left, top), line, font=_font(text_px), fill=words)
        top += line_px
    pen.text((left, top + 2 * space + legend), keys, font=_font(text_px), fill=words)
    pixels = np.ascontiguousarray(np.asarray(image)[:, :, ::-1])
    _draw_legend(pixels, left, top + space, scale)
    return Sheet(Frame(pixels), np.ones(pixels.shape[:2], dtype=bool))


def _draw_legend(pixels: NDArray[np.uint8], left: int, top: int, scale: float) -> None:
    """The marks, and a word for each."""
    side, before, behind, text_px = (round(size * scale) for size in (_LEGEND_PX, _SPACE_PX, _APART_PX, _TEXT_PX))
    for sign, word in ((_SAFE, "safe"), (_MINE, "mine"), ("25", "risk in %"), (_BEST, "best move")):
        region = Region(left, top, side, side)
        ink.fill(pixels, region, _LEGEND_GROUND)
        _draw_sign(pixels, region, sign)
        text = _line_of_text(word, text_px, side)
        left += side + before
        there = pixels[top : top + side, left : left + text.shape[1]]
        np.minimum(there, text, out=there)
        left += text.shape[1] + behind


@cache
def _line_of_text(word: str, text_px: int, height: int) -> NDArray[np.uint8]:
    """A word, dark on white: uint8, height x width x 3."""
    image = Image.new("RGB", (round(_font(text_px).getlength(word)) + 1, height), (255, 255, 255))
    ImageDraw.Draw(image).text((0, 1), word, font=_font(text_px), fill=(16, 16, 16))
    return np.asarray(image)


def _wrapped(text: str, size_px: int, width: int) -> list[str]:
    """Cut into lines between words, none wider than this many pixels."""
    lines: list[str] = []
    for paragraph in text.splitlines():
        line: list[str] = []
        taken = 0.0
        for word in paragraph.split():
            longer = taken + _length(" " * bool(line) + word, size_px)
            if line and longer > width:
                lines.append(" ".join(line))
                line, longer = [], _length(word, size_px)
            line.append(word)
            taken = longer
        lines.append(" ".join(line))
    return lines


@lru_cache(maxsize=4096)
def _length(text: str, size_px: int) -> float:
    """How long a text is, in pixels; kept, as asking takes longer than all else about a panel."""
    return _font(size_px).getlength(text)


@cache
def _font(size_px: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The typeface that comes with Pillow: it is the same on every system."""
    return ImageFont.load_default(size_px)


def _rgb(colour_bgr: Sequence[int]) -> tuple[int, int, int]:
    blue, green, red = colour_bgr
    return red, green, blue
