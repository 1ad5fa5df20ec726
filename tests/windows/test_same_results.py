"""What needs no screen comes out on Windows as it does here, byte for byte but for the ends of lines."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import setup_env
from bot_process import environment
from patience import PATIENCE_S
from windows_env import windows_path

pytestmark = [pytest.mark.windows]

SEEDS = 300
PLAY_BY_SEED = f"""
from random import Random
from solver import play_game
from solver.layout import LEVELS, Layout
for name, (rows, cols, mines) in LEVELS.items():
    for seed in range({SEEDS}):
        game = play_game(Layout.random((rows, cols), mines, Random(seed), first_cell=(0, 0)), (0, 0))
        print(name, seed, game.is_won, game.moves)
"""

FOLDERS_OF_A_PERSON = r"""
import os
from pathlib import Path
os.environ.pop("MINEBOT_SKINS", None)
from bot.game.records import BestTimes, usual_path
from skins.folders import user_skins_folder
assert "J\xf6rg \xdcbung" in Path.home().parts
BestTimes(usual_path()).add("9x9/10", 12.5, 20, 30)
print(BestTimes(usual_path()).best("9x9/10").seconds)
for folder in (usual_path(), user_skins_folder()):
    assert Path.home() in folder.parents, folder
"""


def same_here(*arguments):
    """What Python here makes of these arguments, without a display."""
    return subprocess.run(
        [sys.executable, *arguments],
        env=environment(None),
        cwd=setup_env.ROOT,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=PATIENCE_S,
    )


def unix_lines(text):
    return text.replace(b"\r\n", b"\n")


def without_times(found):
    """The same, less every figure that is a time."""
    if isinstance(found, list):
        return [without_times(one) for one in found]
    if not isinstance(found, dict):
        return found
    times = {"seconds", "cpu_s", "cpu_s_per_game", "games_per_s"}
    return {key: without_times(value) for key, value in found.items() if key not in times}


@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "solve tests/golden/seed-boards/md-problem1.txt --explain 0,0",
        "solve no-such-file.txt",
        "read tests/screens/winemine-expert-mid.png",
        "advise tests/screens/winemine-expert-mid.png --why",
        "map tests/golden/seed-boards/md-minesweep-repaired-99.txt",
        "replay tests/screens/winemine-game",
    ],
)
def test_command_says_the_same_on_windows(run_on_windows, command):
    arguments = ["-m", "bot", *command.split()]
    here, there = same_here(*arguments), run_on_windows(*arguments)
    assert there.returncode == here.returncode, there.stderr
    assert unix_lines(there.stdout) == here.stdout
    assert unix_lines(there.stderr) == here.stderr


@pytest.mark.parametrize(
    "command",
    [
        "solve tests/golden/seed-boards/md-problem2.txt --exact",
        "read tests/screens/two-boards-msx-arbiter.png",
        "advise tests/screens/msx-winxp-expert-mid.png",
        "simulate expert -n 1000 --policy strong --per-game",
    ],
)
def test_command_finds_the_same_on_windows(run_on_windows, command):
    arguments = ["-m", "bot", *command.split(), "--json"]
    here, there = (json.loads(done.stdout) for done in (same_here(*arguments), run_on_windows(*arguments)))
    assert without_times(there) == without_times(here)


def test_games_of_the_same_seeds_go_the_same_on_windows(run_on_windows):
    here, there = same_here("-c", PLAY_BY_SEED), run_on_windows("-c", PLAY_BY_SEED)
    assert there.returncode == 0, there.stderr
    assert there.stdout.count(b"\n") == 3 * SEEDS
    assert unix_lines(there.stdout) == here.stdout


def test_processes_on_windows_play_the_same_games_and_keep_them_in_a_file_of_any_name(run_on_windows, tmp_path):
    kept = [tmp_path / where / "Spiele \xfc \u65e5.jsonl" for where in ("here", "there")]
    for path in kept:
        path.parent.mkdir()
    command = ["-m", "bot", "simulate", "expert", "-n", "1500", "--policy", "fast", "--json", "--jobs", "2", "--out"]
    here = same_here(*command, str(kept[0]))
    there = run_on_windows(*command, windows_path(kept[1]))
    assert there.returncode == 0, there.stderr
    assert without_times(json.loads(there.stdout)) == without_times(json.loads(here.stdout))
    lines = [[without_times(json.loads(line)) for line in path.read_text().splitlines()] for path in kept]
    assert lines[1] == lines[0]
    assert len(lines[0]) > 1500


def test_folders_of_a_person_on_windows_have_a_name_with_a_space_and_any_letters(run_on_windows):
    done = run_on_windows("-c", FOLDERS_OF_A_PERSON)
    assert (done.stdout.decode().strip(), done.returncode) == ("12.5", 0), done.stderr
