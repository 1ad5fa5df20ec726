"""The forms that are nested lists: `gcp` and `lisp`, and how their text is taken apart.

Nested lists as text: what the `lisp` and `gcp` forms have in common.

Knows brackets, words and quoted strings, and nothing of what they mean. Reads without recursion, so depth costs an
error and never a crash. Places in errors are those of the text: row and column, 0-based.

`gcp`, `gcp-strings`: the arrays of gamescomputersplay/minesweeper-solver, in any number of dimensions.

Nested lists in square brackets, indexed [x, y] as that program's arrays are: the outermost list runs over x, the
column. So every axis is turned round: cell (row, col) is array[col][row], and cell (i, j, k) is array[k][j][i]. An
array of whole numbers (`gcp`), or, with its last axis as strings, one character a cell (`gcp-strings`: no number above
9). Reading takes either; items are apart by commas or blanks, the layout of lines is free. No mine count, no joined
edges: that program has both in its settings.

The codes for what is no number are our choice, since our collection does not have that program's: those of
`solver.board` (-1 closed, -2 flag, -3 open without number, -4 mine, -5 exploded, -6 wrong flag, -7 known mine,
-8 unreadable), and in strings the characters of our board text.

`lisp`, `lisp-a1`, `lisp-loose`: the boards of Steve's Lisp solver, as nested lists.

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
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from solver.board import CLOSED, SYMBOLS, Board
from solver.errors import BoardTextError, BoardValueError
from solver.formats.documents import MOST_CELLS, Format
from solver.formats.rows import BOARD_SIGNS, ROWS_SIGNS, iter_rows, parse_grid
from solver.words import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.formats.documents import Document


_DEEPEST = 32
_MOST_WORDS = 4 * MOST_CELLS
_PUNCTUATION = frozenset("()[],")
_WORD = re.compile(r"""\s+|[,()\[\]]|"[^"]*"|'[^']*'|[^\s,()\[\]"']+""")


class _Word(NamedTuple):
    """A leaf: its text, and where it stands in the whole text."""

    text: str
    row: int
    col: int

    @property
    def place(self) -> str:
        """Where it stands, as errors say it."""
        return f"row {self.row}, column {self.col}"


@dataclass(slots=True)
class _Branch:
    """A list: what is in it, and where it begins."""

    row: int
    col: int
    children: list[_Branch | _Word] = field(default_factory=list)

    @property
    def place(self) -> str:
        """Where it begins, as errors say it."""
        return f"row {self.row}, column {self.col}"


def _parse_nested(text: str, brackets: str) -> _Branch:
    """Read a text that is one list.

    Args:
        text: lists in lists; words apart by blanks, or commas where the brackets are `[]`.
        brackets: `()` or `[]`.

    Returns:
        The list, of any shape; quoted strings keep their quotes.

    Raises:
        BoardTextError: not exactly one list, a bracket without its partner, too deep, too many words.
    """
    top = _Branch(0, 0)
    stack = [top]
    for n_before, word in enumerate(_iter_words(text)):
        is_inside = len(stack) > 1
        if n_before == _MOST_WORDS:
            raise BoardTextError(f"expected at most {_MOST_WORDS} words and brackets, got more at {word.place}")
        if word.text == brackets[0] and len(stack) <= _DEEPEST and (is_inside or not top.children):
            inner = _Branch(word.row, word.col)
            stack[-1].children.append(inner)
            stack.append(inner)
        elif word.text == brackets[1] and is_inside:
            stack.pop()
        elif word.text not in _PUNCTUATION and is_inside:
            stack[-1].children.append(word)
        elif not (word.text == "," and is_inside and brackets == "[]"):
            raise BoardTextError(f"expected one list in {brackets}, got {quoted(word.text)} at {word.place}")
    if len(stack) > 1 or not top.children:
        raise BoardTextError(
            f"expected one list in {brackets}, got the end of the text at row {len(text.splitlines())}, column 0"
        )
    (whole,) = top.children
    assert isinstance(whole, _Branch), "words are refused outside a list"
    return whole


def _iter_words(text: str) -> Iterator[_Word]:
    """Cut a text into words and brackets; nothing but blanks is left out: an unpaired quote is a word too."""
    for row, line in enumerate(text.splitlines()):
        col = 0
        while col < len(line):
            match = _WORD.match(line, col)
            end = match.end() if match else col + 1
            if not line[col:end].isspace():
                yield _Word(line[col:end], row, col)
            col = end


def _flatten(whole: _Branch) -> tuple[tuple[int, ...], list[_Word]]:
    """Take lists in lists as an array.

    Returns:
        Its shape, outermost axis first, and its words, the last index fastest.

    Raises:
        BoardTextError: lists of different lengths or depths, an empty one, or too many words.
    """
    shape: list[int] = []
    level: list[_Branch | _Word] = [whole]
    while isinstance(level[0], _Branch):
        width = len(level[0].children)
        for node in level:
            if isinstance(node, _Word):
                raise BoardTextError(f"expected a list, got {quoted(node.text)} at {node.place}")
            if len(node.children) != width or not width:
                raise BoardTextError(
                    f"expected a list of {width or 'at least 1'} items, got {len(node.children)} at {node.place}"
                )
        shape.append(width)
        level = [child for node in level if isinstance(node, _Branch) for child in node.children]
    words = []
    for node in level:
        if isinstance(node, _Branch):
            raise BoardTextError(f"expected no deeper list than before, got one at {node.place}")
        words.append(node)
    if len(words) > MOST_CELLS:
        raise BoardTextError(f"expected at most {MOST_CELLS} cells, got more at {words[MOST_CELLS].place}")
    return tuple(shape), words


