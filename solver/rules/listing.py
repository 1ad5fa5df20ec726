"""Every set of cells of which the rules know something, with its bounds."""

from __future__ import annotations

from itertools import chain, combinations, islice
from typing import TYPE_CHECKING

from solver.rules.facts import Bound, CellSet, DerivedSet, cells_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from solver.rules.reasoner import Reasoner

MAX_LISTED = 2_000
"""Sets listed at most; an expert position in mid-game has some hundreds."""
MAX_CELLS_LISTED = 250_000
"""Most cells of all implied sets that are listed, added up. An expert board has no more: its mine count alone
implies 480 sets of 479 cells. That of 3^10 cells implies 59,048 sets of 59,047."""

_MAX_PAIRS = 300_000
"""Pairs of sets looked at for their intersection; an expert position half open has some 100,000."""


def list_sets(reasoner: Reasoner, most: int = MAX_LISTED) -> list[DerivedSet]:
    """List the sets a reasoner met, then what they imply: intersections, and subgroups with one cell less.

    Args:
        reasoner: after `run`.
        most: how many sets are listed at most. The implied ones have at most `MAX_CELLS_LISTED` cells together.

    Returns:
        First the sets that were given or derived, in that order; then intersections of two sets, bounded from both
        sides; then subgroups, with at least or no more than so many mines. None twice, none about which nothing is
        known, and none with a proven cell among the implied ones.
    """
    listed: dict[CellSet, DerivedSet] = {}
    for cells, lower, upper in reasoner.sets():
        listed[cells] = _derived(cells, lower, upper)
    exact = {cells: found for cells, found in listed.items() if reasoner.is_active(cells)}
    n_cells = 0
    for cells, derived in chain(_iter_intersections(exact), _iter_subgroups(exact)):
        n_cells += len(derived.cells)
        if len(listed) >= most or n_cells > MAX_CELLS_LISTED:
            break
        listed.setdefault(cells, derived)
    return list(listed.values())[:most]


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


def _iter_intersections(sets: dict[CellSet, DerivedSet]) -> Iterator[tuple[CellSet, DerivedSet]]:
    """Generate the intersections that two sets together bound from both sides."""
    seen = {0, *sets}
    for (cells, one), (others, other) in islice(combinations(sets.items(), 2), _MAX_PAIRS):
        both = cells & others
        n_rest, n_others = (cells ^ both).bit_count(), (others ^ both).bit_count()
        if both in seen or not n_rest or not n_others:
            continue
        if max(one.lo - n_rest, other.lo - n_others) <= 0 or min(one.hi, other.hi) >= both.bit_count():
            continue
        seen.add(both)
        bounds = [bound for part in (part_of(one, both), part_of(other, both)) for bound in part.from_]
        lower = max((bound for bound in bounds if bound.is_lower), key=lambda bound: bound.n, default=None)
        upper = min((bound for bound in bounds if not bound.is_lower), key=lambda bound: bound.n, default=None)
        if lower is not None and upper is not None:
            yield both, _derived(both, lower, upper)


def _iter_subgroups(sets: dict[CellSet, DerivedSet]) -> Iterator[tuple[CellSet, DerivedSet]]:
    """Generate what exact sets say of all but one of their cells."""
    for cells, whole in sets.items():
        if whole.lo != whole.hi:
            continue
        for cell in whole.cells:
            others = cells & ~(1 << cell)
            part = part_of(whole, others)
            if part.from_:
                yield others, part
