"""`minebot review`: what it prints, which exit codes it has, and what it reviews where no file is named."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bot.cli import main
from bot.game import kept_games
from bot.game.kept_games import KeptGames
from bot.game.session import Session
from bot.game.sizes import BoardSize
from solver.board import Action, Move

REPLAYS = Path(__file__).parents[2] / "golden" / "replays"
SHORT = """Width: 3
Height: 3
Mines: 1
Time: 2.5
BBBV: 9
Board:
000
000
00*
Events:
0.00 lc 1 3 (8 40)
0.00 lr 1 3 (8 40)
"""


def test_review_prints_what_cli_md_promises(capsys):
    assert main(["review", str(REPLAYS / "rmv2_24px-rmv.rawvf"), "--json"]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert {"file", "result", "rows", "cols", "mines", "seconds", "figures", "accuracy", "luck", "clicks"} <= set(game)
    assert (game["result"], game["rows"], game["cols"], game["mines"], game["seconds"]) == ("won", 8, 8, 10, 1.849)
    assert {"bbbv", "bbbv_s", "zini", "hzini", "ioe", "rqp", "corr", "thrp", "openings", "islands"} <= set(
        game["figures"]
    )
    for click in game["clicks"]:
        assert {"t", "cell", "kind", "proven", "p_mine", "best", "p_mine_best", "verdict"} <= set(click)
    (blunder,) = (click for click in game["clicks"] if click["verdict"] == "blunder")
    assert (blunder["cell"], blunder["p_mine"], blunder["best"], blunder["p_mine_best"]) == ([6, 7], 0.5, [[0, 7]], 0.0)
    assert "(0,7) is safe" in blunder["why"]
    assert game["chance_to_win"][-1]["p_win"] == 1.0


def test_review_tells_a_person_what_cost_most(capsys):
    assert main(["review", str(REPLAYS / "expert-lost-rmv.rawvf"), "--top", "1"]) == 0
    told = capsys.readouterr().out
    assert "won after 98.76 s, 16x30 with 99 mines (Viennasweeper)" in told
    assert "luck +1.73: 4 guesses; 1.73 losses expected, 0 came; the chance to survive them all was 10.0%" in told
    assert "; pLuck 1.000\n" in told
    assert "3BV 134, openings 14, islands 13, ZiNi 103, HZiNi 111" in told
    assert "click 3 at 0.90 s, blunder:" in told
    assert told.count(" at 89.81 s") == 0, "--top 1"


def test_review_tells_what_flags_earned(tmp_path, capsys):
    clicks = "0.00 lc 2 2\n0.10 lr 2 2\n0.20 rc 1 1\n0.30 rr 1 1\n0.40 mc 2 2\n0.50 mr 2 2\n"
    (tmp_path / "game.rawvf").write_text(f"Width: 2\nHeight: 2\nMines: 1\nBoard:\n*0\n00\nEvents:\n{clicks}")
    assert main(["review", str(tmp_path / "game.rawvf"), "--json"]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game["flags_saved"] == 0
    assert [click["earned"] for click in game["clicks"]] == [None, {"chords": [2], "saved": 0.0}, None]
    assert main(["review", str(REPLAYS / "expert-mvf.rawvf")]) == 0
    assert "wasted, flags cost 18\n" in capsys.readouterr().out
    assert main(["review", str(REPLAYS / "expert-1-avf.rawvf")]) == 0
    assert "wasted\n" in capsys.readouterr().out, "there were none"


def test_review_names_the_player(tmp_path, capsys):
    (tmp_path / "game.rawvf").write_text(f"Player: Ann\n{SHORT}", encoding="utf-8")
    assert main(["review", str(tmp_path / "game.rawvf")]) == 0
    assert "3x3 with 1 mine by Ann\n" in capsys.readouterr().out


def test_review_says_where_the_file_differs_from_its_mines(tmp_path, capsys):
    (tmp_path / "game.rawvf").write_text(SHORT)
    assert main(["review", str(tmp_path / "game.rawvf")]) == 0
    told = capsys.readouterr().out
    assert "the file says bbbv 9, its mines 1" in told


def test_review_of_a_game_that_was_not_finished_says_so(tmp_path, capsys):
    (tmp_path / "game.rawvf").write_text(
        SHORT.replace("00*", "*0*").replace("Mines: 1", "Mines: 2").replace("1 3 (8 40)", "3 3 (40 8)")
    )
    assert main(["review", str(tmp_path / "game.rawvf")]) == 0
    assert "unfinished after 2.50 s" in capsys.readouterr().out


def test_review_of_several_games_sums_them_up(capsys):
    files = [str(REPLAYS / name) for name in ("expert-2-avf.rawvf", "rmv2_24px-rmv.rawvf")]
    assert main(["review", *files, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["games"]) == told["together"]["games"] == 2
    assert main(["review", *files]) == 0
    printed = capsys.readouterr().out
    assert "2 games, 2 won; " in printed
    ioe = [game["figures"]["ioe"] for game in told["games"]]
    assert f"ioe {ioe[0]:.3f} to {ioe[1]:.3f}" in printed


def test_review_of_a_recording_of_the_bot_finds_nothing_better(screens, capsys):
    assert main(["review", str(screens / "winemine-game"), "--json"]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    assert game["result"] == "won"
    assert game["accuracy"] == 1.0
    assert [game["verdicts"][name] for name in ("blunder", "mistake", "inaccuracy", "good")] == [0, 0, 0, 0]


def test_review_writes_a_page(tmp_path, capsys):
    page = tmp_path / "page.html"
    assert main(["review", str(REPLAYS / "rmv2_24px-rmv.rawvf"), "--html", str(page)]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert f"the page is {page}" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_review_with_time_to_think_plays_on(capsys):
    assert main(["review", str(REPLAYS / "rmv2_16px_preflags-rmv.rawvf"), "--think", "30", "--json"]) == 0
    (game,) = json.loads(capsys.readouterr().out)["games"]
    (mistake,) = (click for click in game["clicks"] if click["verdict"] == "mistake")
    assert "to win, by games played on" in mistake["why"]


def test_review_without_a_file_takes_the_last_game_played(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(kept_games, "usual_folder", lambda: tmp_path / "games")
    assert main(["review"]) == 2
    assert "no game of the built-in game was kept yet" in capsys.readouterr().err
    for cols in (3, 4):
        session = Session(BoardSize((1, cols), 1), kept_games=KeptGames(tmp_path / "games"))
        for cell in np.ndindex(1, cols):
            session.act(Move(Action.OPEN, cell))
    assert main(["review", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"][0]["cols"] == 4


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["missing.avf"], "missing.avf: cannot be read"),
        (["--think", "-1", "x"], "expected --think of 0 to 600 seconds, got -1"),
        (["--think", "nan", "x"], "expected --think of 0 to 600 seconds, got nan"),
        (["--top", "-1", "x"], "expected --top of 0 or more, got -1"),
        (["x", "--html", "page.png"], "expected a file name that ends in .html or .htm to write a page to"),
        (["{file}"], "expected 'Key: value' of a RAWVF file"),
    ],
)
def test_review_refuses_what_makes_no_sense(tmp_path, capsys, arguments, told):
    (tmp_path / "text").write_text("no replay")
    assert main(["review", *(word.format(file=tmp_path / "text") for word in arguments)]) == 2
    assert told in capsys.readouterr().err
