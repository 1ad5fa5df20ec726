"""What a text form is: what it holds, what it has signs for, and what to do about the rest.

A `Board` says what is seen. A `FullMap` says where the mines are as well, and what of it is already open. A board on
which no cell is closed says as much as a map: `as_full_map` and `reveal` go between the two.

Nothing is lost unasked: a document with something that a form has no sign for is an error that names the cell
(`InexpressibleError`). `Format.weaken` is for those who ask: it replaces what cannot be said by the nearest thing that
can, always by something that claims less, and says what it changed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from solver.board import (
    CLOSED,
    EXPLODED,
    FLAG,
    KNOWN_MINE,
    MINE,
    OPEN_UNKNOWN,
    SYMBOLS,
    UNREADABLE,
    WRONG_FLAG,
    Board,
    format_sides,
)
from solver.errors import BoardValueError, InconsistentError
from solver.game import Game
from solver.layout import Layout
from solver.words import name_cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from solver.topology import Cell


MOST_CELLS = 2**20  # most cells of a board that is read: 4^10, far above any board that is played
_HIDDEN = (CLOSED, FLAG, UNREADABLE)
_MINES = (MINE, EXPLODED, KNOWN_MINE)


@dataclass(frozen=True)
class FullMap:
    """Where the mines are, and what a player sees of it.

    Attributes:
        layout: where the mines are.
        view: the same grid as the player sees it: open cells with their true numbers, the others closed or flagged.
            Its mine count is the layout's.
        start: the cell to begin at; None where nobody says.

    Raises:
        BoardValueError: shape, edges, mine count or a cell of the view is not the layout's, or the start is a mine or
            beside the board.
    """

    layout: Layout
    view: Board
    start: Cell | None = None

    def __post_init__(self) -> None:
        layout, view = self.layout, self.view
        said = (view.shape, view.wrap, view.mines)
        true = (layout.shape, layout.wrap, layout.n_mines)
        if said != true:
            raise BoardValueError(f"expected a view with the layout's shape, wrap and mines {true}, got {said}")
        is_hidden = np.isin(view.cells, (CLOSED, FLAG))
        wrong = ~is_hidden & (layout.has_mine | (view.cells != layout.numbers))
        if wrong.any():
            cell = _first_cell(wrong)
            raise BoardValueError(f"expected a view that agrees with the layout, got {view[cell]} at {name_cell(cell)}")
        if self.start is not None and not (layout.topology.has_cell(self.start) and not layout.has_mine[self.start]):
            raise BoardValueError(f"expected a start on the board and without a mine, got {name_cell(self.start)}")

    @classmethod
    def seen(
        cls,
        layout: Layout,
        is_open: NDArray[np.bool_] | None = None,
        is_flagged: NDArray[np.bool_] | None = None,
        start: Cell | None = None,
    ) -> FullMap:
        """Make a map of which these cells are open and flagged (None: no cell).

        Args:
            layout: where the mines are.
            is_open: bool array of the layout's shape; no mine among them.
            is_flagged: bool array of the layout's shape; none of them open.
            start: the cell to begin at.

        Raises:
            BoardValueError: an open cell, or the start, is a mine.
        """
        cells = np.full(layout.shape, CLOSED, dtype=np.int16)
        if is_flagged is not None:
            cells[is_flagged] = FLAG
        if is_open is not None:
            if (is_open & layout.has_mine).any():
                raise BoardValueError(
                    f"expected no open mine, got one at {name_cell(_first_cell(is_open & layout.has_mine))}"
                )
            cells[is_open] = layout.numbers[is_open]
        return cls(layout, Board(cells, layout.n_mines, layout.wrap), start)

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


def _first_cell(where: NDArray[np.bool_]) -> Cell:
    """The first true cell of a bool array, row by row; there must be one."""
    return tuple(int(i) for i in np.unravel_index(int(where.argmax()), where.shape))


def view_of(document: Document) -> Board:
    """What the player sees of a document; of a map with a start, once that is open."""
    if not isinstance(document, FullMap):
        return document
    if document.start is None or not document.is_untouched:
        return document.view
    game = Game.on(document.layout)
    game.open(document.start)
    return game.board.with_mines(document.layout.n_mines)


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
        cell = _first_cell(np.isin(document.cells, _HIDDEN))
        raise BoardValueError(f"expected a full map, got a cell that may hold a mine or not at {_name_cell(cell)}")
    layout = Layout(np.isin(document.cells, _MINES), document.wrap)
    wrong = (document.cells >= 0) & (document.cells != layout.numbers)
    if wrong.any():
        cell = _first_cell(wrong)
        beside = int(layout.numbers[cell])
        raise InconsistentError(
            f"the number {document[cell]} at {_name_cell(cell)} contradicts the map: it has {beside} mines beside it",
            cell,
        )
    if document.mines not in (None, layout.n_mines):
        raise InconsistentError(f"expected {document.mines} mines on the map, got {layout.n_mines}", None)
    return FullMap.seen(layout)


def reveal(layout: Layout, mine_code: int = MINE) -> Board:
    """Show a whole layout as a board: every number open, every mine as `mine_code`; the inverse of `as_full_map`."""
    return Board(np.where(layout.has_mine, mine_code, layout.numbers), layout.n_mines, layout.wrap)


def name_first(where: NDArray[np.bool_]) -> str:
    """The first true cell of a bool array, as errors name it: 'row 1, column 2', or '(0, 1, 2)'; 0-based."""
    return _name_cell(_first_cell(where))


def _name_cell(cell: Cell) -> str:
    return f"row {cell[0]}, column {cell[1]}" if len(cell) == 2 else str(cell)


_NAMES = {
    CLOSED: "a closed cell",
    FLAG: "a flag",
    OPEN_UNKNOWN: "an open cell whose number is not known",
    MINE: "a mine shown",
    EXPLODED: "an exploded mine",
    WRONG_FLAG: "a wrong flag",
    KNOWN_MINE: "a known mine",
    UNREADABLE: "an unreadable cell",
}
"""Every code that is not a number, in words."""

_WEAKER = {
    EXPLODED: MINE,
    MINE: KNOWN_MINE,
    KNOWN_MINE: CLOSED,
    WRONG_FLAG: OPEN_UNKNOWN,
    OPEN_UNKNOWN: CLOSED,
    FLAG: CLOSED,
    UNREADABLE: CLOSED,
}
"""The code that says less than a code, one step at a time; a number's is OPEN_UNKNOWN."""


