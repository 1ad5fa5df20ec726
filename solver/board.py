"""What the player sees: a board, and its text form.

Knows nothing of pixels, and nothing of where the mines are: that is `solver.layout.Layout`. A board is a grid
of small integers: 0 and above is an open cell with that number, the negative codes below are the rest.

The text form (one character a cell, one line a row) is a contract shared with every command:
`#` closed, `F` flag, `0`-`9` number, `?` open but its number not known, `*` mine shown, `X` exploded,
`x` wrong flag, `+` known mine, `!` unreadable. Blank lines and lines starting with `;` are skipped, except
`; mines: N`, `; wrap`, `; cut: bottom right` and `; shape: 4x4x4x4` (N-D: rows of the last index, last index fastest;
tokens separated by blanks where a number exceeds 9).

A move: what the player decides to do to one cell. A click is what the bot makes of it.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from solver.errors import BoardTextError, BoardValueError
from solver.topology import Cell, box_sum, check_whole, topology_of
from solver.words import counted, name_cell, name_shape, quoted

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from solver.topology import Topology


class Action(Enum):
    """What a move does to its cell."""

    OPEN = "open"
    FLAG = "flag"
    CHORD = "chord"


@dataclass(frozen=True, slots=True)
class Move:
    """One logical move.

    Attributes:
        action: open, flag or chord.
        cell: the cell it is about.
        p_mine: risk of the move, 0.0 when proven safe, NaN when not known.
        why: the reason, in words for a person.
        is_promised: whether it is a clone's rule that says the risk, and no proof.
    """

    action: Action
    cell: Cell
    p_mine: float = 0.0
    why: str = ""
    is_promised: bool = False

    @property
    def is_guess(self) -> bool:
        """Whether the cell is not proven safe."""
        return self.p_mine != 0.0 or self.is_promised


CLOSED = -1  # not yet opened
FLAG = -2  # closed, with a flag on it: a mark on the screen, never evidence
OPEN_UNKNOWN = -3  # open (so: no mine), but its number is not known
MINE = -4  # a mine, shown
EXPLODED = -5  # the mine that ended the game
WRONG_FLAG = -6  # a flag shown to have been wrong: no mine, its number not known
KNOWN_MINE = -7  # closed, and known to be a mine: given as a fact, unlike a flag
UNREADABLE = -8  # a picture's cell the reader cannot name: nothing is known of it

SYMBOLS = {
    CLOSED: "#",
    FLAG: "F",
    OPEN_UNKNOWN: "?",
    MINE: "*",
    EXPLODED: "X",
    WRONG_FLAG: "x",
    KNOWN_MINE: "+",
    UNREADABLE: "!",
}
"""The text of every code that is not a number."""

SIDES = ("top", "bottom", "left", "right")
"""Past which a board may go on unseen: the first and last row, the first and last column; in N dimensions likewise the
ends of the first two axes."""

_CODES = {symbol: code for code, symbol in SYMBOLS.items()}
_LOWEST_CODE = min(SYMBOLS)
_HIGHEST_NUMBER = int(np.iinfo(np.int16).max)
_MOST_DIMENSIONS = 32  # more than any game has, fewer than numpy allows
_MOST_DIGITS = 9
"""Most digits of a number in a text: above every count a board can have, below where int() or numpy refuse."""
_MINES_LINE = re.compile(r";\s*mines:\s*(\S+)\s*$")
_SHAPE_LINE = re.compile(r";\s*shape:\s*(\S+)\s*$")
_WRAP_LINE = re.compile(r";\s*wrap\s*$")
_CUT_LINE = re.compile(r";\s*cut:\s*(.+?)\s*$")


def known_risk(p_mine: float) -> float | None:
    """A risk where it is known, None where it is NaN: as JSON has it."""
    return None if math.isnan(p_mine) else p_mine


class GameState(Enum):
    """How a game stands."""

    FRESH = "fresh"
    """No cell has been opened yet (there may be flags)."""
    PLAYING = "playing"
    WON = "won"
    LOST = "lost"
    UNKNOWN = "unknown"
    """Over, but it is not known how: a clone's board did not show it. No position by itself is in this state."""


