"""Every set of cells of which the rules know something, with its bounds."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from solver.rules.facts import Bound, CellSet, DerivedSet, cells_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.rules.reasoner import Reasoner

MAX_LISTED = 2_000
"""Sets listed at most; an expert position in mid-game has some hundreds."""


def list_sets(reasoner: Reasoner, most: int = MAX_LISTED) -> list[DerivedSet]:
    """List the sets a reasoner met, then what they imply: intersections, and subgroups with one cell less.

    Args:
        reasoner: after `run`.
        most: list at most so many.

    Returns:
        First the sets that were given or derived, in that order; then intersections of two sets, bounded from both
        sides; then subgroups, with at least or no more than so many mines. None twice, none about which nothing is
        known, and none with a proven cell among the implied ones.
    """
    listed: dict[CellSet, DerivedSet] = {}
    for cells, lower, upper in reasoner.sets():
        listed[cells] = _derived(cells, lower, upper)
    exact = {cells: found for cells, found in listed.items() if reasoner.is_active(cells)}
    for derived in [*_iter_intersections(exact), *_iter_subgroups(exact)]:
        if len(listed) >= most:
            break
        listed.setdefault(_mask(derived), derived)
    return list(listed.values())[:most]


def _mask(derived: DerivedSet) -> CellSet:
    return sum(1 << cell for cell in derived.cells)


def _derived(cells: CellSet, lower: Bound | None, upper: Bound | None) -> DerivedSet:
    lo, hi = 0 if lower is None else lower.n, cells.bit_count() if upper is None else upper.n
    return DerivedSet(cells_of(cells), lo, hi, tuple(bound for bound in (lower, upper) if bound is not None))


def part_of(whole: DerivedSet, cells: CellSet) -> DerivedSet:
    """What a set says of some of its cells: at least what does not fit elsewhere, no more than it has."""
    n_others = len(whole.cells) - cells.bit_count()
    lower = upper = None
    for bound in whole.from_:
        if bound.is_lower and bound.n > n_others:
            lower = Bound(cells, is_lower=True, n=bound.n - n_others, rule="at-least", sources=(bound,))
        if not bound.is_lower and bound.n < cells.bit_count():
            upper = Bound(cells, is_lower=False, n=bound.n, rule="no-more-than", sources=(bound,))
    return _derived(cells, lower, upper)


def _iter_intersections(sets: dict[CellSet, DerivedSet]) -> Iterator[DerivedSet]:
    """Generate the intersections that two sets together bound from both sides."""
    for (cells, one), (others, other) in combinations(sets.items(), 2):
        both = cells & others
        if not both or both in (cells, others):
            continue
        bounds = [bound for part in (part_of(one, both), part_of(other, both)) for bound in part.from_]
        lower = max((bound for bound in bounds if bound.is_lower), key=lambda bound: bound.n, default=None)
        upper = min((bound for bound in bounds if not bound.is_lower), key=lambda bound: bound.n, default=None)
        if lower is not None and upper is not None:
            yield _derived(both, lower, upper)


def _iter_subgroups(sets: dict[CellSet, DerivedSet]) -> Iterator[DerivedSet]:
    """Generate what exact sets say of all but one of their cells."""
    for cells, whole in sets.items():
        if whole.lo != whole.hi:
            continue
        for cell in whole.cells:
            part = part_of(whole, cells & ~(1 << cell))
            if part.from_:
                yield part
