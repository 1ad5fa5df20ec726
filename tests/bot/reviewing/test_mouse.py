"""Presses become clicks: the community's rules, as tables."""

from __future__ import annotations

import pytest

from bot.reviewing.mouse import CountedButton, Press, ReplayedMouse
from solver.board import Action
from solver.game import Game
from solver.layout import Layout

ROW = Layout.of_cells((1, 5), [(0, 2), (0, 4)])
"""0 1 * 2 *"""


def clicks_of(presses, **options):
    """What presses such as `lc1 lr1` make, as `double chord 1`, on a row of cells."""
    game = Game.on(ROW)
    made = []
    for click in ReplayedMouse(game, **options).iter_clicks(
        Press(n / 10, word[:2], (0, int(word[2])) if word[2:] != "-" else None)
        for n, word in enumerate(presses.split())
    ):
        action = click.action.value if click.action else "nothing"
        made.append(f"{click.button.value} {action} {click.cell[1]}")
        if click.action is Action.OPEN:
            game.open(click.cell)
        elif click.action is Action.FLAG:
            game.toggle_flag(click.cell)
        elif click.action is Action.CHORD:
            game.chord(click.cell)
    return ", ".join(made)


@pytest.mark.parametrize(
    ("presses", "clicks"),
    [
        ("lc1 lr1", "left open 1"),
        ("lc0 lr1", "left open 1"),  # where it is released
        ("rc2 rr1", "right flag 2"),  # where it is pressed
        ("lr1", ""),  # pressed before the recording began
        ("lc1 lr-", ""),  # beside the board nothing counts
        ("rc- rr-", ""),
        ("lc1 lr1 rc1 rr0", "left open 1, right nothing 1"),  # a right click on a number
        ("lc1 lr1 rc1 lc1 lr1 rr1", "left open 1, double chord 1"),  # it began a chord: no click of its own
        ("lc1 lr1 lc1 rc1 rr1 lr1", "left open 1, double chord 1"),  # the left one does nothing any more
        ("lc1 lr1 rc2 lc1 lr1 rr1", "left open 1, right flag 2, double chord 1"),  # 1.5 clicks
        ("rc2 lc1 lr1 lc1 lr1 rr1", "right flag 2, double chord 1, double chord 1"),
        ("lc1 lr1 cc1 lr1 rr1", "left open 1, double chord 1"),
        ("lc1 lr1 mc1 mr1", "left open 1, double chord 1"),
        ("lc1 mc1 lr1 mr1", "double chord 1"),  # the middle button makes the others forgotten
        ("lc1 lr1 sc1 lr1", "left open 1, double chord 1"),
        ("pf2 pf2", "right flag 2, right flag 2"),
        ("lc2 lr2 lc1 lr1", "left open 2"),  # the game is over
    ],
)
def test_mouse_makes_of_presses(presses, clicks):
    assert clicks_of(presses) == clicks


def test_mouse_chords_by_left_where_the_game_does():
    assert clicks_of("lc1 lr1 lc1 lr1", chords_by_left=True) == "left open 1, double chord 1"
    assert clicks_of("lc1 lr1 lc1 lr1") == "left open 1, left open 1"


def test_mouse_question_mark_is_between_flag_and_nothing():
    thrice = "rc2 rr2 rc2 rr2 rc2 rr2"
    assert clicks_of(thrice, has_question_marks=True) == "right flag 2, right flag 2, right nothing 2"
    assert clicks_of(thrice) == "right flag 2, right flag 2, right flag 2"
    assert clicks_of(f"mt- {thrice}") == clicks_of(thrice, has_question_marks=True)


def test_mouse_counts_by_button():
    assert [button.value for button in CountedButton] == ["left", "right", "double"]