@dataclass(frozen=True, eq=False)
class Board:
    """A position as the player sees it. Immutable; equal when shape, codes, mines, wrap and cut are.

    Attributes:
        cells: int16 array, one axis a dimension (rows first): numbers >= 0 or the codes of this module.
            It is copied and made read-only.
        mines: the total number of mines, None when not known.
        wrap: whether every axis is a ring.
        cut: past which `SIDES` the board may go on unseen. Numbers there may count mines that nobody sees: they prove
            only what holds whatever lies there.

    Raises:
        BoardValueError: not an array of whole numbers, a code that does not exist, a number above the
            cell's neighbour count, a mine count no board of this size has, or a cut side that cannot be: on a ring, of
            a board of one dimension, or with a mine count, which would be that of cells nobody sees too.
    """

    cells: NDArray[np.int16]
    mines: int | None = None
    wrap: bool = False
    cut: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        cells = _checked_cells(self.cells)
        object.__setattr__(self, "cells", cells)
        if self.mines is not None:
            check_whole(self.mines, "a whole number of mines")
        if self.mines is not None and not 0 <= self.mines <= cells.size:
            raise BoardValueError(f"expected 0 to {cells.size} mines on {cells.size} cells, got {self.mines}")
        if self.cut:
            self._check_cut()

    def _check_cut(self) -> None:
        if not self.cut.issubset(SIDES):
            raise BoardValueError(f"expected cut sides of {', '.join(SIDES)}, got {', '.join(sorted(self.cut))}")
        if self.wrap or self.cells.ndim < 2:
            raise BoardValueError("expected no cut sides on a board that is a ring or has one dimension")
        if self.mines is not None:
            raise BoardValueError(f"expected no mine count on a board that goes on unseen, got {self.mines}")

    @classmethod
    def of(cls, board: Board | NDArray[Any], mines: int | None = None) -> Board:
        """Take a board, or an array of codes, as a board; a given mine count replaces the board's own.

        Raises:
            BoardValueError: as the class.
        """
        if not isinstance(board, Board):
            return cls(board, mines)
        return board if mines is None else board.with_mines(mines)

    @cached_property
    def topology(self) -> Topology:
        """The shape of the grid and who neighbours whom."""
        return topology_of(self.cells.shape, wrap=self.wrap)

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells along each axis: (rows, cols) in two dimensions."""
        return self.cells.shape

    @cached_property
    def state(self) -> GameState:
        """How the game stands, from the cells alone.

        Won means that every cell without a mine is open, however the mines show then; where their count is not known,
        that no cell is left but flags. A board with unreadable cells is never called won. A board that is cut is
        neither won nor fresh.
        """
        cells = self.cells
        shows_mine = bool(np.isin(cells, (MINE, EXPLODED, WRONG_FLAG)).any())
        if not self.cut:
            n_flags, n_open = int((cells == FLAG).sum()), int(((cells >= 0) | (cells == OPEN_UNKNOWN)).sum())
            if n_flags + int((cells == CLOSED).sum()) == cells.size:
                return GameState.FRESH
            n_won = cells.size - (n_flags if self.mines is None else self.mines)
            if n_open == n_won and not (cells == UNREADABLE).any():
                return GameState.WON
        return GameState.LOST if shows_mine else GameState.PLAYING

    def with_mines(self, mines: int | None) -> Board:
        """Return the same position with another mine count."""
        return replace(self, mines=mines)

    def with_cells(self, where: Cell | NDArray[np.bool_], code: int) -> Board:
        """Return the same position with another code in a cell, or in those of a mask."""
        cells = self.cells.copy()
        cells[where] = code
        return replace(self, cells=cells)

    @cached_property
    def widened(self) -> Board:
        """This position with a line of unreadable cells past each cut side: all that is next to what is seen."""
        if not self.cut:
            return self
        before, after = (self._n_unseen(ends) for ends in (("top", "left"), ("bottom", "right")))
        pad = list(zip(before, after, strict=True))
        return Board(np.pad(self.cells, pad, constant_values=UNREADABLE))

    @cached_property
    def impossible(self) -> tuple[Cell, ...]:
        """The numbers that are wrong by themselves: fewer cells around may be mines, or more mines are shown there."""
        cells = self.widened.cells
        may_be = (cells < 0) & ~np.isin(cells, (OPEN_UNKNOWN, WRONG_FLAG))
        shown = np.isin(cells, (MINE, EXPLODED, KNOWN_MINE))
        # A number's own cell counts for neither: it is open.
        most, least = (box_sum(which.astype(np.int16), wrap=self.wrap)[self.seen] for which in (may_be, shown))
        wrong = (self.cells >= 0) & ((self.cells > most) | (self.cells < least))
        return tuple(tuple(cell) for cell in np.argwhere(wrong).tolist())

    @property
    def seen(self) -> tuple[slice, ...]:
        """Where the cells of this board are among those of `widened`."""
        first = self._n_unseen(("top", "left"))
        return tuple(slice(start, start + side) for start, side in zip(first, self.shape, strict=True))

    def index_of(self, cell: Cell) -> int:
        """The place of a cell among those of `widened`, in row-by-row order."""
        moved = tuple(i + n for i, n in zip(cell, self._n_unseen(("top", "left")), strict=True))
        return self.widened.topology.index(moved)

    def cell_of(self, index: int) -> Cell:
        """The inverse of `index_of`; cells past a cut side have an index below 0, or beyond the last."""
        cell = self.widened.topology.cell(index)
        return tuple(i - n for i, n in zip(cell, self._n_unseen(("top", "left")), strict=True))

    def _n_unseen(self, ends: tuple[str, str]) -> tuple[int, ...]:
        """How many lines of unseen cells `widened` has along each axis, at one end of each."""
        return tuple(int(axis < 2 and ends[axis] in self.cut) for axis in range(self.cells.ndim))

    def __getitem__(self, cell: Cell) -> int:
        return int(self.cells[cell])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Board):
            return NotImplemented
        same_cells = np.array_equal(self.cells, other.cells)
        return same_cells and (self.mines, self.wrap, self.cut) == (other.mines, other.wrap, other.cut)

    def __hash__(self) -> int:
        return hash((self.cells.tobytes(), self.cells.shape, self.mines, self.wrap, self.cut))

    def __str__(self) -> str:
        return format_board(self)


def _checked_cells(cells: NDArray[Any]) -> NDArray[np.int16]:
    given = np.asarray(cells)
    if given.dtype.kind not in "iu":
        raise BoardValueError(f"expected an array of whole numbers, got dtype {given.dtype}")
    if given.ndim == 0 or given.size == 0:
        raise BoardValueError(f"expected at least one cell, got an array of shape {given.shape}")
    highest = min(3**given.ndim - 1, _HIGHEST_NUMBER)
    if given.min() < _LOWEST_CODE or given.max() > highest:
        where = tuple(int(i) for i in np.argwhere((given < _LOWEST_CODE) | (given > highest))[0])
        raise BoardValueError(
            f"expected a code from {_LOWEST_CODE} to {highest}, got {int(given[where])} at {name_cell(where)}"
        )
    checked = given.astype(np.int16)
    checked.setflags(write=False)
    return checked


def parse_board(text: str) -> Board:
    """Read a board's text form.

    Raises:
        BoardTextError: no row, a ragged row, an unknown character, a malformed `;` line; row and column are
            named, 0-based.
    """
    mines: int | None = None
    shape: tuple[int, ...] | None = None
    wrap = False
    cut: frozenset[str] = frozenset()
    lines: list[str] = []
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped:
            continue
        if not stripped.startswith(";"):
            lines.append(stripped)
        elif match := _MINES_LINE.match(stripped):
            mines = _parse_count(match[1])
        elif match := _SHAPE_LINE.match(stripped):
            shape = _parse_shape(match[1])
        elif _WRAP_LINE.match(stripped):
            wrap = True
        elif match := _CUT_LINE.match(stripped):
            cut = frozenset(match[1].replace(",", " ").split())
    is_one_wide = shape is not None and shape[-1] == 1
    cells = _grid([_parse_row(line, row, is_one_wide=is_one_wide) for row, line in enumerate(lines)], shape)
    try:
        return Board(cells, mines, wrap, cut)
    except BoardValueError as error:
        raise BoardTextError(str(error)) from error


def _parse_natural(word: str) -> int | None:
    """The number that a word of few enough ASCII digits says, else None."""
    return int(word) if word.isascii() and word.isdecimal() and len(word) <= _MOST_DIGITS else None


def _parse_count(word: str) -> int:
    count = _parse_natural(word)
    if count is None:
        raise BoardTextError(f"expected a number of at most {_MOST_DIGITS} digits after '; mines:', got {quoted(word)}")
    return count


def _parse_shape(word: str) -> tuple[int, ...]:
    sides = [_parse_natural(side) for side in word.lower().split("x")]
    known = tuple(side for side in sides if side)
    if len(known) != len(sides) or len(sides) > _MOST_DIMENSIONS:
        raise BoardTextError(
            f"expected at most {_MOST_DIMENSIONS} sides such as 4x4x4x4 after '; shape:', got {quoted(word)}"
        )
    return known


def _parse_row(line: str, row: int, *, is_one_wide: bool) -> list[int]:
    tokens = line.split() if is_one_wide or any(c.isspace() for c in line) else list(line)
    codes: list[int] = []
    for col, token in enumerate(tokens):
        code = _CODES.get(token, _parse_natural(token))
        if code is None or code > _HIGHEST_NUMBER:
            raise BoardTextError(
                f"expected one of {''.join(_CODES)} or a number, got {quoted(token)} at row {row}, column {col}"
            )
        codes.append(code)
    return codes


def _grid(rows: list[list[int]], shape: tuple[int, ...] | None) -> NDArray[np.int16]:
    if not rows:
        raise BoardTextError("expected at least one row of cells, got none")
    width = len(rows[0]) if shape is None else shape[-1]
    for row, codes in enumerate(rows):
        if len(codes) != width:
            col = min(len(codes), width)
            raise BoardTextError(f"expected {width} cells in row {row}, got {len(codes)} (row {row}, column {col})")
    cells = np.array(rows, dtype=np.int16)
    if shape is None:
        shape = cells.shape
    elif cells.size != math.prod(shape):
        raise BoardTextError(
            f"expected {math.prod(shape) // width} rows for a board of {name_shape(shape)}, got {len(rows)}"
        )
    return cells.reshape(shape)


def format_cell(code: int) -> str:
    """The text of one code: its symbol, or the number in decimal."""
    return str(code) if code >= 0 else SYMBOLS[code]


def format_rows(cells: NDArray[np.int16]) -> list[str]:
    """The rows of a board's text: one string a row of the last index."""
    joint = " " if int(cells.max()) > 9 else ""
    return [joint.join(format_cell(int(code)) for code in row) for row in cells.reshape(-1, cells.shape[-1])]


