"""The fault bench: random scripts of what goes wrong, and a judge of what the player did and said meanwhile.

As many scripts as MINEBOT_FAULT_SCRIPTS says are played, from number 0 on (MINEBOT_FAULT_FIRST: from another one on);
500 are the whole bench. `python tests/support/fault_table.py 0 499` shows how all of them went.
"""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from amounts import count
from desktop_faults import (
    FOR_GOOD,
    Abort,
    AfterClicks,
    AfterSeconds,
    CloseWindow,
    CoverBoard,
    LoseClicks,
    MoveOff,
    MoveWindow,
    Pause,
    RaiseDialogs,
    Rescale,
)
from fake_desktop import CoverKind
from fault_bench import FINISHED, run_script
from fault_script import FaultScript, random_script
from player_table import make_player

from bot.errors import BotError
from bot.models import Button, Click, Pixel
from bot.playing.results import GameResult, Guess
from bot.reporting.recording import LOG
from bot.vision.reading import read_board
from solver.board import Action, GameState, Move

N_SCRIPTS = count("MINEBOT_FAULT_SCRIPTS", gate=12, full=500)
FIRST = int(os.environ.get("MINEBOT_FAULT_FIRST", "0"))
SOON = AfterSeconds(0.05)


@pytest.mark.parametrize("seed", range(FIRST, FIRST + N_SCRIPTS))
def test_player_keeps_its_promises_whatever_happens(seed, tmp_path_factory):
    folder = tmp_path_factory.mktemp(f"script{seed}")
    report = run_script(random_script(seed), folder / "journal")
    assert report.violations == [], f"\n{report}"


class Lagging:
    """A desktop whose captures are up to so many seconds old: whoever plays by them clicks blindly."""

    LAG_S = 0.6

    def __init__(self, desktop):
        self._desktop = desktop
        self._frame = None
        self._seen_at = 0.0

    def __getattr__(self, name):
        return getattr(self._desktop, name)

    def grab(self, region=None):
        if self._frame is None or self._desktop.clock.now - self._seen_at > self.LAG_S:
            self._frame = self._desktop.grab()
            self._seen_at = self._desktop.clock.now
        else:
            self._desktop.grab(region)
        return self._frame if region is None else self._frame.crop(region)


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        (MoveWindow(SOON, 300, 0), "on OUTSIDE"),
        (CoverBoard(SOON, CoverKind.PLAIN, (-0.2, -0.2, 1.4, 1.4), FOR_GOOD), "on COVER"),
    ],
)
def test_player_that_is_shown_old_pictures_is_found_out(fault, found, tmp_path):
    def make(desktop, watcher, **options):
        return make_player(Lagging(desktop), watcher, **options)

    violations = []
    for n_clicks in (4, 5):
        timed = replace(fault, when=AfterClicks(n_clicks))
        script = FaultScript(5, "classic", "beginner", Pixel(-100, 200), 1, (timed,))
        report = run_script(script, tmp_path / f"journal{n_clicks}", make=make)
        assert report.happened == [timed]
        violations += report.violations
    assert any(found in violation for violation in violations), violations


# --- the judge: whatever a careless player does is found


class Careless:
    """A player that does what a test says, and tells what a test says."""

    def __init__(self, desktop, watcher, journal, act):
        self.desktop = desktop
        self.watcher = watcher
        self.journal = journal
        self._act = act

    def iter_games(self, _n_games):
        yield from self._act(self) or ()

    def decide(self, *cells, p_mine=0.0):
        """Tell what was decided, as a player does."""
        frame = self.desktop.grab(self.desktop.grid.region)
        reading = read_board(frame, self.desktop.grid, self.desktop.skin, self.desktop.mines)
        moves = [Move(Action.OPEN, cell, p_mine) for cell in cells]
        self.journal.decision(frame, reading, moves)
        self.watcher.decided(reading, moves)

    def click(self, cell, button=Button.LEFT):
        self.desktop.click(Click(self.desktop.grid.cell_region(cell).middle, button))

    def end(self, state, bbbv=None, **changes):
        """Tell a result, true but for the changes."""
        game = self.desktop.game
        result = GameResult(
            **{
                "result": state,
                "rows": 9,
                "cols": 9,
                "mines": 10,
                "seconds": 1.0,
                "n_clicks": len(self.desktop.cell_clicks()),
                "n_opened": int((game.board.cells >= 0).sum()),
                "bbbv": game.layout.bbbv if bbbv is None else bbbv,
                "guesses": (Guess((0, 0), 0.1),),
            }
            | changes
        )
        self.journal.result(result)
        self.watcher.ended(result)
        return result


