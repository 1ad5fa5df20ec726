"""The real window driven by real mouse and keys through all that a person can choose in it."""

from __future__ import annotations

import json
import subprocess

import cv2
import numpy as np
import pytest
from driven_game import RIGHT, DrivenGame
from on_screen import find_all
from sheet_maker import sheet

from bot.cli import main
from bot.commands.game import _load_boards
from bot.game import art
from bot.game.input import _moved
from bot.game.session import GameFigures, Rules, Session
from bot.game.sizes import SIZES, BoardSize
from bot.game.why import ask_why
from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from skins.profile_read import load_shipped_skin
from skins.sprite_sheet import load_sheet
from solver import analyse
from solver.board import CLOSED, FLAG, Action, GameState, Move

pytestmark = pytest.mark.screen

BEGINNER = SIZES["beginner"]
PITCH = 24


@pytest.fixture
def start(virtual_display):
    """Start the window beside the session that it should be showing; returns the function that does."""
    games = []

    def start_game(size=BEGINNER, *arguments, is_guess_free=False, **looks):
        session = Session(size, rules=Rules(is_guess_free=is_guess_free), seed=1)
        game = DrivenGame(virtual_display, session, "--seed", 1, *arguments, **looks)
        games.append(game)
        return game

    yield start_game
    for game in games:
        game.close()


def mines_of(game):
    """The mines, row by row."""
    return sorted(game.session.game.layout.mine_cells)


def test_levels_custom_boards_and_the_first_guess_free_one(start):
    game = start()
    game.choose("g", "i")
    game.session.new_game(SIZES["intermediate"])
    game.locate()
    game.check()
    game.keys("ctrl+3")
    game.session.new_game(SIZES["expert"])
    game.locate()
    game.check()
    game.choose("g", "c")
    game.wait_for(lambda: game.has_window("Custom game"), "dialog")
    for value in ("5", "8", "40"):
        game.keys(*value, "Tab")
    game.keys("Return")  # 40 mines on 40 cells: the dialog says no
    game.keys("shift+Tab", "7", "Return")
    size = BoardSize((5, 8), 7)
    game.session.new_game(size)
    game.locate()
    game.check()
    game.choose("g", "g")
    game.session.change_rules(is_guess_free=True)
    game.check()
    assert game.session.hint != (4, 0)
    game.do(Action.OPEN, (4, 0))  # made anew, to begin there
    game.click_face()
    game.session.new_game()
    game.check()
    game.do(Action.OPEN, game.session.hint)


def test_first_guess_free_board_is_won_from_its_cross_by_what_the_screen_shows(start):
    game = start(BEGINNER, "--guess-free", is_guess_free=True)
    skin = load_shipped_skin("minebot")
    closed = skin.sprites_of("closed")[0].pixels_bgr
    shown = game.board_picture()
    crossed = [
        cell
        for cell in np.ndindex(BEGINNER.shape)
        if not np.array_equal(shown[24 * cell[0] : 24 * cell[0] + 24, 24 * cell[1] : 24 * cell[1] + 24], closed)
    ]
    assert len(crossed) == 1
    safe = crossed
    while True:
        for cell in safe:
            if game.session.shown[cell] < 0:
                game.click(cell)
                game.session.act(Move(Action.OPEN, cell))
        game.check()
        frame = Frame(game.grab())
        (board,) = find_boards(frame, [skin])
        reading = read_board(frame, board.grid, skin)
        if reading.state is GameState.WON:
            break
        safe = analyse(reading.board, 10).safe
        assert safe, f"no guess was needed\n{reading.board}"
    assert game.session.game.state is GameState.WON


def test_counters_marks_hint_undo_figures_and_why(start, tmp_path):
    log = tmp_path / "log"
    game = start(BEGINNER, "--log", log)
    session = game.session
    game.check_text("Beginner: 9x9, 10 mines.")
    assert game.shown_number(game.plan.timer) == 0
    game.do(Action.OPEN, (4, 4))
    game.do(Action.FLAG, (0, 3))
    game.do(Action.FLAG, (0, 3))  # off again: there are no question marks yet
    game.choose("g", "m")
    session.change_rules(has_question_marks=True)
    game.do(Action.FLAG, (0, 3))
    game.do(Action.FLAG, (0, 3))
    game.choose("g", "h")
    session.ask_hint()
    game.check()
    game.keys("u")
    session.undo()
    game.check()
    mines = mines_of(game)
    game.do(Action.FLAG, mines[1])
    game.wait_for(lambda: game.shown_number(game.plan.mine_counter) == 8, "counter of 8 mines")
    game.wait_for(lambda: game.shown_number(game.plan.timer) in range(1, 900), "time that goes on")
    game.do(Action.OPEN, mines[0])
    assert session.game.state is GameState.LOST
    codes = session.shown
    assert {-2, -4, -5, -6} <= set(codes.ravel().tolist())  # right and wrong flags, mines, and the one that exploded
    lost = json.loads(log.read_text())
    done = session.game.layout.bbbv_of(codes >= 0)
    score = GameFigures(lost["seconds"], lost["clicks"], lost["bbbv"], done)
    assert (score.clicks, score.bbbv) == (session.n_clicks, session.game.layout.bbbv)
    game.check_text(f"Lost: {score.text}. Flags: 1 right, 1 wrong. W: why? Practice: no best time.")
    game.keys("w")
    game.wait_for(lambda: game.has_window("Why?"), "answer")
    for asked in (mines[0], (8, 8)):
        game.click(asked)
        why = ask_why(session, asked)
        game.check(marked=[asked, why.best, *why.clues])
    game.keys("Escape")
    game.check()
    assert not game.has_window("Why?")
    game.keys("ctrl+z")
    session.undo()
    game.check()
    assert session.game.state is GameState.PLAYING


