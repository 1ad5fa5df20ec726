"""Why a cell is safe or a mine, in words with the cells named.

First the fewest clues that force it are sought, and the rules are tried on these alone, then on all: a proof by rules
is given wherever there is one. Where no rule suffices, the clues are followed from the opposite of what the cell is to
a contradiction. Of a cell that is not forced the risk is said, and a layout either way. The words come from
`solver.rules.facts`.

Assume and contradict: the opposite of what a cell is, followed until it fails.

The rules are applied to what is assumed. Where they alone meet no contradiction, cells are tried: one whose value
fails at once has the other value; failing that both values of a cell are followed, each to its own contradiction.
Knows no geometry.

Which clues force a cell: a minimal set of constraints, and if the budget allows a smallest one.

Every constraint gets a selector. With the cell's opposite assumed the formula is unsatisfiable; an unsatisfiable core
of selectors, thinned out one by one, is minimal: no clue of it can be left out. Another set may still be smaller. A
smallest one is found by hitting sets [1]: of every set of clues that allows the opposite at least one clue outside it
is needed, and a smallest set of clues that meets all these demands is the answer as soon as it forces the cell. Knows
no geometry, and decides by satisfiability alone.

[1] A. Ignatiev, A. Previti, M. Liffiton, J. Marques-Silva: Smallest MUS extraction with minimal hitting set
    dualization (CP 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pysat.card import CardEnc, EncType
from pysat.solvers import Glucose4, Minicard

from solver.analysis import Analysis, analyse
from solver.board import Board, format_cell
from solver.constraints import UNKNOWN_CODES, read_problem
from solver.errors import BoardValueError
from solver.rules.facts import (
    Bound,
    Crossing,
    Step,
    cells_of,
    clues_of,
    given_facts,
    write_contradiction,
    write_steps,
)
from solver.rules.reasoner import RULE_LEVELS, Reasoner, RuleLevel
from solver.sat import CONFLICT_BUDGET, find_model
from solver.unavoidable import Unavoidable, find_unavoidable
from solver.words import format_cells, name_cell, name_shape

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from solver.constraints import Constraint, Total
    from solver.rules.facts import Rule
    from solver.topology import Cell


_MAX_BRANCHES = 60  # assumptions written down for one contradiction; no person follows more
_MAX_RUNS = 200
"""Times the rules are applied for one contradiction; 118 clues, as many as the mine count may need, take 5 ms each."""
_STYLES: tuple[RuleLevel, ...] = ("basic", "bounds")


@dataclass(frozen=True)
class _Refutation:
    """Why assumptions fail.

    Attributes:
        assumptions: what is assumed, the newest last.
        crossing: the contradiction the rules meet; None when two cases are needed.
        cases: what is assumed beside, each with its own refutation: a cell is a mine, and it is none.
    """

    assumptions: tuple[Bound, ...]
    crossing: Crossing | None
    cases: tuple[_Refutation, ...] = ()

    @property
    def n_branches(self) -> int:
        """How many contradictions it is made of."""
        return 1 if self.crossing is not None else sum(case.n_branches for case in self.cases)


class _Refuter:
    """Follows assumptions, within a budget."""

    def __init__(self, facts: Sequence[Bound]) -> None:
        self._facts = facts
        self._cells = cells_of(_all_cells(facts))
        self._branches_left = _MAX_BRANCHES
        self._runs_left = _MAX_RUNS

    def refute(self, assumptions: tuple[Bound, ...]) -> _Refutation | None:
        """Refute assumptions; None when there is no refutation, or not within the budget."""
        self._branches_left -= 1
        if self._branches_left < 0:
            return None
        for level in _STYLES:
            reasoner = self._follow(assumptions, level)
            if reasoner.crossing is not None:
                return _Refutation(assumptions, reasoner.crossing)
        cell = self._most_telling(assumptions, reasoner)
        if cell is None:
            return None
        cases: list[_Refutation] = []
        for is_mine in (True, False):
            case = self.refute((*assumptions, Bound.assumed(cell, is_mine=is_mine)))
            if case is None:
                return None
            cases.append(case)
        return _Refutation(assumptions, None, tuple(sorted(cases, key=lambda case: case.n_branches)))

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
            tries = [
                self._follow((*assumptions, Bound.assumed(cell, is_mine=is_mine)), "basic") for is_mine in (True, False)
            ]
            n_proven = [_FAILS if tried.crossing is not None else len(tried.forced) for tried in tries]
            scores[cell] = max(n_proven) + min(n_proven)
        return max(scores, key=lambda cell: (scores[cell], -cell), default=None)


_FAILS = 1_000_000  # scores above any number of proven cells


def _all_cells(facts: Sequence[Bound]) -> int:
    cells = 0
    for fact in facts:
        if fact.rule == "number":
            cells |= fact.cells
    return cells


Verdict = Literal["safe", "mine", "not forced", "not known"]
"""What is known of a cell; "not known" only where the position is too wide to be counted."""

_MOST_TRIALS = 40  # clues left out on trial to make a proof by rules shorter: a longer one nobody follows anyway


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a cell is what it is.

    Attributes:
        cell: the cell.
        verdict: what it is.
        rule: the last rule of the proof; "contradiction" when no rule suffices; None when the cell is not forced.
        steps: the proof, each step after what it rests on; the last names the cell or the contradiction.
        clues: open cells whose numbers force the cell, row by row; with the mine count where that is used.
        uses_mine_count: whether the mine count is needed too.
        extent: "smallest" when no fewer clues force the cell, "minimal" when none of the clues can be left out,
            "enough" when neither is known; None when the cell is not forced. The mine count counts as a clue where it
            is used; where it is not, nothing is claimed of sets with it.
        p_mine: the risk; NaN when it is not known.
        layouts: for a cell that is not forced: mines among the cells tied to it, when it is no mine and when it is;
            empty when there is none to show.
        text: all of it in words.
        unavoidable: the cells that have to be guessed together with it; None where it is forced, or others may tell.
    """

    cell: Cell
    verdict: Verdict
    rule: Rule | None
    steps: tuple[Step, ...]
    clues: tuple[Cell, ...]
    uses_mine_count: bool
    extent: Extent | None
    p_mine: float
    layouts: tuple[tuple[Cell, ...], ...]
    text: str
    unavoidable: Unavoidable | None = None