def judge(act, folder, *faults, seed=1):
    script = FaultScript(seed, "classic", "beginner", Pixel(0, 100), 1, faults)

    def make(desktop, watcher, *, journal, **_options):
        journal.board(desktop.skin, desktop.grid, desktop.mines)
        return Careless(desktop, watcher, journal, act)

    return run_script(script, folder / "journal", make=make)


def begin(player):
    """The first click, so that the mines are somewhere."""
    player.decide((4, 4), p_mine=10 / 81)
    player.click((4, 4))
    player.desktop.control.wait(0.1)


def a_cell(player, *, is_mine):
    has_mine = player.desktop.game.layout.has_mine
    return next(cell for cell in player.desktop.closed_cells() if has_mine[cell] == is_mine)


def click_beside_the_window(player):
    player.desktop.click(Click(Pixel(-200, 0)))


def click_where_the_board_was(player):
    pixel = player.desktop.grid.cell_region((0, 0)).middle
    player.decide((0, 0))
    player.desktop.clock.advance(0.1)
    player.desktop.click(Click(pixel))


def click_the_first_cell(player):
    player.decide((0, 0))
    player.desktop.clock.advance(0.1)
    player.click((0, 0))


def click_the_middle_cell(player):
    player.decide((4, 4))
    player.desktop.clock.advance(0.1)
    player.click((4, 4))


def click_undecided(player):
    player.decide((0, 0))
    player.click((0, 1))


def click_before_deciding(player):
    player.click((0, 1))


def click_a_mine_as_safe(player):
    begin(player)
    cell = a_cell(player, is_mine=True)
    player.decide(cell)
    player.click(cell)


def click_a_mine_as_safe_and_lose_the_click(player):
    begin(player)
    player.desktop.faults = player.desktop.faults.__class__(p_lost=1.0)
    cell = a_cell(player, is_mine=True)
    player.decide(cell)
    player.click(cell)


def play_old_knowledge_in_a_new_game(player):
    begin(player)
    cell = a_cell(player, is_mine=False)
    player.decide(cell)
    while not player.desktop.game.layout.has_mine[cell]:
        player.desktop.swap_game((9, 9, 10), 1)
    player.desktop.control.wait(0.1)
    player.desktop.grab()
    player.click(cell)


def wait_for_ever(player):
    while True:
        player.desktop.control.wait(1.0)


def look_at_the_clock_for_ever(player):
    while True:
        player.desktop.clock.perf_counter()


def raise_something(player):
    raise ValueError("this is no error of the bot")


def give_up_without_a_word(player):
    raise BotError


def give_up(player):
    raise BotError("it is too hard")


def say_nothing(player):
    return


def say_it_is_won(player):
    begin(player)
    yield player.end(GameState.WON)


def lose_and_say(player, **changes):
    begin(player)
    cell = a_cell(player, is_mine=True)
    player.decide(cell, p_mine=0.5)
    player.click(cell)
    yield player.end(GameState.LOST, guesses=(Guess(cell, 0.5),), **changes)


def say_it_twice(player):
    yield from lose_and_say(player)
    yield player.end(GameState.LOST)


def say_another_bbbv(player):
    yield from lose_and_say(player, bbbv=1000)


def say_too_few_clicks(player):
    yield from lose_and_say(player, n_clicks=1)


def say_another_guess(player):
    begin(player)
    cell = a_cell(player, is_mine=True)
    player.decide(cell, p_mine=0.5)
    player.click(cell)
    yield player.end(GameState.LOST)