def test_map_of_risks_lies_over_closed_cells_without_a_flag_and_follows_the_game(start):
    game = start()
    session = game.session
    game.do(Action.OPEN, (4, 4))
    flag = mines_of(game)[0]
    game.do(Action.FLAG, flag)

    def closed():
        return [cell for cell in np.ndindex(session.shown.shape) if session.shown[cell] == CLOSED]

    game.keys("m")
    game.check(marked=closed())
    safe = analyse(session.game.board).safe[0]
    game.click(safe)
    session.act(Move(Action.OPEN, safe))
    game.check(marked=closed())
    game.check_text("Beginner: 9x9, 10 mines. Practice: no best time.")
    game.keys("m")
    game.check()


def test_rulers_stand_beside_the_board_and_clicks_go_where_they_went(start):
    game = start()
    game.do(Action.OPEN, (4, 4))
    game.keys("r")
    game.has_rulers = True
    game.locate()
    game.check()
    game.do(Action.FLAG, mines_of(game)[0])
    game.choose("v", "r")
    game.has_rulers = False
    game.locate()
    game.check()


def test_board_larger_than_the_screen_scrolls_and_clicks_go_where_they_seem_to_go(start):
    size = BoardSize((60, 60), 500)
    game = start(size, "--size", "60x60", "--mines", 500)
    session = game.session
    game.click((2, 3), RIGHT)
    session.act(Move(Action.FLAG, (2, 3)))
    game.wait_for(lambda: game.shown_number(game.plan.mine_counter) == 499, "a flag")
    game.xdotool("mousemove_relative", 200, 200, "click", "--repeat", 40, "5")  # to the bottom
    flag = art.cell_sprites(game.skin)[FLAG]
    game.wait_for(lambda: not find_all(game.grab(), flag), "a board that was scrolled")
    game.xdotool("click", RIGHT)
    ((x, y),) = game.wait_for(lambda: find_all(game.grab(), flag), "a flag under the pointer")
    where = subprocess.run(["xdotool", "getmouselocation"], env=game._env, capture_output=True, text=True, check=True)
    at = dict(part.split(":") for part in where.stdout.split()[:2])
    assert x <= int(at["x"]) < x + PITCH
    assert y <= int(at["y"]) < y + PITCH


def test_pause_hides_the_board_until_a_click(start):
    game = start()
    session = game.session
    game.do(Action.OPEN, (4, 4))
    game.keys("p")
    session.toggle_pause()
    game.check_text("Beginner: 9x9, 10 mines. Paused: P or a click goes on")
    colours = np.unique(game.board_picture()[:PITCH].reshape(-1, 3), axis=0)
    assert len(colours) == 1, "no cell shows"
    game.click(mines_of(game)[0])
    session.toggle_pause()
    game.check()
    assert session.game.state is GameState.PLAYING


def test_keyboard_alone_plays_a_game(start):
    game = start()
    session = game.session
    game.xdotool("mousemove", 900, 900)
    cursor, grid = (4, 4), game.plan.grid
    game.keys("Down")
    game.check(marked=[cursor])
    game.keys("space")
    session.act(Move(Action.OPEN, cursor))
    game.check(marked=[cursor])
    mines = mines_of(game)

    def go(cell):
        nonlocal cursor
        arrows = ["Up"] * (cursor[0] - cell[0]) + ["Down"] * (cell[0] - cursor[0])
        arrows += ["Left"] * (cursor[1] - cell[1]) + ["Right"] * (cell[1] - cursor[1])
        for arrow in arrows:
            cursor = _moved(grid, cursor, arrow)
        if arrows:
            game.keys(*arrows)
        assert cursor == cell

    number = next(
        cell
        for cell in np.ndindex(BEGINNER.shape)
        if session.shown[cell] > 0
        and any(session.shown[near] == -1 and near not in mines for near in session.game.topology.neighbours(cell))
    )
    for cell in session.game.topology.neighbours(number):
        if cell in mines:
            go(cell)
            game.keys("f")
            session.act(Move(Action.FLAG, cell))
    go(number)
    game.keys("c")
    session.act(Move(Action.CHORD, number))
    game.check(marked=[cursor])
    for cell in np.ndindex(BEGINNER.shape):
        if session.shown[cell] == -1 and cell not in mines:
            go(cell)
            game.keys("space")
            session.act(Move(Action.OPEN, cell))
    assert session.game.state is GameState.WON
    game.check(marked=[cursor])


