"""`minebot play` on sway: real GNOME Mines, held against what it counts itself and what libwayland tells it it got."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from amounts import count
from bot_process import run_bot, running_bot
from gnome_mines import PROGRAM, gnome_mines
from patience import wait_until
from plain_windows import plain_windows
from sway_desk import PROGRAMS, sway_desk
from wayland_log import read_wayland_log

pytestmark = [pytest.mark.screen, pytest.mark.safety]

N_STOPS = count("MINEBOT_SWAY_STOPS", gate=2, full=100)
STOP_MS = 50
N_GAMES = count("MINEBOT_SWAY_GAMES", gate=3, full=10)
OF_THE_BOT = 2
"""The number of every key that the bot presses; wtype's begin with 1."""
ANOTHER = "another window has the keyboard: paused"


@pytest.fixture(scope="module")
def hands(require_program):
    require_program(PROGRAM, "gnome-mines")
    for program, package in PROGRAMS.items():
        require_program(program, package)
    with sway_desk('for_window [title="beside"] move absolute position 1050 20') as opened:
        yield opened


@pytest.fixture
def log(tmp_path):
    with (tmp_path / "log").open("w") as opened:
        yield opened


@pytest.fixture
def game(hands, log):
    """A game of 8 x 8 cells, whose log says what it got."""
    with gnome_mines(hands, "small", size=(700, 560), log=log, WAYLAND_DEBUG="1") as opened:
        yield opened


def heard(log):
    return read_wayland_log(Path(log.name).read_text(errors="replace"))


def test_play_gnome_mines_counts_the_wins_it_counts_itself(hands, log, game):
    code, output, remarks = run_bot("play", "--now", "--json", "--games", str(N_GAMES), **hands.variables)
    assert code in (0, 1), remarks
    games = json.loads(output)["games"]
    assert len(games) == N_GAMES
    assert game.wins == sum(told["result"] == "won" for told in games)
    presses = heard(log).presses
    assert game.strays(presses) == []
    assert len(presses) == sum(told["clicks"] for told in games)


@pytest.fixture
def bot(hands, game):
    """The bot that plays game after game, until a person stops it."""
    with running_bot("play", "--now", "--json", "--games", "1000", "--minutes", "2", **hands.variables) as opened:
        yield opened


def some_way_on(log, bot, n_more=8):
    """Wait for some more presses."""
    n_before = len(heard(log).presses)

    def is_on():
        assert bot.process.poll() is None, bot.remarks
        return len(heard(log).presses) >= n_before + n_more

    wait_until(is_on, lambda: f"the bot clicks no more: {bot.remarks}")


def stop(hands, bot):
    """A person presses Escape; returns the exit code and the games told of."""
    hands.type_key("escape")
    code, output = bot.finish()
    return code, json.loads(output)["games"]


def test_start_and_stop_keys_are_heard_and_no_window_gets_them(hands, log, game):
    with running_bot("play", "--json", "--games", "1000", **hands.variables) as bot:
        bot.wait_for("F10")
        assert "your hand on it does not pause play" in bot.remarks[0]
        hands.type_key("F10")
        some_way_on(log, bot)
        assert stop(hands, bot)[0] == 130
    assert set(heard(log).keys) <= {OF_THE_BOT}
    hands.type_key("F10")
    wait_until(lambda: set(heard(log).keys) - {OF_THE_BOT}, "the key is still bound")


def test_compositor_that_tells_of_no_key_is_played_on_by_orders(hands, log, game):
    """Without sway's own socket it is one like labwc: it lets programs see and click, and tells of no key."""
    variables = {name: value for name, value in hands.variables.items() if name != "SWAYSOCK"}
    with running_bot("play", "--json", "--games", "1000", **variables) as bot:
        bot.wait_for("Press the key of 'minebot toggle' to start and pause, the key of 'minebot stop' to stop.")
        assert "in the desktop's own settings bind a key to 'minebot toggle'" in bot.remarks[0]
        assert "neither your hand nor another window pauses play" in bot.remarks[1]
        assert run_bot("toggle", **variables)[:2] == (0, "minebot goes on\n")
        some_way_on(log, bot)
        assert run_bot("toggle", **variables)[:2] == (0, "minebot is paused\n")
        time.sleep(STOP_MS / 1000)
        n_before = len(heard(log).presses)
        time.sleep(0.5)
        assert len(heard(log).presses) == n_before
        assert run_bot("stop", **variables)[:2] == (0, "minebot stops\n")
        assert bot.finish()[0] == 130
    assert game.strays(heard(log).presses) == []


def test_doctor_finds_no_fault_where_no_key_is_told_of(hands):
    variables = {name: value for name, value in hands.variables.items() if name != "SWAYSOCK"}
    _, output, _ = run_bot("doctor", "--json", **variables)
    (check,) = [one for one in json.loads(output)["checks"] if one["name"] == "hot keys"]
    assert check["ok"]
    assert check["detail"].startswith("not tried: no key is heard here: ")


