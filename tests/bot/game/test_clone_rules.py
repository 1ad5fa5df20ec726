"""What a person can choose, without a window: guess-free and given boards, question marks, hints, undo, best times."""

from __future__ import annotations

import itertools
import json
import os
import re
import time
import tkinter as tk

import numpy as np
import pytest

from bot.bot_clicks import ClickNote
from bot.cli import main
from bot.commands.game import _load_boards
from bot.errors import ScreenError, UsageError
from bot.game.art import cell_sprites, crossed
from bot.game.input import _middle_cell, _moved
from bot.game.plan import fit_zoom, plan_window
from bot.game.records import MOST_KEPT, BestTimes
from bot.game.session import HINTED, QUESTION, GameFigures, GameLog, Rules, Session
from bot.game.sizes import SIZES, BoardSize
from bot.game.stage import open_root
from bot.game.window import _describe
from bot.models import Pixel
from bot.reporting.drawing.marks import mark_of_risk, stamp
from skins.profile_read import load_shipped_skin
from solver import analyse
from solver.board import CLOSED, FLAG, Action, GameState, Move
from solver.fullmap import Verdict, solve_map
from solver.game import Game
from solver.generation import find_hint
from solver.layout import Layout

BEGINNER, FOUR = SIZES["beginner"], SIZES["4d-easy"]
ROW = Layout.of_cells((1, 5), [(0, 1), (0, 3)])


def do(session, action, *cell):
    session.act(Move(action, cell))


def win(session):
    for cell in np.ndindex(session.game.board.shape):
        if not session.game.layout.has_mine[cell]:
            do(session, Action.OPEN, *cell)


@pytest.mark.parametrize("size", [BEGINNER, SIZES["expert"], FOUR, BoardSize((5, 5), 6)])
def test_first_and_later_guess_free_boards_take_no_guess(size):
    session = Session(size, rules=Rules(is_guess_free=True), seed=1)
    for _ in range(3):
        start = session.hint
        do(session, Action.OPEN, *start)
        layout = session.game.layout
        assert start == find_hint(layout)
        assert solve_map(layout, start, mines=size.mines).verdict is Verdict.SOLVED
        session.new_game()


def test_guess_free_board_begun_elsewhere_is_made_anew_and_keeps_its_flags():
    session = Session(BEGINNER, rules=Rules(is_guess_free=True), seed=1)
    assert session.hint != (0, 0)
    do(session, Action.FLAG, 8, 8)
    do(session, Action.OPEN, 0, 0)
    assert session.game.code((0, 0)) == 0
    assert session.game.code((8, 8)) == FLAG
    assert solve_map(session.game.layout, (0, 0), mines=10).verdict is Verdict.SOLVED
    again = Session(BEGINNER, rules=Rules(is_guess_free=True), seed=1)
    do(again, Action.OPEN, 0, 0)
    assert again.game.layout == session.game.layout


def test_guess_free_board_that_cannot_be_leaves_the_game_as_it_was():
    session = Session(BEGINNER, rules=Rules(is_guess_free=True), seed=1)
    game = session.game
    with pytest.raises(UsageError, match="without a guess"):
        session.new_game(BoardSize((3, 3), 7))
    assert (session.game, session.size) == (game, BEGINNER)
    session = Session(BoardSize((3, 3), 7), seed=1)
    with pytest.raises(UsageError, match="without a guess"):
        session.change_rules(is_guess_free=True)
    assert not session.rules.is_guess_free


def test_first_cell_that_no_guess_free_board_begins_at_stays_closed_and_is_told_of():
    session = Session(BoardSize((1, 3), 1), rules=Rules(is_guess_free=True), seed=1)
    start = session.hint
    assert start in ((0, 0), (0, 2))
    do(session, Action.OPEN, 0, 1)  # a 1, and the mine on either side of it
    assert session.game.state is GameState.FRESH
    assert "begin at the cross" in session.remark
    assert session.hint == start


def test_question_marks_come_after_flags_only_where_they_are_on():
    session = Session(BEGINNER, seed=1)
    assert not session.rules.has_question_marks
    shown = []
    for _ in range(2):
        do(session, Action.FLAG, 0, 0)
        shown.append(session.shown[0, 0])
    session.change_rules(has_question_marks=True)
    for _ in range(3):
        do(session, Action.FLAG, 0, 0)
        shown.append(session.shown[0, 0])
    assert shown == [FLAG, CLOSED, FLAG, QUESTION, CLOSED]


