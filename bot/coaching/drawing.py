"""What the coach shows: which cells it marks, how its sheet and its panel look, and where the panel goes.

Marks are drawn upon the picture of the board, so that their soft edges fit what is under them, and a sheet covers no
more than the pixels that this changes. Open cells are never covered: their numbers stay in sight. Shapes and colours
are those of the other pictures (`bot.reporting.drawing`). The panel goes beside the window if there is room on its
monitor, and never over the board if not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from bot.models import Frame, Pixel, Region, Sheet
from bot.reporting.drawing import ink
from bot.reporting.drawing.marks import BEST, MINE, SAFE, WARNED, Kind, draw_legend, risk_mark, stamp
from bot.vision.reading import is_near
from skins.pixels import largest_channel
from solver.board import CLOSED, FLAG

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
_SPACE_PX = 5  # above the legend and below it
_MOST_LINES = 9  # most lines of a reason; longer proofs are cut, and say so
_SIGN_PX = 18  # side of a cell of the legend
_STRIPE_PX = 5
_LEGEND = (Kind.SAFE, Kind.MINE, Kind.RISK, Kind.BEST)
_WHITE: ink.Colour = (255, 255, 255)


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
    drawn = [(cell, SAFE) for cell in marks.safe] + [(cell, MINE) for cell in marks.mines]
    drawn += [(cell, risk_mark(p_mine)) for cell, p_mine in marks.risks.items()]
    drawn += [(cell, ring) for cell, ring in ((marks.best, BEST), (warned, WARNED)) if cell is not None]
    for cell, one in drawn:
        region = grid.cell_region(cell)
        left, top = region.left - frame.left, region.top - frame.top
        here = slice(top, top + region.height), slice(left, left + region.width)
        pixels[here] = stamp(one, region.width, region.height).on(pixels[here])
        is_drawn[here] = largest_channel(pixels[here] != frame.pixels_bgr[here])
    return Sheet(Frame(pixels, frame.left, frame.top), is_drawn)


def draw_panel(title: str, text: str, keys: str = "", *, is_warning: bool = False, scale: float = 1.0) -> Sheet:
    """Draw words: a title, a text that is wrapped, what the marks mean, and a line on keys. Its place is (0, 0).

    Args:
        title: in larger letters.
        text: below it.
        keys: below what the marks mean; empty for no such line.
        is_warning: whether it is drawn as one.
        scale: how much larger than at 100 %.
    """
    sizes = (PANEL_WIDTH_PX, _MARGIN_PX, _STRIPE_PX, _TITLE_PX, _TEXT_PX, _LINE_PX, _SPACE_PX, _SIGN_PX)
    width, margin, stripe, title_px, text_px, line_px, space, sign_px = (round(size * scale) for size in sizes)
    room = width - 2 * margin - stripe
    titles = ink.wrap_text(title, title_px, room)
    lines = ink.wrap_text(text, text_px, room)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"... and {len(lines) - _MOST_LINES + 1} lines more"]
    paper, edge, words = (ink.VERMILION, _WHITE, _WHITE) if is_warning else (ink.PAPER, ink.BLUE, ink.INK)
    legend = draw_legend(_LEGEND, room, sign_px, text_px, paper=paper, words=words)
    height = 2 * margin + line_px * (len(titles) + len(lines) + bool(keys)) + 2 * space + legend.shape[0]
    pixels = np.full((height, width, 3), paper, dtype=np.uint8)
    ink.outline(pixels, Region(1, 1, width - 2, height - 2), ink.INK, 1)
    ink.fill(pixels, Region(0, 0, stripe, height), edge)
    left, bottom = margin + stripe, margin + title_px
    for line, size_px in [*((line, title_px) for line in titles), *((line, text_px) for line in lines)]:
        ink.put_text(pixels, line, left, bottom, size_px, words)
        bottom += line_px
    top = margin + line_px * (len(titles) + len(lines)) + space
    pixels[top : top + legend.shape[0], left : left + room] = legend
    ink.put_text(pixels, keys, left, top + legend.shape[0] + space + text_px, text_px, words)
    return Sheet(Frame(pixels), np.ones(pixels.shape[:2], dtype=bool))
