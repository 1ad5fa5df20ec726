"""Finds places where something repeats as the cells of a board do, whatever it is."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from bot.models import Grid, Region
from bot.vision.cell_edges import in_step
from bot.vision.lattice import find_flat_lattices
from bot.vision.row_repeats import find_row_repeats

if TYPE_CHECKING:
    from bot.models import Frame
    from bot.vision.lattice import Lattice

_FLATS = (8, 2)  # steps a channel within which neighbouring pixels make one area: bare fields in turn may be 8 apart
_MOST_PLACES = 3  # most places where something repeats that are looked at, those of most repetitions first
_OFF = 0.02  # how far cells may be from as far apart as they seem to be where they repeat in rows, as a share of that
_OUT_OF_STEP_PX = 2.0  # how far the far end of flat areas may be from where it seems to be, in pixels
_LEAST_CELLS = 2  # fewest cells along an axis on which lines repeat


@lru_cache(maxsize=1)
def find_places(frame: Frame) -> list[Lattice]:
    """Where something repeats like closed cells, the most repetitions first; no more than a few places."""
    found = (lattice for flat in _FLATS for lattice in find_flat_lattices(frame.pixels_bgr, flat)[:_MOST_PLACES])
    places: list[Lattice] = []
    for lattice in sorted(found, key=lambda lattice: -lattice.n_marks):
        middle = region_of(lattice, frame).middle
        if not any(region_of(place, frame).has_pixel(middle) for place in places):
            places.append(lattice)
    return places[:_MOST_PLACES]


def region_of(lattice: Lattice, frame: Frame) -> Region:
    """The part of a frame on which something repeats."""
    (left, top), (pitch_x, pitch_y) = lattice.corner, lattice.pitch_px
    corner = (frame.left + max(int(left), 0), frame.top + max(int(top), 0))
    size = (math.ceil(lattice.cols * pitch_x), math.ceil(lattice.rows * pitch_y))
    return Region(*corner, *size).widened(0, frame.region)


@lru_cache(maxsize=1)
def cells_in_rows(frame: Frame) -> list[Grid]:
    """Where cells may lie whose pixels repeat along rows, in step with the lines between them."""
    found = []
    for repeat in find_row_repeats(frame)[:_MOST_PLACES]:
        region, pitch = repeat.region, repeat.pitch_px
        rows, cols = (max(_LEAST_CELLS, round(side / pitch)) for side in (region.height, region.width))
        about = Grid.at(region.corner, (pitch, pitch), rows, cols)
        found.append(in_step(frame, about, stretch_px=_OFF * pitch * min(rows, cols), most_moved_px=pitch))
    return found


@lru_cache(maxsize=1)
def flat_cells(frame: Frame) -> list[Grid]:
    """Where cells may lie that are flat areas of one size, in step with the lines between them."""
    found = []
    for one in find_places(frame):
        corner = (one.corner[0] + frame.left, one.corner[1] + frame.top)
        grid = Grid.at(corner, one.pitch_px, one.rows, one.cols)
        found.append(in_step(frame, grid, stretch_px=_OUT_OF_STEP_PX))
    return found