def test_question_mark_is_no_flag_and_goes_when_its_cell_opens_or_they_are_turned_off():
    session = Session(BEGINNER, rules=Rules(has_question_marks=True), seed=1)
    for cell in ((0, 0), (8, 8)):
        do(session, Action.FLAG, *cell)
        do(session, Action.FLAG, *cell)
    assert session.mines_left == 10
    do(session, Action.OPEN, 0, 0)
    assert session.shown[0, 0] >= 0
    assert session.shown[8, 8] == QUESTION
    session.change_rules(has_question_marks=False)
    assert session.shown[8, 8] == CLOSED


def test_undo_takes_back_every_move_that_changed_the_board():
    session = Session(BEGINNER, rules=Rules(has_question_marks=True), seed=1)
    seen = [session.shown.copy()]
    for action, cell in (
        (Action.OPEN, (4, 4)),
        (Action.FLAG, (0, 2)),
        (Action.OPEN, (0, 2)),  # a flag is on it: no change
        (Action.FLAG, (0, 2)),
        (Action.FLAG, (0, 2)),
        (Action.OPEN, (0, 2)),
    ):
        before = session.shown.copy()
        do(session, action, *cell)
        if not np.array_equal(before, session.shown):
            seen.append(session.shown.copy())
    assert session.game.state is GameState.LOST
    assert len(seen) == 6
    while session.turns:
        assert np.array_equal(session.shown, seen.pop())
        session.undo()
    assert np.array_equal(session.shown, seen.pop())
    assert session.game.state is GameState.FRESH
    assert session.elapsed_s == 0


def test_undo_after_a_loss_goes_on_with_the_same_board_and_is_logged(tmp_path):
    log = tmp_path / "log"
    session = Session(BEGINNER, seed=1, log=GameLog(log))
    do(session, Action.OPEN, 4, 4)
    layout = session.game.layout
    do(session, Action.OPEN, 0, 2)
    session.undo()
    assert (session.game.state, session.game.layout) == (GameState.PLAYING, layout)
    win(session)
    lost, won = map(json.loads, log.read_text().splitlines())
    assert (lost["result"], won["result"], won["undone"]) == ("lost", "won", 1)
    assert "undone" not in lost


def test_hint_is_a_proven_cell_where_there_is_one_and_goes_with_the_next_move():
    session = Session(BEGINNER, seed=1)
    session.ask_hint()
    assert session.hint is not None
    do(session, Action.OPEN, 4, 4)
    assert session.hint is None
    session.ask_hint()
    assert not session.game.layout.has_mine[session.hint]
    do(session, Action.OPEN, *session.hint)
    assert session.hint is None


def test_hint_says_why_in_a_sentence_and_the_reason_goes_with_the_next_move():
    session = Session(BEGINNER, rules=Rules(is_guess_free=True), seed=1)
    do(session, Action.OPEN, *session.hint)
    session.ask_hint()
    assert re.fullmatch(r"hint: .*(already has its|taken together|no mine beside it|mine count).*\.", session.remark)
    assert session.remark[1:] in _describe(session)
    do(session, Action.OPEN, *session.hint)
    assert session.remark == ""


def test_hint_for_a_guess_says_its_risk():
    session = Session(BEGINNER, seed=1)
    session.ask_hint()
    assert session.remark.startswith("hint: a guess: nothing is proven safe, and 12.35%")


def test_pause_stops_the_clock_and_the_next_move_does_nothing_but_go_on():
    now = [0.0]
    session = Session(BEGINNER, seed=1, clock=lambda: now[0])
    session.toggle_pause()
    assert not session.is_paused, "nothing was begun"
    do(session, Action.OPEN, 4, 4)
    now[0] = 3.0
    session.toggle_pause()
    now[0] = 100.0
    assert session.elapsed_s == 3.0
    assert "P or a click goes on" in _describe(session)
    before, n_clicks = session.game.board, session.n_clicks
    session.ask_hint()
    session.undo()
    assert session.look_at_risks() is None
    assert (session.hint, session.is_aided) == (None, False)
    do(session, Action.FLAG, *min(session.game.layout.mine_cells))
    assert (session.game.board, session.n_clicks, session.is_paused) == (before, n_clicks, False)
    now[0] = 102.0
    assert session.elapsed_s == 5.0
    session.toggle_pause()
    session.new_game()
    assert not session.is_paused


def test_risks_are_those_of_the_solver_and_the_game_counts_for_no_best_time():
    session = Session(BEGINNER, seed=1)
    do(session, Action.OPEN, 4, 4)
    assert not session.is_aided
    risks = session.look_at_risks()
    assert np.array_equal(risks, analyse(session.game.board).p_mine, equal_nan=True)
    assert session.is_aided
    win(session)
    assert session.look_at_risks() is None


