"""How many mines a board has: as given, else by the clone's own counter, else by the levels the clones agree on.

A counter shows mines minus flags, on fresh, running and lost boards alike, wrong flags counted as flags (measured on
Minesweeper X 1.16 and WineMine); and where a won board gets all its flags, it shows 0 beside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.errors import UsageError
from solver import board as codes

if TYPE_CHECKING:
    from solver.board import Board

STANDARD_MINES: dict[tuple[int, ...], int] = {(8, 8): 10, (9, 9): 10, (16, 16): 40, (16, 30): 99, (30, 16): 99}
"""(rows, cols) -> mines: Beginner old and new, Intermediate, Expert lying and standing."""

_MOST_DENSE = 0.5
"""The share of mines above which a counter is not believed without a person: more likely a part of a board is seen."""


@dataclass(frozen=True, slots=True)
class MineCount:
    """A board's mine count and where it is from.

    Attributes:
        mines: None when not known.
        source: "given", "counter" or "size"; None when not known.
        remark: what speaks against it, or keeps it from being known; empty when nothing does.
    """

    mines: int | None = None
    source: str | None = None
    remark: str = ""


def count_mines(board: Board, shown: int | None, given: int | None = None) -> MineCount:
    """How many mines a board has; never a guess.

    Args:
        board: what is seen of it.
        shown: what its counter shows, None where it has none that can be read.
        given: what a person said, None when nothing.

    Raises:
        UsageError: what was given cannot be.
    """
    size = "x".join(map(str, board.shape))
    least, most = _by_counter(board, shown)
    told = None if shown is None else f"the counter shows {shown}, which makes {_range(least, most)}"
    if given is not None:
        if not 0 < given < board.cells.size:
            raise UsageError(f"expected 1 to {board.cells.size - 1} mines on a {size} board, got {given}")
        remark = "" if told is None or least <= given <= most else f"{told}: {given} as given is believed"
        return MineCount(given, "given", remark)
    standard = STANDARD_MINES.get(board.shape)
    if told is None or not _can_be(board, least, most):
        remark = "" if told is None else f"{told}, which cannot be: the counter is not believed"
        return MineCount(standard, None if standard is None else "size", remark)
    if least > _MOST_DENSE * board.cells.size:
        n_cells = board.cells.size
        return MineCount(remark=f"{told}, more than half of the {n_cells} cells: part of the board may be out of sight")
    if standard is not None and least <= standard <= most:
        return MineCount(standard, "counter" if least == most else "size")
    usual = "" if standard is None else f" where a standard {size} board has {standard}"
    if least == most:
        return MineCount(least, "counter", f"{told}{usual}: the counter is believed" if usual else "")
    return MineCount(None, None, f"{told}{usual}: not all cells can be seen")


def known_count(count: MineCount, *shape: int) -> int:
    """The mine count of a board of this shape, where there is one.

    Raises:
        UsageError: it is not known.
    """
    if count.mines is None:
        why = count.remark or f"a {'x'.join(map(str, shape))} board is no standard level"
        raise UsageError(f"{why}: say how many mines it has with --mines N")
    return count.mines


def _by_counter(board: Board, shown: int | None) -> tuple[int, int]:
    """The least and the most mines there are if the counter shows `shown`: flags may be among what cannot be seen."""
    cells = board.cells
    least = (shown or 0) + int(((cells == codes.FLAG) | (cells == codes.WRONG_FLAG)).sum())
    return least, least + int((cells == codes.UNREADABLE).sum())


def _can_be(board: Board, least: int, most: int) -> bool:
    """Whether so many mines can be under what is not open, the mines shown among them."""
    cells = board.cells
    n_shown = int(((cells == codes.MINE) | (cells == codes.EXPLODED)).sum())
    n_hiding = n_shown + int(((cells == codes.CLOSED) | (cells == codes.FLAG) | (cells == codes.UNREADABLE)).sum())
    return max(1, n_shown) <= most and least <= min(n_hiding, cells.size - 1)


def _range(least: int, most: int) -> str:
    return f"{least} mines" if least == most else f"{least} to {most} mines"
