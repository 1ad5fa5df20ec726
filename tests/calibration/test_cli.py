"""`minebot-calibrate` as a user runs it: what it prints, writes and answers."""

import json
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from painted import paint
from rendered import not_a_board

from bot.bot_clicks import ClickNote
from bot.cli import main as minebot
from bot.errors import Aborted
from bot.images import save_png
from calibration.cli import EXAMPLES, _parser, main
from skins import load_shipped_skin
from skins.skin import CLOSED

SCREENS = Path(__file__).parent.parent / "screens"
FRESH, MID, WON = (str(SCREENS / f"msx-skin-winxp-{state}.png") for state in ("fresh", "mid", "won"))


@pytest.fixture(autouse=True)
def skins_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("MINEBOT_SKINS", str(tmp_path / "skins"))
    return tmp_path / "skins"


def test_a_skin_is_made_told_of_and_used(skins_folder, tmp_path, capsys):
    sheet = tmp_path / "looks.png"
    assert main([FRESH, MID, "--name", "mine", "--picture", str(sheet)]) == 0
    told = capsys.readouterr().out
    assert "closed" in told
    assert "cells: flag or question" in told
    assert "94.7 % of the cells shown are read" in told, "all but those"
    assert "not verified yet" in told
    assert sheet.stat().st_size > 0
    assert minebot(["read", WON, "--skin", "mine"]) == 0
    assert "; skin: mine" in capsys.readouterr().out
    assert "verified = false" in (skins_folder / "mine" / "skin.toml").read_text(encoding="utf-8")
    capsys.readouterr()
    assert minebot(["skins", "show", "mine"]) == 0
    assert "learned: not verified yet" in capsys.readouterr().out


