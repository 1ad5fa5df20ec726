"""What a person sees of play: the panel while it goes on, a line a game, the tables at the end."""

from __future__ import annotations

import io
import math
import re

import numpy as np
import pytest
from rich.console import Console

from bot.models import Grid, Pixel, Reading
from bot.playing.results import GameResult, Guess, Tally
from bot.reporting.status import _COLUMNS, Status, results_table
from solver.board import Action, GameState, Move, parse_board

BOARD = """
1###
1###
1121
"""
WIDTHS = (80, 120)


class Clock:
    """Stands for the module time."""

    now = 100.0

    def perf_counter(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    stopped = Clock()
    monkeypatch.setattr("bot.reporting.status.time", stopped)
    return stopped


def reading_of(text, mines=2):
    board = parse_board(text).with_mines(mines)
    grid = Grid(Pixel(0, 0), (16, 16), *board.shape)
    return Reading("classic", grid, board, np.ones(board.shape), (), board.state)


def open_moves(n, p_mine=0.0):
    return [Move(Action.OPEN, (0, n), p_mine) for n in range(n)]


def game(result=GameState.WON, shape=(16, 30, 99), risks=(), **changes):
    fields = {"seconds": 12.34, "n_clicks": 170, "n_opened": 381, "bbbv": 158, "n_retries": 3} | changes
    guesses = tuple(Guess((0, n), risk) for n, risk in enumerate(risks))
    return GameResult(result, *shape, guesses=guesses, **fields)


def console_of(width, *, is_terminal=True):
    return Console(file=io.StringIO(), width=width, force_terminal=is_terminal, color_system=None, highlight=False)


def shown(renderable, width):
    console = console_of(width)
    console.print(renderable)
    return console.file.getvalue()


def panel_of(status):
    return shown(status.panel(), status.console.width)


def test_status_before_anything_is_told_can_be_shown():
    assert "no board yet" in panel_of(Status(3, console_of(80)))


def test_status_tells_game_state_cells_pace_and_risk(clock):
    status = Status(5, console_of(80))
    status.entered("deciding")
    status.decided(reading_of("####\n####\n####"), open_moves(1, p_mine=0.2))
    clock.now += 0.03
    status.decided(reading_of(BOARD), open_moves(3))
    clock.now += 0.03
    status.decided(reading_of(BOARD), open_moves(1))
    clock.now += 1.0
    text = panel_of(status)
    assert "game 1 of 5  ·  deciding" in text
    assert "6 of 10 cells open" in text
    assert "1.1 s" in text
    assert "15.0 ms a move" in text, "four moves were made in 60 ms"
    assert "risk of the last guess 20.0%" in text


def test_status_does_not_need_to_be_told_of_states():
    status = Status(None, console_of(80))
    status.decided(reading_of(BOARD), open_moves(2))
    assert re.search("[╭┌]─ game 1 ─", panel_of(status)), "old consoles of Windows have no round corners"


def test_status_gives_no_time_to_a_game_that_was_taken_up_in_its_middle():
    status = Status(1, console_of(120, is_terminal=False))
    middle = game(seconds=None, n_clicks=1, n_retries=0)
    status.ended(middle)
    assert status.console.file.getvalue() == "game 1 of 1: won, taken up in its middle, 1 click, 0 guesses\n"
    assert "best -" in panel_of(status)
    lines = shown(results_table(Tally([middle])), 120).splitlines()
    row = next(line for line in lines if line.split()[1:2] == ["won"])
    assert row.split()[:3] == ["1", "won", "-"]


def test_status_begins_anew_with_each_game_and_keeps_the_tally(clock):
    status = Status(3, console_of(120))
    status.decided(reading_of(BOARD), open_moves(1, p_mine=0.25))
    status.ended(game(n_retries=17))
    text = panel_of(status)
    assert "game 2 of 3" in text
    assert "no board yet" in text
    assert "risk" not in text
    assert "won 1 of 1, 100% (95% interval: 21% to 100%)  ·  best 12.34 s  ·  12.8 3BV/s" in text
    assert "13.8 clicks/s  ·  10.0% made again" in text


def test_status_tells_a_risk_that_is_not_known_by_a_question_mark():
    status = Status(1, console_of(80))
    status.decided(reading_of(BOARD), open_moves(1, p_mine=math.nan))
    assert "risk of the last guess ?" in panel_of(status)


def test_status_counts_no_game_beyond_the_last():
    status = Status(1, console_of(80))
    status.ended(game())
    text = panel_of(status)
    assert "the games are played" in text
    assert "game 2" not in text


@pytest.mark.parametrize("width", WIDTHS)
def test_panel_fits_its_terminal_and_cuts_nothing(width):
    status = Status(1000, console_of(width))
    for _ in range(3):
        status.ended(game(seconds=123.45, n_clicks=20_000))
    status.entered("searching")
    status.decided(reading_of(BOARD), open_moves(1, p_mine=0.999999))
    status.decided(reading_of(BOARD), open_moves(1, p_mine=0.999999))
    lines = panel_of(status).splitlines()
    assert {len(line) for line in lines} == {width}
    text = " ".join(lines)
    assert "…" not in text
    for words in ("won 3 of 3", "best 123.45 s", "1.3 3BV/s", "162.0 clicks/s", "<0.1% made again", ">99.9%"):
        assert words in text


def test_status_says_a_line_a_game_where_there_is_no_terminal():
    console = console_of(80, is_terminal=False)
    with Status(2, console) as status:
        status.remark("Press F10 to start.")
        status.entered("clicking")
        status.decided(reading_of(BOARD), open_moves(1))
        status.ended(game(risks=(0.2,)))
        status.ended(game(GameState.LOST, bbbv=None, n_retries=0, n_clicks=1))
    assert console.file.getvalue() == (
        "Press F10 to start.\n"
        "game 1 of 2: won in 12.34 s, 170 clicks, 3 of them again, 1 guess, 12.8 3BV/s\n"
        "game 2 of 2: lost in 12.34 s, 1 click, 0 guesses\n"
    )


def test_status_on_a_terminal_takes_its_panel_away_at_the_end():
    console = console_of(80)
    with Status(1, console) as status:
        status.decided(reading_of(BOARD), open_moves(1))
        status.ended(game())
    *_, last_drawn = console.file.getvalue().split("game 1 of 1: ")
    assert "won in 12.34 s" in last_drawn
    assert last_drawn.endswith("\x1b[2K"), "the lines of the panel are erased"


@pytest.mark.parametrize("width", WIDTHS)
def test_table_fits_and_tells_every_game_and_all_of_them(width):
    games = [
        game(risks=(0.2, 0.5)),
        game(GameState.LOST, risks=(0.00001,), seconds=1.5, n_clicks=20, bbbv=None, n_opened=30, n_retries=0),
    ]
    text = shown(results_table(Tally(games)), width)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert rows[0].startswith("16x30, 99 mines: won 1 of 2")
    assert "1 won 12.34 381 73.9 170 13.8 1.8% 2 50.0% 158 12.8" in rows
    assert "2 lost 1.50 30 75.0 20 13.3 0.0% 1 <0.1% - -" in rows
    assert "all 1 won 13.84 411 74.0 190 13.7 1.6% 3 50.0% 158 12.8" in rows


@pytest.mark.parametrize("width", [40, 60])
def test_table_leaves_columns_out_of_a_narrow_terminal_and_cuts_no_number(width):
    games = [game(seconds=123.53, n_clicks=1234) for _ in range(11)]
    text = shown(results_table(Tally(games)), width)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= width
    assert "…" not in text
    rows = [line.split() for line in text.splitlines()]
    assert [row[:3] for row in rows if row[:1] == ["11"]] == [["11", "won", "123.53"]]


def test_table_of_two_kinds_of_boards_has_the_totals_of_both():
    text = shown(results_table(Tally([game(shape=(9, 9, 10)), game(), game(GameState.LOST)])), 80)
    assert "9x9, 10 mines: won 1 of 1, 100%" in text
    assert "16x30, 99 mines: won 1 of 2, 50% (95% interval: 9% to 91%), best 12.34 s" in text
    assert "all boards: won 2 of 3, 67%" in text


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ([GameState.WON, GameState.UNKNOWN], "won 1 of 1, 100% (95% interval: 21% to 100%), 1 ended, not known how"),
        ([GameState.UNKNOWN], "won 0 of 0, 1 ended, not known how"),
    ],
)
def test_table_tells_of_games_that_ended_nobody_knows_how(results, told):
    text = shown(results_table(Tally([game(one) for one in results])), 120)
    assert told in text
    assert " unknown " in text


def test_table_narrower_than_its_title_leaves_it_whole():
    text = shown(results_table(Tally([game(seconds=0.53, bbbv=9, n_clicks=9, n_retries=0)])), 80)
    assert text.splitlines()[0].rstrip() == "16x30, 99 mines: won 1 of 1, 100% (95% interval: 21% to 100%), best 0.53 s"


def test_table_of_a_long_run_fits_80_columns():
    games = [game(risks=(0.999999,), n_opened=381, n_clicks=999, seconds=999.0)] * 300
    text = shown(results_table(Tally(games)), 80)
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "…" not in text
    assert "114300" in text


def test_headings_of_the_table_break_no_word():
    assert [name for name, _ in _COLUMNS if "-\n" in name] == []