def explain(
    board: Board | NDArray[Any], cell: Cell, mines: int | None = None, analysis: Analysis | None = None
) -> Explanation:
    """Explain what is known of a cell.

    Args:
        board: a board, or an array of the codes of `solver.board`.
        cell: a cell that is neither open nor given as a mine.
        mines: the total number of mines; replaces the board's own.
        analysis: that of the same position, if there is one already.

    Raises:
        BoardValueError: `board` or `mines` is not a board's; or the board has no such cell, or it is open or given.
        InconsistentError: no layout agrees with the position.
    """
    board = Board.of(board, mines)
    _check(board, cell)
    analysis = analyse(board) if analysis is None else analysis
    problem = read_problem(board.widened)
    p_mine = float(analysis.p_mine[cell])
    case = _Case(board, cell, problem.constraints, problem.total)
    if p_mine not in (0.0, 1.0):
        return _explain_open(case, analysis)
    return _explain_forced(case, is_mine=p_mine == 1.0)


def _check(board: Board, cell: Cell) -> None:
    if not board.topology.has_cell(cell):
        raise BoardValueError(f"expected a cell of the {name_shape(board.shape)} board, got {name_cell(cell)}")
    if board[cell] not in UNKNOWN_CODES:
        what = "open" if board[cell] >= 0 else f"known ('{format_cell(board[cell])}')"
        raise BoardValueError(
            f"expected a closed cell, got {name_cell(cell)}, which is {what}: there is nothing to explain"
        )


class _Case(NamedTuple):
    """A cell to explain, and what the board says."""

    board: Board
    cell: Cell
    constraints: tuple[Constraint, ...]
    total: Total | None

    @property
    def place(self) -> int:
        return self.board.index_of(self.cell)


class _Grounds(NamedTuple):
    """What forces a cell: facts, and how few they are."""

    constraints: Sequence[Constraint]
    total: Total | None
    extent: Extent

    def facts(self) -> list[Bound]:
        return list(given_facts(self.constraints, self.total))


def _explain_forced(case: _Case, *, is_mine: bool) -> Explanation:
    grounds = _find_grounds(case, is_mine=is_mine)
    proof = _prove(grounds.facts(), case.place)
    if proof is None:
        wider = _prove_by_all(case)
        if wider is None:
            return _by_contradiction(case, grounds, is_mine=is_mine)
        proof, grounds = wider, grounds._replace(extent="enough")
    elif len(clues_of(proof)) + proof.uses_mine_count < len(grounds.constraints) + (grounds.total is not None):
        grounds = grounds._replace(extent="enough")
    return _by_rules(case, proof, grounds.extent)


