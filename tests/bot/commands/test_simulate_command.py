"""`minebot simulate` and `minebot density`: what they print is a contract, and the same for the same seeds."""

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from bot.cli import main
from bot.reporting.recorded_games import load_recorded_deals
from solver.board import parse_board
from solver.simulation import METHODS, SeededDeals, format_deal, iter_games

ROOT = Path(__file__).parents[3]
RECORDING = ROOT / "tests" / "screens" / "winemine-game"
OF_TIME = ("seconds", "games_per_s", "cpu_s_per_game")


def timeless(told):
    """What was told, without the fields of time."""
    for game in told.get("per_game", []):
        del game["cpu_s"]
    return {name: value for name, value in told.items() if name not in OF_TIME}


@pytest.fixture
def told(capsys):
    """A function that runs the command with --json and returns the object it prints, times left out."""

    def run(*arguments, exit_code=0):
        capsys.readouterr()
        assert main([*map(str, arguments), "--json"]) == exit_code
        return timeless(json.loads(capsys.readouterr().out))

    return run


def refused(capsys, *arguments):
    capsys.readouterr()
    assert main(list(map(str, arguments))) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_simulate_prints_the_contract(capsys):
    assert main(["simulate", "beginner", "-n", "50", "--per-game", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {
        "games",
        "won",
        "win_rate",
        "ci95",
        "cpu_s_per_game",
        "moves_by_method",
        "calibration",
        "per_game",
    } <= told.keys()
    assert told["games"] == len(told["per_game"]) == 50
    assert told["won"] == sum(game["won"] for game in told["per_game"])
    assert told["ci95"][0] < told["win_rate"] < told["ci95"][1]
    assert [game["seed"] for game in told["per_game"]] == list(range(1, 51))
    assert all(game.keys() == {"seed", "won", "guesses", "moves", "cpu_s"} for game in told["per_game"])
    assert list(told["moves_by_method"]) == list(METHODS)
    assert sum(moves["percent"] for moves in told["moves_by_method"].values()) == pytest.approx(100)
    n_moves = sum(moves["total"] for moves in told["moves_by_method"].values())
    assert n_moves == sum(game["moves"] for game in told["per_game"])
    guesses = [guess for game in told["per_game"] for guess in game["guesses"]]
    assert sum(bucket["n_guesses"] for bucket in told["calibration"]) == len(guesses)
    assert sum(guess["was_mine"] for guess in guesses) == 50 - told["won"]


def test_simulate_efficient_plays_the_same_games_and_tells_3bv_by_clicks(capsys, tmp_path):
    asked = ["simulate", "intermediate", "-n", "30", "--per-game", "--json"]
    kept = ["--efficient", "--out", str(tmp_path / "games.jsonl")]
    told = []
    for options in ([], kept, kept):
        assert main([*asked, *options]) == 0
        told.append(json.loads(capsys.readouterr().out))
    plain, sparing, resumed = told
    assert [game["won"] for game in sparing["per_game"]] == [game["won"] for game in plain["per_game"]]
    ratios = [game["bbbv"] / game["clicks"] for game in sparing["per_game"] if game["won"]]
    assert sparing["efficiency"]["games"] == len(ratios) == plain["won"]
    assert sparing["efficiency"]["mean"] == pytest.approx(sum(ratios) / len(ratios))
    low, high = sparing["efficiency"]["ci95"]
    assert 1 < low < high
    assert resumed["efficiency"] == sparing["efficiency"], "an earlier run's clicks are in its file"
    assert "efficiency" not in plain
    assert main(["simulate", "intermediate", "-n", "30", "--efficient"]) == 0
    assert f"3BV/clicks of {len(ratios)} won games: {sum(ratios) / len(ratios):.2%} +- " in capsys.readouterr().out
    assert 'policy is "strong efficient" there and "strong" here' in refused(capsys, *asked[:4], "--out", kept[-1])


@pytest.mark.parametrize("jobs", ["1", pytest.param("2", marks=pytest.mark.slow)])
def test_same_seeds_are_the_same_games(told, jobs):
    asked = ["simulate", "--shape", "8,8", "--mines", "12", "-n", "300", "--seed", "7", "--per-game"]
    games = told(*asked)
    assert told(*asked, "--jobs", jobs) == games
    assert told(*asked[:-2], "8", "--per-game")["per_game"][:-1] == games["per_game"][1:]


@pytest.mark.parametrize("rule", ["any", "safe", "zero", "hint"])
def test_first_click_rules_show_in_what_is_won(told, rule):
    games = told("simulate", "test", "--first", rule, "-n", "200", "--per-game")
    lost_at_once = sum(not game["won"] and not game["guesses"] for game in games["per_game"])
    assert (lost_at_once > 0) is (rule == "any")


def test_wrap_and_start_are_taken(told):
    plain, wrapped, elsewhere = (
        told("simulate", "beginner", "-n", "100", *more) for more in ([], ["--wrap"], ["--start", "4,4"])
    )
    assert (plain["wrap"], wrapped["wrap"], elsewhere["start"]) == (False, True, [4, 4])
    assert plain["moves_by_method"] != wrapped["moves_by_method"] != elsewhere["moves_by_method"]


def test_file_of_boards_is_played_as_the_seeds_it_was_made_of(told, tmp_path):
    deals = SeededDeals((9, 9), 12, wrap=False, rule="zero", first_cell=(2, 2), seed=30, n=40)
    (tmp_path / "boards.txt").write_text("\n".join(format_deal(deals[i]) for i in range(40)))
    by_file = told("simulate", "--boards", tmp_path / "boards.txt", "--per-game")
    by_seed = told("simulate", "beginner", "--mines", "12", "--first", "zero", "--seed", "30", "-n", "40", "--per-game")
    assert by_file["per_game"] == by_seed["per_game"]
    assert told("simulate", "--boards", tmp_path / "boards.txt", "-n", "7")["games"] == 7


def test_recording_is_played_on_exactly_its_boards(told):
    last = [json.loads(line) for line in (RECORDING / "journal.jsonl").read_text().splitlines()][-2]
    end = parse_board("\n".join(last["board"]))
    (deal,) = load_recorded_deals(RECORDING)
    assert np.array_equal(deal.layout.has_mine, end.cells < 0)
    assert np.array_equal(deal.layout.numbers[end.cells >= 0], end.cells[end.cells >= 0])
    assert (deal.layout.n_mines, deal.first_cell) == (99, (0, 0))
    assert told("simulate", "--boards", RECORDING)["won"] == 1


def written(folder, *entries):
    folder.mkdir()
    (folder / "journal.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return folder


def decision(state, *rows, moves=()):
    return {"event": "decision", "picture": "1.png", "state": state, "board": list(rows), "moves": list(moves)}


def test_recorded_games_are_taken_that_show_their_mines(tmp_path):
    said = []
    board = {"event": "board", "skin": "classic", "rows": 2, "cols": 3, "mines": 2}
    folder = written(
        tmp_path / "recording",
        board,
        decision("fresh", "###", "###", moves=[{"action": "open", "cell": [1, 2], "p_mine": 0.3}]),
        decision("lost", "##*", "##X"),
        {"event": "result", "result": "lost"},
        decision("playing", "1##", "1##"),
        decision("lost", "1#X", "1##"),  # the other mine is not shown
        {"event": "result", "result": "lost"},
        decision("playing", "#2#", "###"),
        decision("won", "02#", "02F"),
        {"event": "result", "result": "won"},
    )
    first, third = load_recorded_deals(folder, said.append)
    assert (first.seed, first.layout.mine_cells, first.first_cell) == (1, {(0, 2), (1, 2)}, (1, 2))
    assert (third.seed, third.layout.mine_cells, third.first_cell) == (3, {(0, 2), (1, 2)}, (0, 1))
    assert len(said) == 1
    assert "game 2" in said[0]


def test_interrupted_run_goes_on_from_its_file(told, tmp_path, capsys):
    out = tmp_path / "run.jsonl"
    asked = ["simulate", "beginner", "-n", "60", "--per-game"]
    whole = told(*asked)
    assert told(*asked, "--out", out) == whole
    lines = out.read_bytes().splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:30]) + lines[30][:17])
    assert main([*asked, "--out", str(out), "--json"]) == 0
    captured = capsys.readouterr()
    assert timeless(json.loads(captured.out)) == whole
    assert "29 games played before" in captured.err
    assert len(out.read_bytes().splitlines()) == 61
    assert told(*asked[:2], "-n", "10", "--out", out)["games"] == 10
    assert "mines is 10 there and 11 here" in refused(capsys, *asked, "--mines", "11", "--out", out)


