"""What a text form can express, and what to do about the rest.

Nothing is lost unasked: a document with something that a form has no sign for is an error that names the cell
(`InexpressibleError`). `weaken` is for those who ask: it replaces what cannot be said by the nearest thing that can,
always by something that claims less, and says what it changed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from solver.formats.documents import Document, FullMap, as_full_map, first_cell, name_cell, reveal
from solver.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = {
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
"""What says less than a code, one step at a time; a number's is OPEN_UNKNOWN."""


class InexpressibleError(BoardValueError):
    """A text form has no sign for something in a document."""


@dataclass(frozen=True)
class Ability:
    """What a form's boards can hold.

    Attributes:
        name: the form's.
        codes: the codes below 0 that it has a sign for; CLOSED is among them.
        numbers: the numbers that it has a sign for; None: every one.
        n_dimensions: how many dimensions it holds; None: any number.
        has_header: whether it has a place for the mine count and the joined edges.
    """

    name: str
    codes: frozenset[int]
    numbers: range | None = None
    n_dimensions: range | None = range(2, 3)
    has_header: bool = False

    def has_sign(self, code: int) -> bool:
        """Whether the form has a sign for a code or number."""
        if code < 0:
            return code in self.codes
        return self.numbers is None or code in self.numbers


def express(document: Document, ability: Ability) -> Board:
    """Return the board that a form writes for a document.

    An untouched full map is written as a board with every number and mine shown.

    Raises:
        InexpressibleError: the form has no sign for something in it; a cell is named where it is one.
    """
    board = _as_board(document, ability)
    _check_shape(board, ability)
    for code in np.unique(board.cells).tolist():
        if not ability.has_sign(code):
            where = name_cell(first_cell(board.cells == code))
            raise InexpressibleError(f"{ability.name} has no sign for {_name(code)} at {where}")
    for loss in _header_losses(board, ability):
        raise InexpressibleError(f"{ability.name} has no place for {loss}")
    return board


def weaken(document: Document, ability: Ability) -> tuple[Board, list[str]]:
    """Replace what a form cannot express by something that claims less.

    Returns:
        A board that `express` accepts, and what was lost, a sentence each.

    Raises:
        InexpressibleError: not two dimensions, for a form that has no others.
    """
    losses = []
    if isinstance(document, FullMap) and not document.is_untouched:
        losses.append("where the mines are is left out: only what is open is written")
        document = document.view
    board = _as_board(document, ability)
    _check_shape(board, ability)
    if board.cut and not ability.has_header:
        losses.append(f"what lies past the cut sides ({format_sides(board.cut)}) becomes closed cells")
        board = board.widened
    cells = board.cells.copy()
    for code in np.unique(board.cells).tolist():
        weaker = _nearest(code, ability)
        if weaker != code:
            same = board.cells == code
            cells[same] = weaker
            first = name_cell(first_cell(same))
            losses.append(f"{_name(code)} becomes {_name(weaker)}: {int(same.sum())} times, first at {first}")
    losses += [f"no place for {loss}: left out" for loss in _header_losses(board, ability)]
    return replace(board, cells=cells) if ability.has_header else Board(cells), losses


def express_map(document: Document, name: str) -> FullMap:
    """Take a document as the map that a form of full maps writes.

    Args:
        document: a map, or a board without closed cells.
        name: the form's.

    Raises:
        InexpressibleError: joined edges, not two dimensions, a cell that may hold a mine or not, or numbers that
            contradict the mines.
    """
    full_map = _as_flat_map(document, name)
    if full_map.layout.wrap:
        raise InexpressibleError(f"{name} has no place for joined edges")
    return full_map


def weaken_map(document: Document, name: str) -> tuple[FullMap, list[str]]:
    """Make the map that `express_map` accepts, and say what was lost.

    Raises:
        InexpressibleError: as `express_map`, but for joined edges.
    """
    full_map = _as_flat_map(document, name)
    if not full_map.layout.wrap:
        return full_map, []
    cells = full_map.view.cells
    flat = FullMap.seen(Layout(full_map.layout.has_mine), cells >= 0, cells == FLAG)
    return flat, ["the joined edges are left out: the numbers are those of the plain map"]


def _as_flat_map(document: Document, name: str) -> FullMap:
    try:
        full_map = as_full_map(document)
    except (BoardValueError, InconsistentError) as error:
        raise InexpressibleError(f"{name} cannot express this: {error}") from error
    if len(full_map.layout.shape) != 2:
        raise InexpressibleError(f"{name} holds maps of 2 dimensions, got {len(full_map.layout.shape)}")
    return full_map


def _as_board(document: Document, ability: Ability) -> Board:
    if not isinstance(document, FullMap):
        return document
    if not document.is_untouched:
        cell = (
            first_cell(document.view.cells < 0) if (document.view.cells < 0).any() else (0,) * len(document.view.shape)
        )
        raise InexpressibleError(
            f"{ability.name} cannot say both what is open and where the mines are: at {name_cell(cell)}"
        )
    board = reveal(document.layout, MINE if ability.has_sign(MINE) else KNOWN_MINE)
    return board if ability.has_header or board.wrap else board.with_mines(None)


def _check_shape(board: Board, ability: Ability) -> None:
    n_dimensions = ability.n_dimensions
    if n_dimensions is not None and len(board.shape) not in n_dimensions:
        more = " or more" if len(n_dimensions) > 1 else ""
        raise InexpressibleError(
            f"{ability.name} holds boards of {n_dimensions[0]}{more} dimensions, got {len(board.shape)}"
        )


def _header_losses(board: Board, ability: Ability) -> Iterator[str]:
    if ability.has_header:
        return
    if board.mines is not None:
        yield f"the mine count {board.mines}"
    if board.wrap:
        yield "joined edges"
    if board.cut:
        yield f"the cut sides {format_sides(board.cut)}"


def _nearest(code: int, ability: Ability) -> int:
    while not ability.has_sign(code):
        code = OPEN_UNKNOWN if code >= 0 else _WEAKER[code]
    return code


def _name(code: int) -> str:
    return f"the number {code}" if code >= 0 else f"{NAMES[code]} ({SYMBOLS[code]} in minebot)"
