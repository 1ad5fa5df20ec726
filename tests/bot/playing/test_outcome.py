"""The truth table of `bot.playing.outcome`: what was clicked, what is seen of that, and whether it stays."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from player_table import CLASSIC
from text_readings import reading_of

from bot.blocks import Blocks
from bot.models import Frame, Grid
from bot.playing.outcome import STAYS_S, Clicked, Look, outcome
from solver import board as codes
from solver.board import Action, GameState, Move
from solver.layout import Layout


def opening(*cells, p_mine=0.0):
    return [Move(Action.OPEN, cell, p_mine) for cell in cells]


NOTHING = Frame(np.zeros((1, 1, 3), np.uint8))
"""A frame that is not asked for."""


def lasting_end(now, known, moves, frame):
    """The end of a game by what stays."""
    return outcome(known, Clicked(moves), Look(now, frame, STAYS_S))


# --- by what was opened

KNOWN = "1#2#\n11##\n"


@pytest.mark.parametrize(
    ("now", "known", "moves", "state"),
    [
        ("1!2!\n1121\n", KNOWN, opening((1, 2), (1, 3)), GameState.WON),
        ("1!2#\n1121\n", KNOWN, opening((1, 2), (1, 3)), GameState.WON),
        ("1!2F\n1121\n", KNOWN, opening((1, 2), (1, 3)), GameState.WON),
        ("1!2*\n1121\n", KNOWN, opening((1, 2), (1, 3)), GameState.WON),
        ("1X2X\n1121\n", KNOWN, opening((1, 2), (1, 3)), GameState.WON),
        ("1X2X\n1121\n", KNOWN, opening((1, 3), p_mine=0.5), GameState.WON),
        ("1X2*\n1121\n", KNOWN, opening((0, 1), p_mine=0.5), GameState.LOST),  # all numbers come up too
        ("1!2!\n1121\n", None, [], GameState.WON),
        ("1!2!\n112!\n", KNOWN, opening((1, 2), (1, 3)), None),  # the last one may not be open yet
        ("1!2!\n112#\n", KNOWN, opening((1, 2), (1, 3)), None),
        (
            "!!2!\n1121\n",
            KNOWN,
            opening((1, 2), (1, 3)),
            GameState.WON,
        ),  # something lies over what was open, and a mine
        ("!!2!\n!!21\n", KNOWN, opening((1, 2), (1, 3)), GameState.WON),
        ("!!2!\n!!2!\n", KNOWN, opening((1, 2), (1, 3)), None),  # and over the last one
        ("!!2#\n!!#1\n", KNOWN, opening((1, 2), (1, 3)), None),
        ("!!2!\n11##\n", KNOWN, opening((0, 1), p_mine=0.5), None),  # it may lie over the guess, too
        ("2!2!\n1121\n", KNOWN, opening((1, 2), (1, 3)), None),  # another game
        ("1!2!\n11!!\n", KNOWN, opening((1, 2), (1, 3)), None),
        ("1!2!\n1121\n", KNOWN, opening((1, 3), p_mine=0.5), GameState.WON),
        ("1!2!\n11##\n", KNOWN, opening((0, 1), p_mine=0.5), GameState.LOST),
        ("1!2*\n11##\n", KNOWN, opening((0, 1), p_mine=0.5), GameState.LOST),
        ("1X2!\n11##\n", KNOWN, opening((0, 1), p_mine=0.5), GameState.LOST),
        ("1*2!\n11##\n", KNOWN, opening((0, 1), p_mine=0.5), GameState.LOST),
        ("1!2!\n1121\n", KNOWN, opening((0, 1), p_mine=0.5), GameState.LOST),  # all numbers come up too
        ("1!2#\n11##\n", KNOWN, opening((0, 1), p_mine=0.5), None),  # a number that the skin lacks, perhaps
        ("1!2F\n11##\n", KNOWN.replace("1#\n", "1F\n", 1), opening((0, 1), p_mine=0.5), None),
        ("1!2#\n11!#\n", KNOWN, opening((0, 1), p_mine=0.5), None),  # no layout
        ("1!2!\n11!!\n", KNOWN, opening((0, 1), p_mine=0.5), None),
        ("1!2!\n11##\n", KNOWN, opening((1, 2)), None),  # nothing can have exploded
        ("!!!!\n!!!!\n", KNOWN, opening((0, 1), p_mine=0.5), None),
    ],
)
def test_end_of_a_board_that_cannot_all_be_read(now, known, moves, state):
    end = outcome(None if known is None else reading_of(known, 2), Clicked(moves), Look(reading_of(now, 2), NOTHING))
    assert (None if end is None else end.state) is state
    if end is not None:
        assert end.unknown == ()
        assert not (end.board.cells == codes.UNREADABLE).any()
        assert [tuple(c) for c in np.argwhere(end.board.cells == codes.EXPLODED).tolist()] == (
            [moves[0].cell] if state is GameState.LOST else []
        )


FIRST = "####\n####\n####\n"
PART = "1###\n1###\n0###\n"
"""Mines at (0, 1) and (0, 3): the numbers are 1*2*, 112 1, 0000."""


@pytest.mark.parametrize(
    ("known", "moves", "shown", "state"),
    [
        (FIRST, opening((2, 0), p_mine=0.2), ["bmcm", "bbcb", "aaaa"], GameState.WON),
        (PART, opening((2, 1)), ["bmcm", "bbcb", "aaaa"], GameState.WON),
        (PART, opening((2, 1)), ["bmcn", "bbcb", "aaaa"], GameState.WON),  # flagged, or not
        (PART, opening((2, 1)), ["bxxx", "bbxx", "aaxx"], None),  # cells are closed yet
        (PART, opening((2, 1)), ["bmcm", "bbcb", "aadd"], None),  # two appearances of a 0
        (PART, opening((2, 1)), ["bmcm", "bbmb", "aaaa"], None),  # three mines
        (PART, opening((2, 1)), ["bcmm", "bbcb", "aaaa"], None),  # not what the numbers say
        (PART, opening((0, 1), p_mine=0.5), ["bxcm", "bbcb", "aaaa"], GameState.LOST),
        (PART, opening((0, 1), p_mine=0.5), ["bmcm", "bbcb", "aaaa"], GameState.LOST),
        (FIRST, opening((0, 1), p_mine=0.2), ["yxyn", "yyyy", "yyyy"], GameState.LOST),
        (PART, opening((1, 1), p_mine=0.5), ["bmcm", "bbcb", "aaaa"], GameState.WON),
    ],
)
def test_end_of_a_board_that_is_painted_anew_after_a_flood(known, moves, shown, state):
    now = "!!!!\n!!!!\n!!!!\n"
    end = lasting_end(reading_of(now, 2), reading_of(known, 2), moves, painted(shown))
    assert (None if end is None else end.state) is state
    if state is GameState.WON:
        assert sorted(map(tuple, np.argwhere(end.board.cells == codes.MINE).tolist())) == [(0, 1), (0, 3)]
        assert not np.isin(end.board.cells, (codes.CLOSED, codes.UNREADABLE)).any()


@pytest.mark.parametrize(
    ("now", "state"),
    [
        ("!!2!\n!121\n!000\n", GameState.LOST),
        ("!!2#\n!121\n!000\n", None),  # a cell is closed yet
        ("!!2!\n1121\n!000\n", None),  # something may lie over the others
    ],
)
def test_end_that_paints_what_was_open_anew_and_opens_the_rest(now, state):
    shown = painted(["bxcm", "bbcb", "aaaa"])
    end = lasting_end(reading_of(now, 2), reading_of(PART, 2), opening((0, 1), p_mine=0.5), shown)
    assert (None if end is None else end.state) is state


@pytest.mark.parametrize(
    ("moves", "are_all_clicked", "state"),
    [
        (opening((1, 2), (1, 3)), True, GameState.WON),
        (opening((1, 2), (1, 3)), False, None),
        (opening((1, 2)), True, None),  # not the last one
        (opening((0, 1), p_mine=0.5), True, GameState.LOST),
        (opening((0, 1), p_mine=0.5), False, None),
        ([*opening((1, 2)), *opening((1, 3), p_mine=0.5)], True, GameState.UNKNOWN),  # it may have won
    ],
)
def test_end_of_which_nothing_is_seen(moves, are_all_clicked, state):
    end = outcome(reading_of(KNOWN, 2), Clicked(moves, are_all=are_all_clicked), None)
    assert (None if end is None else end.state) is state
    if state is GameState.LOST:
        assert [tuple(cell) for cell in np.argwhere(end.board.cells == codes.EXPLODED).tolist()] == [(0, 1)]
    if state is GameState.WON:
        assert int((end.board.cells == codes.MINE).sum()) == 2


@pytest.mark.parametrize(
    ("now", "moves", "numbers", "state"),
    [
        ("1!##\n1###\n0###\n", opening((0, 1), p_mine=0.5), range(9), GameState.LOST),
        ("1!##\n1###\n0###\n", opening((0, 1), p_mine=0.5), range(5), GameState.LOST),
        ("1!##\n1###\n0###\n", opening((0, 1), p_mine=0.5), (0, 1, 2, 4), None),  # it may be the 3
        ("1!##\n1###\n0###\n", opening((0, 1)), range(9), None),
        ("1!##\n1###\n0!##\n", opening((0, 1), p_mine=0.5), range(9), None),
        ("1#!#\n1###\n0###\n", opening((0, 1), p_mine=0.5), range(9), None),
        ("1!2#\n1###\n0###\n", opening((0, 1), p_mine=0.5), range(9), None),
    ],
)
def test_end_that_shows_only_the_mine_that_was_hit(now, moves, numbers, state):
    end = outcome(reading_of(PART, 2), Clicked(moves), Look(reading_of(now, 2), NOTHING, STAYS_S, frozenset(numbers)))
    assert (None if end is None else end.state) is state
    if end is not None:
        assert end.board[0, 1] == codes.EXPLODED
        assert not end.unknown


SPREAD = "1#####\n1#####\n1#####\n######\n"


@pytest.mark.parametrize(
    ("now", "moves", "is_lost"),
    [
        ("1!###!\n1##!##\n1#####\n!#####\n", opening((0, 1), p_mine=0.5), True),
        ("!!!##!\n!!!###\n1###!#\n!#####\n", opening((0, 1), p_mine=0.5), True),  # a message lies over a corner
        ("1!###!\n1##!##\n1#####\n!#####\n", opening((0, 1)), False),
        ("1!###!\n1#####\n1#####\n!#####\n", opening((0, 1), p_mine=0.5), False),  # hints may lie over two places
        ("1!!!!!\n1#!!!!\n1#####\n######\n", opening((0, 1), p_mine=0.5), False),  # a flood
        ("1!###!\n2##!##\n1#####\n!#####\n", opening((0, 1), p_mine=0.5), False),  # another game
    ],
)
def test_end_that_shows_mines_of_an_unknown_appearance_all_over_the_board(now, moves, is_lost):
    end = lasting_end(reading_of(now, 6), reading_of(SPREAD, 6), moves, NOTHING)
    assert (end is not None) is is_lost
    if end is not None:
        assert end.state is GameState.LOST
        assert end.board[0, 1] == codes.EXPLODED
        assert not end.unknown


def test_end_that_shows_mines_all_over_a_board_of_three_dimensions():
    cells = np.full((5, 5, 5), codes.CLOSED, dtype=np.int16)
    cells[0, 0, 0] = 1
    known = replace(reading_of("1#\n##\n"), board=codes.Board(cells, 6))
    unknown = ((0, 0, 1), (0, 4, 4), (2, 2, 4), (4, 0, 0))
    for cell in unknown:
        cells[cell] = codes.UNREADABLE
    now = replace(known, board=codes.Board(cells, 6), unknown=unknown)
    end = lasting_end(now, known, opening((0, 0, 1), p_mine=0.5), NOTHING)
    assert (end.state, end.board[0, 0, 1]) == (GameState.LOST, codes.EXPLODED)


@pytest.mark.parametrize(("guess", "state"), [("1", GameState.WON), ("m", GameState.LOST)])
def test_guess_for_the_last_cell_is_told_by_its_paint_where_marks_come_up_on_all_mines(guess, state):
    """Cells in several places changed, as after a guess that was lost."""
    known, now = "#11#10\n1#1110\n111011\n1#101#\n", "!11!10\n1!1110\n111011\n1!101!\n"
    shown = painted(["m11m10", f"1{guess}1110", "111011", "1m101m"])
    end = lasting_end(reading_of(now, 4), reading_of(known, 4), opening((1, 1), p_mine=0.5), shown)
    assert (None if end is None else end.state) is state


def test_end_of_a_board_without_a_mine_count_is_not_known():
    look = Look(reading_of("1!2!\n1121\n"), NOTHING)
    assert outcome(reading_of(KNOWN), Clicked(opening((1, 2), (1, 3))), look) is None


def painted(rows, apart=9):
    """A frame of cells, each in the colour of its letter; those of neighbours in the alphabet are so far apart."""
    cells = np.array([[apart * (ord(char) - ord("0")) % 256 for char in row] for row in rows], dtype=np.uint8)
    return Frame(np.repeat(np.repeat(np.repeat(cells[..., None], 3, axis=2), 16, axis=0), 16, axis=1))


ALL = "!!!!\n!!!!\n"


@pytest.mark.parametrize(("last", "state"), [("a", GameState.WON), ("m", GameState.LOST), ("f", GameState.UNKNOWN)])
def test_guess_for_the_last_cell_is_told_where_a_picture_shows_through(last, state):
    frame = painted(["acbc", f"aab{last}"], apart=1)
    frame.pixels_bgr[:] += np.linspace(0, 6, frame.pixels_bgr.shape[1]).astype(np.uint8)[None, :, None]
    end = lasting_end(reading_of(ALL, 2), reading_of("1#2#\n112#\n", 2), opening((1, 3), p_mine=0.5), frame)
    assert (None if end is None else end.state) is state


@pytest.mark.parametrize(
    ("left", "state"), [("mmc", GameState.LOST), ("mmm", GameState.UNKNOWN), ("mcz", GameState.UNKNOWN)]
)
def test_guess_for_the_last_cell_was_lost_where_one_of_the_cells_left_is_no_mine(left, state):
    """No open cell shows the 3 that the guess would be."""
    frame = painted([f"{left[0]}{left[1]}aa", f"{left[2]}xaa"])
    end = lasting_end(reading_of(ALL, 3), reading_of("##11\n##11\n", 3), opening((1, 1), p_mine=0.5), frame)
    assert (None if end is None else end.state) is state


def test_guess_for_the_last_cell_of_a_board_in_blocks_is_told_by_its_paint():
    def in_blocks(text):
        flat, shape = reading_of(text, 2), (1, 1, 2, 4)
        board = codes.Board(flat.board.cells.reshape(shape), 2)
        unknown = tuple((0, 0, *cell) for cell in flat.unknown)
        return replace(flat, board=board, unknown=unknown, grid=replace(flat.grid, blocks=Blocks(shape)))

    shown = painted(["acbc", "aaba"])
    end = lasting_end(in_blocks(ALL), in_blocks("1#2#\n112#\n"), opening((0, 0, 1, 3), p_mine=0.5), shown)
    assert end.state is GameState.WON


MINES = [(1, 1), (1, 6), (3, 3), (3, 4), (6, 1), (6, 6)]


def paled_end(is_mine_elsewhere, scale):
    """A board won by a flood, drawn so much larger and paler: the frame, and its grid."""
    layout = Layout.of_cells((8, 8), MINES)
    shown = np.where(layout.has_mine, "flag", layout.numbers.astype(str))
    if is_mine_elsewhere:
        shown[1, 1], shown[1, 2] = shown[1, 2], shown[1, 1]
    sprites = [[CLASSIC.sprites_of(word)[0].pixels_bgr for word in row] for row in shown.tolist()]
    board = np.vstack([np.hstack(row) for row in sprites])
    side_px = round(scale * board.shape[0])
    pale = 128 + cv2.resize(board, (side_px, side_px), interpolation=cv2.INTER_LINEAR) // 2
    return Frame(pale), Grid.at((0.0, 0.0), (side_px / 8, side_px / 8), 8, 8)


def end_after_a_flood(frame, grid):
    known = reading_of("#######1\n" + "########\n" * 7, len(MINES))
    now = reading_of("!!!!!!!!\n" * 8, len(MINES))
    return lasting_end(replace(now, grid=grid), replace(known, grid=grid), opening((0, 3)), frame)


ALIKE = [(False, GameState.WON), (True, None)]


@pytest.mark.parametrize(("is_mine_elsewhere", "state"), ALIKE)
def test_end_of_a_board_whose_cells_lie_between_pixels_is_told_by_cells_that_are_alike(is_mine_elsewhere, state):
    """A page at a zoom of 110 %, say: a flood has won, and the page makes the board paler."""
    end = end_after_a_flood(*paled_end(is_mine_elsewhere, 2.21875))
    assert (None if end is None else end.state) is state


@pytest.mark.parametrize(("is_mine_elsewhere", "state"), ALIKE)
def test_end_of_a_chequered_board_with_grain_is_told_though_words_lie_over_it(is_mine_elsewhere, state):
    frame, grid = paled_end(is_mine_elsewhere, 2)
    side = int(grid.pitch_px[0])
    for row, col in np.ndindex(grid.shape):
        if (row + col) % 2:
            frame.pixels_bgr[side * row :, side * col :][:side, :side] -= 9
    frame.pixels_bgr[::2, ::3] -= 1
    frame.pixels_bgr[4 * side + 8 : 5 * side - 8, 3 * side : 5 * side - 12] = 40
    end = end_after_a_flood(frame, grid)
    assert (None if end is None else end.state) is state
    if state is GameState.WON:
        assert sorted(map(tuple, np.argwhere(end.board.cells == codes.MINE).tolist())) == MINES


@pytest.mark.parametrize(
    ("now", "known", "moves", "shown", "state"),
    [
        (ALL, KNOWN, opening((0, 1), p_mine=0.5), ["acbc", "aacc"], GameState.LOST),
        (ALL, KNOWN, opening((1, 2), (1, 3)), ["acbc", "aaba"], GameState.WON),
        (ALL, KNOWN, opening((1, 2)), ["acbc", "aabc"], None),  # not the last one
        (ALL, "1#2#\n112#\n", opening((1, 3), p_mine=0.5), ["acbc", "aaba"], GameState.WON),
        (ALL, "1#2#\n112#\n", opening((1, 3), p_mine=0.5), ["acbc", "aabm"], GameState.LOST),
        (ALL, "1#2#\n112#\n", opening((1, 3), p_mine=0.5), ["acbc", "axba"], GameState.WON),  # under words
        (ALL, "##22\n#212\n", opening((0, 1), p_mine=0.5), ["mbbb", "mbax"], GameState.WON),
        (ALL, "##22\n#212\n", opening((0, 1), p_mine=0.5), ["mmbb", "mbax"], GameState.LOST),
        # Words lie beside the guess.
        (ALL, "##22\n#212\n", opening((0, 1), p_mine=0.5), ["mmbb", "mxab"], GameState.UNKNOWN),
        (ALL, "1#2#\n112#\n", opening((1, 3), p_mine=0.5), ["aaaa", "aaaa"], GameState.UNKNOWN),  # one colour
        ("!!2!\n!!!!\n", KNOWN, opening((0, 1), p_mine=0.5), ["acbc", "aacc"], None),
        ("!!!#\n!!##\n", KNOWN, opening((0, 1), p_mine=0.5), ["acbc", "aacc"], GameState.LOST),
        ("!!!#\n!###\n", "1#2#\n####\n", opening((0, 1), p_mine=0.5), ["acbc", "aacc"], None),
        ("!!!#\n!###\n", KNOWN, opening((0, 1), p_mine=0.5), ["acbc", "aacc"], None),
    ],
)
def test_end_of_a_board_that_is_painted_anew(now, known, moves, shown, state):
    end = lasting_end(reading_of(now, 2), reading_of(known, 2), moves, painted(shown))
    assert (None if end is None else end.state) is state
    if state is GameState.WON:
        assert int(np.isin(end.board.cells, (codes.MINE,)).sum()) == 2
        assert int((end.board.cells != codes.MINE).sum()) == 6