def _find_grounds(case: _Case, *, is_mine: bool) -> _Grounds:
    """The fewest clues found that force the cell, the mine count only if it takes that."""
    for total in dict.fromkeys((None, case.total)):
        found = _find_clues(case.constraints, case.place, is_mine=is_mine, total=total)
        if found is not None:
            return _Grounds(found.constraints, found.total, found.extent)
    return _Grounds(case.constraints, case.total, "enough")


def _prove(facts: Sequence[Bound], index: int) -> Bound | None:
    """The bound that proves a cell, by the weakest rules that do."""
    for level in RULE_LEVELS:
        reasoner = Reasoner(facts)
        reasoner.run(level)
        if index in reasoner.forced:
            return reasoner.forced[index]
    return None


def _prove_by_all(case: _Case) -> Bound | None:
    """Prove a cell by rules from any clues, then leave out every clue without which they still prove it."""
    for total in dict.fromkeys((None, case.total)):
        constraints = list(case.constraints)
        proof = _prove(list(given_facts(constraints, total)), case.place)
        if proof is not None:
            break
    else:
        return None
    for clue in clues_of(proof)[:_MOST_TRIALS]:
        used = set(clues_of(proof)) - {clue}
        total = total if proof.uses_mine_count else None
        fewer = [constraint for constraint in constraints if constraint.clue in used]
        proof = _prove(list(given_facts(fewer, total)), case.place) or proof
    return proof


def _by_rules(case: _Case, proof: Bound, extent: Extent) -> Explanation:
    steps = tuple(write_steps(case.board, [proof]))
    clues = _name(case, clues_of(proof))
    verdict: Verdict = "mine" if proof.is_lower else "safe"
    counted = proof.uses_mine_count
    rule = proof.last_rule
    lines = [
        f"{_state(case, verdict)}. {_say_clues(clues, extent, counted=counted)}",
        *_numbered(steps),
    ]
    return Explanation(case.cell, verdict, rule, steps, clues, counted, extent, float(proof.n), (), "\n".join(lines))


def _by_contradiction(case: _Case, grounds: _Grounds, *, is_mine: bool) -> Explanation:
    refutation = _Refuter(grounds.facts()).refute((Bound.assumed(case.place, is_mine=not is_mine),))
    clues = _name(case, sorted({constraint.clue for constraint in grounds.constraints}))
    verdict: Verdict = "mine" if is_mine else "safe"
    counted = grounds.total is not None
    opposite = "no mine" if is_mine else "a mine"
    if refutation is None:
        cells = tuple(sorted({cell for constraint in grounds.constraints for cell in constraint.cells}))
        named = _name(case, cells)
        reason = f"trying every layout of {format_cells(named)} with {format_cells([case.cell])} {opposite}"
        steps: tuple[Step, ...] = (Step("contradiction", clues, named, "none agrees with the clues", reason),)
        lines = _numbered(steps)
    else:
        steps, lines = _tell(case, refutation, "")
    name = format_cells([case.cell])
    head = f"{_state(case, verdict)}. No rule suffices. {_say_clues(clues, grounds.extent, counted=counted)}"
    text = "\n".join([head, f"if {name} were {opposite}, then:", *lines, f"so {_state(case, verdict)}."])
    return Explanation(
        case.cell, verdict, "contradiction", steps, clues, counted, grounds.extent, float(is_mine), (), text
    )


def _tell(case: _Case, refutation: _Refutation, indent: str) -> tuple[tuple[Step, ...], list[str]]:
    """The steps of a refutation, and its lines: cases within cases are set in."""
    if refutation.crossing is not None:
        steps = tuple(write_contradiction(case.board, refutation.crossing))
        return steps, [indent + line for line in _numbered(steps)]
    all_steps: list[Step] = []
    lines: list[str] = []
    for branch in refutation.cases:
        assumed = branch.assumptions[-1]
        cell = _name(case, [assumed.cells.bit_length() - 1])
        name = f"{format_cells(cell)} {'is a mine' if assumed.is_lower else 'is safe'}"
        steps, told = _tell(case, branch, indent + "  ")
        all_steps += [Step("assumption", (), cell, name, "suppose"), *steps]
        lines += [f"{indent}  suppose {name}:", *told]
    return tuple(all_steps), lines