def test_zoom_and_skins_of_any_sheet(start, tmp_path):
    path = tmp_path / "my sheet.png"
    cv2.imwrite(str(path), sheet())
    game = start()
    game.do(Action.OPEN, (4, 4))
    game.do(Action.FLAG, (0, 2))
    game.keys("ctrl+plus")
    game.zoom = 1.5
    game.locate()
    game.check()
    game.choose("v", "2")
    game.zoom = 2.0
    game.locate()
    game.check()
    game.choose("v", "s", "Down", "Return")  # the second skin of the list: classic
    game.skin = load_shipped_skin("classic")
    game.locate()
    game.check()
    game.choose("v", "p")
    game.wait_for(lambda: game.has_window("Sprite sheet"), "file dialog")
    game.xdotool("type", "--delay", "30", str(path))
    game.keys("Return")
    game.skin = load_sheet(path, "mine")
    game.locate()
    game.check()
    game.keys("ctrl+0")
    game.zoom = 1.0
    game.locate()
    game.check()


def test_board_of_four_dimensions_by_mouse_and_keys(start):
    size = SIZES["4d-medium"]
    game = start()
    game.choose("g", "4", "m")
    game.session.new_game(size)
    game.locate()
    game.check()
    session = game.session
    cell = (1, 1, 1, 1)
    game.do(Action.OPEN, cell, marked=session.game.topology.neighbours(cell))
    corner = (3, 3, 3, 3)
    game.do(Action.FLAG, corner, marked=session.game.topology.neighbours(corner))
    game.keys("Left", "Left")  # the first shows the cursor where the pointer is
    cursor = (3, 3, 3, 2)
    game.check(marked=[cursor, *session.game.topology.neighbours(cursor)])
    assert session.game.topology.most_neighbours == 80


def test_best_times_and_games_are_there_after_a_restart(virtual_display, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))  # a bot that plays beside this test notes its clicks elsewhere
    times, log, games = tmp_path / "times.json", tmp_path / "log", tmp_path / "games"
    size = BoardSize((1, 3), 1)
    arguments = ("--size", "1x3", "--mines", 1, "--best-times", times, "--log", log, "--keep-games", games)
    for n_wins in (1, 2):
        printed = tmp_path / f"printed-{n_wins}"
        with printed.open("w") as out:
            game = DrivenGame(virtual_display, Session(size), *arguments, "--json", stdout=out)
        try:
            game.click((0, 0))  # a 0 opens the 1 beside it and wins; a 1 has the mine beside it
            game.click((0, 2))
            game.wait_for(lambda n_wins=n_wins: log.read_text().count("\n") == n_wins, "finished game")
            assert printed.read_text() == log.read_text().splitlines(keepends=True)[-1]
            game.choose("g", "t")
            game.wait_for(lambda game=game: game.has_window("Best times"), "dialog")
        finally:
            game.close()
    kept = json.loads(times.read_text())["1x3/1"]
    logged = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["result"] for line in logged] == ["won", "won"]
    assert [time["seconds"] for time in kept] == sorted(line["seconds"] for line in logged)
    assert main(["review", *map(str, sorted(games.iterdir())), "--json"]) == 0
    reviewed = json.loads(capsys.readouterr().out)["games"]
    for game, line in zip(reviewed, logged, strict=True):
        assert (game["result"], game["figures"]["clicks"], game["figures"]["bbbv"]) == (
            "won",
            line["clicks"],
            line["bbbv"],
        )
        assert game["seconds"] == line["seconds"]


def test_given_board_sheet_and_zoom_from_the_command_line(virtual_display, tmp_path):
    file, picture = tmp_path / "boards", tmp_path / "sheet.png"
    file.write_text("1 3 4 2,0 0,3\n")
    cv2.imwrite(str(picture), sheet())
    session = Session(BEGINNER, boards=_load_boards(file))
    looks = {"skin": load_sheet(picture, "mine"), "zoom": 3.0}
    game = DrivenGame(virtual_display, session, "--board", file, "--skin", picture, "--zoom", 300, **looks)
    try:
        game.check()
        game.do(Action.FLAG, (0, 3))
        game.do(Action.OPEN, (2, 0))
        assert session.game.state is GameState.WON
    finally:
        game.close()