def test_every_risk_looks_different_from_its_neighbours_and_from_a_closed_cell():
    closed = cell_sprites(load_shipped_skin("minebot"))[CLOSED]
    height, width = closed.shape[:2]
    drawn = [closed, *(stamp(mark_of_risk(n / 100), width, height).on(closed) for n in range(101))]
    assert all((one != other).any() for one, other in itertools.pairwise(drawn))


def test_best_time_is_not_kept_where_the_bot_clicked_in_the_game(tmp_path):
    note = ClickNote(tmp_path / "data" / "note")
    times = BestTimes(tmp_path / "best.json", note)

    def played(*, by_bot):
        session = Session(BoardSize((4, 4), 15), best_times=times)
        if by_bot:
            note.note()
        do(session, Action.OPEN, 0, 0)
        assert session.game.state is GameState.WON
        return session.remark

    assert played(by_bot=False) == "best time!"
    assert played(by_bot=True) == "the bot clicked: no best time"
    long_ago = time.time() - 60
    os.utime(tmp_path / "data" / "note", (long_ago, long_ago))
    assert played(by_bot=False) in ("best time!", "time number 2")
    assert len(times.kept["4x4/15"]) == 2


def test_hint_lies_over_what_is_marked_on_its_cell():
    session = Session(BEGINNER, rules=Rules(is_guess_free=True, has_question_marks=True), seed=1)
    seen = [session.shown[session.hint]]
    for _ in range(3):
        do(session, Action.FLAG, *session.hint)
        seen.append(session.shown[session.hint])
    assert seen == [HINTED[CLOSED], HINTED[FLAG], HINTED[QUESTION], HINTED[CLOSED]]


def test_cross_of_a_hint_is_a_sprite_of_a_closed_cell_in_the_games_own_skin():
    skin = load_shipped_skin("minebot")
    closed, with_cross = skin.sprites_of("closed")
    assert (
        np.abs(crossed(closed.pixels_bgr).astype(int) - with_cross.pixels_bgr).max() <= 1
    )  # of another machine's roots


def test_given_boards_come_one_after_the_other_until_another_size_is_asked_for(tmp_path):
    file = tmp_path / "boards"
    file.write_text("7 1 5 0,2 0,1;0,3\n8 2,2,2,2 0,0,0,0 1,1,1,1\n")
    session = Session(BEGINNER, boards=_load_boards(file))
    assert (session.size, session.hint) == (BoardSize((1, 5), 2), (0, 2))
    do(session, Action.OPEN, 0, 2)
    assert session.game.layout == ROW
    session.new_game()
    assert (session.size.shape, session.hint) == ((2, 2, 2, 2), (0, 0, 0, 0))
    do(session, Action.OPEN, 0, 0, 0, 0)
    session.new_game()
    assert session.size.shape == (1, 5)
    session.new_game(BEGINNER)
    assert (session.size, session.hint) == (BEGINNER, None)


@pytest.mark.parametrize(("content", "named"), [("", "board"), ("1#\n", "board"), ("1 1 200 0,0 0,1\n", "cols")])
def test_board_files_that_hold_none_are_refused_by_name(content, named, tmp_path, capsys):
    file = tmp_path / "no-board.txt"
    file.write_text(content)
    assert main(["game", "--board", str(file)]) == 2
    told = capsys.readouterr().err
    assert "no-board.txt" in told
    assert named in told


def test_generated_board_is_played_from_its_file(tmp_path, capsys):
    assert main(["generate", "--guess-free", "--shape", "9,9", "--mines", "10", "--seed", "3"]) == 0
    file = tmp_path / "board.txt"
    text = capsys.readouterr().out
    file.write_text(text)
    (deal,) = _load_boards(file)
    assert f"begin at: {deal.first_cell[0]},{deal.first_cell[1]}" in text
    assert solve_map(deal.layout, deal.first_cell, mines=10).verdict is Verdict.SOLVED


def test_bbbv_of_counts_whole_openings_and_lone_numbers():
    layout = Layout.of_cells((1, 8), [(0, 2), (0, 7)])  # two openings, 0 1 and 1 0 0 1
    game = Game.on(layout)
    assert layout.bbbv == 2
    assert layout.bbbv_of(game.board.cells >= 0) == 0
    game.open((0, 1))  # a number beside an opening is part of it
    assert layout.bbbv_of(game.board.cells >= 0) == 0
    game.open((0, 0))
    assert layout.bbbv_of(game.board.cells >= 0) == 1
    game.open((0, 5))
    assert layout.bbbv_of(game.board.cells >= 0) == layout.bbbv
    lone = Game.on(ROW)
    lone.open((0, 2))
    assert (ROW.bbbv, ROW.bbbv_of(lone.board.cells >= 0)) == (3, 1)


