"""The built-in game's window on a virtual screen, driven by real mouse and keys, and what its board should look like.

A `Session` of the same seed is played along: what it shows is painted cell by cell and must be on the screen, pixel by
pixel. Where the board lies is told by the face, of which there is one.
"""

from __future__ import annotations

import os
import subprocess
import time
from unittest import mock

import mss
import numpy as np
import pytest
from forked import Forked
from on_screen import find_all
from patience import PATIENCE_S

from bot.game import art
from bot.game.art import cell_sprites, digit_sprites, face_sprites
from bot.game.plan import plan_window
from bot.models import Pixel
from skins.profile_read import load_shipped_skin
from solver.board import Action, GameState, Move

LEFT, MIDDLE, RIGHT = "1", "2", "3"
_BUTTONS = {Action.OPEN: LEFT, Action.FLAG: RIGHT, Action.CHORD: MIDDLE}
_FACES = {GameState.WON: "cool", GameState.LOST: "dead"}
_TEXT_PX = (900, 100)
_GAP_BGR = (0x30, 0x20, 0x1D)


class DrivenGame:
    """A running window.

    Attributes:
        session: what it should be showing; None where nobody can know, as without a seed.
        skin, zoom: what it should be wearing, and how large.

    Args:
        stdout: the file that it prints to; None for a pipe.
    """

    def __init__(self, display, session, *arguments, skin=None, zoom=1.0, stdout=None):
        self._display = display
        self._env = {**os.environ, "DISPLAY": display}
        self.session, self.zoom = session, zoom
        self.has_rulers = False
        self.skin = skin or load_shipped_skin("minebot")
        self.process = Forked(["bot", "game", "--position", "40,40", *arguments], self._env, stdout)
        self.locate()

    def close(self):
        """End it, whatever it does."""
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE_S)

    def grab(self):
        """The whole screen: uint8, H x W x 3, BGR."""
        with mss.MSS(display=self._display) as screen:
            shot = screen.grab(screen.monitors[0])
        return np.array(shot)[:, :, :3]

    def wait_for(self, is_so, what):
        """Wait until something holds, and return it."""
        deadline = time.monotonic() + PATIENCE_S
        while not (found := is_so()):
            if self.process.poll() is not None:
                pytest.fail(f"the window is gone, while waiting for {what}: {self.process.stderr.read()}")
            if time.monotonic() > deadline:
                pytest.fail(f"no {what}")
            time.sleep(0.03)
        return found

    @property
    def plan(self):
        """Where things stand inside the window."""
        return plan_window(self.skin, self.session.size, self.zoom, has_rulers=self.has_rulers)

    def locate(self):
        """Find the board, by the face above it, once it stands still; a window manager may yet move a new window."""
        face = face_sprites(self.zoom)[_FACES.get(self.session.game.state, "happy")]
        before = []

        def places():
            nonlocal before
            last, before = before, find_all(self.grab(), face)
            return before if before == last and len(before) == 1 else None

        ((x, y),) = self.wait_for(places, "face")
        self._corner = Pixel(x - self.plan.face.left, y - self.plan.face.top)

    def expected(self):
        """The board's picture, gaps between blocks included."""
        plan, most = self.plan, self.session.game.topology.most_neighbours
        sprites = cell_sprites(self.skin, self.zoom, most)
        board = plan.grid.region
        picture = np.empty((board.height, board.width, 3), dtype=np.uint8)
        picture[:] = _GAP_BGR
        for cell, code in np.ndenumerate(self.session.shown):
            picture[self._part(cell)] = sprites[int(code)]
        return picture

    def _part(self, cell):
        board, place = self.plan.grid.region, self.plan.grid.cell_region(cell)
        x, y = place.left - board.left, place.top - board.top
        return np.s_[y : y + place.height, x : x + place.width]

    def board_picture(self):
        """What is on the screen where the board is."""
        board = self.plan.grid.region
        x, y = self._corner.x + board.left, self._corner.y + board.top
        return self.grab()[y : y + board.height, x : x + board.width]

    def check(self, marked=()):
        """Wait until the screen shows the board, and marks over these cells and no others."""
        expected = self.expected()
        wrong = []

        def is_shown():
            shown = self.board_picture()
            if shown.shape != expected.shape:
                return False
            differ = {
                cell
                for cell in np.ndindex(self.session.game.board.shape)
                if not np.array_equal(shown[self._part(cell)], expected[self._part(cell)])
            }
            wrong[:] = sorted(differ ^ set(marked))
            return not wrong

        try:
            self.wait_for(is_shown, "such board")
        except pytest.fail.Exception:
            pytest.fail(f"cells {wrong} differ, with marks over {sorted(marked)}, from\n{self.session.game.board}")

    def shown_number(self, region):
        """What the mine counter or the timer shows; None while it is being painted."""
        digits = digit_sprites(self.zoom)
        height, width = digits["0"].shape[:2]
        top = self._corner.y + region.top + round(4 * self.zoom)
        left = self._corner.x + region.left + round(4 * self.zoom)
        frame = self.grab()
        parts = [frame[top : top + height, left + k * width : left + (k + 1) * width] for k in range(3)]
        found = [next((sign for sign, sprite in digits.items() if np.array_equal(sprite, part)), "") for part in parts]
        return int("".join(found)) if all(found) else None

    def check_text(self, text):
        """Wait until this text stands below the board; Tk sets it elsewhere on the screen, and it is looked for."""
        picture = self._set(text)
        self.wait_for(lambda: find_all(self.grab()[:, : _TEXT_PX[0]], picture), f"text {text!r}")

    def _set(self, text):
        import tkinter as tk  # Python for Windows under wine has none: there these tests are left out

        from bot.game.stage import Footer

        with mock.patch.dict(
            os.environ, DISPLAY=self._display
        ):  # not by screenName: Tk would leave it in the environment
            root = tk.Tk()
        x, y = _TEXT_PX
        root.configure(background=art.WINDOW)
        root.overrideredirect(True)
        root.geometry(f"+{x}+{y}")
        footer = Footer(root)
        footer.fit(self.plan.width)
        footer.show(text)
        root.update()
        width, height = root.winfo_reqwidth(), root.winfo_reqheight()

        def painted():
            root.update()
            part = self.grab()[y : y + height, x : x + width]
            return [part] if len(np.unique(part.reshape(-1, 3), axis=0)) > 2 else []

        (picture,) = self.wait_for(painted, "text")
        root.destroy()
        return picture

    def xdotool(self, *words):
        """Say something to the X server."""
        subprocess.run(["xdotool", *map(str, words)], env=self._env, check=True)

    def keys(self, *names):
        """Press keys, one after the other."""
        self.xdotool("key", "--delay", "40", *names)

    def choose(self, *letters):
        """Choose from the menu by the underlined letters: the first opens a menu."""
        self.xdotool("key", "--delay", "150", f"alt+{letters[0]}", *letters[1:])

    def point(self, cell):
        """Put the pointer on a cell."""
        middle = self.plan.grid.cell_region(cell).middle
        self.xdotool("mousemove", self._corner.x + middle.x, self._corner.y + middle.y)

    def click(self, cell, button=LEFT):
        """Click a cell."""
        self.point(cell)
        self.xdotool("click", button)

    def click_face(self):
        """Begin another game by the face."""
        face = self.plan.face.middle
        self.xdotool("mousemove", self._corner.x + face.x, self._corner.y + face.y, "click", LEFT)

    def do(self, action, cell, marked=()):
        """Make a move by the mouse, in the window and in the session, and compare."""
        self.click(cell, _BUTTONS[action])
        self.session.act(Move(action, cell))
        self.check(marked)

    def has_window(self, title):
        """Whether a window of this title is on the screen."""
        found = subprocess.run(
            ["xdotool", "search", "--onlyvisible", "--name", title], env=self._env, capture_output=True, check=False
        )
        return bool(found.stdout.strip())
