"""The player and the person beside it: the keys, the mouse in another hand, flags set before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_desktop import Faults
from player_table import (
    BEGINNER,
    CLASSIC,
    WALLED,
    WALLED_LEVEL,
    after_clicks,
    check_manners,
    layout_of,
)

from bot.errors import Aborted
from bot.models import Pixel
from bot.playing.reporter import UnreadableError
from skins.skin import NewGame
from solver import board as codes
from solver.board import GameState

# --- a person


@pytest.mark.parametrize("n_clicks", range(1, 8))
def test_player_abort_inside_a_click_means_not_one_more(sit_down, n_clicks):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    after_clicks(table.desktop, n_clicks, table.desktop.control.abort)
    with pytest.raises(Aborted):
        table.play()
    assert len(table.desktop.clicks) == n_clicks


@pytest.mark.parametrize("n_grabs", range(1, 40, 3))
def test_player_abort_inside_a_grab_means_not_one_more_click(sit_down, n_grabs):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop, clicks_at = table.desktop, []
    first = desktop.n_grabs

    def abort(n):
        if n == first + n_grabs:
            clicks_at.append(len(desktop.clicks))
            desktop.control.abort()

    desktop.on_grab = abort
    with pytest.raises(Aborted):
        table.play()
    assert clicks_at == [len(desktop.clicks)]


def test_player_abort_inside_every_kind_of_wait(sit_down):
    n_waits_of_a_game = 0
    for n_waits in (1, 5, 10, 20, 40):
        table = sit_down(seed=2, faults=Faults(dialogs=1, repaint_s=(0.01, 0.02)))
        desktop, clicks_at, waits = table.desktop, [], []

        def abort(waits=waits, n_waits=n_waits, clicks_at=clicks_at, desktop=desktop):
            waits.append(None)
            if len(waits) == n_waits:
                clicks_at.append(len(desktop.clicks))
                desktop.control.abort()

        desktop.control.on_wait = abort
        with pytest.raises(Aborted):
            table.play(20)
        assert clicks_at == [len(desktop.clicks)]
        n_waits_of_a_game = max(n_waits_of_a_game, len(waits))
    assert n_waits_of_a_game == 40


@pytest.mark.parametrize("n_clicks", [1, 4, 9])
def test_player_mouse_taken_pauses_with_a_remark_and_goes_on_after_the_key(sit_down, n_clicks):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop

    def take():
        desktop.pointer = Pixel(3, 3)

    def resume():
        assert not desktop.control.is_running
        assert len(desktop.clicks) == n_clicks
        desktop.control.toggle()

    after_clicks(desktop, n_clicks, take)
    table.witness.on_remark = resume
    (result,) = table.play()
    assert len(table.witness.remarks) == 1
    assert "mouse was moved" in table.witness.remarks[0]
    assert result.result is GameState.WON
    check_manners(desktop)


def test_player_guess_put_off_by_a_pause_is_counted_once(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    control = table.desktop.control
    honest = table.witness.decided

    def decided(reading, moves):
        honest(reading, moves)
        if len(table.witness.decisions) == 1:
            control.toggle()
            control.toggle()

    table.witness.decided = decided
    (result,) = table.play()
    assert [guess.cell for guess in result.guesses] == [(0, 0)]
    assert len(table.witness.guesses) == 2


def test_player_paused_by_key_then_pointer_moved_goes_on_with_one_press_of_the_key(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop

    def pause_look_around_and_go_on():
        desktop.control.toggle()
        desktop.pointer = Pixel(3, 3)
        desktop.control.toggle()

    after_clicks(desktop, 4, pause_look_around_and_go_on)
    (result,) = table.play()
    assert table.witness.remarks == []
    assert result.result is GameState.WON


# --- flags that a person set


@pytest.mark.parametrize("flag", [(0, 0), (0, 4), (4, 4), (8, 0)])
def test_player_wrong_flag_is_taken_off_and_its_cell_opened(sit_down, flag):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    desktop.game.toggle_flag(flag)
    desktop.repaint()
    (result,) = table.play()
    assert result.result is GameState.WON is desktop.game.state
    assert [press.cell for press in desktop.cell_clicks() if press.code == codes.FLAG] == [flag]


def test_player_right_flags_are_left_alone(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    for cell in [(0, 7), (1, 3), (8, 1)]:
        desktop.game.toggle_flag(cell)
    desktop.repaint()
    (result,) = table.play()
    assert result.result is GameState.WON
    assert all(press.code == codes.CLOSED for press in desktop.cell_clicks())


def test_player_pointer_that_cannot_leave_what_is_hidden_ends_play_in_time(sit_down, monkeypatch):
    """At the edge of the screen the pointer stays where it is: the player parks it once, waits, and stops."""
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    after_clicks(desktop, 5, lambda: desktop.cover(range(9), range(9)))
    moves = []
    monkeypatch.setattr(desktop, "move", moves.append)
    with pytest.raises(UnreadableError):
        table.play()
    assert len(moves) <= 1
    assert len(desktop.clicks) == 5


def test_player_pointer_in_the_pictures_costs_a_moment_once_and_not_with_every_click(sit_down):
    """Cells under it cannot be read: the player waits for them once, and goes off the board from then on."""
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    desktop.draws_pointer = True
    begun_at = desktop.clock.now
    (result,) = table.play()
    assert result.result is GameState.WON
    assert len(desktop.clicks) > 5
    assert desktop.clock.now - begun_at < 1
    check_manners(desktop)


def turn_away_after_two_clicks(table):
    """The game loses the keyboard and hides its board, as GNOME Mines 48 does; the pointer is off the board then."""
    desktop = table.desktop

    def turn_away():
        # It is taken off the board where it may be what hides cells.
        table.player.play.actuator._pointer.move(Pixel(0, 0))
        desktop.lose_focus()
        desktop.cover(range(9), range(9))

    after_clicks(desktop, 2, turn_away)


def test_player_pauses_where_a_game_that_lost_the_keyboard_hides_its_board(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    turn_away_after_two_clicks(table)
    table.witness.on_remark = table.desktop.control.abort
    with pytest.raises(Aborted):
        table.play()
    assert table.witness.remarks == ["another window has the keyboard: paused; F10 goes on"]
    assert len(table.desktop.clicks) == 2


def test_player_that_a_person_has_go_on_is_not_paused_again_by_the_same_window(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    turn_away_after_two_clicks(table)
    table.witness.on_remark = table.desktop.control.toggle
    with pytest.raises(UnreadableError):
        table.play()
    assert len([remark for remark in table.witness.remarks if "another window" in remark]) == 1
    assert len(table.desktop.clicks) == 2


def test_player_waits_for_a_person_to_begin_the_next_game_where_the_skin_knows_no_way(sit_down):
    table = sit_down(replace(CLASSIC, new_game=NewGame()), seed=1)
    desktop = table.desktop

    def begin():
        desktop.person_moves(Pixel(4, 4))
        desktop.clock.after(20, lambda: desktop.swap_game(BEGINNER))

    table.witness.on_remark = begin
    results = table.play(3)
    asked = "begin the next game: skin classic does not say how"
    assert table.witness.remarks == [asked, asked]
    assert len(results) == len(desktop.games) == 3
    assert "paused" not in table.witness.states
    check_manners(desktop)
