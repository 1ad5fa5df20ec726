"""How facts are said in words, with the cells named. Knows the board, and decides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solver.rules.facts import Bound, cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from solver.board import Board
    from solver.topology import Cell

_MOST_NAMED = 24
"""Longer lists of cells are shortened; a number in four dimensions can have 80 cells around it."""


def format_cells(cells: Iterable[Cell]) -> str:
    """Cells as a person reads them: (0,1) (0,2); a long list is shortened."""
    names = [f"({','.join(map(str, cell))})" for cell in cells]
    if len(names) > _MOST_NAMED:
        return f"{' '.join(names[: _MOST_NAMED - 1])} and {len(names) - _MOST_NAMED + 1} more"
    return " ".join(names)


def unfold(bound: Bound) -> Bound:
    """The bound that proven cells were left out of, one time after another."""
    while bound.rule == "rest":
        bound = bound.sources[0]
    return bound


def flat_sources(bound: Bound) -> tuple[Bound, ...]:
    """What is said when a bound is said: its sources, and for a set less proven cells that set and their proofs."""
    evidence: list[Bound] = []
    while bound.rule == "rest":
        evidence = [*bound.sources[1:], *evidence]
        bound = bound.sources[0]
    return (bound, *evidence)


class Words:
    """Says facts about the cells of one board."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def name_all(self, cells: Iterable[int]) -> tuple[Cell, ...]:
        """The cells with these flat indices."""
        return tuple(self._board.cell_of(cell) for cell in cells)

    def list(self, cells: int) -> str:
        """A set of cells, named."""
        return format_cells(self.name_all(cells_of(cells)))

    def conclude(self, halves: Sequence[Bound]) -> str:
        """What one bound, or both bounds of a set, say."""
        first = halves[0]
        for bound in halves:
            if bound.is_conclusive:
                return self._settled(bound)
        if len(halves) > 1 and halves[0].n == halves[1].n:
            return f"exactly {_mines(first.n)} among {self.list(first.cells)}"
        return " and ".join(f"{_extent(bound)} among {self.list(bound.cells)}" for bound in halves)

    def _settled(self, bound: Bound) -> str:
        is_one = bound.size == 1
        what = ("is a mine" if is_one else "are mines") if bound.is_lower else ("is safe" if is_one else "are safe")
        return f"{self.list(bound.cells)} {what}"

    def say(self, bound: Bound) -> str:
        """A bound as the premise of a step."""
        if bound.rule == "number":
            return self._say_number(bound)
        if bound.rule == "mine-count":
            return f"the mine count of {self._board.mines} leaves {_mines(bound.n)} for {self.list(bound.cells)}"
        if bound.rule == "assumption":
            return f"{self._settled(bound)} as supposed"
        if bound.rule == "rest":
            return self._say_rest(bound)
        return self.conclude([bound])

    def _say_number(self, bound: Bound) -> str:
        assert bound.clue is not None, "a number is on a cell"
        clue = self._board.cell_of(bound.clue)
        number = self._board[clue]
        who = f"the {number} at {format_cells([clue])}"
        n_known = number - bound.n
        if n_known == 0:
            return f"{who} needs {_mines(bound.n)} among {self.list(bound.cells)}"
        if bound.n == 0:
            return f"{who} has all its mines, so none is among {self.list(bound.cells)}"
        return f"{who} has {_mines(n_known)} and needs {bound.n} more among {self.list(bound.cells)}"

    def _say_rest(self, bound: Bound) -> str:
        whole, *evidence = flat_sources(bound)
        proven = {is_mine: [b.cells for b in evidence if b.is_lower is is_mine] for is_mine in (True, False)}
        mines, safe = (self.list(sum(proven[is_mine])) for is_mine in (True, False))
        known = [f"{mines} {'are mines' if ' ' in mines else 'is a mine'}"] if mines else []
        if safe:
            known.append(f"{safe} {'are' if ' ' in safe else 'is'} safe")
        if bound.cells and not bound.is_conclusive:
            known.append(f"which leaves {_extent(bound)} for {self.list(bound.cells)}")
        return ", ".join([self.say(whole), *known])

    def compare(self, bound: Bound, *, is_exact: bool) -> str:
        """The premises of a difference of two sets.

        Args:
            bound: a bound on what the first has and the second has not.
            is_exact: whether the other bound is said with it.
        """
        first, second = bound.sources
        both = first.cells & second.cells
        premises = f"{self.say(first)}; {self.say(second)}"
        if both == second.cells:
            return premises
        if is_exact:
            return f"{premises}; they share {self.list(both)}"
        n = second.n if bound.is_lower else second.n - (second.cells & ~first.cells).bit_count()
        return f"{premises}; so {'at most' if bound.is_lower else 'at least'} {_mines(n)} in {self.list(both)}"


def _mines(n: int) -> str:
    return "no mine" if n == 0 else f"{n} mine{'s' if n > 1 else ''}"


def _extent(bound: Bound) -> str:
    return f"{'at least' if bound.is_lower else 'at most'} {_mines(bound.n)}"
