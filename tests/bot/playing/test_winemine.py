"""The main path on a real clone: winemine under wine, real captures, real clicks, a real hot key.

What the bot says is held against witnesses that share no code with it: the X server's own record of every press, and
winemine's face.
"""

from __future__ import annotations

import json
import subprocess
import time

import mss
import mss.tools
import pytest
from amounts import count
from bot_process import environment, run_bot, running_bot
from patience import stop_ms, wait_until
from winemine import face_watch, press_key, uncover_face, wine_prefix
from xledger import XLedger

N_GAMES = count("MINEBOT_WINEMINE_GAMES", gate=5, full=20)

pytestmark = [pytest.mark.winemine, pytest.mark.screen, pytest.mark.timeout(900 + 20 * N_GAMES)]


@pytest.fixture(scope="module")
def wine(virtual_display, require_program):
    for program, package in (("wine", "wine wine64"), ("xwininfo", "x11-utils")):
        require_program(program, package)
    with wine_prefix(virtual_display) as prefix:
        yield prefix


@pytest.mark.safety
def test_play_winemine_expert_waits_for_f10_then_plays_games(wine, virtual_display, tmp_path):
    """MINEBOT_WINEMINE_GAMES says how many."""
    recording = tmp_path / "recording"
    with (
        wine.winemine("expert") as window,
        XLedger(virtual_display) as witness,
        face_watch(virtual_display, window) as face,
        running_bot(
            "play", "--games", str(N_GAMES), "--json", "--record", str(recording), display=virtual_display
        ) as bot,
    ):
        bot.wait_for("Press F10")
        time.sleep(1.5)
        assert witness.of("press") == [], "nothing may move before the hot key"
        press_key(virtual_display, "F10")
        code, output = bot.finish()
        uncover_face(virtual_display)
    assert code in (0, 1), "\n".join(bot.remarks)
    played = json.loads(output)
    results = [game["result"] for game in played["games"]]
    assert len(results) == N_GAMES
    assert results == face.endings
    assert all(game["guesses"][0]["p_mine"] == 0.0 < game["cells_opened"] for game in played["games"])
    assert (played["won"], played["lost"]) == (results.count("won"), results.count("lost"))
    strays = [event for event in witness.of("press") if not window.allows_click(event.x, event.y)]
    assert strays == []
    assert played["stray_clicks"] == 0
    assert len(witness.of("press")) == sum(game["clicks"] for game in played["games"]) + N_GAMES - 1, (
        "games and new games"
    )

    code, output, _ = run_bot("replay", str(recording), "--json")
    assert code == 0
    replayed = json.loads(output)
    assert replayed["differences"] == []
    assert replayed["frames"] >= 10


def test_play_winemine_beginner_closes_best_time_dialogs(wine, virtual_display):
    with (
        wine.winemine("beginner") as window,
        face_watch(virtual_display, window) as face,
        running_bot("play", "--now", "--games", "6", "--json", display=virtual_display) as bot,
    ):
        code, output = bot.finish()
        uncover_face(virtual_display)
    assert code in (0, 1), "\n".join(bot.remarks)
    results = [game["result"] for game in json.loads(output)["games"]]
    assert len(results) == 6
    assert "won" in results, "at 92 % a game, six lost games in a row are a fault"
    assert results == face.endings


@pytest.mark.in_time
@pytest.mark.safety
def test_play_escape_stops_within_50_ms(wine, virtual_display):
    with (
        wine.winemine("expert"),
        XLedger(virtual_display) as witness,
        running_bot("play", "--games", "100", "--json", display=virtual_display) as bot,
    ):
        bot.wait_for("Press F10")
        press_key(virtual_display, "F10")
        wait_for_presses(witness, 25)
        press_key(virtual_display, "Escape")
        code, output = bot.finish()
        time.sleep(0.3)
    assert code == 130, "\n".join(bot.remarks)
    assert "games" in json.loads(output)
    escape = max(event.time_ms for event in witness.of("key"))
    presses = witness.of("press")
    assert [event for event in presses if event.time_ms > escape + stop_ms(presses)] == []


