"""What each level proves: never what is not so, and never less than the level below."""

import json
from pathlib import Path

import numpy as np
import pytest
from amounts import examples
from chunks import in_chunks
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import LEVELS, Board, InconsistentError, analyse, deduce, parse_board
from solver.rules import list_sets, reason

GOLDEN = Path(__file__).parents[1] / "golden"
POSITIONS = json.loads((GOLDEN / "positions.json").read_text())["positions"]
GAMES = json.loads((GOLDEN / "quasarbright_tests.json").read_text())["tests"]


def board_of(name):
    (position,) = [position for position in POSITIONS if position["id"] == name]
    text = "\n".join(position["rows"]).translate(str.maketrans("-#", "#?"))
    return parse_board(text).with_mines(position["total_mines"])


def proven(board, level):
    deduction = deduce(board, level)
    return set(deduction.safe), set(deduction.mines)


@pytest.mark.parametrize(
    ("name", "weakest"),
    [
        ("qb-obvious-mine", "basic"),
        ("qb-satisfied-3", "basic"),
        ("qb-count-set", "basic"),
        ("md-problem4-888", "basic"),
        ("qb-1-1", "subset"),
        ("qb-1-2", "subset"),
        ("qb-need-total", "subset"),
        ("lisp-4x3", "subset"),
        ("md-text-33", "subset"),
        ("ps-readme-eliminate", "subset"),
        ("md-problem1", "bounds"),
        ("lisp-main-9x9", "bounds"),
        ("md-minesweep-repaired", "subset"),
        ("md-problem2", "full"),
        ("md-problem3", "full"),
    ],
)
def test_deduce_needs_this_level_for_all_of_the_golden_position(name, weakest):
    board = board_of(name)
    analysis = analyse(board)
    everything = (set(analysis.safe), set(analysis.mines))
    assert next(level for level in LEVELS if proven(board, level) == everything) == weakest


@pytest.mark.parametrize("level", ["basic", "subset", "bounds"])
def test_deduce_stops_on_md_problem3_below_full(level):
    deduction = deduce(board_of("md-problem3"), level)
    assert (deduction.safe, deduction.mines, dict(deduction.rules)) == ((), (), {})


def test_deduce_names_the_rule_of_each_cell():
    assert dict(deduce(parse_board("#2#1#"), "basic").rules) == {(0, 0): "all", (0, 2): "all", (0, 4): "none"}
    assert set(deduce(board_of("qb-1-1"), "subset").rules.values()) <= {"subset", "none", "all"}
    assert dict(deduce(board_of("md-problem3")).rules) == dict.fromkeys(
        [(0, 3), (1, 0), (1, 1), (1, 4), (2, 2), (2, 3)], "contradiction"
    )


def test_deduce_gives_the_chain_of_rules():
    steps = deduce(board_of("ps-readme-eliminate"), "subset").steps((3, 2))
    assert [(step.rule, step.cells) for step in steps] == [("subset", ((2, 2),)), ("none", ((3, 2),))]
    assert steps[0].text == (
        "the 2 at (1,1) needs 2 mines among (0,2) (1,2) (2,2); the 1 at (0,1) needs 1 mine among (0,2) (1,2): "
        "(2,2) is a mine"
    )
    assert steps[1].clues == ((0, 1), (1, 1), (3, 1))
    assert deduce(board_of("md-problem3")).steps((1, 1)) == ()


def test_deduce_never_lists_an_unreadable_cell():
    assert deduce(parse_board("!1??\n????\n??0!"), "basic").rules == {}


@pytest.mark.parametrize(
    ("text", "clues"),
    [
        ("01#\n03#\n01#", {(0, 1), (1, 1), (2, 1)}),
        ("#2#1#2#", {(0, 1), (0, 3), (0, 5)}),
        ("; mines: 3\n#1#1#", {(0, 1), (0, 3)}),
        ("; mines: 1\n#1#??#1#", {(0, 1), (0, 6)}),
    ],
)
def test_deduce_names_a_clue_of_a_contradiction(text, clues):
    with pytest.raises(InconsistentError) as caught:
        deduce(parse_board(text), "bounds")
    assert caught.value.clue in clues


