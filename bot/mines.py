"""How many mines a board has, by its size: the levels the clones agree on."""

from __future__ import annotations

from bot.errors import UsageError

STANDARD_MINES = {(8, 8): 10, (9, 9): 10, (16, 16): 40, (16, 30): 99, (30, 16): 99}
"""(rows, cols) -> mines: Beginner old and new, Intermediate, Expert lying and standing."""


def mines_of(rows: int, cols: int, given: int | None = None) -> int:
    """How many mines a board of this size has: as given, else by the table; never a guess.

    Raises:
        UsageError: the size is not in the table and nothing was given, or what was given cannot be.
    """
    if given is not None:
        if not 0 < given < rows * cols:
            raise UsageError(f"expected 1 to {rows * cols - 1} mines on a {rows}x{cols} board, got {given}")
        return given
    if (rows, cols) not in STANDARD_MINES:
        raise UsageError(f"a {rows}x{cols} board is no standard level: say how many mines it has with --mines N")
    return STANDARD_MINES[rows, cols]
