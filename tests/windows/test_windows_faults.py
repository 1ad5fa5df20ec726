"""Windows that move, are covered, or become icons while the bot in Python for Windows plays, as on X11.

Every press is held against the window that Windows itself says showed there, and where that was at the time.
"""

from __future__ import annotations

import json
from contextlib import contextmanager

import pytest
from desktop_game import desk
from patience import PATIENCE_S, wait_until
from person import person
from windows_desktop import ESCAPE

pytestmark = [
    pytest.mark.safety,
    pytest.mark.windows,
    pytest.mark.winemine,
    pytest.mark.screen,
]

ANOTHER = "another window has the keyboard"


@pytest.fixture
def someone(virtual_display):
    with person(virtual_display) as opened:
        yield opened


@pytest.fixture
def hands(virtual_display):
    with desk(virtual_display) as opened:
        yield opened


MOST_TURNS = 30
"""Most turns of a person to another window until the bot notices one."""


class Played:
    """A game of winemine that the bot plays; the number of its window at the X server, and who watches."""

    def __init__(self, game, number, watch, bot, someone):
        self.game = game
        self.number = number
        self.bot = bot
        self._watch = watch
        self._someone = someone
        self.n_under_way = 0
        """Presses that may land on the desktop: Windows holds no window in its place between a question and a click.

        Such a press gives the desktop the keyboard, and play pauses.
        """
        self._n_gone_on = 0

    @property
    def window(self):
        """The number of its window at Windows."""
        return self._watch.of("press")[0].window

    def some_way_on(self, n_presses=12):
        """Wait for some more presses."""
        n_before = len(self._watch.of("press"))
        self._wait(lambda: len(self._watch.of("press")) >= n_before + n_presses, "presses")

    def wait_for_end_of_a_game(self):
        """Wait until one more game ends."""
        n_before = self._n_told("game ")
        self._wait(lambda: self._n_told("game ") > n_before, "the end of a game")

    def play_on(self):
        """Wait until one more game ends; a person has play go on each time it pauses for another window."""
        n_games = self._n_told("game ")

        def _has_ended():
            if self._n_told(ANOTHER) > self._n_gone_on:
                self._n_gone_on += 1
                self.press_start()
            return self._n_told("game ") > n_games

        self._wait(_has_ended, "the end of a game")

    def pause(self):
        """Have a person pause play; nothing is clicked any more when this returns."""
        self.press_start()
        self._someone.wait_until(self._someone.now_ms() + 300)

    def turn_to(self, number):
        """Have a person turn to another window until the bot says so.

        A click of the bot's gives the keyboard back to its game. Where that comes before wine has heard of the other
        window, Windows never knows of it.
        """
        n_turned = 0
        while self._n_told(ANOTHER) == 0 and n_turned < MOST_TURNS:
            self._someone.activate(number)
            self._someone.wait_until(self._someone.now_ms() + 1000)
            n_turned += 1
        assert self._n_told(ANOTHER) > 0, f"{n_turned} turns to another window were not noticed: {self.bot.remarks}"

    def press_start(self):
        """Press the key that starts and pauses."""
        self._someone.key("F10")

    def stop(self):
        """Press the key that stops; returns the exit code and the games told of."""
        self._someone.key("Escape")
        code, output = self.bot.finish()
        return code, json.loads(output)["games"]

    def strays(self):
        """The presses in another window than the first one's, and off its board wherever that was."""
        first, *_ = presses = self._watch.of("press")
        for press in presses:
            x, y = (
                at - (now - then) for at, now, then in zip((press.x, press.y), press.corner, first.corner, strict=True)
            )
            if press.window != first.window or not self.game.allows_click(x, y):
                yield press

    def _n_told(self, text):
        return sum(text in line for line in self.bot.remarks)

    def _wait(self, is_done, what):
        wait_until(is_done, lambda: f"expected {what}: {self.bot.remarks}")


