"""Boards in letters for a person: with the numbers of rows and columns beside them, in any number of dimensions.

The form that programs read is `solver.board.format_board`. Here boards of more than two dimensions lie in blocks as in
pictures (`bot.blocks`), and what is wider than the terminal continues below.
"""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.text import Text

from bot.blocks import Blocks
from solver.board import format_board, format_cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import IO

    from solver import Analysis, Board, Cell
    from solver.rules import Deduction

SAFE_SIGN, MINE_SIGN = ".", "*"
GUESS_SIGN = "@"
HINT_SIGN = "X"
_BLOCK_GAP = 2  # letters between blocks, and as many more between blocks of blocks
_AXES = "xyzwvutsrqponmlkjihgfedcba"
_STYLES = {
    "#": "grey62",
    "F": "bold red",
    "0": "grey42",
    "1": "bright_blue",
    "2": "green",
    "3": "bright_red",
    "4": "blue",
    "5": "red",
    "6": "cyan",
    "7": "magenta",
    "8": "yellow",
    "!": "bold magenta",
    SAFE_SIGN: "bold black on green",
    MINE_SIGN: "white on red",
    "X": "bold white on red",
    "x": "bold red reverse",
    GUESS_SIGN: "bold black on yellow",
}
_HINT_STYLE = "bold black on yellow"


class _Line(NamedTuple):
    """A line: the numbers at its beginning, and the texts of cells with the blanks before each; none in a ruler."""

    ruler: str
    cells: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return (self.ruler + "".join(blanks + text for blanks, text in self.cells)).rstrip()


def sign_cells(board: Board, signs: Mapping[Cell, str] | None = None) -> list[str]:
    """What each cell is in letters, in the order of the board's cells; with other signs on some.

    Args:
        board: the cells.
        signs: what stands there instead, by cell.
    """
    texts = [format_cell(code) for code in board.cells.ravel().tolist()]
    for cell, sign in (signs or {}).items():
        texts[board.topology.index(cell)] = sign
    return texts


def sign_proven(proven: Analysis | Deduction) -> list[str]:
    """What each cell of a board is in letters, with signs on those that are proven."""
    signs = dict.fromkeys(proven.safe, SAFE_SIGN) | dict.fromkeys(proven.mines, MINE_SIGN)
    return sign_cells(proven.board, signs)


def rule_board(shape: tuple[int, ...], texts: Sequence[str], width: int | None = None) -> list[str]:
    """The lines of a board with its rulers; see `iter_ruled`."""
    return [str(line) for line in iter_ruled(shape, texts, width)]


def iter_ruled(shape: tuple[int, ...], texts: Sequence[str], width: int | None = None) -> Iterator[_Line]:
    """Lay a board out with the numbers of its rows and columns.

    Cells stand close together while each is one letter. What the cells of a row or column of a board of more than two
    dimensions have in common are several indices; the first line says which.

    Args:
        shape: cells along each axis.
        texts: what each cell is in letters, in the order of the board's cells.
        width: of a page, in letters: columns that have no room go on below, from the beginning of a block or of a ten
            where that is possible. None for a page of any width.
    """
    blocks = Blocks(shape)
    if 2 < len(shape) <= len(_AXES):
        yield _Line(_name_axes(blocks))
    page = _Page(blocks, texts)
    for n, columns in enumerate(page.cut(width)):
        if n:
            yield _Line("")
        yield from page.iter_lines(columns)


def colour_line(line: _Line, *, is_over: bool = True) -> Text:
    """A line in the colours of a terminal.

    Args:
        line: the line.
        is_over: whether an X is the mine that ended the game; before that it is a hint.
    """
    styles = _STYLES if is_over else _STYLES | {HINT_SIGN: _HINT_STYLE}
    coloured = Text()
    coloured.append(line.ruler, style="dim")
    for blanks, text in line.cells:
        coloured.append(blanks)
        coloured.append(text, style=styles.get(text.strip(), ""))
    return coloured


