r"""The rules themselves: bounds in, bounds out, to a fixpoint. Knows no geometry.

Everything but the all/none rule is the difference of two overlapping sets A and B:

    lo(A \ B) >= lo(A) - hi(B)
    hi(A \ B) <= hi(A) - (lo(B) - |B \ A|)

The first says that the shared cells hold no more than B does, the second that they hold at least what B cannot place
outside A. Bounds of intersections and of subgroups (part of a set has at most as many mines as the set, and at least
as many as do not fit into its other cells) are implied by one set alone, so they are not stored: whatever follows from
them and a third set also follows from the two sets themselves. A derived set is kept only when it says more than any
one kept set does, and then with both its bounds.

Cost: the derived sets could be exponentially many, so no more than `_MAX_SETS` are made, in no more than `MAX_LOOKS`
looks at one. Beyond that the rules prove less; they never prove what is not so.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Literal

from solver.rules.facts import Bound, CellSet, Crossing, Rule, cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

RuleLevel = Literal["basic", "subset", "bounds"]
"""How much the rules may do: all/none alone; differences of exact sets; all of them."""

RULE_LEVELS: tuple[RuleLevel, ...] = ("basic", "subset", "bounds")
"""The levels, weakest first; each includes those before it."""

_MAX_SETS = 1_000
"""Sets a reasoner keeps at a time; an expert board half open needs some 300, without a cap an ending has no end."""
MAX_LOOKS = 1_000_000
"""Looks at a set that one level of rules may take. Of 160 expert positions one, with the mine count, needed more: it
ended after 0.4 s with no proof missing. The median of all was 8 ms."""
_MAX_PAIRED = 24  # most cells of the mine count's set that is compared with others: its differences overlap everything


class _CrossedError(Exception):
    """Unwinds the rules when a contradiction is met; never leaves this module."""

    def __init__(self, lower: Bound | None, upper: Bound | None) -> None:
        super().__init__()
        self.crossing = Crossing(lower, upper)


class Reasoner:
    """Applies the rules to facts; keeps what it derived.

    Attributes:
        forced: proven cell -> the bound on it alone that proves it, in the order of proof.
        crossing: the contradiction met, None when there is none. Once there is one the rest is unfinished.
    """

    def __init__(self, facts: Iterable[Bound], max_sets: int = _MAX_SETS) -> None:
        self.forced: dict[int, Bound] = {}
        self.crossing: Crossing | None = None
        self._max_sets = max_sets
        self._known: CellSet = 0
        self._bounds: tuple[dict[CellSet, Bound], dict[CellSet, Bound]] = ({}, {})
        self._active: dict[CellSet, None] = {}
        self._over: dict[int, dict[CellSet, None]] = {}
        self._unsettled: deque[CellSet] = deque()
        self._unpaired: dict[CellSet, None] = {}
        self._looks_left = MAX_LOOKS
        self._widest_given = _MAX_PAIRED
        self.learn(facts)

    def learn(self, facts: Iterable[Bound]) -> None:
        """Add facts, unless a contradiction was met."""
        try:
            for fact in facts:
                if self.crossing is not None:
                    return
                if fact.rule == "number":
                    self._widest_given = max(self._widest_given, fact.size)
                self._add(fact)
        except _CrossedError as error:
            self.crossing = error.crossing

    def run(self, level: RuleLevel) -> None:
        """Apply the rules of a level, and of those below it, until nothing changes or a contradiction is met."""
        try:
            for stage in RULE_LEVELS[: RULE_LEVELS.index(level) + 1]:
                if self.crossing is not None:
                    return
                self._settle()
                if stage != "basic":
                    self._pair(exact_only=stage == "subset")
        except _CrossedError as error:
            self.crossing = error.crossing

    def sets(self) -> Iterator[tuple[CellSet, Bound | None, Bound | None]]:
        """Generate every set met, with its lower and its upper bound, in the order of their making."""
        upper, lower = self._bounds
        for cells in dict.fromkeys([*lower, *upper]):
            yield cells, lower.get(cells), upper.get(cells)

    def is_active(self, cells: CellSet) -> bool:
        """Whether a set has been met and none of its cells is proven."""
        return cells in self._active

    def _add(self, bound: Bound) -> None:
        """Keep a bound if it says more than what is kept of the same set."""
        cells, same = bound.cells, self._bounds[bound.is_lower]
        old = same.get(cells)
        if old is not None and (old.n >= bound.n if bound.is_lower else old.n <= bound.n):
            return
        same[cells] = bound
        lower, upper = self._bounds[True].get(cells), self._bounds[False].get(cells)
        lo, hi = 0 if lower is None else lower.n, bound.size if upper is None else upper.n
        if lo > hi:
            raise _CrossedError(lower, upper)
        if cells not in self._active:
            self._active[cells] = None
            for cell in cells_of(cells):
                self._over.setdefault(cell, {})[cells] = None
        self._unsettled.append(cells)
        self._unpaired[cells] = None

    def _settle(self) -> None:
        """Apply the all/none rule to what changed, and leave proven cells out of sets."""
        while self._unsettled:
            cells = self._unsettled.popleft()
            if cells not in self._active:
                continue
            if cells & self._known:
                self._leave_out_known(cells)
                continue
            for same in self._bounds:
                bound = same.get(cells)
                if bound is not None and bound.is_conclusive:
                    self._force(bound)
                    break

    def _force(self, bound: Bound) -> None:
        """Conclude that all cells of a set are mines, or safe."""
        rule: Rule = "all" if bound.is_lower else "none"
        for cell in cells_of(bound.cells):
            alone = 1 << cell
            proof = bound
            if bound.cells != alone or bound.rule in {"number", "mine-count", "rest"}:
                proof = Bound(alone, bound.is_lower, int(bound.is_lower), rule, (bound,))
            self.forced[cell] = proof
            self._known |= alone
            self._unsettled.extend(self._over.get(cell, ()))

    def _leave_out_known(self, cells: CellSet) -> None:
        """Replace a set by its cells that are not proven."""
        del self._active[cells]
        for cell in cells_of(cells):
            del self._over[cell][cells]
        proofs = [self.forced[cell] for cell in cells_of(cells & self._known)]
        mines = tuple(proof for proof in proofs if proof.is_lower)
        safe = tuple(proof for proof in proofs if not proof.is_lower)
        rest = cells & ~self._known
        # A proven mine takes at most one from "at least" by itself, a safe cell nothing from "at most": only the
        # others are evidence.
        for same, evidence in zip(self._bounds, (mines, safe), strict=True):
            bound = same.get(cells)
            if bound is None:
                continue
            left = Bound(rest, bound.is_lower, bound.n - len(mines), "rest", (bound, *evidence))
            if left.n > rest.bit_count() if left.is_lower else left.n < 0:
                raise _CrossedError(left if left.is_lower else None, None if left.is_lower else left)
            if rest and (left.n > 0 if left.is_lower else left.n < rest.bit_count()):
                self._add(left)

    def _pair(self, *, exact_only: bool) -> None:
        """Compare every set with those it overlaps, until no comparison says anything new."""
        self._unpaired = dict.fromkeys(self._active)
        self._looks_left = MAX_LOOKS
        while self._unpaired and self._looks_left > 0:
            first = next(iter(self._unpaired))
            del self._unpaired[first]
            for second in self._overlapping(first):
                if first not in self._active:
                    break
                self._looks_left -= 1
                if second in self._active:
                    self._compare(first, second, exact_only=exact_only)
                    self._compare(second, first, exact_only=exact_only)
                    self._settle()

    def _overlapping(self, cells: CellSet) -> list[CellSet]:
        """The active sets that share a cell with a set, in a fixed order; none when it is too wide to compare."""
        if cells.bit_count() > self._widest_given:
            return []
        found = self._find_near(cells)
        found.pop(cells, None)
        return [other for other in found if other.bit_count() <= self._widest_given]

    def _find_near(self, cells: CellSet) -> dict[CellSet, None]:
        """The active sets that share a cell with these, in a fixed order; counts as many looks as that takes."""
        found: dict[CellSet, None] = {}
        for cell in cells_of(cells):
            over = self._over.get(cell, {})
            found.update(over)
            self._looks_left -= len(over)
        return found

    def _compare(self, cells: CellSet, other: CellSet, *, exact_only: bool) -> None:
        """Derive bounds on what a set has and another has not."""
        rest, outside = cells & ~other, (other & ~cells).bit_count()
        if not rest or (exact_only and (outside or not (self._is_exact(cells) and self._is_exact(other)))):
            return
        halves = list(self._halves(cells, other, rest, outside))
        if not halves:
            return
        if rest not in self._active and (not self._has_room() or all(self._is_implied(half) for half in halves)):
            return
        for half in halves:
            self._add(half)

    def _halves(self, cells: CellSet, other: CellSet, rest: CellSet, outside: int) -> Iterator[Bound]:
        """Generate the bounds on `rest`, what a set has and another has not, that say anything."""
        upper, lower = self._bounds
        one, two = lower.get(cells), upper.get(other)
        if one is not None and two is not None and one.n > two.n:
            n = one.n - two.n
            yield Bound(rest, is_lower=True, n=n, rule=self._name(one, two, rest, n, outside), sources=(one, two))
        one, two = upper.get(cells), lower.get(other)
        if one is not None and two is not None and one.n - two.n + outside < rest.bit_count():
            n = one.n - two.n + outside
            yield Bound(rest, is_lower=False, n=n, rule=self._name(one, two, rest, n, outside), sources=(one, two))

    def _name(self, one: Bound, two: Bound, rest: CellSet, n: int, outside: int) -> Rule:
        """What to call the difference of two sets."""
        if not outside:
            return "subset" if self._is_exact(one.cells) and self._is_exact(two.cells) else "bounds"
        is_conclusive = n >= rest.bit_count() if one.is_lower else n <= 0
        if is_conclusive:
            return "1-2"
        return "no-more-than" if one.is_lower else "at-least"

    def _is_exact(self, cells: CellSet) -> bool:
        lo, hi = self._bounds[True].get(cells), self._bounds[False].get(cells)
        return lo is not None and hi is not None and lo.n == hi.n

    def _has_room(self) -> bool:
        return len(self._active) < self._max_sets

    def _is_implied(self, bound: Bound) -> bool:
        """Whether one kept set alone says as much."""
        cells, same = bound.cells, self._bounds[bound.is_lower]
        for other in self._find_near(cells):
            kept = same.get(other)
            if kept is None:
                continue
            if bound.is_lower and kept.n - (other & ~cells).bit_count() >= bound.n:
                return True
            if not bound.is_lower and kept.n + (cells & ~other).bit_count() <= bound.n:
                return True
        return False
