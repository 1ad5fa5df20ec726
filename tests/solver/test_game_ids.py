"""Game ids of sgt-mines are read, masked too; those without mines in them are refused by name."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from bot.cli import main
from solver.board import CLOSED
from solver.errors import BoardTextError, UnreadableFormError
from solver.formats import FORMATS, FullMap, InexpressibleError, parse_as, parse_detected, view_of
from solver.fullmap import Verdict, solve_map
from solver.layout import Layout

GOLDEN = [line.split() for line in (Path(__file__).parents[1] / "golden/sgt-mines-ids.txt").read_text().splitlines()]
POSTED = GOLDEN[0][1]
PLAIN = "9x9:4,4,u010001041008008081030"
PARSE = FORMATS["sgt-mines"].parse


@pytest.mark.parametrize(("parameters", "text"), GOLDEN)
def test_ids_of_the_program_hold_boards_without_a_guess(parameters, text):
    """No other bits would give this many mines, none around the start, and a board that proofs alone can solve."""
    size, mines = parameters.split("n")
    name, full_map = parse_detected(text + "\n")
    layout = full_map.layout
    assert name == "sgt-mines"
    assert (f"{layout.shape[1]}x{layout.shape[0]}", layout.n_mines) == (size, int(mines))
    assert layout.numbers[full_map.start] == 0
    assert solve_map(layout, full_map.start, mines=layout.n_mines).verdict is Verdict.SOLVED


def test_start_is_column_and_row():
    full_map = PARSE("5x3:3,0,mfbae")
    assert (full_map.layout.shape, full_map.start) == ((3, 5), (0, 3))


def test_what_a_player_sees_of_an_id_begins_at_its_start():
    full_map = PARSE(POSTED)
    board = view_of(full_map)
    assert board.mines == 10
    assert board[4, 4] == 0
    is_open = board.cells != CLOSED
    assert (board.cells[is_open] == full_map.layout.numbers[is_open]).all()
    assert 9 < is_open.sum() < 71


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.upper().replace("X", "x").replace("U", "u"),
        PLAIN.replace("9x9", "9"),
        PLAIN.replace("9x9", "9x9n10"),
        PLAIN.replace("9x9", "9x9n10a"),
        PLAIN.replace("u", ""),
        f"\n  {POSTED}\r\n\r\n",
        f"\t{POSTED}",
    ],
)
def test_ids_are_read_as_people_post_them(text):
    assert PARSE(text) == PARSE(POSTED)


def test_id_without_a_start_is_read():
    assert PARSE(PLAIN.replace("4,4,", "")) == FullMap.seen(PARSE(POSTED).layout)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("16x16n40#12345", "of a seed does not say where the mines are: expected one such as 9x9:4,4,m"),
        ("16x16n40a", "without a game does not say"),
        ("9x9n10:r10,u,7d3f", "of a game that nobody has begun does not say"),
        ("9x9:4,4,m659a50c9a8f25708338c", "expected 21 hexadecimal digits in the game id of 9x9 cells, got 20"),
        ("9x9:4,4,mxyz", "expected column, row and mines of a game id"),
        ("9x9:", "expected column, row and mines of a game id"),
        ("9x9n11:4,4,m659a50c9a8f25708338c8", "expected 11 mines in the game id, got 10"),
        (
            "9x9:7,0,m659a50c9a8f25708338c8",
            "expected a start on the board and without a mine, got (0,7) in the game id",
        ),
        (
            "9x9:9,0,m659a50c9a8f25708338c8",
            "expected a start on the board and without a mine, got (0,9) in the game id",
        ),
        ("0x9:0,0,u0", "expected a game id of 1 cell or more and at most 1048576 cells, got 0x9"),
        ("9999999x9999999:0,0,u0", "expected a game id of 1 cell or more and at most 1048576 cells"),
        (f"{POSTED} {POSTED}", "expected one game id of sgt-mines, got 2 words"),
    ],
)
def test_ids_that_hold_no_map_are_refused_by_name(text, told, tmp_path, capsys):
    with pytest.raises(UnreadableFormError) as caught:
        parse_detected(text)
    assert told in str(caught.value)
    path = tmp_path / "id.txt"
    path.write_text(text)
    for command in ("map", "solve", "advise"):
        assert main([command, str(path)]) == 2
        said = capsys.readouterr().err
        assert told in said
        assert "minebot, md" not in said, "it is no list of all forms"


@pytest.mark.parametrize(
    "text", ["", "9x9", "hello", "4,4,m659a", "::", "#12", "12#", "1x1#5", "9x9x9:1,1,u0", "1-1", "((A1 0))"]
)
def test_other_texts_are_no_ids(text):
    with pytest.raises(BoardTextError) as caught:
        PARSE(text)
    assert not isinstance(caught.value, UnreadableFormError)


@pytest.mark.parametrize("shape", [(9, 9), (5, 3), (1, 1), (2, 2), (1, 9), (16, 30)])
def test_ids_that_are_written_are_read(shape):
    rng = random.Random(repr(shape))
    layout = Layout.random(shape, shape[0] * shape[1] // 5, rng, first_cell=(0, 0))
    full_map = FullMap.seen(layout, start=(0, 0))
    assert PARSE(FORMATS["sgt-mines"].format(full_map)) == full_map


def test_ids_need_a_start_or_choose_one_when_asked():
    form = FORMATS["sgt-mines"]
    full_map = parse_as("ox\noo\noo\n", "ps")
    with pytest.raises(InexpressibleError, match="begins with a cell open, and none is named"):
        form.format(full_map)
    weaker, losses = form.weaken(full_map)
    assert form.format(weaker) == "2x3:0,2,u40\n"
    assert losses == ["no cell to begin at is named: it begins at (2,0)"]
    with pytest.raises(InexpressibleError, match="there is none"):
        form.weaken(FullMap.seen(Layout(np.ones((1, 2), dtype=bool))))
    with pytest.raises(InexpressibleError, match="no sign for an open cell at row 0, column 0"):
        form.format(FullMap.seen(full_map.layout, np.array([[True, False], [False, False], [False, False]])))


def test_commands_take_ids(tmp_path, capsys):
    path = tmp_path / "id.txt"
    path.write_bytes(b"\xef\xbb\xbf" + POSTED.encode() + b"\r\n")

    def answered(*arguments):
        assert main([*map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    assert answered("map", path)["start"] == [4, 4]
    assert answered("map", path, "--start", "0,0")["start"] == [0, 0]
    solved = answered("solve", path)
    assert solved["safe"]
    assert solved["consistent"]
    assert answered("advise", path)["move"]["p_mine"] == 0
    unmasked = answered("convert", path, "--to", "sgt-mines")
    assert (unmasked["from"], unmasked["text"]) == ("sgt-mines", PLAIN + "\n")
    text = answered("convert", path, "--to", "minebot")["text"]
    assert text.startswith("; begin at: 4,4\n; mines: 10\n0000001*1\n")


def test_start_that_a_form_has_no_place_for_is_told(tmp_path, capsys):
    path = tmp_path / "id.txt"
    path.write_text(POSTED)
    assert main(["convert", str(path), "--to", "ps"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("oooooooxo\n")
    assert "begin at 4,4" in said.err
