"""What clones take to play a given layout: the ids of sgt-mines, and the board file of several Windows clones.

`sgt-mines`: the game ids of Mines in Simon Tatham's collection of puzzles [1], `9x9:4,4,m659a50c9a8f25708338c8`.

Columns and rows; column and row of the cell that is open when the game begins; and the mines as bits, row by row, in
hexadecimal digits, the first cell the highest bit. After a `u` the bits are plain, after an `m` they are masked: the
program itself tells such ids, so that nobody sees the mines at a glance. The parameters may say the number of mines
(`n10`) and that a guess is allowed (`a`). One number for the size is a square. We write plain bits.

Masking takes the bytes of the bits in two halves, the second of which is the longer one. The first half is masked by
the second, then the second by what the first has become: by the SHA-1 of the other half and a counter in decimal
digits, from 0 on, one digest after the other. Bits behind the last cell are 0.

Two kinds of ids hold no mines. That of a seed (`9x9n10#5`) has the program draw them; in that of a game that nobody has
begun (`r10,u,...`) the first click does. Which they are only the program knows.

`.mbf`: a byte for the columns and one for the rows, two for the mine count, the higher first; then of every mine a byte
for its column and one for its row. Written only.

[1] https://www.chiark.greenend.org.uk/~sgtatham/puzzles/
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import sha1
from itertools import count, islice
from typing import TYPE_CHECKING

import numpy as np

from solver.errors import BoardTextError, BoardValueError, UnreadableFormError
from solver.formats.documents import MOST_CELLS, Document, Format, FullMap, InexpressibleError
from solver.layout import Layout
from solver.words import counted, name_cell, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.topology import Cell

_PARAMETERS = re.compile(r"(?P<cols>\d{1,7})(?:x(?P<rows>\d{1,7}))?(?:n(?P<mines>\d{1,7}))?a?")
_GAME = re.compile(r"(?:(?P<col>\d{1,7}),(?P<row>\d{1,7}),)?(?P<mask>[mu]?)(?P<digits>[0-9a-fA-F]+)")
_EXAMPLE = "9x9:4,4,m659a50c9a8f25708338c8"
_MOST_SIDE, _MOST_MINES = 255, 65_535


@dataclass(frozen=True)
class GameIds(Format):
    """The ids of games that begin with a cell open."""

    def _parse(self, text: str) -> FullMap:
        words = text.split()
        word = words[0] if words else ""
        sign = next((sign for sign in word if sign in ":#"), "")
        parameters, _, rest = word.partition(sign) if sign else (word, "", "")
        said = _PARAMETERS.fullmatch(parameters)
        if said is None or not (sign == ":" or said["mines"]):
            raise BoardTextError(f"expected a game id such as {_EXAMPLE}, got {quoted(word)}")
        if len(words) > 1:
            raise UnreadableFormError(f"expected one game id of {self.name}, got {len(words)} words")
        if sign != ":" or rest.startswith("r"):
            kind = {"#": "of a seed", "": "without a game"}.get(sign, "of a game that nobody has begun")
            raise UnreadableFormError(
                f"a game id of {self.name} {kind} does not say where the mines are: expected one such as {_EXAMPLE}, "
                "which the program tells in its menu (Game, Specific) once a cell is open"
            )
        cols, rows = int(said["cols"]), int(said["rows"] or said["cols"])
        game = _GAME.fullmatch(rest)
        if game is None:
            raise UnreadableFormError(
                f"expected column, row and mines of a game id such as {_EXAMPLE}, got {quoted(rest)}"
            )
        if not 0 < rows * cols <= MOST_CELLS:
            raise UnreadableFormError(
                f"expected a game id of 1 cell or more and at most {MOST_CELLS} cells, got {cols}x{rows}"
            )
        layout = Layout(_mines_of(game["digits"], rows, cols, is_masked=game["mask"] == "m"))
        if said["mines"] and int(said["mines"]) != layout.n_mines:
            raise UnreadableFormError(
                f"expected {counted(int(said['mines']), 'mine')} in the game id, got {layout.n_mines}"
            )
        try:
            return FullMap.seen(layout, start=(int(game["row"]), int(game["col"])) if game["col"] else None)
        except BoardValueError as error:
            raise UnreadableFormError(f"{error} in the game id") from error

    def _weaken_map(self, document: Document) -> tuple[FullMap, list[str]]:
        full_map, losses = super()._weaken_map(document)
        layout = full_map.layout
        if full_map.start is not None:
            return full_map, losses
        safe = np.argwhere(~layout.has_mine)
        if not len(safe):
            raise InexpressibleError(f"{self.name} begins with a cell without a mine open: there is none")
        start = min((tuple(cell) for cell in safe.tolist()), key=lambda cell: int(layout.numbers[cell]))
        return replace(full_map, start=start), [
            *losses,
            f"no cell to begin at is named: it begins at {name_cell(start)}",
        ]

    def _write(self, document: Document) -> str:
        assert isinstance(document, FullMap), "it has no signs for boards"
        if document.start is None:
            raise InexpressibleError(f"{self.name} begins with a cell open, and none is named")
        return format_game_id(document.layout, document.start) + "\n"


def _mines_of(digits: str, rows: int, cols: int, *, is_masked: bool) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    n_cells = rows * cols
    n_digits = -(-n_cells // 4)
    if len(digits) != n_digits:
        raise UnreadableFormError(
            f"expected {n_digits} hexadecimal digits in the game id of {cols}x{rows} cells, got {len(digits)}"
        )
    data = bytes.fromhex(digits + "0" * (n_digits % 2))
    if is_masked:
        half = len(data) // 2
        second = _without_rest(_masked(data[half:], data[:half]), n_cells)
        data = _masked(data[:half], second) + second
    bits = np.unpackbits(np.frombuffer(data, dtype=np.uint8))[:n_cells]
    return bits.astype(np.bool_).reshape(rows, cols)


def _masked(data: bytes, seed: bytes) -> bytes:
    return bytes(byte ^ other for byte, other in zip(data, islice(_noise(seed), len(data)), strict=True))


def _noise(seed: bytes) -> Iterator[int]:
    for n in count():
        yield from sha1(seed + str(n).encode(), usedforsecurity=False).digest()


def _without_rest(data: bytes, n_bits: int) -> bytes:
    """The end of so many bits, those behind the last one cleared."""
    return data[:-1] + bytes([data[-1] & 0xFF << -n_bits % 8 & 0xFF])


def format_mbf(layout: Layout) -> bytes:
    """Write the board file of a layout.

    Raises:
        InexpressibleError: not two dimensions, joined edges, or more columns, rows or mines than it can say.
    """
    rows, cols = _flat_shape(layout, "mbf")
    if max(rows, cols) > _MOST_SIDE or layout.n_mines > _MOST_MINES:
        raise InexpressibleError(
            f"mbf holds boards of at most {_MOST_SIDE} rows and columns and {_MOST_MINES} mines, "
            f"got {rows} x {cols} with {layout.n_mines}"
        )
    mines = np.argwhere(layout.has_mine)[:, ::-1].astype(np.uint8)
    return bytes([cols, rows]) + layout.n_mines.to_bytes(2, "big") + mines.tobytes()


def format_game_id(layout: Layout, first_cell: Cell) -> str:
    """Write the id of a layout for sgt-mines, with a cell that is open when it begins.

    Raises:
        InexpressibleError: not two dimensions, joined edges, or a mine in the first cell.
    """
    rows, cols = _flat_shape(layout, "sgt-mines")
    if not layout.topology.has_cell(first_cell) or layout.has_mine[first_cell]:
        raise InexpressibleError(f"sgt-mines begins with a cell without a mine open, got {first_cell}")
    bits = layout.has_mine.ravel()
    digits = np.packbits(np.pad(bits, (0, -bits.size % 8))).tobytes().hex()[: -(-bits.size // 4)]
    return f"{cols}x{rows}:{first_cell[1]},{first_cell[0]},u{digits}"


def _flat_shape(layout: Layout, name: str) -> tuple[int, int]:
    if len(layout.shape) != 2 or layout.wrap:
        joined = " with joined edges" if layout.wrap else ""
        raise InexpressibleError(f"{name} holds flat boards, got one of {len(layout.shape)} dimensions{joined}")
    rows, cols = layout.shape
    return rows, cols
