"""`minebot play` and `minebot demo` as a person meets them: on screens with a game, and on screens without one."""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from bot_process import environment, run_bot, running_bot
from patience import wait_until
from show_picture import shown
from xledger import XLedger

from bot.images import load_frame, save_png
from bot.models import Region
from bot.vision.finding import locate_board
from skins import load_shipped_skins

pytestmark = [pytest.mark.safety, pytest.mark.screen]


@contextmanager
def built_in_game(display, *arguments):
    """Run the built-in game until the block ends."""
    with running_bot("game", *arguments, display=display) as game:
        yield game


def test_play_on_a_blank_screen_ends_with_4_and_says_why(bare_display):
    code, output, remarks = run_bot("play", "--now", display=bare_display)
    assert code == 4
    assert output == ""
    assert "no board found on 1280 x 1024 pixels" in remarks
    assert "nothing on it is like closed cells of 11 skins" in remarks


@pytest.mark.parametrize(
    ("command", "variables", "words"),
    [
        ("play", {}, "DISPLAY is not set"),
        ("play", {"DISPLAY": ":987"}, "cannot be captured"),
        ("play", {"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "this is a Wayland session"),
        ("play", {"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, "this is a Wayland session"),
        ("game", {}, "display"),
        ("game", {"DISPLAY": ":987"}, "display"),
    ],
)
def test_command_without_a_usable_display_ends_with_5_and_says_what_to_do(command, variables, words):
    code, output, remarks = run_bot(command, **variables)
    assert code == 5, remarks
    assert output == ""
    assert words in remarks
    assert "Traceback" not in remarks


def test_play_never_clicks_on_a_board_it_cannot_read(bare_display, screens, tmp_path):
    board = load_frame(screens / "msx-skin-colorsonly-mid.png")
    grid = locate_board(board, load_shipped_skins()).grid
    hidden = grid.cell_region((3, 3))
    board.crop(Region(hidden.left, hidden.top, 3 * 16, 2 * 16)).pixels_bgr[:] = (90, 40, 160)
    picture = tmp_path / "hidden.png"
    save_png(picture, board.pixels_bgr)
    with shown(picture, bare_display), XLedger(bare_display) as witness:
        code, _, remarks = run_bot("play", "--now", display=bare_display)
    assert code == 4
    assert "cells cannot be read: nothing more was clicked" in remarks
    assert witness.of("press") == []
    kept = Path(remarks.rsplit("Its picture is kept in ", 1)[1].strip())
    assert load_frame(kept).region.width == 16 * 16
    kept.unlink()


def test_play_takes_appearances_that_its_skin_lacks_for_open_cells(bare_display, screens):
    with shown(screens / "msx-skin-colorsonly-mid.png", bare_display), XLedger(bare_display) as witness:
        code, _, remarks = run_bot("play", "--now", display=bare_display)
    assert "a look that skin classic does not have: an open cell, whose number is to be worked out" in remarks
    assert code == 1, "the picture takes no clicks"
    assert "did not change after" in remarks
    assert 5 < len(witness.of("press")) < 40


def test_play_asks_for_the_mines_of_an_unusual_board(bare_display, screens, tmp_path):
    board = load_frame(screens / "winemine-expert-fresh.png")
    narrow = tmp_path / "narrow.png"
    save_png(narrow, board.crop(Region(105, 133, 12 * 16, 10 * 16)).pixels_bgr)
    with shown(narrow, bare_display), XLedger(bare_display) as witness:
        code, _, remarks = run_bot("play", "--now", display=bare_display)
    assert code == 2
    assert "a 10x12 board is no standard level: say how many mines it has with --mines N" in remarks
    assert witness.of("press") == []


def test_play_gives_up_on_a_picture_that_takes_no_clicks(bare_display, screens):
    with shown(screens / "winemine-expert-mid.png", bare_display), XLedger(bare_display) as witness:
        code, _, remarks = run_bot("play", "--now", display=bare_display)
    assert code == 1
    assert "did not change after" in remarks
    assert 5 < len(witness.of("press")) < 40
    places = {(event.x, event.y) for event in witness.of("press")}
    assert len(places) == 2, "a cell is not double clicked"
    assert max(x for x, _ in places) - min(x for x, _ in places) < 16, "it is one cell"


@pytest.mark.parametrize("display", ["bare_display", "virtual_display"])
def test_play_tells_the_truth_about_the_built_in_game(display, request, tmp_path):
    name = request.getfixturevalue(display)
    log = tmp_path / "games.jsonl"
    with built_in_game(name, "--level", "intermediate", "--seed", "5", "--log", str(log)), XLedger(name) as witness:
        played = play_when_there(name, "--games", "4", "--json")
    truth = [json.loads(line) for line in log.read_text().splitlines()]
    told = played["games"]
    assert [game["result"] for game in told] == [game["result"] for game in truth]
    assert [game["bbbv"] for game in told] == [game["bbbv"] for game in truth]
    assert {(game["rows"], game["cols"], game["mines"]) for game in told} == {(16, 16, 40)}
    assert len(witness.of("press")) == sum(game["clicks"] for game in told) + 3


def test_play_prints_its_events_a_line_each_for_programs(bare_display, tmp_path):
    log = tmp_path / "games.jsonl"
    with built_in_game(bare_display, "--seed", "5", "--log", str(log)):
        wait_until(lambda: boards_on(bare_display), "the game did not come up")
        (board,) = boards_on(bare_display)
        code, output, remarks = run_bot("play", "--now", "--games", "2", "--events", display=bare_display)
    assert code in (0, 1), remarks
    events = [json.loads(line) for line in output.splitlines()]
    decisions = [event for event in events if event["event"] == "decision"]
    assert {(event["skin"], *event["shape"], event["mines"]) for event in decisions} == {("minebot", 9, 9, 10)}
    assert {tuple(event["region"][:2]) for event in decisions} == {tuple(board["origin"])}
    assert decisions[0]["opened"] == 0
    truth = [json.loads(line)["result"] for line in log.read_text().splitlines()]
    assert [event["result"] for event in events if event["event"] == "game"] == truth
    assert events[-1]["event"] == "ended"
    assert [game["result"] for game in events[-1]["games"]] == truth
    assert {"state", "decision", "game", "ended"} <= {event["event"] for event in events}


def play_when_there(display, *arguments):
    """Play as soon as the game's window is up."""
    for _ in range(40):
        code, output, remarks = run_bot("play", "--now", *arguments, display=display)
        if code != 4:
            assert code in (0, 1), remarks
            return json.loads(output)
        time.sleep(0.25)
    raise AssertionError(remarks)


def test_demo_plays_all_levels_without_a_display_and_leaves_a_recording(tmp_path, require_program):
    require_program("Xvfb", "xvfb")
    recording = tmp_path / "recording"
    code, output, remarks = run_bot("demo", "--games", "1", "--seed", "3", "--json", "--record", str(recording))
    assert code == 0, remarks
    told = json.loads(output)
    assert [(game["rows"], game["cols"]) for game in told["games"]] == [(9, 9), (16, 16), (16, 30)]
    assert load_frame(Path(told["picture"])).region.width > 16 * 24
    code, output, _ = run_bot("replay", str(recording), "--json")
    assert code == 0
    assert json.loads(output)["differences"] == []


def test_of_two_copies_the_one_under_the_pointer_is_played(bare_display, tmp_path):
    logs = [tmp_path / "left.jsonl", tmp_path / "right.jsonl"]
    with (
        built_in_game(bare_display, "--position", "40,60", "--log", str(logs[0])),
        built_in_game(bare_display, "--position", "640,60", "--log", str(logs[1])),
    ):
        wait_until(lambda: len(boards_on(bare_display)) == 2, "the games did not come up")
        origins = sorted(board["origin"] for board in boards_on(bare_display))
        n_played = [0, 0]
        for which in (1, 0, 1):
            x, y = (at + 20 for at in origins[which])
            subprocess.run(["xdotool", "mousemove", str(x), str(y)], env=environment(bare_display), check=True)
            code, output, remarks = run_bot("play", "--now", "--json", display=bare_display)
            assert code in (0, 1), remarks
            assert json.loads(output)["stray_clicks"] == 0
            n_played[which] += 1
            assert [log.read_text().count("\n") if log.exists() else 0 for log in logs] == n_played


def boards_on(display):
    """The boards that the bot sees on a screen."""
    code, output, _ = run_bot("read", "--screen", "--json", display=display)
    return json.loads(output)["boards"] if code == 0 else []
