"""A player sat down at a fake desktop, and what every game there must hold."""

from __future__ import annotations

import sys
import time

import numpy as np

from bot.desktop import Desktop
from bot.playing.board_view import BoardSearch
from bot.playing.player import Player
from skins import load_shipped_skin
from solver import board as codes
from solver.board import GameState
from solver.layout import LEVELS, Layout

BEGINNER = LEVELS["beginner"]
CLASSIC = load_shipped_skin("classic")
MINEBOT = load_shipped_skin("minebot")
ENDLESS = 10**6

# Won with a single guess, the first click at the corner; then bursts of 1, 6, 7, 5, 10, 12, 4 and 2 clicks.
WALLED = """
.......*.
...*....*
...*.....
*....*...
.......*.
*.*...*..
........*
..*.*..*.
.*.....*.
"""
WALLED_LEVEL = (9, 9, 16)


def layout_of(text):
    return Layout(np.array([[char == "*" for char in line] for line in text.split()]))


class Witness:
    """A watcher that keeps everything it is told; `on_remark` is called for each remark."""

    def __init__(self):
        self.decisions = []
        self.results = []
        self.remarks = []
        self.states = []
        self.on_remark = lambda: None

    def entered(self, state):
        self.states.append(state)

    def decided(self, reading, moves):
        self.decisions.append((reading, moves))

    def ended(self, result):
        self.results.append(result)

    def remark(self, text):
        self.remarks.append(text)
        self.on_remark()

    @property
    def guesses(self):
        return [move for _, moves in self.decisions for move in moves if move.is_guess]


def simulate_time(patch, clock):
    """Let every module of the bot that asks for the time ask a clock."""
    for name, module in list(sys.modules.items()):
        if name.startswith("bot.") and getattr(module, "time", None) is time:
            patch.setattr(module, "time", clock)


def make_player(
    desktop, watcher, *, journal, keep_picture, settings=None, is_count_given=True, known=None, on_found=None
):
    """A player before a fake desktop, the board found: the one place where tests make one.

    `known` is the skin the player knows, or a list of them; None: what the desktop draws. `on_found` is called when the
    board was found, before there is a player.
    """
    mines = desktop.mines if is_count_given else None
    skins = known if isinstance(known, list) else [known or desktop.skin]
    search = BoardSearch(desktop, skins, desktop.control, mines=mines)
    place = search.first()
    assert place.board.grid == desktop.grid, "the fake's board must be found where it is"
    if on_found is not None:
        on_found()
    ports = Desktop(desktop, desktop, desktop, desktop)
    return Player(
        ports, place, search, desktop.control, watcher, recorder=journal, keep_picture=keep_picture, settings=settings
    )


class Table:
    """A player sat down at a fake desktop, with what it says and the pictures it keeps."""

    def __init__(self, desktop, *, journal=None, settings=None, known=None, on_found=None):
        self.desktop = desktop
        self.witness = Witness()
        self.kept = []
        self.player = make_player(
            desktop,
            self.witness,
            journal=journal,
            keep_picture=self._keep,
            settings=settings,
            known=known,
            on_found=on_found,
        )

    def play(self, n_games=1):
        return list(self.player.iter_games(n_games))

    def _keep(self, frame):
        self.kept.append(frame)
        return "kept.png"


def check_truth(table, results):
    """Hold results and clicks against the games as they really went."""
    desktop = table.desktop
    assert len(results) == len(desktop.games)
    for n, (result, game) in enumerate(zip(results, desktop.games, strict=True)):
        clicks = desktop.cell_clicks(n)
        assert result.result is game.state
        assert result.bbbv == game.layout.bbbv
        assert result.n_opened == int((game.board.cells >= 0).sum())
        assert result.n_clicks == len(clicks)
        assert (result.rows, result.cols, result.mines) == (desktop.grid.rows, desktop.grid.cols, desktop.mines)
        exploded = [press.cell for press in clicks if press.has_exploded]
        assert exploded == ([result.guesses[-1].cell] if result.result is GameState.LOST else [])
    assert [guess.cell for result in results for guess in result.guesses] == [g.cell for g in table.witness.guesses]
    assert table.witness.results == results
    assert table.player.n_stray == 0
    assert table.kept == []
    check_manners(desktop)


def check_manners(desktop):
    """No click and no key that a person would have to be sorry for."""
    assert (desktop.stray_keys, desktop.untimely_keys) == ([], [])
    for press in desktop.clicks:
        assert press.cell is not None or press.pixel == desktop.spot
        assert not press.is_covered
        assert not press.is_paused
        if press.cell is not None:
            assert press.code == codes.CLOSED
            assert not press.is_half_painted


def after_clicks(desktop, n_clicks, happen):
    """Make something happen right after the click of that number."""
    desktop.on_click = lambda n: happen() if n == n_clicks else None
