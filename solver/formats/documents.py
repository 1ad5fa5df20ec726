"""What a text can say: a position as the player sees it, or a full map.

A `Board` says what is seen. A `FullMap` says where the mines are as well, and what of it is already open. A board on
which no cell is closed says as much as a map: `as_full_map` and `reveal` go between the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from solver.board import CLOSED, EXPLODED, FLAG, KNOWN_MINE, MINE, UNREADABLE, Board, format_sides
from solver.errors import BoardValueError, InconsistentError
from solver.layout import Layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from solver.topology import Cell

_HIDDEN = (CLOSED, FLAG, UNREADABLE)
_MINES = (MINE, EXPLODED, KNOWN_MINE)


@dataclass(frozen=True)
class FullMap:
    """Where the mines are, and what a player sees of it.

    Attributes:
        layout: where the mines are.
        view: the same grid as the player sees it: open cells with their true numbers, the others closed or flagged.
            Its mine count is the layout's.

    Raises:
        BoardValueError: shape, edges, mine count or a cell of the view is not the layout's.
    """

    layout: Layout
    view: Board

    def __post_init__(self) -> None:
        layout, view = self.layout, self.view
        said = (view.shape, view.wrap, view.mines)
        true = (layout.shape, layout.wrap, layout.n_mines)
        if said != true:
            raise BoardValueError(f"expected a view with the layout's shape, wrap and mines {true}, got {said}")
        is_hidden = np.isin(view.cells, (CLOSED, FLAG))
        wrong = ~is_hidden & (layout.has_mine | (view.cells != layout.numbers))
        if wrong.any():
            cell = first_cell(wrong)
            raise BoardValueError(f"expected a view that agrees with the layout, got {view[cell]} at {cell}")

    @classmethod
    def seen(
        cls,
        layout: Layout,
        is_open: NDArray[np.bool_] | None = None,
        is_flagged: NDArray[np.bool_] | None = None,
    ) -> FullMap:
        """Make a map of which these cells are open and flagged (None: no cell).

        Args:
            layout: where the mines are.
            is_open: bool array of the layout's shape; no mine among them.
            is_flagged: bool array of the layout's shape; none of them open.

        Raises:
            BoardValueError: an open cell is a mine.
        """
        cells = np.full(layout.shape, CLOSED, dtype=np.int16)
        if is_flagged is not None:
            cells[is_flagged] = FLAG
        if is_open is not None:
            if (is_open & layout.has_mine).any():
                raise BoardValueError(f"expected no open mine, got one at {first_cell(is_open & layout.has_mine)}")
            cells[is_open] = layout.numbers[is_open]
        return cls(layout, Board(cells, layout.n_mines, layout.wrap))

    @property
    def is_untouched(self) -> bool:
        """Whether no cell is open or flagged."""
        return bool((self.view.cells == CLOSED).all())

    @property
    def is_cleared(self) -> bool:
        """Whether every safe cell is open."""
        return bool(((self.view.cells >= 0) | self.layout.has_mine).all())


Document = Board | FullMap
"""What a text form can hold."""


def first_cell(where: NDArray[np.bool_]) -> Cell:
    """The first true cell of a bool array, row by row; there must be one."""
    return tuple(int(i) for i in np.unravel_index(int(where.argmax()), where.shape))


def view_of(document: Document) -> Board:
    """What the player sees of a document."""
    return document.view if isinstance(document, FullMap) else document


def has_closed(board: Board) -> bool:
    """Whether some cell hides what it is: a closed, flagged or unreadable one."""
    return bool(np.isin(board.cells, _HIDDEN).any())


def as_full_map(document: Document) -> FullMap:
    """Take a document as a map: itself, or the layout that a board without closed cells shows.

    Of such a board nothing counts as open: it tells where the mines are, not how far a game has come.

    Raises:
        BoardValueError: a cell hides whether it is a mine; it is named.
        InconsistentError: a number, or the mine count, is not the one that the mines shown give.
    """
    if isinstance(document, FullMap):
        return document
    if document.cut:
        raise BoardValueError(f"expected a full map, got one cut at {format_sides(document.cut)}")
    if has_closed(document):
        cell = first_cell(np.isin(document.cells, _HIDDEN))
        raise BoardValueError(f"expected a full map, got a cell that may hold a mine or not at {name_cell(cell)}")
    layout = Layout(np.isin(document.cells, _MINES), document.wrap)
    wrong = (document.cells >= 0) & (document.cells != layout.numbers)
    if wrong.any():
        cell = first_cell(wrong)
        beside = int(layout.numbers[cell])
        raise InconsistentError(
            f"the number {document[cell]} at {name_cell(cell)} contradicts the map: it has {beside} mines beside it",
            cell,
        )
    if document.mines not in (None, layout.n_mines):
        raise InconsistentError(f"expected {document.mines} mines on the map, got {layout.n_mines}", None)
    return FullMap.seen(layout)


def reveal(layout: Layout, mine_code: int = MINE) -> Board:
    """Show a whole layout as a board: every number open, every mine as `mine_code`; the inverse of `as_full_map`."""
    return Board(np.where(layout.has_mine, mine_code, layout.numbers), layout.n_mines, layout.wrap)


def name_cell(cell: Cell) -> str:
    """A cell as errors name it: 'row 1, column 2', in other dimensions '(0, 1, 2)'; 0-based."""
    return f"row {cell[0]}, column {cell[1]}" if len(cell) == 2 else str(cell)
