"""`minebot-calibrate` as a user runs it: what it prints, writes and answers."""

import json
import sys
from pathlib import Path

import pytest

from bot.cli import main as minebot
from calibration.cli import main

SCREENS = Path(__file__).parent.parent / "screens"
FRESH, MID, WON = (str(SCREENS / f"msx-skin-winxp-{state}.png") for state in ("fresh", "mid", "won"))


@pytest.fixture(autouse=True)
def skins_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINEBOT_SKINS", str(tmp_path / "skins"))
    return tmp_path / "skins"


def test_a_skin_is_made_told_of_and_used(skins_folder, tmp_path, capsys):
    sheet = tmp_path / "looks.png"
    assert main([FRESH, MID, "--name", "mine", "--sheet", str(sheet)]) == 0
    told = capsys.readouterr().out
    assert "closed" in told
    assert "100.0 % of the cells shown are read" in told
    assert "not verified yet" in told
    assert sheet.stat().st_size > 0
    assert minebot(["read", WON, "--skin", "mine"]) == 0
    assert "; skin: mine" in capsys.readouterr().out
    assert (skins_folder / "mine" / "skin.toml").is_file()


def test_json_is_one_object_with_what_the_contract_names(capsys):
    assert main([FRESH, MID, "--name", "mine", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["skin"] == "mine"
    assert answer["appearances"] == len(answer["labels"]) == 7
    assert sorted(answer["labels"]) == ["0", "1", "2", "3", "4", "closed", "flag"]
    assert (answer["unlabelled"], answer["verified"], answer["frames"]) == (0, False, 2)


def test_the_closed_cell_may_be_told(capsys):
    assert main([MID, "--name", "mine", "--closed", "0,0", "--json"]) == 0
    assert "closed" in json.loads(capsys.readouterr().out)["labels"]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "told"),
    [
        ([MID, "--name", "mine", "--closed", "0"], 2, "--closed R,C"),
        ([MID, "--name", "mine", "--closed", "99,0"], 2, "16x16 board"),
        ([MID, "--name", "Mine"], 2, "skin name"),
        ([MID, "--name", "classic"], 2, "comes with the program"),
        ([str(SCREENS / "SOURCE.md"), "--name", "mine"], 2, "expected a picture"),
        ([str(SCREENS / "no-such.png"), "--name", "mine"], 2, "no-such.png"),
        ([FRESH, "--name", "mine"], 4, "open cells without a number"),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(arguments, exit_code, told, skins_folder, capsys):
    assert main(arguments) == exit_code
    assert told in capsys.readouterr().err
    assert not skins_folder.exists()


def test_a_skin_is_not_replaced_without_a_word(capsys):
    assert main([FRESH, MID, "--name", "mine"]) == 0
    assert main([FRESH, MID, "--name", "mine"]) == 2
    assert "--force" in capsys.readouterr().err
    assert main([FRESH, MID, "--name", "mine", "--force"]) == 0


@pytest.mark.parametrize(
    ("arguments", "exit_code", "told"),
    [
        (["--name", "mine"], 2, "--live"),
        ([FRESH, "--live", "--name", "mine"], 2, "got both"),
        (["--live", "--closed", "0,0", "--name", "mine"], 2, "got both"),
        (["--live", "--games", "0", "--name", "mine"], 2, "--games"),
        (["--live", "--minutes", "0", "--name", "mine"], 2, "--minutes"),
        (["--live", "--name", "classic"], 2, "comes with the program"),
    ],
)
def test_live_with_arguments_that_make_no_sense_is_told(arguments, exit_code, told, skins_folder, capsys):
    assert main(arguments) == exit_code
    assert told in capsys.readouterr().err
    assert not skins_folder.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_live_without_a_display_says_what_to_do(skins_folder, monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
        monkeypatch.delenv(name, raising=False)
    assert main(["--live", "--yes", "--name", "mine"]) == 5
    assert "no display" in capsys.readouterr().err
    assert not skins_folder.exists()
