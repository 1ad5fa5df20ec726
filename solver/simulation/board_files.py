"""Files of boards: one a line.

`seed rows cols first_row,first_col row,col;row,col;...`, the mines last; in other than two dimensions sizes and indices
are joined by commas: `seed 4,4,4,4 0,0,0,0 i,j,k,l;...`. Blank lines and those that start with `;` are skipped.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from solver.errors import BoardTextError, BoardValueError
from solver.layout import Layout
from solver.simulation.deals import Deal

if TYPE_CHECKING:
    from solver.topology import Cell

_NATURAL = re.compile(r"[0-9]{1,9}")
_NATURALS = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")
_SEED = re.compile(r"-?[0-9]{1,18}")
_LINE = re.compile(r"[^\n]*\n?")
_MOST_CELLS = 10_000_000
_MOST_IN_ALL = 200_000_000
_AROUND_A_BOARD = 500
"""All boards together may have so many cells, each board counted with so many more for the objects around them: that is
200,000 Expert boards, or 350,000 Beginner ones. Three bytes a cell are kept once a board is played: 0.6 GB."""


def parse_deals(text: str, *, wrap: bool = False) -> tuple[Deal, ...]:
    """Read a file of boards.

    Args:
        text: of the file.
        wrap: whether every axis is a ring: the file does not say.

    Raises:
        BoardTextError: a line is not a board, or one too many; names it.
    """
    deals = []
    n_in_all = 0
    for number, line in enumerate(_LINE.finditer(text), start=1):
        words = line[0].split()
        if not words or words[0].startswith(";"):
            continue
        try:
            deals.append(_parse_deal(words, wrap=wrap))
        except BoardValueError as error:
            raise BoardTextError(f"line {number}: {error}") from error
        n_in_all += deals[-1].layout.has_mine.size + _AROUND_A_BOARD
        if n_in_all > _MOST_IN_ALL:
            raise BoardTextError(f"line {number}: expected boards that take less memory together: make it two files")
    return tuple(deals)


def format_deal(deal: Deal) -> str:
    """Return the line of a board."""
    seed, layout, first_cell = deal
    joined = [",".join(map(str, cell)) for cell in sorted(layout.mine_cells)]
    sizes = (" " if len(layout.shape) == 2 else ",").join(map(str, layout.shape))
    return f"{seed} {sizes} {','.join(map(str, first_cell))} {';'.join(joined)}".rstrip()


def _parse_deal(words: list[str], *, wrap: bool) -> Deal:
    seed, *rest = words
    if not _SEED.fullmatch(seed):
        raise BoardValueError(f"expected a seed, a whole number, got {_quote(seed)}")
    if _is_two_dimensional(rest):
        rest = [f"{rest[0]},{rest[1]}", *rest[2:]]
    if len(rest) not in (2, 3):
        raise BoardValueError(f"expected seed, sizes, first cell and mines, got {len(words)} words")
    shape, first_cell = _parse_numbers(rest[0], "sizes"), _parse_numbers(rest[1], "a first cell")
    n_cells = 1
    for side in shape:
        n_cells *= side
    if not 1 <= n_cells <= _MOST_CELLS:
        raise BoardValueError(f"expected 1 to {_MOST_CELLS} cells, got the sizes {_quote(rest[0])}")
    mines = [_parse_numbers(word, "a mine's cell") for word in rest[2].split(";")] if len(rest) == 3 else []
    layout = Layout.of_cells(shape, mines, wrap=wrap)
    if layout.n_mines != len(mines):
        raise BoardValueError("expected every mine once")
    if not layout.topology.has_cell(first_cell):
        raise BoardValueError(f"expected a first cell of the {shape} grid, got {first_cell}")
    return Deal(int(seed), layout, first_cell)


def _is_two_dimensional(words: list[str]) -> bool:
    """Whether two sizes are words of their own: `60 30 5;7` is of one dimension, and there `30` is a cell."""
    return len(words) >= 3 and all(_NATURAL.fullmatch(word) for word in words[:2]) and words[2].count(",") == 1


def _parse_numbers(word: str, what: str) -> Cell:
    if not _NATURALS.fullmatch(word):
        raise BoardValueError(f"expected {what}, numbers joined by commas, got {_quote(word)}")
    return tuple(map(int, word.split(",")))


def _quote(word: str) -> str:
    return repr(word if len(word) <= 40 else word[:37] + "...")
