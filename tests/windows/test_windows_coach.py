"""`minebot coach` on Windows: the bot in CPython for Windows over the winemine of the same prefix, under wine.

Every click and key comes from outside, through the X server, and the pictures of the screen are taken there too. The
server keeps the windows apart, as Windows' own compositor does since Windows 8: wine has none, and without one nobody
can see a window under another. MINEBOT_COACH_POSITIONS says how many positions are looked at.
"""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import contextmanager

import pytest
from amounts import count
from bot_process import BotProcess
from coached import OPTIONS, hear, panes, read_uncovered, see_positions, windows_kept_apart
from desktop_game import desk
from patience import PATIENCE_S, wait_until
from windows_env import windows_path

from bot.models import Region
from solver.board import format_rows

N_POSITIONS = count("MINEBOT_COACH_POSITIONS", gate=3, full=20)

pytestmark = [
    pytest.mark.windows,
    pytest.mark.winemine,
    pytest.mark.screen,
    pytest.mark.timeout(900 + 10 * N_POSITIONS),
]

TITLE = "WineMine"
CTRL_C_WHEN_DUE = r"""
import ctypes, signal, subprocess, sys, time
from pathlib import Path
kernel32, user32 = ctypes.WinDLL("kernel32"), ctypes.WinDLL("user32")
kernel32.GetConsoleWindow.restype = ctypes.c_void_p
kernel32.FreeConsole()
assert kernel32.AllocConsole()
user32.ShowWindow(ctypes.c_void_p(kernel32.GetConsoleWindow()), 0)  # not over the game
command = [sys.executable, "-m", "bot", "coach", *{options}]
coach = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=sys.stdout, stderr=sys.stderr)
while not Path({due}).exists() and coach.poll() is None:
    time.sleep(0.05)
signal.signal(signal.SIGINT, signal.SIG_IGN)  # all on the console get it
assert kernel32.GenerateConsoleCtrlEvent(0, 0)
sys.exit(coach.wait(60))
"""
COVER = r"""
import ctypes, json, time
from ctypes import wintypes
user32 = ctypes.WinDLL("user32")
user32.CreateWindowExW.restype = user32.GetWindow.restype = wintypes.HWND
user32.CreateWindowExW.argtypes = [
    *(wintypes.DWORD, wintypes.LPCWSTR, wintypes.LPCWSTR, wintypes.DWORD, *[ctypes.c_int] * 4),
    *(wintypes.HWND, wintypes.HMENU, wintypes.HINSTANCE, ctypes.c_void_p),
]
user32.GetWindow.argtypes = [wintypes.HWND, wintypes.UINT]
user32.GetWindowTextW.argtypes = [wintypes.HWND, wintypes.LPWSTR, ctypes.c_int]
user32.IsWindowVisible.argtypes = [wintypes.HWND]
cover = user32.CreateWindowExW(0, "STATIC", "cover", 0x90CF0000, 0, 0, 900, 700, None, None, None, None)  # is shown
assert cover
message = wintypes.MSG()
for _ in range(600):
    while user32.PeekMessageW(ctypes.byref(message), None, 0, 0, 1):
        user32.DispatchMessageW(ctypes.byref(message))
    titles, window = [], user32.GetWindow(cover, 0)
    while window:
        title = ctypes.create_unicode_buffer(80)
        user32.GetWindowTextW(window, title, 80)
        if user32.IsWindowVisible(window):
            titles.append(title.value)
        window = user32.GetWindow(window, 2)
    print(json.dumps(titles), flush=True)
    time.sleep(0.1)
"""


@pytest.fixture(scope="module")
def hands(virtual_display):
    with windows_kept_apart(virtual_display), desk(virtual_display) as opened:
        yield opened


@pytest.fixture
def game(desktop, hands):
    hands.move(0, 0)
    with desktop.wine.winemine("expert"):
        yield hands.wait_for_window(TITLE)


def xdotool(hands, *words):
    subprocess.run(["xdotool", *map(str, words)], env={**os.environ, "DISPLAY": hands.name}, check=True)


@contextmanager
def coach_on_windows(desktop, hands):
    with desktop.bot("coach", *OPTIONS) as bot:
        coach = hear(bot, hands)
        try:
            yield coach
        finally:
            bot.process.kill()
            coach.join()


@contextmanager
def coach_on_a_console(desktop, hands, folder):
    """The coach on a console of its own: yields it, and a function that has Ctrl-C sent there."""
    due = folder / "due"
    code = CTRL_C_WHEN_DUE.format(options=OPTIONS, due=json.dumps(windows_path(due)))
    with desktop.running("-c", code) as process:
        bot = BotProcess(process)
        try:
            coach = hear(bot, hands)
            yield coach, due.touch
        finally:
            due.touch()
            process.wait(PATIENCE_S)
            coach.join()
            bot._thread.join()


def test_coach_on_windows_marks_what_solve_says_and_leaves_a_clean_screen_on_ctrl_c(desktop, hands, game, tmp_path):
    with coach_on_a_console(desktop, hands, tmp_path) as (coach, send_ctrl_c):
        see_positions(coach, hands, ("Return", "F2"), N_POSITIONS)
        assert len(panes(hands)) == 2
        send_ctrl_c()
        assert coach.finish() == 130
    assert panes(hands) == []
    _, reading = read_uncovered(hands)
    assert format_rows(reading.board.cells) == coach.position["board"], "nothing of it is left"


def test_coach_on_windows_goes_where_the_game_goes_lies_where_it_lies_and_ends_with_it(desktop, hands, game):
    with coach_on_windows(desktop, hands) as coach:
        wait_until(lambda: len(panes(hands)) == 2, "marks and panel are drawn")
        first, at = coach.position, panes(hands)
        xdotool(hands, "windowmove", game.id, 60, 80)
        wait_until(lambda: hands.find_window(TITLE) not in (game, None), "the window moves")
        hands.wait_until_still()
        moved = hands.find_window(TITLE)
        across, down = moved.left - game.left, moved.top - game.top
        wait_until(lambda: panes(hands)[0][:2] == (at[0][0] + across, at[0][1] + down), "the marks move with it")

        n_before = len(coach.events)
        xdotool(hands, "windowminimize", game.id)
        coach.wait_for_kind("hidden", n_before)
        wait_until(lambda: panes(hands) == [], "nothing is drawn while it is minimised")
        n_before = len(coach.events)
        xdotool(hands, "windowactivate", game.id)
        left, top = first["origin"]
        there = [left + across, top + down]  # for a moment after the icon, wine says that the window is where it was
        told = coach.wait_for(lambda event: event.get("origin") == there, n_before, f"position at {there}")
        assert told["board"] == first["board"]
        wait_until(lambda: len(panes(hands)) == 2, "it is drawn again")

        with desktop.running("-c", COVER) as process:
            assert json.loads(process.stdout.readline()) == ["cover", "minebot coach", "minebot coach", TITLE]
            hands.wait_until_still()
            n_before = len(coach.events)
            coach.toggle()
            coach.toggle()
            assert coach.wait_for_kind("position", n_before)["board"] == told["board"], "read from under the cover"
            n_before = len(coach.events)
            hands.move(*Region(moved.left, moved.top, moved.width, moved.height).middle)
            hands.wait_until_still(still_s=0.5)
            assert coach.events[n_before:] == [], "the pointer is on the cover"
        xdotool(hands, "windowactivate", game.id)
        coach.wait_for_kind("cell", n_before)
        hands.type_key("alt+F4")
        assert coach.wait_for_kind("ended")["why"] == "the window was closed"
        assert coach.finish() == 0
    assert panes(hands) == []
