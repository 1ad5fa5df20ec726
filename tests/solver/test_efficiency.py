"""Few clicks: what is planned on boards drawn as text, and what whole games come to, beside the true mines."""

import random

import pytest

from solver import analyse, parse_board, play_game
from solver.board import FLAG, Action, GameState
from solver.efficiency import plan_clicks
from solver.game import Game
from solver.layout import Layout
from solver.simulation import Summary
from solver.strategy import FAST, STRONG, policy_named

BOARDS = [((16, 30), 99, False), ((9, 9), 10, True), ((16, 16), 40, False), ((3, 3, 3, 3), 8, False), ((40,), 7, True)]


def layouts(n_seeds, boards=BOARDS):
    for shape, mines, wrap in boards:
        for seed in range(n_seeds):
            yield Layout.random(shape, mines, random.Random(seed), first_cell=(0,) * len(shape), wrap=wrap)


def corner(layout):
    return (0,) * len(layout.shape)


def planned(text, mines, **options):
    board = parse_board(text).with_mines(mines)
    return [(move.action, move.cell) for move in plan_clicks(analyse(board), **options)]


A_FLAG_OPENS_FIVE = """
11#
#1#
###
"""


def test_plan_flags_what_the_chord_lacks_and_no_more():
    # The 1 in the corner has one closed cell beside it, the mine. A zero would leave (2,0) to be opened alone.
    assert planned(A_FLAG_OPENS_FIVE, mines=1) == [(Action.FLAG, (1, 0)), (Action.CHORD, (1, 1))]
    assert planned(A_FLAG_OPENS_FIVE.replace("#1#", "F1#"), mines=1) == [(Action.CHORD, (1, 1))]


def test_plan_opens_where_flag_and_chord_take_more_clicks():
    assert planned("11#\n#1#\n", mines=1) in ([(Action.OPEN, (0, 2))], [(Action.OPEN, (1, 2))])
    assert planned("01##\n", mines=1) == [(Action.OPEN, (0, 3))]


def test_plan_without_chords_opens_one_cell():
    ((action, _),) = planned(A_FLAG_OPENS_FIVE, mines=1, chords=False)
    assert action is Action.OPEN


def test_plan_opens_a_zero_before_its_rim():
    # The mine is at (0,2): (0,3) is a 1 that the zeros to its right open.
    ((action, cell),) = planned("01#####\n", mines=1)
    assert action is Action.OPEN
    assert cell in {(0, 4), (0, 5), (0, 6)}


def test_plan_never_chords_beside_a_wrong_flag_and_takes_it_off_at_last():
    wrong = A_FLAG_OPENS_FIVE.replace("11#", "11F")
    assert Action.CHORD not in {action for action, _ in planned(wrong, mines=1)}
    assert planned("0F\n00\n", mines=0) == [(Action.FLAG, (0, 1))]


def test_plan_of_a_single_cell_opens_it():
    assert planned("#\n", mines=0) == [(Action.OPEN, (0, 0))]


def test_plan_of_nothing_proven_is_empty():
    assert planned("###\n#1#\n###\n", mines=1) == []


@pytest.mark.parametrize("policy", [FAST, STRONG])
def test_efficient_games_end_as_the_others_do_with_the_same_guesses(policy):
    for layout in layouts(6):
        plain = play_game(layout, corner(layout), policy)
        sparing = play_game(layout, corner(layout), policy.efficient)
        assert sparing.is_won == plain.is_won
        assert [was_mine for _, was_mine in sparing.guesses] == [was_mine for _, was_mine in plain.guesses]
        assert [risk for risk, _ in sparing.guesses] == pytest.approx([risk for risk, _ in plain.guesses], rel=1e-9)


def test_planned_moves_open_no_mine_and_flag_nothing_else():
    n_chords = 0
    for layout in layouts(5):
        game = Game.on(layout)
        game.open(corner(layout))
        while not game.is_over:
            analysis = analyse(game.board)
            for move in plan_clicks(analysis):
                if move.action is Action.FLAG:
                    assert layout.has_mine[move.cell]
                    assert game.code(move.cell) != FLAG
                    game.toggle_flag(move.cell)
                    continue
                opened = game.chord(move.cell) if move.action is Action.CHORD else game.open(move.cell)
                assert opened, "a click that opens nothing is wasted"
                assert game.state is not GameState.LOST
                n_chords += move.action is Action.CHORD
            if not analysis.safe:
                game.open(FAST.choose(analysis).cell)
    assert n_chords > 100


def test_clicks_are_those_that_a_player_would_make():
    """The click count of a game, beside that of the same moves made by hand."""
    for layout in layouts(3):
        game = Game.on(layout)
        game.open(corner(layout))
        n_clicks = 1
        while not game.is_over:
            analysis = analyse(game.board)
            moves = plan_clicks(analysis) or [FAST.choose(analysis)]
            for move in moves:
                {Action.OPEN: game.open, Action.FLAG: game.toggle_flag, Action.CHORD: game.chord}[move.action](
                    move.cell
                )
            n_clicks += len(moves)
        told = play_game(layout, corner(layout), FAST.efficient)
        assert (told.n_clicks, told.bbbv) == (n_clicks, layout.bbbv)


def test_won_games_take_fewer_clicks_than_their_3bv():
    summary = Summary()
    for layout in layouts(40, [((16, 16), 40, False)]):
        summary.add(play_game(layout, corner(layout), FAST.efficient))
    mean, margin = summary.efficiency
    assert mean - margin > 1.0, "left clicks alone stay under 100 %"
    assert len(summary.efficiencies) == summary.n_won


def test_efficient_policy_has_a_name_that_finds_it():
    assert policy_named(STRONG.efficient.name) == STRONG.efficient
    assert FAST.efficient.efficient == FAST.efficient
    assert play_game(Layout.of_cells((4, 4), [(0, 0)]), (3, 3)).efficiency is None, "clicks were not counted"
