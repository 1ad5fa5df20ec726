"""The addresses of web pages that hold a board: `jsminesweeper`, those of David Hill's JSMinesweeper [1].

`analysis` is the position of its analyser. It begins with three numbers to the base 62, in which `a` is 0: columns
and rows in two letters each, and the mine count in four. The cells follow row by row, in runs of one sign. The length
of a run is a number, too. Its digits are letters that only this sign has; where a sign has one letter, that is
repeated.

A digit is an open cell, `H` a closed cell, `F` and `O` a flag, `I` a closed cell that is plainly a mine. Around each
`F` and `I` the digits are lowered by one, which makes runs longer: the number is the digit and how many of them are
beside it. We write `H` and `O`, and numbers as they are. The page takes flags for mines unless it is told not to.

The page reads a sign of one letter once too few where it comes first. So we begin with an empty run of `0`.

`b` and `m` are a full map, which the page offers to be played. `b` is 1, 2 or 3 for the classic sizes, else columns and
rows in decimal digits, half of the digits each; we write digits. `m` has a digit to the base 32 for five cells, row by
row, the first cell the highest bit; bits behind the last cell are 0.

Where an address has both, the page shows the position, and so do we. Whose page it is makes no difference: others take
the same addresses.

[1] https://github.com/DavidNHill/JSMinesweeper, Minesweeper/client, as of April 2026: Board.js (`Compressor`,
    `getSimpleCompressedData`) and main.js (`newBoardFromString`, `interpretBMParms`)
"""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

import numpy as np

from solver.board import Board
from solver.errors import BoardTextError, BoardValueError, UnreadableFormError
from solver.formats.documents import MOST_CELLS, Document, Format, FullMap, InexpressibleError
from solver.layout import LEVELS, Layout
from solver.words import name_shape, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable

_PAGE = "https://davidnhill.github.io/JSMinesweeper/index.html"
_EXAMPLE = f"{_PAGE}?analysis=adabaaabalSl"
_LETTERS = string.ascii_letters + string.digits  # the digits to the base 62
_RUNS = {
    "0": "abcdefghij",
    "1": "klmnopq",
    "2": "rstuv",
    "3": "wxyzA",
    "4": "BCDE",
    "5": "FGH",
    "6": "IJK",
    "7": "L",
    "8": "M",
    "I": "NOPQ",
    "H": "RSTUVWXYZ0",
    "F": "12345678",
    "O": "9",
}
"""The digits in which the length of a run is written, by the sign that is repeated."""
_EMPTY_RUN = _RUNS["0"][0]
_SIGNS = {letter: sign for sign, letters in _RUNS.items() for letter in letters}
_ANALYSIS = re.compile(r"([a-zA-Z0-9]{2})([a-zA-Z0-9]{2})([a-zA-Z0-9]{4})([a-zA-Z0-9]+)")
_MOST_SIDE = 62**2 - 1
_MOST_COUNT = 62**4  # more than any board has of anything: larger numbers are not worked out
_SIZES = dict(zip("123", LEVELS.values(), strict=True))
_BITS = (16, 8, 4, 2, 1)


def is_address(text: str) -> bool:
    """Whether a text begins as the address of a web page does."""
    return text.lower().startswith(("http://", "https://"))


