"""`minebot train`: sittings fed through standard input, with a person who knows the answers or does not."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.cli import main
from bot.game import kept_games
from bot.reviewing import training
from bot.reviewing.training import GUESS, Exercise, Kept, load_kept, save_kept
from solver import parse_board
from solver.board import format_rows

REPLAYS = Path(__file__).parents[2] / "golden" / "replays"
ROW = parse_board("; mines: 2\n####\n1221\n")
WALL = parse_board("; mines: 1\n1#\n1#\n##\n")


@pytest.fixture(name="path")
def _path(monkeypatch, tmp_path):
    path = tmp_path / "data" / "training.json"
    monkeypatch.setattr(training, "usual_path", lambda: path)
    monkeypatch.setattr(kept_games, "usual_folder", lambda: tmp_path / "games")
    return path


@pytest.fixture(name="train")
def _train(monkeypatch, capsys, path):
    def train(answers, *options):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(answers.encode()), encoding="utf-8"))
        exit_code = main(["train", "--text", *options])
        return exit_code, *capsys.readouterr()

    return train


def keep(path, *exercises):
    save_kept(path, Kept(exercises))


def test_a_sitting_asks_says_why_and_counts(train, path):
    keep(path, Exercise(ROW, "one.rawvf, click 3", "1-2-2-1", 0))
    code, out, err = train("help\n1,1\nhere\n0,0\n0,1\n", "-n", "1")
    assert (code, err) == (0, "")
    assert out.startswith("Open a cell that is proven safe; where none is, the best guess.")
    assert "2x4, 2 mines; 1 position to go.\n  0123\n0 ####\n1 1221\n> help\nanswers:\n" in out
    assert "> 1,1\nexpected a closed cell of the 2x4 board, got (1,1); 'help' lists the answers\n" in out
    assert "> here\nexpected a cell as R,C such as 0,5, counted from 0, got 'here'; 'help'" in out
    assert "> 0,0\nRight. (0,0) is safe. The numbers at (1,0) (1,2) (1,3) force it" in out
    assert "Pattern: 1-2-2-1. From: one.rawvf, click 3.\n" in out
    assert out.endswith("From: one.rawvf, click 3.\n1 right, 0 missed\n")


def test_what_was_missed_comes_again_until_it_is_right_twice(train, path):
    keep(path, Exercise(ROW, "mine", "1-2-2-1", 0))
    for answer, n_right in (("0,0", 1), ("0,1", 0), ("0,3", 1)):
        train(f"{answer}\n", "-n", "1")
        assert [one.n_right for one in load_kept(path).exercises] == [n_right]
    train("0,0\n", "-n", "1")
    assert load_kept(path).exercises == ()


def test_json_is_one_object_and_the_dialogue_goes_to_standard_error(train, path):
    keep(path, Exercise(ROW, "mine", "1-2-2-1", 0))
    code, out, err = train("0,1\nquit\n", "--json", "--seed", "1")
    told = json.loads(out)
    assert code == 0
    assert (told["right"], told["missed"]) == (0, 1)
    (asked,) = told["positions"]
    assert asked == {
        "board": ["####", "1221"],
        "mines": 2,
        "origin": "mine",
        "pattern": "1-2-2-1",
        "answer": [0, 1],
        "right": False,
        "best": [0, 0],
    }
    assert "Missed. (0,1) was a proven mine" in err


def test_drawn_positions_follow_and_the_seed_says_which(train, path):
    keep(path, Exercise(ROW, "mine", "1-2-2-1", 0))
    outs = [train("0,1\n", "-n", "2", "--seed", seed)[1] for seed in ("1", "1", "2")]
    assert "16x16, 40 mines; 1 position to go." in outs[0]
    assert outs[0] == outs[1] != outs[2]
    assert len(load_kept(path).exercises) == 1, "a drawn position that was not answered is not kept"


def test_games_are_reviewed_first_and_once(train, path):
    file = REPLAYS / "expert-lost-rmv.rawvf"
    _, out, _ = train("quit\n", "--games", str(file))
    boards = [format_rows(one.board.cells) for one in load_kept(path).exercises]
    assert "16x30, 99 mines; 10 positions to go." in out
    assert len(boards) == 2
    asked = load_kept(path).exercises
    save_kept(path, Kept((replace(asked[0], n_right=1), asked[1])))
    train("quit\n", "--games", str(file), str(file))
    kept = load_kept(path).exercises
    assert [format_rows(one.board.cells) for one in kept] == boards
    assert [one.n_right for one in kept] == [1, 0], "what was right stays so"


def test_games_of_the_built_in_game_are_looked_at_when_they_are_new(train, path, tmp_path):
    text = (REPLAYS / "expert-lost-rmv.rawvf").read_text(encoding="utf-8")
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "2026-01-02-1.rawvf").write_text(text, encoding="utf-8")
    train("quit\n")
    kept = load_kept(path)
    assert (len(kept.exercises), kept.last_game) == (2, "2026-01-02-1.rawvf")
    save_kept(path, Kept((), kept.last_game))
    train("quit\n")
    assert load_kept(path) == Kept((), kept.last_game), "it is not looked at again"


def test_damaged_game_of_the_built_in_game_is_told_and_passed_over(train, path, tmp_path):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "2026-01-01-0.rawvf").write_text("garbage", encoding="utf-8")
    code, _, err = train("quit\n")
    assert code == 0
    assert "2026-01-01-0.rawvf" in err
    assert "passed over" in err
    assert load_kept(path).last_game == "2026-01-01-0.rawvf"


def test_what_another_sitting_keeps_meanwhile_is_not_lost(monkeypatch, capsys, path):
    class OfTwo(io.StringIO):
        def readline(self, _most=-1):
            keep(path, *load_kept(path).exercises, Exercise(WALL, "the other's", "", 0))
            return "0,1\n"

    keep(path, Exercise(ROW, "mine", "1-2-2-1", 0))
    monkeypatch.setattr("sys.stdin", OfTwo())
    assert main(["train", "--text", "-n", "1"]) == 0
    capsys.readouterr()
    assert {one.origin: one.n_right for one in load_kept(path).exercises} == {"mine": 0, "the other's": 0}


def test_pattern_asks_for_that_alone(train, path):
    keep(path, Exercise(ROW, "row", "1-2-2-1", 0), Exercise(WALL, "wall", "1-1 at the wall", 1))
    _, out, _ = train("2,0\n", "--pattern", "1-1 at the wall", "-n", "1")
    assert "From: wall." in out
    assert [one.origin for one in load_kept(path).exercises] == ["row"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--pattern", "9-9"], "--pattern: expected a pattern such as 1-2-1 or 'the mine count', or 'a guess'"),
        (["--pattern", "8-8-8"], "expected a pattern that boards have, got '8-8-8': none that were made has it"),
        (["-n", "0"], "-n: expected a whole number of 1 or more, got '0'"),
        (["--games", "none.avf"], "none.avf"),
    ],
)
def test_wrong_options_are_told(train, monkeypatch, options, told):
    monkeypatch.setattr(training, "_MOST_BOARDS", 2)
    code, out, err = train("", *options)
    assert (code, out) == (2, "")
    assert told in err


def test_a_broken_file_of_positions_is_told_and_left_as_it_was(train, path):
    path.parent.mkdir()
    path.write_text("{")
    code, _, err = train("")
    assert code == 2
    assert f"{path}: expected an object with the list 'positions'" in err
    assert path.read_text() == "{"


def test_a_sitting_that_cannot_be_kept_ends(monkeypatch, capsys, path):
    class Vandal(io.StringIO):
        def readline(self, _most=-1):
            path.unlink()
            path.parent.rmdir()
            path.parent.write_text("")
            return "0,0\n"

    keep(path, Exercise(ROW, "mine", "1-2-2-1", 0))
    monkeypatch.setattr("sys.stdin", Vandal())
    assert main(["train", "--text"]) == 2
    assert f"positions of training cannot be written to {path}" in capsys.readouterr().err


def test_a_guess_is_right_where_none_is_better(train, path):
    keep(path, Exercise(parse_board("; mines: 2\n###\n1##\n"), "mine", GUESS, 0))
    _, out, _ = train("0,0\n", "-n", "1")
    assert "Missed. Nothing was proven safe. (0,0) had a risk of 33.33%." in out
    _, out, _ = train("0,1\n", "-n", "1")
    assert "Right. Nothing was proven safe. (0,1) had a risk of 33.33%. No guess was better" in out
