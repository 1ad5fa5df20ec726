"""`gcp`, `gcp-strings`: the arrays of gamescomputersplay/minesweeper-solver, in any number of dimensions.

Nested lists in square brackets, indexed [x, y] as that program's arrays are: the outermost list runs over x, the
column. So every axis is turned round: cell (row, col) is array[col][row], and cell (i, j, k) is array[k][j][i]. An
array of whole numbers (`gcp`), or, with its last axis as strings, one character a cell (`gcp-strings`: no number above
9). Reading takes either; items are apart by commas or blanks, the layout of lines is free. No mine count, no joined
edges: that program has both in its settings.

The codes for what is no number are our choice, since our collection does not have that program's: those of
`solver.board` (-1 closed, -2 flag, -3 open without number, -4 mine, -5 exploded, -6 wrong flag, -7 known mine,
-8 unreadable), and in strings the characters of our board text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from solver.board import SYMBOLS, Board
from solver.errors import BoardTextError, BoardValueError
from solver.formats.expressing import Ability, express
from solver.formats.nested import Branch, Word, flatten, parse_nested
from solver.formats.text import MOST_CELLS, quote

if TYPE_CHECKING:
    from solver.formats.documents import Document

ABILITY = Ability("gcp", frozenset(SYMBOLS), n_dimensions=None)
"""What can be written as whole numbers."""
STRINGS_ABILITY = Ability("gcp-strings", frozenset(SYMBOLS), range(10), range(2, 65))
"""What can be written as strings."""

_LOWEST, _HIGHEST = min(SYMBOLS), int(np.iinfo(np.int16).max)
_INTEGER = re.compile(r"-?[0-9]{1,5}")
_SIGNS = {sign: code for code, sign in SYMBOLS.items()} | {str(number): number for number in range(10)}
_STRING = re.compile(r"""(["']).*\1""", re.DOTALL)


def parse_gcp(text: str) -> Board:
    """Read a board: an array of whole numbers or of strings.

    Raises:
        BoardTextError: neither; row and column of the text are named, or the cell of an impossible number.
    """
    shape, words = flatten(parse_nested(text, "[]"))
    if any(_STRING.fullmatch(word.text) for word in words):
        if sum(len(word.text) for word in words) > MOST_CELLS + 2 * len(words):
            raise BoardTextError(f"expected at most {MOST_CELLS} cells, got more at {words[0].place}")
        rows = Branch(0, 0, [_split(word) for word in words])
        inner, words = flatten(rows)
        shape = (*shape, inner[1])
        codes = [_parse_sign(word) for word in words]
    else:
        codes = [_parse_number(word) for word in words]
    try:
        return Board(np.array(codes, dtype=np.int16).reshape(shape).transpose())
    except BoardValueError as error:
        raise BoardTextError(f"in our order of indices: {error}") from error


def format_gcp(document: Document) -> str:
    """Write a board as an array of whole numbers.

    Raises:
        InexpressibleError: a mine count, joined edges, or a map of which something is open.
    """
    array = express(document, ABILITY).cells.transpose()
    return _write(["[" + ", ".join(map(str, row)) + "]" for row in _last_axis(array)], array.shape[:-1])


def format_gcp_strings(document: Document) -> str:
    """Write a board as an array of strings.

    Raises:
        InexpressibleError: as `format_gcp`, a single dimension, or a number above 9; the cell is named.
    """
    array = express(document, STRINGS_ABILITY).cells.transpose()
    signs = {code: sign for sign, code in _SIGNS.items()}
    rows = ['"' + "".join(signs[code] for code in row) + '"' for row in _last_axis(array)]
    return _write(rows, array.shape[:-1])


def _split(word: Word) -> Branch:
    if not _STRING.fullmatch(word.text):
        raise BoardTextError(f"expected a string as before, got {quote(word.text)} at {word.place}")
    signs = word.text[1:-1]
    return Branch(word.row, word.col, [Word(sign, word.row, word.col + 1 + i) for i, sign in enumerate(signs)])


def _parse_sign(word: Word) -> int:
    if word.text not in _SIGNS:
        raise BoardTextError(f"expected one of {''.join(_SIGNS)}, got {quote(word.text)} at {word.place}")
    return _SIGNS[word.text]


def _parse_number(word: Word) -> int:
    if not _INTEGER.fullmatch(word.text) or not _LOWEST <= int(word.text) <= _HIGHEST:
        raise BoardTextError(
            f"expected a whole number from {_LOWEST} to {_HIGHEST}, got {quote(word.text)} at {word.place}"
        )
    return int(word.text)


def _last_axis(array: np.ndarray[tuple[int, ...], np.dtype[np.int16]]) -> list[list[int]]:
    rows: list[list[int]] = array.reshape(-1, array.shape[-1]).tolist()
    return rows


def _write(rows: list[str], sides: tuple[int, ...]) -> str:
    """Join the texts of the innermost lists into lists of these sides, one innermost list a line."""
    for depth in range(len(sides) - 1, -1, -1):
        side = sides[depth]
        joint = ",\n" + " " * (depth + 1)
        rows = ["[" + joint.join(rows[start : start + side]) + "]" for start in range(0, len(rows), side)]
    return rows[0] + "\n"
