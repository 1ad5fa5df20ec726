"""A clone with the coach over it, played through the overlay by hands that are not the bot's."""

from __future__ import annotations

import json
import threading
import time
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from bot_process import running_bot
from gnome_mines import gnome_mines
from patience import PATIENCE_S, wait_until
from winemine import wine_prefix
from Xlib import X, error
from Xlib.display import Display
from Xlib.ext import composite

from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from skins import load_shipped_skins
from solver import analyse, parse_board
from solver.board import CLOSED, FLAG, format_rows

HIDE_KEY = "F9"  # F10 opens a menu in the clones
OPTIONS = ("--json", "--hotkey", HIDE_KEY.lower())
NO_REPEAT_S = 0.1
"""A key pressed sooner again passes for one that is held down."""
SOON_S = 30.0


PROGRAMS = {
    "winemine": (("wine", "wine wine64"), ("xwininfo", "x11-utils")),
    "gnome-mines": (("/usr/games/gnome-mines", "gnome-mines"), ("dbus-run-session", "dbus")),
}
"""What each clone needs: programs, and the packages they are in."""


@contextmanager
def running_clone(name, desk, gnome_mines_px=(900, 650)):
    """Run a clone; yields the key that closes what a win brings up, and the one that begins another game."""
    with ExitStack() as stack:
        if name == "winemine":
            stack.enter_context(stack.enter_context(wine_prefix(desk.name)).winemine("expert"))
            yield "Return", "F2"
        else:
            stack.enter_context(gnome_mines(desk, "medium", size=gnome_mines_px))
            yield "alt+d", "ctrl+r"


@contextmanager
def windows_kept_apart(display_name):
    """Have the server keep the pixels of every window, as Windows' compositor does: wine has none of its own.

    Without it a program under wine sees in a window what lies over it.
    """
    display = Display(display_name)
    display.composite_query_version()
    display.screen().root.composite_redirect_subwindows(composite.RedirectAutomatic)
    display.sync()
    try:
        yield
    finally:
        display.close()


def begin_another(desk, keys, state):
    """Begin another game after one that was won or lost."""
    for key in keys if state == "won" else keys[-1:]:
        desk.type_key(key)
        desk.wait_until_still()


class Coached:
    """What the coach says, line by line, and what is seen of it."""

    def __init__(self, bot, desk):
        self.bot = bot
        self._desk = desk
        self.events = []
        self._heard = threading.Condition()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self):
        for line in self.bot.process.stdout:
            with self._heard:
                self.events.append(json.loads(line) | {"heard_at": time.monotonic()})
                self._heard.notify_all()

    def wait_for(self, is_it, since=0, what="such an event"):
        """The first event from number `since` on of which `is_it` is true."""
        with self._heard:
            found = self._heard.wait_for(lambda: next((e for e in self.events[since:] if is_it(e)), None), PATIENCE_S)
        assert found, f"no {what} within {PATIENCE_S:.0f} s; said: {self.events[-3:]} {self.bot.remarks}"
        return found

    def wait_for_kind(self, kind, since=0):
        """The first event of that kind from number `since` on."""
        return self.wait_for(lambda event: event["event"] == kind, since, kind)

    @property
    def position(self):
        """The last position it told of."""
        return next(event for event in reversed(self.events) if event["event"] == "position")

    def wait_until_settled(self, still_s=0.6):
        """Wait until it tells of no other position for a while; returns the last."""
        self.wait_for_kind("position")
        while True:
            last = self.position
            time.sleep(still_s)
            if self.position is last:
                return last

    def toggle(self):
        """Hide it or show it; returns once it is so."""
        time.sleep(NO_REPEAT_S)
        n_before = len(self.events)
        self._desk.type_key(HIDE_KEY)
        self.wait_for(lambda event: event["event"] in ("hidden", "position"), n_before, "answer to the key")

    def finish(self):
        """Wait for its end; returns the exit code."""
        code = self.bot.process.wait(PATIENCE_S)
        self.join()
        return code

    def join(self):
        """Wait until all that it said has been heard; it is ended."""
        self._thread.join(PATIENCE_S)


@contextmanager
def coached(desk, *options, **variables):
    """Run `minebot coach` over what is on the screen, while the block runs; `variables` are of its environment."""
    with running_bot("coach", *OPTIONS, *options, display=desk.name, **desk.variables, **variables) as bot:
        coach = hear(bot, desk)
        yield coach
        bot.process.kill()
        coach.join()


