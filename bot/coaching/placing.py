"""Where the coach's panel goes: beside the window if there is room on its monitor, and never over the board if not."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from bot.models import Pixel, Region

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        if _is_inside(_placed(corner, size), monitor):
            return corner
    lefts = (monitor.left, monitor.left + monitor.width - size[0])
    tops = (monitor.top + monitor.height - size[1], monitor.top)
    corners = [Pixel(left, top) for top, left in product(tops, lefts)]
    return min(corners, key=lambda corner: [_n_shared_px(_placed(corner, size), other) for other in (board, window)])


def _beside(size: tuple[int, int], window: Region, monitor: Region) -> Iterator[Pixel]:
    width, height = size
    left = _pushed(window.left, width, monitor.left, monitor.width)
    top = _pushed(window.top, height, monitor.top, monitor.height)
    yield Pixel(left, window.top + window.height + _GAP_PX)
    yield Pixel(window.left + window.width + _GAP_PX, top)
    yield Pixel(window.left - width - _GAP_PX, top)
    yield Pixel(left, window.top - height - _GAP_PX)


def _placed(corner: Pixel, size: tuple[int, int]) -> Region:
    return Region(corner.x, corner.y, *size)


def _pushed(start: int, length: int, first: int, n: int) -> int:
    """Where something of some length begins that is to begin at `start` and to lie within n pixels from `first` on."""
    return max(first, min(start, first + n - length))


def _is_inside(inner: Region, outer: Region) -> bool:
    last = Pixel(inner.left + inner.width - 1, inner.top + inner.height - 1)
    return outer.has_pixel(Pixel(inner.left, inner.top)) and outer.has_pixel(last)


def _n_shared_px(a: Region, b: Region) -> int:
    width = min(a.left + a.width, b.left + b.width) - max(a.left, b.left)
    height = min(a.top + a.height, b.top + b.height) - max(a.top, b.top)
    return max(0, width) * max(0, height)
