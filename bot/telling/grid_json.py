"""Where the cells of a board lie, as JSON: from the board's own corner on, for pictures of the board alone."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bot.blocks import Blocks
from bot.models import Grid, Pixel
from solver.formats.text import MOST_CELLS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_MOST_OFFSET_PX = 0.5
_N_SIDES = 4


def grid_as_json(grid: Grid) -> dict[str, Any]:
    """A grid as the fields of a JSON object; what only few boards have is left out where it says nothing."""
    fields: dict[str, Any] = {
        "rows": grid.rows,
        "cols": grid.cols,
        "pitch": list(grid.pitch_px),
        "offset": list(grid.offset_px),
    }
    if grid.x_edges is not None and grid.y_edges is not None:
        fields["edges"] = [[edge - edges[0] for edge in edges] for edges in (grid.x_edges, grid.y_edges)]
    if grid.cell_px is not None:
        fields["cell"] = list(grid.cell_px)
    if grid.blocks is not None:
        fields["shape"] = list(grid.blocks.shape)
    return fields


def grid_of_json(fields: Mapping[str, Any], pitch_px: tuple[float, float]) -> Grid:
    """The grid that `grid_as_json` wrote, from pixel (0, 0) on; of this pitch where none is written.

    Raises:
        KeyError: there are no rows or columns.
        TypeError: a value is of another kind.
        ValueError: no grid is like that.
    """
    pitch_x, pitch_y = fields.get("pitch", pitch_px)
    offset_x, offset_y = fields.get("offset", (0.0, 0.0))
    if not (
        1 <= pitch_x < math.inf and 1 <= pitch_y < math.inf and max(abs(offset_x), abs(offset_y)) <= _MOST_OFFSET_PX
    ):
        raise ValueError(f"expected a pitch of 1 pixel or more and an offset of half a pixel, got {dict(fields)}")
    rows, cols = int(fields["rows"]), int(fields["cols"])
    if min(rows, cols) < 1 or rows * cols > MOST_CELLS:
        raise ValueError(f"expected rows and columns of at most {MOST_CELLS:,} cells, got {rows} x {cols}")
    x_edges, y_edges = (_edges(list(edges)) for edges in fields["edges"]) if "edges" in fields else (None, None)
    if x_edges is not None and y_edges is not None and (len(x_edges), len(y_edges)) != (cols + 1, rows + 1):
        raise ValueError(f"expected edges of {rows} x {cols} cells, got {len(y_edges) - 1} x {len(x_edges) - 1}")
    blocks = _blocks([int(side) for side in fields["shape"]], rows, cols) if "shape" in fields else None
    cell_px = None
    if "cell" in fields:
        width, height = (int(length) for length in fields["cell"])
        cell_px = width, height
    return Grid(
        Pixel(0, 0),
        (pitch_x, pitch_y),
        rows,
        cols,
        (offset_x, offset_y),
        x_edges,
        y_edges,
        cell_px=cell_px,
        blocks=blocks,
    )


def _edges(edges: Sequence[int]) -> tuple[int, ...]:
    whole = tuple(int(edge) for edge in edges)
    if whole[:1] != (0,) or any(after <= before for before, after in pairwise(whole)):
        raise ValueError(f"expected edges from 0 upwards, got {edges}")
    return whole


def _blocks(shape: Sequence[int], rows: int, cols: int) -> Blocks:
    if len(shape) != _N_SIDES or min(shape) < 1 or (shape[0] * shape[2], shape[1] * shape[3]) != (rows, cols):
        raise ValueError(f"expected four sides of {rows} x {cols} cells, got {shape}")
    return Blocks((shape[0], shape[1], shape[2], shape[3]))
