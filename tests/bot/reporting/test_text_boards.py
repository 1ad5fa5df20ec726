"""Boards in letters with rulers, against golden files that were looked at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli import main
from bot.reporting.text_boards import _Line, colour_line, iter_ruled, rule_board, sign_cells, sign_proven
from solver import analyse, format_board, parse_board
from solver.board import KNOWN_MINE, OPEN_UNKNOWN, UNREADABLE, Board
from solver.game import Game

GOLDEN = Path(__file__).parents[2] / "golden" / "text-boards"
BOARDS = {
    "1d": ((24,), 4, 0),
    "2d": ((9, 9), 10, 3),
    "2d-expert": ((16, 30), 99, 247),
    "2d-wide": ((5, 123), 90, 300),
    "3d": ((3, 4, 5), 5, 0),
    "3d-above-9": ((3, 4, 12), 62, 77),
    "4d": ((4, 4, 4, 4), 12, 0),
    "4d-above-9": ((3, 3, 3, 3), 22, 40),
    "5d": ((2, 2, 2, 2, 3), 3, 0),
}
WIDTHS = {"2d-expert": 24, "2d-wide": 80, "4d-above-9": 24}
"""Pages with less room, whose lines are in a file of their own."""
GAME_OVER = "; mines: 4\n1F1\nx*X\n2+?\n!##"


def played(shape, mines, start):
    """A game in its middle: a cell opened, and of the others so many that mines leave alone, every fifth."""
    game = Game(shape, mines, seed=1)
    game.open(game.topology.cell(start))
    has_mine = game.layout.has_mine.ravel()
    for index in range(0, game.topology.n_cells, 5):
        cell = game.topology.cell(index)
        (game.toggle_flag if has_mine[index] else game.open)(cell)
    return game.board


def pages():
    for name, given_board in BOARDS.items():
        yield name, given_board, None
        if name in WIDTHS:
            yield f"{name}-narrow", given_board, WIDTHS[name]


@pytest.mark.parametrize(("name", "given_board", "width"), list(pages()))
def test_board_with_rulers_is_as_in_its_golden_file(name, given_board, width):
    board = played(*given_board)
    lines = rule_board(board.shape, sign_cells(board), width)
    assert "\n".join(lines) + "\n" == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert width is None or max(len(line) for line in lines if not line.startswith("cell")) <= width


def test_every_sign_a_board_has_is_as_in_its_golden_file():
    board = parse_board(GAME_OVER)
    assert {KNOWN_MINE, OPEN_UNKNOWN, UNREADABLE} <= set(board.cells.ravel().tolist())
    lines = rule_board(board.shape, sign_cells(board))
    assert "\n".join(lines) + "\n" == (GOLDEN / "signs.txt").read_text(encoding="utf-8")


SHAPES = st.lists(st.integers(1, 13), min_size=1, max_size=4).filter(lambda sides: np.prod(sides) < 800).map(tuple)


@given(SHAPES, st.sampled_from(["#", "12"]), st.integers(1, 90) | st.none())
def test_every_cell_stands_once_under_its_column_and_beside_its_row(shape, first, width):
    n_cells = int(np.prod(shape))
    texts = [first, *(str(i % 10) for i in range(1, n_cells))]
    lines = list(iter_ruled(shape, texts, width))
    words = [text.strip() for line in lines for _, text in line.cells]
    assert sorted(words) == sorted(texts)
    rows = [line.ruler.strip() for line in lines if line.cells]
    labels = {",".join(map(str, cell[len(shape) % 2 :: 2])) for cell in np.ndindex(shape)}
    assert set(rows) == labels
    assert len(rows) % len(labels) == 0


def test_columns_are_cut_before_a_block_or_a_ten():
    narrow = rule_board((2, 30), ["#"] * 60, 18)
    assert [line.split()[1] for line in narrow if line.startswith("0 ")] == ["#" * 10] * 3
    narrow = rule_board((2, 4, 2, 4), ["#"] * 64, 19)
    assert [line for line in narrow if line.startswith("0,1 ")] == ["0,1 ####  ####"] * 2


def test_proven_cells_have_signs():
    board = parse_board("####\n1221")
    assert rule_board(board.shape, sign_proven(analyse(board))) == ["  0123", "0 .**.", "1 1221"]


def test_lines_are_coloured_by_cell_and_say_the_same():
    board = played(*BOARDS["4d-above-9"])
    for line in iter_ruled(board.shape, sign_cells(board)):
        assert colour_line(line).plain.rstrip() == str(line)
    hint, exploded = (colour_line(_Line("", (("", "X"),)), is_over=is_over) for is_over in (False, True))
    assert hint.spans != exploded.spans
    coloured = colour_line(list(iter_ruled((1, 2), ["F", "11"]))[1])
    assert [str(span.style) for span in coloured.spans if "red" in str(span.style)] == ["bold red"]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_read_prints_rulers_at_a_terminal_and_else_what_programs_read(is_terminal, capsys, monkeypatch, screens):
    truth = parse_board((screens / "minebot-expert-mid.txt").read_text(encoding="utf-8"))
    if is_terminal:
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["read", str(screens / "minebot-expert-mid.png")]) == 0
    out = capsys.readouterr().out
    if is_terminal:
        assert out.endswith("\n".join(rule_board(truth.shape, sign_cells(truth))) + "\n")
    else:
        assert np.array_equal(parse_board(out).cells, truth.cells)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_generate_prints_rulers_at_a_terminal_and_else_what_programs_read(is_terminal, capsys, monkeypatch):
    if is_terminal:
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    command = ["generate", "--shape", "4,5", "--mines", "4", "--seed", "1"]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert main([*command, "--format", "minebot"]) == 0
    board = parse_board(capsys.readouterr().out)
    if is_terminal:
        assert shown.splitlines()[2:] == rule_board(board.shape, sign_cells(board))
    else:
        assert parse_board(shown) == board


@pytest.mark.parametrize("command", [["solve"], ["advise"], ["map", "--format", "minebot", "--start", "0,0,0"]])
def test_commands_print_boards_with_rulers(command, tmp_path, capsys):
    game = Game((2, 3, 4), 2, seed=4)
    game.open((0, 0, 0))
    board = game.board
    if command[0] == "map":
        board = Board(np.where(game.layout.has_mine, -4, game.layout.numbers), 2)
    path = tmp_path / "board.txt"
    path.write_text(format_board(board), encoding="utf-8")
    main([command[0], str(path), *command[1:]])
    lines = capsys.readouterr().out.splitlines()
    start = lines.index("cell (x,y,z): row y, column x,z")
    assert lines[start + 1 : start + 3] == ["  0     1", "  0123  0123"]
    assert [line.split()[0] for line in lines[start + 3 : start + 6]] == ["0", "1", "2"]
