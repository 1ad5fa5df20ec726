"""The coach over a window of the test's own making, one round after the other: no screen, no clicks, no waiting."""

from __future__ import annotations

import random
import time
from dataclasses import replace

import numpy as np
import pytest
from painted import paint
from patience import PATIENCE_S

from bot.coaching.coach import REST_S, Coach, CoachKeys, GameRecorder, WindowBoard
from bot.errors import Aborted, ScreenError, WindowClosedError
from bot.models import Frame, Pixel, Region
from bot.playing.control import Control
from bot.reporting.recording import Journal, Recording
from bot.reviewing.replay_files import iter_steps, load_replays
from skins import load_shipped_skin
from solver import parse_board
from solver.board import CLOSED, Action, GameState
from solver.game import Game
from solver.layout import FirstClick, Layout

SKIN = load_shipped_skin("minebot")
PX = SKIN.pitch_px[0]
CORNER = Pixel(20, 60)
SIDE_PX = 8 * PX + 80
FRESH = "########\n" * 8
OPENED = """
; mines: 10
00001###
12111#3#
#3#111##
########
########
########
########
########
"""


GUESS = "; mines: 10\n1#######" + "\n########" * 7
"""Nothing is proven: a corner far from the number is the best guess, a cell beside it is none."""
HALF_PAINTED = GUESS.replace("1###", "1#0#")  # a flood that has only begun
CORNER_CELL, BESIDE_NUMBER = (0, 7), (1, 1)
NAMES = {-1: "closed", -2: "flag", -4: "mine", -5: "exploded", -6: "wrong_flag"}


class Window:
    """A clone's window that shows what it is given."""

    def __init__(self, text):
        self.at = Region(100, 50, SIDE_PX, SIDE_PX)
        self.is_closed = False
        self.has_painted = False
        self.pointed = None
        self.n_grabs = 0
        self.show(text)

    def show(self, text, corner=CORNER):
        cells = parse_board(text).cells
        words = [[NAMES.get(code, str(code)) for code in row] for row in cells.tolist()]
        self.pixels = np.full((self.at.height, self.at.width, 3), 90, dtype=np.uint8)
        painted = paint(SKIN, words)
        self.pixels[corner.y : corner.y + painted.shape[0], corner.x : corner.x + painted.shape[1]] = painted
        self.has_painted = True

    def blank(self):
        self.pixels[:] = 90
        self.has_painted = True

    def grab(self, region=None):
        self.n_grabs += 1
        if self.place() is None:
            raise ScreenError("the window does not show")
        whole = Frame(self.pixels.copy())
        return whole if region is None else whole.crop(region)

    def place(self):
        if self.is_closed:
            raise WindowClosedError("the window was closed")
        return self.at

    def has_changed(self):
        was, self.has_painted = self.has_painted, False
        return was

    def pointer(self):
        return self.pointed

    def monitor(self):
        return Region(0, 0, 1280, 1024)

    def close(self):
        """Nothing to give back."""


class Overlay:
    """Keeps what it was asked to draw."""

    def __init__(self):
        self.sheets = ()

    def show(self, sheets):
        self.sheets = tuple(sheets)

    def hide(self):
        self.sheets = ()

    def follow(self):
        """It has no window."""

    def close(self):
        self.sheets = ()


class Listener:
    """Keeps what it is told: (event, what)."""

    def __init__(self):
        self.told = []

    def position(self, reading, knowledge, marks, corner, took_s):
        self.told.append(("position", (marks, corner)))

    def drawn_anew(self, reading, knowledge, marks, corner):
        self.told.append(("drawn anew", (marks, corner)))

    def cell(self, remark, reason):
        self.told.append(("cell", reason))

    def warning(self, remark):
        self.told.append(("warning", remark.cell))

    def guess(self, answer):
        self.told.append(("guess", (answer.cell, answer.is_right)))

    def hidden(self, why):
        self.told.append(("hidden", why))

    def ended(self, why):
        self.told.append(("ended", why))

    def last(self, kind):
        return next(what for event, what in reversed(self.told) if event == kind)


