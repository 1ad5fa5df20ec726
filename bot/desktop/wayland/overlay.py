"""Draws over an output of a Wayland compositor, and sees what is below, though pictures of it show what is drawn.

A program may see whole outputs here, not single windows. So the coach watches the output that the board is on as if it
were a window. What is drawn lies above all windows, and passes clicks on.

The pixels below are remembered. As long as nothing around a sign changes, they are as they were. Where something does,
the signs near it are taken away for the moment that it takes to see what is there.
"""

from __future__ import annotations

import time
from abc import ABC
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.desktop.overlay import PaneOverlay
from bot.desktop.protocols import WatchedWindow
from bot.desktop.wayland.outputs import output_at
from bot.models import Frame, Pixel, Region, Sheet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from bot.desktop.protocols import MachineScreen
    from bot.desktop.wayland.outputs import Output

_GONE_S = 0.5  # the longest time until what is drawn no more is seen no more, in seconds; it takes 50 ms
_TURN_S = 0.005  # pause between two looks whether it is gone, in seconds
_NEAR_PX = 48
"""How far from a change the signs may hide another one, in pixels; a cell's own pixels show between them."""
_BLURRED_PX = 2  # how far around a sign its colours may be seen
_SAME_LEVELS = 8  # by which a colour may differ from itself where a compositor scales pictures
_LIKE_LEVELS = 40  # by which the colours of a sign may differ from those that were drawn, for the same reason
_MOST = 0.5  # the share of a sign's pixels that are seen where it is


class OutputWatch(WatchedWindow):
    """The output that a pixel is on, watched as if it were a window. Use it from the thread that made it only.

    Attributes:
        output: the output, as the compositor has it.
        overlay: draws over it.

    Args:
        screen: takes pictures; closed with this.
        outputs: all outputs.
        pixel: which of them.
        draw_over: makes what draws over it.
        seen_pointer: where the pointer is; None where it does not show, or nobody tells.
    """

    def __init__(
        self,
        screen: MachineScreen,
        outputs: Sequence[Output],
        pixel: Pixel,
        draw_over: Callable[[OutputWatch], OutputOverlay],
        seen_pointer: Callable[[], Pixel | None],
    ) -> None:
        self._screen = screen
        self.output, _ = output_at(outputs, pixel)
        self._seen_pointer = seen_pointer
        self._below = self._capture(self._whole)
        """The whole output as it was seen last without what is drawn: uint8, height x width x 3."""
        self._asked = self._whole
        """What was looked at last."""
        self.overlay = draw_over(self)

    def grab(self, region: Region | None = None) -> Frame:
        """Take a picture of `region`, or of the whole output, without what is drawn.

        Raises:
            ScreenError: the desktop gives no picture, or has no such region.
        """
        self._asked = asked = self._whole if region is None else region
        seen = self._capture(asked)
        changes = self._changes(seen)
        if changes.any():
            near = _widened(changes, _NEAR_PX)
            if (self.overlay.covers(asked) & near).any():
                seen = self._uncover(asked, near)
        is_covered = self.overlay.covers(asked)
        below = self._below[asked.slices]
        below[~is_covered] = seen[~is_covered]
        return Frame(below.copy(), *asked.corner)

    def place(self) -> Region:
        """Where it is; an output always shows."""
        return self.output.region

    def has_changed(self) -> bool:
        """Whether the part that was looked at last differs now. Pixels that are covered do not count."""
        return bool(self._changes(self._capture(self._asked)).any())

    def pointer(self) -> Pixel | None:
        seen, place = self._seen_pointer(), self.place()
        return Pixel(seen.x - place.left, seen.y - place.top) if seen is not None and place.has_pixel(seen) else None

    def monitor(self) -> Region:
        return self.place()

    def close(self) -> None:
        self._screen.close()

    @property
    def _whole(self) -> Region:
        return Region(0, 0, self.output.region.width, self.output.region.height)

    def _capture(self, asked: Region) -> NDArray[np.uint8]:
        place = self.place()
        there = Region(place.left + asked.left, place.top + asked.top, asked.width, asked.height)
        return self._screen.grab(there).pixels_bgr

    def _changes(self, seen: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """The pixels that this picture of the part looked at last shows otherwise, without those that are covered."""
        differs = (cv2.absdiff(seen, self._below[self._asked.slices]) > _SAME_LEVELS).any(axis=2)
        return differs & ~self.overlay.covers(self._asked)

    def _uncover(self, asked: Region, near: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Take away what is drawn at some pixels of what was asked for; returns the first picture without it."""
        taken, looks = self.overlay.uncover(asked, near)
        until = time.perf_counter() + _GONE_S
        while True:
            seen = self._capture(asked)
            is_there = (cv2.absdiff(seen, looks)[taken] <= _LIKE_LEVELS).all(axis=1)
            if not is_there.any() or is_there.mean() < _MOST or time.perf_counter() > until:
                return seen
            time.sleep(_TURN_S)


class OutputOverlay(PaneOverlay, ABC):
    """Sheets over an output, above all windows.

    Args:
        watch: the output.
    """

    def __init__(self, watch: OutputWatch) -> None:
        super().__init__(watch)
        self._output = watch.output
        self._note(())

    def show(self, sheets: Sequence[Sheet]) -> None:
        self._note(sheets)
        super().show(sheets)

    def hide(self) -> None:
        self._note(())
        super().hide()

    def covers(self, region: Region) -> NDArray[np.bool_]:
        """Which pixels of a part of the output are not seen for what is drawn: bool, height x width."""
        return self._is_covered[region.slices]

    def uncover(self, region: Region, is_wanted: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
        """Take away what is drawn at some pixels of a part of the output.

        Args:
            region: the part.
            is_wanted: bool, height x width: the pixels.

        Returns:
            Which of them were drawn, in the same form, and what the part looked like: uint8, height x width x 3.
        """
        taken, looks = self._is_drawn[region.slices] & is_wanted, self._looks[region.slices]
        wanted = np.zeros_like(self._is_drawn)
        wanted[region.slices] = is_wanted
        self.show([Sheet(one.picture, one.is_drawn & ~wanted[one.picture.region.slices]) for one in self._sheets])
        return taken, looks

    def _note(self, sheets: Sequence[Sheet]) -> None:
        """Remember what is drawn, and where, all over the output."""
        self._sheets = sheets
        size = (self._output.region.height, self._output.region.width)
        self._is_drawn = np.zeros(size, dtype=bool)
        self._looks = np.zeros((*size, 3), dtype=np.uint8)
        for sheet in sheets:
            there = sheet.picture.region.slices
            self._is_drawn[there] |= sheet.is_drawn
            self._looks[there][sheet.is_drawn] = sheet.picture.pixels_bgr[sheet.is_drawn]
        self._is_covered = _widened(self._is_drawn, _BLURRED_PX)

    def _is_stacked(self) -> bool:
        """What is made later lies above. Raising it again would take the pointer from the window below for a moment."""
        return True

    def _stack_panes(self) -> None:
        """Nothing: they lie as they should."""


def _widened(mask: NDArray[np.bool_], n_px: int) -> NDArray[np.bool_]:
    """A mask and all pixels that are so near to it."""
    side = 2 * n_px + 1
    return cv2.dilate(mask.astype(np.uint8), np.ones((side, side), dtype=np.uint8)).astype(bool)