@pytest.mark.safety
def test_play_f10_pauses_and_goes_on(wine, virtual_display):
    with (
        wine.winemine("expert"),
        XLedger(virtual_display) as witness,
        running_bot("play", "--games", "40", "--json", display=virtual_display) as bot,
    ):
        bot.wait_for("Press F10")
        press_key(virtual_display, "F10")
        wait_for_presses(witness, 10)
        press_key(virtual_display, "F10")
        time.sleep(0.3)
        n_paused = len(witness.of("press"))
        time.sleep(1.5)
        assert len(witness.of("press")) == n_paused, "no click while paused"
        press_key(virtual_display, "F10")
        wait_for_presses(witness, n_paused + 5)
        press_key(virtual_display, "Escape")
        code, _ = bot.finish()
    assert code == 130, "\n".join(bot.remarks)


def wait_for_presses(witness, n_presses):
    wait_until(lambda: len(witness.of("press")) >= n_presses, f"expected {n_presses} presses")


def read_screen(display, folder):
    """The one board that `minebot read` sees on the screen as it is now."""
    picture = folder / f"{time.monotonic_ns()}.png"
    with mss.MSS(display=display) as screen:
        shot = screen.grab(screen.monitors[0])
        mss.tools.to_png(shot.rgb, shot.size, output=str(picture))
    code, output, remarks = run_bot("read", str(picture), "--json")
    assert code == 0, remarks
    (board,) = json.loads(output)["boards"]
    return board


def flag(display, window, n_cells):
    """Right-click so many cells, row by row; a click that the game lost is made again."""
    left, top, _, _ = window.board
    for i in range(n_cells):
        x, y = left + 16 * (i % window.cols), top + 16 * (i // window.cols)
        closed = look(display, x, y)
        for _ in range(5):
            right_click = ["xdotool", "mousemove", str(x + 8), str(y + 8), "sleep", "0.05", "click", "3"]
            subprocess.run(right_click, env=environment(display), check=True)
            deadline = time.monotonic() + 1
            while look(display, x, y) == closed and time.monotonic() < deadline:
                time.sleep(0.02)
            if look(display, x, y) != closed:
                break
        else:
            pytest.fail(f"no flag came up at ({x},{y})")
    away = ["xdotool", "mousemove", "5", "5", "sleep", "0.3"]
    subprocess.run(away, env=environment(display), check=True)


def look(display, left, top):
    """The pixels of one cell."""
    with mss.MSS(display=display) as screen:
        return bytes(screen.grab({"left": left, "top": top, "width": 16, "height": 16}).rgb)


@pytest.mark.parametrize(("level", "mines", "n_flags"), [("custom", 56, 3), ("beginner", 10, 12)])
def test_read_takes_the_mine_count_from_the_counter(wine, virtual_display, tmp_path, level, mines, n_flags):
    with wine.winemine(level) as window:
        before = read_screen(virtual_display, tmp_path)
        flag(virtual_display, window, n_flags)
        after = read_screen(virtual_display, tmp_path)
    assert [board["state"] for board in (before, after)] == ["fresh", "fresh"]
    assert "".join(after["board"]).count("F") == n_flags
    for board in (before, after):  # 056 and 053; 010 and -02
        assert (board["rows"], board["cols"]) == (window.rows, window.cols)
        assert (board["mines"], board["mines_from"]) == (mines, "counter")


def test_play_needs_no_mine_count_for_a_custom_board(wine, virtual_display):
    with wine.winemine("custom") as window, face_watch(virtual_display, window) as face:
        code, output, remarks = run_bot("play", "--now", "--json", display=virtual_display)
    assert code in (0, 1), remarks
    (game,) = json.loads(output)["games"]
    assert (game["rows"], game["cols"], game["mines"]) == (12, 10, 56)
    assert [game["result"]] == face.endings
