"""A dry run on a fake desktop: it says what would be done, and does nothing."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from fake_desktop import FakeDesktop
from player_table import BEGINNER, CLASSIC, Witness, layout_of, simulate_time
from text_readings import reading_of

from bot.desktop import Desktop
from bot.errors import Aborted, BoardNotFoundError, UsageError
from bot.playing.decide import Style, TooRiskyError, check_risk
from bot.playing.reporter import UnreadableError
from bot.playing.session import DryRun, PlayOptions, dry_run
from bot.playing.situation import Settings
from solver.board import Action, GameState, Move
from solver.errors import InconsistentError
from solver.words import name_cell

# A click at (0, 0) opens all of the first four rows but the mine at (2, 5), and what lies beside the mines in row 4.
MINES = """
.........
.........
.....*...
.........
*.......*
.........
..*...*..
*...*...*
.*.....*.
"""
GUESS = "1###\n####\n####\n"


class Onlooker:
    """A desktop in the middle of a game, and a person who asks what the bot would do."""

    def __init__(self, patch, *, opened=(), skin=CLASSIC, level=BEGINNER, layouts=None):
        layouts = [layout_of(MINES)] if layouts is None else layouts
        self.desktop = FakeDesktop(skin, level, layouts=layouts)
        simulate_time(patch, self.desktop.clock)
        for cell in opened:
            self.desktop.game.open(cell)
        self.desktop.repaint()
        self.before = self.desktop.game.board
        self.witness = Witness()

    def ask(self, **options):
        desktop = self.desktop
        told = dry_run(
            Desktop(desktop, desktop, desktop, desktop),
            [desktop.skin],
            PlayOptions(**options),
            desktop.control,
            self.witness,
        )
        assert desktop.clicks == []
        assert desktop.keys == []
        assert desktop.pointer == (0, 0)
        assert desktop.game.board == self.before
        return told


@pytest.fixture
def onlooker(monkeypatch):
    return lambda **options: Onlooker(monkeypatch, **options)


def test_rehearse_fresh_board_would_begin_with_one_click_on_it(onlooker):
    person = onlooker()
    told = person.ask()
    ((move, pixel),) = told.clicks
    assert move.action is Action.OPEN
    assert person.desktop.grid.cell_region(move.cell).middle == pixel
    assert told.reading.state is GameState.FRESH


def test_rehearse_would_click_every_proven_cell_where_it_lies(onlooker):
    person = onlooker(opened=[(0, 0)])
    told = person.ask()
    assert len(told.clicks) > 3
    for move, pixel in told.clicks:
        assert not person.desktop.game.layout.has_mine[move.cell]
        assert person.desktop.cell_at(pixel) == move.cell
        assert move.p_mine == 0.0


@pytest.mark.parametrize(
    ("style", "actions"),
    [
        (Style(), {Action.OPEN}),
        (Style(flags=True), {Action.OPEN, Action.FLAG}),
        (Style(flags=True, chords=True), {Action.FLAG, Action.CHORD}),
    ],
)
def test_rehearse_would_play_in_the_style_asked_for(onlooker, style, actions):
    told = onlooker(opened=[(0, 0)]).ask(settings=Settings(style))
    assert {move.action for move, _ in told.clicks} == actions


def test_rehearse_would_not_chord_to_save_time_before_any_click_was_measured(onlooker):
    settings = Settings(Style(flags=True, chords=True), saves_time=True)
    told = onlooker(opened=[(0, 0)]).ask(settings=settings)
    assert {move.action for move, _ in told.clicks} == {Action.OPEN, Action.FLAG}


def test_rehearse_would_chord_only_where_the_clone_does(onlooker):
    style = Settings(Style(flags=True, chords=True))
    told = onlooker(opened=[(0, 0)], skin=replace(CLASSIC, chord="none")).ask(settings=style)
    assert {move.action for move, _ in told.clicks} == {Action.OPEN, Action.FLAG}


def test_rehearse_as_json_names_cell_pixel_and_reason_of_every_move(onlooker):
    person = onlooker(opened=[(0, 0)])
    told = person.ask()
    as_json = json.loads(json.dumps(told.as_json(), allow_nan=False))
    assert as_json["dry_run"] is True
    assert (as_json["skin"], as_json["state"], as_json["mines"]) == ("classic", "playing", 10)
    assert as_json["board"][0] == "0" * 9
    assert [tuple(move["cell"]) for move in as_json["moves"]] == [move.cell for move, _ in told.clicks]
    assert [tuple(move["pixel"]) for move in as_json["moves"]] == [pixel for _, pixel in told.clicks]
    assert {(move["action"], move["p_mine"], move["why"]) for move in as_json["moves"]} == {
        ("open", 0.0, "proven safe")
    }


def test_rehearsal_as_json_risk_that_is_not_known_is_null():
    rehearsal = DryRun(reading_of(GUESS, 3), [(Move(Action.OPEN, (2, 3), math.nan), (1, 1))])
    assert rehearsal.as_json()["moves"][0]["p_mine"] is None


def test_rehearse_game_that_is_over_would_not_be_clicked(onlooker):
    person = onlooker(opened=[(0, 0), (2, 5)])
    told = person.ask()
    assert told.clicks == []
    assert told.reading.state is GameState.LOST


def test_rehearse_guess_above_the_limit_is_named_as_in_play(onlooker):
    person = onlooker(opened=[(3, 8)])
    ((move, _),) = person.ask().clicks
    assert move.is_guess
    assert person.ask(settings=Settings(risk_limit=move.p_mine)).clicks
    with pytest.raises(TooRiskyError) as raised:
        person.ask(settings=Settings(risk_limit=move.p_mine - 0.001))
    assert f"the best guess, cell {name_cell(move.cell)}, has a risk of {move.p_mine:.1%}" in str(raised.value)
    assert raised.value.exit_code == 1


def test_rehearse_covered_board_would_not_be_played(onlooker):
    person = onlooker(opened=[(0, 0)])
    person.desktop.cover(range(3, 5), range(2, 6))
    with pytest.raises(UnreadableError, match="the board would not be played as it is: not all cells can be read"):
        person.ask()


def test_rehearse_half_painted_board_would_not_be_played(onlooker):
    person = onlooker(opened=[(0, 0)])
    person.desktop.misread((0, 0), "closed")
    with pytest.raises(UnreadableError, match="an open 0 beside a closed cell does not go away"):
        person.ask()


def test_rehearse_board_that_contradicts_itself_is_an_error(onlooker):
    person = onlooker(opened=[(0, 0)])
    person.desktop.misread((3, 4), "8")
    with pytest.raises(InconsistentError):
        person.ask()


def test_rehearse_without_a_board_or_its_mines_is_an_error(onlooker):
    person = onlooker(level=(7, 11, 12), layouts=[])
    with pytest.raises(UsageError, match="--mines N"):
        person.ask()
    assert person.ask(mines=12).reading.board.mines == 12
    person.desktop.close_window()
    with pytest.raises(BoardNotFoundError):
        person.ask()


def test_rehearse_waits_for_the_start_key_and_obeys_the_abort_key(onlooker):
    person = onlooker()
    person.desktop.control.pause()
    person.desktop.control.resumes_s = 3.0
    begun_at = person.desktop.clock.now
    assert person.ask().clicks
    assert person.desktop.clock.now - begun_at >= 3.0
    person.desktop.abort()
    with pytest.raises(Aborted):
        person.ask()


# --- the limit


@pytest.mark.parametrize(
    ("board", "p_mine", "limit", "is_allowed"),
    [
        (GUESS, 0.3, None, True),
        (GUESS, 0.3, 0.3, True),
        (GUESS, 0.3, 0.29, False),
        (GUESS, 0.3, 0.0, False),
        (GUESS, 0.0, 0.0, True),
        (GUESS, 1.0, 1.0, True),
        (GUESS, math.nan, 0.5, False),
        ("####\n####\n", 0.3, 0.0, True),
        ("#F##\n####\n", 0.3, 0.0, True),
    ],
)
def test_check_risk_lets_pass_what_a_person_allows(board, p_mine, limit, is_allowed):
    move, reading = Move(Action.OPEN, (1, 3), p_mine), reading_of(board, 3)
    if is_allowed:
        check_risk(move, reading, limit)
    else:
        with pytest.raises(TooRiskyError, match=r"the best guess, cell \(1,3\), has a risk of"):
            check_risk(move, reading, limit)