@pytest.mark.parametrize("keeps", [True, False])
def test_stopped_run_tells_what_it_played_and_how_to_go_on(keeps, monkeypatch, tmp_path, capsys):
    def stopped_after_seven(deals, policy, backend=None):
        yield from iter_games(deals.part(0, 7), policy, backend)
        raise KeyboardInterrupt

    out = ["--out", str(tmp_path / "run.jsonl")] if keeps else []
    asked = ["simulate", "beginner", "-n", "1500", *out]
    monkeypatch.setattr("bot.commands.simulate.iter_games", stopped_after_seven)
    assert main([*asked, "--json"]) == 130
    captured = capsys.readouterr()
    told = json.loads(captured.out)
    assert (told["games"], told["stopped"]) == (7, True)
    how = "the same command goes on" if keeps else "with --out FILE it could go on"
    assert f"minebot: stopped after 7 of 1,500 games; {how}" in captured.err
    assert main(asked) == 130
    assert f"\n{14 if keeps else 7} games, " in capsys.readouterr().out


def test_run_that_is_stopped_before_its_first_game_tells_nothing(monkeypatch, capsys):
    def stopped_at_once(_deals, _policy, _backend=None):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr("bot.commands.simulate.iter_games", stopped_at_once)
    assert main(["simulate", "beginner", "--json"]) == 130
    assert capsys.readouterr().out == ""


