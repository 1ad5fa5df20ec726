"""`qb`: the strings of quasarbright/minesweeper's tests: a full map, and what of it is open.

A digit is an open cell, `?` a covered safe cell, `*` a covered mine, `F` a mine with a flag. As in those tests the
digit itself says nothing: the number is computed from the mines, and what is written is the computed one. Two
dimensions; the mine count is the number of `*` and `F`.

Where that program's author shows a position and not a map (pictures of a blog), our collection has it as `rows`; so
those are read too, as a board, and a board is written that way. A text of digits alone is a map when all of them are 0,
else rows.
"""

from __future__ import annotations

import numpy as np

from solver.board import CLOSED, FLAG, OPEN_UNKNOWN, Board
from solver.formats.documents import Document, FullMap, first_cell, name_cell
from solver.formats.expressing import Ability, InexpressibleError, express, express_map, weaken, weaken_map
from solver.formats.rows import ABILITY as ROWS_ABILITY
from solver.formats.rows import DIGITS, SIGNS, write_rows
from solver.formats.text import format_grid, iter_rows, parse_grid
from solver.layout import Layout

_COVERED_MINE, _FLAGGED_MINE, _COVERED_SAFE = CLOSED, FLAG, OPEN_UNKNOWN
MAP_SIGNS = DIGITS | {"?": _COVERED_SAFE, "*": _COVERED_MINE, "F": _FLAGGED_MINE}
"""What each sign of a map means."""
ABILITY = Ability("qb", ROWS_ABILITY.codes, ROWS_ABILITY.numbers)
"""What can be written of a board."""


def parse_qb(text: str) -> Document:
    """Read a map, or a board in `rows`.

    Raises:
        BoardTextError: neither; row and column are named.
    """
    rows = list(iter_rows(text))
    signs = {sign for _, line in rows for sign in line}
    if signs & {"-", "+", "#"} or (signs != {"0"} and signs <= DIGITS.keys()):
        return Board(parse_grid(rows, SIGNS, "qb"))
    cells = parse_grid(rows, MAP_SIGNS, "qb")
    layout = Layout(np.isin(cells, (_COVERED_MINE, _FLAGGED_MINE)))
    return FullMap.seen(layout, cells >= 0, cells == _FLAGGED_MINE)


def format_qb(document: Document) -> str:
    """Write a map, or a board.

    Raises:
        InexpressibleError: something has no sign; the cell is named.
    """
    if not isinstance(document, FullMap):
        return write_rows(express(document, ABILITY))
    full_map = express_map(document, "qb")
    is_wrong = (full_map.view.cells == FLAG) & ~full_map.layout.has_mine
    if is_wrong.any():
        raise InexpressibleError(f"qb has no sign for a flag on a safe cell, at {name_cell(first_cell(is_wrong))}")
    return format_grid(_signs_of(full_map).tolist(), {code: sign for sign, code in MAP_SIGNS.items()})


def weaken_qb(document: Document) -> tuple[Document, list[str]]:
    """Replace what `format_qb` cannot write by what claims less; say what was lost.

    Raises:
        InexpressibleError: not two dimensions.
    """
    if not isinstance(document, FullMap):
        return weaken(document, ABILITY)
    full_map, losses = weaken_map(document, "qb")
    cells, has_mine = full_map.view.cells, full_map.layout.has_mine
    is_wrong = (cells == FLAG) & ~has_mine
    if is_wrong.any():
        losses.append(f"flags on {int(is_wrong.sum())} safe cells are left out")
    return FullMap.seen(full_map.layout, cells >= 0, (cells == FLAG) & has_mine), losses


def _signs_of(full_map: FullMap) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    cells = full_map.view.cells.copy()
    cells[(cells == CLOSED) & ~full_map.layout.has_mine] = _COVERED_SAFE
    return cells
