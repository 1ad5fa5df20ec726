import numpy as np
import pytest

from solver import DisagreementError, analyse, confirm, decision, parse_board, sat
from solver.constraints import Total, read_problem

BY_NUMBERS = "01#\n02#\n01#"
BY_COUNT = "; mines: 1\n#1#1#?#"
FOUR_DIMENSIONS = """
; shape: 2x3x4x4
2#20
##52
#6##
34##
##30
4#73
#7#F
#4F#
##20
##52
##63
####
##20
##52
##7F
####
##30
4#73
6###
###4
##20
3#52
45##
23#3
"""


@pytest.mark.parametrize("text", ["#0?\n1??\n#??", BY_NUMBERS, BY_COUNT, "; mines: 2\n####\n1221"])
def test_confirm_agrees_with_what_was_found(text, engine):
    confirm(analyse(parse_board(text)))


@pytest.mark.parametrize("text", [BY_NUMBERS, BY_COUNT])
def test_confirm_refuses_what_can_be_a_mine(text):
    analysis = analyse(parse_board(text))
    wrong = -analysis._proof
    object.__setattr__(analysis, "_proof", wrong)
    object.__setattr__(analysis, "p_mine", np.where(wrong.reshape(analysis.board.shape) < 0, 0.0, np.nan))
    with pytest.raises(DisagreementError, match="by proof") as caught:
        confirm(analysis)
    assert str(analysis.board) in str(caught.value)


def test_confirm_refuses_a_cell_that_was_not_found():
    with pytest.raises(DisagreementError, match="not found safe"):
        confirm(analyse(parse_board("##\n11")), [(0, 0)])


def test_confirm_asks_for_the_mine_count_only_where_it_is_needed(monkeypatch):
    asked = []
    real = sat.can_differ
    monkeypatch.setattr(sat, "can_differ", lambda *args: asked.append(args[1]) or real(*args))
    confirm(analyse(parse_board(BY_NUMBERS).with_mines(2)))
    assert asked == [None]
    confirm(analyse(parse_board(BY_COUNT)))
    assert asked[1:] == [Total((0, 2, 4, 6), 1)]


def test_confirm_asks_the_twin_about_what_the_kernel_found_where_proof_is_too_hard(monkeypatch):
    analyse(parse_board(BY_COUNT))
    monkeypatch.setattr(sat, "can_differ", lambda *args: None)
    found = analyse(parse_board(BY_COUNT))
    assert not found.is_by_twin
    assert confirm(found).safe == found.safe
    found = analyse(parse_board(BY_COUNT))
    wrong = -found._proof
    object.__setattr__(found, "_proof", wrong)
    object.__setattr__(found, "p_mine", np.where(wrong.reshape(found.board.shape) < 0, 0.0, np.nan))
    with pytest.raises(DisagreementError, match="by proof"):
        confirm(found)


def test_confirm_is_not_passed_by_a_twin_that_cannot_count(monkeypatch):
    found = analyse(parse_board(BY_COUNT))
    monkeypatch.setattr(sat, "can_differ", lambda *args: None)
    monkeypatch.setattr(decision, "analyse_exactly", lambda _board: None)
    assert confirm(found).safe == ()


def test_confirm_leaves_out_the_cells_whose_second_proof_is_too_hard(monkeypatch, twin):
    real = sat.can_differ
    analysis = analyse(parse_board("; mines: 1\n#1#1#?##?0#"))
    by_count = {cell for cell, method in analysis.methods.items() if method == "count" and cell in analysis.safe}
    monkeypatch.setattr(sat, "can_differ", lambda given, total, forced: None if total else real(given, total, forced))
    confirmed = confirm(analysis)
    assert set(confirmed.safe) == set(analysis.safe) - by_count
    assert confirmed.mines == analysis.mines
    assert by_count


def test_cells_that_are_too_hard_to_prove_together_are_proven_one_by_one(monkeypatch):
    monkeypatch.setattr(decision, "analyse_exactly", lambda _: None)
    board = parse_board(FOUR_DIMENSIONS)
    analysis = analyse(board)
    problem = read_problem(board)
    indices = [board.index_of(cell) for cell in analysis.safe]
    assert sat.can_differ(problem.constraints, None, dict.fromkeys(indices, False)) is None
    confirmed = confirm(analysis)
    assert len(analysis.safe) == 33
    assert 4 * len(confirmed.safe) > 3 * len(analysis.safe)
    for cell in confirmed.safe:
        assert sat.can_differ(problem.constraints, None, {board.index_of(cell): False}) is False


def test_hard_questions_about_single_cells_end(monkeypatch):
    asked = []
    monkeypatch.setattr(sat, "can_differ", lambda *args: asked.append(args[2]))
    monkeypatch.setattr(decision, "analyse_exactly", lambda _: None)
    assert confirm(analyse(parse_board(FOUR_DIMENSIONS))).safe == ()
    assert len(asked) == 1 + sat.MAX_UNDECIDED


def test_decide_clicks_nothing_that_only_one_engine_proves(monkeypatch, twin):
    analysis = analyse(parse_board(BY_COUNT))
    monkeypatch.setattr(sat, "can_differ", lambda *args: None)
    with pytest.raises(DisagreementError, match="too hard"):
        decision.decide(analysis)


def test_decide_clicks_nothing_when_the_engines_differ(monkeypatch):
    analysis = analyse(parse_board(BY_NUMBERS))
    choice = decision.decide(analysis)
    assert choice.move.cell == (1, 2)
    monkeypatch.setattr(sat, "can_differ", lambda *args: True)
    with pytest.raises(DisagreementError):
        decision.decide(analysis)
