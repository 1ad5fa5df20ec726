"""`ps`: the maps of petersohn/mine-solver: `x` mine, `o` no mine.

Two dimensions. The mine count is the number of `x`; the start cell is not in the file. Where that program's description
shows a position and not a map, our collection has it as `rows`; so rows of `0`-`8`, `-` and `+` are read too, as a
board, and a board with closed cells is written that way. A board without closed cells is a full map, and written as
one.

Some of its files have ragged rows that the program itself pads with `o`. Here a ragged row is an error.
"""

from __future__ import annotations

from solver.board import CLOSED, Board
from solver.errors import BoardTextError, InconsistentError
from solver.formats.documents import Document, FullMap, as_full_map, first_cell, has_closed, name_cell
from solver.formats.expressing import Ability, InexpressibleError, express, express_map, weaken, weaken_map
from solver.formats.md import ABILITY as MD_ABILITY
from solver.formats.md import SIGNS
from solver.formats.rows import write_rows
from solver.formats.text import format_grid, iter_rows, parse_grid
from solver.layout import Layout

MAP_SIGNS = {"o": 0, "x": 1}
"""What each sign of a map means: how many mines the cell holds."""
ABILITY = Ability("ps", MD_ABILITY.codes, MD_ABILITY.numbers)
"""What can be written of a board with closed cells."""


def parse_ps(text: str) -> Document:
    """Read a map, or a board in `rows`; rows without closed cells are a map too.

    Raises:
        BoardTextError: neither; or rows without closed cells whose numbers are not those of their mines. Row and
            column are named.
    """
    rows = list(iter_rows(text))
    if rows and rows[0][1][0] not in SIGNS:
        return FullMap.seen(Layout(parse_grid(rows, MAP_SIGNS, "ps").astype(bool)))
    board = Board(parse_grid(rows, SIGNS, "ps"))
    try:
        return board if has_closed(board) else as_full_map(board)
    except InconsistentError as error:
        raise BoardTextError(str(error)) from error


def format_ps(document: Document) -> str:
    """Write a map, or a board with closed cells.

    Raises:
        InexpressibleError: something has no sign, some cell of a map is open or flagged, or the numbers of a board
            without closed cells contradict its mines; the cell is named.
    """
    if not isinstance(document, FullMap) and has_closed(document):
        return write_rows(express(document, ABILITY))
    full_map = express_map(document, "ps")
    if not full_map.is_untouched:
        cell = first_cell(full_map.view.cells != CLOSED)
        raise InexpressibleError(f"ps cannot say which cells are open or flagged: one is at {name_cell(cell)}")
    return format_grid(full_map.layout.has_mine.tolist(), {code: sign for sign, code in MAP_SIGNS.items()})


def weaken_ps(document: Document) -> tuple[Document, list[str]]:
    """Replace what `format_ps` cannot write by what claims less; say what was lost.

    Raises:
        InexpressibleError: not two dimensions, or the numbers of a board without closed cells contradict its mines.
    """
    if not isinstance(document, FullMap) and has_closed(document):
        return weaken(document, ABILITY)
    full_map, losses = weaken_map(document, "ps")
    if not full_map.is_untouched:
        losses.append("which cells are open or flagged is left out")
    return FullMap.seen(full_map.layout), losses
