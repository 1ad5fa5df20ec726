"""Commands take an address of JSMinesweeper in place of a file, from a file and from standard input, and give one."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from bot.cli import main

SCREENS = Path(__file__).parents[2] / "screens"
PAGE = "https://davidnhill.github.io/JSMinesweeper/index.html"
TWO_PROVEN = f"{PAGE}?analysis=aeacaaacaVltl"  # ####, 1221, two mines
MAP = f"{PAGE}?b=31&m=4"  # oox


@pytest.fixture(name="told")
def _told(capsys):
    def told(*arguments):
        assert main([*map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return told


def test_solve_and_advise_take_an_address_and_its_mine_count(told):
    assert told("solve", TWO_PROVEN)["mines"] == [[0, 1], [0, 2]]
    advised = told("advise", TWO_PROVEN)
    assert (advised["safe"], advised["move"]["p_mine"]) == ([[0, 0], [0, 3]], 0)
    one_of_two = f"{PAGE}?analysis=acabaaabaT"
    assert told("solve", one_of_two)["p_mine"] == [[0.5, 0.5]]
    assert told("solve", one_of_two, "--mines", "2")["mines"] == [[0, 0], [0, 1]]


def test_an_address_in_a_file_or_on_standard_input_is_read(told, tmp_path, monkeypatch):
    path = tmp_path / "link.txt"
    path.write_text(f"{TWO_PROVEN}\n")
    assert told("solve", path)["safe"] == [[0, 0], [0, 3]]
    assert told("advise", path)["safe"] == [[0, 0], [0, 3]]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TWO_PROVEN.encode()), encoding="ascii"))
    assert told("advise", "-")["safe"] == [[0, 0], [0, 3]]


def test_an_address_is_converted_and_written(told):
    read = told("convert", TWO_PROVEN, "--to", "minebot")
    assert (read["from"], read["text"]) == ("jsminesweeper", "; mines: 2\n####\n1221\n")
    assert told("convert", TWO_PROVEN, "--to", "jsminesweeper")["text"] == f"{TWO_PROVEN}\n"
    assert told("convert", MAP, "--to", "ps")["text"] == "oox\n"


def test_a_map_in_an_address_is_solved_and_painted(told, tmp_path):
    assert told("map", MAP, "--start", "0,0")["verdict"] == "solved"
    assert told("render", TWO_PROVEN, "--out", tmp_path / "board.png")["shape"] == [2, 4]
    told("advise", TWO_PROVEN, "--picture", tmp_path / "risks.png")
    assert {path.name for path in tmp_path.iterdir()} == {"board.png", "risks.png"}


@pytest.mark.parametrize("command", ["solve", "advise"])
def test_json_has_the_address_of_the_position(command, told, tmp_path):
    path = tmp_path / "board.txt"
    path.write_text("; mines: 2\n####\n1221\n")
    assert told(command, path)["link"] == TWO_PROVEN
    path.write_text("####\n1221\n")
    assert told(command, path)["link"] is None, "the page needs the mine count"
    assert told(command, path, "--mines", "2")["link"] == TWO_PROVEN


def test_json_has_the_address_of_a_picture_that_is_advised_on(told):
    seen = told("advise", SCREENS / "minebot-expert-mid.png")
    assert told("advise", seen["link"])["p_mine"] == seen["p_mine"]


@pytest.mark.parametrize("command", ["solve", "advise", "analyse", "map"])
@pytest.mark.parametrize(
    ("address", "said"),
    [
        (f"{PAGE}?board=9x9x10", "the address: expected an address with analysis=, or b= and m=, such as https://"),
        (f"{PAGE}?analysis=aeacaaacaVlt", "the address: expected 8 cells in analysis= of 4x2, got 7"),
        (f"HTTP://{'x' * 5000}.png", "the address: expected an address with analysis="),
    ],
)
def test_an_address_without_a_board_is_bad_input(command, address, said, capsys):
    assert main([command, address]) == 2
    assert said in capsys.readouterr().err
