"""The built-in game without its window: games, seeds, clicks, log, gestures and places."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace

import pytest

from bot.cli import main
from bot.errors import UsageError
from bot.game.art import cell_sprites, digit_sprites, face_sprites
from bot.game.input import _Gesture
from bot.game.plan import plan_window
from bot.game.session import GameLog, Session, _game_seed
from bot.game.sizes import SIZES, BoardSize, checked_size
from bot.models import Button, Pixel
from skins.profile_read import load_shipped_skin
from skins.skin import NewGame
from solver.board import Action, GameState, Move
from solver.game import Game

BEGINNER = SIZES["beginner"]


class Clock:
    """Time that a test moves."""

    def __init__(self):
        self.now_s = 100.0

    def __call__(self):
        return self.now_s


def opening(*cell):
    return Move(Action.OPEN, cell)


def first_cell(game, *, with_mine):
    """The first closed cell that holds a mine, or the first that does not."""
    has_mine = game.layout.has_mine
    rows, cols = game.board.shape
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    return next(cell for cell in cells if has_mine[cell] == with_mine and game.code(cell) < 0)


def win(session):
    while not session.game.is_over:
        session.act(Move(Action.OPEN, first_cell(session.game, with_mine=False)))


def test_session_counts_time_from_the_first_opened_cell_to_the_end():
    clock = Clock()
    session = Session(BEGINNER, seed=1, clock=clock)
    clock.now_s += 5
    session.act(Move(Action.FLAG, (8, 8)))
    session.act(Move(Action.FLAG, (8, 8)))
    assert session.elapsed_s == 0
    session.act(opening(0, 0))
    clock.now_s += 7
    assert session.elapsed_s == 7
    win(session)
    clock.now_s += 100
    assert session.elapsed_s == 7


def test_session_mines_left_goes_below_zero():
    session = Session(BoardSize((2, 2), 1), seed=1)
    session.act(Move(Action.FLAG, (0, 0)))
    session.act(Move(Action.FLAG, (0, 1)))
    assert session.mines_left == -1


def test_session_opening_an_open_number_chords():
    session = Session(BEGINNER, seed=1)
    session.act(opening(4, 4))
    expected = Game((9, 9), 10, seed=_game_seed(1, 1))
    expected.open((4, 4))
    number = first_cell(expected, with_mine=True)
    near = next(cell for cell in expected.topology.neighbours(number) if expected.code(cell) == 1)
    for game_act in (lambda: session.act(Move(Action.FLAG, number)), lambda: session.act(Move(Action.OPEN, near))):
        game_act()
    expected.toggle_flag(number)
    expected.chord(near)
    assert session.game.board == expected.board


def test_session_games_of_one_seed_differ_and_repeat():
    def layouts():
        session = Session(BEGINNER, seed=3)
        for _ in range(3):
            session.act(opening(0, 0))
            yield session.game.layout
            session.new_game()

    first, again = list(layouts()), list(layouts())
    assert first == again
    assert len(set(first)) == 3


def test_session_new_game_on_a_fresh_one_skips_no_layout():
    session = Session(BEGINNER, seed=3)
    session.act(Move(Action.FLAG, (0, 0)))
    session.new_game()
    assert (session.number, session.mines_left, session.n_clicks) == (1, 10, 0)
    session.act(opening(0, 0))
    session.new_game(SIZES["expert"])
    assert (session.number, session.game.board.shape) == (2, (16, 30))


def test_session_logs_each_finished_game(tmp_path):
    log = tmp_path / "games.jsonl"
    clock = Clock()
    told = io.StringIO()
    session = Session(BEGINNER, seed=5, log=GameLog(log, told), clock=clock)
    session.act(opening(0, 0))
    session.act(Move(Action.OPEN, first_cell(session.game, with_mine=True)))
    session.act(opening(0, 0))
    bbbv = [session.game.layout.bbbv]
    session.new_game()
    session.act(opening(0, 0))
    session.new_game()
    session.act(Move(Action.FLAG, (8, 8)))
    session.act(Move(Action.FLAG, (8, 8)))
    session.act(opening(0, 0))
    clock.now_s += 2.5
    win(session)
    lost, won = map(json.loads, log.read_text().splitlines())
    assert told.getvalue() == log.read_text()
    size = {"rows": 9, "cols": 9, "mines": 10}
    assert lost == {"result": "lost", **size, "seconds": 0.0, "clicks": 2, "bbbv": bbbv[0]}
    assert won == {
        "result": "won",
        **size,
        "seconds": 2.5,
        "clicks": session.n_clicks,
        "bbbv": session.game.layout.bbbv,
    }


def test_session_shows_the_time_that_it_logs(tmp_path):
    """A time that was rounded twice was a hundredth off the one that was rounded once."""
    log, clock = tmp_path / "games.jsonl", Clock()
    for n in range(40):
        session = Session(BEGINNER, seed=5, log=GameLog(log, io.StringIO()), clock=clock)
        session.act(opening(0, 0))
        clock.now_s += 1.7545 + n / 4000
        win(session)
        logged = json.loads(log.read_text().splitlines()[-1])["seconds"]
        assert session.score.text.startswith(f"{logged:.2f} s, "), n


def test_session_says_at_once_that_a_log_cannot_be_written(tmp_path):
    with pytest.raises(UsageError, match="log file"):
        GameLog(tmp_path / "missing" / "games.jsonl")


@pytest.mark.parametrize(
    ("shape", "mines", "named"),
    [
        ((0, 9), 1, "rows"),
        ((9, 101), 1, "cols"),
        ((3, 3), 9, "0 to 8 mines"),
        ((4, 4, 4), 1, "two dimensions or four"),
        ((-2, 4, -2, 4), 1, "along a side"),
        ((11, 4, 11, 4), 1, "rows"),
    ],
)
def test_checked_size_names_what_is_wrong(shape, mines, named):
    with pytest.raises(UsageError, match=named):
        checked_size(shape, mines)


def test_gesture_left_opens_on_release_of_the_same_cell():
    gesture = _Gesture()
    assert gesture.press(Button.LEFT, (1, 1)) is None
    assert gesture.release((1, 1)) == opening(1, 1)
    assert gesture.release((1, 1)) is None


@pytest.mark.parametrize("elsewhere", [(1, 2), None])
def test_gesture_released_elsewhere_is_cancelled(elsewhere):
    gesture = _Gesture()
    gesture.press(Button.LEFT, (1, 1))
    assert gesture.drag(elsewhere)
    assert not gesture.is_active
    assert gesture.release(elsewhere) is None


def test_gesture_that_comes_back_counts():
    gesture = _Gesture()
    gesture.press(Button.LEFT, (1, 1))
    gesture.drag(None)
    assert gesture.drag((1, 1))
    assert gesture.release((1, 1)) == opening(1, 1)


def test_gesture_right_flags_on_press():
    gesture = _Gesture()
    assert gesture.press(Button.RIGHT, (0, 2)) == Move(Action.FLAG, (0, 2))
    assert gesture.release((0, 2)) is None
    assert gesture.press(Button.RIGHT, None) is None


@pytest.mark.parametrize(
    "presses",
    [[(Button.MIDDLE, [])], [(Button.LEFT, []), (Button.RIGHT, [Button.LEFT])], [(Button.LEFT, [Button.RIGHT])]],
)
def test_gesture_middle_or_both_buttons_chord_once(presses):
    gesture = _Gesture()
    for button, held in presses:
        assert gesture.press(button, (2, 2), held) is None
    assert gesture.release((2, 2)) == Move(Action.CHORD, (2, 2))
    assert gesture.release((2, 2)) is None


def test_gesture_pressed_cells_are_what_releasing_would_open():
    game = Game((3, 3), 1, seed=2)
    gesture = _Gesture()
    gesture.press(Button.LEFT, (1, 1))
    assert gesture.pressed_cells(game) == ((1, 1),)
    game.open((1, 1))
    game.toggle_flag((0, 0))
    assert len(gesture.pressed_cells(game)) == 7
    gesture.drag((0, 0))
    assert gesture.pressed_cells(game) == ()


@pytest.mark.parametrize("level", [*SIZES.values(), *(BoardSize(shape, 0) for shape in ((1, 1), (3, 8), (40, 7)))])
def test_plan_puts_the_face_on_the_spot_and_everything_inside(level):
    skin = load_shipped_skin("minebot")
    plan = plan_window(skin, level)
    board = plan.grid.region
    middle = Pixel(board.left + board.width // 2, board.top)
    assert (plan.face.middle.x - middle.x, plan.face.middle.y - middle.y) == skin.new_game.spot_px == (0, -36)
    for region in (board, plan.face, plan.mine_counter, plan.timer):
        assert region.left >= 12
        assert region.left + region.width <= plan.width - 12
        assert region.top + region.height <= plan.height - 12
    assert plan.mine_counter.left + plan.mine_counter.width < plan.face.left
    assert plan.face.left + plan.face.width < plan.timer.left
    assert plan.face.top + plan.face.height < board.top


@pytest.mark.parametrize(
    ("spot", "expected"), [((0, -27), (0, -27)), ((0, -80), (0, -80)), (None, (0, -36)), ((90, -36), (0, -36))]
)
def test_plan_follows_the_skin_where_a_face_has_room(spot, expected):
    skin = replace(load_shipped_skin("minebot"), new_game=NewGame(spot))
    plan = plan_window(skin, BEGINNER)
    board = plan.grid.region
    assert (plan.face.middle.x - board.middle.x, plan.face.middle.y - board.top) == expected
    assert plan.face.top > 0
    assert plan.face.top + plan.face.height < board.top


def test_plan_cell_at_is_the_inverse_of_cell_region():
    plan = plan_window(load_shipped_skin("minebot"), BoardSize((3, 5), 1))
    for row in range(3):
        for col in range(5):
            region = plan.grid.cell_region((row, col))
            assert plan.cell_at(Pixel(region.left, region.top)) == (row, col)
            assert plan.cell_at(Pixel(region.left + 23, region.top + 23)) == (row, col)
    board = plan.grid.region
    assert plan.cell_at(Pixel(board.left - 1, board.top)) is None
    assert plan.cell_at(Pixel(board.left, board.top + board.height)) is None


def test_art_has_every_picture_in_its_size():
    assert {sprite.shape for sprite in face_sprites().values()} == {(40, 40, 3)}
    assert {sprite.shape for sprite in digit_sprites().values()} == {(28, 16, 3)}
    assert {sprite.shape for sprite in cell_sprites(load_shipped_skin("minebot")).values()} == {(24, 24, 3)}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--skin", "nosuch"], "minebot"),
        (["--mines", "81"], "80 mines"),
        (["--size", "0x9"], "rows"),
    ],
)
def test_game_command_refuses_bad_arguments(arguments, named, capsys):
    assert main(["game", *arguments]) == 2
    assert named in capsys.readouterr().err


def test_game_command_refuses_a_bad_position(capsys):
    assert main(["game", "--position", "left"]) == 2
    assert "expected X,Y" in capsys.readouterr().err


def test_game_command_without_a_display_says_what_to_do(monkeypatch, capsys):
    pytest.importorskip("tkinter")
    if sys.platform != "linux":
        pytest.skip("only X11 has machines without a display")
    monkeypatch.delenv("DISPLAY", raising=False)
    assert main(["game"]) == 5
    assert "xvfb-run" in capsys.readouterr().err


def test_game_command_without_tkinter_names_the_package():
    code = "import sys; sys.modules['tkinter'] = None; from bot.cli import main; sys.exit(main(['game']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 5, done.stderr
    assert "python3-tk" in done.stderr


def test_only_the_window_needs_tkinter():
    code = (
        "import sys; import bot.game.session, bot.game.plan, bot.game.art, bot.commands.game; "
        "sys.exit('tkinter' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_game_states_have_the_words_of_the_log():
    assert {state.value for state in GameState} == {"fresh", "playing", "won", "lost", "unknown"}