def _explain_open(case: _Case, analysis: Analysis) -> Explanation:
    """Say that a cell is not forced, and show it."""
    p_mine = float(analysis.p_mine[case.cell])
    name = format_cells([case.cell])
    risk = analysis.exact_risk(case.cell)
    if risk is not None:
        known = f"its risk is {p_mine:.2%} ({risk})"
    elif analysis.is_estimate[case.cell]:
        known = f"its risk is about {p_mine:.1%}, by estimate"
    else:
        known = "its risk is not known"
    is_decided = risk is not None or analysis.n_models is not None
    verdict: Verdict = "not forced" if is_decided else "not known"
    lines = [f"{name} is not {'forced' if is_decided else 'proven either way'}: {known}."]
    unavoidable = find_unavoidable(analysis, case.cell)
    lines += [unavoidable.text] if unavoidable is not None else []
    found = [_find_layout(case, is_mine=is_mine) for is_mine in (False, True)]
    layouts = tuple(layout for layout in found if layout is not None)
    if len(layouts) < 2:
        layouts = ()
        if not any(case.place in constraint.cells for constraint in case.constraints):
            lines.append("No open number is beside it.")
    else:
        safe, mine = (format_cells(layout) or "nowhere" for layout in layouts)
        lines += [
            "both agree with every number, among the cells tied to it by numbers:",
            f"  it is safe with mines at {safe}",
            f"  it is a mine with mines at {mine}",
        ]
    return Explanation(case.cell, verdict, None, (), (), False, None, p_mine, layouts, "\n".join(lines), unavoidable)


def _find_layout(case: _Case, *, is_mine: bool) -> tuple[Cell, ...] | None:
    if not any(case.place in constraint.cells for constraint in case.constraints):
        return None
    layout = _find_mines(case.constraints, case.place, is_mine=is_mine, total=case.total)
    return None if layout is None else _name(case, layout)


def _name(case: _Case, indices: Sequence[int]) -> tuple[Cell, ...]:
    return tuple(case.board.cell_of(index) for index in indices)


def _state(case: _Case, verdict: Verdict) -> str:
    return f"{format_cells([case.cell])} is {'a mine' if verdict == 'mine' else 'safe'}"


def _say_clues(clues: Sequence[Cell], extent: Extent, *, counted: bool) -> str:
    """Which clues force the cell, and how few they are."""
    names = [f"number{'s' if len(clues) > 1 else ''} at {format_cells(clues)}"] if clues else []
    if counted:
        names.append("the mine count")
    is_one = len(clues) + counted == 1
    note = {
        "smallest": "" if is_one else " (no fewer clues do)",
        "minimal": " (none of them can be left out)",
        "enough": "",
    }[extent]
    return f"The {' and '.join(names)} force{'s' if is_one else ''} it{note}:"


def _numbered(steps: Sequence[Step]) -> list[str]:
    return [f"  {number}. [{step.rule}] {step.text}" for number, step in enumerate(steps, start=1)]


_MAX_ROUNDS = 400  # hitting sets that are tried before a minimal set has to do
_MAX_QUESTIONS = 1_500
"""Questions asked for one cell. On expert boards a cell takes 8 ms in the median and less than 300 ms without the mine
count; with it, where nearly every number is needed, 1 to 3 s."""

_MOST_COUNTED = 1_000
"""Most cells among which the mine count may be a clue. Its clauses grow with the square: 3,600 cells took half a
minute."""

Extent = Literal["smallest", "minimal", "enough"]
"""How small a set of clues is: no set with fewer clues forces the cell; none of these clues can be left out; neither
is known."""


class _BudgetError(Exception):
    """A question takes more than its budget; never leaves this module."""


class _ClueSet(NamedTuple):
    """Constraints that together force a cell.

    Attributes:
        constraints: those of the clues, in the order given.
        total: the mine count, None when it is not needed.
        extent: what is known of the set's size.
    """

    constraints: tuple[Constraint, ...]
    total: Total | None
    extent: Extent


