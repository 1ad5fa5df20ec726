"""What is decided of a reading: boards drawn as text."""

from __future__ import annotations

import numpy as np
import pytest

from bot.models import Grid, Pixel, Reading
from bot.playing.decide import Prices, Style, decide_moves
from skins.skin import FIRST_CLICKS
from solver.board import Action, parse_board
from solver.errors import InconsistentError
from solver.layout import FirstClick
from solver.prospects import chances_of_number


def reading_of(text, mines):
    board = parse_board(text).with_mines(mines)
    grid = Grid(Pixel(0, 0), (16, 16), *board.shape)
    return Reading("classic", grid, board, np.ones(board.shape), (), board.state)


def test_decide_opens_zeros_first_then_the_nearest_each_time():
    # The cell in the middle of the ones is the only mine.
    moves = decide_moves(reading_of("1110\n1#10\n1110\n####\n####\n####\n", mines=1)).moves
    cells = [move.cell for move in moves]
    assert cells[0] == (3, 0), "of the zeros one is enough: it opens the others"
    assert sorted(cells) == [(row, col) for row in (3, 4, 5) for col in range(4)]
    assert {move.action for move in moves} == {Action.OPEN}
    assert {move.p_mine for move in moves} == {0.0}
    assert not any(move.is_guess for move in moves)


@pytest.mark.parametrize(("rule", "cell"), [("safe", (0, 0)), ("zero", (2, 2)), ("moved-to-corner", (8, 8))])
def test_decide_begins_by_the_rule_for_the_first_click(rule, cell):
    (move,) = decide_moves(reading_of("#########\n" * 9, mines=10), Style(first_click=FirstClick(rule))).moves
    assert (move.cell, move.p_mine, move.is_guess) == (cell, 0.0, True)
    flagged = "#########\n" * 8 + "F########\n"
    (move,) = decide_moves(reading_of(flagged[::-1].lstrip(), mines=10), Style(first_click=FirstClick.MOVED)).moves
    assert (move.action, move.cell) == (Action.OPEN, (8, 8))


def test_decide_guesses_by_the_rule_where_the_first_cell_is_known():
    seen, style = reading_of("########\n" * 7 + "#######1\n", mines=10), Style(first_click=FirstClick.MOVED)
    known = decide_moves(seen, style, start=(7, 7)).analysis
    assert known.p_mine[0, 0] > 0.25
    for start in (None, (0, 7)):  # taken up in its middle; somebody else has opened another cell
        unknown = decide_moves(seen, style, start=start).analysis
        assert unknown.p_mine[0, 0] == pytest.approx(unknown.p_mine[0, 5])


def test_words_of_skins_are_the_rules_of_the_solver():
    assert [rule.value for rule in FirstClick] == list(FIRST_CLICKS)


def test_sure_numbers_are_the_safe_cells_that_no_layout_makes_a_0():
    # Of the safe cells one is beside the proven mine, and one beside all cells that the 1 in the first row leaves.
    reading = reading_of("#1###\n#####\n12###\n", mines=4)
    decision = decide_moves(reading)
    assert (decision.analysis.safe, decision.analysis.mines) == (((0, 0), (0, 2), (1, 2)), ((2, 2),))
    assert decision.sure_numbers == {(0, 0), (1, 2)}
    assert [chances_of_number(reading.board, cell)[0] > 0 for cell in decision.analysis.safe] == [False, True, False]


def test_decide_never_mixes_a_guess_with_safe_cells():
    moves = decide_moves(reading_of("1#1\n111\n###\n###\n", mines=2)).moves
    assert moves
    assert not any(move.is_guess for move in moves)


def test_decide_guess_is_single_and_tells_its_risk():
    (move,) = decide_moves(reading_of("###\n###\n###\n", mines=3)).moves
    assert move.action is Action.OPEN
    assert move.is_guess
    assert move.p_mine == pytest.approx(1 / 3)


