"""The player on a desktop that misbehaves: what it says and does, held against the truth of every click."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from fake_desktop import CoverKind, FakeDesktop, Faults, Target, impatient
from player_table import (
    BEGINNER,
    CLASSIC,
    ENDLESS,
    MINEBOT,
    WALLED,
    WALLED_LEVEL,
    Table,
    after_clicks,
    check_manners,
    check_truth,
    layout_of,
    simulate_time,
)

from bot.errors import Aborted, BotError
from bot.images import load_frame
from bot.models import Frame, Grid, Pixel, Reading
from bot.playing import mover
from bot.playing.actuator import NoEffectError
from bot.playing.aftermath import NEW_GAME_TRIES
from bot.playing.new_game import MOST_BROKEN_OFF
from bot.playing.reporter import UnreadableError
from bot.playing.results import Guess
from bot.playing.session import _keep_picture
from bot.playing.transitions import is_another_game
from solver import board as codes
from solver.board import CLOSED, Action, GameState, parse_board
from solver.errors import DisagreementError
from solver.layout import LEVELS, Layout

# --- whole games


@pytest.mark.parametrize("skin", [CLASSIC, MINEBOT], ids=["classic", "minebot"])
def test_player_beginner_games_are_played_to_their_true_ends(sit_down, skin):
    table = sit_down(skin, seed=11)
    results = table.play(6)
    check_truth(table, results)
    assert {result.result for result in results} == {GameState.WON, GameState.LOST}
    assert all(guess.p_mine > 0 for result in results for guess in result.guesses)


@pytest.mark.parametrize(
    ("rule", "start"), [("any", (0, 0)), ("safe", (0, 0)), ("zero", (2, 2)), ("moved-to-corner", (8, 8))]
)
def test_player_begins_by_the_rule_for_the_first_click(sit_down, rule, start):
    table = sit_down(replace(CLASSIC, first_click=rule), seed=12)
    results = table.play(8)
    check_truth(table, results)
    for n, result in enumerate(results):
        assert table.desktop.cell_clicks(n)[0].cell == start
        assert result.guesses[0] == Guess(start, 10 / 81 if rule == "any" else 0.0)


@pytest.mark.parametrize("rule", ["safe", "moved-to-corner"])
def test_player_guesses_by_the_first_cell_that_it_opened(sit_down, rule):
    table = sit_down(replace(CLASSIC, first_click=rule), level=LEVELS["intermediate"], seed=12)
    results = table.play(8)
    check_truth(table, results)
    hunted = [result.guesses[1] for result in results if len(result.guesses) > 1]
    beyond = [guess for guess in hunted if guess.cell == ((0, 0) if rule == "moved-to-corner" else (15, 15))]
    assert bool(beyond) is (rule == "safe"), "by the book the opposite corner comes next, but mines move to the first"
    assert hunted


@pytest.mark.parametrize(("level", "seed"), [("intermediate", 1), ("intermediate", 2), ("expert", 3)])
def test_player_larger_games_are_played_to_their_true_ends(sit_down, level, seed):
    table = sit_down(level=LEVELS[level], seed=seed)
    check_truth(table, table.play(2))


@pytest.mark.parametrize(
    "faults",
    [
        Faults(p_lost=0.3),
        Faults(repaint_s=(0.005, 0.12)),
        Faults(flood_s=0.05),
        Faults(repaint_s=(0.002, 0.03), flood_s=0.2),
        Faults(pressed_s=0.02),
        Faults(p_lost=0.3, repaint_s=(0.002, 0.03), flood_s=0.05, pressed_s=0.01),
    ],
    ids=["lost", "late", "in pieces", "late and in pieces", "pressed", "all of it"],
)
@pytest.mark.parametrize("seed", [5, 6])
def test_player_faulty_desktop_changes_nothing_but_the_time(sit_down, faults, seed):
    table = sit_down(seed=seed, faults=faults)
    check_truth(table, table.play(4))


def test_player_faulty_desktop_intermediate(sit_down):
    faults = Faults(p_lost=0.3, repaint_s=(0.002, 0.03), flood_s=0.05, pressed_s=0.01)
    table = sit_down(level=LEVELS["intermediate"], seed=7, faults=faults)
    check_truth(table, table.play(2))


def test_player_decides_on_while_clicks_are_under_way(sit_down, monkeypatch):
    table = sit_down(level=LEVELS["expert"], seed=3, faults=Faults(repaint_s=(0.03, 0.06)))
    n_under_way = []
    told = table.witness.decided

    def decided(reading, moves):
        told(reading, moves)
        is_open = table.desktop.game.board.cells >= 0
        under_way = set(zip(*np.nonzero(is_open & (reading.board.cells == CLOSED)), strict=True))
        n_under_way.append(len(under_way))
        if under_way:
            assert {(move.action, move.is_guess) for move in moves} == {(Action.OPEN, False)}
            assert under_way <= {move.cell for move in moves}, "they are proven safe still"

    monkeypatch.setattr(table.witness, "decided", decided)
    check_truth(table, table.play(3))
    assert max(n_under_way) > 1
    assert min(n_under_way) == 0


def test_player_begun_game_is_played_on(sit_down):
    table = sit_down(seed=3)
    table.desktop.game.open((4, 4))
    table.desktop.game.open((0, 0))
    n_before = int((table.desktop.game.board.cells >= 0).sum())
    table.desktop.repaint()
    result, after = table.play(2)
    assert result.result is table.desktop.games[0].state
    assert result.n_opened == int((table.desktop.games[0].board.cells >= 0).sum()) - n_before
    assert result.seconds is None, "it has no time of its own"
    assert after.seconds is not None


@pytest.mark.parametrize("by", [(20, 15), (-200, 100)])
@pytest.mark.parametrize("opened", [(), ((4, 4),)], ids=["fresh", "begun"])
@pytest.mark.parametrize("is_told", [True, False], ids=["windows", "no windows"])
def test_player_board_that_moves_right_after_it_was_found_is_played_where_it_is(monkeypatch, by, opened, is_told):
    """What showed at its old place was the window under it."""
    desktop = FakeDesktop(CLASSIC, BEGINNER, seed=3, origin=Pixel(0, 0))
    desktop.knows_programs = is_told
    simulate_time(monkeypatch, desktop.clock)
    for cell in opened:
        desktop.game.open(cell)
    desktop.repaint()
    table = Table(desktop, on_found=lambda: desktop.move_window(*by))
    (result,) = table.play()
    assert result.result is desktop.game.state
    assert any("the board has moved" in text for text in table.witness.remarks)
    check_manners(desktop)


def test_player_finished_board_is_cleared_first(sit_down):
    table = sit_down(seed=3)
    first = table.desktop.game
    while not first.is_over:
        first.open(next(cell for cell in np.ndindex(9, 9) if first.code(cell) == codes.CLOSED))
    table.desktop.repaint()
    (result,) = table.play()
    assert table.desktop.clicks[0].pixel == table.desktop.spot
    assert result.result is table.desktop.games[1].state


# --- things in the way


@pytest.mark.parametrize("n_clicks", [4, 9, 14, 47])  # of 48: one more click is due, and then a win
@pytest.mark.parametrize("what", ["cover", "cover of mines", "closed"])
def test_player_board_in_part_or_whole_gone_stops_with_picture_and_no_click(sit_down, n_clicks, what):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    desktop = table.desktop
    happen = {
        "cover": lambda: desktop.cover(range(2, 7), range(9)),
        "cover of mines": lambda: desktop.cover(range(1), range(1)),
        "closed": desktop.close_window,
    }[what]
    after_clicks(desktop, n_clicks, happen)
    with pytest.raises(UnreadableError) as stop:
        table.play()
    happened, helps, kept = str(stop.value).split("\n")
    assert happened.endswith(": nothing more was clicked")
    assert ("not where it was" if what == "closed" else "cannot be read") in happened
    assert helps.startswith("Its window is closed" if what == "closed" else "Another window lies over it")
    assert kept == "Its picture is kept in kept.png"
    assert len(desktop.clicks) == n_clicks
    assert desktop.keys == []
    assert len(table.kept) == 1
    assert table.kept[0].region == desktop.grid.region


def test_player_stop_whose_picture_cannot_be_kept_says_so(sit_down, monkeypatch):
    def keep_on_a_full_disk(_frame):
        raise OSError(errno.ENOSPC, "No space left on device")

    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    monkeypatch.setattr(table.player.play.reporter, "_keep_picture", keep_on_a_full_disk)
    after_clicks(table.desktop, 9, lambda: table.desktop.cover(range(2, 7), range(9)))
    with pytest.raises(UnreadableError, match=r"Its picture cannot be kept: .*No space left on device"):
        table.play()


def test_pictures_that_are_kept_in_the_same_second_have_a_file_each(tmp_path, monkeypatch):
    monkeypatch.setattr("platformdirs.user_state_dir", lambda *_, **__: str(tmp_path))
    monkeypatch.setattr("bot.playing.session.time.strftime", lambda _form: "now.png")
    frames = [Frame(np.full((4, side, 3), side, dtype=np.uint8)) for side in (5, 6, 7)]
    kept = [Path(_keep_picture(frame)) for frame in frames]
    assert [path.name for path in kept] == ["now.png", "now-2.png", "now-3.png"]
    assert [load_frame(path).region.width for path in kept] == [5, 6, 7]


def test_player_cover_while_deciding_stops_without_a_click(sit_down, monkeypatch):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    honest = mover.decide_moves

    def slow_decide(*args):
        if len(table.desktop.clicks) == 8:
            table.desktop.cover(range(9), range(9))
        return honest(*args)

    monkeypatch.setattr(mover, "decide_moves", slow_decide)
    with pytest.raises(UnreadableError):
        table.play()
    assert len(table.desktop.clicks) == 8


def open_number(game):
    """An open cell with a number, and a number that contradicts its neighbours whatever they are."""
    for cell in np.ndindex(*game.board.shape):
        near = game.topology.neighbours(cell)
        n_closed = sum(game.code(c) == codes.CLOSED for c in near)
        if game.code(cell) > 0 and n_closed < 8:
            return cell, str(n_closed + 1)
    raise AssertionError("no open number")


def misread_after(desktop, n_clicks, seconds):
    after_clicks(desktop, n_clicks, lambda: desktop.misread(*open_number(desktop.game), seconds))


@pytest.mark.parametrize("n_clicks", [3, 6, 11])
def test_player_contradiction_once_is_looked_at_again_and_played_on(sit_down, n_clicks):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    misread_after(table.desktop, n_clicks, 0.1)
    check_truth(table, table.play())
    assert table.desktop.cell_clicks()[n_clicks:], "there was more to play"


@pytest.mark.parametrize("n_clicks", [3, 6, 11])
def test_player_contradiction_for_good_stops_with_picture_and_no_click(sit_down, n_clicks):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    misread_after(table.desktop, n_clicks, ENDLESS)
    with pytest.raises(UnreadableError, match=r"(?s)contradicts itself.*kept\.png"):
        table.play()
    assert len(table.desktop.clicks) == n_clicks
    assert len(table.kept) == 1


def test_player_cell_held_down_for_good_stops_without_a_click(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])
    table.desktop.misread((4, 4), "0")
    with pytest.raises(UnreadableError, match="open 0 beside a closed cell"):
        table.play()
    assert table.desktop.clicks == []


def begin_another(desktop):
    desktop.new_game_by_person()


def begin_another_in_a_pause(desktop):
    desktop.control.toggle()
    desktop.new_game_by_person()
    desktop.control.toggle()


@pytest.mark.parametrize("begin", [begin_another, begin_another_in_a_pause])
@pytest.mark.parametrize("n_clicks", range(3, 25, 3))
def test_player_new_game_in_the_middle_of_a_burst_is_not_played_with_old_knowledge(sit_down, begin, n_clicks):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)], seed=n_clicks)
    after_clicks(table.desktop, n_clicks, lambda: begin(table.desktop))
    (result,) = table.play()
    assert len(table.desktop.games) == 2
    assert result.result is table.desktop.game.state
    exploded = [press.cell for press in table.desktop.clicks if press.has_exploded]
    assert exploded == ([result.guesses[-1].cell] if result.result is GameState.LOST else [])


def begun_anew(desktop, begin, n_times):
    """Have every sixth click begin another game, this many times."""
    desktop.on_click = lambda n: begin(desktop) if n % 6 == 0 and n <= 6 * n_times else None


def test_player_games_that_never_come_to_an_end_end_play_with_a_message(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 20)
    begun_anew(table.desktop, begin_another, 100)
    with pytest.raises(BotError, match=f"{MOST_BROKEN_OFF + 1} games in a row gave way to another one"):
        table.play()
    assert len(table.desktop.games) == MOST_BROKEN_OFF + 2


def test_player_games_that_a_person_begins_in_pauses_are_played_however_many(sit_down, monkeypatch):
    n_begun = MOST_BROKEN_OFF + 4
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 20)
    desktop, control = table.desktop, table.desktop.control
    check = control.check

    def _go_on():
        """A person begins another game while play is paused, and has play go on."""
        if not control.is_running:
            desktop.new_game_by_person()
            control.toggle()
        check()

    monkeypatch.setattr(control, "check", _go_on)
    begun_anew(desktop, lambda _: control.toggle(), n_begun)
    assert len(table.play()) == 1
    assert len(desktop.games) == n_begun + 1


def test_player_frozen_game_stops_after_tries_on_one_cell(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])

    def freeze():
        table.desktop.is_frozen = True

    after_clicks(table.desktop, 5, freeze)
    with pytest.raises(NoEffectError, match="did not change after"):
        table.play()
    last = table.desktop.clicks[5:]
    assert 5 < len(last) < 40
    assert len({press.cell for press in last}) == 1


def test_player_new_game_that_never_comes_is_an_error(sit_down):
    table = sit_down(seed=1)
    games = table.player.iter_games(2)
    next(games)
    n_before = len(table.desktop.clicks)
    table.desktop.is_frozen = True
    with pytest.raises(BotError, match="no new game"):
        next(games)
    assert [press.pixel for press in table.desktop.clicks[n_before:]] == [table.desktop.spot] * NEW_GAME_TRIES


def test_player_waits_longer_for_a_new_game_each_time(sit_down):
    """A page that is loading begins to load anew when it is asked again."""
    table = sit_down(seed=1, faults=Faults(begins_s=3.0))
    assert len(list(table.player.iter_games(2))) == 2
    asked = [press for press in table.desktop.clicks if press.pixel == table.desktop.spot]
    assert len(asked) == 3


def test_player_that_waits_for_a_person_to_begin_a_game_is_stopped_by_the_abort_key(sit_down):
    table = sit_down(impatient(CLASSIC, spot_px=None), seed=1)
    games = table.player.iter_games(2)
    next(games)
    table.witness.on_remark = lambda: table.desktop.clock.after(5, table.desktop.abort)
    with pytest.raises(Aborted):
        next(games)
    assert len(table.desktop.games) == 1


# --- two engines


def test_player_never_clicks_when_the_two_engines_disagree(sit_down, monkeypatch):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)])

    def disagree(analysis):
        raise DisagreementError(f"not all of {analysis.safe} are safe, by proof")

    monkeypatch.setattr("solver.decision.confirm", disagree)
    with pytest.raises(UnreadableError, match=r"(?s)disagrees with itself.*kept\.png"):
        table.play()
    assert len(table.desktop.clicks) == 1, "the first click is a guess, and nothing is proven yet"
    assert len(table.kept) == 1


@pytest.mark.parametrize(
    ("ended", "now", "is_another"),
    [
        ("1F\n11", "##\n##", True),
        ("1F\n11", "#1\n#1", True),  # begins with cells open
        ("1F\n11", "1F\n11", False),
        ("1X\n1#", "1X\n1#", False),
        ("1#\n1#", "12\n1#", False),  # the same game going on
        ("1F\n11", "#!\n##", False),
    ],
)
def test_another_game_is_one_where_open_cells_are_closed_again(ended, now, is_another):
    assert is_another_game(reading_of(now), reading_of(ended)) is is_another


def reading_of(text):
    board = parse_board(text).with_mines(1)
    unknown = tuple((int(row), int(col)) for row, col in np.argwhere(board.cells == codes.UNREADABLE))
    grid = Grid(Pixel(0, 0), (16, 16), *board.cells.shape)
    return Reading("classic", grid, board, np.ones(board.cells.shape), unknown, board.state)


def test_player_window_over_a_part_of_an_ended_board_begins_no_game(sit_down):
    table = sit_down(seed=11)
    desktop = table.desktop

    def cover_what_was_lost(_n_clicks):
        if desktop.game.state is GameState.LOST and not desktop.is_covered:
            row, _ = desktop.clicks[-1].cell
            desktop.cover(range(6, 8) if row < 5 else range(1, 3), range(9))

    desktop.on_click = cover_what_was_lost
    with pytest.raises(UnreadableError, match="cannot be read"):
        table.play(ENDLESS)
    assert desktop.is_covered
    assert table.witness.results[-1].result is GameState.LOST
    assert (desktop.clicks[-1].has_exploded, desktop.keys) == (True, [])


HALF_AND_HALF = [Layout.of_cells((16, 16), [(2, 14), (2, 15), (row, 15)]) for row in (0, 1)]
"""Nothing tells which of the cells (0,15) and (1,15) has the third mine."""


@pytest.mark.parametrize("is_won_too", [False, True])
def test_player_end_is_told_where_it_paints_the_whole_window_anew(sit_down, is_won_too):
    table = sit_down(level=(16, 16, 3), layouts=HALF_AND_HALF)
    desktop, draw = table.desktop, table.desktop._picture
    painted = {GameState.LOST, GameState.WON} if is_won_too else {GameState.LOST}
    desktop._picture = lambda seen: draw(seen) // (4 if desktop.game.state in painted else 1)
    results = table.play(2)
    assert [result.result for result in results] == [game.state for game in desktop.games[:2]]
    assert {result.result for result in results} == {GameState.WON, GameState.LOST}


@pytest.mark.parametrize("knows_programs", [True, False])
@pytest.mark.parametrize("is_uncovered", [True, False])
def test_player_window_over_the_button_for_a_new_game_gets_no_click(sit_down, is_uncovered, knows_programs):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 2, knows_programs=knows_programs)
    desktop = table.desktop
    games = table.player.iter_games(2)
    next(games)
    cover = desktop.cover_with(CoverKind.TOOLTIP, (0.1, -0.25, 0.8, 0.1))
    assert desktop.target_at(desktop.spot) is Target.COVER
    if is_uncovered:
        desktop.clock.after(2.0, lambda: desktop.uncover(cover))
        assert next(games).result is GameState.WON
        check_manners(desktop)
    else:
        with pytest.raises(UnreadableError, match="over the button for a new game"):
            next(games)
        assert len(desktop.clicks) == len(desktop.cell_clicks())


def test_player_window_that_is_over_the_button_only_when_it_is_clicked_gets_no_click(sit_down, monkeypatch):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 2)
    games = table.player.iter_games(2)
    next(games)
    monkeypatch.setattr(table.player.play.next_game, "may_ask", lambda: True)
    table.desktop.cover_with(CoverKind.TOOLTIP, (0.1, -0.25, 0.8, 0.1))
    with pytest.raises(UnreadableError, match="over the button for a new game"):
        next(games)
    assert len(table.desktop.clicks) == len(table.desktop.cell_clicks())


def test_player_window_laid_over_the_button_while_play_was_paused_gets_no_click(sit_down):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 2)
    desktop = table.desktop
    games = table.player.iter_games(2)
    next(games)
    desktop.control.resumes_s = 1.0
    desktop.control.toggle()
    desktop.cover_with(CoverKind.TOOLTIP, (0.1, -0.25, 0.8, 0.1))
    with pytest.raises(UnreadableError, match="over the button for a new game"):
        next(games)
    assert len(desktop.clicks) == len(desktop.cell_clicks())


def test_player_board_of_another_window_exactly_over_the_one_that_is_played_gets_no_click(sit_down, monkeypatch):
    table = sit_down(level=WALLED_LEVEL, layouts=[layout_of(WALLED)] * 2)
    desktop = table.desktop
    clicks_before = []

    def raise_another_window():
        clicks_before.append(len(desktop.clicks))
        desktop.new_game_by_person()
        monkeypatch.setattr(desktop, "window_at", lambda _: -1)

    desktop.after_clicks(14, raise_another_window)
    with pytest.raises(UnreadableError, match="another window with a board lies over it"):
        table.play()
    assert clicks_before == [len(desktop.clicks)]
