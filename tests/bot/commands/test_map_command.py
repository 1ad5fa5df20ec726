"""`minebot map`: verdicts, exit codes, JSON."""

import io
import json
from pathlib import Path

import pytest

from bot.cli import main

GOLDEN = Path(__file__).parents[2] / "golden"
MAPS = {golden["id"]: golden for golden in json.loads((GOLDEN / "mine_solver_maps.json").read_text())["maps"]}


@pytest.fixture(name="solve_map")
def _solve_map(tmp_path, capsys):
    def solve_map(text, *options):
        path = tmp_path / "map.txt"
        path.write_text(text)
        exit_code = main(["map", str(path), *options])
        return exit_code, *capsys.readouterr()

    return solve_map


def text_of(name):
    return "\n".join(MAPS[name]["rows"]) + "\n"


@pytest.mark.parametrize(
    ("name", "options", "exit_code", "verdict", "risk"),
    [
        ("ps-evil1", ("--start", "7,4"), 1, "stuck", "99/688"),
        ("ps-sep3", (), 1, "unreachable-part", "1/10"),
        ("ps-sep3", ("--mines", "none"), 1, "stuck", None),
        ("ps-c1", ("--start", "0,2"), 1, "stepped-on-mine", None),
        ("ps-c1", ("--start", "0,0"), 0, "solved", None),
        ("ps-c1", ("--mines", "2"), 0, "solved", None),
        ("ps-c1", ("--mines", "3"), 3, "inconsistent", None),
        ("ps-sep1", (), 0, "solved", None),
        ("ps-sep1", ("--mines", "none"), 1, "stuck", None),
        ("ps-n1", (), 0, "solved", None),
        ("ps-n1", ("--mines", "none"), 1, "stuck", None),
        ("ps-c6", ("--start", "7,4"), 0, "solved", None),
        ("ps-c6", ("--start", "7,4", "--mines", "none"), 1, "stuck", None),
    ],
)
def test_map_says_the_verdict_in_json_and_in_words(solve_map, name, options, exit_code, verdict, risk):
    code, out, err = solve_map(text_of(name), *options, "--json")
    told = json.loads(out)
    assert (code, told["verdict"]) == (exit_code, verdict)
    assert len(told["board"]) == MAPS[name]["height"]
    assert told["seconds"] >= 0
    assert ("best" in told) is (verdict in ("stuck", "unreachable-part"))
    if risk:
        assert told["best"]["p_mine_exact"] == risk
        row, col = told["best"]["cell"]
        assert [col, row] in MAPS[name]["stuck_best"]["cells"]
    assert bool(err) is (verdict == "inconsistent")
    code, out, _ = solve_map(text_of(name), *options)
    assert code == exit_code
    assert verdict in out.splitlines()
    assert risk is None or f"risk {risk}" in out


def test_map_reads_any_form_and_standard_input(solve_map, monkeypatch, capsys):
    code, out, _ = solve_map("; mines: 1\n1*\n11\n", "--start", "0,0", "--json")
    assert (code, json.loads(out)["verdict"]) == (1, "stuck")
    code, out, _ = solve_map("F11\n1?*\n1**\n", "--format", "qb", "--json")
    assert (code, json.loads(out)["verdict"]) == (0, "solved")
    assert json.loads(out)["board"] == ["+21", "24+", "1++"]
    monkeypatch.setattr("sys.stdin", io.StringIO(text_of("ps-c1")))
    assert main(["map", "-"]) == 0
    assert "solved" in capsys.readouterr().out


def test_map_of_wrong_numbers_is_inconsistent_and_names_the_clue(solve_map):
    code, out, err = solve_map("1*\n21\n", "--format", "minebot", "--json")
    told = json.loads(out)
    assert (code, told["verdict"], told["clue"]) == (3, "inconsistent", [1, 0])
    assert "row 1, column 0" in err


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("oox\nox\n", (), "row 1, column 2"),
        ("", (), "got none"),
        ("o#\n", (), "row 0, column 1"),
        ("1#\n11\n", (), "full map, got a cell that may hold a mine or not at row 0, column 1"),
        ("oo\n", ("--start", "2,0"), "--start on the 1x2 map, got (2,0)"),
        ("oo\n", ("--start", "0"), "got (0)"),
        ("oo\n", ("--start", "a,b"), "--start: expected a cell as R,C"),
        ("oo\n", ("--mines", "many"), "--mines with a number or none, got 'many'"),
        ("xx\nxx\n", (), "name the form"),
        ("oo\n", ("--format", "md"), "it reads as ps"),
    ],
)
def test_map_exits_2_on_bad_input(solve_map, text, options, words):
    code, out, err = solve_map(text, *options)
    assert (code, out) == (2, "")
    assert words in err
