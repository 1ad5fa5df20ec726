"""What players call the numbers that prove a cell: 1-2-1, 1-1 at the wall, and their kind.

A player marks what single numbers tell, and takes the marked mines off the numbers beside them. What is then left of
the numbers is named: by their values along a line, the smaller end first, with *at the wall* where two numbers end at
the edge of the board [1]. So a 3 beside two marked mines is a 1. Numbers that stand in no line have no name of their
own, and are counted. Knows no clicks and no games.

[1] https://minesweepergame.com/strategy/patterns.php
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from solver.board import CLOSED, FLAG, KNOWN_MINE, OPEN_UNKNOWN, Board
from solver.explain import explain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from solver.topology import Cell

ONE_NUMBER = "a number with all its mines"
BY_COUNT = "the mine count"
_UNPROVEN = "no numbers"
_NUMBERS = re.compile(r"[0-8](-[0-8])*( at the wall)?|[0-9]+ numbers that stand in no line")


def is_pattern(name: str) -> bool:
    """Whether this is the name of what can prove a cell."""
    return name in (ONE_NUMBER, BY_COUNT) or _NUMBERS.fullmatch(name) is not None


def name_pattern(board: Board, cell: Cell) -> str:
    """Name what proves a cell safe, as players do.

    Args:
        board: a flat position. Flags on it are no evidence.
        cell: a closed cell that is proven safe on it.

    Returns:
        `ONE_NUMBER` where marking mines by single numbers is enough, `BY_COUNT` where the mine count is needed, else
        numbers in a line such as "1-2-1", or how many numbers.
    """
    marked = _mark(board)
    if marked[cell] == OPEN_UNKNOWN:
        return ONE_NUMBER
    explanation = explain(marked, cell)
    if explanation.uses_mine_count:
        return BY_COUNT
    if not explanation.clues:
        return _UNPROVEN
    line = _line_of(marked, explanation.clues)
    if not line:
        return f"{len(explanation.clues)} numbers that stand in no line"
    near_of = marked.topology.neighbours
    values = [int(marked[at]) - sum(marked[near] == KNOWN_MINE for near in near_of(at)) for at in line]
    name = "-".join(str(value) for value in min(values, values[::-1]))
    return f"{name} at the wall" if len(line) == 2 and _ends_at_wall(marked, line) else name


def _mark(board: Board) -> Board:
    """Write on a board what single numbers tell: mines as known, safe cells as open ones of unknown number."""
    cells = np.where(board.cells == FLAG, CLOSED, board.cells).astype(np.int16)
    near_of = board.topology.neighbours
    numbers = [at for at in np.ndindex(board.shape) if cells[at] >= 0]
    has_changed = True
    while has_changed:
        has_changed = False
        for at in numbers:
            closed = [near for near in near_of(at) if cells[near] == CLOSED]
            n_left = int(cells[at]) - sum(cells[near] == KNOWN_MINE for near in near_of(at))
            if closed and n_left in (0, len(closed)):
                has_changed = True
                for near in closed:
                    cells[near] = KNOWN_MINE if n_left else OPEN_UNKNOWN
    return replace(board, cells=cells)


def _line_of(marked: Board, clues: Sequence[Cell]) -> list[Cell]:
    """The numbers from the first clue to the last, where all are in a row or a column; else none."""
    for axis in (0, 1):
        if len({clue[axis] for clue in clues}) == 1:
            ends = [clue[1 - axis] for clue in clues]
            between = range(min(ends), max(ends) + 1)
            line: list[Cell] = [(clues[0][0], i) if axis == 0 else (i, clues[0][1]) for i in between]
            if len(line) <= len(clues) + 1 and all(marked[at] >= 0 for at in line):
                return line
    return []


def _ends_at_wall(marked: Board, line: Sequence[Cell]) -> bool:
    """Whether a line of numbers ends at the edge of the board."""
    ((first, second),) = pairwise(line)
    beyond = [tuple(2 * a - b for a, b in zip(*pair, strict=True)) for pair in ((first, second), (second, first))]
    return not all(marked.topology.has_cell(at) for at in beyond)
