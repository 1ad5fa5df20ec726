"""Chords that play makes by itself, on clones that take them quickly, slowly or not at all: simulated time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fake_desktop import FakeDesktop, Faults
from player_table import CLASSIC, Table, simulate_time

from bot.models import Button
from bot.playing.actuator import NoEffectError
from bot.playing.decide import EVEN, Style
from bot.playing.situation import Settings
from bot.reporting.recording import Journal, replay
from solver.analysis import analyse
from solver.board import Action, GameState
from solver.layout import LEVELS

BY_ITSELF = Settings(Style(chords=True), saves_time=True)
N_GAMES = 8


class SlowToChord(FakeDesktop):
    """A game that takes its time with chords alone.

    Attributes:
        chord_s: how long it takes.
    """

    chord_s = 0.0
    _is_chord = False

    def _deliver(self, target, cell, button):
        self._is_chord = button is Button.MIDDLE
        super()._deliver(target, cell, button)

    def _delay(self):
        return self.chord_s if self._is_chord and self.chord_s else super()._delay()


def play(skin=CLASSIC, *, known=None, settings=BY_ITSELF, chord_s=0.0, journal=None, n_games=N_GAMES, **faults):
    """Play games at a desk of their own, in its own time."""
    desktop = SlowToChord(skin, LEVELS["intermediate"], seed=4, faults=Faults(**faults))
    desktop.chord_s = chord_s
    with pytest.MonkeyPatch.context() as patch:
        simulate_time(patch, desktop.clock)
        table = Table(desktop, known=known, settings=settings, journal=journal)
        assert len(table.play(n_games)) == n_games
    assert table.player.n_stray == 0
    return table


def n_chords(table, games=range(N_GAMES)):
    return sum(press.button is Button.MIDDLE and press.game in games for press in table.desktop.clicks)


def n_clicks_of_won(table):
    return sum(result.n_clicks for result in table.witness.results if result.result is GameState.WON)


def test_chords_are_made_where_they_take_no_longer_and_save_clicks():
    chorded, plain = play(), play(settings=Settings())
    assert n_chords(plain) == 0
    assert n_chords(chorded) > 20
    ends = [result.result for result in chorded.witness.results]
    assert ends == [result.result for result in plain.witness.results], "the same guesses"
    assert GameState.WON in ends
    assert n_clicks_of_won(chorded) < 0.95 * n_clicks_of_won(plain)
    assert chorded.witness.remarks == []


def test_chords_that_take_long_are_tried_and_then_left_where_they_save_no_time():
    quick, slow = play(), play(chord_s=0.025)
    first, later = range(2), range(2, N_GAMES)
    assert n_chords(slow, first) > 0
    assert n_chords(slow, later) < 0.3 * n_chords(quick, later)
    assert slow.player.play.now.style.prices.chord > 3
    assert slow.player.play.now.style.prices.flag == 1.0
    asked_for = play(chord_s=0.025, settings=Settings(Style(chords=True)))
    assert n_chords(asked_for, later) >= 0.8 * n_chords(quick, later), "--chord saves clicks, whatever time it takes"
    assert asked_for.player.play.now.style.prices == EVEN


def test_chords_are_few_on_a_clone_that_is_clicked_ahead():
    quick, slow = play(), play(repaint_s=(0.06, 0.07))
    assert slow.player.play.actuator.pace.n_ahead == 8
    later = range(2, N_GAMES)
    assert n_chords(slow, later) < 0.3 * n_chords(quick, later)


@pytest.mark.parametrize("settings", [BY_ITSELF, Settings(Style(chords=True))], ids=["by itself", "asked for"])
def test_clicks_on_numbers_that_were_lost_prove_nothing(settings):
    """Where two of five clicks are lost, three on one number often are, as while a key is held."""
    table = play(p_lost=0.4, settings=settings)
    assert not any("no chords" in text for text in table.witness.remarks)
    assert n_chords(table, range(N_GAMES - 2, N_GAMES)) > 0


def test_number_that_opens_nothing_is_clicked_six_times_in_a_run_and_never_again():
    table = play(replace(CLASSIC, chord="none"), known=CLASSIC)
    presses = [press for press in table.desktop.clicks if press.button is Button.MIDDLE]
    assert len(presses) == 6
    assert len({press.cell for press in presses}) == 1
    assert table.witness.remarks == ["clicks on numbers open nothing here: no chords"]
    moves = [move for _, moves in table.witness.decisions[-20:] for move in moves]
    assert not any(move.action is Action.CHORD for move in moves)


@pytest.mark.parametrize("chord", [None, "none"])
def test_chords_are_not_tried_where_the_skin_knows_none(chord):
    skin = replace(CLASSIC, chord=chord)
    by_itself = play(skin)
    assert n_chords(by_itself) == 0
    assert by_itself.witness.remarks == []
    asked_for = play(skin, settings=Settings(Style(chords=True)), n_games=1)
    assert asked_for.witness.remarks == ["clicks on numbers open nothing here: no chords"]


def test_recording_of_play_by_measured_prices_is_decided_the_same_again(tmp_path):
    with Journal(tmp_path / "recording") as journal:
        table = play(chord_s=0.025, journal=journal, n_games=3)
    assert n_chords(table, range(3)) > 0
    assert table.player.play.now.style.prices != EVEN
    assert [difference for step in replay(tmp_path / "recording") for difference in step.differences] == []


def test_chords_to_save_time_wait_for_the_first_click_that_has_an_effect():
    """A board that takes no clicks: only one cell is clicked, again and again."""
    desktop = FakeDesktop(CLASSIC, LEVELS["intermediate"], seed=4)
    desktop.game.open((0, 0))
    desktop.game.open((15, 15))
    for cell in analyse(desktop.game.board).mines:
        desktop.game.toggle_flag(cell)
    desktop.repaint()
    with pytest.MonkeyPatch.context() as patch:
        simulate_time(patch, desktop.clock)
        table = Table(desktop, settings=BY_ITSELF)
        desktop.is_frozen = True
        with pytest.raises(NoEffectError, match="did not change after"):
            table.play()
    assert len({press.cell for press in desktop.clicks}) == 1
    assert {press.button for press in desktop.clicks} == {Button.LEFT}