@dataclass(frozen=True)
class Links(Format):
    """Addresses of pages that show a position, or play a map."""

    def _parse(self, text: str) -> Document:
        words = text.split()
        if not words or not is_address(words[0]):
            raise BoardTextError(f"expected an address such as {_EXAMPLE}, got {quoted(text.strip())}")
        if len(words) > 1:
            raise UnreadableFormError(f"expected one address, got {len(words)} words")
        query = words[0].partition("#")[0].partition("?")[2]
        said = {name: values[0] for name, values in parse_qs(query).items()}
        try:
            if "analysis" in said:
                return self._parse_position(said["analysis"])
            if "b" in said and "m" in said:
                return FullMap.seen(_parse_map(said["b"], said["m"]))
        except BoardValueError as error:
            raise UnreadableFormError(f"{error} in the address") from error
        raise UnreadableFormError(
            f"expected an address with analysis=, or b= and m=, such as {_EXAMPLE}, got {quoted(words[0], 60)}"
        )

    def _parse_position(self, text: str) -> Board:
        parts = _ANALYSIS.fullmatch(text)
        if parts is None:
            raise UnreadableFormError(f"expected analysis= with 9 letters and digits or more, got {quoted(text)}")
        cols, rows, mines = (_read_number(part, _LETTERS) for part in parts.groups()[:3])
        _check_size(rows, cols)
        runs = [(sign, _length_of(sign, run)) for sign, run in groupby(parts[4], _SIGNS.__getitem__)]
        n_cells = sum(length for _, length in runs)
        if n_cells != rows * cols:
            raise UnreadableFormError(f"expected {rows * cols} cells in analysis= of {cols}x{rows}, got {n_cells}")
        signs = np.array([sign for sign, length in runs for _ in range(length)]).reshape(rows, cols)
        cells = np.vectorize(self.signs.__getitem__, otypes=[np.int16])(signs)
        lowered_by = Layout(np.isin(signs, ("F", "I"))).numbers
        return Board(np.where(cells >= 0, cells + lowered_by, cells), mines)

    def _shown(self, document: Document) -> Board:
        board = super()._shown(document)
        if board.mines is None:
            raise InexpressibleError(f"{self.name} needs the mine count, and none is known: expected '; mines: N'")
        if max(board.shape) > _MOST_SIDE:
            told = name_shape(board.shape)
            raise InexpressibleError(f"{self.name} holds at most {_MOST_SIDE} rows and columns, got {told}")
        return board

    def _write(self, document: Document) -> str:
        if isinstance(document, FullMap):
            return f"{_PAGE}?{_format_map(document.layout)}\n"
        assert document.mines is not None, "it was asked for"
        rows, cols = document.shape
        numbers = ((cols, 2), (rows, 2), (document.mines, 4))
        size = (_write_number(number, _LETTERS).rjust(width, "a") for number, width in numbers)
        sign_of = {code: sign for sign, code in self.signs.items()}
        signs = map(sign_of.__getitem__, document.cells.ravel().tolist())
        runs = (_write_run(sign, sum(1 for _ in run)) for sign, run in groupby(signs))
        return f"{_PAGE}?analysis={''.join([*size, _EMPTY_RUN, *runs])}\n"


def _parse_map(size: str, digits: str) -> Layout:
    if size in _SIZES:
        rows, cols, _ = _SIZES[size]
    elif re.fullmatch(r"[0-9]{2,14}", size):
        cols, rows = int(size[: len(size) // 2]), int(size[len(size) // 2 :])
    else:
        raise UnreadableFormError(f"expected b= with 1, 2, 3 or columns and rows in digits, got {quoted(size)}")
    _check_size(rows, cols)
    n = -(-rows * cols // len(_BITS))
    if len(digits) != n or not re.fullmatch(r"[0-9a-vA-V]+", digits):
        raise UnreadableFormError(
            f"expected m= with {n} digits 0-9 and a-v for {cols}x{rows} cells, got {len(digits)}: {quoted(digits)}"
        )
    values = np.array([[int(digit, 32)] for digit in digits])
    return Layout(((values & _BITS) > 0).ravel()[: rows * cols].reshape(rows, cols))


def _format_map(layout: Layout) -> str:
    rows, cols = layout.shape
    width = len(str(max(rows, cols)))
    bits = np.pad(layout.has_mine.ravel(), (0, -layout.has_mine.size % len(_BITS))).reshape(-1, len(_BITS))
    digits = "".join(np.base_repr(value, 32) for value in (bits @ _BITS).tolist())
    return f"b={cols:0{width}}{rows:0{width}}&m={digits.lower()}"


def _check_size(rows: int, cols: int) -> None:
    if not 0 < rows * cols <= MOST_CELLS:
        raise UnreadableFormError(f"expected an address of 1 to at most {MOST_CELLS} cells, got {cols}x{rows}")


def _length_of(sign: str, run: Iterable[str]) -> int:
    digits = _RUNS[sign]
    return _read_number(run, digits) if len(digits) > 1 else sum(1 for _ in run)


def _write_run(sign: str, length: int) -> str:
    digits = _RUNS[sign]
    return _write_number(length, digits) if len(digits) > 1 else digits * length


def _read_number(letters: Iterable[str], digits: str) -> int:
    number = 0
    for letter in letters:
        number = min(number * len(digits) + digits.index(letter), _MOST_COUNT)
    return number


def _write_number(number: int, digits: str) -> str:
    word = ""
    while number:
        number, digit = divmod(number, len(digits))
        word = digits[digit] + word
    return word
