"""Replays of Minesweeper Clone (`.mvf`), of all its versions: bytes in, the layout and the presses out.

The program never had a description of its files; what is known of them was found out by others [1]. Numbers have the
high byte first, and `time` is two bytes of seconds and one of hundredths.

| version | its file |
|---|---|
| to 0.75 | board, marks, events of 8 bytes, time, 10 digits |
| 0.76 | board, marks, events of 8 bytes, time, the player in 100 bytes, 10 digits |
| 0.8 to 0.96 | board, marks, events of 8 bytes, time, the player in 100 bytes, 22 bytes between two zeros |
| 0.97 | head, date, level, mode, time, five figures, marks, board, player, events of 5 bytes |
| 2006, 2007 | head, date, level, mode, milliseconds in three bytes, marks, board, player, events of 6 bytes |

A board is its columns and rows in a byte each, the number of mines in two, then column and row of each mine: counted
from 0 in files without a head, from 1 in the others. A head is four strings, each behind its length (the program, its
years, its author, its version), and three bytes. Two changed programs are known: one says 2008 and writes as 0.97, the
other writes 0.97 behind seven bytes that begin with two zeros. Of years that are none of these the file is refused.

An event is a time, the buttons that are down, and a place in pixels. Those of 8 bytes have them plainly. In the others
the bits are shuffled by a number that stands before them: sines and cosines of its roots give a digit for each bit, and
the bits are to be read in the order of their digits.

[1] https://github.com/thefinerminer/minesweeper-rawvf, `parser_mvf`. The seconds of an event in 8 bytes are read there
as one byte. They have two here, like the time in the same file; the byte is 0 in every file at hand.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bot.reviewing.mouse import Press
from solver.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PROGRAM = "Minesweeper Clone"
_SQUARE_PX = 16
_BUTTONS = ("l", "m", "r")
_DATE_LEVEL_MODE = 9  # bytes of the date, the level and the mode
_N_FIGURES = 5  # figures in a file of 0.97, of two bytes each; the first is the 3BV
_CHANGED_HEAD = bytes(2)
_CHANGED_HEAD_BYTES = 7
_DECIMALS = 10**8
_MOST_IDLE_S = 0.05  # most seconds between the last event and the end of the game: 0.97 is known to be wrong by 0.01


class CloneFileError(ValueError):
    """A file that is no replay of Clone, is cut off, or is of a version that nobody has described."""


class CloneVideo(NamedTuple):
    """What a file holds.

    Attributes:
        version: of the program, as a person would say it.
        player: who played; empty where the file does not say.
        layout: where the mines are.
        seconds: how long it took.
        has_marks: whether question marks were in use.
        bbbv: the 3BV that the file tells; None where it tells none.
        presses: what the buttons did, in order.
    """

    version: str
    player: str
    layout: Layout
    seconds: float
    has_marks: bool
    bbbv: int | None
    presses: tuple[Press, ...]


class _Event(NamedTuple):
    seconds: float
    is_down: tuple[bool, bool, bool]
    """The left, the middle and the right button."""
    x_px: int
    y_px: int


class _Bytes:
    """Bytes that are taken one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def take(self, n: int) -> bytes:
        """The next n bytes.

        Raises:
            CloneFileError: there are less.
        """
        taken = self._content[self._at : self._at + n]
        if len(taken) < n:
            raise CloneFileError(f"it is cut off: byte {self._at + n} is missing")
        self._at += n
        return taken

    def number(self, n_bytes: int) -> int:
        """The next `n_bytes` as one number, high byte first."""
        return int.from_bytes(self.take(n_bytes), "big")

    def text(self, n: int) -> str:
        """The next n bytes as text: the program knows no Unicode."""
        return self.take(n).decode("cp1252", errors="replace").strip(" \0")

    def time(self) -> float:
        """The next time, in seconds."""
        return (100 * self.number(2) + self.number(1)) / 100

    def left(self) -> bytes:
        """All bytes that were not taken yet."""
        return self._content[self._at :]


def parse_clone(content: bytes) -> CloneVideo:
    """Read a replay of Minesweeper Clone.

    Raises:
        CloneFileError: it is none, is cut off, or is of a version that is not known.
    """
    taken = _Bytes(content)
    if content.startswith(_CHANGED_HEAD):
        taken.take(_CHANGED_HEAD_BYTES)
        return _read_097(taken, "0.97")
    if not content.startswith(bytes([len(_PROGRAM)]) + _PROGRAM.encode()):
        return _read_early(content)
    _, years, _, version = (taken.text(taken.number(1)) for _ in range(4))
    taken.take(3)
    match years[-1:]:
        case "5" | "8":
            return _read_097(taken, version.removeprefix("version "))
        case "6" | "7":
            return _read_late(taken, version)
    raise CloneFileError(f"it says {_PROGRAM} {version}, {years}: versions to 0.97, of 2006 and 2007 are read")


def _read_early(content: bytes) -> CloneVideo:
    """Versions up to 0.96, whose end says which it is."""
    if content[-1:] == content[-22:-21] == b"\0":
        version, n_player, n_check = "0.8 to 0.96", 100, 22
    elif not content[-10:].isdigit():
        raise CloneFileError(f"it begins and ends like no file of {_PROGRAM}: it is none, or cut off")
    elif content[-13:-10] == b"   ":
        version, n_player, n_check = "0.76", 100, 10
    else:
        version, n_player, n_check = "0.75 or earlier", 0, 10
    end_at = max(0, len(content) - n_check - n_player - 3)
    taken, end = _Bytes(content[:end_at]), _Bytes(content[end_at:])
    layout = _read_board(taken, first=0)
    has_marks = bool(taken.number(1))
    seconds = end.time()
    events = list(_early_events(taken.left(), seconds))
    return CloneVideo(version, end.text(n_player), layout, seconds, has_marks, None, _presses_of(events, layout))


