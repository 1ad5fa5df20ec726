import io
import json
import random
import subprocess
import sys

import numpy as np
import pytest

from bot.cli import main
from solver import Board, format_board
from solver.layout import Layout

BOARD = "; a corner of an old game\n01#\n02#\n01#\n"
GUESS = "; mines: 2\n1##\n###\n"
CONTRADICTION = "01#\n03#\n01#\n"


@pytest.fixture(name="solve")
def _solve(tmp_path, capsys):
    def solve(text, *options):
        path = tmp_path / "board.txt"
        path.write_text(text)
        exit_code = main(["solve", str(path), *options])
        return exit_code, *capsys.readouterr()

    return solve


def test_solve_prints_one_json_object(solve):
    exit_code, out, err = solve(BOARD, "--json")
    result = json.loads(out)
    assert (exit_code, err) == (0, "")
    assert result["consistent"] is True
    assert result["safe"] == [[1, 2]]
    assert result["mines"] == [[0, 2], [2, 2]]
    assert result["p_mine"] == [[None, None, 1.0], [None, None, 0.0], [None, None, 1.0]]
    assert result["n_models"] == "1"
    assert result["estimates"] == []
    assert "p_mine_exact" not in result
    assert "solutions" not in result
    assert {"trivial", "sat", "count"} <= set(result["seconds"])


def wide_board():
    """A position of which no engine can count the layouts."""
    rng = random.Random(2)
    side = 70
    layout = Layout.of_cells((side, side), [divmod(i, side) for i in rng.sample(range(side**2), int(0.4 * side**2))])
    is_open = np.array([[rng.random() < 0.4 for _ in range(side)] for _ in range(side)])
    cells = np.where(is_open & ~layout.has_mine, layout.numbers, -1).astype(np.int16)
    return format_board(Board(cells, layout.n_mines)), layout


def test_solve_marks_estimates(solve):
    text, layout = wide_board()
    exit_code, out, _ = solve(text, "--json", "--exact")
    result = json.loads(out)
    estimates = [tuple(cell) for cell in result["estimates"]]
    assert exit_code == 0
    assert result["n_models"] is None
    assert estimates
    assert not {tuple(cell) for cell in result["safe"] + result["mines"]} & set(estimates)
    assert all(0 < result["p_mine"][row][col] < 1 for row, col in estimates)
    assert all(result["p_mine_exact"][row][col] is None for row, col in estimates)
    assert not any(layout.has_mine[tuple(cell)] for cell in result["safe"])
    exit_code, out, _ = solve(text, "--explain", ",".join(map(str, estimates[0])))
    assert f"risks: estimated for {len(estimates):,} cells" in out
    assert "by estimate, is the least risk known" in out or "proven safe" in out
    assert "by estimate." in out


def test_solve_gives_fractions_and_solutions_when_asked(solve):
    _, out, _ = solve(GUESS, "--json", "--exact", "--solutions")
    result = json.loads(out)
    assert result["p_mine_exact"] == [[None, "1/3", "1/2"], ["1/3", "1/3", "1/2"]]
    assert result["n_models"] == "6"
    assert len(result["solutions"]) == 6
    assert [[0, 1], [0, 2]] in result["solutions"]


def test_solve_lists_no_more_solutions_than_the_limit(solve):
    _, out, _ = solve(GUESS, "--json", "--solutions", "--limit", "2")
    assert len(json.loads(out)["solutions"]) == 2


def test_solve_takes_mines_and_wrap_from_the_arguments(solve):
    _, out, _ = solve("1##\n###\n", "--json", "--mines", "1")
    assert json.loads(out)["safe"] == [[0, 2], [1, 2]]
    _, out, _ = solve("1##\n###\n", "--json", "--mines", "1", "--wrap")
    assert json.loads(out)["n_models"] == "5"