def test_decide_guess_is_the_one_that_wins_most():
    # The ones leave one mine to their two neighbours, and no other cell can tell which: the toss comes first, as what
    # it opens tells of the two mines among the other eight closed cells. Those have a risk of 2 / 8 each.
    (move,) = decide_moves(reading_of("1#####\n1#####\n", mines=3)).moves
    assert move.cell[1] == 1
    assert move.p_mine == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    ("text", "mines"),
    [("1#\n11\n", 1), ("1F\n11\n", 1), ("1X\n##\n", 1), ("1*\n#X\n", 2), ("1x\n##\n", 1)],
    ids=["won", "won and flagged", "lost", "lost and shown", "lost by a wrong flag"],
)
def test_decide_nothing_when_the_game_is_over(text, mines):
    assert decide_moves(reading_of(text, mines)).moves == []


@pytest.mark.parametrize(
    ("text", "mines"),
    [("3##\n###\n###\n8##\n", 5), ("1#2\n111\n###\n", 2), ("1####\n", 5), ("111\n1!1\n1##\n", 0)],
    ids=["8 with 3 neighbours", "1 and 2 over one cell", "mine count", "no mines"],
)
def test_decide_contradiction_is_an_error(text, mines):
    with pytest.raises(InconsistentError):
        decide_moves(reading_of(text, mines))


def test_decide_takes_a_flag_off_before_its_cell_is_opened():
    moves = decide_moves(reading_of("1#1\n111\n##F\n###\n", mines=1)).moves
    assert {move.cell: move.action for move in moves if move.cell[0] == 2} == {
        (2, 0): Action.OPEN,
        (2, 1): Action.OPEN,
        (2, 2): Action.FLAG,
    }
    assert not any(move.is_guess for move in moves)


def test_decide_plays_on_from_the_candidates_when_it_has_time_to_think():
    rows = ["#########", "##212####", *["#########"] * 7]
    (quick,) = decide_moves(reading_of("\n".join(rows), mines=14)).moves
    (thought,) = decide_moves(reading_of("\n".join(rows), mines=14), Style(think_s=1.0)).moves
    assert "the best click after it" in quick.why
    assert "games played on from here" in thought.why
    assert thought.is_guess


def test_decide_guesses_by_what_a_number_may_be_that_is_seen_and_not_read():
    text = "######\n#{}####\n######\n######\n######\n"
    reading = reading_of(text.format("?"), mines=8)
    positions = [reading_of(text.format(number), mines=8).board for number in (6, 7, 8)]
    (ignoring,), (weighing,) = decide_moves(reading).moves, decide_moves(reading, positions=positions).moves
    beside = set(reading.board.topology.neighbours((1, 1)))
    assert ignoring.p_mine > 0.2, "as if the number were not there"
    assert weighing.cell not in beside
    assert weighing.is_guess
    assert weighing.p_mine < 0.1
    proven = decide_moves(reading_of("1110\n1#10\n1110\n####\n", 1), positions=positions)
    assert not any(move.is_guess for move in proven.moves)


def test_decide_saves_clicks_where_that_is_asked_for():
    text = "11#\n#1#\n###\n"
    sparing = Style(chords=True, efficient=True)
    assert [(move.action, move.cell) for move in decide_moves(reading_of(text, mines=1), sparing).moves] == [
        (Action.FLAG, (1, 0)),
        (Action.CHORD, (1, 1)),
    ]
    (alone,) = decide_moves(reading_of(text, mines=1), Style(efficient=True)).moves
    assert alone.action is Action.OPEN, "a clone without chords"
    (guess,) = decide_moves(reading_of("###\n###\n###\n", mines=3), sparing).moves
    assert guess.is_guess


def test_decide_flags_for_a_chord_cost_nothing_where_every_mine_is_flagged_in_the_end():
    text = "1#1##\n111##\n"
    actions = {
        flags_to_win: {move.action for move in decide_moves(reading_of(text, mines=2), style).moves}
        for flags_to_win in (False, True)
        for style in [Style(chords=True, flags_to_win=flags_to_win)]
    }
    assert actions == {False: {Action.OPEN}, True: {Action.FLAG, Action.CHORD}}


def test_decide_takes_no_chord_that_costs_more_than_it_saves():
    text = "1F1##\n111##\n111##\n1#1##\n"
    for price, is_chorded in ((1.0, True), (4.0, False)):
        moves = decide_moves(reading_of(text, mines=4), Style(chords=True, prices=Prices(chord=price))).moves
        assert any(move.action is Action.CHORD for move in moves) is is_chorded
