"""`minebot generate`: what it prints is a contract, in every form the same board; what cannot be made exits with 2."""

import json

import numpy as np
import pytest

from bot.cli import main
from solver.board import parse_board
from solver.formats import FORMATS, as_full_map, format_game_id
from solver.generation import Order, generate, level_of
from solver.rules import LEVELS
from solver.simulation import parse_deals

SMALL = ["generate", "--shape", "8,9", "--mines", "11", "--guess-free", "--seed", "7"]
MADE = generate(Order((8, 9), 11, is_guess_free=True), 7)


@pytest.fixture
def told(capsys):
    """A function that runs the command with --json and returns the boards it prints."""

    def run(*arguments):
        capsys.readouterr()
        assert main([*map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)["boards"]

    return run


def printed(capsys, *arguments):
    capsys.readouterr()
    assert main(list(map(str, arguments))) == 0
    return capsys.readouterr()


def refused(capsys, *arguments):
    capsys.readouterr()
    assert main(list(map(str, arguments))) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_generate_prints_the_contract(told):
    boards = told("generate", "--guess-free", "-n", 3, "--seed", 10)
    assert [board["seed"] for board in boards] == [10, 11, 12]
    for board in boards:
        assert {"rows", "hint", "level", "tries", "seconds"} <= board.keys()
        layout = as_full_map(parse_board("\n".join(board["rows"]))).layout
        made = generate(Order((16, 30), 99, is_guess_free=True), board["seed"])
        assert layout == made.layout
        assert tuple(board["hint"]) == made.hint
        assert (board["mines"], board["3bv"], board["moves"]) == (99, layout.bbbv, made.n_moves)


@pytest.mark.parametrize("shape", [("9,9", 10), ("16,16", 40)])
def test_standard_shapes_have_their_mines(told, shape):
    (board,) = told("generate", "--shape", shape[0])
    assert board["mines"] == shape[1]


@pytest.mark.parametrize("name", [form.name for form in FORMATS.values() if form.is_detected])
def test_every_text_form_says_where_the_mines_are(capsys, name):
    text = printed(capsys, *SMALL, "--format", name).out
    assert as_full_map(FORMATS[name].parse(text)).layout == MADE.layout


def test_forms_without_a_place_for_the_hint_have_it_told(capsys):
    hint = ",".join(map(str, MADE.hint))
    assert f"; begin at: {hint}\n" in printed(capsys, *SMALL).out
    assert f"begin at {hint}" in printed(capsys, *SMALL, "--format", "ps").err


def test_boards_are_those_that_simulate_plays(capsys, tmp_path):
    path = tmp_path / "boards.txt"
    printed(capsys, *SMALL, "-n", 4, "--format", "boards", "-o", path)
    deals = parse_deals(path.read_text())
    assert [deal.seed for deal in deals] == [7, 8, 9, 10]
    assert (deals[0].layout, deals[0].first_cell) == (MADE.layout, MADE.hint)
    assert main(["simulate", "--boards", str(path), "--json"]) == 0
    games = json.loads(capsys.readouterr().out)
    assert (games["won"], games["moves_by_method"]["guess"]["total"]) == (4, 0)


def test_game_id_is_a_line(capsys):
    assert printed(capsys, *SMALL, "--format", "sgt-mines").out == format_game_id(MADE.layout, MADE.hint) + "\n"


def test_board_files_are_one_a_board(capsys, tmp_path):
    printed(capsys, *SMALL, "--format", "mbf", "-o", tmp_path / "one.mbf")
    printed(capsys, *SMALL, "--format", "mbf", "-n", 2, "-o", tmp_path / "many.mbf")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many-7.mbf", "many-8.mbf", "one.mbf"]
    content = (tmp_path / "one.mbf").read_bytes()
    assert content == (tmp_path / "many-7.mbf").read_bytes()
    assert content[:4] == bytes([9, 8, 0, 11])
    has_mine = np.zeros((8, 9), dtype=bool)
    has_mine[list(content[5::2]), list(content[4::2])] = True
    assert (has_mine == MADE.layout.has_mine).all()


@pytest.mark.parametrize("level", ["basic", "subset", "bounds", "full", "hard"])
def test_level_is_the_one_ordered(told, level):
    (board,) = told("generate", "--shape", "9,9", "--mines", 16, "--level", level, "--rate")
    assert board["level"] == ("full" if level == "hard" else level)
    layout = as_full_map(parse_board("\n".join(board["rows"]))).layout
    assert level_of(layout, tuple(board["hint"])) == board["level"]


def test_boards_are_rated_when_asked(told):
    asked = ["generate", "--shape", "9,9", "--mines", 16, "-n", 12]
    assert {board["level"] for board in told(*asked)} == {None}
    rated = {board["level"] for board in told(*asked, "--rate")}
    assert "guess" in rated
    assert rated <= {*LEVELS, "guess"}


def test_3bv_hint_and_wrap_are_taken(told):
    (board,) = told("generate", "--shape", "9,9", "--guess-free", "--3bv", "20-22", "--hint", "0,8")
    assert 20 <= board["3bv"] <= 22
    assert board["hint"] == [0, 8]
    (board,) = told("generate", "--shape", "9,9", "--wrap", "--guess-free", "--format", "minebot")
    assert "; wrap\n" in board["text"]


def test_verbose_says_which_mines_are_moved(capsys):
    asked = ["generate", "--shape", "9,9", "--mines", 20, "--guess-free", "--seed", 5]
    said = printed(capsys, *asked, "-v").err
    assert said.startswith("seed 5\n  layout 1: stuck with ")
    assert printed(capsys, *asked).err == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--shape", "3,3", "--mines", "9", "--guess-free"], "0 to 8 mines"),
        (["--shape", "3,4"], "expected --mines"),
        (["--shape", "3:4"], "expected a size such as 16x30, or 4x4x4x4, got '3:4'"),
        (["--shape", "0,4", "--mines", "1"], "1 to"),
        (["--hint", "0"], "cell of the"),
        (["--hint", "middle"], "--hint center or"),
        (["--3bv", "20-10"], "--3bv"),
        (["--3bv", "ten"], "--3bv"),
        (["-n", "0"], "-n: expected a whole number of 1 or more, got '0'"),
        (["--patience", "0"], "--patience"),
        (["--format", "mbf", "-n", "2"], "-o FILE"),
        (["--format", "mbf", "--json"], "-o FILE"),
        (["--shape", "4,4,4", "--mines", "4", "--format", "sgt-mines"], "holds maps of 2 dimensions, got 3"),
        (["-o", "no/such/folder/board.txt"], "cannot write"),
        (["--shape", "9,9", "--3bv", "200"], "1000 tries"),
    ],
)
def test_what_cannot_be_made_is_refused(capsys, arguments, reason):
    assert reason in refused(capsys, "generate", *arguments)
