"""What appearances mean, and where the mines are, as one question: joint satisfiability over labels and mines.

Unknown are the label of every appearance and the mine in every cell. An open cell of an appearance that means k has
exactly k mines around it; what no labelling and no layout satisfies together is not so. A label is proven when
every other one is unsatisfiable, a cell is proven safe when no labelling allows a mine in it.

Knows appearances by their numbers and nothing of pixels. Boards of two dimensions, eight neighbours a cell.

The count around a cell is a sequential counter [1] in both directions, whose outputs every possible label shares.

[1] C. Sinz: Towards an optimal CNF encoding of Boolean cardinality constraints (2005).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import combinations
from typing import TYPE_CHECKING, Self

import numpy as np
from pysat.solvers import Glucose4

from skins.skin import CLOSED, FLAG, MINE, QUESTION, WRONG_FLAG
from solver.topology import Topology

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    Labels = frozenset[str]

_MOST_MINE_APPEARANCES = 2  # a board shows mines as mines and as the exploded one
_MOST_EXPLODED = 3  # most mines that may have been opened at once, by a chord
_MOST_WRONG_FLAGS = 8
_SLICE_CONFLICTS = 200
"""Conflicts after which a question is taken up anew, with all that was learned on the way: some 10 ms."""
DENSEST = 0.45  # greatest share of a board's cells that are shown as mines or have a mark
MARKS: Labels = frozenset({FLAG, QUESTION})  # what a person sets on a closed cell: no evidence of what is under it
_DRAWN_ON_CLOSED: Labels = MARKS | {MINE}
HIDDEN = -1  # the number of no appearance: a cell that cannot be seen
NUMBERS: Labels = frozenset("012345678")
NOT_OPEN: Labels = MARKS | {CLOSED}  # labels of a cell that may or may not be a mine
_ON_CLOSED: Labels = NOT_OPEN | {MINE}
"""What has the rim of a closed cell means one of these: a lost game may show mines in cells that it does not open."""
LABELS: Labels = NUMBERS | NOT_OPEN | {MINE, WRONG_FLAG}
"""What an appearance may mean. `MINE` is any mine shown, the exploded one too."""


@dataclass(frozen=True, eq=False)
class Claim:
    """What is to be satisfied.

    Attributes:
        boards: intp, rows x cols each: the appearance of every cell, or `HIDDEN`. Each is another game.
        domains: the labels each appearance may have.
        different: bool, appearances x appearances: pairs that are never the same number.
        floods: whether an open 0 never touches a closed cell: true of settled boards of every clone that opens the
            neighbours of a 0 by itself.
    """

    boards: Sequence[NDArray[np.intp]]
    domains: Sequence[Labels]
    different: NDArray[np.bool_]
    floods: bool = True


class LabelSolver:
    """A claim as a formula: asks what may be. Use it as a context manager, it holds memory outside of Python.

    Cost: an Expert board is some 30,000 clauses and 50 ms to state; a question takes a millisecond or less.
    """

    def __init__(self, claim: Claim) -> None:
        self._solver = Glucose4()
        self._top = 0
        self._claim = claim
        self._labels: list[dict[str, int]] = []
        self._mines: list[dict[int, int]] = []
        self._counters: dict[tuple[int, ...], list[int]] = {}
        self._marks: list[int | None] = []
        self._seen = [Counter(board[board != HIDDEN].tolist()) for board in claim.boards]
        for domain in claim.domains:
            self._add_appearance(domain)
        self._add_differences()
        for label in (FLAG, QUESTION, WRONG_FLAG):
            self._add_most(label, 1)
        for board in claim.boards:
            self._add_board(board)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._solver.delete()

    def is_satisfiable(self) -> bool:
        """Whether any labelling fits all boards."""
        return self._solve()

    def possible_labels(self) -> list[Labels] | None:
        """The labels that each appearance has in some labelling; None where there is none at all."""
        if not self._solve():
            return None
        possible: list[set[str]] = [set() for _ in self._labels]
        self._note_labels(possible)
        for number, literals in enumerate(self._labels):
            for label, literal in sorted(literals.items()):
                if label in possible[number]:
                    continue
                if self._solve([literal]):
                    self._note_labels(possible)
                else:
                    self._solver.add_clause([-literal])
        return [frozenset(labels) for labels in possible]

    def forced_cells(self, board: int) -> dict[tuple[int, int], bool]:
        """The cells of one board that are a mine, or none, under every labelling; those open anyway are left out.

        Call it only when there is a labelling.
        """
        cols = self._claim.boards[board].shape[1]
        mines = self._mines[board]
        self._solve()
        model = self._solver.get_model()
        undecided = {cell: model[literal - 1] > 0 for cell, literal in mines.items()}
        forced: dict[tuple[int, int], bool] = {}
        while undecided:
            cell, is_mine = undecided.popitem()
            literal = mines[cell] if is_mine else -mines[cell]
            if self._solve([-literal]):
                model = self._solver.get_model()
                undecided = {one: value for one, value in undecided.items() if (model[mines[one] - 1] > 0) == value}
            else:
                self._solver.add_clause([literal])
                row, col = divmod(cell, cols)
                forced[row, col] = is_mine
        return forced

    def labelling(self) -> list[str] | None:
        """One labelling that fits; None where there is none."""
        if not self._solve():
            return None
        found: list[set[str]] = [set() for _ in self._labels]
        self._note_labels(found)
        return [min(labels) for labels in found]

    def likely_labellings(self, order: Sequence[int], liking: Sequence[str], most: int) -> list[list[str]]:
        """Labellings that fit, up to a limit. Those with labels that are liked better come first.

        Call it only when there is a labelling. Those that differ only in appearances left out of `order` count as one.
        The search goes best first: it costs a question for each label of each appearance on the way.

        Args:
            order: the numbers of appearances, those first whose label matters most.
            liking: all labels, the ones liked best first.
            most: how many.
        """
        found: list[list[str]] = []
        waiting: list[tuple[int, tuple[int, ...]]] = [(0, ())]
        while waiting and len(found) < most:
            cost, taken = heappop(waiting)
            if len(taken) == len(order):
                found.append(self._labelling_with(taken))
                continue
            literals = self._labels[order[len(taken)]]
            for rank, label in enumerate(liking):
                if label in literals and (len(literals) == 1 or self._may_be((*taken, literals[label]))):
                    heappush(waiting, (cost + rank * (len(literals) > 1), (*taken, literals[label])))
        return found

    def _may_be(self, literals: Sequence[int]) -> bool:
        return self._solve(literals)

    def _labelling_with(self, literals: Sequence[int]) -> list[str]:
        self._solve(literals)
        found: list[set[str]] = [set() for _ in self._labels]
        self._note_labels(found)
        return [min(labels) for labels in found]

    def _note_labels(self, possible: list[set[str]]) -> None:
        """Add the labels of the model just found."""
        model = self._solver.get_model()
        for labels, literals in zip(possible, self._labels, strict=True):
            labels.update(label for label, literal in literals.items() if model[literal - 1] > 0)

    def _solve(self, assumptions: Sequence[int] = ()) -> bool:
        """Whether there is a model with no more marks on any board than a board has.

        That is asked only of models that were found: where everything is taken for mines, they have too many.
        """
        while self._has_model(assumptions):
            model = self._solver.get_model()
            crowded = [self._crowd(number, model) for number in range(len(self._seen))]
            if not any(crowded):
                return True
            for marks in crowded:
                if marks:
                    self._solver.add_clause([-mark for mark in marks])
        return False

    def _has_model(self, assumptions: Sequence[int]) -> bool:
        answer: bool | None = None
        while answer is None:  # between two slices a signal is heard, and the thread of the hot keys has its turn
            self._solver.conf_budget(_SLICE_CONFLICTS)
            answer = self._solver.solve_limited(assumptions=list(assumptions), expect_interrupt=True)
        return answer

    def _crowd(self, board: int, model: Sequence[int]) -> list[int]:
        """The marks of a model that are together too many on a board, the most frequent ones; none where all may be."""
        crowd, n_cells = [], 0
        for number, count in self._seen[board].most_common():
            mark = self._marks[number]
            if mark is not None and any(
                model[literal - 1] > 0 for label, literal in self._labels[number].items() if label in _DRAWN_ON_CLOSED
            ):
                crowd.append(mark)
                n_cells += count
                if n_cells > DENSEST * self._claim.boards[board].size:
                    return crowd
        return []

    def _new(self) -> int:
        self._top += 1
        return self._top

    def _add_appearance(self, domain: Labels) -> None:
        literals = {label: self._new() for label in sorted(domain)}
        self._labels.append(literals)
        self._solver.add_clause(list(literals.values()))
        for one, other in combinations(literals.values(), 2):
            self._solver.add_clause([-one, -other])
        marked = [literals[label] for label in sorted(_DRAWN_ON_CLOSED & literals.keys())]
        self._marks.append(self._new() if marked else None)
        for literal in marked:
            self._solver.add_clause([-literal, self._top])

    def _add_differences(self) -> None:
        for a, b in zip(*np.nonzero(np.triu(self._claim.different, 1)), strict=True):
            for label in NUMBERS & self._labels[a].keys() & self._labels[b].keys():
                self._solver.add_clause([-self._labels[a][label], -self._labels[b][label]])

    def _add_most(self, label: str, most: int) -> None:
        """No more appearances than this have a label, those that cannot be open left out."""
        literals = [
            literals[label] for literals in self._labels if label in literals and not literals.keys() <= _ON_CLOSED
        ]
        for several in combinations(literals, most + 1):
            self._solver.add_clause([-literal for literal in several])

    def _add_board(self, board: NDArray[np.intp]) -> None:
        appearances: list[int] = board.ravel().tolist()
        mines = {}
        for cell, appearance in enumerate(appearances):
            if appearance == HIDDEN or self._labels[appearance].keys() & (NOT_OPEN | {MINE}):
                mines[cell] = self._new()
        self._mines.append(mines)
        if mines:  # every board has one: a fresh one, its cells blurred, is no board of zeros
            self._solver.add_clause(list(mines.values()))
        near = Topology(board.shape).neighbour_indices
        for cell, appearance in enumerate(appearances):
            if appearance == HIDDEN:
                continue
            if cell in mines:
                self._add_meaning(self._labels[appearance], mines[cell])
            around = tuple(mines[other] for other in near[cell] if other in mines)
            self._add_count(self._labels[appearance], around)
            if self._claim.floods and "0" in self._labels[appearance]:
                self._add_flood(appearance, {appearances[other] for other in near[cell]})
        self._add_reveal(appearances, mines)

    def _add_meaning(self, labels: Mapping[str, int], mine: int) -> None:
        """A shown mine is one; an open cell and a wrong flag are none.

        A mark is no evidence where it is surely drawn on a closed cell. But what may be a mark, or a number or a bare
        closed cell, is a mark only where all of its cells are mines: else anything at all could be one.
        """
        may_be_bare = not labels.keys() <= _DRAWN_ON_CLOSED
        for label, literal in labels.items():
            if label == MINE or (label in MARKS and may_be_bare):
                self._solver.add_clause([-literal, mine])
            elif label not in NOT_OPEN:
                self._solver.add_clause([-literal, -mine])

    def _add_count(self, labels: Mapping[str, int], around: tuple[int, ...]) -> None:
        """A cell with number k has k mines around it."""
        numbers = [label for label in labels if label in NUMBERS]
        if not numbers:
            return
        at_least = self._counter(around)
        for label in numbers:
            number = int(label)
            if number > len(around):
                self._solver.add_clause([-labels[label]])
                continue
            if number > 0:
                self._solver.add_clause([-labels[label], at_least[number - 1]])
            if number < len(around):
                self._solver.add_clause([-labels[label], -at_least[number]])

    def _counter(self, literals: tuple[int, ...]) -> list[int]:
        """Literals that say whether at least 1, 2, ... of these hold; made once for the same ones."""
        known = self._counters.get(literals)
        if known is not None:
            return known
        sums: list[int] = []
        for literal in literals:
            before, sums = sums, []
            for n in range(len(before) + 1):
                sums.append(self._either(before[n : n + 1], [literal, *before[n - 1 : n]] if n else [literal]))
        self._counters[literals] = sums
        return sums

    def _either(self, one: list[int], all_of: list[int]) -> int:
        """A literal that holds just when the one does, if there is one, or all of the others do."""
        literal = self._new()
        self._solver.add_clause([literal, *(-other for other in all_of)])
        for other in one:
            self._solver.add_clause([literal, -other])
        for other in all_of:
            self._solver.add_clause([-literal, *one, other])
        return literal

    def _add_flood(self, appearance: int, near: Iterable[int]) -> None:
        """An open 0 has no closed cell beside it."""
        zero = self._labels[appearance]["0"]
        for other in near:
            if other != HIDDEN and CLOSED in self._labels[other]:
                self._solver.add_clause([-zero, -self._labels[other][CLOSED]])

    def _add_reveal(self, appearances: list[int], mines: Mapping[int, int]) -> None:
        """At the end of a game one mine is shown, or all: then wrong flags are shown, and other closed cells have none.

        Those with a question mark are among these: a mine that is not shown has a flag.
        """
        all_shown = self._new()
        seen = Counter(appearance for appearance in appearances if appearance != HIDDEN)
        counts = {appearance: count for appearance, count in seen.items() if MINE in self._labels[appearance]}
        self._add_mines_shown(counts, all_shown)
        for appearance, count in seen.items():
            literal = self._labels[appearance].get(WRONG_FLAG)
            if literal is not None:
                self._solver.add_clause([-literal, all_shown])
                self._solver.add_clause([-literal, *(self._labels[other][MINE] for other in counts)])
                if count > _MOST_WRONG_FLAGS:
                    self._solver.add_clause([-literal])
        for cell, mine in mines.items():
            appearance = appearances[cell]
            for label in (CLOSED, QUESTION):
                if appearance != HIDDEN and label in self._labels[appearance]:
                    self._solver.add_clause([-all_shown, -self._labels[appearance][label], -mine])

    def _add_mines_shown(self, counts: Mapping[int, int], all_shown: int) -> None:
        """More than one mine shown means all; they look like mines, and a few like exploded ones.

        Each of these may come in several pictures that do not surely differ: cells are not all equally large.
        """
        different = self._claim.different
        shown = {appearance: self._labels[appearance][MINE] for appearance in counts}
        for a, b in combinations(counts, 2):
            self._solver.add_clause([-shown[a], -shown[b], all_shown])
            if different[a, b] and min(counts[a], counts[b]) > _MOST_EXPLODED:
                self._solver.add_clause([-shown[a], -shown[b]])
        for several in combinations(counts, _MOST_MINE_APPEARANCES + 1):
            if all(different[a, b] for a, b in combinations(several, 2)):
                self._solver.add_clause([-shown[one] for one in several])
        for appearance, count in counts.items():
            if count > 1:
                self._solver.add_clause([-shown[appearance], all_shown])
