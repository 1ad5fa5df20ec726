"""Explanations, checked without the product: the clues that are named must force the cell by themselves."""

import importlib
import json
import random
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from amounts import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import Board, BoardValueError, InconsistentError, analyse, explain, parse_board, sat
from solver.constraints import read_problem
from solver.explain import _find_clues

GOLDEN = Path(__file__).parents[1] / "golden"
POSITIONS = json.loads((GOLDEN / "positions.json").read_text())["positions"]
CLOSED = (-1, -2, -8)
MINES = (-4, -5, -7)

explain_module = importlib.import_module("solver.explain")  # the package has a function of that name


def board_of(name):
    (position,) = [position for position in POSITIONS if position["id"] == name]
    text = "\n".join(position["rows"]).translate(str.maketrans("-#", "#?"))
    return parse_board(text).with_mines(position["total_mines"])


def beside(a, b, shape, *, wrap):
    gaps = [abs(i - j) for i, j in zip(a, b, strict=True)]
    if wrap:
        gaps = [min(gap, n - gap) for gap, n in zip(gaps, shape, strict=True)]
    return a != b and max(gaps) <= 1


def can_be(board, clues, cell, *, is_mine, counted):
    """Whether some layout has that value there and agrees with these clues (and the mine count): by trying all.

    Cell by cell; a branch ends as soon as a clue has too many mines or too few cells left.
    """
    everywhere = list(np.ndindex(board.shape))
    unknown = [c for c in everywhere if board[c] in CLOSED]
    near = {clue: [c for c in everywhere if beside(clue, c, board.shape, wrap=board.wrap)] for clue in clues}
    needs = {clue: board[clue] - sum(board[c] in MINES for c in near[clue]) for clue in clues}
    groups = [({c for c in near[clue] if c in unknown}, needs[clue]) for clue in clues]
    if counted:
        groups.append((set(unknown), board.mines - sum(board[c] in MINES for c in everywhere)))
    charted = sorted(set().union({cell}, *(cells for cells, _ in groups)))

    def try_cells(values):
        for cells, n in groups:
            given = [values[c] for c in cells if c in values]
            if not sum(given) <= n <= sum(given) + len(cells) - len(given):
                return False
        left = [c for c in charted if c not in values]
        return not left or any(try_cells({**values, left[0]: value}) for value in (False, True))

    return try_cells({cell: is_mine})


def check_forced(board, cell, explanation, *, is_mine):
    assert explanation.cell == cell
    assert explanation.verdict == ("mine" if is_mine else "safe")
    assert explanation.p_mine == float(is_mine)
    assert all(board[clue] >= 0 for clue in explanation.clues)
    counted = explanation.uses_mine_count
    assert not can_be(board, explanation.clues, cell, is_mine=not is_mine, counted=counted)
    assert all(set(step.clues) <= set(explanation.clues) for step in explanation.steps)
    name = f"({','.join(map(str, cell))})"
    assert explanation.text.startswith(f"{name} is {'a mine' if is_mine else 'safe'}.")
    assert all(step.text in explanation.text for step in explanation.steps if step.rule != "assumption")
    if explanation.rule == "contradiction":
        assert "if " + name + " were " + ("no mine" if is_mine else "a mine") in explanation.text
    else:
        assert name in explanation.steps[-1].conclusion
        assert cell in explanation.steps[-1].cells


def check_extent(board, cell, explanation, *, is_mine):
    """Try all smaller sets of clues, or all with one left out."""
    counted = explanation.uses_mine_count
    numbers = [c for c in np.ndindex(board.shape) if board[c] >= 0]
    n = len(explanation.clues) + counted
    if explanation.extent == "smallest" and n > 1:
        for clues in combinations(numbers, n - 1):
            assert can_be(board, clues, cell, is_mine=not is_mine, counted=False)
        if counted:
            for clues in combinations(numbers, n - 2):
                assert can_be(board, clues, cell, is_mine=not is_mine, counted=True)
    if explanation.extent == "minimal":
        for clue in explanation.clues:
            others = [other for other in explanation.clues if other != clue]
            assert can_be(board, others, cell, is_mine=not is_mine, counted=counted)


@pytest.mark.parametrize(
    "name",
    [
        position["id"]
        for position in POSITIONS
        if position["expected"]["consistent"] and position["id"] != "md-problem4-888"
    ],
)
def test_explain_names_clues_that_force_the_golden_cell(name):
    board = board_of(name)
    analysis = analyse(board)
    for cell, is_mine in [*((c, False) for c in analysis.safe), *((c, True) for c in analysis.mines)]:
        check_forced(board, cell, explain(board, cell, analysis=analysis), is_mine=is_mine)


