"""Finds boards at another zoom than that at which their skin was learned, as of a page in a browser.

Cells are drawn anew there: lines are as wide as before, and letters are set again. No kernel leads back to the skin's
own pixels (`unscale`). But brought to that size, its sprites are alike to what is drawn, as the cells of a page are
among themselves (`alike`). So a skin becomes one of alike cells. `row_repeats` and `lattice` say where cells may lie.

Only a learned skin is looked for, and only where it is the one that was asked for. Of many skins, one is like anything
at some size. The skins that come with minebot know what other sizes look like.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import cv2
import numpy as np

from bot.models import Grid
from bot.vision.alike import AlikeMatcher
from bot.vision.cell_edges import in_step
from bot.vision.lattice import find_places
from bot.vision.row_repeats import find_row_repeats
from skins.skin import CLOSED, Alike, OwnPixels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from bot.models import FoundBoard, Frame
    from skins.skin import Skin

    Steps = tuple[float, float]

_SCALES = (0.5, 4.0)
"""From how many times to how many times a skin's own size a board is looked for."""
_OWN = 0.02  # largest share by which a size differs from the skin's own; a board of that size is found elsewhere
_LEAST_INSIDE_PX = 4  # least side of what is left of a cell without its edges
_MOST_SKEWED = 1.03  # the most that cells may be wider or lower than the skin's, as a factor
_EDGE = 0.13  # how much of a cell's edge does not count, as a share of its side: lines keep their width
_SLACK, _MARGIN = 44.0, 1.6
"""How far cells may be from their sprite, 0-255, and how many times as far from every other one at least. Of 6,984
cells of six pages at 67 to 150 % these name 97.3 %, and none wrongly; with a margin of 1.3 nine are wrong."""
_PLAIN_SLACK = 5.0  # the slack of cells on which nothing is drawn: they have the colour of the page's own
_BLUR_PX = 3  # over how many of a skin's own pixels cells are averaged: there is nothing finer in its sprites
_MOST_REPEATS = 3  # most repeats along rows that are looked at, those of most runs first
_OFF = 0.02  # largest error of a repeat's pitch, as a share of it
_LEAST_CELLS = 2  # fewest cells along an axis on which lines repeat
_OUT_OF_STEP_PX = 2.0  # largest error at the far end of a board that a part of it tells of, in pixels
_PARTS = 64  # parts of a pixel to which a step is rounded: nearly equal steps share one matcher


class ZoomedMatcher(AlikeMatcher):
    """Names the cells of a skin that was learned at another size. Make it by `zoomed_matcher_of`."""

    like_rms = _SLACK

    def __init__(self, skin: Skin, step_px: Steps) -> None:
        super().__init__(_zoomed_to(skin, step_px))
        needed = [sprite.state in (CLOSED, "0") for sprite in self.skin.sprites]
        self.is_of_use = bool((self._accept[needed] > 0).all())
        """Whether closed cells differ from open ones without a number by more than their edges."""

    def _limits(self) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """How far cells may be from each sprite, and whether something is drawn on it: float64 and bool, sprites.

        No cell is nearer to a sprite of another state. A plain one has hardly any slack. A sprite too near to another
        state's has a limit below 0: it names nothing.
        """
        apart = np.where(self.is_rival, self.comparer.apart(self.sprites, self.sprites), np.inf)
        nearest = apart.min(axis=1, initial=np.inf)
        accept = np.minimum(_SLACK, nearest / 2).astype(np.float64)
        smooth = self.comparer.smooth(self.sprites).reshape(len(self.sprites), -1, 3)
        tells = np.ptp(smooth, axis=1).max(axis=1) / 2 > accept  # else one of a single colour is as near
        accept = np.where(tells, accept, np.minimum(accept, _PLAIN_SLACK))
        return np.where(nearest > 2 * _PLAIN_SLACK, accept, -1.0), tells


@lru_cache(maxsize=16)
def _matcher_at(skin: Skin, step_px: Steps) -> ZoomedMatcher:
    return ZoomedMatcher(skin, step_px)


def zoomed_matcher_of(skin: Skin, step_px: Steps) -> ZoomedMatcher | None:
    """The matcher of a skin's cells at another step; None where it could not tell them apart.

    Args:
        skin: that was learned at one size.
        step_px: (width, height) from cell to cell.
    """
    width, height = (round(step * _PARTS) / _PARTS for step in step_px)
    if not _may_be_zoomed(skin, (width, height)):
        return None
    matcher = _matcher_at(skin, (width, height))
    return matcher if matcher.is_of_use else None


