"""The main path on Windows: the bot in CPython for Windows plays the winemine of the same prefix, from a real F10.

The key comes from outside, through the X server. What the bot says is held against a program of its own that hears
every key and button within Windows, and against winemine's face, looked at from outside.
"""

from __future__ import annotations

import json
import time

import pytest
from patience import stop_ms, wait_until
from windows_desktop import ESCAPE, F10
from winemine import face_watch, press_key, uncover_face

pytestmark = [pytest.mark.windows, pytest.mark.winemine, pytest.mark.screen]

STARTS_S = 180
"""How long the bot may take to begin under wine: on two busy processors, twelve programs to run on them, more than 60 s
were seen. That is no part of what is promised."""


def wait_for_presses(watch, n_presses):
    wait_until(lambda: len(watch.of("press")) >= n_presses, f"expected {n_presses} presses")


@pytest.mark.parametrize("level", ["beginner", "expert"])
def test_play_on_windows_waits_for_f10_then_plays_three_games(desktop, virtual_display, level):
    with (
        desktop.wine.winemine(level) as window,
        desktop.watch() as watch,
        face_watch(virtual_display, window) as face,
        desktop.bot("play", "--games", "3", "--json", "--minutes", "1") as bot,
    ):
        bot.wait_for("Press F10")
        time.sleep(1.0)
        assert watch.of("press") == [], "nothing may be clicked before the hot key"
        press_key(virtual_display, "F10")
        code, output = bot.finish()
        uncover_face(virtual_display)
    assert code in (0, 1), "\n".join(bot.remarks)
    played = json.loads(output)
    results = [game["result"] for game in played["games"]]
    assert len(results) == 3
    assert results == face.endings
    strays = [event for event in watch.of("press") if not window.allows_click(event.x, event.y)]
    assert strays == []
    assert played["stray_clicks"] == 0
    n_missed = sum(game["clicks"] for game in played["games"]) + 2 - len(watch.of("press"))
    assert n_missed in {0, 1}, (
        "games and new games; in one run of twenty the witness has one press less, nobody knows why"
    )
    assert watch.keys(F10) == [], "the key is kept from those behind the bot, the game among them"


@pytest.mark.safety
def test_escape_on_windows_stops_within_50_ms_and_is_kept_from_the_game(desktop, virtual_display):
    """Who hooks in last is told first: one witness before the bot, one behind it, where the game is."""
    with (
        desktop.wine.winemine("expert"),
        desktop.watch() as behind,
        desktop.bot("play", "--games", "100", "--json") as bot,
    ):
        bot.wait_for("Press F10")
        with desktop.watch() as watch:
            press_key(virtual_display, "F10")
            wait_for_presses(watch, 25)
            press_key(virtual_display, "Escape")
            code, output = bot.finish()
            time.sleep(0.3)
    assert code == 130, "\n".join(bot.remarks)
    assert "games" in json.loads(output)
    (escape,) = watch.keys(ESCAPE)
    presses = watch.of("press")
    assert [event for event in presses if event.time_ms > escape.time_ms + stop_ms(presses)] == []
    assert behind.keys(ESCAPE) == []


def test_doctor_on_windows_finds_everything_in_order(desktop):
    with desktop.wine.winemine("beginner"), desktop.watch() as behind, desktop.bot("doctor", "--json") as bot:
        code, output = bot.finish()
        time.sleep(0.3)
    assert behind.of("key") == [], "the key that it taps is kept from every window"
    checks = json.loads(output)["checks"]
    assert [check for check in checks if not check["ok"]] == [], "\n".join(bot.remarks)
    (displays,) = (check["detail"] for check in checks if check["name"] == "displays")
    assert "100%; DPI awareness=per monitor" in displays
    assert code == 0
