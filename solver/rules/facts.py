"""The language of the rules: sets of cells, and bounds on the mines in them.

A bound is the only kind of fact: "at least n of these cells are mines" or "at most n". A number is two bounds over the
unknown cells around it, a proven cell is a bound on that cell alone, and every bound knows the rule and the bounds it
came from, so that a proof is nothing but a bound and what it rests on. Knows no geometry: a cell is a flat index, a set
of cells one whole number with a bit for each.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from solver.constraints import Constraint
    from solver.sat import Total

CellSet = int
"""A set of cells: bit i stands for the cell with flat index i."""

Rule = Literal[
    "number",
    "mine-count",
    "assumption",
    "rest",
    "all",
    "none",
    "subset",
    "1-2",
    "at-least",
    "no-more-than",
    "bounds",
    "contradiction",
]
"""What a fact rests on.

number: an open cell says so. mine-count: the total says so. assumption: supposed for the sake of a contradiction.
rest: a set less the cells that are proven. all: a set with as many mines as cells. none: a set without a mine.
subset: the difference of two exact sets, one inside the other. 1-2: two overlapping sets whose mines differ by the
size of what only the second has. at-least: part of a set holds at least n, so the rest of an overlapping set
no more than. no-more-than: part of a set holds no more than, so the rest of an overlapping set at least. bounds: as
subset, with intervals. contradiction: no rule suffices, every layout with the opposite fails.
"""

GIVEN: frozenset[Rule] = frozenset({"number", "mine-count", "assumption"})
"""Rules of facts that need no proof."""


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """At least, or at most, `n` of `cells` are mines.

    Attributes:
        cells: the set.
        is_lower: whether it says "at least".
        n: how many.
        rule: why it holds.
        sources: the bounds it was derived from; empty when given.
        clue: flat index of the open cell whose number says so; None unless the rule is "number".
    """

    cells: CellSet
    is_lower: bool
    n: int
    rule: Rule
    sources: tuple[Bound, ...] = ()
    clue: int | None = None

    @property
    def size(self) -> int:
        """How many cells it speaks of."""
        return self.cells.bit_count()

    @property
    def is_conclusive(self) -> bool:
        """Whether it settles every cell of its set."""
        return self.n == (self.size if self.is_lower else 0)


class DerivedSet(NamedTuple):
    """Between `lo` and `hi` of `cells` are mines.

    Attributes:
        cells: flat indices, in order.
        lo: the fewest of them that are mines.
        hi: the most of them that are mines.
        from_: the bounds that say so; empty where a bound says nothing (0, or all cells).
    """

    cells: tuple[int, ...]
    lo: int
    hi: int
    from_: tuple[Bound, ...]


def _cell_set(cells: Iterable[int]) -> CellSet:
    """The set of these cells."""
    result = 0
    for cell in cells:
        result |= 1 << cell
    return result


def cells_of(cells: CellSet) -> tuple[int, ...]:
    """The flat indices of a set, in order: the inverse of `_cell_set`; linear, word by word."""
    indices = []
    n_words = cells.bit_length() // 64 + 1
    for place, left in enumerate(struct.unpack(f"<{n_words}Q", cells.to_bytes(8 * n_words, "little"))):
        word = left
        while word:
            lowest = word & -word
            indices.append(64 * place + lowest.bit_length() - 1)
            word ^= lowest
    return tuple(indices)


def given_facts(constraints: Sequence[Constraint], total: Total | None = None) -> Iterator[Bound]:
    """Generate the facts that constraints, and if given the mine count, state; the trivial halves are left out."""
    for cells, n_mines, clue in constraints:
        yield from _exactly(_cell_set(cells), n_mines, "number", clue)
    if total is not None:
        yield from _exactly(_cell_set(total.cells), total.n_mines, "mine-count", None)


def _exactly(cells: CellSet, n_mines: int, rule: Rule, clue: int | None) -> Iterator[Bound]:
    if n_mines > 0:
        yield Bound(cells, is_lower=True, n=n_mines, rule=rule, clue=clue)
    if n_mines < cells.bit_count():
        yield Bound(cells, is_lower=False, n=n_mines, rule=rule, clue=clue)


def assume(cell: int, *, is_mine: bool) -> Bound:
    """The fact that a cell is, or is no, mine, for the sake of argument."""
    return Bound(1 << cell, is_lower=is_mine, n=int(is_mine), rule="assumption")


def iter_proof(*bounds: Bound) -> Iterator[Bound]:
    """Generate everything that bounds rest on, and them: each once, after its sources."""
    seen: set[int] = set()
    stack = [(bound, False) for bound in reversed(bounds)]
    while stack:
        bound, is_ready = stack.pop()
        if is_ready:
            yield bound
        elif id(bound) not in seen:
            seen.add(id(bound))
            stack.append((bound, True))
            stack.extend((source, False) for source in reversed(bound.sources))


def clues_of(*bounds: Bound) -> tuple[int, ...]:
    """The flat indices of the numbers that bounds rest on, in order."""
    return tuple(sorted({bound.clue for bound in iter_proof(*bounds) if bound.clue is not None}))


def uses_mine_count(*bounds: Bound) -> bool:
    """Whether bounds rest on the mine count."""
    return any(bound.rule == "mine-count" for bound in iter_proof(*bounds))


def name_rule(bound: Bound) -> Rule:
    """The rule a person would name for a proven cell: the last that was more than leaving out proven cells."""
    name: Rule = bound.rule
    while bound.rule in {"all", "none", "rest"}:
        if bound.rule != "rest":
            name = bound.rule
        bound = bound.sources[0]
    return name if bound.rule in GIVEN else bound.rule