def test_explain_prints_the_contradiction_of_no_mine():
    explanation = explain(board_of("md-problem3"), (1, 1))
    assert explanation.text == (
        "(1,1) is a mine. No rule suffices. The numbers at (0,2) (0,4) (2,1) (2,4) (3,2) force it "
        "(no fewer clues do):\n"
        "if (1,1) were no mine, then:\n"
        "  1. [all] the 4 at (0,2) has 3 mines and needs 1 more among (0,3) (1,1), (1,1) is safe: (0,3) is a mine\n"
        "  2. [none] the 2 at (0,4) has 1 mine and needs 1 more among (0,3) (1,4), (0,3) is a mine: (1,4) is safe\n"
        "  3. [all] the 6 at (2,1) has 4 mines and needs 2 more among (1,0) (1,1) (2,2), (1,1) is safe: "
        "(1,0) (2,2) are mines\n"
        "  4. [none] the 2 at (3,2) has 1 mine and needs 1 more among (2,2) (2,3), (2,2) is a mine: (2,3) is safe\n"
        "  5. [contradiction] the 3 at (2,4) has 2 mines and needs 1 more among (1,4) (2,3), (1,4) (2,3) are safe: "
        "impossible\n"
        "so (1,1) is a mine."
    )
    assert (explanation.rule, explanation.extent) == ("contradiction", "smallest")


def test_explain_follows_both_cases_where_one_assumption_is_not_enough():
    explanation = explain(board_of("md-problem3"), (1, 0))
    assert [step.conclusion for step in explanation.steps if step.rule == "assumption"] == [
        "(0,3) is a mine",
        "(0,3) is safe",
    ]
    assert [step.rule for step in explanation.steps].count("contradiction") == 2


def test_explain_says_the_rule_and_its_cells():
    explanation = explain(board_of("md-text-33"), (1, 0))
    assert explanation.rule == "subset"
    assert explanation.clues == ((0, 1), (0, 2))
    (step,) = explanation.steps
    assert step.text == (
        "the 3 at (0,1) has 1 mine and needs 2 more among (1,0) (1,1) (1,2); "
        "the 3 at (0,2) has 2 mines and needs 1 more among (1,1) (1,2): (1,0) is a mine"
    )
    assert {explain(board_of("md-problem1"), cell).rule for cell in [(0, 0), (5, 5)]} == {"1-2"}


def test_explain_uses_the_mine_count_only_where_it_must():
    explanation = explain(board_of("qb-need-total"), (2, 2))
    assert explanation.uses_mine_count
    assert "and the mine count force it" in explanation.text
    assert explanation.steps[0].reason.startswith("the mine count of 2 leaves 1 mine for (1,1) (1,2) (2,1) (2,2)")
    far = explain(parse_board("; mines: 1\n1##\n###"), (1, 2))
    assert far.uses_mine_count
    assert not explain(parse_board("; mines: 1\n1#\n??"), (0, 1)).uses_mine_count


def test_explain_says_what_is_not_forced_and_shows_both_ways():
    explanation = explain(board_of("qb-need-total-without-count"), (1, 1))
    assert explanation.verdict == "not forced"
    assert (explanation.rule, explanation.steps, explanation.extent) == (None, (), None)
    assert "its risk is 50.00% (1/2)" in explanation.text
    assert explanation.layouts == (((1, 2), (2, 1)), ((1, 1),))
    far = explain(parse_board("; mines: 2\n1##\n###"), (0, 2))
    assert far.layouts == ()
    assert "No open number is beside it" in far.text
    assert "its risk is not known" in explain(parse_board("1##\n###"), (0, 2)).text


def test_explain_takes_arrays_wrap_and_more_dimensions():
    assert explain(np.array([[0, 1, -1], [0, 2, -1], [0, 1, -1]]), (1, 2)).verdict == "safe"
    cube = parse_board("; shape: 2x2x2\n; wrap\n1#\n??\n??\n??")
    assert explain(cube, (0, 0, 1)).text.startswith("(0,0,1) is a mine.")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ((0, 2), r"\(0,2\), which is open"),
        ((0, 0), r"\(0,0\), which is known"),
        ((4, 0), r"4x5 board, got \(4,0\)"),
        ((-1, 0), r"got \(-1,0\)"),
        ((1,), r"got \(1\)"),
    ],
)
def test_explain_refuses_a_cell_with_nothing_to_explain(cell, message):
    with pytest.raises(BoardValueError, match=message):
        explain(board_of("md-problem3"), cell)