class Lesson:
    """A coach with all that it needs."""

    def __init__(self, text=OPENED, mines=None, skins=(SKIN,), recorder=None):
        self.window, self.overlay, self.listener, self.control = (
            Window(text),
            Overlay(),
            Listener(),
            Control(running=True),
        )
        self.remarks = []
        self.board = WindowBoard(self.window, skins, mines, self.control, self.remarks.append)
        self.keys = CoachKeys()
        self.coach = Coach(self.window, self.overlay, self.board, self.control, self.listener, self.keys, recorder)
        self.coach.step()

    def point_at(self, cell):
        row, col = cell
        self.window.pointed = Pixel(CORNER.x + col * PX + PX // 2, CORNER.y + row * PX + PX // 2)
        self.coach.step()

    def covers(self, cell):
        """Whether anything is drawn on a cell."""
        top, left = cell[0] * PX, cell[1] * PX
        return bool(self.overlay.sheets[0].is_drawn[top : top + PX, left : left + PX].any())


def test_step_marks_a_board_and_tells_of_it_once():
    lesson = Lesson()
    marks, corner = lesson.listener.last("position")
    assert marks.mines
    assert corner == (100, 50)
    assert all(lesson.covers(cell) for cell in (*marks.safe, *marks.mines, *marks.risks, marks.best))
    lesson.coach.step()
    assert [event for event, _ in lesson.listener.told] == ["position"]


def test_step_tells_of_a_window_that_moved_once_it_rests():
    lesson = Lesson()
    for left in (120, 140, 160):
        lesson.window.at = Region(left, 50, SIDE_PX, SIDE_PX)
        lesson.coach.step()
    lesson.coach.step()
    lesson.coach.step()
    (told,) = [what for event, what in lesson.listener.told if event != "position"]
    assert told[1] == (160, 50)


def test_key_shows_the_risk_of_every_closed_cell_and_of_the_frontier_again():
    lesson = Lesson()
    far = (7, 7)
    assert not lesson.covers(far)
    lesson.keys.toggle_risks()
    lesson.coach.step()
    assert lesson.covers(far)
    marks, _ = lesson.listener.last("drawn anew")
    assert far in marks.risks
    lesson.window.has_painted = True
    lesson.coach.step()
    assert lesson.covers(far), "the next observation keeps them"
    lesson.keys.toggle_risks()
    lesson.coach.step()
    assert not lesson.covers(far)
    lesson.coach.step()
    assert [event for event, _ in lesson.listener.told] == ["position", "drawn anew", "drawn anew"]


def test_key_shows_the_whole_proof():
    lesson = Lesson()
    marks, _ = lesson.listener.last("position")
    lesson.point_at(marks.mines[0])
    began = time.monotonic()
    while lesson.listener.told[-1][0] != "cell":
        lesson.coach.step()
        assert time.monotonic() < began + PATIENCE_S
    short = lesson.overlay.sheets[1].picture.region.height
    lesson.keys.toggle_proof()
    lesson.coach.step()
    assert lesson.overlay.sheets[1].picture.region.height > short
    lesson.keys.toggle_proof()
    lesson.coach.step()
    assert lesson.overlay.sheets[1].picture.region.height == short


def test_key_pressed_while_the_board_is_half_painted_counts_once_it_is_whole():
    lesson = Lesson()
    lesson.window.show(OPENED.replace("########", "#0######", 1))
    lesson.coach.step()
    lesson.keys.toggle_risks()
    lesson.coach.step()
    assert not lesson.covers((7, 7))
    lesson.window.show(OPENED)
    lesson.coach.step()
    assert lesson.covers((7, 7))


def test_panel_names_the_keys_as_they_are_and_what_they_do_next():
    keys, control = CoachKeys("f7", "r", "g"), Control(running=True, start_key="f9")
    assert keys.describe(control) == "G guess?    F7 proof    R all risks    F9 hide    Esc end"
    keys.toggle_proof()
    keys.toggle_risks()
    control.toggle()
    assert keys.describe(control) == "G guess?    F7 in short    R fewer risks    F9 show    Esc end"


def test_key_says_whether_to_guess_until_the_pointer_leaves_the_cell():
    lesson = Lesson()
    marks, _ = lesson.listener.last("position")
    lesson.point_at(marks.mines[0])
    said_of_it = lesson.overlay.sheets[1].picture.pixels_bgr
    lesson.keys.ask_to_guess()
    lesson.coach.step()
    assert lesson.listener.last("guess") == (marks.mines[0], False)
    answer = lesson.overlay.sheets[1].picture.pixels_bgr
    assert not np.array_equal(answer, said_of_it)
    lesson.point_at(marks.mines[1])
    lesson.coach.step()
    assert not np.array_equal(lesson.overlay.sheets[1].picture.pixels_bgr, answer)
    assert [event for event, _ in lesson.listener.told].count("guess") == 1


def test_key_says_while_all_else_is_hidden_whether_to_guess_and_no_more():
    lesson = Lesson()
    lesson.control.toggle()
    lesson.coach.step()
    lesson.window.show(GUESS)  # nobody has looked since
    n_before = len(lesson.listener.told)
    lesson.point_at(CORNER_CELL)
    assert lesson.overlay.sheets == ()
    lesson.keys.ask_to_guess()
    lesson.coach.step()
    (panel,) = lesson.overlay.sheets
    assert not panel.picture.region.shared(Region(*CORNER, 8 * PX, 8 * PX)).n_pixels, "the board stays as it is"
    assert lesson.listener.told[n_before:] == [("guess", (CORNER_CELL, True))]
    lesson.coach.step()
    assert lesson.overlay.sheets == (panel,)
    lesson.point_at(BESIDE_NUMBER)
    assert lesson.overlay.sheets == ()
    lesson.keys.ask_to_guess()
    lesson.coach.step()
    assert lesson.listener.told[n_before + 1 :] == [("guess", (BESIDE_NUMBER, False))]


@pytest.mark.parametrize("text", [OPENED, HALF_PAINTED], ids=["another board", "half painted"])
def test_answer_is_taken_away_when_the_board_changes(text):
    lesson = Lesson(GUESS)
    lesson.control.toggle()
    lesson.point_at(CORNER_CELL)
    lesson.keys.ask_to_guess()
    lesson.coach.step()
    assert lesson.overlay.sheets
    lesson.window.has_painted = True
    lesson.coach.step()
    assert lesson.overlay.sheets, "it was painted as it was"
    lesson.window.show(text)
    lesson.coach.step()
    assert lesson.overlay.sheets == ()


def test_answer_alone_follows_the_window_and_goes_with_it():
    lesson = Lesson(GUESS)
    lesson.control.toggle()
    lesson.keys.ask_to_guess()
    lesson.coach.step()
    assert lesson.listener.last("guess") == (None, None), "the pointer is on no cell"
    before = lesson.overlay.sheets[0].picture
    at = lesson.window.at
    lesson.window.at = Region(at.left, 1024 - at.height, at.width, at.height)
    lesson.coach.step()
    after = lesson.overlay.sheets[0].picture
    assert (after.left, after.top) != (before.left, before.top)
    lesson.window.at = None
    lesson.coach.step()
    assert lesson.overlay.sheets == ()


def test_question_waits_until_the_board_is_whole():
    lesson = Lesson(GUESS)
    lesson.window.show(HALF_PAINTED)
    lesson.point_at(CORNER_CELL)
    lesson.keys.ask_to_guess()
    lesson.coach.step()
    assert "guess" not in dict(lesson.listener.told)
    lesson.window.show(GUESS)
    lesson.coach.step()
    assert lesson.listener.last("guess") == (CORNER_CELL, True)


def test_board_that_an_answer_was_about_is_kept_once():
    kept = []

    class Recorder:
        def note(self, observation, skin):
            kept.append(observation.reading.board)

    lesson = Lesson(recorder=Recorder())
    lesson.control.toggle()
    lesson.coach.step()
    lesson.window.show(GUESS)
    lesson.keys.ask_to_guess()
    lesson.coach.step()
    lesson.control.toggle()
    lesson.coach.step()
    assert kept == [parse_board(OPENED), parse_board(GUESS)]


def test_what_was_hidden_is_shown_again_after_an_answer():
    lesson = Lesson(GUESS)
    lesson.control.toggle()
    lesson.point_at(CORNER_CELL)
    lesson.keys.ask_to_guess()
    lesson.coach.step()
    lesson.control.toggle()
    lesson.coach.step()
    assert len(lesson.overlay.sheets) == 2
    assert lesson.covers(CORNER_CELL)
    assert [event for event, _ in lesson.listener.told] == ["position", "hidden", "guess", "position"]


def test_step_looks_only_when_something_was_painted():
    lesson = Lesson()
    n_before = lesson.window.n_grabs
    for _ in range(5):
        lesson.coach.step()
    assert lesson.window.n_grabs == n_before
    lesson.window.has_painted = True
    lesson.coach.step()
    assert lesson.window.n_grabs > n_before


def test_step_keeps_proven_marks_while_the_rest_is_half_painted():
    lesson = Lesson()
    marks, _ = lesson.listener.last("position")
    lesson.window.show(OPENED.replace("########", "#0######", 1))  # a flood that has only begun
    lesson.coach.step()
    assert all(lesson.covers(cell) for cell in marks.mines)
    assert not any(lesson.covers(cell) for cell in marks.risks)
    assert len([event for event, _ in lesson.listener.told if event == "position"]) == 1, "it is no position"


def test_step_hides_what_was_drawn_for_another_game():
    lesson = Lesson()
    lesson.window.show(FRESH)
    lesson.coach.step()
    marks, _ = lesson.listener.last("position")
    assert (marks.safe, marks.mines, dict(marks.risks)) == ((), (), {})
    assert lesson.covers(marks.best)


@pytest.mark.parametrize("order", [1, -1])
def test_step_reads_with_the_skin_that_knows_more_once_the_other_fails(monkeypatch, order):
    """The user's own skin, which comes first, lacks a 3 that shows later in the game."""
    monkeypatch.setattr("bot.coaching.coach._SEARCH_S", 0.0)
    sprites = tuple(sprite for sprite in SKIN.sprites if sprite.state != "3")
    exact = {value: state for value, state in SKIN.exact.items() if state != "3"}
    own = replace(SKIN, name="own", sprites=sprites, exact=exact)
    lesson = Lesson(OPENED.replace("3", "#"), skins=[own, SKIN][::order])
    assert lesson.board.look().reading.skin == (own if order == 1 else SKIN).name
    lesson.window.show(OPENED)
    for _ in range(3):
        lesson.coach.step()
    observation = lesson.board.look()
    assert observation.is_sure
    assert observation.reading.board[1, 6] == 3
    assert observation.reading.skin == SKIN.name


def test_step_hides_everything_while_the_board_cannot_be_seen(monkeypatch):
    monkeypatch.setattr("bot.coaching.coach._SEARCH_S", 0.0)
    lesson = Lesson()
    lesson.window.blank()
    lesson.coach.step()
    assert lesson.overlay.sheets == ()
    lesson.window.show(OPENED)
    lesson.coach.step()
    assert lesson.overlay.sheets
    assert [event for event, _ in lesson.listener.told] == ["position", "hidden", "position"]


def test_step_hides_while_the_window_does_not_show():
    lesson = Lesson()
    at, lesson.window.at = lesson.window.at, None
    lesson.coach.step()
    assert lesson.overlay.sheets == ()
    assert lesson.listener.last("hidden") == "the window does not show"
    lesson.window.at = at
    lesson.coach.step()
    assert lesson.overlay.sheets


def test_key_that_asks_to_guess_while_the_window_does_not_show_is_not_answered_later():
    lesson = Lesson(GUESS)
    at, lesson.window.at = lesson.window.at, None
    lesson.keys.ask_to_guess()
    lesson.coach.step()
    lesson.window.at = at
    lesson.coach.step()
    lesson.point_at(CORNER_CELL)
    assert "guess" not in [event for event, _ in lesson.listener.told]


def test_step_hides_while_the_start_key_says_so():
    lesson = Lesson()
    lesson.control.toggle()
    lesson.coach.step()
    assert lesson.overlay.sheets == ()
    lesson.control.toggle()
    lesson.coach.step()
    assert lesson.overlay.sheets


def test_step_finds_the_board_again_in_a_window_of_another_size():
    lesson = Lesson()
    lesson.window.at = Region(100, 50, SIDE_PX + 40, SIDE_PX + 40)
    lesson.window.show(OPENED, Pixel(70, 90))
    lesson.coach.step()
    assert lesson.board._view.grid.origin == (70, 90)
    sheet = lesson.overlay.sheets[0].picture
    assert (sheet.left, sheet.top) == (70, 90)


def test_step_finds_the_board_again_elsewhere_in_a_window_of_the_same_size(monkeypatch):
    monkeypatch.setattr("bot.coaching.coach._SEARCH_S", 0.0)
    lesson = Lesson()
    lesson.window.show(OPENED, Pixel(50, 30))
    lesson.coach.step()
    assert lesson.board._view.grid.origin == (50, 30)
    assert (lesson.overlay.sheets[0].picture.left, lesson.overlay.sheets[0].picture.top) == (50, 30)
    lesson.window.n_grabs = 0
    lesson.coach.step()
    assert lesson.window.n_grabs == 0, "all is well again"


def test_step_moves_the_panel_with_the_window():
    lesson = Lesson()
    before = lesson.overlay.sheets[1].picture
    at = lesson.window.at
    lesson.window.at = Region(at.left, 1024 - at.height, at.width, at.height)
    lesson.coach.step()
    after = lesson.overlay.sheets[1].picture
    assert before.top > at.height, "below the window"
    assert (after.left, after.top) != (before.left, before.top), "beside it, where there is no room below"


def test_pointer_on_a_mine_warns_at_once_and_says_why_after_a_rest():
    lesson = Lesson()
    marks, _ = lesson.listener.last("position")
    lesson.point_at(marks.mines[0])
    assert lesson.listener.told[-1] == ("warning", marks.mines[0])
    began = time.monotonic()
    while lesson.listener.told[-1][0] != "cell":
        lesson.coach.step()
        assert time.monotonic() < began + PATIENCE_S
    assert time.monotonic() >= began + REST_S / 2
    assert "is a mine" in lesson.listener.last("cell")
    n_before = len(lesson.listener.told)
    lesson.point_at((0, 0))
    assert lesson.listener.told[n_before:] == [], "nothing is said of an open cell"


def test_run_ends_when_the_window_is_closed():
    lesson = Lesson()
    lesson.window.is_closed = True
    lesson.coach.run()
    assert lesson.listener.told[-1] == ("ended", "the window was closed")


def test_run_obeys_the_abort_key():
    lesson = Lesson()
    lesson.control.abort()
    with pytest.raises(Aborted):
        lesson.coach.run()
    assert [event for event, _ in lesson.listener.told] == ["position"]


def test_look_takes_a_closed_cell_beside_a_zero_whose_flag_was_taken_off():
    flagged = OPENED.replace("12111", "F2111")
    lesson = Lesson(flagged)
    lesson.window.show(flagged.replace("F", "#"))
    observation = lesson.board.look()
    assert observation.is_sure
    lesson.window.show(flagged)
    assert lesson.board.look().is_sure


def test_look_takes_no_zero_beside_a_closed_cell_that_had_no_flag():
    lesson = Lesson()
    lesson.window.show(OPENED.replace("12111", "#2111"))
    assert not lesson.board.look().is_sure


def test_look_counts_mines_as_given_or_by_the_size():
    assert Lesson(FRESH).board.look().reading.board.mines == 10
    lesson = Lesson(FRESH, mines=12)
    observation = lesson.board.look()
    assert (observation.reading.board.mines, observation.reading.state) == (12, GameState.FRESH)


def played_before_the_coach(folder, games):
    """Have a coach watch games, each a list of (action, cell) on a layout; returns the replays that it kept."""
    with Journal(folder) as journal:
        lesson = Lesson(FRESH, mines=10, recorder=GameRecorder(journal))
        for layout, clicks in games:
            game = Game.on(layout)
            for action, cell in [(None, None), *clicks]:
                if action is not None:
                    {Action.OPEN: game.open, Action.FLAG: game.toggle_flag, Action.CHORD: game.chord}[action](cell)
                lesson.window.show(str(game.board))
                lesson.coach.step()
    return load_replays(folder)


A_LAYOUT = Layout.random((8, 8), 10, random.Random(5), first_cell=(0, 0), first_click=FirstClick.ZERO)


def a_way_through(layout, *, to_the_end):
    """Clicks that win a game by flags, chords and single cells; without the end they are a game that was left."""
    game, clicks = Game.on(layout), []

    def make(action, cell):
        {Action.OPEN: game.open, Action.FLAG: game.toggle_flag, Action.CHORD: game.chord}[action](cell)
        clicks.append((action, cell))

    make(Action.OPEN, (0, 0))
    while not game.is_over:
        closed = [cell for cell in np.ndindex(8, 8) if game.code(cell) == CLOSED]
        cell = next(cell for cell in closed if not layout.has_mine[cell])
        for near in game.topology.neighbours(cell):
            if layout.has_mine[near] and game.code(near) == CLOSED:
                make(Action.FLAG, near)
        if not game.is_over:
            make(Action.OPEN, cell)
            make(Action.CHORD, cell)
    return clicks if to_the_end else clicks[: len(clicks) // 2]


def effective(layout, clicks):
    """The clicks that change a board."""
    game = Game.on(layout)
    for action, cell in clicks:
        before = str(game.board)
        {Action.OPEN: game.open, Action.FLAG: game.toggle_flag, Action.CHORD: game.chord}[action](cell)
        if str(game.board) != before:
            yield action, cell


def test_games_that_the_coach_watched_are_replays(tmp_path):
    clicks = a_way_through(A_LAYOUT, to_the_end=True)
    left = a_way_through(A_LAYOUT, to_the_end=False)
    mine = next(cell for cell in np.ndindex(8, 8) if A_LAYOUT.has_mine[cell] and (Action.FLAG, cell) not in left)
    lost = [*left, (Action.OPEN, mine)]
    won, other = played_before_the_coach(tmp_path / "kept", [(A_LAYOUT, clicks), (A_LAYOUT, left), (A_LAYOUT, lost)])
    assert (won.layout.has_mine == A_LAYOUT.has_mine).all()
    steps = [*iter_steps(won)]
    assert steps[-1].after is GameState.WON
    made = [(step.click.action, step.click.cell) for step in steps]
    assert [cell for _, cell in made if _ is Action.FLAG] == [cell for _, cell in clicks if _ is Action.FLAG]
    assert Action.CHORD in {action for action, _ in made}, "several cells at once are a chord"
    seen = [step.opened for step in steps if step.opened]
    game, opened = Game.on(A_LAYOUT), []
    for action, cell in clicks:
        does = {Action.OPEN: game.open, Action.FLAG: lambda at: game.toggle_flag(at) or (), Action.CHORD: game.chord}
        opened += [now for now in [does[action](cell)] if now]
    assert seen == opened, "what opened together is one click"
    assert [*iter_steps(other)][-1].after is GameState.LOST, "the game that was left is forgotten"
    assert len(other.clicks) == len([*effective(A_LAYOUT, lost)])


def test_board_that_was_over_before_anybody_looked_is_no_game(tmp_path):
    game = Game.on(A_LAYOUT)
    for cell in np.argwhere(~A_LAYOUT.has_mine).tolist():
        game.open(tuple(cell))
    with Journal(tmp_path / "kept") as journal:
        Lesson(str(game.board), mines=10, recorder=GameRecorder(journal))
    assert (tmp_path / "kept" / "journal.jsonl").read_text() == ""


def test_recording_of_the_coach_can_be_replayed(tmp_path):
    played_before_the_coach(tmp_path / "kept", [(A_LAYOUT, a_way_through(A_LAYOUT, to_the_end=True))])
    recording = Recording(tmp_path / "kept")
    assert len(recording) > 5
    assert not any(recording.step(n).differences for n in range(len(recording)))
