"""`rows`: rows of `0`-`8`, `-` closed, `+` known mine, `#` open but its number not known.

The notation in which our collected positions of other programs are kept, whatever program they come from. Blanks
around rows and blank lines mean nothing. Two dimensions, no mine count. The forms of the single programs share its
signs; those that know less than this share a part of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.board import CLOSED, KNOWN_MINE, OPEN_UNKNOWN, Board
from solver.formats.expressing import Ability, express
from solver.formats.text import format_grid, iter_rows, parse_grid

if TYPE_CHECKING:
    from solver.formats.documents import Document

DIGITS = {str(number): number for number in range(9)}
"""The signs of the numbers in two dimensions."""
SIGNS = DIGITS | {"-": CLOSED, "+": KNOWN_MINE, "#": OPEN_UNKNOWN}
"""What each sign means."""
ABILITY = Ability("rows", frozenset({CLOSED, KNOWN_MINE, OPEN_UNKNOWN}), range(9))
"""What can be written."""


def parse_rows(text: str) -> Board:
    """Read a board.

    Raises:
        BoardTextError: not rows of these signs; row and column are named.
    """
    return Board(parse_grid(iter_rows(text), SIGNS, "rows"))


def format_rows(document: Document) -> str:
    """Write a board: the inverse of `parse_rows`.

    Raises:
        InexpressibleError: something has no sign; the cell is named.
    """
    return write_rows(express(document, ABILITY))


def write_rows(board: Board) -> str:
    """Write a board of which it is known that every cell has a sign."""
    return format_grid(board.cells.tolist(), {code: sign for sign, code in SIGNS.items()})
