"""The real window on a virtual screen: real clicks in, real pixels out, compared with what the painter paints."""

from __future__ import annotations

import json
import os
import subprocess
import time

import mss
import numpy as np
import pytest
import Xlib.display
from forked import Forked
from on_screen import find_all
from painted import paint
from patience import PATIENCE_S
from Xlib import X
from Xlib.ext import xtest

from bot.game.art import STATE_OF_CODE, face_sprites
from bot.game.plan import plan_window
from bot.game.session import _game_seed
from bot.game.sizes import SIZES
from bot.models import Pixel
from skins.profile_read import load_shipped_skin
from solver.board import GameState
from solver.game import Game

pytestmark = pytest.mark.screen

PITCH = 24
LEFT, MIDDLE, RIGHT = "1", "2", "3"


class Clone:
    """A running clone, and beside it the game it should be showing."""

    def __init__(self, display, process, level, seed):
        self.env = {**os.environ, "DISPLAY": display}
        self.display, self.process, self.level, self.seed = display, process, level, seed
        self.skin = load_shipped_skin("minebot")
        self.number = 0
        self.expect_new_game()
        self.origin = self._find_board()

    def expect_new_game(self):
        self.number += 1
        self.game = Game((self.level.rows, self.level.cols), self.level.mines, seed=_game_seed(self.seed, self.number))

    def grab(self):
        with mss.MSS(display=self.display) as screen:
            shot = screen.grab(screen.monitors[0])
        return np.array(shot)[:, :, :3]

    def picture(self, pressed=()):
        codes = self.game.board.cells.copy()
        for cell in pressed:
            codes[cell] = 0
        return paint(self.skin, [[STATE_OF_CODE[int(code)] for code in row] for row in codes])

    def _find_board(self):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.process.stderr.read()
            places = find_all(self.grab(), self.picture())
            if places:
                assert len(places) == 1
                time.sleep(0.3)  # a window manager may still move it
                return Pixel(*find_all(self.grab(), self.picture())[0])
            time.sleep(0.05)
        pytest.fail("no fresh board on the screen")

    def xdotool(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.env, check=True)

    def middle(self, cell):
        return self.origin.x + cell[1] * PITCH + PITCH // 2, self.origin.y + cell[0] * PITCH + PITCH // 2

    def click(self, cell, button):
        self.xdotool("mousemove", *self.middle(cell), "click", button)

    def burst(self, clicks):
        """Click faster than any person: xdotool pauses after each word, the X server itself does not."""
        display = Xlib.display.Display(self.display)
        for cell, button in clicks:
            x, y = self.middle(cell)
            xtest.fake_input(display, X.MotionNotify, x=x, y=y)
            xtest.fake_input(display, X.ButtonPress, int(button))
            xtest.fake_input(display, X.ButtonRelease, int(button))
        display.sync()
        display.close()

    def click_face(self):
        spot_x, spot_y = self.skin.new_game.spot_px
        board_width = self.level.cols * PITCH
        self.xdotool("mousemove", self.origin.x + board_width // 2 + spot_x, self.origin.y + spot_y, "click", LEFT)

    def check(self, pressed=()):
        """Wait until the screen shows exactly the expected board."""
        wanted = self.picture(pressed)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            x, y = self.origin
            shown = self.grab()[y : y + wanted.shape[0], x : x + wanted.shape[1]]
            if np.array_equal(shown, wanted):
                return
            if time.monotonic() > deadline:
                wrong = {(int(y) // PITCH, int(x) // PITCH) for y, x, _ in np.argwhere(shown != wanted)}
                pytest.fail(f"cells {sorted(wrong)} differ from\n{self.game.board}")
            time.sleep(0.02)

    def check_face(self, mood):
        deadline = time.monotonic() + PATIENCE_S
        face = face_sprites()[mood]
        left = self.origin.x + self.level.cols * PITCH // 2 - 20
        top = self.origin.y - 36 - 20
        while not np.array_equal(self.grab()[top : top + 40, left : left + 40], face):
            assert time.monotonic() < deadline, f"the face is not {mood}"
            time.sleep(0.02)

    def open(self, cell):
        self.click(cell, LEFT)
        self.game.open(cell)
        self.check()

    def flag(self, cell):
        self.click(cell, RIGHT)
        self.game.toggle_flag(cell)
        self.check()


@pytest.fixture
def start_clone(virtual_display, tmp_path):
    """Starts clones; returns the function that does."""
    processes = []

    def start(level="beginner", *arguments, seed=1, display=virtual_display):
        command = ["bot", "game", "--seed", str(seed), "--level", level]
        command += ["--log", str(tmp_path / "games.jsonl"), "--position", "40,40", *arguments]
        env = {**os.environ, "DISPLAY": display}
        process = Forked(command, env)
        processes.append(process)
        return Clone(display, process, SIZES[level], seed)

    yield start
    for process in processes:
        process.terminate()
        process.communicate(timeout=PATIENCE_S)


def log_lines(tmp_path):
    return [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()]


def mines_and_safe(game):
    """Closed cells that hold a mine, and closed cells that do not, row by row."""
    closed = [cell for cell in np.ndindex(*game.board.shape) if game.code(cell) < 0]
    mines = game.layout.mine_cells
    return [cell for cell in closed if cell in mines], [cell for cell in closed if cell not in mines]


def chordable(game):
    """An open number with closed safe neighbours, its mines, and those neighbours."""
    mines, safe = mines_and_safe(game)
    for cell in np.ndindex(*game.board.shape):
        near = game.topology.neighbours(cell)
        if game.code(cell) > 0 and any(place in safe for place in near):
            return cell, [place for place in near if place in mines]
    raise AssertionError("no number to chord on")


def test_window_opens_flags_and_chords(start_clone):
    clone = start_clone()
    clone.check_face("happy")
    clone.open((4, 4))
    number, mines = chordable(clone.game)
    for cell in mines:
        clone.flag(cell)
    clone.click(number, MIDDLE)
    clone.game.chord(number)
    clone.check()
    clone.flag(mines[0])
    clone.flag(mines[0])


def test_window_chords_by_left_click_on_a_number_and_by_both_buttons(start_clone):
    clone = start_clone(seed=2)
    clone.open((4, 4))
    number, mines = chordable(clone.game)
    for cell in mines:
        clone.flag(cell)
    clone.click(number, LEFT)
    clone.game.chord(number)
    clone.check()
    while not clone.game.is_over:
        number, mines = chordable(clone.game)
        for cell in mines:
            if clone.game.code(cell) == -1:
                clone.flag(cell)
        clone.xdotool("mousemove", *clone.middle(number), "mousedown", LEFT, "mousedown", RIGHT)
        clone.xdotool("mouseup", RIGHT, "mouseup", LEFT)
        clone.game.chord(number)
        clone.check()
    assert clone.game.state is GameState.WON


def test_window_shows_a_loss_and_starts_anew_by_the_face(start_clone, tmp_path):
    clone = start_clone()
    clone.open((0, 0))
    mines, safe = mines_and_safe(clone.game)
    clone.flag(mines[0])
    clone.flag(safe[-1])
    clone.open(mines[1])
    assert clone.game.state is GameState.LOST
    clone.check_face("dead")
    [line] = log_lines(tmp_path)
    assert (line["result"], line["clicks"], line["bbbv"]) == ("lost", 4, clone.game.layout.bbbv)
    clone.click_face()
    clone.expect_new_game()
    clone.check()
    clone.check_face("happy")
    clone.open((0, 0))


def test_window_shows_a_win_with_every_mine_flagged(start_clone, tmp_path):
    clone = start_clone(seed=4)
    clone.open((4, 4))
    clicks = 1
    while not clone.game.is_over:
        cell = mines_and_safe(clone.game)[1][0]
        clone.open(cell)
        clicks += 1
    clone.check_face("cool")
    [line] = log_lines(tmp_path)
    bbbv = clone.game.layout.bbbv
    assert line.pop("seconds") > 0
    assert line == {"result": "won", "rows": 9, "cols": 9, "mines": 10, "clicks": clicks, "bbbv": bbbv}


def test_window_pushes_the_held_cell_in_and_cancels_when_dragged_off(start_clone):
    clone = start_clone()
    clone.xdotool("mousemove", *clone.middle((3, 3)), "mousedown", LEFT)
    clone.check(pressed=[(3, 3)])
    clone.check_face("worried")
    clone.xdotool("mousemove", *clone.middle((3, 5)))
    clone.check()
    clone.xdotool("mouseup", LEFT)
    clone.check_face("happy")
    clone.check()
    clone.open((3, 5))


@pytest.mark.parametrize("kind", ["virtual_display", "bare_display"])
def test_window_keys_start_anew_and_quit(start_clone, kind, request):
    clone = start_clone(display=request.getfixturevalue(kind))
    clone.open((0, 0))
    clone.xdotool("key", "F2")
    clone.expect_new_game()
    clone.check()
    clone.xdotool("key", "ctrl+q")
    assert clone.process.wait(timeout=PATIENCE_S) == 0


def test_window_opens_no_menu_for_the_bots_start_key(start_clone):
    clone = start_clone()
    clone.open((0, 0))
    clone.xdotool("key", "F10")
    _, safe = mines_and_safe(clone.game)
    clone.open(safe[0])  # an open menu would take the click


def test_window_stays_exact_under_a_burst_of_clicks(start_clone, bare_display):
    # openbox loses clicks that follow each other within 2 ms; this test is about the window alone.
    clone = start_clone("expert", seed=11, display=bare_display)
    clone.open((8, 15))
    mines, safe = mines_and_safe(clone.game)
    moves = [(cell, RIGHT) for cell in mines[:40]] + [(cell, LEFT) for cell in safe[:40]]
    clone.burst(moves)
    for cell, button in moves:
        if button == RIGHT:
            clone.game.toggle_flag(cell)
        elif clone.game.code(cell) < 0:
            clone.game.open(cell)
        else:
            clone.game.chord(cell)
    clone.check()


def test_window_goes_where_it_is_told_to(start_clone, bare_display):
    clone = start_clone("beginner", "--position", "300,200", display=bare_display)
    plan = plan_window(clone.skin, clone.level)
    assert clone.origin.x == 300 + plan.grid.origin.x
    assert 0 < clone.origin.y - 200 - plan.grid.origin.y < 60  # the menu


def test_window_stops_on_ctrl_c_in_the_terminal(start_clone):
    clone = start_clone()
    clone.process.send_signal(2)
    assert clone.process.wait(timeout=PATIENCE_S) == 130
