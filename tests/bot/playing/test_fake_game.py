"""The fake game itself: it listens, hangs, loses and paints late as it is told to, at the times it is told to."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from desktop_hands import CORNER, cells_seen, click, middle, shows_truth
from fake_desktop import CoverKind, FakeDesktop, Faults, HangError, Target

from bot.errors import Aborted
from bot.models import Button, Click, Pixel
from bot.vision.finding import locate_board
from skins import load_shipped_skin
from solver import board as codes
from solver.board import GameState

CLASSIC = load_shipped_skin("classic")


@pytest.fixture
def desktop():
    return FakeDesktop(CLASSIC, (9, 9, 3), layouts=[CORNER])


# --- dialogs


@pytest.mark.parametrize(("key", "other"), [("enter", "esc"), ("esc", "enter"), (None, "enter")])
def test_dialog_takes_every_click_and_is_closed_by_its_own_key_only(desktop, key, other):
    desktop.raise_dialog(0.0, key=key)
    assert desktop.target_at(desktop.dialog_region.middle) is Target.DIALOG
    assert click(desktop, (0, 0)).fate == "blocked by a dialog"
    assert click(desktop, (4, 4)).target is Target.DIALOG
    assert desktop.game.state is GameState.FRESH
    desktop.press(other)
    assert desktop.dialog_is_up
    if key is not None:
        desktop.press(key)
        assert not desktop.dialog_is_up
        assert click(desktop, (0, 0)).fate == "taken"


def test_dialog_goes_by_itself_and_the_next_one_follows(desktop):
    desktop.raise_dialog(0.0, for_s=1.0)
    desktop.raise_dialog(0.0, for_s=2.0)
    seen = []
    for _ in range(5):
        seen.append(desktop.dialog_is_up)
        desktop.control.wait(0.5)
        desktop.grab()
    assert seen == [True, True, True, True, False]


def test_dialog_beside_the_board_hides_nothing_and_takes_the_clicks(desktop):
    desktop.raise_dialog(0.0, covers=False)
    assert not desktop.is_covered
    assert shows_truth(desktop)
    assert click(desktop, (0, 0)).fate == "blocked by a dialog"
    desktop.click(Click(desktop.dialog_region.middle))
    assert desktop.clicks[-1].target is Target.DIALOG
    assert desktop.clicks[-1].cell is None


@pytest.mark.parametrize("after_loss", [False, True])
def test_dialogs_come_after_lost_games_only_when_asked_for(after_loss):
    faults = Faults(dialogs=2, dialogs_after_loss=after_loss, dialog_s=0.5)
    desktop = FakeDesktop(CLASSIC, (9, 9, 3), layouts=[CORNER], faults=faults)
    click(desktop, (8, 7))
    assert desktop.game.state is GameState.LOST
    assert desktop.dialog_is_due is after_loss
    assert not desktop.dialog_is_up
    desktop.control.wait(0.6)
    assert desktop.dialog_is_up is after_loss


# --- a game that does not listen


@pytest.mark.parametrize("queues_clicks", [False, True])
def test_freeze_paints_nothing_and_drops_or_keeps_the_clicks(desktop, queues_clicks):
    desktop.faults = Faults(repaint_s=(0.2, 0.2))
    click(desktop, (0, 0))
    desktop.control.wait(0.1)
    desktop.freeze(queues_clicks=queues_clicks)
    before = desktop.grab().pixels_bgr
    desktop.control.wait(5.0)
    assert np.array_equal(desktop.grab().pixels_bgr, before), "what was on its way does not come"
    press = click(desktop, (8, 8))
    assert press.fate == ("queued" if queues_clicks else "dropped")
    assert press.stale_s == pytest.approx(5.1, abs=0.01)
    assert desktop.game.state is GameState.PLAYING
    desktop.thaw()
    assert desktop.game.state is (GameState.WON if queues_clicks else GameState.PLAYING)
    desktop.control.wait(0.3)
    assert shows_truth(desktop)


def test_freeze_keeps_a_click_for_the_cell_it_was_made_on_though_the_window_moves(desktop):
    desktop.freeze(queues_clicks=True)
    click(desktop, (8, 8))
    desktop.move_window(32, 32)
    desktop.thaw()
    assert desktop.game.code((8, 8)) == 3


@pytest.mark.parametrize("in_runs", [False, True])
@pytest.mark.parametrize("p_lost", [0.05, 0.3, 0.7])
def test_lost_clicks_are_as_many_as_said_and_never_more_in_a_row(in_runs, p_lost):
    faults = Faults(p_lost=p_lost, most_lost_in_a_row=8, loses_in_runs=in_runs)
    desktop = FakeDesktop(CLASSIC, (9, 9, 3), layouts=[CORNER], faults=faults)
    fates = "".join(click(desktop, (0, 0)).fate[0] for _ in range(4000))
    runs = Counter(len(run) for run in fates.split("t") if run)
    assert abs(fates.count("l") / 4000 - p_lost) < 0.06
    assert 2 <= max(runs) <= 8
    mean = sum(length * n for length, n in runs.items()) / runs.total()
    assert (mean > 1 / (1 - p_lost) + 0.5) is in_runs
    assert runs[1] > 0


def test_late_repaint_is_late_and_the_click_knows_how_stale_the_picture_was():
    desktop = FakeDesktop(CLASSIC, (9, 9, 3), layouts=[CORNER], faults=Faults(repaint_s=(0.8, 0.8)))
    assert click(desktop, (0, 0)).stale_s == 0.0
    desktop.control.wait(0.7)
    assert (cells_seen(desktop) == codes.CLOSED).all()
    assert click(desktop, (0, 0)).stale_s == pytest.approx(0.7, abs=0.01)
    desktop.control.wait(0.1)
    assert shows_truth(desktop)
    assert click(desktop, (8, 8)).stale_s == 0.0


def test_lost_focus_costs_one_click_and_every_key_before_it(desktop):
    desktop.lose_focus()
    desktop.press("enter")
    assert (desktop.keys, desktop.stray_keys) == ([], ["enter"])
    assert click(desktop, (0, 0)).fate == "taken as focus"
    assert click(desktop, (0, 0)).fate == "taken"
    desktop.press("enter")
    assert desktop.keys == [("enter", False)]


@pytest.mark.parametrize("knows", [True, False])
def test_programs_are_told_apart_where_the_machine_knows_them(desktop, knows):
    desktop.knows_programs = knows
    cell = middle(desktop, (4, 4))
    mine, had_keyboard = desktop.at(cell), desktop.focused()
    desktop.cover_with(CoverKind.PLAIN, (0, 0, 1, 1))
    desktop.lose_focus()
    assert (mine is not None) is knows
    assert had_keyboard == mine
    assert (desktop.at(cell) != mine) is knows
    assert (desktop.focused() != mine) is knows


# --- other games, other hands


@pytest.mark.parametrize("level", [(9, 9, 10), (16, 16, 40), (16, 30, 99)])
@pytest.mark.parametrize("n_opened", [0, 5])
def test_swap_game_is_another_one_and_all_of_it_is_seen(desktop, level, n_opened):
    click(desktop, (0, 0))
    corner = desktop.grid.origin
    desktop.swap_game(level, n_opened)
    assert len(desktop.games) == 2
    assert (desktop.grid.rows, desktop.grid.cols, desktop.mines) == level
    assert desktop.grid.origin == corner
    assert locate_board(desktop.grab(), [CLASSIC]).grid == desktop.grid
    assert shows_truth(desktop)
    assert desktop.game.state is (GameState.PLAYING if n_opened else GameState.FRESH)
    assert int((desktop.game.board.cells >= 0).sum()) >= n_opened
    assert click(desktop, desktop.closed_cells()[0]).game == 1


def test_swap_game_that_would_leave_the_screen_is_moved_back(desktop):
    desktop.move_window(1000, 0)
    desktop.swap_game((16, 30, 99))
    assert locate_board(desktop.grab(), [CLASSIC]).grid == desktop.grid


def test_person_clicks_a_closed_cell_and_the_pointer_is_there(desktop):
    desktop.person_clicks(Button.RIGHT)
    assert desktop.clicks == []
    cell = desktop.grid.cell_at(desktop.pointer)
    assert desktop.game.code(cell) == codes.FLAG
    assert shows_truth(desktop)


@pytest.mark.parametrize(
    ("skin", "button", "chords"),
    [("classic", Button.MIDDLE, True), ("classic", Button.LEFT, False), ("minebot", Button.LEFT, True)],
)
def test_click_on_a_number_chords_as_the_skin_says(skin, button, chords):
    desktop = FakeDesktop(load_shipped_skin(skin), (9, 9, 3), layouts=[CORNER])
    click(desktop, (6, 6))
    assert desktop.game.code((6, 6)) == 1
    click(desktop, (6, 6), button)
    click(desktop, (7, 7), Button.RIGHT)
    assert desktop.game.code((5, 5)) == codes.CLOSED
    click(desktop, (6, 6), button)
    assert desktop.game.code((5, 5)) == (0 if chords else codes.CLOSED)
    assert shows_truth(desktop)


@pytest.mark.parametrize(("cell", "is_mine"), [((8, 7), True), ((0, 0), False)])
def test_click_knows_what_was_under_it(desktop, cell, is_mine):
    desktop.faults = Faults(p_lost=1.0, most_lost_in_a_row=1)
    lost, taken = click(desktop, cell), click(desktop, cell)
    assert (lost.is_mine, lost.has_exploded, lost.fate) == (is_mine, False, "lost")
    assert (taken.is_mine, taken.has_exploded, taken.fate) == (is_mine, is_mine, "taken")
    assert taken.code == codes.CLOSED
    assert click(desktop, cell).code != codes.CLOSED


@pytest.mark.parametrize(
    ("pixel", "target"),
    [
        ((-151, 90), Target.WINDOW),
        ((-150, 89), Target.WINDOW),
        ((-6, 233), Target.WINDOW),
        ((-7, 233), Target.BOARD),
        ((-78, 62), Target.SPOT),
        ((-78, 49), Target.WINDOW),
        ((-163, 90), Target.OUTSIDE),
        ((2000, 90), Target.OUTSIDE),
    ],
)
def test_target_is_what_lies_uppermost(desktop, pixel, target):
    desktop.click(Click(Pixel(*pixel)))
    assert desktop.clicks[0].target is target


def test_abort_and_pause_are_known_to_the_clicks_after_them(desktop):
    assert not click(desktop, (8, 8)).is_aborted
    desktop.abort()
    assert click(desktop, (0, 0)).is_aborted
    with pytest.raises(Aborted):
        desktop.control.wait(0.0)


def test_button_is_down_between_press_and_release(desktop):
    desktop.press_button(Click(middle(desktop, (0, 0)), Button.MIDDLE))
    assert desktop.buttons_down == {Button.MIDDLE}
    desktop.release_button(Button.MIDDLE)
    assert desktop.buttons_down == set()


# --- time


def test_faults_happen_at_their_times_and_clicks_inside_one_long_wait(desktop):
    happened = []
    for seconds in (0.7, 0.2, 0.5):
        desktop.clock.after(seconds, lambda: happened.append(round(desktop.clock.now - 100.0, 6)))
    desktop.control.wait(0.6)
    assert happened == [0.2, 0.5]
    desktop.after_clicks(2, lambda: happened.append(len(desktop.clicks)))
    click(desktop, (0, 0))
    click(desktop, (0, 0))
    desktop.grab()
    desktop.control.wait(0.6)
    assert happened == [0.2, 0.5, 2, 0.7]
    assert desktop.clock.now == pytest.approx(101.2002)


def loop_in_captures(desktop):
    desktop.grab()


def loop_in_waits(desktop):
    desktop.control.wait(0.5)


def loop_in_waits_of_no_time(desktop):
    desktop.control.wait(0.0)


def loop_in_looks_at_the_clock(desktop):
    desktop.clock.perf_counter()


def go_on_for_ever(loop, desktop):
    while True:
        loop(desktop)


@pytest.mark.parametrize(
    "loop", [loop_in_captures, loop_in_waits, loop_in_waits_of_no_time, loop_in_looks_at_the_clock]
)
def test_endless_loop_is_noticed(desktop, loop):
    desktop.clock.limit = 200.0
    desktop.clock.most_steps = 1000
    with pytest.raises(HangError):
        go_on_for_ever(loop, desktop)
    assert desktop.clock.now <= 200.0


def test_person_resumes_what_was_paused(desktop):
    desktop.control.resumes_s = 2.0
    desktop.control.pause()
    desktop.control.check()
    assert desktop.control.is_running
    assert 102.0 <= desktop.clock.now < 102.2
