"""The window on Wayland: it gives its keys away to the command that it starts, and never comes up over the game."""

from __future__ import annotations

import json
import time
from contextlib import contextmanager

import pytest
from bot_process import running_bot
from gnome_mines import PROGRAM, gnome_mines
from mutter_desk import PROGRAMS as FOR_MUTTER
from mutter_desk import mutter_desk
from patience import wait_until
from sway_desk import PROGRAMS, sway_desk

from bot.preferences import VARIABLE

pytestmark = [pytest.mark.screen, pytest.mark.safety]
TITLE = "Minebot start"
PLAY_AT, BESIDE_THE_GAME = (100, 184), (10, 60, 110, 400)  # where mutter puts the button, and a part of the window


@pytest.fixture(scope="module")
def hands(require_program):
    require_program(PROGRAM, "gnome-mines")
    for program, package in PROGRAMS.items():
        require_program(program, package)
    with sway_desk(f'for_window [title="{TITLE}"] move absolute position 700 0') as opened:
        yield opened


@contextmanager
def launcher(hands, folder):
    """The window, beside whatever is open."""
    own = {VARIABLE: str(folder / "settings.toml"), "XDG_DATA_HOME": str(folder)}
    with running_bot(display=hands.open_to_x(), **hands.variables, **own) as bot:
        wait_until(lambda: hands.find_window(TITLE), lambda: f"no window came: {bot.remarks}")
        yield


@pytest.mark.parametrize("way", ["Play", "F10"])
def test_game_is_played_by_a_click_on_play_and_by_its_key(hands, tmp_path, way):
    with gnome_mines(hands, "small", size=(600, 480)), launcher(hands, tmp_path):
        hands.ask("[title=Mines] move absolute position 20 40")
        window = hands.find_window(TITLE)
        if way == "Play":
            click(hands, window.left + 90, window.top + 150)
        else:
            hands.type_key("F10")
        wait_until(lambda: not hands.find_window(TITLE), "the window did not give way")
        wait_until(lambda: hands.find_window(TITLE), "the window did not come back")
    assert_a_game_was_recorded(tmp_path)


def assert_a_game_was_recorded(folder):
    (journal,) = folder.rglob("minebot/recordings/last-game/journal.jsonl")
    assert "result" in [json.loads(line)["event"] for line in journal.read_text().splitlines()]


def test_game_is_played_where_a_portal_tells_of_no_windows(require_program, tmp_path):
    """The window gives way until the game is over: an icon would come up over it first."""
    for program, package in FOR_MUTTER.items():
        require_program(program, package)
    with mutter_desk(has_x=True) as desk, gnome_mines(desk, "small"):
        own = desk.variables | {VARIABLE: str(tmp_path / "settings.toml"), "XDG_DATA_HOME": str(tmp_path)}
        before = desk.capture(*BESIDE_THE_GAME)

        def shows_window():
            return (desk.capture(*BESIDE_THE_GAME) != before).any()

        with running_bot(display=own.pop("DISPLAY"), **own):
            wait_until(shows_window, "no window came")
            click(desk, *PLAY_AT)
            wait_until(lambda: not shows_window(), "the window did not give way")
            wait_until(shows_window, "the window did not come back")
    assert_a_game_was_recorded(tmp_path)


def click(desk, x, y):
    desk.move(x, y)
    time.sleep(0.2)  # as a hand does: Tk drops a press that comes with the pointer
    desk.click(x, y)
