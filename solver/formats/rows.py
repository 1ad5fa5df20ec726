"""The forms that are rows of signs: `rows`, `minebot`, `md`, `ps`, `qb`, `dots-closed`, `dots-open`.

`rows`: rows of `0`-`8`, `-` closed, `+` known mine, `#` open but its number not known.

The notation in which our collected positions of other programs are kept, whatever program they come from. Blanks
around rows and blank lines mean nothing. Two dimensions, no mine count. The forms of the single programs share its
signs; those that know less than this share a part of them.

`minebot`: our own board text (see `solver.board`), which can express every board.

A full map of which nothing is open yet is written as a board with every number and every mine shown, and read back as
that board: `solver.formats.as_full_map` takes it for the map again.

`md`: the text of Minedetector (github.com/schani/minedetector).

Rows of `0`-`8`, `-` closed and `+` known mine, as in its files `problem1` to `problem4`. Two dimensions, no mine count,
no sign for an open cell without a number.

One of its files has two solution grids after the board, in which a safe cell is a blank. Our choice, since no
description of the format says it: a blank line ends the board, and what follows is left out; it must be made of the
same signs and blanks. Blank lines before the board mean nothing.

`ps`: the maps of petersohn/mine-solver: `x` mine, `o` no mine.

Two dimensions. The mine count is the number of `x`; the start cell is not in the file. Where that program's description
shows a position and not a map, our collection has it as `rows`; so rows of `0`-`8`, `-` and `+` are read too, as a
board, and a board with closed cells is written that way. A board without closed cells is a full map, and written as
one.

Some of its files have ragged rows that the program itself pads with `o`. Here a ragged row is an error.

`qb`: the strings of quasarbright/minesweeper's tests: a full map, and what of it is open.

A digit is an open cell, `?` a covered safe cell, `*` a covered mine, `F` a mine with a flag. As in those tests the
digit itself says nothing: the number is computed from the mines, and what is written is the computed one. Two
dimensions; the mine count is the number of `*` and `F`.

Where that program's author shows a position and not a map (pictures of a blog), our collection has it as `rows`; so
those are read too, as a board, and a board is written that way. A text of digits alone is a map when all of them are 0,
else rows.

`dots-closed`, `dots-open`: boards as people type them, with `.` or `_` for what has no sign on the screen.

Otherwise they are our board text. Some mean a closed cell by a dot, some an open one without a mine beside it: nobody
but the writer knows. So each is a form, which has to be asked for. Two dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from solver.board import CLOSED, FLAG, KNOWN_MINE, OPEN_UNKNOWN, SYMBOLS, Board, format_board, parse_board
from solver.errors import BoardTextError, InconsistentError
from solver.formats.documents import MOST_CELLS, Format, FullMap, as_full_map, has_closed
from solver.layout import Layout
from solver.words import quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from solver.formats.documents import Document

DIGITS = {str(number): number for number in range(9)}  # the signs of the numbers in two dimensions
BOARD_SIGNS = {sign: code for code, sign in SYMBOLS.items()}  # the signs of our board text that are no numbers
ROWS_SIGNS = DIGITS | {"-": CLOSED, "+": KNOWN_MINE, "#": OPEN_UNKNOWN}  # the signs of collected positions


@dataclass(frozen=True)
class BoardText(Format):
    """Our board text."""

    header: frozenset[str] = field(default=frozenset({"mines", "wrap", "cut"}), kw_only=True)

    def _parse(self, text: str) -> Board:
        board = parse_board(text)
        if board.cells.size > MOST_CELLS:
            raise BoardTextError(f"expected at most {MOST_CELLS} cells, got {board.cells.size}")
        return board

    def format(self, document: Document) -> str:
        """Write a document; of a map also the cell to begin at, as a comment."""
        text = super().format(document)
        start = document.start if self.says_start and isinstance(document, FullMap) else None
        return text if start is None else f"; begin at: {','.join(map(str, start))}\n{text}"

    def _write(self, document: Document) -> str:
        assert isinstance(document, Board), "it has no signs for maps"
        return format_board(document)


@dataclass(frozen=True)
class DottedText(BoardText):
    """Our board text, with a dot in place of one of its signs."""

    is_detected: bool = field(default=False, kw_only=True)
    dot: str = field(kw_only=True)

    def _parse(self, text: str) -> Board:
        return super()._parse(_translate(text, {".": self.dot, "_": self.dot}))

    def _write(self, document: Document) -> str:
        return _translate(super()._write(document), {self.dot: "."})


def _translate(text: str, signs: dict[str, str]) -> str:
    """Replace signs in the lines that hold cells."""
    table = str.maketrans(signs)
    return "".join(
        line if line.lstrip().startswith(";") else line.translate(table) for line in text.splitlines(keepends=True)
    )


@dataclass(frozen=True)
class SignRows(Format):
    """Rows of one sign a cell.

    Attributes:
        has_solutions: whether solution grids may stand behind the board.
    """

    has_solutions: bool = field(default=False, kw_only=True)

    def _parse(self, text: str) -> Document:
        rows = list(iter_rows(text))
        if self._is_map("".join(line for _, line in rows)):
            has_mine = parse_grid(rows, {sign: is_mine for sign, (is_mine, _) in self.map_signs.items()}, self.name)
            codes = parse_grid(rows, {sign: code for sign, (_, code) in self.map_signs.items()}, self.name)
            return FullMap.seen(Layout(has_mine.astype(bool)), codes >= 0, codes == FLAG)
        gaps = (i for i, (number, _) in enumerate(rows) if self.has_solutions and number != rows[0][0] + i)
        n_rows = next(gaps, len(rows))
        board = Board(parse_grid(rows[:n_rows], self.signs, self.name))
        self._check_solutions(rows[n_rows:])
        if not self.is_of_maps or has_closed(board):
            return board
        try:
            return as_full_map(board)
        except InconsistentError as error:
            raise BoardTextError(str(error)) from error

    def _is_map(self, signs: str) -> bool:
        """Whether a text of these signs is a map: the first one that only maps or only boards have says it."""
        for sign in signs:
            if (sign in self.signs) != (sign in self.map_signs):
                return sign in self.map_signs
        return "0" in self.map_signs and set(signs) == {"0"}  # of digits alone: no mine, all of it open

    def _check_solutions(self, rows: list[tuple[int, str]]) -> None:
        """Check what stands behind the board for foreign signs.

        Raises:
            BoardTextError: there is one; row and column are named.
        """
        for number, line in rows:
            for col, sign in enumerate(line):
                if sign not in self.signs and not sign.isspace():
                    raise BoardTextError(
                        f"expected a solution grid after the board, got {quoted(sign)} at row {number}, column {col}"
                    )

    def _write(self, document: Document) -> str:
        if isinstance(document, Board):
            sign_of = {code: sign for sign, code in self.signs.items()}
            rows = [[sign_of[code] for code in row] for row in document.cells.tolist()]
        else:
            hidden = {cell: sign for sign, cell in self.map_signs.items()}
            cells = zip(document.layout.has_mine.tolist(), document.view.cells.tolist(), strict=True)
            rows = [
                [str(code) if code >= 0 else hidden[is_mine, code] for is_mine, code in zip(*row, strict=True)]
                for row in cells
            ]
        return "".join("".join(row) + "\n" for row in rows)


def iter_rows(text: str) -> Iterator[tuple[int, str]]:
    """Generate the lines that are not blank, without the blanks around them, each with its number, 0-based."""
    for number, line in enumerate(text.splitlines()):
        if line.strip():
            yield number, line.strip()


def parse_grid(rows: Iterable[tuple[int, str]], signs: Mapping[str, int], form: str) -> NDArray[np.int16]:
    """Read lines of one sign a cell.

    Args:
        rows: lines with their numbers: what errors call a row.
        signs: what each sign means.
        form: the name of the form, for errors.

    Returns:
        The meanings: int16, rows x cols.

    Raises:
        BoardTextError: no row, a ragged row, a sign the form has not, too many cells; row and column are named.
    """
    grid: list[list[int]] = []
    n_cells = 0
    for number, line in rows:
        width = len(grid[0]) if grid else len(line)
        n_cells += len(line)
        if n_cells > MOST_CELLS:
            raise BoardTextError(f"expected at most {MOST_CELLS} cells, got more (row {number}, column 0)")
        grid.append(_parse_signs(number, line, signs, form))
        if len(line) != width:
            col = min(len(line), width)
            raise BoardTextError(f"expected {width} cells, got {len(line)} (row {number}, column {col})")
    if not grid:
        raise BoardTextError(f"expected at least one row of {form} cells, got none (row 0, column 0)")
    return np.array(grid, dtype=np.int16)


def _parse_signs(number: int, line: str, signs: Mapping[str, int], form: str) -> list[int]:
    try:
        return [signs[sign] for sign in line]
    except KeyError:
        col, sign = next((col, sign) for col, sign in enumerate(line) if sign not in signs)
        allowed = "".join(signs).replace("012345678", "0-8 ")
        raise BoardTextError(
            f"expected one of {allowed} in {form} text, got {quoted(sign)} at row {number}, column {col}"
        ) from None
