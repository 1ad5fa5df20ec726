"""The screen, captured with mss."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import cv2
import mss
import numpy as np
from mss.exception import ScreenShotError

from bot.errors import ScreenError
from bot.models import Frame, Region

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


class MssScreen:
    """Captures X11, Windows and macOS screens. Use it from the thread that made it only.

    Raises:
        ScreenError: there is no display, or it cannot be captured.
    """

    def __init__(self) -> None:
        try:
            self._mss = mss.MSS()
            everything = self._mss.monitors[0]
        except ScreenShotError as error:
            raise ScreenError(
                f"the screen cannot be captured: {error}\nIs the display named by DISPLAY running, and yours?"
            ) from error
        self._everything = _region_of(everything)

    @property
    def monitors(self) -> list[Region]:
        return [_region_of(monitor) for monitor in self._mss.monitors[1:]]

    def grab(self, region: Region | None = None) -> Frame:
        asked = self._everything if region is None else region
        place = {"left": asked.left, "top": asked.top, "width": asked.width, "height": asked.height}
        try:
            shot = self._mss.grab(place)
        except ScreenShotError as error:
            whole = self._everything
            if whole.holds(asked):
                raise ScreenError(f"the screen cannot be captured at {asked}: {error}") from error
            raise ScreenError(
                f"expected a part of the screen, which is {whole.width} x {whole.height} pixels from "
                f"({whole.left},{whole.top}) on, got {asked.width} x {asked.height} from ({asked.left},{asked.top}) on"
            ) from error
        bgra: NDArray[np.uint8] = np.frombuffer(shot.raw, dtype=np.uint8).reshape(shot.height, shot.width, 4)
        pixels = np.asarray(cv2.cvtColor(bgra, cv2.COLOR_BGRA2BGR), dtype=np.uint8)
        return Frame(_in_points(pixels, asked), asked.left, asked.top)

    def close(self) -> None:
        """Give the screen back. If it is gone, whoever needs it next says so."""
        with suppress(ScreenShotError):
            self._mss.close()


def _in_points(pixels_bgr: NDArray[np.uint8], asked: Region) -> NDArray[np.uint8]:
    """A capture with one pixel for each place that can be clicked: Retina screens of macOS have 2 x 2 for one.

    Raises:
        ScreenError: it has not a whole number of pixels for each.
    """
    height, width = pixels_bgr.shape[:2]
    if (width, height) == (asked.width, asked.height):
        return pixels_bgr
    n_across, n_down = width // asked.width, height // asked.height
    if n_across < 1 or (n_across * asked.width, n_down * asked.height) != (width, height) or n_across != n_down:
        raise ScreenError(f"the screen cannot be captured at {asked}: {width} x {height} pixels came back")
    shrunk = cv2.resize(pixels_bgr, (asked.width, asked.height), interpolation=cv2.INTER_AREA)  # the mean of each block
    return np.asarray(shrunk, dtype=np.uint8)


def _region_of(monitor: Mapping[str, Any]) -> Region:
    return Region(monitor["left"], monitor["top"], monitor["width"], monitor["height"])