def test_solve_reads_standard_input(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(BOARD))
    assert main(["solve", "-", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["safe"] == [[1, 2]]


def test_solve_exits_3_and_names_a_clue_of_a_contradiction(solve):
    exit_code, out, err = solve(CONTRADICTION, "--json")
    assert exit_code == 3
    result = json.loads(out)
    assert result["consistent"] is False
    assert tuple(result["clue"]) in {(0, 1), (1, 1), (2, 1)}
    assert "contradict" in err
    exit_code, out, err = solve(CONTRADICTION)
    assert (exit_code, out) == (3, "")
    assert "contradict" in err


def test_solve_has_no_clue_when_only_the_count_contradicts(solve):
    exit_code, out, _ = solve("#1#1#\n", "--json", "--mines", "3")
    assert (exit_code, json.loads(out)) == (3, {"consistent": False, "clue": None})


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("##\n#@\n", (), "row 1, column 1"),
        ("##\n#\n", (), "row 1, column 1"),
        ("##\n##\n", ("--mines", "5"), "0 to 4 mines"),
        ("##\n##\n", ("--limit", "0"), "--limit: expected a whole number of 1 or more"),
    ],
)
def test_solve_exits_2_on_bad_input(solve, text, options, message):
    exit_code, out, err = solve(text, *options)
    assert (exit_code, out) == (2, "")
    assert message in err
    assert "--limit" in err or "board.txt" in err


def test_solve_exits_2_on_a_file_it_cannot_read(tmp_path, capsys):
    assert main(["solve", str(tmp_path / "nothing.txt")]) == 2
    assert "nothing.txt" in capsys.readouterr().err
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    assert main(["solve", str(binary)]) == 2
    assert "UTF-8" in capsys.readouterr().err


def test_solve_annotates_the_board_for_a_person(solve):
    exit_code, out, _ = solve(BOARD, "--time")
    assert exit_code == 0
    assert out.startswith("  012\n0 01*\n1 02.\n2 01*\n")
    assert "proven safe, marked '.': (1,2)" in out
    assert "best move: open (1,2)" in out
    assert "trivial: " in out
    _, out, _ = solve(GUESS, "--exact", "--solutions")
    assert "risk 1/2: (0,2) (1,2)" in out
    assert "solution 6: " in out


def test_solve_asks_what_dots_are(solve):
    exit_code, out, err = solve("..1\n.21\n")
    assert (exit_code, out) == (2, "")
    assert "may be dots-closed (. or _ is a closed cell) or dots-open (" in err
    assert "name the form (--format NAME; of convert --from NAME)" in err
    assert "proven mines, marked '*': (0,1)" in solve("..1\n.21\n", "--format", "dots-closed")[1]


def test_solve_names_no_guess_without_the_mine_count(solve):
    """The rule is that of `advise`."""
    words = "a guess needs the count: give it with --mines N"
    exit_code, out, _ = solve("1##\n###\n###\n")
    assert exit_code == 0
    assert f"best move: none, nothing is proven safe whatever the mine count is, and {words}\n" in out
    assert "best move: open (" in solve("1##\n###\n###\n", "--mines", "2")[1]