def _find_clues(
    constraints: Sequence[Constraint], cell: int, *, is_mine: bool, total: Total | None = None
) -> _ClueSet | None:
    """Find the clues that force a cell.

    Args:
        constraints: of one position.
        cell: the cell, under a constraint or in the total.
        is_mine: what it is.
        total: the mine count, if it may be used.

    Returns:
        The clues; the mine count counts as one. None when they do not force the cell, or not within the budget.
    """
    near = _tied_to(constraints, cell) if total is None else list(constraints)
    if total is not None and len(total.cells) > _MOST_COUNTED:
        return None
    question = _Question(near, cell, is_mine=is_mine, total=total)
    try:
        core = question.find_core()
        if core is None:
            return None
        core, is_minimal = question.thin_out(core)
        smaller = question.find_smallest(len(core))
        extent: Extent = "minimal" if is_minimal else "enough"
        if smaller is not None:
            core, extent = smaller or core, "smallest"
    finally:
        question.close()
    chosen = tuple(near[j] for j in sorted(core) if j < len(near))
    return _ClueSet(chosen, total if len(near) in core else None, extent)


def _find_mines(
    constraints: Sequence[Constraint], cell: int, *, is_mine: bool, total: Total | None = None
) -> tuple[int, ...] | None:
    """Find mines that agree with all constraints when a cell is, or is no, mine.

    Returns:
        The mines among the cells tied to it by constraints; None when there are none, or not within the budget.
    """
    near = _tied_to(constraints, cell)
    model = find_model(near if total is None else constraints, {cell: is_mine}, total)
    if model is None:
        return None
    tied = {cell, *(other for constraint in near for other in constraint.cells)}
    return tuple(sorted(other for other in tied if model[other]))


def _tied_to(constraints: Sequence[Constraint], cell: int) -> list[Constraint]:
    """The constraints tied to a cell by shared cells, nearest first."""
    over: dict[int, list[int]] = {}
    for j, constraint in enumerate(constraints):
        for other in constraint.cells:
            over.setdefault(other, []).append(j)
    found = dict.fromkeys(over.get(cell, ()))
    order = list(found)
    for j in order:
        for other in constraints[j].cells:
            for k in over[other]:
                if k not in found:
                    found[k] = None
                    order.append(k)
    return [constraints[j] for j in order]


