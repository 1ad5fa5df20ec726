"""Where a click begins a new game, and whether the button for it is to be seen there.

The button changes its face with the game; its edge, and the strip of window around it, do not: they are remembered
from when the board was found. That holds in every clone that was recorded. Knows nothing of windows and programs.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bot.errors import ScreenError
from bot.models import Pixel, Region

if TYPE_CHECKING:
    from bot.models import Grid
    from bot.ports import Screen
    from skins.skin import Skin

INNER, OUTER = 12 / 16, 15 / 16
"""How far from its middle the strip around the button begins and ends, in cells: a button is 24 to 26 px at 16 px."""


def spot_of(skin: Skin, grid: Grid) -> Pixel | None:
    """The new-game spot on the screen, where the board is at its clone's own size or at another; None without one."""
    offset, region = skin.new_game.spot_px, grid.region
    if offset is None:
        return None
    x, y = (round(part * now / own) for part, now, own in zip(offset, grid.pitch_px, skin.pitch_px, strict=True))
    return Pixel(region.left + region.width // 2 + x, region.top + y)


class SpotWatch:
    """Remembers what lies around the button.

    Args:
        screen: where pictures come from.
        skin: what the board looks like.
    """

    def __init__(self, screen: Screen, skin: Skin) -> None:
        self._screen = screen
        self._skin = skin
        self._learned: dict[Grid, bytes] = {}
        """By the board wherever it is: a window that moves keeps its button's edge."""

    def wear(self, skin: Skin, grid: Grid) -> None:
        """From now on the board looks so, and its button is where this skin has it."""
        self._skin = skin
        self._learned.clear()
        self.learn(grid)

    def learn(self, grid: Grid) -> None:
        """Remember it, where it can be seen and no board like this one was found before."""
        key, around = _wherever(grid), self._around(grid)
        if around is not None:
            self._learned.setdefault(key, around)

    def is_in_sight(self, grid: Grid) -> bool:
        """Whether what lies around the button is pixel for pixel what it was."""
        around = self._around(grid)
        return around is not None and around == self._learned.get(_wherever(grid))

    def _around(self, grid: Grid) -> bytes | None:
        """The pixels of the strip around the button; None where there is none, or not all of it is on the screen."""
        spot = spot_of(self._skin, grid)
        if spot is None:
            return None
        inner, outer = (math.ceil(share * grid.pitch_px[0]) for share in (INNER, OUTER))
        try:
            frame = self._screen.grab(Region(spot.x - outer, spot.y - outer, 2 * outer + 1, 2 * outer + 1))
        except ScreenError:
            return None
        reach = np.abs(np.arange(-outer, outer + 1))
        return frame.pixels_bgr[np.maximum.outer(reach, reach) >= inner].tobytes()


def _wherever(grid: Grid) -> Grid:
    return replace(grid, origin=Pixel(0, 0))
