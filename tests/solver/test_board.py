import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import Board, BoardTextError, BoardValueError, format_board, parse_board
from solver.board import CLOSED, FLAG, SYMBOLS, say_no_board

EVERY_SYMBOL = """
#F?*X
x+!08
"""


def test_parse_board_reads_every_symbol():
    board = parse_board(EVERY_SYMBOL)
    assert board.cells.tolist() == [[-1, -2, -3, -4, -5], [-6, -7, -8, 0, 8]]
    assert (board.mines, board.wrap, board.shape) == (None, False, (2, 5))


def test_parse_board_reads_the_header_and_skips_remarks():
    board = parse_board("; a remark\n; mines: 3\n\n; wrap\n##\n1#\n")
    assert (board.mines, board.wrap, board.shape) == (3, True, (2, 2))


def test_parse_board_reads_more_dimensions_and_large_numbers():
    board = parse_board("; shape: 2x2x3\n# 1 26\n# # 0\n# # #\n# # 10\n")
    assert board.shape == (2, 2, 3)
    assert board[0, 0, 2] == 26
    assert board[1, 1, 2] == 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "at least one row"),
        ("###\n##\n", "row 1, column 2"),
        ("##\n#@\n", "row 1, column 1"),
        ("#9\n##\n", r"got 9 at \(0,1\)"),
        ("; mines: many\n##\n", "'many'"),
        ("; mines: 5\n##\n##\n", "0 to 4 mines"),
        ("; shape: 2x0\n##\n", "'2x0'"),
        ("; shape: 2x2x2\n##\n##\n##\n", "expected 4 rows"),
    ],
)
def test_parse_board_names_what_is_wrong_and_where(text, message):
    with pytest.raises(BoardTextError, match=message):
        parse_board(text)


@st.composite
def boards(draw):
    shape = draw(st.sampled_from([(1, 1), (3, 5), (4, 2), (2, 3, 2), (2, 2, 2, 2), (7,)]))
    codes = st.sampled_from([*SYMBOLS, *range(min(3 ** len(shape), 15))])
    size = int(np.prod(shape))
    cells = np.array(draw(st.lists(codes, min_size=size, max_size=size))).reshape(shape)
    return Board(cells, draw(st.none() | st.integers(0, size)), draw(st.booleans()))


@given(boards())
def test_format_board_is_undone_by_parse_board(board):
    assert parse_board(format_board(board)) == board


@pytest.mark.parametrize("cells", [np.zeros((2, 2)), np.zeros((0, 3), dtype=int), np.array([[-9]]), np.array([[9]])])
def test_board_refuses_what_no_board_has(cells):
    with pytest.raises(BoardValueError):
        Board(cells)


def test_board_copies_and_locks_its_cells():
    cells = np.full((2, 2), -1)
    board = Board(cells)
    cells[0, 0] = 1
    assert board[0, 0] == -1
    with pytest.raises(ValueError, match="read-only"):
        board.cells[0, 0] = 1


def test_board_with_other_cells_keeps_all_else():
    board = Board(parse_board("1#\n##\n").cells, cut={"right"})
    assert str(board.with_cells((1, 0), 3)) == "; cut: right\n1#\n3#\n"
    assert str(board.with_cells(board.cells == CLOSED, FLAG)) == "; cut: right\n1F\nFF\n"
    assert str(board) == "; cut: right\n1#\n##\n"


def test_impossible_numbers_have_too_few_places_or_too_many_mines_around():
    few, many = parse_board("5##\n###"), parse_board("0*1\n111")
    assert few.impossible == ((0, 0),)
    assert many.impossible == ((0, 0),)
    assert parse_board("3##\n###\n###").impossible == ()


def test_a_cell_that_is_open_or_wrongly_flagged_is_no_place_for_a_mine():
    assert parse_board("1?\n0?").impossible == ((0, 0),)
    assert parse_board("1#\n0?").impossible == ()


def test_past_a_cut_side_there_may_be_mines():
    board = parse_board("5##\n###")
    assert Board(board.cells, cut=frozenset({"left"})).impossible == ()


def test_say_no_board_speaks_from_three_such_numbers_on():
    assert say_no_board(parse_board("5#5\n###\n###")) is None
    said = say_no_board(parse_board("5#5\n###\n5#8"))
    assert said.startswith("4 numbers cannot be true; the first is the 5 at (0,0).")