class InexpressibleError(BoardValueError):
    """A text form has no sign for something in a document."""


_MAP_CELLS = {
    (False, 0): "an open cell",
    (False, FLAG): "a flag on a safe cell",
    (True, FLAG): "a flag on a mine",
}
"""What a cell of a map may be beside closed, in words: whether it is a mine, and its code; 0 for any number."""


@dataclass(frozen=True)
class Format(ABC):
    """A text form: what its signs mean, how it is read and written.

    Attributes:
        name: what commands call it.
        summary: whose it is, in a few words.
        signs: what each sign of a board means: a number or a code. Of several with one meaning the last is written.
        map_signs: what each sign of a full map means: whether the cell is a mine, and its code, 0 for any number.
            Without them a map is written as a board with every number and mine shown.
        is_of_maps: whether a board without closed cells is read and written as the map that it shows.
        has_every_number: whether numbers without a sign of their own are written too.
        n_dimensions: how many dimensions its boards have; None: any number.
        header: which of `mines`, `wrap` and `cut` of a board it has a place for.
        is_detected: whether `auto` may choose it.
        says_start: whether it has a place for the cell to begin at. Elsewhere that is left out: it is advice, and no
            part of the board.
    """

    name: str
    summary: str
    signs: Mapping[str, int] = field(default_factory=dict)
    map_signs: Mapping[str, tuple[bool, int]] = field(default_factory=dict)
    _: KW_ONLY
    is_of_maps: bool = False
    has_every_number: bool = False
    n_dimensions: range | None = range(2, 3)
    header: frozenset[str] = frozenset()
    is_detected: bool = True
    says_start: bool = False

    def parse(self, text: str) -> Document:
        """Read a text.

        Raises:
            BoardTextError: it is not in this form; row and column are named.
        """
        return self._parse(text)

    def format(self, document: Document) -> str:
        """Write a document: the inverse of `parse`.

        Raises:
            InexpressibleError: the form has no sign for something in it; a cell is named where it is one.
        """
        return self._write(self._as_map(document) if self._holds_map(document) else self._as_board(document))

    def weaken(self, document: Document) -> tuple[Document, list[str]]:
        """Replace what the form cannot express by something that claims less.

        Returns:
            A document that `format` writes, and what was lost, a sentence each.

        Raises:
            InexpressibleError: dimensions that the form does not have, or, for a map, unknown or contradictory cells.
        """
        return self._weaken_map(document) if self._holds_map(document) else self._weaken_board(document)

    @abstractmethod
    def _parse(self, text: str) -> Document: ...

    @abstractmethod
    def _write(self, document: Document) -> str:
        """Write a board or a map for which the form has all signs."""

    def _holds_map(self, document: Document) -> bool:
        if isinstance(document, FullMap):
            return bool(self.map_signs)
        return self.is_of_maps and not (self.signs and has_closed(document))

    def _has_sign(self, code: int) -> bool:
        return code in self.signs.values() or (code >= 0 and self.has_every_number)

    def _as_board(self, document: Document) -> Board:
        board = self._shown(document)
        for code in np.unique(board.cells).tolist():
            if not self._has_sign(code):
                where = name_first(board.cells == code)
                raise InexpressibleError(f"{self.name} has no sign for {_name(code)} at {where}")
        for loss in self._header_losses(board):
            raise InexpressibleError(f"{self.name} has no place for {loss}")
        return board

    def _weaken_board(self, document: Document) -> tuple[Board, list[str]]:
        losses = []
        if isinstance(document, FullMap) and not document.is_untouched:
            losses.append("where the mines are is left out: only what is open is written")
            document = document.view
        board = self._shown(document)
        if board.cut and "cut" not in self.header:
            losses.append(f"what lies past the cut sides ({format_sides(board.cut)}) becomes closed cells")
            board = board.widened
        cells = board.cells.copy()
        for code in np.unique(board.cells).tolist():
            weaker = code
            while not self._has_sign(weaker):
                weaker = OPEN_UNKNOWN if weaker >= 0 else _WEAKER[weaker]
            if weaker != code:
                cells[board.cells == code] = weaker
                losses.append(_loss(_name(code), _name(weaker), board.cells == code))
        losses += [f"no place for {loss}: left out" for loss in self._header_losses(board)]
        kept = {name: getattr(board, name) for name in self.header}
        return Board(cells, **kept), losses

    def _shown(self, document: Document) -> Board:
        """A document as a board; of a map every number and mine."""
        board = document
        if isinstance(board, FullMap):
            if not board.is_untouched:
                is_hidden = board.view.cells < 0
                where = name_first(is_hidden if is_hidden.any() else ~is_hidden)
                raise InexpressibleError(
                    f"{self.name} cannot say both what is open and where the mines are: at {where}"
                )
            board = reveal(board.layout, MINE if self._has_sign(MINE) else KNOWN_MINE)
            if "mines" not in self.header and not board.wrap:
                board = board.with_mines(None)
        if self.n_dimensions is not None and len(board.shape) not in self.n_dimensions:
            more = " or more" if len(self.n_dimensions) > 1 else ""
            raise InexpressibleError(
                f"{self.name} holds boards of {self.n_dimensions[0]}{more} dimensions, got {len(board.shape)}"
            )
        return board

    def _header_losses(self, board: Board) -> Iterator[str]:
        if board.mines is not None and "mines" not in self.header:
            yield f"the mine count {board.mines}"
        if board.wrap and "wrap" not in self.header:
            yield "joined edges"
        if board.cut and "cut" not in self.header:
            yield f"the cut sides {format_sides(board.cut)}"

    def _as_map(self, document: Document) -> FullMap:
        full_map = self._flat_map(document)
        if full_map.layout.wrap:
            raise InexpressibleError(f"{self.name} has no place for joined edges")
        for what, where in self._map_losses(full_map):
            raise InexpressibleError(f"{self.name} has no sign for {what} at {name_first(where)}")
        return full_map

    def _weaken_map(self, document: Document) -> tuple[FullMap, list[str]]:
        full_map, losses = self._flat_map(document), []
        if full_map.layout.wrap:
            losses.append("the joined edges are left out: the numbers are those of the plain map")
        cells = full_map.view.cells.copy()
        for what, where in self._map_losses(full_map):
            cells[where] = CLOSED
            losses.append(_loss(what, "a closed cell", where))
        start = full_map.start if self.says_start else None
        return FullMap.seen(Layout(full_map.layout.has_mine), cells >= 0, cells == FLAG, start), losses

    def _flat_map(self, document: Document) -> FullMap:
        try:
            full_map = as_full_map(document)
        except (BoardValueError, InconsistentError) as error:
            raise InexpressibleError(f"{self.name} cannot express this: {error}") from error
        if len(full_map.layout.shape) != 2:
            raise InexpressibleError(f"{self.name} holds maps of 2 dimensions, got {len(full_map.layout.shape)}")
        return full_map

    def _map_losses(self, full_map: FullMap) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        """What the form has no sign for, in words, and which cells that are."""
        codes = np.minimum(full_map.view.cells, 0)
        for (is_mine, code), what in _MAP_CELLS.items():
            where = (full_map.layout.has_mine == is_mine) & (codes == code)
            if where.any() and (is_mine, code) not in self.map_signs.values():
                yield what, where


def _loss(what: str, weaker: str, where: NDArray[np.bool_]) -> str:
    return f"{what} becomes {weaker}: {int(where.sum())} times, first at {name_first(where)}"


def _name(code: int) -> str:
    return f"the number {code}" if code >= 0 else f"{_NAMES[code]} ({SYMBOLS[code]} in minebot)"
