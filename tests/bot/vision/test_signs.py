"""Numbers that a font draws, read by ink, ground or shape: with the letters of OpenCV, which no shape was made of."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from bot.models import Frame, Grid
from bot.vision.matching import NOTHING, UNNUMBERED, UNSURE, SignReader, without_place
from bot.vision.reading import read_board
from skins import SkinError, load_shipped_skin
from skins.skin import ANY_SIGN, OPEN_SIGN, Ink, Signs
from solver.board import OPEN_UNKNOWN, UNREADABLE

WHITE, RED, BLACK, GREY = (255, 255, 255), (0, 0, 255), (0, 0, 0), (128, 128, 128)
PAPER = (218, 218, 218)
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_SCRIPT_SIMPLEX)
INKS = Signs((Ink("3", PAPER, RED), Ink("7", PAPER, BLACK), Ink("8", PAPER, GREY)))
SHAPES = load_shipped_skin("gnome-mines").signs.shapes
SHAPED = Signs((Ink(OPEN_SIGN, PAPER, BLACK), Ink(ANY_SIGN, WHITE, BLACK)), SHAPES)


def written(text, ink, ground=PAPER, font=cv2.FONT_HERSHEY_SIMPLEX, px=20, thick=3):
    """A cell with a text in it: brought down from a larger one, so that edges are blends."""
    large = np.full((8 * px, 8 * px, 3), ground, dtype=np.uint8)
    cv2.putText(large, text, (2 * px, 6 * px), font, px * 0.17, ink, thick * px // 8 * 2, cv2.LINE_AA)
    return cv2.resize(large, (px, px), interpolation=cv2.INTER_AREA)


def shaped(number, px, ground=PAPER, which=0):
    """A cell with one of the shapes that are known, about half as high as the cell."""
    ink = [shape for own, shape in SHAPES if own == number][which]
    height, width = round(px * 0.6), round(px * 0.42)
    brought = cv2.resize(ink, (width, height), interpolation=cv2.INTER_LINEAR)[:, :, None]
    cell = np.full((px, px, 3), ground, dtype=np.float64)
    top, left = (px - height) // 2, (px - width) // 2
    part = cell[top : top + height, left : left + width]
    part[:] = part * (1 - brought)
    return np.rint(cell).astype(np.uint8)


def said(signs, *cells):
    return SignReader(signs).read(np.stack(cells)).numbers.tolist()


@pytest.mark.parametrize("font", FONTS)
def test_the_ink_tells_the_number_whatever_is_written(font):
    cells = [written(text, ink, font=font) for text in "38?" for ink in (RED, BLACK, GREY)]
    assert said(INKS, *cells) == [3, 7, 8] * 3


def test_nothing_is_written_on_a_bare_ground_or_on_another_one():
    bare, other = np.full((12, 12, 3), PAPER, dtype=np.uint8), written("3", RED, ground=(186, 189, 182))
    assert said(INKS, bare, cv2.resize(other, (12, 12))) == [NOTHING, NOTHING]


def test_what_is_no_blend_of_ground_and_ink_is_no_sign():
    cell = written("3", RED)
    cell[9:11, 9:11] = (0, 255, 0)
    assert said(INKS, cell) == [NOTHING]


def test_a_sign_too_faint_to_tell_is_not_taken_for_another_nor_for_none():
    faint = np.rint(PAPER + 0.25 * (written("1", BLACK).astype(float) - PAPER)).astype(np.uint8)
    grey = written("1", GREY)
    assert said(INKS, faint, grey) == [UNNUMBERED, 8]


@pytest.mark.parametrize("px", [16, 24, 41])
def test_the_shape_tells_the_number_at_any_size(px):
    cells = [shaped(number, px, which=which) for number in range(1, 9) for which in range(12)]
    assert said(SHAPED, *cells) == [number for number in range(1, 9) for _ in range(12)]


def test_a_shape_of_no_number_is_an_open_cell_or_unsure():
    cross = np.full((24, 24, 3), PAPER, dtype=np.uint8)
    cv2.line(cross, (6, 6), (17, 17), BLACK, 2)
    cv2.line(cross, (17, 6), (6, 17), BLACK, 2)
    flag = np.where(cross == PAPER, WHITE, cross).astype(np.uint8)
    assert said(SHAPED, cross, flag) == [UNNUMBERED, UNSURE]


def test_a_digit_of_a_few_pixels_has_no_shape():
    assert said(SHAPED, shaped(6, 7)) == [UNNUMBERED]
    assert without_place(np.eye(4), 14, 10) is None


def test_a_shape_has_neither_place_nor_size():
    ink = np.zeros((40, 40))
    ink[3:17, 20:30] = np.linspace(1.0, 0.2, 140).reshape(14, 10)
    ink[3:17, 20:30][0] = ink[3:17, 20:30][-1] = 1.0
    ink[3:17, 20:30][:, 0] = ink[3:17, 20:30][:, -1] = 1.0
    moved = np.roll(ink, (15, -12), axis=(0, 1))
    assert np.allclose(without_place(ink, 14, 10), ink[3:17, 20:30])
    assert np.allclose(without_place(moved, 14, 10), ink[3:17, 20:30])
    large = np.kron(ink, np.ones((3, 3)))
    assert np.allclose(without_place(large, 14, 10), ink[3:17, 20:30])


@pytest.mark.parametrize(
    ("inks", "shapes", "message"),
    [
        ((), (), "some inks, got none"),
        ((Ink("9", PAPER, RED),), (), "got '9'"),
        ((Ink("1", PAPER, RED),), ((0, np.zeros((2, 2))),), "got one of 0"),
    ],
)
def test_signs_that_cannot_be_are_refused(inks, shapes, message):
    with pytest.raises(SkinError, match=message):
        Signs(inks, shapes)


def gnome_board(*cells):
    """Three rows of closed cells of GNOME Mines, 34 pixels large, one of open ones among them that show these tiles."""
    tile = {"gap": (244, 245, 246), "closed": (182, 189, 186)}
    n_cols = max(len(cells), 8)
    picture = np.full((8 * 34, n_cols * 34, 3), tile["gap"], dtype=np.uint8)
    for row, col in np.ndindex(8, n_cols):
        picture[row * 34 + 2 : row * 34 + 32, col * 34 + 2 : col * 34 + 32] = tile["closed"]
    for col, cell in enumerate(cells):
        picture[36:66, col * 34 + 2 : col * 34 + 32] = cell
    grid = Grid.of_edges(range(0, n_cols * 34 + 1, 34), range(0, 8 * 34 + 1, 34))
    return read_board(Frame(picture), grid, load_shipped_skin("gnome-mines")).board.cells[1, : len(cells)].tolist()


def test_gnome_mines_in_letters_it_never_saw_has_unknown_cells_but_no_wrong_ones():
    ink, ground = (54, 52, 46), (220, 222, 222)
    for font in FONTS:
        cells = gnome_board(*(written(str(n), ink, ground, font, 30, 2) for n in range(1, 9)))
        assert all(code in (number, UNREADABLE) for number, code in enumerate(cells, 1)), cells


def test_a_thin_white_digit_of_gnome_mines_is_not_taken_for_nothing():
    thin = np.full((30, 30, 3), (220, 222, 222), dtype=np.uint8)
    thin[8:22, 15] = (236, 237, 237)
    bare = np.full((30, 30, 3), (220, 222, 222), dtype=np.uint8)
    seen = gnome_board(thin, bare)
    assert seen[0] in (UNREADABLE, OPEN_UNKNOWN, 8)
    assert seen[1] == 0