def played(game, level, *, counted):
    """Open what the level proves safe until it proves no more; whether all safe cells are then open.

    A digit says that a cell is open; its number is counted.
    """
    rows = game["rows"]
    cells = {(r, c): symbol for r, row in enumerate(rows) for c, symbol in enumerate(row)}
    is_mine = {cell: symbol in "*F" for cell, symbol in cells.items()}
    codes = np.array([[{"F": -7, "?": -1, "*": -1}.get(symbol, 0) for symbol in row] for row in rows])

    def number(cell):
        return sum(is_mine.get((cell[0] + i, cell[1] + j), False) for i in (-1, 0, 1) for j in (-1, 0, 1))

    for cell, symbol in cells.items():
        if symbol.isdigit():
            codes[cell] = number(cell)
    while True:
        safe = deduce(codes, level, mines=sum(is_mine.values()) if counted else None).safe
        if not safe:
            return all(codes[cell] != -1 for cell in cells if not is_mine[cell])
        for cell in safe:
            assert not is_mine[cell]
            codes[cell] = number(cell)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game["id"])
def test_deduce_plays_the_golden_games(game):
    assert played(game, "bounds", counted=True) == (game["expected"]["with_total"] == "solved")
    assert played(game, "full", counted=False) == (game["expected"]["without_total"] == "solved")


@st.composite
def positions(draw, random_position):
    shape, wrap = draw(
        st.sampled_from([((4, 5), False), ((4, 4), True), ((3, 8), False), ((6, 6), False), ((2, 3, 3), True)])
    )
    size = int(np.prod(shape))
    n_mines = draw(st.integers(0, size // 3))
    n_unknown = draw(st.integers(n_mines, size))
    cells, layout = random_position(draw(st.integers(0, 10**6)), shape, n_mines, n_unknown=n_unknown, wrap=wrap)
    return Board(cells, draw(st.sampled_from([None, len(layout)])), wrap)


@settings(max_examples=examples(200))
@given(data=st.data())
def test_each_level_proves_only_the_truth_and_no_less_than_the_level_below(data, random_position):
    board = data.draw(positions(random_position))
    analysis = analyse(board)
    last = (set(), set())
    for level in LEVELS:
        safe, mines = proven(board, level)
        assert safe <= set(analysis.safe)
        assert mines <= set(analysis.mines)
        assert last[0] <= safe
        assert last[1] <= mines
        last = (safe, mines)
    assert last == (set(analysis.safe), set(analysis.mines))


@in_chunks("seed", range(60), 6)
def test_listed_sets_hold_in_every_layout(seed, random_position, try_all):
    wrap = seed % 2 == 1
    cells, layout = random_position(seed, (4, 4), 2 + seed % 4, n_unknown=6 + seed % 6, wrap=wrap)
    mines = len(layout) if seed % 3 else None
    board = Board(cells, mines, wrap)
    layouts = try_all(cells, mines, wrap=wrap).layouts
    listed = list_sets(reason(board, "bounds"))
    assert len({derived.cells for derived in listed}) == len(listed)
    for derived in listed:
        names = {board.topology.cell(index) for index in derived.cells}
        counts = {len(names & set(found)) for found in layouts}
        assert derived.lo <= min(counts)
        assert max(counts) <= derived.hi
        assert derived.from_
        assert (derived.lo, derived.hi) != (0, len(names))


def test_the_mine_count_hides_nothing_that_the_numbers_prove():
    board = parse_board("""
        #########
        #####322#
        #2#34#2##
        1212##222
        #1012212#
        #2100002#
        2#1011111
        #3211#100
        #2#111100
        """)
    by_numbers, by_all = deduce(board, "bounds"), deduce(board, "bounds", mines=16)
    assert (1, 2) in by_numbers.safe
    assert (2, 5) in by_numbers.mines
    assert set(by_numbers.safe) <= set(by_all.safe)
    assert set(by_numbers.mines) <= set(by_all.mines)
