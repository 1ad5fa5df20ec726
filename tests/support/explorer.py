"""A person at a window with a board in it: real input in; pixels, and at the end what the command prints, out."""

from __future__ import annotations

import json
import os
import subprocess
import time
import tkinter as tk
from unittest import mock

import mss
import numpy as np
from on_screen import find_all
from patience import PATIENCE_S

from bot.game import art
from bot.game.plan import plan_window
from bot.game.sizes import BoardSize
from bot.models import Pixel
from bot.reporting.drawing.marks import mark_of_risk, stamp
from skins.profile_read import load_shipped_skin

OWN_LINES_X_PX = 900
"""Where the expected words are drawn on the screen: the window does not reach it."""


class Explorer:
    """A running command's window with a board of one size."""

    def __init__(self, display, process, shape, *, has_rulers=False):
        self.display, self.process = display, process
        self.env = {**os.environ, "DISPLAY": display}
        skin = load_shipped_skin("minebot")
        self.sprites = art.position_sprites(skin)
        self.plan = plan_window(skin, BoardSize(shape, 0), has_rulers=has_rulers)
        self.corner = Pixel(0, 0)
        face = art.face_sprites()["happy"]
        [(x, y)] = self.wait_for(lambda: self.find(face), "a window")
        self.corner = Pixel(x - self.plan.face.left, y - self.plan.face.top)

    def grab(self):
        with mss.MSS(display=self.display) as screen:
            return np.array(screen.grab(screen.monitors[0]))[:, :, :3]

    def find(self, picture):
        """Where a picture stands on the screen, left of the place of the expected words."""
        return find_all(self.grab()[:, :OWN_LINES_X_PX], picture)

    def wait_for(self, look, what):
        deadline = time.monotonic() + PATIENCE_S
        while not (found := look()):
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline, f"no {what}"
            time.sleep(0.05)
        return found

    def xdotool(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.env, check=True)

    def point(self, cell):
        middle = self.plan.grid.cell_region(cell).middle
        self.xdotool("mousemove", self.corner.x + middle.x, self.corner.y + middle.y)

    def key(self, *keys):
        self.xdotool("key", *keys)

    def type_name(self, path):
        """Type a file's name in a dialog that opens, and accept it."""
        search = ["xdotool", "search", "--sync", "--onlyvisible", "--name", "^(Open|Save.*)$"]
        subprocess.run(search, env=self.env, check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE_S)
        time.sleep(0.5)
        self.xdotool("type", str(path))
        self.key("Return")

    def check_cell(self, cell, code, p_mine=None):
        """Wait until a cell shows a code, or a risk on a closed cell."""
        place, wanted = self.plan.grid.cell_region(cell), self.sprites[code]
        if p_mine is not None:
            wanted = stamp(mark_of_risk(p_mine), place.width, place.height).on(wanted)
        x, y = self.corner.x + place.left, self.corner.y + place.top
        self.wait_for(
            lambda: np.array_equal(self.grab()[y : y + place.height, x : x + place.width], wanted),
            f"{code} with risk {p_mine} at {cell}",
        )

    def check_face(self, mood):
        self.wait_for(lambda: self.find(art.face_sprites()[mood]), mood)

    def check_words(self, text, ground=art.FRAME):
        """Wait until these words, without a line's end in them, stand somewhere in the window."""
        picture = self._set(text, ground)
        self.wait_for(lambda: self.find(picture), repr(text))

    def _set(self, text, ground):
        with mock.patch.dict(os.environ, DISPLAY=self.display):
            root = tk.Tk()
        root.overrideredirect(True)
        root.geometry(f"+{OWN_LINES_X_PX}+900")
        tk.Label(root, text=text, font="TkSmallCaptionFont", bg=ground, fg=art.TEXT, bd=0, padx=0, pady=0).pack()
        root.update()
        width, height = root.winfo_reqwidth(), root.winfo_reqheight()

        def painted():
            root.update()
            part = self.grab()[900 : 900 + height, OWN_LINES_X_PX : OWN_LINES_X_PX + width]
            return part if len(np.unique(part.reshape(-1, 3), axis=0)) > 2 else None

        deadline = time.monotonic() + PATIENCE_S
        while (part := painted()) is None:
            assert time.monotonic() < deadline, "words are not drawn"
        root.destroy()
        is_ink = (part != part[0, 0]).any(axis=2)
        rows, cols = np.flatnonzero(is_ink.any(axis=1)), np.flatnonzero(is_ink.any(axis=0))
        return part[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]

    def close(self):
        """Close the window; returns what the command prints then."""
        self.key("ctrl+q")
        out, remarks = self.process.communicate(timeout=PATIENCE_S)
        assert self.process.returncode == 0, remarks
        return json.loads(out)