@pytest.fixture
def played(desktop, hands, someone):
    """Winemine and the bot that plays it, Expert, game after game; no press may stray."""
    with (
        desktop.wine.winemine("expert") as game,
        desktop.watch() as watch,
        desktop.bot("play", "--now", "--games", "1000", "--minutes", "2", "--json") as bot,
    ):
        played = Played(game, hands.wait_for_window("WineMine").id, watch, bot, someone)
        played.some_way_on()
        yield played
        assert watch.keys(ESCAPE) or bot.process.poll() is not None
        strays = list(played.strays())
        assert len([press for press in strays if press.window is None]) <= played.n_under_way, strays
        assert [press for press in strays if press.window is not None] == []


PUT_ON_TOP = """
import ctypes
from ctypes import wintypes
user32 = ctypes.WinDLL("user32")
user32.FindWindowExW.argtypes = [wintypes.HWND, wintypes.HWND, wintypes.LPCWSTR, wintypes.LPCWSTR]
user32.FindWindowExW.restype = wintypes.HWND
user32.SetWindowPos.argtypes = [wintypes.HWND, wintypes.HWND, *[ctypes.c_int] * 4, wintypes.UINT]
windows, window = [], None
while window := user32.FindWindowExW(None, window, "WineMine", None):
    windows.append(window)
(other,) = set(windows) - {{{first}}}
assert user32.SetWindowPos(other, None, {x}, {y}, 0, 0, 1)  # keeps its size
print("done")
"""


@contextmanager
def another_winemine(desktop, someone, played, x, y):
    """While play is paused a second winemine comes up, and is put there, on top of the first or beside it.

    Not where the window manager puts it, which may be exactly over the first: a fresh board of its size and look, in
    its very place, that nobody could tell from a new game. By Windows: what the manager does to the order of windows,
    Windows does not hear of under wine.
    """
    played.pause()
    before = someone.managed_windows()
    with desktop.wine.shown_winemine(lambda: next(iter(someone.managed_windows() - before), None)) as number:
        someone.turn_to(number)  # the window manager may not give the keyboard to a new window while keys are pressed
        with desktop.running("-c", PUT_ON_TOP.format(first=played.window, x=x, y=y)) as putting:
            output, remarks = putting.communicate(timeout=PATIENCE_S)
        assert output.strip() == "done", remarks
        someone.wait_until(someone.now_ms() + 500)
        yield number


def test_window_that_moves_on_windows_is_played_on(played, someone):
    for place in ((300, 200), (350, 216), (40, 500)):
        played.n_under_way += 1
        someone.move_window(played.number, *place)
        played.play_on()
    code, games = played.stop()
    assert code == 130
    assert len(games) >= 3


def test_window_that_is_an_icon_for_a_while_on_windows_is_played_on(played, someone):
    played.n_under_way = 1
    someone.minimise(played.number)
    someone.wait_until(someone.now_ms() + 1500)
    someone.turn_to(played.number)
    played.play_on()
    assert played.stop()[0] == 130


def test_second_winemine_on_windows_is_never_played_and_its_keyboard_pauses_play(desktop, played, someone):
    with another_winemine(desktop, someone, played, 640, 500) as number:
        played.press_start()
        played.wait_for_end_of_a_game()  # the bot's clicks took the keyboard back
        played.some_way_on()
        played.turn_to(number)
        played.press_start()
        played.wait_for_end_of_a_game()
        assert played.stop()[0] == 130


def test_board_that_a_second_winemine_covers_for_a_while_on_windows_is_played_on(desktop, played, someone):
    left, top, _, _ = played.game.board
    with another_winemine(desktop, someone, played, left + 100, top + 40):
        played.press_start()
        someone.wait_until(someone.now_ms() + 2000)
    played.wait_for_end_of_a_game()
    assert played.stop()[0] == 130


def test_board_that_a_second_winemine_covers_for_good_on_windows_ends_play_with_4(desktop, played, someone):
    left, top, _, _ = played.game.board
    with another_winemine(desktop, someone, played, left + 10, top - 70):
        played.press_start()
        code, _ = played.bot.finish()
    assert code == 4, played.bot.remarks
    assert any("nothing more was clicked" in line for line in played.bot.remarks)
