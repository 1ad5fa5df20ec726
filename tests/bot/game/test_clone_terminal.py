"""The built-in game in letters: scripted input, board files whose truth is known."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bot.cli import main
from bot.reporting.text_boards import rule_board, sign_cells
from solver import format_board
from solver.board import FLAG, Board
from solver.formats import reveal
from solver.layout import Layout

GOLDEN = Path(__file__).parents[2] / "golden"
MINES = [(0, 3), (2, 0), (4, 2)]
FIVE_BY_FOUR = Layout.of_cells((5, 4), MINES)


@pytest.fixture(name="game")
def _game(tmp_path, capsys, monkeypatch):
    """Return a function that plays a layout, or what options say, in letters: exit code, and what was printed."""

    def game(script, *options, layout=None):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(script.encode())))
        if layout is not None:
            path = tmp_path / "board.txt"
            path.write_text(format_board(reveal(layout)), encoding="utf-8")
            options = ("--board", str(path), *options)
        code = main(["game", "--text", *options, "--best-times", "none", "--keep-games", "none"])
        printed = capsys.readouterr()
        assert code != 2 or printed.err
        return code, printed.out + printed.err

    return game


def safe_cells(layout):
    return [",".join(map(str, cell)) for cell in np.argwhere(~layout.has_mine).tolist()]


def test_scripted_input_wins_5x4_as_in_the_golden_file(game):
    script = "help\n4,0\nflag 2,0\nc 3,1\nchord 3,0\nf 3 3\n3,3\nf 3,3\n0,0\nhint\n2,3\n4,3\n"
    code, out = game(script, layout=FIVE_BY_FOUR)
    out = re.sub(r"[0-9.]+ s, 3BV 4, 3BV/s [0-9.]+", "S s, 3BV 4, 3BV/s N", out)
    assert out == (GOLDEN / "text-play-5x4.txt").read_text(encoding="utf-8")
    assert code == 0


@pytest.mark.parametrize("shape", [(9,), (3, 3, 3), (3, 3, 3, 3), (2, 2, 2, 2, 2)])
def test_boards_of_any_dimensions_are_won(shape, game):
    layout = Layout.of_cells(shape, [tuple(side - 1 for side in shape)])
    code, out = game("\n".join(safe_cells(layout)), layout=layout)
    assert code == 0
    assert "won: " in out
    won = np.where(layout.has_mine, FLAG, layout.numbers)
    assert "\n".join(rule_board(shape, sign_cells(Board(won)))) in out


def test_lost_game_shows_the_mines_and_says_why_and_is_taken_back(game):
    code, out = game("f 2,0\nf 0,0\n3,3\n0,3\n4,2\nwhy\nundo\nq\n", layout=FIVE_BY_FOUR)
    assert code == 1
    assert "lost: " in out
    assert "0 x##X" in out
    assert "2 F" in out
    assert "4 ##*" in out
    assert "the game is over" in out
    assert "(0,3) was a mine" in out or "It was a mine" in out
    assert out.rindex("mines left: 1") > out.index("lost: ")


def test_guess_free_board_names_its_first_cell_and_new_begins_another(game):
    options = ("--guess-free", "--shape", "4,5,3", "--mines", "5", "--seed", "3")
    code, out = game("board\nnew\n", *options)
    start = re.search(r"begin at \(([0-9,]+)\)", out)[1]
    assert code == 0
    assert out.count("no guess needed") == 2
    shown = [line for line in out.splitlines() if "X" in line]
    assert len(shown) == 3
    _, out = game(f"{start}\n", *options)
    assert re.search(r"^[0-9] +.*0", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("9,9", "expected a cell of the 5x4 board, got 9,9"),
        ("1,1,1", "expected a cell of the 5x4 board"),
        ("dance", "'help' lists them"),
        ("0,\x00", "'help' lists them"),
        ("flag", "expected a cell: flag 0,0"),
        ("why", "only after the game"),
        ("undo", "nothing to take back"),
        ("chord 0,0", "nothing opens around (0,0)"),
        ("new", "'help' lists the commands"),
    ],
)
def test_what_is_no_move_is_answered_and_changes_nothing(line, answer, game):
    code, out = game(f"{line}\n", layout=FIVE_BY_FOUR)
    assert code == 0
    assert answer in out
    assert "#" in out
    assert "0 #1" not in out


def test_json_is_a_line_for_every_game_that_ends_and_nothing_else(tmp_path, capsys, monkeypatch):
    board, log = tmp_path / "one.txt", tmp_path / "log"
    board.write_text(format_board(reveal(FIVE_BY_FOUR)), encoding="utf-8")
    script = "\n".join(["3,3", "0,3", "undo", *safe_cells(FIVE_BY_FOUR), "new", "3,3", "q"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(script.encode())))
    words = ["game", "--text", "--board", str(board), "--best-times", "none", "--keep-games", "none"]
    assert main([*words, "--json", "--log", str(log)]) == 0
    printed = capsys.readouterr()
    assert printed.out == log.read_text(encoding="utf-8")
    lost, won = map(json.loads, printed.out.splitlines())
    size = {"rows": 5, "cols": 4, "mines": 3, "bbbv": 4}
    assert lost == {"result": "lost", **size, "seconds": lost["seconds"], "clicks": 2}
    assert won == {"result": "won", **size, "seconds": won["seconds"], "clicks": won["clicks"], "undone": 1}
    assert "lost: " in printed.err
    assert "won: " in printed.err
    assert "mines left: 3" in printed.err


def test_equal_seeds_are_equal_games(game):
    options = ("--shape", "6,6", "--mines", "6", "--seed", "5")
    assert game("0,0\n5,5\n", *options) == game("0,0\n5,5\n", *options)
    assert game("0,0\n5,5\n", *options) != game("0,0\n5,5\n", "--shape", "6,6", "--mines", "6", "--seed", "6")


@pytest.mark.parametrize(
    ("options", "message"),
    [(("--shape", "3,3,3", "--mines", "27"), "0 to 26 mines"), (("--shape", "0,3"), "1 to 100 rows")],
)
def test_board_that_is_none_is_refused(options, message, game):
    code, out = game("", *options)
    assert code == 2
    assert message in out


def test_window_has_no_board_of_three_dimensions(capsys):
    assert main(["game", "--shape", "3,3,3", "--mines", "2", "--best-times", "none"]) == 2
    assert "two dimensions or four" in capsys.readouterr().err


def test_text_needs_no_window_system():
    code = "import sys, bot.game.terminal; print(sorted({'tkinter', 'mss', 'pynput', 'pyautogui'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_hint_of_a_fresh_board_is_the_start_that_a_game_id_names(game, tmp_path):
    path = tmp_path / "id.txt"
    path.write_text("9x9:3,8,u010001041008008081030\n")
    out = game("hint\n3,3\n", "--board", str(path))[1]
    assert "8 ###X#####" in out
