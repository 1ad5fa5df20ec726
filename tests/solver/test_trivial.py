from solver import parse_board
from solver.constraints import Constraint, read_problem
from solver.exact.twin import _Contradiction, _deduce


def deduce_text(text):
    return _deduce(read_problem(parse_board(text)).constraints)


def test_deduce_follows_the_all_none_rule_to_the_end():
    forced, left, contradiction = deduce_text("#2#1#1#")
    assert forced == {0: True, 2: True, 4: False, 6: True}
    assert left == []
    assert contradiction is None


def test_deduce_leaves_what_needs_two_numbers_together():
    forced, left, contradiction = deduce_text("01#\n02#\n01#")
    assert forced == {}
    assert left == [Constraint((2, 5), 1, 1), Constraint((2, 5, 8), 2, 4), Constraint((5, 8), 1, 7)]
    assert contradiction is None


def test_deduce_merges_constraints_over_the_same_cells():
    assert deduce_text("##\n11").constraints == [Constraint((0, 1), 1, 2)]


def test_deduce_drops_forced_cells_from_what_is_left():
    forced, left, _ = deduce_text("#1?##\n???2?\n????#")
    assert forced == {0: True}
    assert left == [Constraint((3, 4, 14), 2, 8)]


def test_deduce_names_the_clue_that_cannot_be_met():
    assert deduce_text("#2#1#2#").contradiction == _Contradiction(5, 2, 1)


def test_deduce_notices_two_numbers_over_the_same_cells():
    assert deduce_text("?1?\n###\n?2?").contradiction == _Contradiction(7, 2, 3)


def test_deduce_accepts_no_constraints():
    assert _deduce([]) == ({}, [], None)