STRING_SIGNS = BOARD_SIGNS | {str(number): number for number in range(10)}  # what a character of a string means
_LOWEST, _HIGHEST = min(SYMBOLS), int(np.iinfo(np.int16).max)
_INTEGER = re.compile(r"-?[0-9]{1,5}")
_STRING = re.compile(r"""(["']).*\1""", re.DOTALL)


@dataclass(frozen=True)
class Arrays(Format):
    """Lists in lists, indexed [x, y]: of whole numbers, or with their last axis as strings; either is read.

    Attributes:
        with_strings: whether strings are written.
    """

    with_strings: bool = field(default=False, kw_only=True)

    def _parse(self, text: str) -> Board:
        shape, words = _flatten(_parse_nested(text, "[]"))
        if any(_STRING.fullmatch(word.text) for word in words):
            if sum(len(word.text) for word in words) > MOST_CELLS + 2 * len(words):
                raise BoardTextError(f"expected at most {MOST_CELLS} cells, got more at {words[0].place}")
            rows = _Branch(0, 0, [_split(word) for word in words])
            inner, words = _flatten(rows)
            shape = (*shape, inner[1])
            codes = [_parse_sign(word) for word in words]
        else:
            codes = [_parse_number(word) for word in words]
        try:
            return Board(np.array(codes, dtype=np.int16).reshape(shape).transpose())
        except BoardValueError as error:
            raise BoardTextError(f"in our order of indices: {error}") from error

    def _write(self, document: Document) -> str:
        assert isinstance(document, Board), "it has no signs for maps"
        array = document.cells.transpose()
        rows = array.reshape(-1, array.shape[-1]).tolist()
        if self.with_strings:
            sign_of = {code: sign for sign, code in self.signs.items()}
            return _write_lists(['"' + "".join(sign_of[code] for code in row) + '"' for row in rows], array.shape[:-1])
        return _write_lists(["[" + ", ".join(map(str, row)) + "]" for row in rows], array.shape[:-1])


def _split(word: _Word) -> _Branch:
    if not _STRING.fullmatch(word.text):
        raise BoardTextError(f"expected a string as before, got {quoted(word.text)} at {word.place}")
    signs = word.text[1:-1]
    return _Branch(word.row, word.col, [_Word(sign, word.row, word.col + 1 + i) for i, sign in enumerate(signs)])


def _parse_sign(word: _Word) -> int:
    if word.text not in STRING_SIGNS:
        raise BoardTextError(f"expected one of {''.join(STRING_SIGNS)}, got {quoted(word.text)} at {word.place}")
    return STRING_SIGNS[word.text]


def _parse_number(word: _Word) -> int:
    if not _INTEGER.fullmatch(word.text) or not _LOWEST <= int(word.text) <= _HIGHEST:
        raise BoardTextError(
            f"expected a whole number from {_LOWEST} to {_HIGHEST}, got {quoted(word.text)} at {word.place}"
        )
    return int(word.text)


def _write_lists(rows: list[str], sides: tuple[int, ...]) -> str:
    """Join the texts of the innermost lists into lists of these sides, one innermost list a line."""
    for depth in range(len(sides) - 1, -1, -1):
        side = sides[depth]
        joint = ",\n" + " " * (depth + 1)
        rows = ["[" + joint.join(rows[start : start + side]) + "]" for start in range(0, len(rows), side)]
    return rows[0] + "\n"


_NAME = re.compile(r"([A-Z]{1,4})([1-9][0-9]{0,6})")


@dataclass(frozen=True)
class RowLists(Format):
    """A list of rows in round brackets; A1 letters and the signs of `rows` are read too.

    Attributes:
        with_names: whether a closed cell is written as its own name.
    """

    with_names: bool = field(default=False, kw_only=True)

    def _parse(self, text: str) -> Board:
        if not text.lstrip().startswith("("):
            return Board(parse_grid(iter_rows(text), ROWS_SIGNS | {"0": self.signs["0"]}, "rows"))
        shape, words = _flatten(_parse_nested(text, "()"))
        if len(shape) != 2:
            raise BoardTextError(f"expected a list of rows, got lists in {len(shape)} levels at row 0, column 0")
        codes = [self._parse_word(word, divmod(index, shape[1])) for index, word in enumerate(words)]
        return Board(np.array(codes, dtype=np.int16).reshape(shape))

    def _parse_word(self, word: _Word, cell: tuple[int, int]) -> int:
        if word.text in self.signs:
            return self.signs[word.text]
        own_name, name = _a1_name(*cell), word.text.upper()
        if name == own_name:
            return CLOSED
        if _NAME.fullmatch(name):
            raise BoardTextError(f"expected {own_name} for this cell, got {quoted(word.text)} at {word.place}")
        raise BoardTextError(
            f"expected 0-8, -, +, ? or the cell's name {own_name}, got {quoted(word.text)} at {word.place}"
        )

    def _write(self, document: Document) -> str:
        assert isinstance(document, Board), "it has no signs for maps"
        sign_of = {code: sign for sign, code in self.signs.items()}
        rows = [
            [
                _a1_name(row, col) if code == CLOSED and self.with_names else sign_of[code]
                for col, code in enumerate(codes)
            ]
            for row, codes in enumerate(document.cells.tolist())
        ]
        return "(" + "\n ".join(f"({' '.join(row)})" for row in rows) + ")\n"


def _a1_name(row: int, col: int) -> str:
    """The name of a cell: letters for the column (A to Z, AA, AB and on), the row counted from 1."""
    letters = ""
    left = col + 1
    while left:
        left, digit = divmod(left - 1, 26)
        letters = chr(ord("A") + digit) + letters
    return f"{letters}{row + 1}"
