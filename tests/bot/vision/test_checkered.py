"""Boards without a line anywhere: bare fields of two colours in turn, as web games have them."""

import random
from dataclasses import replace

import numpy as np
import pytest
from calibration_runs import shown
from made_looks import paint_made
from rendered import not_a_board, position

from bot.models import Frame, Pixel
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from calibration.learning import learn
from skins import Sprite, load_shipped_skin
from solver.board import UNREADABLE

PX = 24
CLASSIC = load_shipped_skin("classic")


@pytest.fixture(scope="module")
def skin():
    rng = random.Random(5)
    frames = [shown("checkered", state, rng)[0] for state in ("fresh", "mid", "mid")]
    return learn("made", frames, ["fresh", "mid", "mid"]).skin


def painted(state, seed=0, level="beginner"):
    return paint_made("checkered", position(random.Random(seed), level, state, CLASSIC))


def placed(ground, *boards):
    """A picture of one colour with boards at places."""
    pixels = np.full((420, 640, 3), ground, dtype=np.uint8)
    for board, x, y in boards:
        pixels[y : y + board.shape[0], x : x + board.shape[1]] = board
    return Frame(pixels)


@pytest.mark.parametrize("state", ["fresh", "mid", "won"])
@pytest.mark.parametrize("ground", [(200, 200, 200), (81, 215, 170), (73, 209, 162), (159, 194, 229)])
def test_board_ends_where_fields_are_no_longer_in_turn(skin, ground, state):
    """Whatever of its own colours lies around it."""
    (board,) = find_boards(placed(ground, (painted(state), 61, 77)), [skin])
    assert (tuple(board.grid.origin), board.grid.rows, board.grid.cols) == ((61, 77), 9, 9)


def test_two_boards_that_begin_with_different_colours_are_found(skin):
    other = paint_made("checkered", [[""] + ["closed"] * 9] * 9)[:, PX:]  # the other colour first
    frame = placed((90, 90, 90), (painted("mid"), 61, 77), (other, 61 + 12 * PX, 77))
    assert [tuple(board.grid.origin) for board in find_boards(frame, [skin])] == [(61, 77), (61 + 12 * PX, 77)]


def test_digit_that_was_never_seen_is_unreadable_and_its_cell_is_of_the_board(skin):
    words = [["closed"] * 9 for _ in range(9)]
    words[0][4] = words[8][8] = "8"
    frame = placed((90, 90, 90), (paint_made("checkered", words), 61, 77))
    (board,) = find_boards(frame, [skin])
    cells = read_board(frame, board.grid, skin).board.cells
    assert np.argwhere(cells == UNREADABLE).tolist() == [[0, 4], [8, 8]]


def test_board_is_found_whose_closed_cells_have_another_sprite_under_the_pointer(skin):
    shaded = skin.sprites_of("closed")[0].pixels_bgr.copy()
    shaded[:, 0] = shaded[:, -1] = 60
    under_pointer = replace(skin, sprites=(*skin.sprites, Sprite("closed", shaded)))
    words = [[""] * 9 for _ in range(9)]
    words[0][:4] = words[8][5:] = ["closed"] * 4
    frame = placed((90, 90, 90), (paint_made("checkered", words), 61, 77))
    (board,) = find_boards(frame, [under_pointer])
    assert (tuple(board.grid.origin), board.grid.shape) == ((61, 77), (9, 9))


def test_places_are_told_as_the_screen_counts_them(skin):
    frame = placed((90, 90, 90), (painted("mid"), 61, 77))
    moved = Frame(frame.pixels_bgr, left=-100, top=50)
    (board,) = find_boards(moved, [skin])
    assert board.grid.origin == Pixel(-39, 127)


@pytest.mark.parametrize("seed", range(12))
def test_pictures_without_a_board_have_none(skin, seed):
    assert find_boards(Frame(not_a_board(seed)), [skin]) == []
