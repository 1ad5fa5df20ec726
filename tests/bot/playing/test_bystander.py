"""Real games, and a window of another program that has the keyboard: no key and no button of the bot's arrives there.

That window keeps what arrives: a person's start key does not either, as it is pressed for the bot.
"""

from __future__ import annotations

import json
import time

import pytest
from bot_process import running_bot
from bystander import bystander
from desktop_game import desk
from patience import wait_until
from person import person, seeded
from sgt_mines import PROGRAM as SGT_MINES
from sgt_mines import sgt_mines
from window_game import Script, window_game
from winemine import face_watch, uncover_face, wine_prefix

from solver.layout import Layout

pytestmark = [pytest.mark.safety, pytest.mark.screen]

LAYOUT = Layout.of_cells((9, 9), [(0, 0), (8, 0), (8, 8), (4, 4), (0, 7), (1, 7), (1, 8), (5, 0)])
"""Eight mines, as the games that the clone begins after it have."""
NOT_THERE = "the game's window does not have the keyboard (click it): paused"
CANNOT_READ = 4
ELSEWHERE = "another window has the keyboard: paused"


@pytest.fixture
def someone(virtual_display):
    with person(virtual_display) as opened:
        yield opened


@pytest.fixture
def other(virtual_display):
    with bystander(virtual_display) as window:
        yield window


def play(display, n_games, *options):
    return running_bot("play", "--now", "--json", "--games", str(n_games), *options, display=display)


def n_said(bot, *texts):
    return sum(any(text in line for text in texts) for line in bot.remarks)


def give_keyboard(someone, other):
    """As the window manager does when its window is chosen: again, where the bot turned to a dialog meanwhile."""
    someone.turn_to(other.id)
    wait_until(other.has_keyboard, "the other window did not get the keyboard")


def test_key_for_a_new_game_waits_until_the_game_has_the_keyboard(virtual_display, require_program, someone, other):
    """sgt-mines begins games by key alone, and its board is over when the bot comes."""
    require_program(SGT_MINES, "sgt-puzzles")
    with desk(virtual_display) as hands, sgt_mines(hands, LAYOUT, (2, 2)) as game:
        game.lose((4, 4))
        hands.wait_until_still()
        window = hands.find_window("Mines")
        give_keyboard(someone, other)
        with play(virtual_display, 3, "--mines", "8") as bot:
            for n in (1, 2):
                wait_until(lambda n=n: n_said(bot, NOT_THERE) >= n, lambda: bot.remarks)
                assert other.has_keyboard()
                assert other.heard() == []
                if n == 1:
                    someone.key("F10")  # and the keyboard stays where it is
            someone.turn_to(window.id)
            someone.key("F10")
            code, output = bot.finish()
        assert other.heard() == []
    assert code in (0, 1), bot.remarks
    assert len(json.loads(output)["games"]) == 3


def take_keyboard_at_ends(bot, ended, someone, other, n_games):
    """Whenever a game has ended the other window gets the keyboard, at some moment then; the start key goes on."""
    chance = seeded()
    n_taken = n_seen = 0
    while bot.process.poll() is None:
        if ended() > n_taken and n_taken < n_games - 1:
            time.sleep(chance.uniform(0.0, 0.6))
            give_keyboard(someone, other)
            n_taken = ended()
        if n_said(bot, "paused") > n_seen:
            time.sleep(0.1)
            n_seen += 1
            someone.key("F10")
        time.sleep(0.005)
    return n_taken


@pytest.mark.winemine
def test_winemine_is_played_while_another_window_takes_the_keyboard_at_ends(
    virtual_display, require_program, someone, other
):
    for program, package in (("wine", "wine wine64"), ("xwininfo", "x11-utils")):
        require_program(program, package)
    n_games = 4
    with (
        wine_prefix(virtual_display) as wine,
        wine.winemine("beginner") as window,
        face_watch(virtual_display, window) as face,
        play(virtual_display, n_games) as bot,
    ):
        n_taken = take_keyboard_at_ends(bot, lambda: n_said(bot, "game "), someone, other, n_games)
        code, output = bot.finish()
        assert other.heard() == []
        someone.jump(5, 5)
        uncover_face(virtual_display)
    assert n_taken > 0
    if code == CANNOT_READ:  # the keyboard was taken while the dialog of a win was up, and stayed away
        assert any("if the game shows a dialog, close it" in line for line in bot.remarks), bot.remarks
        return
    assert code in (0, 1), bot.remarks
    assert [game["result"] for game in json.loads(output)["games"]] == face.endings


def test_dialogs_are_left_alone_while_another_window_has_the_keyboard(virtual_display, someone, other):
    """Each dialog of each game: the keyboard goes elsewhere as soon as it is up, or somewhat later."""
    chance = seeded()
    n_games = 2
    script = Script([[(0, 8), (8, 0), (8, 8)]], dialogs=[("One", ["Return"]), ("Two", ["Escape"])], icon_key="Escape")
    with window_game(virtual_display, script) as game, play(virtual_display, n_games, "--mines", "3") as bot:
        n_taken = n_seen = 0
        while bot.process.poll() is None:
            if len(game.told("dialog")) > n_taken:
                time.sleep(chance.uniform(0.0, 0.1))
                give_keyboard(someone, other)
                n_taken += 1
                time.sleep(chance.uniform(0.0, 0.8))
                someone.activate(game.told("dialog")[-1]["id"])
            if n_said(bot, "paused") > n_seen and n_said(bot, "game ") < n_games:  # later none is the bot's
                n_seen += 1
                someone.key("F10")
            time.sleep(0.005)
        code, _ = bot.finish()
        assert other.heard() == [], bot.remarks
        assert game.told("icon") == []
        assert game.keys("board") == []
    assert code == 0, bot.remarks
    assert n_taken >= 2 * n_games - 1
