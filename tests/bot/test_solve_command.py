import io
import json
import subprocess
import sys

import pytest

from bot.cli import main

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
    assert "p_mine_exact" not in result
    assert "solutions" not in result
    assert {"trivial", "sat", "count"} <= set(result["seconds"])


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
        ("##\n##\n", ("--limit", "-1"), "--limit"),
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
    assert out.startswith("01*\n02.\n01*\n")
    assert "proven safe, marked '.': (1,2)" in out
    assert "best move: open (1, 2)" in out
    assert "trivial: " in out
    _, out, _ = solve(GUESS, "--exact", "--solutions")
    assert "risk 1/2: (0,2) (1,2)" in out
    assert "solution 6: " in out


def test_solve_imports_no_screen_library():
    code = (
        "import sys, bot.commands.solve; "
        "print(sorted({'cv2', 'mss', 'pynput', 'pyautogui', 'tkinter'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
