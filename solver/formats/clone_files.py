"""What clones take to play a given layout: the board file of several Windows clones, and the id of sgt-mines.

Neither says more than where the mines are, but for the cell that is open when sgt-mines begins. They are written only.

`.mbf`: a byte for the columns and one for the rows, two for the mine count, the higher first; then of every mine a byte
for its column and one for its row.

sgt-mines: `30x16:15,7,u` and the mines as bits, row by row, in hexadecimal digits, the first cell the highest bit;
before that the column and row of the cell that is open. The `u` says that the bits are not scrambled, as they are after
the `m` of the ids that the game itself tells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from solver.formats.expressing import InexpressibleError

if TYPE_CHECKING:
    from solver.layout import Layout
    from solver.topology import Cell

_MOST_SIDE, _MOST_MINES = 255, 65_535


def format_mbf(layout: Layout) -> bytes:
    """Write the board file of a layout.

    Raises:
        InexpressibleError: not two dimensions, joined edges, or more columns, rows or mines than it can say.
    """
    rows, cols = _flat_shape(layout, "mbf")
    if max(rows, cols) > _MOST_SIDE or layout.n_mines > _MOST_MINES:
        raise InexpressibleError(
            f"mbf holds boards of at most {_MOST_SIDE} rows and columns and {_MOST_MINES} mines, "
            f"got {rows} x {cols} with {layout.n_mines}"
        )
    mines = np.argwhere(layout.has_mine)[:, ::-1].astype(np.uint8)
    return bytes([cols, rows]) + layout.n_mines.to_bytes(2, "big") + mines.tobytes()


def format_game_id(layout: Layout, first_cell: Cell) -> str:
    """Write the id of a layout for sgt-mines, with a cell that is open when it begins.

    Raises:
        InexpressibleError: not two dimensions, joined edges, or a mine in the first cell.
    """
    rows, cols = _flat_shape(layout, "sgt-mines")
    if not layout.topology.has_cell(first_cell) or layout.has_mine[first_cell]:
        raise InexpressibleError(f"sgt-mines begins with a cell without a mine open, got {first_cell}")
    bits = layout.has_mine.ravel()
    digits = np.packbits(np.pad(bits, (0, -bits.size % 8))).tobytes().hex()[: -(-bits.size // 4)]
    return f"{cols}x{rows}:{first_cell[1]},{first_cell[0]},u{digits}"


def _flat_shape(layout: Layout, name: str) -> tuple[int, int]:
    if len(layout.shape) != 2 or layout.wrap:
        joined = " with joined edges" if layout.wrap else ""
        raise InexpressibleError(f"{name} holds flat boards, got one of {len(layout.shape)} dimensions{joined}")
    rows, cols = layout.shape
    return rows, cols
