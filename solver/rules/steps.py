"""From a proof to steps that a person can follow, in words with the cells named.

One step a derived fact: what it starts from, and what it concludes. Numbers are no steps of their own; a step says
which number it reads. A step's clues are all that its conclusion rests on, so that they alone force it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from solver.rules.facts import GIVEN, cells_of, clues_of, iter_proof
from solver.rules.words import Words, flat_sources, unfold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from solver.board import Board
    from solver.rules.facts import Bound, CellSet, Rule
    from solver.rules.reasoner import Crossing
    from solver.topology import Cell


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
    words = Words(board)
    return [_write(words, group) for group in _group(iter_proof(*bounds))]


def write_contradiction(board: Board, crossing: Crossing) -> list[Step]:
    """Put a contradiction into steps; the last one is the contradiction itself."""
    words = Words(board)
    sources = [source for bound in crossing.bounds for source in flat_sources(bound)]
    cells = sorted({cell for bound in crossing.bounds for cell in cells_of(unfold(bound).cells)})
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
    return is_half and all(source.rule in GIVEN or id(source) in said | passing for source in flat_sources(other))


def _sets_of(bound: Bound) -> list[CellSet]:
    return [source.cells for source in bound.sources]


def _write(words: Words, group: Sequence[Bound]) -> Step:
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