def test_explain_refuses_a_position_that_contradicts_itself():
    with pytest.raises(InconsistentError):
        explain(parse_board("01#\n03#\n01#"), (1, 2))


def test_explain_is_honest_when_the_budget_ends(monkeypatch):
    board = board_of("md-problem3")
    monkeypatch.setattr(explain_module, "_MAX_ROUNDS", 0)
    assert explain(board, (1, 1)).extent == "minimal"
    monkeypatch.setattr(explain_module, "_MAX_QUESTIONS", 1)
    explanation = explain(board, (1, 1))
    assert explanation.extent == "enough"
    check_forced(board, (1, 1), explanation, is_mine=True)
    monkeypatch.setattr(explain_module, "_MAX_QUESTIONS", 0)
    check_forced(board, (1, 1), explain(board, (1, 1)), is_mine=True)
    monkeypatch.setattr(explain_module, "_MAX_BRANCHES", 0)
    explanation = explain(board, (1, 1))
    check_forced(board, (1, 1), explanation, is_mine=True)
    assert "trying every layout of" in explanation.text


@pytest.mark.parametrize(
    ("text", "cell", "n"),
    [
        ("#1#", (0, 0), None),
        ("1#\n??", (0, 1), 1),
        ("111\n###", (1, 0), 2),
        ("1?1\n###", (1, 1), None),
    ],
)
def test_find_clues_counts_the_fewest(text, cell, n):
    board = parse_board(text)
    problem = read_problem(board)
    analysis = analyse(board)
    is_mine = cell in analysis.mines
    found = _find_clues(problem.constraints, board.topology.index(cell), is_mine=is_mine)
    assert (None if found is None else len(found.constraints)) == n


@st.composite
def positions(draw, random_position):
    shape, wrap = draw(st.sampled_from([((4, 4), False), ((4, 4), True), ((2, 7), False), ((2, 3, 2), False)]))
    size = int(np.prod(shape))
    n_mines = draw(st.integers(1, size // 3))
    n_unknown = draw(st.integers(n_mines, min(size, 11)))
    cells, layout = random_position(draw(st.integers(0, 10**6)), shape, n_mines, n_unknown=n_unknown, wrap=wrap)
    return Board(cells, draw(st.sampled_from([None, len(layout)])), wrap)


@settings(max_examples=examples(120))
@given(data=st.data())
def test_explain_names_clues_that_force_any_cell(data, random_position):
    board = data.draw(positions(random_position))
    analysis = analyse(board)
    for cell in np.ndindex(board.shape):
        if board[cell] not in CLOSED:
            continue
        explanation = explain(board, cell, analysis=analysis)
        p_mine = analysis.exact_risk(cell)
        if p_mine in (0, 1):
            check_forced(board, cell, explanation, is_mine=p_mine == 1)
            if len(explanation.clues) <= 4:
                check_extent(board, cell, explanation, is_mine=p_mine == 1)
        else:
            assert explanation.verdict == "not forced"
            check_layouts(board, cell, explanation)


def check_layouts(board, cell, explanation):
    """Each layout agrees with the numbers about its cells."""
    for is_mine, layout in zip((False, True), explanation.layouts, strict=False):
        assert (cell in layout) is is_mine
        assert all(board[c] in CLOSED for c in layout)
        for clue in np.ndindex(board.shape):
            if board[clue] < 0 or not beside(clue, cell, board.shape, wrap=board.wrap):
                continue
            around = [c for c in np.ndindex(board.shape) if beside(clue, c, board.shape, wrap=board.wrap)]
            assert sum(c in layout or board[c] in MINES for c in around) == board[clue]


@pytest.mark.slow
def test_explain_proves_by_rules_where_the_position_is_too_wide_to_count(numbers_of):
    shape = (4, 4, 4, 4)
    rng = random.Random(6)  # too wide for the proofs as every compiler makes the SAT solver: that decides where it ends
    everywhere = list(np.ndindex(shape))
    layout = set(rng.sample(everywhere, 20))
    cells = numbers_of(layout, shape)
    for cell in everywhere:
        if cell in layout or rng.random() > 0.3:
            cells[cell] = -1
    board = Board(cells)
    analysis = analyse(board)
    constraints = read_problem(board).constraints
    undecided = sat.find_forced(constraints, [constraint.cells[:1] for constraint in constraints]).undecided
    by_rules = [cell for cell in analysis.methods if board.topology.index(cell) in undecided]
    assert by_rules
    for cell in by_rules[:3]:
        explanation = explain(board, cell, analysis=analysis)
        assert explanation.verdict == ("mine" if cell in layout else "safe")
        assert explanation.rule != "contradiction"
        assert cell in explanation.steps[-1].cells