def test_json_is_one_object_with_what_the_contract_names(capsys):
    assert main([FRESH, MID, "--name", "mine", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["skin"] == "mine"
    assert answer["appearances"] == len(answer["labels"]) == 7
    assert ["flag", "question"] in answer["labels"]
    assert {"0", "1", "2", "3", "4", "closed"} == {label for label in answer["labels"] if isinstance(label, str)}
    assert (answer["unlabelled"], answer["verified"], answer["frames"]) == (1, False, 2)


def test_the_closed_cell_may_be_told(capsys):
    assert main([MID, "--name", "mine", "--closed", "0,0", "--json"]) == 0
    assert "closed" in json.loads(capsys.readouterr().out)["labels"]


@pytest.mark.parametrize(
    ("arguments", "exit_code", "told"),
    [
        ([MID, "--name", "mine", "--closed", "0"], 2, "expected --closed with a row and a column"),
        ([MID, "--name", "mine", "--closed", "x"], 2, "--closed: expected a cell as R,C"),
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


def _noise(path):
    save_png(path, np.random.default_rng(5).integers(0, 255, (240, 320, 3), dtype=np.uint8))


def _table(path):
    """Lines and numbers in order, as a spreadsheet has them: a lattice, but no Minesweeper."""
    save_png(path, not_a_board(1, (360, 300)))


def _no_board(path):
    save_png(path, not_a_board(2))


def _several_mines_a_cell(path):
    """A board that was played to its end, where some cells hold two mines and numbers count both."""
    rng = np.random.default_rng(4)
    n_mines = rng.choice([0, 1, 2], (12, 12), p=[0.85, 0.1, 0.05])
    around = np.pad(n_mines, 1)
    sums = sum(around[row : row + 12, col : col + 12] for row in range(3) for col in range(3))
    words = [
        [CLOSED if own else str(total) for own, total in zip(*lines, strict=True)]
        for lines in zip(n_mines, sums, strict=True)
    ]
    save_png(path, paint(load_shipped_skin("classic"), words))


def _other_neighbours(path):
    """A board whose numbers count the mines a knight's move away."""
    rng = np.random.default_rng(4)
    has_mine = np.pad(rng.random((12, 12)) < 0.15, 2)
    moves = [(down, right) for down in (0, 1, 3, 4) for right in (0, 1, 3, 4) if abs(down - 2) != abs(right - 2)]
    sums = sum(has_mine[down : down + 12, right : right + 12].astype(int) for down, right in moves)
    words = [
        [CLOSED if is_mine else str(total) for is_mine, total in zip(*lines, strict=True)]
        for lines in zip(has_mine[2:-2, 2:-2], sums, strict=True)
    ]
    save_png(path, paint(load_shipped_skin("classic"), words))


def _chequered(path):
    """Two colours in turn, as a chess board has them."""
    save_png(path, not_a_board(3, (360, 300)))


def _truncated(path):
    path.write_bytes(Path(MID).read_bytes()[:700])


def _corrupt(path):
    content = bytearray(Path(MID).read_bytes())
    content[200:600] = bytes(400)
    path.write_bytes(content)


def _empty(path):
    path.write_bytes(b"")


@pytest.mark.parametrize(
    ("make", "exit_code"),
    [
        (_noise, 4),
        (_table, 4),
        (_no_board, 4),
        (_chequered, 4),
        (_several_mines_a_cell, 4),
        (_other_neighbours, 4),
        (_truncated, 2),
        (_corrupt, 2),
        (_empty, 2),
    ],
)
def test_pictures_that_teach_nothing_are_told_by_name_and_nothing_is_written(
    make, exit_code, skins_folder, tmp_path, capsys
):
    shown, sheet = tmp_path / "shown.png", tmp_path / "looks.png"
    make(shown)
    assert main([str(shown), "--name", "mine", "--picture", str(sheet)]) == exit_code
    assert capsys.readouterr().err.startswith("minebot-calibrate: ")
    if make not in {
        _several_mines_a_cell,
        _other_neighbours,
    }:  # of three pictures, one that contradicts the others is left out
        assert main([FRESH, MID, str(shown), "--name", "mine", "--picture", str(sheet)]) == exit_code
        assert "shown.png" in capsys.readouterr().err
    assert not skins_folder.exists()
    assert not sheet.exists()


def test_picture_that_cannot_be_written_is_told_before_anything_is_learned(skins_folder, tmp_path, capsys):
    shown = tmp_path / "shown.png"
    shown.write_bytes(Path(MID).read_bytes())
    for picture, told in (
        (tmp_path / "looks.txt", "expected a file name that ends in .png"),
        (tmp_path / "nowhere" / "looks.png", "nowhere"),
        (shown, "that is the picture to read"),
    ):
        assert main([FRESH, str(shown), "--name", "mine", "--picture", str(picture)]) == 2
        assert told in capsys.readouterr().err
        assert not skins_folder.exists()
    assert shown.read_bytes() == Path(MID).read_bytes()


def test_sheet_is_the_former_name_of_picture_and_no_longer_in_the_help(tmp_path, capsys):
    assert main([FRESH, MID, "--name", "mine", "--sheet", str(tmp_path / "looks.png")]) == 0
    assert (tmp_path / "looks.png").stat().st_size > 0
    capsys.readouterr()
    assert main(["--help"]) == 0
    told = capsys.readouterr().out
    assert "--picture OUT.png" in told
    assert "--sheet" not in told


def test_help_has_examples_that_are_accepted(capsys):
    assert len(EXAMPLES.splitlines()) == 3
    for example in EXAMPLES.splitlines():
        program, *words = example.partition("  (then")[0].split()
        assert program == "minebot-calibrate"
        assert _parser().parse_args(words).name == "my-clone"
    assert main(["--help"]) == 0
    assert f"examples:\n  {EXAMPLES}" in capsys.readouterr().out


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


def test_live_notes_its_clicks_as_the_bots(tmp_path, monkeypatch, capsys):
    note = ClickNote(tmp_path / "note")

    def stopped_at_its_first_click(_desktop, _control, options, *_):
        assert not note.is_since(0.0)
        options.on_click()
        raise Aborted("stopped by Esc")

    monkeypatch.setattr("calibration.cli.usual_note", lambda: tmp_path / "note")
    monkeypatch.setattr("calibration.cli.open_desktop", lambda: nullcontext(SimpleNamespace(keyboard=None)))
    monkeypatch.setattr("calibration.cli.listening", lambda *_: nullcontext())
    monkeypatch.setattr("calibration.cli.learn_live", stopped_at_its_first_click)
    assert main(["--live", "--now", "--yes", "--name", "mine"]) == 130
    assert "stopped by Esc" in capsys.readouterr().err
    assert note.is_since(0.0)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a display")
def test_live_without_a_display_says_what_to_do(skins_folder, monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE"):
        monkeypatch.delenv(name, raising=False)
    assert main(["--live", "--yes", "--name", "mine"]) == 5
    assert "no display" in capsys.readouterr().err
    assert not skins_folder.exists()