def test_score_says_what_it_can():
    score = GameFigures(seconds=4.0, clicks=10, bbbv=20, bbbv_done=8)
    assert (score.bbbv_per_s, score.efficiency) == (2.0, 0.8)
    assert score.text == "4.00 s, 3BV 8 of 20, 3BV/s 2.00, efficiency 80%"
    assert GameFigures(0.0, 1, 1, 1).text == "0.00 s, 3BV 1, efficiency 100%"


def test_best_times_are_kept_by_size_and_kind_between_sittings(tmp_path):
    path = tmp_path / "folder" / "best.json"
    now = [0.0]

    def sit(*, is_guess_free=False, mines=2, seconds=1.0, aid=None, **options):
        rules = Rules(is_guess_free=is_guess_free)
        session = Session(
            BoardSize((4, 4), mines), rules=rules, best_times=BestTimes(path), clock=lambda: now[0], **options
        )
        if aid == "hint":
            session.ask_hint()
        if aid == "undo":
            do(session, Action.FLAG, 3, 3)
            session.undo()
        do(session, Action.OPEN, 0, 0)
        now[0] += seconds
        win(session)
        assert session.game.state is GameState.WON
        return session

    sessions = [sit(mines=15, seconds=0.0), sit(seconds=3.0), sit(seconds=2.0), sit(is_guess_free=True)]
    kept = json.loads(path.read_text())
    assert set(kept) == {"4x4/15", "4x4/2", "4x4/2 guess-free"}
    assert [time["seconds"] for time in kept["4x4/2"]] == sorted(session.elapsed_s for session in sessions[1:3])
    assert sessions[1].remark == "best time!"
    before = path.read_text()
    for unkept in ({"aid": "hint"}, {"aid": "undo"}, {"seed": 1}):
        session = sit(seconds=0.0, **unkept)
        assert path.read_text() == before, unkept
        assert session.remark == ""


def test_best_times_keep_the_ten_best_and_say_which_place_one_takes(tmp_path):
    times = BestTimes(tmp_path / "best.json")
    places = [times.add("9x9/10", seconds, 20, 30) for seconds in (5, 4, 6, *range(7, 14), 3.5, 20)]
    assert places == [1, 1, 3, *range(4, 11), 1, None]
    again = BestTimes(tmp_path / "best.json")
    assert [time.seconds for time in again.kept["9x9/10"]] == [3.5, *range(4, 13)]
    assert len(again.kept["9x9/10"]) == MOST_KEPT
    assert list(tmp_path.iterdir()) == [tmp_path / "best.json"]


def test_best_times_of_two_windows_are_both_kept(tmp_path):
    one, other = (BestTimes(tmp_path / "best.json") for _ in range(2))
    one.add("9x9/10", 5, 20, 30)
    other.add("9x9/10", 4, 20, 30)
    assert [time.seconds for time in BestTimes(tmp_path / "best.json").kept["9x9/10"]] == [4, 5]


@pytest.mark.parametrize("content", ["[", "[]", '{"9x9/10": [{"seconds": "five"}]}', '{"9x9/10": [{"when": 1}]}'])
def test_best_times_that_are_none_are_left_alone_and_named(content, tmp_path, capsys):
    path = tmp_path / "best.json"
    path.write_text(content)
    assert main(["game", "--best-times", str(path)]) == 2
    assert "best.json" in capsys.readouterr().err
    assert path.read_text() == content


def test_best_time_that_cannot_be_written_is_told_of_and_the_game_goes_on(tmp_path):
    (tmp_path / "file").write_text("")
    session = Session(BoardSize((1, 2), 1), best_times=BestTimes(tmp_path / "file" / "best.json"))
    do(session, Action.OPEN, 0, 0)
    assert session.game.state is GameState.WON
    assert "cannot be written" in _describe(session)


def test_describe_says_what_a_game_is_and_how_it_ended():
    session = Session(BEGINNER, rules=Rules(is_guess_free=True), seed=1)
    assert _describe(session) == "Beginner: 9x9, 10 mines, guess-free. Begin at the cross."
    session = Session(BEGINNER, seed=1)
    session.best_times.add("9x9/10", 12.345, 20, 30)
    assert _describe(session) == "Beginner: 9x9, 10 mines. Best time: 12.35 s."
    do(session, Action.OPEN, 4, 4)
    mines = sorted(session.game.layout.mine_cells)
    do(session, Action.FLAG, *mines[0])
    do(session, Action.FLAG, 0, 3)
    do(session, Action.OPEN, *mines[1])
    assert re.match(r"Lost: 0\.\d\d s, 3BV 1 of 18", _describe(session))
    assert _describe(session).endswith("Flags: 1 right, 1 wrong. W: why?")
    session.undo()
    assert _describe(session).endswith("Practice: no best time.")