def test_text_tells_the_same_as_json(capsys):
    assert main(["simulate", "4d-easy", "-n", "20", "--per-game"]) == 0
    text = capsys.readouterr().out
    assert "4x4x4x4, 10 mines; first click: safe at (0,0,0,0); seeds 1 to 20; policy strong" in text
    assert "20 games, " in text
    assert all(f"\n{method} " in text for method in METHODS)
    assert len(text.rpartition("CPU ms\n")[2].splitlines()) == 20


def test_verbose_tells_every_move(capsys):
    assert main(["simulate", "test", "-n", "3", "-v", "--json"]) == 0
    captured = capsys.readouterr()
    n_moves = sum(moves["total"] for moves in json.loads(captured.out)["moves_by_method"].values())
    assert sum(line.startswith("  (") for line in captured.err.splitlines()) == n_moves
    assert captured.err.count("seed ") == 3


def test_plot_is_a_picture_with_what_was_measured(tmp_path, capsys):
    for n in ("1", "300"):
        assert main(["simulate", "beginner", "-n", n, "--mines", "15", "--plot", str(tmp_path / "plot.png")]) == 0
        picture = cv2.imread(str(tmp_path / "plot.png"))
        assert picture.shape[0] > 300
        assert (picture == (178, 114, 0)).all(axis=2).any() or n == "1"  # the curve
        assert (picture == (0, 94, 213)).all(axis=2).sum() > 20 or n == "1"  # the buckets


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["simulate"], "preset"),
        (["simulate", "nowhere"], "or test, got 'nowhere'"),
        (["simulate", "exprt"], "did you mean expert"),
        (["simulate", "expert", "--shape", "3,3", "--mines", "1"], "one of"),
        (["simulate", "--shape", "3,3"], "--mines"),
        (["simulate", "--shape", "3,x", "--mines", "1"], "'3,x'"),
        (["simulate", "--shape", "3,0", "--mines", "1"], "'3x0'"),
        (["simulate", "--shape", "99999,99999", "--mines", "1"], "99999"),
        (["simulate", "expert", "--mines", "480"], "479 mines"),
        (["simulate", "expert", "--start", "16,0"], "(16,0)"),
        (["simulate", "expert", "--first", "hint", "--start", "1,1"], "hint"),
        (["simulate", "expert", "--policy", "brave"], "'brave'"),
        (["simulate", "expert", "-n", "0"], "-n"),
        (["simulate", "expert", "--jobs", "0"], "--jobs"),
        (["simulate", "expert", "--backend", "dask"], "--scheduler"),
        (["simulate", "expert", "--scheduler", "tcp://a:1"], "--scheduler"),
        (["simulate", "expert", "-v", "--jobs", "2"], "-v"),
        (["simulate", "--boards", "no-such-file.txt"], "no-such-file.txt"),
        (["simulate", "--boards", "x", "--seed", "3"], "--seed"),
        (["simulate", "expert", "--plot", "p.gif"], "p.gif"),
        (["density", "8,8", "--from", "64"], "63 mines"),
        (["density", "8;8", "--from", "6"], "'8;8'"),
        (["density", "8,8", "--from", "6", "--wins", "0"], "--wins"),
    ],
)
def test_bad_arguments_are_named(capsys, arguments, named):
    assert named in refused(capsys, *arguments)


