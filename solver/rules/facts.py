"""The language of the rules: sets of cells, bounds on the mines in them, and how they are said in words.

A bound is the only kind of fact: "at least n of these cells are mines" or "at most n". A number is two bounds over the
unknown cells around it, a proven cell is a bound on that cell alone, and every bound knows the rule and the bounds it
came from, so that a proof is nothing but a bound and what it rests on. Knows no geometry: a cell is a flat index, a set
of cells one whole number with a bit for each.

How facts are said in words, with the cells named: that alone knows the board, and it decides nothing.

From a proof to steps that a person can follow. One step a derived fact: what it starts from, and what it concludes.
Numbers are no steps of their own; a step says which number it reads. A step's clues are all that its conclusion rests
on, so that they alone force it.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from solver.words import counted, format_cells

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from solver.board import Board
    from solver.constraints import Constraint, Total
    from solver.topology import Cell


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

GIVEN: frozenset[Rule] = frozenset({"number", "mine-count", "assumption"})  # rules of facts that need no proof


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

    @classmethod
    def assumed(cls, cell: int, *, is_mine: bool) -> Bound:
        """The fact that a cell is, or is no, mine, for the sake of argument."""
        return cls(1 << cell, is_lower=is_mine, n=int(is_mine), rule="assumption")

    @property
    def uses_mine_count(self) -> bool:
        """Whether it rests on the mine count."""
        return any(bound.rule == "mine-count" for bound in _iter_proof(self))

    @property
    def last_rule(self) -> Rule:
        """The rule a person would name for a proven cell: the last that was more than leaving out proven cells."""
        bound, name = self, self.rule
        while bound.rule in {"all", "none", "rest"}:
            if bound.rule != "rest":
                name = bound.rule
            bound = bound.sources[0]
        return name if bound.rule in GIVEN else bound.rule

    @property
    def is_conclusive(self) -> bool:
        """Whether it settles every cell of its set."""
        return self.n == (self.size if self.is_lower else 0)


class Crossing(NamedTuple):
    """Two bounds that cannot both hold; None stands for "no less than 0" or "no more than there are cells"."""

    lower: Bound | None
    upper: Bound | None

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """Those of the two that are facts."""
        return tuple(bound for bound in self if bound is not None)


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


def _iter_proof(*bounds: Bound) -> Iterator[Bound]:
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
    return tuple(sorted({bound.clue for bound in _iter_proof(*bounds) if bound.clue is not None}))


def _unfold(bound: Bound) -> Bound:
    """The bound that proven cells were left out of, one time after another."""
    while bound.rule == "rest":
        bound = bound.sources[0]
    return bound


def _flat_sources(bound: Bound) -> tuple[Bound, ...]:
    """What is said when a bound is said: its sources, and for a set less proven cells that set and their proofs."""
    evidence: list[Bound] = []
    while bound.rule == "rest":
        evidence = [*bound.sources[1:], *evidence]
        bound = bound.sources[0]
    return (bound, *evidence)


class _Words:
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
        whole, *evidence = _flat_sources(bound)
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
    return "no mine" if n == 0 else counted(n, "mine")


def _extent(bound: Bound) -> str:
    return f"{'at least' if bound.is_lower else 'at most'} {_mines(bound.n)}"


class Step(NamedTuple):
    """One step of an explanation.

    Attributes:
        rule: the rule applied.
        clues: the open cells whose numbers the conclusion rests on, row by row.
        cells: the cells it speaks of.
        conclusion: what it concludes, in words.
        reason: what it concludes that from, in words.
    """

    rule: Rule
    clues: tuple[Cell, ...]
    cells: tuple[Cell, ...]
    conclusion: str
    reason: str

    @property
    def text(self) -> str:
        """The step as one line."""
        return f"{self.reason}: {self.conclusion}"


def write_steps(board: Board, bounds: Sequence[Bound]) -> list[Step]:
    """Put what bounds rest on, and the bounds themselves, into steps.

    Args:
        board: whose cells the bounds speak of.
        bounds: what is to be proven; a cell's own bound for a cell.
    """
    words = _Words(board)
    return [_write(words, group) for group in _group(_iter_proof(*bounds))]


def write_contradiction(board: Board, crossing: Crossing) -> list[Step]:
    """Put a contradiction into steps; the last one is the contradiction itself."""
    words = _Words(board)
    sources = [source for bound in crossing.bounds for source in _flat_sources(bound)]
    cells = sorted({cell for bound in crossing.bounds for cell in cells_of(_unfold(bound).cells)})
    last = Step(
        "contradiction",
        words.name_all(clues_of(*crossing.bounds)),
        words.name_all(cells),
        "impossible",
        "; but ".join(words.say(bound) for bound in crossing.bounds),
    )
    return [*write_steps(board, sources), last]


def _group(proof: Iterable[Bound]) -> list[list[Bound]]:
    """Gather the bounds that make one step: both halves of a set, and cells settled together by one set.

    What is said in passing makes no step: given facts, sets less their proven cells, and a set that does nothing but
    settle its cells.
    """
    bounds = list(proof)
    users: dict[int, set[Rule]] = {}
    for bound in bounds:
        for source in bound.sources:
            users.setdefault(id(source), set()).add(bound.rule)
    passing = {key for key, rules in users.items() if rules <= {"all", "none"}}
    left = [b for b in bounds if b.rule not in GIVEN and b.rule != "rest" and id(b) not in passing]
    groups = []
    said: set[int] = set()
    for bound in left:
        if id(bound) not in said:
            group = [other for other in left if _is_said_with(other, bound, said, passing)]
            said.update(map(id, group))
            groups.append(group)
    return groups


def _is_said_with(other: Bound, bound: Bound, said: AbstractSet[int], passing: AbstractSet[int]) -> bool:
    """Whether another bound can be said in the same step as this one."""
    if other is bound:
        return True
    if id(other) in said or other.rule != bound.rule:
        return False
    if bound.rule in {"all", "none"}:
        return other.sources[0] is bound.sources[0]
    is_half = other.cells == bound.cells and _sets_of(other) == _sets_of(bound)
    return is_half and all(source.rule in GIVEN or id(source) in said | passing for source in _flat_sources(other))


def _sets_of(bound: Bound) -> list[CellSet]:
    return [source.cells for source in bound.sources]


def _write(words: _Words, group: Sequence[Bound]) -> Step:
    """Say the bounds of one step."""
    first = group[0]
    inner = first.sources[0] if first.rule in {"all", "none"} else first
    is_plain = inner.rule in GIVEN or inner.rule == "rest"
    cells = cells_of(inner.cells if inner is not first else first.cells)
    return Step(
        first.rule if is_plain else inner.rule,
        words.name_all(clues_of(*group)),
        words.name_all(cells),
        words.conclude([inner] if inner is not first else group),
        words.say(inner) if is_plain else words.compare(inner, is_exact=len(group) > 1 and inner is first),
    )
