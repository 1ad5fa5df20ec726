"""`md`: the text of Minedetector (github.com/schani/minedetector).

Rows of `0`-`8`, `-` closed and `+` known mine, as in its files `problem1` to `problem4`. Two dimensions, no mine count,
no sign for an open cell without a number.

One of its files has two solution grids after the board, in which a safe cell is a blank. Our choice, since no
description of the format says it: a blank line ends the board, and what follows is left out; it must be made of the
same signs and blanks. Blank lines before the board mean nothing.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from solver.board import CLOSED, KNOWN_MINE, Board
from solver.errors import BoardTextError
from solver.formats.expressing import Ability, express
from solver.formats.rows import DIGITS, write_rows
from solver.formats.text import iter_rows, parse_grid, quote

if TYPE_CHECKING:
    from solver.formats.documents import Document

SIGNS = DIGITS | {"-": CLOSED, "+": KNOWN_MINE}
"""What each sign means."""
ABILITY = Ability("md", frozenset({CLOSED, KNOWN_MINE}), range(9))
"""What can be written."""


def parse_md(text: str) -> Board:
    """Read the board; the solution grids after it are checked for foreign signs and left out.

    Raises:
        BoardTextError: not rows of these signs; row and column are named.
    """
    rows = list(iter_rows(text))
    n_rows = sum(1 for _ in takewhile(lambda place: place[1][0] == rows[0][0] + place[0], enumerate(rows)))
    cells = parse_grid(rows[:n_rows], SIGNS, "md")
    for number, line in rows[n_rows:]:
        for col, sign in enumerate(line):
            if sign not in SIGNS and not sign.isspace():
                raise BoardTextError(
                    f"expected a solution grid after the board, got {quote(sign)} at row {number}, column {col}"
                )
    return Board(cells)


def format_md(document: Document) -> str:
    """Write a board: the inverse of `parse_md`.

    Raises:
        InexpressibleError: something has no sign; the cell is named.
    """
    return write_rows(express(document, ABILITY))