def _early_events(content: bytes, end_s: float) -> Iterator[_Event]:
    """Events of 8 bytes; other bytes may follow them, of which nothing is known but that they are no later events."""
    before_s = 0.0
    for begin in range(0, len(content) - 7, 8):
        taken = _Bytes(content[begin : begin + 8])
        at_s, buttons = taken.time(), taken.number(1)
        if not before_s <= at_s <= end_s:
            break
        before_s = at_s
        yield _Event(at_s, (bool(buttons & 1), bool(buttons & 2), bool(buttons & 4)), taken.number(2), taken.number(2))
    if before_s < end_s - _MOST_IDLE_S:
        raise CloneFileError(f"its events end at {before_s:.2f} s, and the game at {end_s:.2f} s")


def _read_097(taken: _Bytes, version: str) -> CloneVideo:
    """Version 0.97, and what others made of it."""
    taken.take(_DATE_LEVEL_MODE)
    seconds = taken.time()
    bbbv, *_ = (taken.number(2) for _ in range(_N_FIGURES))
    has_marks = bool(taken.number(1))
    layout = _read_board(taken, first=1)
    player = taken.text(taken.number(1))
    events = [
        _Event((100 * whole_s + hundredths) / 100, (bool(left), bool(middle), bool(right)), x_px, y_px)
        for right, middle, left, y_px, x_px, hundredths, whole_s in _shuffled(taken, 5, (1, 1, 1, 9, 9, 7, 10))
    ]
    return CloneVideo(version, player, layout, seconds, has_marks, bbbv, _presses_of(events, layout))


def _read_late(taken: _Bytes, version: str) -> CloneVideo:
    """Versions of 2006 and 2007. A place has 32 pixels more each way, as it may lie beside the board."""
    taken.take(_DATE_LEVEL_MODE)
    seconds = taken.number(3) / 1000
    has_marks = bool(taken.number(1))
    layout = _read_board(taken, first=1)
    player = taken.text(taken.number(1))
    events = [
        _Event(milliseconds / 1000, (bool(left), bool(middle), bool(right)), x_px - 32, y_px - 32)
        for right, middle, left, y_px, x_px, milliseconds in _shuffled(taken, 6, (1, 1, 1, 11, 11, 22))
    ]
    return CloneVideo(version, player, layout, seconds, has_marks, None, _presses_of(events, layout))


def _read_board(taken: _Bytes, first: int) -> Layout:
    """The board.

    Args:
        taken: begins with it.
        first: the number of the first column, and of the first row.
    """
    cols, rows, n_mines = taken.number(1), taken.number(1), taken.number(2)
    has_mine = np.zeros((rows, cols), dtype=np.bool_)
    for _ in range(n_mines):
        col, row = taken.number(1) - first, taken.number(1) - first
        if not (0 <= row < rows and 0 <= col < cols) or has_mine[row, col]:
            raise CloneFileError(f"expected {n_mines} mines on a board of {rows} x {cols}, got one at ({row},{col})")
        has_mine[row, col] = True
    if not has_mine.size:
        raise CloneFileError(f"expected a board, got one of {rows} x {cols}")
    return Layout(has_mine)


def _shuffled(taken: _Bytes, n_bytes: int, widths: tuple[int, ...]) -> Iterable[list[int]]:
    """The fields of events whose bits are shuffled.

    Args:
        taken: begins with the number that shuffles.
        n_bytes: the bytes of an event.
        widths: the bits of each field, the lowest first.

    Returns:
        The fields of each event.
    """
    order = _order_of_bits(taken.number(2), 8 * n_bytes)
    n_events = taken.number(3)
    packed = np.frombuffer(taken.take(n_bytes * n_events), dtype=np.uint8).reshape(n_events, n_bytes)
    bits = np.unpackbits(packed, axis=1, bitorder="little")[:, order].astype(np.int64)
    ends = np.cumsum(widths)
    fields = [bits[:, end - width : end] @ (1 << np.arange(width)) for width, end in zip(widths, ends, strict=True)]
    rows: list[list[int]] = np.stack(fields, axis=1).tolist()
    return rows


def _order_of_bits(seed: int, n_bits: int) -> list[int]:
    """Which bit of an event comes first, which second, and so on: bits of equal digits stay in their order."""
    root, far_root = math.sqrt(seed), math.sqrt(seed + 1000)
    last = math.sqrt(far_root + 1000)
    parts = (
        math.cos(math.sqrt(root + 1000) + 1000),
        math.sin(math.sqrt(far_root)),
        math.cos(math.sqrt(root + 1000)),
        math.sin(math.sqrt(root) + 1000),
        math.cos(last),
        math.sin(last),
    )
    digits = "".join(f"{round(abs(part) * _DECIMALS):08d}" for part in parts)
    return sorted(range(n_bits), key=digits.__getitem__)


def _presses_of(events: Iterable[_Event], layout: Layout) -> tuple[Press, ...]:
    """What the buttons did between events that say which are down."""
    rows, cols = layout.shape
    presses = []
    was_down = (False, False, False)
    for event in events:
        row, col = event.y_px // _SQUARE_PX, event.x_px // _SQUARE_PX
        cell = (row, col) if 0 <= row < rows and 0 <= col < cols else None
        changed = [name for name, now, was in zip(_BUTTONS, event.is_down, was_down, strict=True) if now != was]
        is_down = dict(zip(_BUTTONS, event.is_down, strict=True))
        changed.sort(key=is_down.__getitem__, reverse=True)  # presses go before releases
        presses += [Press(event.seconds, name + ("c" if is_down[name] else "r"), cell) for name in changed]
        was_down = event.is_down
    return tuple(presses)
