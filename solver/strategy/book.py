"""The opening book: what to open next while the first cells opened are all the board shows.

These positions come up in most games after a safe start, so they were thought about longer than any game has time for:
`python scripts/make_book.py` plays games on from each candidate and writes `book.json`. A position is the cells that
are open, with their numbers, in any order; boards that are mirrored, or turned where they are square, share an entry.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from solver.topology import Cell

    Turn = Callable[[Cell], Cell]

MOST_OPEN = 6
"""No position of the book has more open cells."""


class _BookMove(NamedTuple):
    """What the book says of a position.

    Attributes:
        cell: the cell to open.
        p_mine: its risk.
        p_win: the chance to win by it, as the games said that the base policy plays on.
        margin: half of the 95 % interval around that.
    """

    cell: Cell
    p_mine: float
    p_win: float
    margin: float


def find_move(shape: tuple[int, ...], n_mines: int, opened: Iterable[tuple[Cell, int]]) -> _BookMove | None:
    """Look a position up.

    Args:
        shape: of a board without wrap-around.
        n_mines: its mines.
        opened: the open cells with their numbers: all that is known of the board.
    """
    moves = _load().get(format_board_name(shape, n_mines))
    if moves is None or len(shape) != 2:
        return None
    numbers = tuple(sorted(opened))
    return _find(tuple(shape), n_mines, numbers) if len(numbers) <= MOST_OPEN else None


def format_board_name(shape: Sequence[int], n_mines: int) -> str:
    """The book's name of a board: `16x30/99`."""
    return f"{'x'.join(map(str, shape))}/{n_mines}"


def format_position(opened: Iterable[tuple[Cell, int]]) -> str:
    """The book's name of a position: `0,0=1 15,0=2`."""
    return " ".join(f"{row},{col}={number}" for (row, col), number in sorted(opened))


def turns(shape: tuple[int, ...]) -> list[tuple[Turn, Turn]]:
    """The symmetries of a board of two dimensions, each with its reverse."""
    rows, cols = shape
    mirrors: list[Turn] = [
        lambda cell: cell,
        lambda cell: (rows - 1 - cell[0], cell[1]),
        lambda cell: (cell[0], cols - 1 - cell[1]),
        lambda cell: (rows - 1 - cell[0], cols - 1 - cell[1]),
    ]
    found = [(mirror, mirror) for mirror in mirrors]
    if rows == cols:
        found.extend((_swapped_after(mirror), _swapped_before(mirror)) for mirror in mirrors)
    return found


def _swapped_after(mirror: Turn) -> Turn:
    return lambda cell: mirror(cell)[::-1]


def _swapped_before(mirror: Turn) -> Turn:
    return lambda cell: mirror(cell[::-1])


@lru_cache(maxsize=4096)
def _find(shape: tuple[int, ...], n_mines: int, opened: tuple[tuple[Cell, int], ...]) -> _BookMove | None:
    moves = _load()[format_board_name(shape, n_mines)]
    for turn, back in turns(shape):
        found = moves.get(format_position((turn(cell), number) for cell, number in opened))
        if found is not None:
            return found._replace(cell=back(found.cell))
    return None


@cache
def _load() -> dict[str, dict[str, _BookMove]]:
    boards = json.loads(resources.files(__package__).joinpath("book.json").read_text(encoding="utf-8"))
    return {
        board: {
            position: _BookMove(tuple(move["cell"]), move["p_mine"], move["p_win"], move["margin"])
            for position, move in moves.items()
        }
        for board, moves in boards.items()
    }