def test_broken_file_of_boards_is_named(capsys, tmp_path):
    path = tmp_path / "boards.txt"
    for content, named in (
        (b"1 9 9 0,0 1,1\n1 9 9 0,0 9,9\n", "line 2"),
        (b"; none\n", "no board"),
        (b"\xff", "UTF-8"),
    ):
        path.write_bytes(content)
        assert named in refused(capsys, "simulate", "--boards", path)


def test_recording_that_is_broken_is_named(capsys, tmp_path):
    folder = tmp_path / "recording"
    shutil.copytree(RECORDING, folder)
    lines = (folder / "journal.jsonl").read_text().splitlines()
    lines[4] = '{"event": "decision", "state": "playing"}'
    (folder / "journal.jsonl").write_text("\n".join(lines) + "\n")
    assert "line 5" in refused(capsys, "simulate", "--boards", folder)


def test_density_ends_where_too_few_are_won(told, capsys):
    found = told("density", "6,6", "--from", "8", "--wins", "5", "--tries", "60")
    assert [row["mines"] for row in found["rows"]] == list(range(8, 8 + len(found["rows"])))
    assert all(row["won"] == 5 for row in found["rows"][:-1])
    assert found["rows"][-1]["won"] < 5
    assert found["most_mines"] == found["rows"][-2]["mines"]
    assert main(["density", "6,6", "--from", "8", "--wins", "5", "--tries", "60"]) == 0
    assert f"at most 60: {found['most_mines']}\n" in capsys.readouterr().out


def test_density_is_drawn(tmp_path, capsys):
    assert (
        main(["density", "5,5", "--from", "5", "--wins", "5", "--tries", "9", "--plot", str(tmp_path / "d.png")]) == 0
    )
    n_rows = len(capsys.readouterr().out.splitlines()) - 2
    is_bar = (cv2.imread(str(tmp_path / "d.png")) == (178, 114, 0)).all(axis=2)
    assert cv2.connectedComponents(is_bar.astype(np.uint8))[0] - 1 == n_rows


def test_density_of_full_boards_ends(told):
    found = told("density", "2,2", "--from", "3", "--wins", "1", "--tries", "5")
    assert [row["mines"] for row in found["rows"]] == [3]
    assert found["most_mines"] == 3
