"""The books of a burst: what is to be clicked, what is under way, what was lost. Boards as text, times as told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_readings import reading_of

from bot.playing.clicks import HIDDEN_S, MOST_AHEAD, ClickPace, ClickQueue
from bot.playing.decide import Decision
from solver.board import Action, Move

SKIN_S = 0.2
CLOSED_BOARD = "1####\n#####\n"
"""Decided on; with 3 mines."""
ROW = [(0, 1), (0, 2), (0, 3), (0, 4)]


def seen(text):
    return reading_of(text, 3)


def opening(cells):
    return [Move(Action.OPEN, cell) for cell in cells]


def slow_pace(n_ahead, most_ahead=MOST_AHEAD):
    """The pace of a clone that may be clicked so far ahead; its clicks count as lost after `SKIN_S`."""
    pace = ClickPace(SKIN_S, most_ahead)
    for _ in range(6 * (n_ahead - 1)):
        pace.had_effect(0.06, 1)
    assert pace.n_ahead == n_ahead
    return pace


def burst_of(moves, *, pace=None, alone=(), decided_on=CLOSED_BOARD):
    return ClickQueue(moves, seen(decided_on), pace or ClickPace(SKIN_S), frozenset(alone))


def click_next(burst, at_s):
    """Click what is next; returns its cell, None where something is to be waited for."""
    task = burst.next()
    if task is None:
        return None
    burst.clicked(task, at_s)
    return task.move.cell


def left(burst):
    return [move.cell for move in burst.left()]


# --- one click at a time


def test_burst_goes_from_move_to_move_as_each_takes_effect():
    burst = burst_of(opening(ROW[:2]))
    assert (burst.is_over, burst.is_quiet, left(burst)) == (False, True, ROW[:2])
    assert click_next(burst, 0.0) == (0, 1)
    assert (burst.is_quiet, click_next(burst, 0.001)) == (False, None)
    burst.see(seen(CLOSED_BOARD), 0.01)
    assert (burst.is_quiet, click_next(burst, 0.01)) == (False, None)
    burst.see(seen("11###\n#####\n"), 0.02)
    assert (burst.is_quiet, burst.is_over) == (True, False)
    assert click_next(burst, 0.02) == (0, 2)
    burst.see(seen("111##\n#####\n"), 0.03)
    assert (burst.is_quiet, burst.is_over, left(burst)) == (True, True, [])


def test_burst_without_moves_is_over():
    burst = burst_of([])
    assert burst.is_over
    assert burst.next() is None


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [
        (Action.OPEN, "1####\n#####\n", "12###\n#####\n"),
        (Action.OPEN, "1####\n#####\n", "1X###\n#####\n"),
        (Action.FLAG, "1####\n#####\n", "1F###\n#####\n"),
        (Action.FLAG, "1F###\n#####\n", "1####\n#####\n"),
        (Action.OPEN, "1####\n#####\n", "1F###\n#####\n"),
    ],
)
def test_burst_move_is_done_when_its_cell_is_something_else(action, before, after):
    burst = burst_of([Move(action, (0, 1))], decided_on=before)
    click_next(burst, 0.0)
    burst.see(seen(before), 0.01)
    assert not burst.is_over
    burst.see(seen(after), 0.02)
    assert burst.is_over


def test_burst_change_of_another_cell_is_no_effect():
    burst = burst_of(opening(ROW[:1]))
    click_next(burst, 0.0)
    burst.see(seen("1#11#\n1####\n"), 0.01)
    assert not burst.is_quiet


# --- lost clicks


def test_burst_lost_click_is_made_again_before_all_others():
    burst = burst_of(opening(ROW[:2]))
    click_next(burst, 1.0)
    burst.see(seen(CLOSED_BOARD), 1.0 + SKIN_S - 0.001)
    assert burst.next() is None
    burst.see(seen(CLOSED_BOARD), 1.0 + SKIN_S + 0.001)
    assert burst.is_quiet
    task = burst.next()
    assert (task.move.cell, task.n_clicks, task.first_s, task.clicked_s) == ((0, 1), 1, 1.0, 1.0)
    burst.clicked(task, 1.3)
    assert (task.n_clicks, task.first_s, task.clicked_s) == (2, 1.0, 1.3)
    burst.see(seen(CLOSED_BOARD), 1.3 + 2 * SKIN_S - 0.001)
    assert burst.next() is None, "the second try is given twice the time"
    burst.see(seen(CLOSED_BOARD), 1.3 + 2 * SKIN_S + 0.001)
    assert burst.next() is task


def test_burst_lost_clicks_are_made_again_in_their_order():
    burst = burst_of(opening(ROW), pace=slow_pace(4), alone=ROW)
    assert [click_next(burst, 0.01 * n) for n in range(3)] == ROW[:3]
    burst.see(seen(CLOSED_BOARD), 1.0)
    assert left(burst) == ROW
    assert click_next(burst, 1.0) == (0, 1)


def test_burst_click_that_was_lost_and_took_effect_late_is_not_made_again():
    burst = burst_of(opening(ROW[:2]))
    click_next(burst, 0.0)
    burst.see(seen(CLOSED_BOARD), SKIN_S)
    burst.see(seen("11###\n#####\n"), SKIN_S + 0.01)
    assert click_next(burst, 0.3) == (0, 2)


def test_burst_tells_the_pace_what_became_of_its_clicks():
    class Heard:
        n_ahead = 8

        def __init__(self):
            self.told = []
            self.costs = []

        def took(self, action, seconds, *, is_again):
            self.costs.append((action, pytest.approx(seconds), is_again))

        def had_effect(self, after_s, n_tries):
            self.told.append(("effect", pytest.approx(after_s), n_tries))

        def was_lost(self):
            self.told.append("lost")

        def patience_s(self, n_tries):
            return 0.1 * n_tries

    pace = Heard()
    burst = burst_of(opening(ROW[:3]), pace=pace, alone=ROW)
    for n in range(2):
        click_next(burst, n)
    burst.see(seen("11###\n#####\n"), 1.05)
    assert pace.told == [("effect", 1.05, 1)]
    burst.see(seen("11###\n#####\n"), 1.2)
    assert pace.told[1:] == ["lost"]
    click_next(burst, 2.0)
    burst.see(seen("111##\n#####\n"), 2.15)
    assert pace.told[2:] == [("effect", 0.15, 2)]
    burst.note_ready(2.2)
    burst.note_ready(9.0)
    assert pace.costs == [(Action.OPEN, 1.0, False), (Action.OPEN, 1.0, False), (Action.OPEN, 0.2, True)]


# --- hidden cells


def test_burst_clicked_cell_in_an_animation_is_waited_for():
    burst = burst_of(opening(ROW[:1]))
    click_next(burst, 0.0)
    burst.see(seen("1!###\n#####\n"), HIDDEN_S - 0.01)
    assert not burst.is_quiet
    burst.see(seen("11###\n#####\n"), HIDDEN_S)
    assert burst.is_over


def test_burst_cell_that_stays_hidden_counts_as_lost_in_the_end():
    burst = burst_of(opening(ROW[:1]))
    click_next(burst, 0.0)
    burst.see(seen("1!###\n#####\n"), HIDDEN_S + 0.01)
    assert burst.is_quiet
    assert left(burst) == ROW[:1]


def test_burst_queued_cell_that_is_hidden_is_not_taken_for_done():
    burst = burst_of(opening(ROW[:1]))
    burst.see(seen("1!###\n#####\n"), 0.0)
    assert left(burst) == ROW[:1]


# --- floods


def test_burst_flood_takes_all_it_opened_from_the_queue():
    burst = burst_of(opening([(1, 1), *ROW, (1, 4)]))
    click_next(burst, 0.0)
    burst.see(seen("1001#\n1001#\n"), 0.01)
    assert burst.next().move.cell == (0, 4)
    assert left(burst) == [(0, 4), (1, 4)]


def test_burst_person_who_opened_the_rest_ends_it():
    burst = burst_of(opening(ROW[:2]))
    burst.see(seen("112##\n#####\n"), 0.0)
    assert burst.is_over


# --- clicks ahead


def test_burst_clicks_ahead_as_far_as_the_pace_allows():
    burst = burst_of(opening(ROW), pace=slow_pace(3), alone=ROW)
    assert [click_next(burst, 0.001 * n) for n in range(4)] == [*ROW[:3], None]
    burst.see(seen("1#2##\n#####\n"), 0.06)
    assert click_next(burst, 0.06) == (0, 4)
    assert sorted(left(burst)) == [(0, 1), (0, 3), (0, 4)]


@pytest.mark.parametrize("joins", range(4))
def test_burst_nothing_is_clicked_after_a_cell_that_may_open_others_until_it_is_seen(joins):
    alone = [cell for n, cell in enumerate(ROW) if n != joins]
    burst = burst_of(opening(ROW), pace=slow_pace(5), alone=alone)
    assert [click_next(burst, 0.001 * n) for n in range(5)] == ROW[: joins + 1] + [None] * (4 - joins)
    assert burst.may_have_flooded
    burst.see(seen("11111\n#####\n"), 0.06)
    assert burst.is_over


def test_burst_cell_that_may_open_others_is_one_look_from_what_follows():
    burst = burst_of(opening(ROW), pace=slow_pace(5), alone=[ROW[0], *ROW[2:]])
    assert [click_next(burst, 0.001 * n) for n in range(3)] == [*ROW[:2], None]
    burst.see(seen("1#1##\n#####\n"), 0.06)
    assert not burst.is_quiet
    assert click_next(burst, 0.06) == ROW[2]
    assert not burst.may_have_flooded


@pytest.mark.parametrize("action", [Action.FLAG, Action.CHORD])
def test_burst_only_openings_are_clicked_ahead(action):
    first, last = Move(Action.OPEN, (0, 1)), Move(action, (0, 0) if action is Action.CHORD else (0, 2))
    for moves in ([first, last], [last, first]):
        burst = burst_of(moves, pace=slow_pace(5), alone=[(0, 0), *ROW])
        assert click_next(burst, 0.0) == moves[0].cell
        assert click_next(burst, 0.0) is None
        assert not burst.wants_more


# --- more that is proven meanwhile


def test_burst_wants_more_where_all_is_clicked_and_one_more_could_be():
    burst = burst_of(opening(ROW[:3]), pace=slow_pace(3), alone=ROW[:3])
    for n in range(3):
        assert not burst.wants_more
        click_next(burst, 0.001 * n)
    assert not burst.wants_more, "no more may be under way"
    burst.see(seen("11###\n#####\n"), 0.06)
    assert burst.wants_more


def test_burst_wants_nothing_while_a_cell_that_may_open_others_is_under_way():
    burst = burst_of(opening(ROW[:1]), pace=slow_pace(3))
    click_next(burst, 0.0)
    assert not burst.wants_more


def test_burst_that_is_given_more_clicks_nothing_twice():
    burst = burst_of(opening(ROW[:2]), pace=slow_pace(3), alone=ROW[:2])
    click_next(burst, 0.0)
    click_next(burst, 0.001)
    now = seen("11###\n#####\n")
    burst.see(now, 0.06)
    burst.add(Decision(opening(ROW[1:])), now)
    assert left(burst) == ROW[1:]
    assert [click_next(burst, 0.06) for _ in range(2)] == [ROW[2], None]
    assert burst.may_have_flooded, "nothing was said of that cell"


# --- chords


def test_burst_chord_is_done_when_any_cell_beside_it_opens():
    burst = burst_of([Move(Action.CHORD, (0, 1))], decided_on="F2###\n#####\n")
    click_next(burst, 0.0)
    burst.see(seen("F2##1\n#####\n"), 0.01)
    assert not burst.is_over, "that cell is not beside it"
    burst.see(seen("F2#1#\n#####\n"), 0.02)
    assert not burst.is_over
    burst.see(seen("F22##\n#####\n"), 0.03)
    assert burst.is_over


def test_burst_chord_is_still_to_be_made_when_the_flags_it_needs_are_up():
    moves = [Move(Action.FLAG, (0, 0)), Move(Action.FLAG, (1, 0)), Move(Action.CHORD, (0, 1))]
    burst = burst_of(moves, decided_on="#2###\n#####\n")
    click_next(burst, 0.0)
    burst.see(seen("F2###\n#####\n"), 0.01)
    click_next(burst, 0.01)
    burst.see(seen("F2###\nF####\n"), 0.02)
    assert click_next(burst, 0.02) == (0, 1)
    burst.see(seen("F2###\nF####\n"), 0.03)
    assert not burst.is_over
    burst.see(seen("F21##\nF11##\n"), 0.04)
    assert burst.is_over


def test_burst_chord_is_still_to_be_made_when_some_of_its_cells_are_open():
    chord = Move(Action.CHORD, (0, 1))
    burst = burst_of([chord], decided_on="F2###\nF####\n")
    burst.see(seen("F21##\nF####\n"), 0.0)
    assert click_next(burst, 0.0) == (0, 1)
    burst.see(seen("F21##\nF####\n"), 0.01)
    assert not burst.is_over
    burst.see(seen("F21##\nF1###\n"), 0.02)
    assert burst.is_over


def test_burst_chord_whose_cells_are_all_open_is_not_made():
    burst = burst_of([Move(Action.CHORD, (0, 1))], decided_on="F2###\nF####\n")
    burst.see(seen("F21##\nF11##\n"), 0.0)
    assert burst.is_over


# --- whatever happens


@st.composite
def stories(draw):
    """Cells to open, which of them open alone, and what becomes of each click: after how long, None for lost."""
    n_cells = draw(st.integers(1, 9))
    alone = draw(st.sets(st.integers(0, n_cells - 1)))
    fates = draw(st.lists(st.one_of(st.none(), st.floats(0.0, 0.15)), min_size=30, max_size=30))
    return n_cells, alone, fates, draw(st.integers(1, 8))


@given(stories())
def test_burst_books_are_kept_whatever_becomes_of_clicks(story):
    n_cells, alone, fates, n_ahead = story
    cells = [(0, n + 1) for n in range(n_cells)]
    pace = slow_pace(n_ahead)
    decided_on = reading_of("1" + "#" * (n_cells + 1) + "\n", 1)
    burst = ClickQueue(opening(cells), decided_on, pace, frozenset(cells[n] for n in alone))
    opens_at, n_clicks, now, first_clicks, waiting = {}, 0, 0.0, [], set()
    while not burst.is_over:
        now += 0.03
        is_open = {cell for cell, at_s in opens_at.items() if at_s <= now}
        text = "1" + "".join("1" if cell in is_open else "#" for cell in cells) + "#\n"
        burst.see(reading_of(text, 1), now)
        assert set(left(burst)) >= {cell for cell in cells if cell not in is_open}
        waiting = {cell for cell in waiting if cell not in is_open}
        task = burst.next()
        if task is not None:
            cell = task.move.cell
            assert cell not in is_open, "an open cell would be clicked"
            fate = fates[n_clicks] if n_clicks < len(fates) else 0.0
            n_clicks += 1
            if fate is not None and cell not in opens_at:
                opens_at[cell] = now + fate
            first_clicks += [cell] if task.n_clicks == 0 else []
            burst.clicked(task, now)
        assert now < 60.0, "it never ends"
    assert first_clicks == cells, "each was clicked, in their order"
    assert set(opens_at) == set(cells)
