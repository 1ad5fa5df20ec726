"""Learns what is painted right around the board of an unknown clone: its skin's border.

On each side it is a run of lines of one colour, the same on all pictures. It is kept only where it tells the end of a
board from all lines between two of its cells.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.models import Pixel
from bot.vision.board_edge import beside, show_border
from skins.skin import Border, OwnPixels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bot.models import Grid
    from bot.vision.board_edge import Strip
    from calibration.cells import Cut
    from skins.skin import Bgr, Skin

_SIDES = ("left", "top", "right", "bottom")
_LEAST_ALONG = 0.95  # least share of a line beside the board that has the border's colour: corners may be mitred
_MUCH = 0.25  # least share of a side on which the border's colour must go on where it blends into what follows
_LEAST_LINES = 2  # fewest lines of a border: one line may also lie between two cells


class _Run(NamedTuple):
    """Lines of one colour right beside a side.

    Attributes:
        bgr: the colour: B, G, R.
        n_lines: how many there are.
        goes_on: whether the colour fills half a cell beside much of the side. A header of that colour does.
    """

    bgr: Bgr
    n_lines: int
    goes_on: bool


def with_border(skin: Skin, cuts: Sequence[Cut]) -> Skin:
    """A skin with the border that these boards have; without one where none is alike on all of them.

    Args:
        skin: what reads them.
        cuts: the boards, each whole.
    """
    if not (isinstance(skin.drawing, OwnPixels) and all(cut.grid.is_whole for cut in cuts)):
        return skin
    runs = {side: _common_run([beside(cut.grid, cut.frame)[side] for cut in cuts], skin) for side in _SIDES}
    blends = tuple(side for side, run in runs.items() if run.goes_on)
    depths = [run.n_lines for side, run in runs.items() if side not in blends]
    if not depths or min(run.n_lines for run in runs.values()) < _LEAST_LINES:
        return skin
    left, top, right, bottom = ((runs[side].bgr,) for side in _SIDES)
    made = replace(skin, border=Border(min(depths), left, top, right, bottom, blends))
    return made if all(_tells_ends(cut, made) for cut in cuts) else skin


def _common_run(strips: Sequence[Strip], skin: Skin) -> _Run:
    """The lines of one colour that begin all strips; none where they differ."""
    runs = [_run_of(strip, skin.tolerance.colour) for strip in strips]
    first = runs[0].bgr
    is_same = all(np.abs(np.subtract(run.bgr, first)).max() <= skin.tolerance.colour for run in runs)
    return _Run(first, min(run.n_lines for run in runs) if is_same else 0, any(run.goes_on for run in runs))


def _run_of(strip: Strip, tolerance: int) -> _Run:
    """The lines of one colour that begin a strip (uint8, along x across x 3)."""
    if strip.shape[1] == 0:  # the picture ends there
        return _Run((0, 0, 0), 0, goes_on=False)
    blue, green, red = np.median(strip[:, 0], axis=0).round().astype(int).tolist()
    is_of = np.abs(strip.astype(np.int16) - (blue, green, red)).max(axis=2) <= tolerance
    is_line = is_of.mean(axis=0) >= _LEAST_ALONG
    goes_on = bool(is_of[:, : strip.shape[1] // 2].all(axis=1).mean() >= _MUCH)
    return _Run((blue, green, red), strip.shape[1] if is_line.all() else int(is_line.argmin()), goes_on)


def _tells_ends(cut: Cut, skin: Skin) -> bool:
    """Whether every side of a board shows the skin's border, and no part of it does where it is cut."""
    if not all(show_border(cut.grid, cut.frame, skin).values()):
        return False
    return not any(show_border(part, cut.frame, skin)[side] for side, part in _parts_of(cut.grid))


def _parts_of(grid: Grid) -> Iterator[tuple[str, Grid]]:
    """The grids that lack some lines of a grid on one side; each with that side."""
    width, height = map(int, grid.pitch_px)
    for n in range(1, grid.rows):
        yield "bottom", replace(grid, rows=n)
        yield "top", replace(grid, rows=grid.rows - n, origin=Pixel(grid.origin.x, grid.origin.y + n * height))
    for n in range(1, grid.cols):
        yield "right", replace(grid, cols=n)
        yield "left", replace(grid, cols=grid.cols - n, origin=Pixel(grid.origin.x + n * width, grid.origin.y))
