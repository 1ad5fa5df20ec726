"""Commands that need no screen: what they print and how they exit."""

from __future__ import annotations

import argparse
import importlib
import io
import json
import re
import shlex
import shutil
import subprocess
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from bot_process import run_bot
from painted import paint

import skins
from bot.cli import COMMANDS, main, make_parser
from bot.errors import ScreenError
from bot.images import save_png
from bot.models import Region
from skins import load_shipped_skin
from solver.board import parse_board


@pytest.mark.parametrize("command", [*COMMANDS, "skins list", "skins show", "skins check", "skins import-sheet"])
def test_help_of_every_command_begins_with_a_sentence_and_ends_with_an_example(command, capsys):
    assert main([*command.split(), "--help"]) == 0
    told = capsys.readouterr().out
    _usage, sentence, *_ = told.split("\n\n")
    assert re.fullmatch(r"[A-Z][^:]+.*\.", sentence, re.DOTALL), sentence
    assert f"example:\n  minebot {command}" in told


@pytest.mark.parametrize("command", COMMANDS)
def test_example_of_every_command_is_accepted(command):
    example = importlib.import_module(f"bot.commands.{command.replace('-', '_')}").EXAMPLE
    words = shlex.split(re.split(r"  +\(| > | \| ", example)[0])
    assert make_parser([command]).parse_args(words[1:]).command == command


def subparsers_of(parser):
    return [each for action in parser.iter_arguments() if action.nargs == argparse.PARSER for each in action.choices]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_and_every_action_of_one_has_json(command, capsys):
    """Whatever a command prints, a script can have it: one option by one name, told in the help."""
    actions = [action for action in subparsers_of(make_parser([command])) if action not in COMMANDS]
    for words in [[command, action] for action in actions] or [[command]]:
        assert main([*words, "--help"]) == 0
        assert re.search(r"^  --json +print one JSON object", capsys.readouterr().out, re.MULTILINE), words


def test_cli_refuses_an_unknown_command(capsys):
    assert main(["dance"]) == 2
    assert "no command 'dance'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("sovle", "there is no command 'sovle': did you mean solve?\n'minebot --help' shows what it takes"),
        ("play --gmaes 3", "there is no option '--gmaes': did you mean --games or --mines?\n'minebot play --help'"),
        ("play --speed fats", "--speed: got 'fats': did you mean fast?\n'minebot play --help'"),
        ("play --speed quick", "--speed: expected max, fast or human, got 'quick'\n"),
        ("skins lst", "there is no action 'lst': did you mean list?\n'minebot skins --help'"),
        ("solve", "missing: BOARD\n'minebot solve --help'"),
        ("read a.png b.png", "there is no place for 'b.png'\n'minebot read --help'"),
        ("--verson", "there is no option '--verson': did you mean --version?"),
    ],
)
def test_wrong_word_is_told_in_two_lines_with_what_was_meant(arguments, said, capsys):
    assert main(arguments.split()) == 2
    output, remarks = capsys.readouterr()
    assert output == ""
    assert remarks.startswith(f"minebot: {said}")
    assert remarks.count("\n") == 2


@pytest.mark.parametrize("has_display", [False, True])
def test_minebot_alone_names_the_three_commands_to_begin_with_where_no_window_opens(capsys, monkeypatch, has_display):
    def fail():
        raise ScreenError("cannot open a window: Tk is not whole")

    monkeypatch.setattr("bot.launcher.open_launcher", fail)  # first: what it imports is not to know the platform below
    monkeypatch.setattr("bot.desktop.this_platform", lambda: SimpleNamespace(has_display=lambda: has_display))
    assert main([]) == 0
    hello, remarks = capsys.readouterr()
    assert remarks == ("minebot: cannot open a window: Tk is not whole\n" if has_display else "")
    assert re.findall(r"^  minebot (\w+) ", hello, re.MULTILINE) == ["demo", "play", "coach"]
    assert max(map(len, hello.splitlines())) <= 80