def test_solve_imports_no_screen_library():
    code = (
        "import sys, bot.commands.solve; "
        "print(sorted({'cv2', 'mss', 'pynput', 'pyautogui', 'tkinter'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


CHAIN = "++4#2\n##++#\n+6##3\n++22+\n"
"""Every cell is forced, none by a rule."""
OVERLAP = "+33+\n###+\n"


def test_solve_lists_only_what_the_level_proves(solve):
    for level in ("basic", "subset", "bounds"):
        _, out, _ = solve(CHAIN, "--json", "--level", level)
        result = json.loads(out)
        assert (result["level"], result["safe"], result["mines"], result["rules"]) == (level, [], [], [])
        assert result["methods"] == []
        assert "rules" in result["seconds"]
    _, out, _ = solve(CHAIN, "--json", "--level", "full")
    result = json.loads(out)
    assert result["safe"] == [[0, 3], [1, 0], [2, 3]]
    assert result["mines"] == [[1, 1], [1, 4], [2, 2]]
    assert result["rules"][0] == [[0, 3], "contradiction"]
    _, out, _ = solve(CHAIN, "--level", "basic")
    assert out.startswith("  01234\n" + "".join(f"{row} {line}\n" for row, line in enumerate(CHAIN.splitlines())))
    assert "level basic: nothing is proven" in out
    assert "best move" not in out
    _, out, _ = solve(BOARD, "--level", "subset")
    assert out.startswith("  012\n0 01*\n1 02.\n2 01*\n")
    assert "level subset: " in out
    assert "by subset" in out


def test_solve_lists_the_derived_sets(solve):
    _, out, _ = solve(OVERLAP, "--json", "--sets")
    assert json.loads(out)["sets"] == [
        {"cells": [[1, 0], [1, 1], [1, 2]], "lo": 2, "hi": 2, "rule": "number", "clues": [[0, 1]]},
        {"cells": [[1, 1], [1, 2]], "lo": 1, "hi": 1, "rule": "number", "clues": [[0, 2]]},
        {"cells": [[1, 0]], "lo": 1, "hi": 1, "rule": "subset", "clues": [[0, 1], [0, 2]]},
    ]
    _, out, _ = solve(OVERLAP, "--sets")
    assert "set (1,1) (1,2): 1-1 [number, (0,2)]\n" in out
    assert "set (1,0): 1-1 mine [subset, (0,1) (0,2)]\n" in out


def test_solve_explains_a_cell(solve):
    _, out, _ = solve(CHAIN, "--json", "--explain", "1,1")
    explanation = json.loads(out)["explanation"]
    assert (explanation["cell"], explanation["verdict"], explanation["rule"]) == ([1, 1], "mine", "contradiction")
    assert explanation["extent"] == "smallest"
    assert {"rule", "clues", "cells", "conclusion"} <= set(explanation["steps"][0])
    assert explanation["steps"][-1]["conclusion"] == "impossible"
    _, out, _ = solve(CHAIN, "--explain", "1,1")
    assert "if (1,1) were no mine, then:\n  1. [all] the 4 at (0,2)" in out
    assert explanation["text"] in out
    _, out, _ = solve(GUESS, "--explain", "0,2", "--json")
    explanation = json.loads(out)["explanation"]
    assert (explanation["verdict"], explanation["p_mine"], explanation["rule"]) == ("not forced", 0.5, None)
    _, out, _ = solve("1##\n###\n", "--explain", "0,2", "--json")
    assert json.loads(out)["explanation"]["p_mine"] is None


def test_solve_explains_a_cell_in_more_dimensions(solve):
    exit_code, out, _ = solve("; shape: 2x2x2\n1#\n??\n??\n??\n", "--explain", "0,0,1")
    assert exit_code == 0
    assert "(0,0,1) is a mine." in out


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("0,0", "known"),
        ("0,2", "open"),
        ("9,9", "4x5 board, got (9,9)"),
        ("1", "4x5 board, got (1)"),
        ("a,b", "--explain: expected"),
        ("", "R,C"),
    ],
)
def test_solve_exits_2_on_a_cell_it_cannot_explain(solve, cell, message):
    exit_code, out, err = solve(CHAIN, "--explain", cell)
    assert (exit_code, out) == (2, "")
    assert message in err


def test_solve_says_how_long_each_method_took(solve):
    _, out, _ = solve(OVERLAP, "--time", "--level", "bounds", "--sets", "--explain", "1,0")
    for method in ("read", "trivial", "sat", "count", "rules", "sets", "explain"):
        assert f"\n{method}: " in out
    _, out, _ = solve(OVERLAP, "--json", "--explain", "1,0")
    seconds = json.loads(out)["seconds"]
    assert set(seconds) == {"read", "trivial", "sat", "count", "estimate", "explain"}
    assert all(value >= 0 for value in seconds.values())


def test_solve_reads_another_form_where_only_one_fits_and_says_so(solve):
    exit_code, out, err = solve("------\n-2222-\n-2002-\n-2002-\n-2222-\n------\n", "--json")
    assert exit_code == 0
    assert len(json.loads(out)["mines"]) == 8
    assert err == "minebot: read as md; --format names another form\n"


def test_solve_reads_nothing_as_another_form_than_the_one_named(solve):
    exit_code, out, err = solve("1-\n", "--format", "minebot")
    assert (exit_code, out) == (2, "")
    assert "'-' at row 0, column 1 (it reads as md: name that form)" in err