def board_as_printed(board: Board) -> str:
    """A board for standard output: in the form that programs read, or with rulers where that is a terminal."""
    if not sys.stdout.isatty():
        return format_board(board)
    return "".join(f"{line}\n" for line in rule_board(board.shape, sign_cells(board), page_width(sys.stdout)))


def page_width(out: IO[str]) -> int | None:
    """How many letters a line of a terminal holds; None for what is no terminal."""
    return shutil.get_terminal_size().columns if out.isatty() else None


def _name_axes(blocks: Blocks) -> str:
    columns, rows = (",".join(_AXES[i] for i in axes) for axes in blocks.axes)
    return f"cell ({','.join(_AXES[: len(blocks.shape)])}): row {rows}, column {columns}"


class _Page:
    """A board's cells as letters, where they lie on a page.

    Args:
        blocks: the board's shape.
        texts: of its cells, in their order.
    """

    def __init__(self, blocks: Blocks, texts: Sequence[str]) -> None:
        self._blocks = blocks
        self._texts = blocks.to_surface(np.array(texts, dtype=object)).tolist()
        self._cell_width = max(map(len, texts))
        self._labels = [",".join(map(str, blocks.indices(1, row))) for row in range(blocks.rows)]
        widest = max(map(len, self._labels))
        self._margin = widest + 1 if widest else 0

    def cut(self, width: int | None) -> list[range]:
        """The columns that stand side by side; at least one each."""
        n_cols = self._blocks.cols
        if width is None:
            return [range(n_cols)]
        ranges: list[range] = []
        first = 0
        while first < n_cols:
            end = first + 1
            while end < n_cols and self._starts(range(first, end + 1))[-1] + self._cell_width <= width:
                end += 1
            end = end if end == n_cols else self._last_break(first, end)
            ranges.append(range(first, end))
            first = end
        return ranges

    def _last_break(self, first: int, end: int) -> int:
        """Where to cut at or before a column that has no room: before a block, a ten, or just there."""
        places = range(first + 1, end + 1)
        blocks = [place for place in places if self._blocks.depth(0, place)]
        tens = [place for place in places if place % 10 == 0]
        return (blocks or tens or [end])[-1]

    def iter_lines(self, columns: range) -> Iterator[_Line]:
        """Some columns of all rows, and their numbers."""
        starts = self._starts(columns)
        for words in self._iter_rulers(columns):
            yield _Line(_place(words, starts))
        ends = [self._margin, *(start + self._cell_width for start in starts)]
        blanks = [" " * (start - end) for end, start in zip(ends, starts, strict=False)]
        for row, label in enumerate(self._labels):
            if self._blocks.depth(1, row):
                yield _Line("")
            texts = [f"{self._texts[row][col]:>{self._cell_width}}" for col in columns]
            yield _Line(f"{label} ".rjust(self._margin) if label else "", tuple(zip(blanks, texts, strict=True)))

    def _starts(self, columns: range) -> list[int]:
        """Where on a line each of these columns begins."""
        step = self._cell_width + (self._cell_width > 1)
        starts = [self._margin]
        for col in columns[1:]:
            starts.append(starts[-1] + step + _BLOCK_GAP * self._blocks.depth(0, col))
        return starts

    def _iter_rulers(self, columns: range) -> Iterator[list[str]]:
        """What stands above each column: the outer indices where their block begins, of the inner one every digit."""
        indices = [self._blocks.indices(0, col) for col in columns]
        for level in range(len(indices[0]) - 1):
            yield [
                f"{own[level]:>{self._cell_width}}" if n == 0 or not any(own[level + 1 :]) else ""
                for n, own in enumerate(indices)
            ]
        numbers = [str(own[-1]) for own in indices]
        n_digits = max(map(len, numbers))
        if n_digits <= self._cell_width:
            yield [f"{number:>{self._cell_width}}" for number in numbers]
        else:
            for place in range(n_digits):
                yield [f"{number:>{n_digits}}"[place].rjust(self._cell_width) for number in numbers]


def _place(words: Sequence[str], starts: Sequence[int]) -> str:
    """A line with each word at its place."""
    line = ""
    for word, start in zip(words, starts, strict=True):
        if word:
            line = line.ljust(start) + word
    return line.rstrip()
