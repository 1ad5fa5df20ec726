"""Nested lists as text: what the `lisp` and `gcp` forms have in common.

Knows brackets, words and quoted strings, and nothing of what they mean. Reads without recursion, so depth costs an
error and never a crash. Places in errors are those of the text: row and column, 0-based.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from solver.errors import BoardTextError
from solver.formats.text import MOST_CELLS, quote

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 32
_MOST_WORDS = 4 * MOST_CELLS
_PUNCTUATION = frozenset("()[],")
_WORD = re.compile(r"""\s+|[,()\[\]]|"[^"]*"|'[^']*'|[^\s,()\[\]"']+""")


class Word(NamedTuple):
    """A leaf: its text, and where it stands in the whole text."""

    text: str
    row: int
    col: int

    @property
    def place(self) -> str:
        """Where it stands, as errors say it."""
        return f"row {self.row}, column {self.col}"


@dataclass(slots=True)
class Branch:
    """A list: what is in it, and where it begins."""

    row: int
    col: int
    children: list[Branch | Word] = field(default_factory=list)

    @property
    def place(self) -> str:
        """Where it begins, as errors say it."""
        return f"row {self.row}, column {self.col}"


def parse_nested(text: str, brackets: str) -> Branch:
    """Read a text that is one list.

    Args:
        text: lists in lists; words apart by blanks, or commas where the brackets are `[]`.
        brackets: `()` or `[]`.

    Returns:
        The list, of any shape; quoted strings keep their quotes.

    Raises:
        BoardTextError: not exactly one list, a bracket without its partner, too deep, too many words.
    """
    top = Branch(0, 0)
    stack = [top]
    for n_before, word in enumerate(_iter_words(text)):
        is_inside = len(stack) > 1
        if n_before == _MOST_WORDS:
            raise BoardTextError(f"expected at most {_MOST_WORDS} words and brackets, got more at {word.place}")
        if word.text == brackets[0] and len(stack) <= _DEEPEST and (is_inside or not top.children):
            inner = Branch(word.row, word.col)
            stack[-1].children.append(inner)
            stack.append(inner)
        elif word.text == brackets[1] and is_inside:
            stack.pop()
        elif word.text not in _PUNCTUATION and is_inside:
            stack[-1].children.append(word)
        elif not (word.text == "," and is_inside and brackets == "[]"):
            raise BoardTextError(f"expected one list in {brackets}, got {quote(word.text)} at {word.place}")
    if len(stack) > 1 or not top.children:
        raise BoardTextError(
            f"expected one list in {brackets}, got the end of the text at row {len(text.splitlines())}, column 0"
        )
    (whole,) = top.children
    assert isinstance(whole, Branch), "words are refused outside a list"
    return whole


def _iter_words(text: str) -> Iterator[Word]:
    """Cut a text into words and brackets; nothing but blanks is left out: an unpaired quote is a word of its own."""
    for row, line in enumerate(text.splitlines()):
        col = 0
        while col < len(line):
            match = _WORD.match(line, col)
            end = match.end() if match else col + 1
            if not line[col:end].isspace():
                yield Word(line[col:end], row, col)
            col = end


def flatten(whole: Branch) -> tuple[tuple[int, ...], list[Word]]:
    """Take lists in lists as an array.

    Returns:
        Its shape, outermost axis first, and its words, the last index fastest.

    Raises:
        BoardTextError: lists of different lengths or depths, an empty one, or too many words.
    """
    shape: list[int] = []
    level: list[Branch | Word] = [whole]
    while isinstance(level[0], Branch):
        width = len(level[0].children)
        for node in level:
            if isinstance(node, Word):
                raise BoardTextError(f"expected a list, got {quote(node.text)} at {node.place}")
            if len(node.children) != width or not width:
                raise BoardTextError(
                    f"expected a list of {width or 'at least 1'} items, got {len(node.children)} at {node.place}"
                )
        shape.append(width)
        level = [child for node in level if isinstance(node, Branch) for child in node.children]
    words = []
    for node in level:
        if isinstance(node, Branch):
            raise BoardTextError(f"expected no deeper list than before, got one at {node.place}")
        words.append(node)
    if len(words) > MOST_CELLS:
        raise BoardTextError(f"expected at most {MOST_CELLS} cells, got more at {words[MOST_CELLS].place}")
    return tuple(shape), words