@pytest.mark.parametrize(
    ("size", "room", "scale", "zoom"),
    [
        (SIZES["expert"], (3824, 1770), 3.0, 3.0),
        (SIZES["expert"], (3824, 1770), 2.5, 2.0),
        (SIZES["expert"], (1904, 950), 3.0, 2.0),
        (SIZES["expert"], (1904, 950), 1.0, 1.0),
        (SIZES["expert"], (784, 470), 2.0, 1.0),
        (BoardSize((100, 100), 2000), (1904, 950), 1.5, 1.0),
    ],
)
def test_fit_zoom_is_the_desktops_scale_or_what_has_room(size, room, scale, zoom):
    assert fit_zoom(load_shipped_skin("minebot"), size, room, scale) == zoom


@pytest.mark.parametrize("size", [BEGINNER, BoardSize((2, 3), 1), FOUR])
def test_plan_with_rulers_has_room_left_and_below_and_is_else_the_same(size):
    skin = load_shipped_skin("minebot")
    plain, ruled = plan_window(skin, size, 1.5), plan_window(skin, size, 1.5, has_rulers=True)
    dx = ruled.grid.region.left - plain.grid.region.left
    assert (dx, ruled.grid.region.top) == (39, plain.grid.region.top)
    assert (ruled.width - plain.width, ruled.height - plain.height) == (39, 30)
    for one, other in ((plain.face, ruled.face), (plain.timer, ruled.timer), (plain.mine_counter, ruled.mine_counter)):
        assert (other.left - one.left, other.top) == (dx, one.top)


@pytest.mark.parametrize("zoom", [1.0, 1.5, 2.0])
def test_plan_of_four_dimensions_is_a_block_of_flat_boards(zoom):
    plan = plan_window(load_shipped_skin("minebot"), FOUR, zoom)
    pitch, gap = round(24 * zoom), round(10 * zoom)
    regions = {cell: plan.grid.cell_region(cell) for cell in np.ndindex(FOUR.shape)}
    origin = regions[0, 0, 0, 0]
    for (x, y, z, w), region in regions.items():
        assert region.left - origin.left == (4 * pitch + gap) * y + pitch * w
        assert region.top - origin.top == (4 * pitch + gap) * x + pitch * z
        assert (region.width, region.height) == (pitch, pitch)
        assert plan.cell_at(region.middle) == (x, y, z, w)
    assert plan.cell_at(Pixel(origin.left + 4 * pitch + gap // 2, origin.top)) is None
    last = regions[3, 3, 3, 3]
    assert plan.width - (last.left + last.width) == plan.height - (last.top + last.height) == round(12 * zoom)


def test_cursor_goes_over_gaps_and_stays_on_the_board():
    grid = plan_window(load_shipped_skin("minebot"), FOUR).grid
    assert _middle_cell(grid) == (2, 2, 0, 0)
    assert _moved(grid, (2, 2, 0, 0), "Left") == (2, 1, 0, 3)
    assert _moved(grid, (2, 2, 0, 0), "Up") == (1, 2, 3, 0)
    assert _moved(grid, (3, 3, 3, 3), "Right") == _moved(grid, (3, 3, 3, 3), "Down") == (3, 3, 3, 3)
    flat = plan_window(load_shipped_skin("minebot"), BEGINNER).grid
    assert _moved(flat, (0, 0), "Up") == _moved(flat, (0, 0), "Left") == (0, 0)
    assert _moved(flat, (4, 4), "Down") == (5, 4)


@pytest.mark.parametrize(
    ("fault", "advice"),
    [
        ("no display name and no $DISPLAY environment variable", "xvfb-run -a minebot game"),
        ("Can't find a usable init.tcl in the following directories: \n    {/usr/lib/tcl8.6}\n\n", "python -m tkinter"),
    ],
)
def test_a_window_that_cannot_be_opened_is_told_of_with_what_to_do(monkeypatch, fault, advice):
    def cannot(**_):
        raise tk.TclError(fault)

    monkeypatch.setattr(tk, "Tk", cannot)
    with pytest.raises(ScreenError) as told:
        open_root("minebot", "game")
    assert advice in str(told.value)
    assert str(told.value).count("\n") <= 1
