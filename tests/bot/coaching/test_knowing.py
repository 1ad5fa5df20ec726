"""What the coach knows, marks and says of a position: without a screen."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from bot.coaching.drawing import NO_MARKS, Marks, mark
from bot.coaching.knowledge import CellKnowledge, answer_guess, give_reason, know, remark_on
from solver import analyse, parse_board
from solver.board import GameState
from solver.layout import FirstClick

PROVEN = """
; mines: 2
####
1221
"""
GUESS = """
; mines: 2
####
####
#1##
"""


def known(text):
    return know(parse_board(text))


@pytest.mark.parametrize("text", [PROVEN, GUESS])
def test_mark_says_what_solve_says(text):
    board = parse_board(text)
    marks, analysis = mark(know(board)), analyse(board)
    assert (marks.safe, marks.mines) == (analysis.safe, analysis.mines)
    for cell, p_mine in marks.risks.items():
        assert p_mine == analysis.p_mine[cell]
        assert 0 < p_mine < 1


def test_mark_gives_risks_on_the_frontier_only():
    marks = mark(known(GUESS))
    assert set(marks.risks) == {(1, 0), (1, 1), (1, 2), (2, 0), (2, 2)}
    assert marks.best is not None


def test_mark_everywhere_gives_the_risk_of_every_closed_cell_that_is_not_forced():
    knowledge = known(GUESS)
    closed = {cell for cell in np.ndindex(knowledge.board.shape) if knowledge.board[cell] < 0}
    assert set(mark(knowledge, everywhere=True).risks) == closed
    assert not mark(known(PROVEN), everywhere=True).risks


def test_marks_that_are_proven_stay_while_a_board_is_repainted_but_not_on_cells_that_opened():
    marks = mark(known(PROVEN))
    later = parse_board("0###\n1221")
    assert marks.still_true(later) == Marks(safe=((0, 3),), mines=((0, 1), (0, 2)))
    assert marks.still_true(parse_board("!###\n1221")).safe == ((0, 3),)


@pytest.mark.parametrize(
    ("text", "state"), [("; mines: 1\n1*\n#1", GameState.LOST), ("; mines: 1\n1#\n11", GameState.WON)]
)
def test_know_marks_nothing_once_the_game_is_over(text, state):
    knowledge = known(text)
    assert knowledge.state is state
    assert mark(knowledge) == NO_MARKS
    assert state.value in knowledge.headline


@pytest.mark.parametrize("cell", [(0, 0), (1, 2)])
def test_know_says_that_the_first_click_is_safe_where_the_clone_has_that_rule(cell):
    fresh = parse_board("; mines: 2\n####\n####\n####")
    knowledge = know(fresh, FirstClick.SAFE)
    assert knowledge.move.p_mine == 0.0
    assert "by the clone's rule for the first click" in knowledge.headline
    assert remark_on(knowledge, cell).title == "The first click is no mine"
    assert remark_on(know(fresh), cell).title == "A risk of 16.7%"
    assert remark_on(know(fresh, FirstClick.ANY), cell).title == "A risk of 16.7%"
    assert give_reason(knowledge, cell) == "It is no mine, by the clone's rule for the first click."


def test_know_says_that_a_board_contradicts_itself():
    knowledge = known("; mines: 1\n3#\n11")
    assert mark(knowledge) == NO_MARKS
    assert "contradicts itself" in knowledge.headline


def test_know_marks_what_is_proven_where_a_guess_would_need_the_mine_count():
    board = parse_board("#####\n#####\n##3##\n")  # nothing proven, no count
    knowledge = know(board)
    assert knowledge.move is None
    assert "--mines" in knowledge.headline
    assert mark(knowledge).safe == ()


@pytest.mark.parametrize(
    ("text", "cell", "verdict", "is_warning", "said"),
    [
        (PROVEN, (0, 0), CellKnowledge.SAFE, False, "Safe"),
        (PROVEN, (0, 1), CellKnowledge.MINE, True, "Do not open this cell"),
        (PROVEN.replace("####", "#F##"), (0, 1), CellKnowledge.MINE, False, "has its flag"),
        (PROVEN.replace("####", "F###"), (0, 0), CellKnowledge.SAFE, False, "take it off"),
        (GUESS, (0, 0), CellKnowledge.RISK, False, "A risk of 16.7%"),
        ("#####\n#####\n#####\n1####", (0, 0), CellKnowledge.UNKNOWN, False, "Nothing is known"),
    ],
)
def test_remark_on_a_closed_cell(text, cell, verdict, is_warning, said):
    remark = remark_on(known(text), cell)
    assert (remark.verdict, remark.is_warning) == (verdict, is_warning)
    assert said in remark.title
    assert "(" not in remark.title, "the pointer is on the cell"
    first, *_ = give_reason(known(text), cell).splitlines()
    assert "(" not in first


def answers(text, rule=None):
    """Where a guess is right `y`, where it is not `n`, where that cannot be said `.`; and all reasons."""
    knowledge = know(parse_board(text), rule)
    said = {cell: answer_guess(knowledge, cell) for cell in np.ndindex(knowledge.board.shape)}
    signs = "".join({True: "y", False: "n", None: "."}[answer.is_right] for answer in said.values())
    return signs, {answer.why for answer in said.values()}


def test_answer_guess_says_that_something_is_proven_and_not_what():
    assert answers(PROVEN) == ("nnnn....", {"a cell is proven safe", "point at a closed cell"})
    assert answers(PROVEN.replace("####", "#F##"))[0] == "nnnn....", "a flag is no evidence"


def best_openings(text):
    """The cells that win most often with the best play, by playing all layouts of a small board to their ends."""
    board = parse_board(text)
    cells = list(np.ndindex(board.shape))
    near = {cell: set(board.topology.neighbours(cell)) for cell in cells}
    seen = {cell: int(board[cell]) for cell in cells if board[cell] >= 0}
    all_layouts = [set(mines) for mines in combinations(set(cells) - set(seen), board.mines)]
    layouts = frozenset(
        frozenset(mines) for mines in all_layouts if all(len(near[cell] & mines) == seen[cell] for cell in seen)
    )

    @cache
    def n_won(is_open, possible):
        if len(is_open) + board.mines == len(cells):
            return len(possible)
        return max(n_won_by(cell, is_open, possible) for cell in cells if cell not in is_open)

    def n_won_by(cell, is_open, possible):
        groups = {}
        for mines in possible:
            if cell not in mines:
                groups.setdefault(len(near[cell] & mines), []).append(mines)
        return sum(n_won(is_open | {cell}, frozenset(group)) for group in groups.values())

    won = {cell: n_won_by(cell, frozenset(seen), layouts) for cell in cells if cell not in seen}
    return {cell for cell in won if won[cell] == max(won.values())}


@pytest.mark.parametrize(
    "text",
    [
        GUESS,
        "; mines: 4\n3####\n#####",  # around the 3 are proven mines
        "; mines: 3\n##1##\n#####",
        "; mines: 3\n1####\n####1",
    ],
)
def test_answer_guess_names_the_cells_that_win_most_and_no_others(text):
    right = best_openings(text)
    knowledge = known(text)
    assert not knowledge.analysis.safe
    for cell in np.ndindex(knowledge.board.shape):
        if knowledge.board[cell] < 0:
            answer = answer_guess(knowledge, cell)
            assert answer.is_right is (cell in right), cell
            assert answer.title.startswith("Yes: nothing is proven" if cell in right else "No: another guess is better")


def test_answer_guess_says_before_the_first_click_that_nothing_is_known():
    fresh = "; mines: 2\n####\n####\n####"
    for rule in (None, FirstClick.SAFE, FirstClick.ANY):
        assert answers(fresh, rule) == ("y" * 12, {"nothing is known before the first click"})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("; mines: 1\n1*\n#1", "the game is lost"),
        ("; mines: 1\n3#\n11", "the board contradicts itself"),
        ("#####\n#####\n##3##", "--mines"),
    ],
)
def test_answer_guess_says_why_there_is_no_answer(text, why):
    signs, reasons = answers(text)
    assert set(signs) == {"."}
    assert any(why in reason for reason in reasons)


def test_answer_guess_off_the_board_is_a_request():
    assert answer_guess(known(GUESS), None).title == "Point at a closed cell"


def test_remark_on_an_open_cell_or_a_game_that_is_over_is_none():
    assert remark_on(known(PROVEN), (1, 0)) is None
    assert remark_on(known("; mines: 1\n1*\n11"), (0, 1)) is None


@pytest.mark.parametrize(
    ("text", "cell", "sentence"),
    [
        ("01#\n12#\n1##", (2, 1), "The 1 above and to the left has no more closed cells beside it than mines."),
        ("+1#", (0, 2), "The 1 on the left already has its mine."),
        ("+2+\n###", (1, 1), "The 2 above already has its 2 mines."),
        ("####\n1221", (0, 1), "A 2 and a 1 nearby, taken together, need a mine here."),
        ("#####\n11###", (0, 2), "Two 1s nearby, taken together, leave no mine for here."),
        ("####\n0111", (0, 1), "The 0 below and to the left has no mine beside it."),
        ("####\n1221", (0, 0), "3 numbers nearby, taken together, leave no mine for here."),
        ("; mines: 1\n1###\n####\n####", (0, 3), "The mine count and 1 number prove it."),
        ("; shape: 2x2x2\n1#\n??\n??\n??", (0, 0, 1), "The 1 beside it has no more closed cells beside it than mines."),
    ],
)
def test_proof_begins_with_a_sentence_that_a_player_would_say(text, cell, sentence):
    first, proof = give_reason(know(parse_board(text)), cell).split("\n", 1)
    assert first == sentence
    assert proof.startswith(f"({','.join(map(str, cell))}) is ")


def test_50_50_is_named_in_short_and_then_with_its_cells():
    knowledge = known("; mines: 6\n#1001#\n#3113#\n++11++")
    short, *proof = give_reason(knowledge, (1, 0)).splitlines()
    assert short == "A 50/50 that nothing can decide."
    assert "A 50/50 that nothing can decide: one of (0,0) (1,0) is a mine." in proof


def test_give_reason_is_a_proof_or_why_it_is_the_best_guess():
    assert "(0,1) is a mine" in give_reason(known(PROVEN), (0, 1))
    knowledge = known(GUESS)
    assert "chances are" in give_reason(knowledge, knowledge.move.cell)
    other = next(cell for cell in mark(knowledge).risks if cell != knowledge.move.cell)
    assert "its risk is" in give_reason(knowledge, other)