class _Question:
    """Which constraints refute the opposite of a cell's value; constraint number `len(constraints)` is the total."""

    def __init__(self, constraints: Sequence[Constraint], cell: int, *, is_mine: bool, total: Total | None) -> None:
        self._constraints = constraints
        self._total = total
        self._cell = cell
        charted = dict.fromkeys([cell, *(other for constraint in constraints for other in constraint.cells)])
        self._variables = {other: v for v, other in enumerate(charted, start=1)}
        self._everything = range(len(constraints) + (total is not None))
        self._selectors = [len(charted) + 1 + j for j in self._everything]
        self._top = len(charted) + len(self._selectors)
        self._solver = Glucose4()
        self._n_left = _MAX_QUESTIONS
        for constraint, selector in zip(constraints, self._selectors, strict=False):
            self._add(constraint.cells, constraint.n_mines, constraint.n_mines, selector)
        if total is not None:
            # Cells under no constraint take up any slack: the count bounds the mines among the others.
            n_slack = len(total.cells) - len(charted)
            self._lo, self._hi = max(0, total.n_mines - n_slack), min(len(charted), total.n_mines)
            self._add(tuple(charted), self._lo, self._hi, self._selectors[-1])
        self._assumed = -self._variables[cell] if is_mine else self._variables[cell]

    def close(self) -> None:
        self._solver.delete()

    def _add(self, cells: Sequence[int], lo: int, hi: int, selector: int) -> None:
        """Demand `lo` to `hi` mines among cells when the selector holds."""
        literals = [self._variables[cell] for cell in cells]
        for make, n in ((CardEnc.atleast, lo), (CardEnc.atmost, hi)):
            if not 0 <= n <= len(literals):
                self._solver.add_clause([-selector])
                continue
            encoding = make(literals, n, top_id=self._top, encoding=EncType.seqcounter)
            self._top = max(self._top, encoding.nv)
            for clause in encoding.clauses:
                self._solver.add_clause([*clause, -selector])

    def _is_possible(self, chosen: Iterable[int]) -> bool | None:
        """Whether chosen constraints allow the opposite; None when the budget does not suffice to say."""
        if self._n_left <= 0:
            return None
        self._n_left -= 1
        self._solver.conf_budget(CONFLICT_BUDGET)
        answer: bool | None = self._solver.solve_limited(
            assumptions=[self._assumed, *(self._selectors[j] for j in chosen)], expect_interrupt=True
        )  # else pysat would catch Ctrl-C
        return answer

    def _model(self) -> dict[int, bool]:
        values: list[int] = self._solver.get_model()
        return {cell: values[v - 1] > 0 for cell, v in self._variables.items()}

    def find_core(self) -> list[int] | None:
        """Constraints that refute the opposite; None when they do not, or not within the budget."""
        if self._is_possible(self._everything) is not False:
            return None
        core = set(self._solver.get_core())
        return [j for j in self._everything if self._selectors[j] in core]

    def thin_out(self, core: list[int]) -> tuple[list[int], bool]:
        """Leave out what is not needed, the mine count first, then from afar; say whether that was done to the end."""
        is_complete = True
        for j in reversed(core):
            fewer = [other for other in core if other != j]
            answer = self._is_possible(fewer)
            is_complete = is_complete and answer is not None
            if answer is False:
                core = fewer
        return core, is_complete

    def find_smallest(self, n_known: int) -> list[int] | None:
        """Find fewer constraints than are known to suffice.

        Returns:
            The fewest; an empty list when there are no fewer; None when the budget does not suffice to say.
        """
        candidates = self._within(n_known - 2)
        demands: list[frozenset[int]] = []
        n = 1
        for _ in range(_MAX_ROUNDS):
            try:
                hitting = _smallest_hitting_set(demands, n, n_known - 1)
            except _BudgetError:
                return None
            if hitting is None:
                return []
            n = max(n, len(hitting))
            answer = self._is_possible(hitting)
            if answer is False:
                return sorted(hitting)
            if answer is None:
                return None
            demands.append(frozenset(candidates) - self._allowed_with(hitting, candidates))
            if not demands[-1]:
                return []
        return None

    def _within(self, n_steps: int) -> list[int]:
        """The constraints that a connected set of `n_steps` + 1 of them about the cell can reach, and the total."""
        if self._total is not None:
            return list(self._everything)
        reached, cells = set[int](), {self._cell}
        for _ in range(n_steps + 1):
            reached |= {j for j, constraint in enumerate(self._constraints) if not cells.isdisjoint(constraint.cells)}
            cells |= {cell for j in reached for cell in self._constraints[j].cells}
        return sorted(reached)

    def _allowed_with(self, chosen: Collection[int], candidates: Sequence[int]) -> set[int]:
        """Candidates, as many as can be found, that with those chosen still allow the opposite; needs a model."""
        allowed = {*chosen, *self._met_by_model(candidates)}
        for j in candidates:
            if j not in allowed and self._is_possible([*allowed, j]):
                allowed |= {j, *self._met_by_model(candidates)}
        return allowed

    def _met_by_model(self, candidates: Iterable[int]) -> set[int]:
        model = self._model()
        met = set()
        for j in candidates:
            if j == len(self._constraints):
                is_met = self._lo <= sum(model.values()) <= self._hi
            else:
                is_met = sum(model[cell] for cell in self._constraints[j].cells) == self._constraints[j].n_mines
            if is_met:
                met.add(j)
        return met


def _smallest_hitting_set(demands: Sequence[Collection[int]], least: int, most: int) -> list[int] | None:
    """A smallest set with a member of every demand.

    Args:
        demands: sets, none empty.
        least: no smaller set will do, as is already known.
        most: the largest size of use.

    Returns:
        The set; None when it has more members than `most`.

    Raises:
        _BudgetError: it takes more conflicts than the budget to say.
    """
    members = sorted({member for demand in demands for member in demand})
    variables = {member: v for v, member in enumerate(members, start=1)}
    for n in range(least, most + 1):
        with Minicard() as solver:
            for demand in demands:
                solver.add_clause([variables[member] for member in demand])
            if n < len(members):
                solver.add_atmost(list(variables.values()), n)
            solver.conf_budget(CONFLICT_BUDGET)
            answer = solver.solve_limited(expect_interrupt=True)
            if answer is None:
                raise _BudgetError
            if answer:
                values = solver.get_model() or []
                return [member for member, v in variables.items() if v <= len(values) and values[v - 1] > 0]
    return None
