"""Is a known board still where it was? Its border strips tell, for the price of a few hundred pixels.

What lies right around a board does not change while it is played; a window that moved, was covered or closed changes
it. Where it changes by itself, as a line of text that scrolls does, the watch learns to leave that side out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bot.models import Region

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bot.models import Frame, Grid

DEPTH_PX = 3
"""How deep the strips are."""


class BorderWatch:
    """Remembers the strips around a board.

    Args:
        frame: a picture that shows the board and what lies around it; strips beyond its edges are left out.
        grid: where the board lies.
        depth_px: how deep the strips are.
    """

    def __init__(self, frame: Frame, grid: Grid, depth_px: int = DEPTH_PX) -> None:
        inner, outer = grid.region, frame.region
        left, top = max(inner.left - depth_px, outer.left), max(inner.top - depth_px, outer.top)
        right = min(inner.left + inner.width + depth_px, outer.left + outer.width)
        bottom = min(inner.top + inner.height + depth_px, outer.top + outer.height)
        self.region = Region(left, top, right - left, bottom - top)
        """What a picture must show at least."""
        self._inner = inner
        self._strips = [strip.copy() for strip in self._cut(frame)]
        self._is_watched = [True] * len(self._strips)

    def is_still_there(self, frame: Frame) -> bool:
        """Whether the strips are pixel for pixel what they were; `frame` shows at least `region`."""
        return not self._changed(frame)

    def forgive(self, frame: Frame) -> None:
        """Leave out the sides that are not what they were: the board is known to be in its place on this picture."""
        for side in self._changed(frame):
            self._is_watched[side] = False

    def _changed(self, frame: Frame) -> list[int]:
        """The numbers of the watched sides that are not what they were."""
        pairs = zip(self._cut(frame), self._strips, self._is_watched, strict=True)
        return [side for side, (now, then, watched) in enumerate(pairs) if watched and not np.array_equal(now, then)]

    def _cut(self, frame: Frame) -> list[NDArray[np.uint8]]:
        inner, outer = self._inner, self.region
        x, y = outer.left - frame.left, outer.top - frame.top
        pixels = frame.pixels_bgr[y : y + outer.height, x : x + outer.width]
        left, top = inner.left - outer.left, inner.top - outer.top
        right, bottom = left + inner.width, top + inner.height
        return [pixels[:top], pixels[bottom:], pixels[top:bottom, :left], pixels[top:bottom, right:]]