def test_version_is_that_of_the_package(monkeypatch, capsys):
    monkeypatch.setattr(metadata, "version", lambda name: f"1.2 of {name}")
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == "minebot 1.2 of minebot\n"


def test_version_of_a_folder_that_nobody_installed_is_told_as_such(monkeypatch, capsys):
    def find(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", find)
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == "minebot (run from a folder, not installed)\n"


@pytest.mark.parametrize(
    "words", ["advisor --mines 4 --json", "generate --seed 3 --mines 4", "simulate --mines 4 -n 1"]
)
def test_sizes_are_written_one_way_everywhere(words, monkeypatch, capsys):
    """RxC, with commas as good, as --size or --shape: all of them say the same."""
    said = []
    for size in ("--size 5x6", "--size 5,6", "--shape 5,6", "--shape 5X6"):
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        command, *options = words.split()
        assert main([command, *size.split(), *options]) == 0
        said.append(re.sub(r"[\d.e-]+ ms CPU.*", "", capsys.readouterr().out))
    assert said[0]
    assert set(said) == {said[0]}


def test_read_prints_json_of_every_board(screens, capsys):
    assert main(["read", str(screens / "two-boards-msx-arbiter.png"), "--json"]) == 0
    boards = json.loads(capsys.readouterr().out)["boards"]
    assert [board["origin"] for board in boards] == [[75, 156], [75, 556]]
    assert boards[0] | {"board": None, "origin": None} == {
        "skin": "classic",
        "rows": 16,
        "cols": 30,
        "shape": [16, 30],
        "origin": None,
        "pitch": [16, 16],
        "board": None,
        "unknown": [],
        "state": "fresh",
        "mines": 99,
        "mines_from": "counter",
    }
    assert boards[0]["board"] == ["#" * 30] * 16


def test_read_prints_a_board_text_that_parses(screens, capsys):
    assert main(["read", str(screens / "winemine-expert-mid.png"), "--skin", "winemine"]) == 0
    board = parse_board(capsys.readouterr().out)
    assert board.mines == 99
    assert board == parse_board((screens / "winemine-expert-mid.txt").read_text()).with_mines(99)


def test_read_says_in_what_colours_a_board_was_read(screens, capsys):
    picture = str(screens / "cases" / "google-other-display-colours.png")
    assert main(["read", picture]) == 0
    printed, remarks = capsys.readouterr()
    assert re.search(
        r"^; colours: changed as a whole: closed cells are 1\d\d,2\d\d,\d+, not 170,215,81$", printed, re.MULTILINE
    )
    assert "google's look in other colours" in remarks
    assert main(["read", picture, "--json"]) == 0
    (board,) = json.loads(capsys.readouterr().out)["boards"]
    assert board["colours"]["closed_rgb"] == [170, 215, 81]
    assert np.abs(np.subtract(board["colours"]["shown_rgb"], [180, 212, 102])).max() <= 1


def test_what_is_no_board_of_one_mine_a_cell_is_called_so_first(tmp_path, capsys):
    picture = paint(load_shipped_skin("classic"), [["6", *["closed"] * 7] * 2, ["closed"] * 16] * 4)
    save_png(tmp_path / "board.png", np.pad(picture, ((30, 30), (30, 30), (0, 0)), constant_values=90))
    assert main(["read", str(tmp_path / "board.png"), "--whole"]) == 0
    printed, remarks = capsys.readouterr()
    no_board = "minebot: 5 numbers cannot be true; the first is the 6 at (0,0)."
    assert remarks.startswith(no_board)
    assert printed.count("6") >= 8
    (tmp_path / "board.txt").write_text(printed, encoding="utf-8")
    for command in (["advise", str(tmp_path / "board.png"), "--whole"], ["solve", str(tmp_path / "board.txt")]):
        assert main([*command, "--mines", "40"]) == 3
        remarks = capsys.readouterr().err
        assert remarks.startswith(no_board)
        assert remarks.count("cannot be") == 1


def test_read_takes_a_given_mine_count(screens, capsys):
    assert main(["read", str(screens / "msx-skin-winxp-mid.png"), "--mines", "51", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["boards"][0]["mines"] == 51


def test_region_may_lie_on_a_monitor_to_the_left():
    """What begins with a minus and a digit is a value, and no option."""
    for words in (["--region", "-1920,-80,1920,1080"], ["--region=-1920,-80,1920,1080"]):
        assert make_parser(["play"]).parse_args(["play", *words]).region == Region(-1920, -80, 1920, 1080)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["read", "no-such-file.png"], 2, "no-such-file.png: cannot be read"),
        (["read", "{screens}/SOURCE.md"], 2, "expected a picture"),
        (["read", "{screens}/msx-skin-mario-mid.png"], 4, "no board found on 300 x 380 pixels"),
        (["read", "{screens}/winemine-expert-mid.png", "--skin", "classic"], 4, "classic (16 x 16 px cells)"),
        (["read", "{screens}/winemine-expert-mid.png", "--skin", "nosuch"], 2, "expected one of the skins 4d, classic"),
        (["replay", "no-such-folder"], 2, "no-such-folder: expected a folder that 'minebot play --record' made"),
        (["read", "{screens}/minebot-expert-mid.png", "--skin", "winmine"], 2, "'winmine': did you mean winemine"),
        (["solve", "{screens}/minebot-expert-mid.png"], 2, "it is a picture, as 'minebot read' and"),
        (["advise", "{screens}/winemine-expert-mid.txt", "--whole"], 2, "--whole is about pictures"),
        (["advise", "{screens}/winemine-expert-mid.txt", "--skin", "classic"], 2, "--skin is about pictures"),
        (["play", "--games", "0"], 2, "--games: expected a whole number of 1 or more, got '0'"),
        (["play", "--region", "1,2,3"], 2, "--region: expected LEFT,TOP,WIDTH,HEIGHT in pixels, got '1,2,3'"),
        (["play", "--region", "-1920,0,1920"], 2, "--region: expected LEFT,TOP,WIDTH,HEIGHT in pixels, got '-1920"),
        (["demo", "--seed", "-1.5"], 2, "--seed: expected a whole number, got '-1.5'"),
        (["simulate", "beginner", "--start", "-1,0"], 2, "--start: expected a cell as R,C such as 0,5"),
        (["play", "--risk-limit", "-.5"], 2, "--risk-limit: expected a chance from 0 to 1"),
        (["play", "--region", "1,2,3,0"], 2, "at least 1 pixel wide and high"),
        (["demo", "--games", "-1"], 2, "--games: expected a whole number of 1 or more, got '-1'"),
    ],
)
def test_bad_input_is_named_with_its_exit_code(arguments, code, words, screens, capsys):
    assert main([argument.format(screens=screens) for argument in arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err


@pytest.mark.parametrize(
    "arguments", [["read", "{screens}/winemine-expert-mid.png"], ["replay", "{screens}/winemine-game"]]
)
def test_command_works_without_a_display(arguments, screens):
    code, output, remarks = run_bot(*(argument.format(screens=screens) for argument in arguments))
    assert (code, remarks) == (0, "")
    assert output


def test_replay_of_a_real_winemine_game_has_no_differences(screens, capsys):
    assert main(["replay", str(screens / "winemine-game"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["differences"] == []
    assert told["frames"] == len(list((screens / "winemine-game").glob("*.png"))) > 10


def test_replay_says_where_it_differs(screens, tmp_path, capsys):
    recording = tmp_path / "recording"
    shutil.copytree(screens / "winemine-game", recording)
    log = recording / "journal.jsonl"
    lines = log.read_text().splitlines()
    entry = json.loads(lines[3])
    row = entry["board"][0]
    entry["board"][0] = ("2" if row[0] != "2" else "3") + row[1:]
    lines[3] = json.dumps(entry)
    log.write_text("\n".join(lines))
    assert main(["replay", str(recording), "--json"]) == 1
    (difference,) = json.loads(capsys.readouterr().out)["differences"]
    assert difference["picture"] == entry["picture"]
    assert difference["what"] == "board"
    assert difference["replayed"][0] == row


def test_letters_that_the_output_lacks_stop_no_command(tmp_path):
    profile = (Path(skins.__file__).parent / "data" / "winemine" / "skin.toml").read_text(encoding="utf-8")
    shutil.copytree(Path(skins.__file__).parent / "data" / "winemine", tmp_path / "mine")
    renamed = profile.replace('name = "winemine"', 'name = "mine"').replace("WineMine,", "Miny \u0141\u65e5,")
    (tmp_path / "mine" / "skin.toml").write_text(renamed, encoding="utf-8")
    code, output, remarks = run_bot("skins", "list", MINEBOT_SKINS=str(tmp_path), PYTHONIOENCODING="cp1252")
    assert code == 0, remarks
    assert "Miny \\u0141\\u65e5, the game that comes with Wine" in output


HUGE = "99999999999999999999999"


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["simulate", "beginner", "-n", HUGE], "boards"),
        (["density", "3,3", "--from", "1", "--wins", HUGE, "--tries", HUGE], "boards"),
        (["simulate", "beginner", "-n", "2", "--jobs", "100000"], "--jobs of 1 to"),
        (["density", "3,3", "--from", "1", "--jobs", HUGE], "--jobs of 1 to"),
    ],
)
def test_numbers_without_bounds_are_refused(arguments, names, capsys):
    assert main(arguments) == 2
    assert names in capsys.readouterr().err


def test_solutions_are_listed_in_bounded_memory(monkeypatch, capsys, tmp_path):
    (tmp_path / "board").write_text("; mines: 3\n########\n", encoding="utf-8")
    assert main(["solve", str(tmp_path / "board"), "--solutions", "--limit", HUGE, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["solutions"]) == 56
    monkeypatch.setattr("bot.commands.solve._MOST_LISTED", 100)
    assert main(["solve", str(tmp_path / "board"), "--solutions", "--limit", "33"]) == 0
    assert main(["solve", str(tmp_path / "board"), "--solutions", "--limit", "34"]) == 2
    assert "--limit" in capsys.readouterr().err


COMPLETES = """
source {script}
COMP_WORDS=({words}); COMP_CWORD={place}
_shtab_minebot minebot "${{COMP_WORDS[{place}]}}" "${{COMP_WORDS[{before}]}}" 2>/dev/null
echo "${{COMPREPLY[@]}}"
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not there")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("minebot warm", "warm-up"),
        ("minebot play --sp", "--speed"),
        ("minebot solve boa", "board.txt"),
        ("minebot simulate inter", "intermediate intermediate-wrap"),
        ("minebot skins import-sheet boa", "board.txt"),
    ],
)
def test_completion_completes_commands_options_choices_and_files(words, completed, tmp_path, capsys):
    assert main(["completion", "bash"]) == 0
    (tmp_path / "script").write_text(capsys.readouterr().out, encoding="utf-8")
    (tmp_path / "board.txt").touch()
    last = len(words.split()) - 1
    asked = COMPLETES.format(script=tmp_path / "script", words=words, place=last, before=last - 1)
    done = subprocess.run(["bash", "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == completed.split()


@pytest.mark.parametrize("shell", ["zsh", "fish", "tcsh", "powershell"])
def test_completion_knows_every_command_in_every_shell(shell, capsys):
    assert main(["completion", shell, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["shell"] == shell
    assert [name for name in COMMANDS if name not in told["script"]] == []
