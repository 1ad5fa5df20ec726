"""A real clone is learned while somebody else plays it; the X server as witness: every press was that person's."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import cv2
import pytest
from bot_process import environment
from desktop_game import desk
from patience import PATIENCE_S
from two_readings import compare
from winemine import wine_prefix
from xledger import XLedger

from bot.models import Frame, Pixel
from bot.playing.decide import decide_moves
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from skins import load_shipped_skin, load_skin
from solver.analysis import analyse
from solver.board import FLAG, GameState
from solver.errors import InconsistentError

pytestmark = [pytest.mark.screen, pytest.mark.winemine]

MOVE_S = 0.25
MINES = 10
LEFT, RIGHT = 1, 3


class Somebody:
    """Plays a game on the screen with hands of their own; knows its look, which the watcher does not."""

    def __init__(self, hands, skin, face):
        self._hands = hands
        self._skin = skin
        self._face = Pixel(*face)
        self.presses = []
        self._has_flagged = False

    def move(self):
        """Make one move of a game, or begin another one."""
        frame = Frame(self._hands.wait_until_still())  # half painted, a pressed cell looks like a 0
        boards = find_boards(frame, [self._skin])
        if len(boards) != 1:
            self._hands.type_key("Return")  # a best time asks for a name
            return
        reading = read_board(frame, boards[0].grid, self._skin, MINES)
        if reading.unknown:
            self._hands.type_key("Return")
        elif reading.state in {GameState.WON, GameState.LOST}:
            time.sleep(1.0)
            self._begin_anew()
        else:
            try:
                self._click(reading)
            except InconsistentError:  # a flag of theirs is wrong
                self._begin_anew()

    def _begin_anew(self):
        self._press(self._face, LEFT)  # whichever window has the keyboard
        self._has_flagged = False

    def _click(self, reading):
        known = analyse(reading.board)
        mines = [cell for cell in known.mines if reading.board[cell] != FLAG]
        if mines and not self._has_flagged:
            self._has_flagged = True
            self._press(reading.grid.cell_region(mines[0]).middle, RIGHT)
        elif mines and len(known.safe) <= 1:
            self._press(reading.grid.cell_region(mines[-1]).middle, LEFT)  # lost on purpose: mines are to be seen
        else:
            self._press(reading.grid.cell_region(decide_moves(reading).moves[0].cell).middle, LEFT)

    def _press(self, pixel, button):
        self.presses.append((pixel.x, pixel.y, button))
        self._hands.click(*pixel, button)


@pytest.mark.safety
def test_winemine_is_learned_while_somebody_plays_and_the_watcher_presses_nothing(
    virtual_display, require_program, tmp_path
):
    require_program("wine", "wine wine64")
    env = environment(virtual_display) | {"MINEBOT_SKINS": str(tmp_path)}
    shipped = load_shipped_skin("winemine")
    command = [sys.executable, "-m", "calibration", "--watch", "--now", "--name", "mine", "--json"]
    with (
        desk(virtual_display) as hands,
        wine_prefix(virtual_display) as wine,
        wine.winemine("beginner") as window,
        XLedger(virtual_display) as watch,
    ):
        left, top, right, bottom = window.board
        hands.move((left + right) // 2, (top + bottom) // 2)
        watcher = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            assert "a board of 9x9 cells" in watcher.stderr.readline()
            began = time.monotonic()
            someone = Somebody(hands, shipped, window.face)
            while watcher.poll() is None and time.monotonic() - began < PATIENCE_S:
                someone.move()
                time.sleep(MOVE_S)
            took_s = time.monotonic() - began
            if watcher.poll() is None:
                cv2.imwrite(str(tmp_path / "not-learned.png"), hands.capture_all())
        finally:
            watcher.kill()
            out, told = watcher.communicate()
        last_told = "\n".join(told.splitlines()[-4:])  # a summary of the gate has room for six lines
        assert watcher.returncode == 0, f"{len(someone.presses)} presses in {took_s:.0f} s, see {tmp_path}\n{last_told}"
        answer = json.loads(out)
        assert answer["verified"], last_told
        assert answer["unlabelled"] == 0
        learned = load_skin(tmp_path / "mine")
        n_both = n_wrong = 0
        for _ in range(60):
            counts = compare(hands, learned, shipped)
            if counts is not None:
                n_both, n_wrong = n_both + counts[0], n_wrong + counts[1]
            someone.move()
        pressed = [(event.x, event.y, event.detail) for event in watch.of("press")]
    assert pressed == someone.presses
    sys.stdout.write(f"{took_s:.0f} s, {len(pressed)} presses, {n_both} cells read, {n_wrong} wrong\n{told}\n")
    assert n_wrong == 0
    assert n_both > 2000