def format_sides(sides: Collection[str]) -> str:
    """The names of sides, in the order of `SIDES`."""
    return " ".join(side for side in SIDES if side in sides)


def format_board(board: Board) -> str:
    """Write a board's text form: the inverse of `parse_board`."""
    lines = []
    if board.mines is not None:
        lines.append(f"; mines: {board.mines}")
    if board.wrap:
        lines.append("; wrap")
    if board.cut:
        lines.append(f"; cut: {format_sides(board.cut)}")
    if len(board.shape) != 2:
        lines.append(f"; shape: {name_shape(board.shape)}")
    return "\n".join([*lines, *format_rows(board.cells)]) + "\n"


def closed_mask(cells: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Which cells can still be opened by a player: bool array of the same shape; flags count as closed."""
    closed: NDArray[np.bool_] = (cells == CLOSED) | (cells == FLAG)
    return closed


_MANY_IMPOSSIBLE = 3  # number of numbers that are wrong by themselves from which on no misread cell explains them


def say_no_board(board: Board) -> str | None:
    """Say that a position is none of a game with at most one mine a cell; None where it may be one."""
    wrong = board.impossible
    if len(wrong) < _MANY_IMPOSSIBLE:
        return None
    return (
        f"{counted(len(wrong), 'number')} cannot be true; the first is the {board[wrong[0]]} at {name_cell(wrong[0])}. "
        "The cells around have too little room for mines, or show too many. A cell may hold several mines here, "
        "or the board was misread"
    )
