"""`lisp`, `lisp-a1`, `lisp-loose`: the boards of Steve's Lisp solver, as nested lists.

A list of rows: `((- 0 0) (0 1 -) (0 - 0))`: a number, `-` closed, `+` known mine, `?` open but its number not known
(`#` would be no Lisp symbol). In the A1-letter form a closed cell is its own name, letter for the column and number for
the row, both from the top left: `((A1 0 0) (0 1 C2) (0 B3 0))`; after Z comes AA. Reading takes either, upper or lower
case, and `rows` (our collection has that program's boards so), and the layout of blanks and lines is free. Writing is
one row a line, in lists (`lisp`) or A1 letters (`lisp-a1`). Two dimensions, no mine count.

That program's own examples use 0 for an open cell that gives no number, which in the game would be a contradiction.
Read and written as `lisp-loose`, 0 is that, and there is no sign for a true 0; `lisp` takes 0 for what it is.

The texts that describe that program say "list form" and "A1 letters" and no more: the shape of the lists, `+`, `?`
and the place of the letters are our choice.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from solver.board import CLOSED, KNOWN_MINE, OPEN_UNKNOWN, Board
from solver.errors import BoardTextError
from solver.formats.expressing import Ability, express
from solver.formats.nested import Word, flatten, parse_nested
from solver.formats.rows import DIGITS, parse_rows
from solver.formats.text import quote

if TYPE_CHECKING:
    from solver.formats.documents import Document

SIGNS = DIGITS | {"-": CLOSED, "+": KNOWN_MINE, "?": OPEN_UNKNOWN}
"""What each word of a list means."""
_CODES = frozenset({CLOSED, KNOWN_MINE, OPEN_UNKNOWN})
ABILITY = Ability("lisp", _CODES, range(9))
"""What can be written."""
A1_ABILITY = Ability("lisp-a1", _CODES, range(9))
"""What can be written in A1 letters: the same."""
LOOSE_ABILITY = Ability("lisp-loose", _CODES, range(1, 9))
"""What can be written where 0 is no number."""

_NAME = re.compile(r"([A-Z]{1,4})([1-9][0-9]{0,6})")
_WORDS = {code: sign for sign, code in SIGNS.items()}


def parse_lisp(text: str) -> Board:
    """Read a board: lists, A1 letters or rows.

    Raises:
        BoardTextError: none of them, or a name that is not the cell's; row and column of the text are named.
    """
    if not text.lstrip().startswith("("):
        return parse_rows(text)
    shape, words = flatten(parse_nested(text, "()"))
    if len(shape) != 2:
        raise BoardTextError(f"expected a list of rows, got lists in {len(shape)} levels at row 0, column 0")
    codes = [_parse_word(word, divmod(index, shape[1])) for index, word in enumerate(words)]
    return Board(np.array(codes, dtype=np.int16).reshape(shape))


def parse_lisp_loose(text: str) -> Board:
    """Read a board in which 0 stands for an open cell that gives no number.

    Raises:
        BoardTextError: as `parse_lisp`.
    """
    board = parse_lisp(text)
    return Board(np.where(board.cells == 0, OPEN_UNKNOWN, board.cells))


def format_lisp(document: Document) -> str:
    """Write a board as a list of rows.

    Raises:
        InexpressibleError: something has no sign; the cell is named.
    """
    board = express(document, ABILITY)
    return _write([[_WORDS[code] for code in row] for row in board.cells.tolist()])


def format_lisp_a1(document: Document) -> str:
    """Write a board as a list of rows in which each closed cell is its own name.

    Raises:
        InexpressibleError: something has no sign; the cell is named.
    """
    board = express(document, A1_ABILITY)
    return _write(
        [
            [a1_name(row, col) if code == CLOSED else _WORDS[code] for col, code in enumerate(codes)]
            for row, codes in enumerate(board.cells.tolist())
        ]
    )


def format_lisp_loose(document: Document) -> str:
    """Write a board as a list of rows in which 0 stands for an open cell that gives no number.

    Raises:
        InexpressibleError: something has no sign, above all a true 0; the cell is named.
    """
    board = express(document, LOOSE_ABILITY)
    return _write([["0" if code == OPEN_UNKNOWN else _WORDS[code] for code in row] for row in board.cells.tolist()])


def a1_name(row: int, col: int) -> str:
    """The name of a cell: letters for the column (A to Z, AA, AB and on), the row counted from 1."""
    letters = ""
    left = col + 1
    while left:
        left, digit = divmod(left - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return f"{letters}{row + 1}"


def _parse_word(word: Word, cell: tuple[int, int]) -> int:
    if word.text in SIGNS:
        return SIGNS[word.text]
    name = word.text.upper()
    if name == a1_name(*cell):
        return CLOSED
    if _NAME.fullmatch(name):
        raise BoardTextError(f"expected {a1_name(*cell)} for this cell, got {quote(word.text)} at {word.place}")
    raise BoardTextError(
        f"expected 0-8, -, +, ? or the cell's name {a1_name(*cell)}, got {quote(word.text)} at {word.place}"
    )


def _write(rows: list[list[str]]) -> str:
    return "(" + "\n ".join(f"({' '.join(row)})" for row in rows) + ")\n"
