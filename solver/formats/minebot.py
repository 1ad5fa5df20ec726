"""`minebot`: our own board text (see `solver.board`), which can express every board.

A full map of which nothing is open yet is written as a board with every number and every mine shown, and read back as
that board: `solver.formats.as_full_map` takes it for the map again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.board import SYMBOLS, Board, format_board, parse_board
from solver.errors import BoardTextError
from solver.formats.expressing import Ability, express
from solver.formats.text import MOST_CELLS

if TYPE_CHECKING:
    from solver.formats.documents import Document

ABILITY = Ability("minebot", frozenset(SYMBOLS), n_dimensions=None, has_header=True)
"""What can be written."""


def parse_minebot(text: str) -> Board:
    """Read a board.

    Raises:
        BoardTextError: not a board's text; row and column are named.
    """
    board = parse_board(text)
    if board.cells.size > MOST_CELLS:
        raise BoardTextError(f"expected at most {MOST_CELLS} cells, got {board.cells.size}")
    return board


def format_minebot(document: Document) -> str:
    """Write a board, or a full map of which nothing is open.

    Raises:
        InexpressibleError: a map of which something is open; a closed cell is named.
    """
    return format_board(express(document, ABILITY))