def _may_be_zoomed(skin: Skin, step_px: Steps) -> bool:
    """Whether a skin was learned, and its cells may be drawn anew at this size."""
    if skin.is_verified is None or not isinstance(skin.drawing, (OwnPixels, Alike)):
        return False
    scales = [now / own for now, own in zip(step_px, step_of(skin), strict=True)]
    is_like = max(scales) <= _MOST_SKEWED * min(scales) and _SCALES[0] <= scales[0] <= _SCALES[1]
    left_px = min(step_px) - 2 * _inset_px(step_px) - 2 * (_blur_px(max(scales)) // 2)
    return is_like and abs(scales[0] - 1) > _OWN and left_px >= _LEAST_INSIDE_PX


def step_of(skin: Skin) -> Steps:
    """(width, height) from cell to cell in a skin's own size, in pixels."""
    return skin.drawing.step_px if isinstance(skin.drawing, Alike) else skin.pitch_px


def _inset_px(step_px: Steps) -> int:
    return max(1, round(_EDGE * min(step_px)))


def _blur_px(scale: float) -> int:
    """The width of the average at a scale, in pixels: the nearest odd number, 3 at least."""
    return max(3, 2 * round((_BLUR_PX * scale - 1) / 2) + 1)


def _zoomed_to(skin: Skin, step_px: Steps) -> Skin:
    """A skin with its sprites brought to another size, whose cells are alike."""
    scale = (step_px[0] / step_of(skin)[0], step_px[1] / step_of(skin)[1])
    return replace(
        skin,
        pitch_px=(int(step_px[0]), int(step_px[1])),
        sprites=tuple(replace(one, pixels_bgr=_resampled(one.pixels_bgr, step_px, scale)) for one in skin.sprites),
        passing=(),
        exact={},
        signs=None,
        drawing=Alike(step_px, _inset_px(step_px), _SLACK, _blur_px(max(scale))),
        tolerance=replace(skin.tolerance, margin=_MARGIN),
    )


def _resampled(pixels_bgr: NDArray[np.uint8], step_px: Steps, scale: Steps) -> NDArray[np.uint8]:
    """A cell's picture, scaled: uint8, int(height) x int(width) x 3. One that shrinks is blurred first."""
    sigma_x, sigma_y = (0.5 * max(0.0, 1 / one**2 - 1) ** 0.5 + 1e-6 for one in scale)
    blurred = cv2.GaussianBlur(
        pixels_bgr.astype(np.float32), (0, 0), sigma_x, sigmaY=sigma_y, borderType=cv2.BORDER_REPLICATE
    )
    back = np.array([[1 / one, 0.5 / one - 0.5] for one in scale])
    move = np.array([[back[0, 0], 0, back[0, 1]], [0, back[1, 0], back[1, 1]]])
    size = (int(step_px[0]), int(step_px[1]))
    flags = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    drawn = cv2.warpAffine(blurred, move, size, flags=flags, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(np.clip(drawn + 0.5, 0, 255), dtype=np.uint8)


def find_zoomed(frame: Frame, skin: Skin) -> list[FoundBoard]:
    """The boards of a skin that was learned, at other sizes than its own.

    A board keeps the skin in its own size. Its grid says `is_redrawn`, and the reader scales the sprites.
    """
    found: list[FoundBoard] = []
    if skin.is_verified is None:
        return found
    for places in (_cells_in_rows, _flat_cells):
        for place in places(frame):
            if not any(board.grid.region.has_pixel(place.region.middle) for board in found):
                found += _boards_at(frame, skin, place)
        if found:
            break
    return found


def _cells_in_rows(frame: Frame) -> Iterator[Grid]:
    """Where cells may lie whose pixels repeat along rows, in step with the lines between them."""
    for repeat in find_row_repeats(frame)[:_MOST_REPEATS]:
        region, pitch = repeat.region, repeat.pitch_px
        rows, cols = (max(_LEAST_CELLS, round(side / pitch)) for side in (region.height, region.width))
        about = Grid.at(region.corner, (pitch, pitch), rows, cols)
        yield in_step(frame, about, stretch_px=_OFF * pitch * min(rows, cols), most_moved_px=pitch)


def _flat_cells(frame: Frame) -> Iterator[Grid]:
    """Where cells may lie that are flat areas of one size, in step with the lines between them."""
    for one in find_places(frame):
        corner = (one.corner[0] + frame.left, one.corner[1] + frame.top)
        yield in_step(frame, Grid.at(corner, one.pitch_px, one.rows, one.cols), stretch_px=_OUT_OF_STEP_PX)


def _boards_at(frame: Frame, skin: Skin, place: Grid) -> list[FoundBoard]:
    """The boards of a skin where cells may lie.

    A whole board tells more exactly where its cells are than a part of it, unless its digits mislead.
    """
    boards = _boards_in_step(frame, skin, place)
    if boards:
        again = _boards_in_step(frame, skin, in_step(frame, boards[0].grid, stretch_px=_OUT_OF_STEP_PX))
        boards = max(boards, again, key=lambda some: sum(board.n_named for board in some))
    return boards


def _boards_in_step(frame: Frame, skin: Skin, place: Grid) -> list[FoundBoard]:
    """The boards of a skin in step with some cells, if its own may have that size."""
    matcher = zoomed_matcher_of(skin, place.pitch_px) if frame.region.holds(place.region) else None
    boards = [] if matcher is None else matcher.boards_at(frame, place)
    return [replace(board, skin=skin, grid=replace(board.grid, is_redrawn=True)) for board in boards]
