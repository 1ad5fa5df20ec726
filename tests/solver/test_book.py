"""The opening book: every entry is a position that can come up, and is found in every mirror."""

import json
from importlib import resources

import numpy as np
import pytest

from solver import Board, analyse
from solver.board import CLOSED, GameState
from solver.game import Game
from solver.layout import Layout
from solver.strategy import STRONG, strong

BOOK = json.loads(resources.files("solver.strategy").joinpath("book.json").read_text(encoding="utf-8"))
ENTRIES = [(board, position) for board, moves in BOOK.items() for position in moves]


def parse(board, position):
    sizes, mines = board.split("/")
    opened = []
    for word in position.split():
        cell, number = word.split("=")
        opened.append((tuple(map(int, cell.split(","))), int(number)))
    return tuple(map(int, sizes.split("x"))), int(mines), opened


def board_of(shape, mines, opened):
    cells = np.full(shape, CLOSED, dtype=np.int16)
    for cell, number in opened:
        cells[cell] = number
    return Board(cells, mines)


@pytest.mark.parametrize(("board", "position"), ENTRIES)
def test_every_entry_is_a_guess_of_a_position_that_can_be(board, position):
    shape, mines, opened = parse(board, position)
    move = strong._find_move(shape, mines, opened)
    analysis = analyse(board_of(shape, mines, opened))
    assert not analysis.safe
    assert analysis.p_mine[move.cell] == pytest.approx(move.p_mine)
    assert 0 < move.p_win < 1 - move.p_mine
    assert len(opened) <= strong._MOST_OPEN


@pytest.mark.parametrize(("board", "position"), ENTRIES)
def test_every_entry_is_found_in_every_mirror(board, position):
    shape, mines, opened = parse(board, position)
    turns = strong._turns(shape)
    assert len(turns) == (8 if shape[0] == shape[1] else 4)
    for turn, back in turns:
        turned = [(turn(cell), number) for cell, number in opened]
        assert [back(cell) for cell, _ in turned] == [cell for cell, _ in opened]
        move = strong._find_move(shape, mines, turned[::-1])
        analysis = analyse(board_of(shape, mines, turned))
        assert analysis.p_mine[move.cell] == pytest.approx(move.p_mine)


def test_no_other_position_is_found():
    assert strong._find_move((16, 30), 99, [((0, 0), 8)]) is None
    assert strong._find_move((16, 30), 98, [((0, 0), 1)]) is None
    assert strong._find_move((4, 4, 4, 4), 20, [((0, 0, 0, 0), 1)]) is None


def test_strong_follows_the_book_and_says_so():
    shape, mines, opened = parse("16x30/99", "0,0=1")
    move = STRONG.choose(analyse(board_of(shape, mines, opened)))
    assert move.cell == strong._find_move(shape, mines, opened).cell
    assert "opening book" in move.why
    wrapped = Board(board_of(shape, mines, opened).cells, mines, wrap=True)
    assert "opening book" not in STRONG.choose(analyse(wrapped)).why


def test_strong_asks_the_book_only_when_nothing_else_is_known():
    board = board_of((16, 30), 99, [((0, 0), 1)])
    cells = board.cells.copy()
    cells[5, 5] = -3  # open, its number not known
    assert "opening book" not in STRONG.choose(analyse(Board(cells, 99))).why


def test_compiled_games_begin_by_the_book_too():
    found = 0
    for seed in range(60):
        has_mine = np.zeros(480, dtype=bool)
        has_mine[np.random.default_rng(seed).choice(np.arange(1, 480), 99, replace=False)] = True
        layout = Layout(has_mine.reshape(16, 30))
        game = Game.on(layout)
        game.open((0, 0))
        risks = []
        while not game.is_over and len(risks) < 3:
            analysis = analyse(game.board)
            for cell in analysis.safe:
                game.open(cell)
            if not analysis.safe:
                move = STRONG.choose(analysis)
                risks.append(move.p_mine)
                found += "opening book" in move.why
                game.open(move.cell)
        truth = np.where(layout.has_mine, -1, layout.numbers).astype(np.int16).ravel()
        played = STRONG.play(truth, layout.topology, 99, 0)
        assert played.risks[:3].tolist() == pytest.approx(risks)
        if game.state is GameState.LOST:
            assert played.is_won is False
    assert found > 20
