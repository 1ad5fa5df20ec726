"""Assume and contradict: the opposite of what a cell is, followed until it fails.

The rules are applied to what is assumed. Where they alone meet no contradiction, cells are tried: one whose value
fails at once has the other value; failing that both values of a cell are followed, each to its own contradiction.
Knows no geometry; the words come from `solver.rules.steps`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from solver.rules.facts import Bound, assume, cells_of
from solver.rules.reasoner import Crossing, Reasoner, RuleLevel

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_BRANCHES = 60
"""Assumptions written down for one contradiction; no person follows more."""
_MAX_RUNS = 200
"""Times the rules are applied for one contradiction; 118 clues, as many as the mine count may need, take 5 ms each."""
_STYLES: tuple[RuleLevel, ...] = ("basic", "bounds")


@dataclass(frozen=True)
class Refutation:
    """Why assumptions fail.

    Attributes:
        assumptions: what is assumed, the newest last.
        crossing: the contradiction the rules meet; None when two cases are needed.
        cases: what is assumed beside, each with its own refutation: a cell is a mine, and it is none.
    """

    assumptions: tuple[Bound, ...]
    crossing: Crossing | None
    cases: tuple[Refutation, ...] = ()

    @property
    def n_branches(self) -> int:
        """How many contradictions it is made of."""
        return 1 if self.crossing is not None else sum(case.n_branches for case in self.cases)


def refute(facts: Sequence[Bound], cell: int, *, is_mine: bool) -> Refutation | None:
    """Show that a cell cannot be, or not be, a mine.

    Args:
        facts: what the clues say.
        cell: the cell.
        is_mine: what is assumed of it.

    Returns:
        The refutation; None when it takes more than a person follows, or there is none.
    """
    return _Refuter(facts).refute((assume(cell, is_mine=is_mine),))


class _Refuter:
    """Follows assumptions, within a budget."""

    def __init__(self, facts: Sequence[Bound]) -> None:
        self._facts = facts
        self._cells = cells_of(_all_cells(facts))
        self._branches_left = _MAX_BRANCHES
        self._runs_left = _MAX_RUNS

    def refute(self, assumptions: tuple[Bound, ...]) -> Refutation | None:
        """Refute assumptions; None when there is no refutation, or not within the budget."""
        self._branches_left -= 1
        if self._branches_left < 0:
            return None
        for level in _STYLES:
            reasoner = self._follow(assumptions, level)
            if reasoner.crossing is not None:
                return Refutation(assumptions, reasoner.crossing)
        cell = self._most_telling(assumptions, reasoner)
        if cell is None:
            return None
        cases: list[Refutation] = []
        for is_mine in (True, False):
            case = self.refute((*assumptions, assume(cell, is_mine=is_mine)))
            if case is None:
                return None
            cases.append(case)
        return Refutation(assumptions, None, tuple(sorted(cases, key=lambda case: case.n_branches)))

    def _follow(self, assumptions: Sequence[Bound], level: RuleLevel) -> Reasoner:
        self._runs_left -= 1
        reasoner = Reasoner([*self._facts, *assumptions])
        reasoner.run(level)
        return reasoner

    def _most_telling(self, assumptions: tuple[Bound, ...], known: Reasoner) -> int | None:
        """The unproven cell to try: one of which a value fails at once, else the one that proves most."""
        scores: dict[int, int] = {}
        for cell in self._cells:
            if cell in known.forced:
                continue
            if self._runs_left < 2:
                return None
            tries = [self._follow((*assumptions, assume(cell, is_mine=is_mine)), "basic") for is_mine in (True, False)]
            n_proven = [_FAILS if tried.crossing is not None else len(tried.forced) for tried in tries]
            scores[cell] = max(n_proven) + min(n_proven)
        return max(scores, key=lambda cell: (scores[cell], -cell), default=None)


_FAILS = 1_000_000
"""Scores above any number of proven cells."""


def _all_cells(facts: Sequence[Bound]) -> int:
    cells = 0
    for fact in facts:
        if fact.rule == "number":
            cells |= fact.cells
    return cells