@contextmanager
def told_of_keys(hands):
    """While the block runs, sway's own word on each key that is bound: when (monotonic, ms), and its command."""
    told = []
    command = ["swaymsg", "-m", "-r", "-t", "subscribe", '["binding"]']
    with subprocess.Popen(command, env=os.environ | hands.variables, stdout=subprocess.PIPE, text=True) as process:
        heard_now = ((time.monotonic() * 1000, json.loads(line)["binding"]["command"]) for line in process.stdout)
        thread = threading.Thread(target=told.extend, args=(heard_now,))
        thread.start()
        try:
            yield told
        finally:
            process.kill()
            thread.join()


@pytest.mark.in_time
@pytest.mark.timeout(1800)  # a new game for each stop
def test_stop_key_ends_presses_within_50_ms_of_being_heard(hands, log):
    late_ms = []
    for _ in range(N_STOPS):
        with (
            gnome_mines(hands, "big", log=log, WAYLAND_DEBUG="1"),
            told_of_keys(hands) as told,
            running_bot("play", "--now", "--json", "--games", "1000", **hands.variables) as bot,
        ):
            some_way_on(log, bot, n_more=3)
            assert stop(hands, bot)[0] == 130
            (heard_ms, _), *_ = (one for one in told if one[1].endswith(" pressed"))
        late_ms.append(heard(log).presses[-1].time_ms - heard_ms)
    assert max(late_ms) <= STOP_MS, late_ms


@pytest.mark.parametrize(
    "keys", ["-M shift -k Escape -m shift", "-P Escape -P a -p Escape -p a", "-P Escape -s 900 -p Escape"]
)
def test_stop_key_is_heard_with_a_modifier_rolled_over_and_held(hands, log, game, keys):
    with running_bot("play", "--now", "--json", "--games", "1000", **hands.variables) as bot:
        some_way_on(log, bot, n_more=3)
        hands.run("wtype", *keys.split())
        assert bot.finish()[0] == 130
    assert hands.windows() != [], "sway lives"


def test_start_key_pauses_again_after_it_was_rolled_over(hands, log, game):
    with running_bot("play", "--json", "--games", "1000", **hands.variables) as bot:
        bot.wait_for("F10")
        hands.run("wtype", *["-P", "F10", "-P", "a", "-p", "F10", "-p", "a"])
        some_way_on(log, bot, n_more=1)
        time.sleep(1.0)  # longer than a held key takes to repeat
        hands.type_key("F10")
        time.sleep(0.5)
        n_before = len(heard(log).presses)
        time.sleep(1.0)
        assert len(heard(log).presses) == n_before
        assert stop(hands, bot)[0] == 130


def test_window_that_moves_is_played_on(hands, log, game, bot):
    """A press may be under way when the window moves: a compositor holds nothing still meanwhile, as X11 does."""
    places = ((100, 90), (300, 180), (20, 40))
    for x, y in places:
        some_way_on(log, bot)
        hands.ask(f"[title=Mines] move absolute position {x} {y}")
    some_way_on(log, bot)
    assert stop(hands, bot)[0] == 130
    assert len(game.strays(heard(log).presses)) <= len(places)


def test_another_window_that_gets_the_keyboard_pauses_play(hands, log, game, bot):
    some_way_on(log, bot)
    with plain_windows(hands.open_to_x(), "beside", "200x100+40+30", is_managed=True):
        bot.wait_for(ANOTHER)
        n_before = len(heard(log).presses)
        time.sleep(0.5)
        assert stop(hands, bot)[0] == 130
        assert len(heard(log).presses) == n_before
    assert game.strays(heard(log).presses) == []


def test_window_over_the_board_for_good_ends_play_with_4(hands, log, game, bot):
    some_way_on(log, bot)
    with plain_windows(hands.open_to_x(), "over", "1000x760+40+30", is_managed=True):
        wait_until(lambda: bot.process.poll() is not None or any(ANOTHER in line for line in bot.remarks))
        if bot.process.poll() is None:
            hands.type_key("F10")
        code, _ = bot.finish()
    assert code == 4
    assert game.strays(heard(log).presses) == []


def test_board_on_an_output_at_200_percent_is_played_between_its_edges(require_program, log):
    scale = 2
    with (
        sway_desk(f"output HEADLESS-1 scale {scale}", size="2560x1600") as hands,
        gnome_mines(hands, "small", scale=scale, log=log, WAYLAND_DEBUG="1") as game,
    ):
        code, output, remarks = run_bot("play", "--now", "--json", "--games", "1", **hands.variables)
        assert code in (0, 1), remarks
        (told,) = json.loads(output)["games"]
        presses = heard(log).presses
        assert game.wins == (told["result"] == "won")
    assert game.strays(presses, scale) == []
    assert len(presses) == told["clicks"]


@pytest.mark.parametrize("scale", [1, 1.5])
def test_demo_plays_its_own_window_which_is_one_of_x_on_sway(require_program, scale):
    with sway_desk(f"output HEADLESS-1 scale {scale}", size="1600x1000") as hands:
        code, _, remarks = run_bot("demo", "--games", "1", **hands.variables, DISPLAY=hands.open_to_x())
    assert code == 0, remarks
    assert len([line for line in remarks.splitlines() if " of 3: " in line]) == 3