def keep_a_decision_from_the_journal(player):
    player.journal.decision = lambda *_: None
    yield from lose_and_say(player)


def keep_a_result_from_the_journal(player):
    player.journal.result = lambda *_: None
    yield from lose_and_say(player)


def write_another_board_to_the_journal(player):
    begin(player)
    folder = player.journal.folder
    text = (folder / LOG).read_text()
    (folder / LOG).write_text(text.replace("#########", "########1", 1))


def leave_a_button_down(player):
    player.decide((0, 0))
    player.desktop.press_button(Click(player.desktop.grid.cell_region((0, 0)).middle))
    player.desktop.on_click(1)


COVER = CoverBoard(SOON, CoverKind.BOARD, (-0.5, -0.5, 1, 1), FOR_GOOD, ("intermediate", 1))
DIALOG = RaiseDialogs(SOON, 1, "enter", covers=True, for_s=FOR_GOOD)


@pytest.mark.parametrize(
    ("act", "faults", "found"),
    [
        (click_beside_the_window, (), "on OUTSIDE"),
        (click_where_the_board_was, (MoveWindow(SOON, 300, 0),), "on OUTSIDE"),
        (click_where_the_board_was, (MoveWindow(SOON, 10, 0),), "on WINDOW"),
        (click_where_the_board_was, (MoveWindow(SOON, -16, 0),), "cell (0, 1) was not decided on"),
        (click_where_the_board_was, (Rescale(SOON, 200),), "on WINDOW"),
        (click_the_first_cell, (CloseWindow(SOON),), "on OUTSIDE"),
        (click_the_first_cell, (MoveOff(SOON, "left", 3, FOR_GOOD),), "on OUTSIDE"),
        (click_the_first_cell, (COVER,), "on COVER"),
        (click_the_middle_cell, (DIALOG,), "on DIALOG"),
        (click_the_first_cell, (Pause(SOON),), "play was paused"),
        (click_the_first_cell, (Abort(SOON),), "play was stopped"),
        (click_undecided, (), "cell (0, 1) was not decided on"),
        (click_before_deciding, (), "before anything was decided"),
        (click_a_mine_as_safe, (), "said to be safe"),
        (click_a_mine_as_safe_and_lose_the_click, (), "said to be safe"),
        (play_old_knowledge_in_a_new_game, (), "said to be safe"),
        (wait_for_ever, (), "hang"),
        (look_at_the_clock_for_ever, (), "no time passes"),
        (raise_something, (), "none of the bot's"),
        (give_up_without_a_word, (), "without a message"),
        (give_up, (LoseClicks(SOON, 0.5),), "only clicks were lost"),
        (say_nothing, (), "asked for 1 games"),
        (say_it_is_won, (), "told won"),
        (say_it_twice, (), "told lost"),
        (say_another_bbbv, (), "told lost"),
        (say_too_few_clicks, (), "cells opened by"),
        (say_another_guess, (), "exploded"),
        (keep_a_decision_from_the_journal, (), "journal: 0 decisions"),
        (keep_a_result_from_the_journal, (), "journal: results []"),
        (write_another_board_to_the_journal, (), "journal: Difference"),
        (leave_a_button_down, (), "left down: ['left']"),
    ],
)
def test_judge_finds_what_a_careless_player_does(act, faults, found, tmp_path):
    report = judge(act, tmp_path, *faults)
    assert any(found in violation for violation in report.violations), str(report)


def test_judge_has_nothing_against_a_game_lost_by_a_guess(tmp_path):
    def act(player):
        yield from lose_and_say(player)

    report = judge(act, tmp_path)
    assert [v for v in report.violations if not v.startswith("journal: Difference")] == []
    assert report.ending == FINISHED


@pytest.mark.parametrize("skin", ["classic", "minebot", "winemine"])
def test_player_where_nothing_goes_wrong_finishes_and_breaks_no_promise(skin, tmp_path):
    report = run_script(FaultScript(5, skin, "beginner", Pixel(-100, 200), 3), tmp_path / "journal")
    assert (report.ending, report.violations) == (FINISHED, [])
    assert report.counts["clicks"] > 20
