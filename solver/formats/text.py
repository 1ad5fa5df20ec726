"""Text before it is a board: bytes to text, its lines, and the bounds on its size."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING

import numpy as np

from solver.errors import BoardTextError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

MOST_BYTES = 2**24
"""Of a file: more than a board of `MOST_CELLS` needs in any form."""
MOST_CELLS = 2**20
"""Of a board: 4^10, far above any board that is played."""


def decode(data: bytes, most_bytes: int = MOST_BYTES) -> str:
    """Read bytes as text: UTF-8, a byte order mark allowed.

    Raises:
        BoardTextError: longer than `most_bytes`, or not UTF-8; row and column (in bytes) are named, 0-based.
    """
    if len(data) > most_bytes:
        raise BoardTextError(f"expected a text of at most {most_bytes} bytes, got more")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BoardTextError("expected UTF-8 text, got UTF-16 at row 0, column 0")
    body = data.removeprefix(codecs.BOM_UTF8)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        row = body.count(b"\n", 0, error.start)
        col = error.start - (body.rfind(b"\n", 0, error.start) + 1)
        wrong = body[error.start]
        raise BoardTextError(f"expected UTF-8 text, got byte {wrong:#04x} at row {row}, column {col}") from error


def quote(text: str) -> str:
    """A piece of text as an error shows it: not the whole of a long one."""
    return repr(text if len(text) <= 20 else text[:17] + "...")


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
            f"expected one of {allowed} in {form} text, got {quote(sign)} at row {number}, column {col}"
        ) from None


def format_grid(grid: Iterable[Sequence[int]], signs: Mapping[int, str]) -> str:
    """Write rows of one sign a cell: the inverse of `parse_grid`."""
    return "".join("".join(signs[code] for code in row) + "\n" for row in grid)
