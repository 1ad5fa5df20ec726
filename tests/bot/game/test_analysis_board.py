"""The analysis board's model: painting, what if, undo, the stations of a review, contradictions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from bot.errors import UsageError
from bot.game.analysis_board import AnalysisBoard, Station
from bot.game.sizes import BoardSize
from solver import SolverError, parse_board
from solver.board import CLOSED, FLAG

ROW = """
; mines: 2
##1##
#####
"""


def board_of(text):
    return AnalysisBoard(parse_board(text))


def count_numbers(board, cell):
    """By trying every layout: how often the cell shows each number, out of how many layouts; -1 for a mine."""
    closed = [tuple(c) for c in np.argwhere(board.cells < 0).tolist()]
    near = {c: set(board.topology.neighbours(c)) for c in np.ndindex(*board.shape)}
    counts = {}
    for mines in map(set, combinations(closed, board.mines)):
        if all(len(near[c] & mines) == board[c] for c in near if board[c] >= 0):
            shown = -1 if cell in mines else len(near[cell] & mines)
            counts[shown] = counts.get(shown, 0) + 1
    return counts, sum(counts.values())


def test_paint_changes_what_is_known():
    model = board_of("; mines: 1\n###\n###\n")
    assert np.allclose(model.known.analysis.p_mine, 1 / 6)
    assert model.paint((0, 0), 0)
    assert set(model.known.analysis.safe) == {(0, 1), (1, 0), (1, 1)}
    assert not model.paint((0, 0), 0)


def test_undo_and_redo_go_through_every_position():
    model = board_of(ROW)
    first = model.board
    model.paint((0, 0), 1)
    second = model.board
    model.paint((1, 4), FLAG)
    assert model.undo()
    assert model.board == second
    assert model.undo()
    assert model.board == first
    assert not model.undo()
    assert model.redo()
    assert model.board == second
    model.paint((0, 4), 0)
    assert not model.redo()


def test_undo_takes_a_whole_stroke_back():
    model = board_of(ROW)
    first = model.board
    for cell, is_joined in (((1, 0), False), ((1, 1), True), ((1, 2), True)):
        model.paint(cell, FLAG, is_joined=is_joined)
    assert (model.board.cells == FLAG).sum() == 3
    assert model.undo()
    assert model.board == first


def test_a_contradiction_names_a_number_of_it():
    model = board_of("; mines: 2\n8##\n###\n")
    assert model.known.analysis is None
    assert model.known.clue == (0, 0)
    assert "(0,0)" in model.known.problem


def test_without_a_mine_count_a_guess_says_how_to_give_it():
    model = board_of("##1##\n#####\n")
    assert model.known.advice is None
    assert "Ctrl+M" in model.known.problem
    model.resize(BoardSize((2, 5), 2))
    assert model.known.advice.move is not None
    assert model.board[0, 2] == 1


@pytest.mark.parametrize("cell", [(0, 1), (1, 0), (1, 4)])
def test_chances_are_those_of_all_layouts(cell):
    model = board_of(ROW)
    counts, total = count_numbers(model.board, cell)
    chances = model.chances(cell)
    assert {n: Fraction(c).limit_denominator(1000) for n, c in enumerate(chances) if c} == {
        n: Fraction(count, total) for n, count in counts.items() if n >= 0
    }


def test_what_if_remembers_what_was_assumed_and_how_likely_it_was():
    model = board_of(ROW)
    counts, total = count_numbers(model.board, (1, 0))
    model.open_as((1, 0), 1)
    then, total_then = count_numbers(model.board, (1, 4))
    model.open_as((1, 4), 1)
    assert [(one.cell, one.number) for one in model.assumed] == [((1, 0), 1), ((1, 4), 1)]
    assert model.odds == pytest.approx(counts[1] / total * then[1] / total_then)
    model.undo()
    assert model.odds == pytest.approx(counts[1] / total)
    model.undo()
    assert model.assumed == ()


def test_what_if_refuses_what_cannot_be_and_says_what_can():
    model = board_of("; mines: 1\n1#\n##\n")
    with pytest.raises(UsageError, match=r"\(1,1\) cannot show 0; possible: 1"):
        model.open_as((1, 1), 0)
    with pytest.raises(UsageError, match="not closed"):
        model.open_as((0, 0), 1)
    unknown = board_of("1#\n##\n")
    with pytest.raises(UsageError, match="cannot show 3"):
        unknown.open_as((1, 1), 3)
    assert unknown.undo() is False


def test_resize_keeps_the_cells_that_both_have():
    model = board_of(ROW)
    model.resize(BoardSize((3, 3), 4))
    assert model.board == parse_board("; mines: 4\n##1\n###\n###\n")
    model.clear()
    assert (model.board.cells == CLOSED).all()
    model.undo()
    model.undo()
    assert model.board == parse_board(ROW)


def test_reason_of_a_forced_cell_names_the_number_that_forces_it():
    model = board_of("; mines: 1\n1#\n")
    reason = model.reason((0, 1))
    assert reason.clues == ((0, 0),)
    assert "mine" in reason.text
    assert model.describe((0, 1)) == "(0,1): proven a mine"
    assert model.describe((0, 0)) == "(0,0): an open 1"
    assert model.reason((0, 0)).text == ""


def test_describe_tells_the_risk():
    assert board_of("; mines: 1\n####\n").describe((0, 2)) == "(0,2): risk 25.00%"


def test_stations_are_gone_through_and_painting_one_can_be_undone():
    boards = [parse_board(f"; mines: 1\n{row}\n") for row in ("####", "0###", "00##")]
    model = AnalysisBoard(boards[0], [Station(board, str(n), (0, n)) for n, board in enumerate(boards)])
    model.go_to(1)
    assert (model.station, model.board) == (1, boards[1])
    model.paint((0, 3), FLAG)
    assert model.station == 1
    model.go_to(10**9)
    assert (model.station, model.board) == (2, boards[2])
    model.undo()
    assert model.board[0, 3] == FLAG
    model.go_to(1)
    assert model.board == boards[1]
    model.go_to(-5)
    assert model.station == 0


def test_reason_of_a_guess_tells_what_the_cell_would_show():
    model = board_of(ROW)
    counts, total = count_numbers(model.board, (1, 4))
    told = ", ".join(f"{n}: {counts[n] / total:.1%}" for n in sorted(counts) if n >= 0)
    assert f"It would show {told}." in model.reason((1, 4)).text
    risk = Fraction(counts[-1], total)
    assert model.describe((1, 4), is_exact=True) == f"(1,4): risk {float(risk):.2%} ({risk})"


def test_reason_of_a_guess_beside_numbers_lists_no_layouts():
    reason = board_of(ROW).reason((1, 2))
    assert reason.text.endswith("\nIts numbers allow a mine there, and none.")
    assert reason.text.count("\n") == 1


def test_reason_says_of_which_guess_nothing_is_learned():
    model = board_of("; mines: 1\n?#1#?\n")
    assert model.reason((0, 1)).text.startswith("If it is safe it shows 0: opening it tells nothing new.")
    assert "It would show" not in board_of("##1##\n#####\n").reason((1, 4)).text, "not known without a mine count"


def test_mines_are_added_and_taken_away_as_far_as_they_can_be():
    model = board_of(ROW)
    before = model.known.analysis.p_mine.copy()
    model.add_mines(1)
    assert model.board.mines == 3
    assert (model.known.analysis.p_mine >= before)[1, 4]
    model.undo()
    assert model.board.mines == 2
    with pytest.raises(SolverError, match="expected 0 to"):
        model.add_mines(-3)
    unknown = board_of("##1##\n")
    unknown.add_mines(1)
    assert unknown.board.mines == 1