def hear(bot, desk):
    """Hear what a coach says that was started with OPTIONS; returns once it has told of a position."""
    coach = Coached(bot, desk)
    bot.wait_for("Coaching")
    coach.wait_for_kind("position")
    return coach


def read_uncovered(desk):
    """The one board on a screen without an overlay: (picture, reading)."""
    frame = Frame(desk.wait_until_still(still_s=0.15))
    (board,) = find_boards(frame, load_shipped_skins())
    return frame, read_board(frame, board.grid, board.skin)


def board_slices(position):
    """The rows and columns of the screen that show the board of a position that the coach told of."""
    (left, top), (width, height) = position["origin"], position["pitch"]
    n_rows, n_cols = len(position["board"]), len(position["board"][0])
    return slice(top, top + int(n_rows * height)), slice(left, left + int(n_cols * width))


def expected_marks(position):
    """What `solve` says of a position that the coach told of: (safe cells, mines), and the risks of the frontier."""
    board = parse_board("\n".join(position["board"])).with_mines(position["mines"])
    if position["state"] in ("won", "lost"):
        return ([], []), {}
    analysis = analyse(board)
    risks = {}
    for cell in np.ndindex(board.shape):
        p_mine = analysis.p_mine[cell]
        beside_number = any(board[near] >= 0 for near in board.topology.neighbours(cell))
        if board[cell] in (CLOSED, FLAG) and beside_number and 0 < p_mine < 1:
            risks[cell] = float(p_mine)
    return ([list(cell) for cell in analysis.safe], [list(cell) for cell in analysis.mines]), risks


def told_marks(position):
    """What the coach says that it marks, in the same form."""
    marked = position["marked"]
    risks = {tuple(risk["cell"]): risk["p_mine"] for risk in marked["risks"]}
    return (marked["safe"], marked["mines"]), risks


def see_positions(coach, desk, keys, n_positions, *, tells_pointer=True):
    """Play so many positions by hand through what the coach draws, and hold all that it says and shows against them.

    Each is read twice: by the coach, from under what it has drawn, and from a picture of the screen while nothing is.
    Where nobody tells of the pointer, no reason is waited for.
    """
    n_seen = 0
    while True:
        desk.move(0, 0)
        told = coach.wait_until_settled()
        drawn = desk.capture_all()
        coach.toggle()
        if told["state"] in ("fresh", "playing"):
            board = board_slices(told)
            wait_until(
                lambda shown=drawn[board], board=board: not np.array_equal(desk.capture_all()[board], shown),
                "what the coach draws stays on the screen",
            )
        frame, reading = read_uncovered(desk)
        coach.toggle()
        again = coach.wait_until_settled(still_s=0)
        assert told["board"] == again["board"] == format_rows(reading.board.cells), "with it on as with it off"
        proven, risks = told_marks(told)
        expected_proven, expected_risks = expected_marks(told)
        assert proven == expected_proven
        assert risks == pytest.approx(expected_risks, rel=1e-12)
        assert told["origin"] == list(reading.grid.region.corner)
        is_drawn = not np.array_equal(drawn[reading.grid.region.slices], frame.pixels_bgr[reading.grid.region.slices])
        assert is_drawn == (told["state"] in ("fresh", "playing"))
        n_seen += told["state"] == "playing"
        if n_seen == n_positions:
            break
        n_before = len(coach.events)
        if told["move"] is None:
            begin_another(desk, keys, told["state"])
            coach.wait_for(lambda event: event.get("state") == "fresh", n_before, "new game")
        else:
            middle = reading.grid.cell_region(tuple(told["move"]["cell"])).middle
            desk.move(*middle)
            if tells_pointer:
                coach.wait_for(lambda event: event["event"] == "cell", n_before, "reason")
                n_before = len(coach.events)
            desk.click(*middle)
            desk.wait_until_still()
            desk.move(2, 2)  # mutter 43 now and then leaves out the last picture of an animation until then
            coach.wait_for_kind("position", n_before)


def panes(desk):
    """Where the coach's windows are that can be seen, the lowest first: (left, top, width, height)."""
    display = Display(desk.name)
    found = []
    try:
        for window in display.screen().root.query_tree().children:
            try:
                if window.get_wm_name() == "minebot coach" and window.get_attributes().map_state == X.IsViewable:
                    at = window.get_geometry()
                    found.append((at.x, at.y, at.width, at.height))
            except error.XError:  # it closed meanwhile
                continue
    finally:
        display.close()
    return found
