"""Games in a real GNOME or KDE session of `scripts/wayland.py`, by its real portals; run there, by `test_desktops`.

The hand of a person is past the portals. It consents where the desktop asks. Where nobody tells the bot which window
has the keyboard, it closes what a won game brings up, and begins each game.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path
from statistics import median

import pytest
from amounts import count
from bot_process import run_bot, running_bot
from coached import coached, see_positions
from desktop_game import started
from gnome_mines import gnome_mines
from learned_game import learn_game
from patience import wait_until
from plain_windows import plain_windows
from portal_hand import SCALE, portal_hand
from wayland_log import read_wayland_log

IS_KDE = os.environ.get("XDG_CURRENT_DESKTOP") == "KDE"
N_GAMES = count("MINEBOT_PORTAL_GAMES", gate=3, full=10)
N_STOPS = count("MINEBOT_PORTAL_STOPS", gate=5, full=100)
N_COACHED = count("MINEBOT_COACH_POSITIONS", gate=3, full=20)
N_OUTPUTS = int(os.environ.get("MINEBOT_OUTPUTS", "1"))
STOP_MS = 50
ELSEWHERE = "another window has the keyboard: paused"
VARIABLES = {
    name: os.environ[name]
    for name in ("WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "DISPLAY", "XAUTHORITY")
    if name in os.environ
}


@pytest.fixture(scope="module")
def hands():
    with portal_hand() as opened:
        consent = threading.Thread(target=give_consent, args=(opened,), daemon=True)
        with running_bot("doctor", "--ask", "--json", **VARIABLES) as doctor:
            consent.start()
            code, output = doctor.finish()
        assert code == 0, output
        yield opened


def say(figures):
    """Print what was measured; `pytest -s` shows it."""
    sys.stdout.write(f"\n{figures}\n")


def give_consent(hands):
    """Answer what GNOME asks; KDE was told before."""
    if not IS_KDE:
        hands.share()
        hands.add()
        hands.add()


@pytest.fixture
def log(tmp_path):
    with (tmp_path / "log").open("w") as opened:
        yield opened


@pytest.fixture
def game(hands, log):
    with gnome_mines(hands, "small", size=(700, 560), scale=SCALE, log=log, WAYLAND_DEBUG="1", GDK_SCALE="1") as opened:
        yield opened


def presses(log):
    return read_wayland_log(Path(log.name).read_text(errors="replace")).presses


def play_games(hands, *keys):
    """Play `N_GAMES`; yields what the bot tells of each.

    On GNOME it presses no key: a person closes what a game brings up with the first of `keys`, at once, and begins the
    next one with the last.
    """
    n_runs, n_games = (1, N_GAMES) if IS_KDE else (N_GAMES, 1)
    for _ in range(n_runs):
        with running_bot("play", "--now", "--json", "--games", str(n_games), **VARIABLES) as bot:
            while not IS_KDE and bot.process.poll() is None:
                close_dialog(hands, keys[0])
            code, output = bot.finish()
            assert code in (0, 1), bot.remarks
        yield from json.loads(output)["games"]
        if not IS_KDE:
            hands.wait_until_still(still_s=1.0)
            while close_dialog(hands, keys[0]):
                pass
            hands.type_key("shift")  # the first key of a new keyboard is lost
            hands.type_key(keys[-1])
            hands.wait_until_still(still_s=1.0)


def close_dialog(hands, key):
    """Close what a game brought up, if anything; whether something was."""
    time.sleep(0.3)
    if not hands.find_dialog():
        return False
    hands.type_key("shift")
    hands.type_key(key)
    hands.wait_until_still(still_s=1.0)
    return True


def test_games_are_won_and_lost_as_the_game_says_and_no_press_goes_beside_it(hands, log, game):
    games = list(play_games(hands, "alt+d", "ctrl+r"))
    assert len(games) == N_GAMES
    assert game.wins == sum(told["result"] == "won" for told in games)
    made = presses(log)
    assert game.strays(made, SCALE) == []
    n_clicks, seconds = len(made), sum(told["seconds"] for told in games)
    assert n_clicks == sum(told["clicks"] for told in games)
    say(f"{n_clicks / seconds:.1f} clicks a second, {sum(told['retries'] for told in games)} of {n_clicks} again")


@pytest.mark.skipif(N_OUTPUTS == 1, reason="this session has one output")
def test_game_on_the_second_output_is_played(hands, log, game):
    hands.move_window("Mines", 1400, 90)
    hands.move(1400, 60)
    with running_bot("play", "--now", "--json", **VARIABLES) as bot:
        code, output = bot.finish()
        assert code in (0, 1), bot.remarks
    (told,) = json.loads(output)["games"]
    made = presses(log)
    assert len(made) == told["clicks"]
    assert game.strays(made, SCALE) == []


def some_way_on(log, bot, n_more=5):
    """Wait for some more presses."""
    n_before = len(presses(log))

    def is_on():
        assert bot.process.poll() is None, bot.remarks
        return len(presses(log)) >= n_before + n_more

    wait_until(is_on, lambda: f"the bot clicks no more: {bot.remarks}")


@pytest.mark.timeout(3600)
def test_stop_key_ends_presses_within_50_ms(hands, log):
    late_ms = []
    for _ in range(N_STOPS):
        with (
            gnome_mines(hands, "big", log=log, WAYLAND_DEBUG="1"),
            running_bot("play", "--now", "--json", **VARIABLES) as bot,
        ):
            some_way_on(log, bot, n_more=3)
            pressed_ms = time.monotonic() * 1000
            hands.type_key("escape")
            assert bot.finish()[0] == 130
        late_ms.append(presses(log)[-1].time_ms - pressed_ms % 2**32)
    say(f"the last press came {max(late_ms):.0f} ms after the key at most, {median(late_ms):.0f} as a rule")
    assert max(late_ms) <= STOP_MS, late_ms


@pytest.fixture
def bot(hands, game):
    """The bot that plays until something stops it: on GNOME one game, as it presses no key."""
    with running_bot("play", "--now", "--json", "--games", "100", **VARIABLES) as opened:
        yield opened
        if run_bot("stop", **VARIABLES)[0] == 0:
            opened.finish()


def test_hand_on_the_mouse_pauses_play(hands, log, game, bot):
    some_way_on(log, bot)
    for n in range(20):
        hands.move(300 + 10 * n, 200)
        time.sleep(0.02)
    bot.wait_for("the mouse was moved")
    n_before = len(presses(log))
    time.sleep(0.5)
    assert len(presses(log)) == n_before


@pytest.mark.skipif(not IS_KDE, reason="on GNOME nobody tells of windows")
def test_another_window_that_gets_the_keyboard_pauses_play(hands, log, game, bot):
    some_way_on(log, bot)
    with plain_windows(os.environ["DISPLAY"], "beside", "200x100+1000+30", is_managed=True):
        bot.wait_for(ELSEWHERE)
        n_before = len(presses(log))
        time.sleep(0.5)
        assert len(presses(log)) == n_before
    assert game.strays(presses(log)) == []


def test_window_that_moves_is_played_on(hands, log, game, bot):
    """A press may be under way when the window moves. GNOME tells nobody where it is: play may end there."""
    some_way_on(log, bot, n_more=1)
    places = [(100, 90), (300, 180), (200, 40)] if IS_KDE else [(100, 90)]
    for place in places:
        hands.move_window("Mines", *place)
        if IS_KDE:
            some_way_on(log, bot, n_more=2)
        else:
            assert bot.finish()[0] == 4
    assert len(game.strays(presses(log))) <= len(places)


def test_window_over_the_board_for_good_ends_play_with_4(hands, log, game, bot):
    some_way_on(log, bot, n_more=2)
    by_x = {name: value for name, value in VARIABLES.items() if name == "XAUTHORITY"}
    with plain_windows(os.environ["DISPLAY"], "over", "1000x760+140+130", is_managed=True, **by_x):
        wait_until(lambda: bot.process.poll() is not None or any(ELSEWHERE in line for line in bot.remarks))
        if bot.process.poll() is None:
            hands.type_key("F10")
        assert bot.finish()[0] == 4
    assert game.strays(presses(log)) == []


def test_game_that_is_closed_ends_play_with_4(hands, log, game, bot):
    some_way_on(log, bot, n_more=2)
    hands.type_key("ctrl+q")
    assert bot.finish()[0] == 4
    assert game.strays(presses(log)) == []


def test_program_of_x_is_played_through_xwayland(hands):
    by_x = {name: value for name, value in VARIABLES.items() if name != "DISPLAY"} | {"GDK_BACKEND": "x11"}
    with started("/usr/games/sgt-mines", "9x9n10", display=os.environ["DISPLAY"], **by_x):
        hands.wait_for_window("Mines")
        games = list(play_games(hands, "n"))
    assert len(games) == N_GAMES
    say(f"{[(told['result'], told['clicks'], told['retries'], told['seconds']) for told in games]}")


def test_game_is_learned_and_no_press_goes_beside_it(hands, log, game, tmp_path):
    consent = threading.Thread(target=consent_to_other_keys, args=(hands,), daemon=True)
    consent.start()
    learn_game(hands, tmp_path, has_person=not IS_KDE, **VARIABLES)
    assert game.strays(presses(log)) == []


def consent_to_other_keys(hands):
    """Answer what GNOME asks before keys are heard that are not those of play."""
    if not IS_KDE:
        hands.add()


@pytest.mark.timeout(1800)
def test_coach_marks_what_solve_says_and_clicks_go_through_what_it_draws(hands):
    consent = threading.Thread(target=consent_to_other_keys, args=(hands,), daemon=True)
    with gnome_mines(hands, "medium"):
        consent.start()
        with coached(hands, **VARIABLES) as coach:
            see_positions(coach, hands, ("alt+d", "ctrl+r"), N_COACHED)
