"""Numbers that a skin lacks, on noisy and tinted grounds: open cells at once, and nothing that is no open cell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bot.learning.unknown_appearances import UnknownAppearances
from bot.models import Frame, Grid, Pixel
from bot.vision.reading import read_board
from skins import load_shipped_skin
from skins.skin import Sprite
from solver.board import OPEN_UNKNOWN, Action, Move, format_rows, parse_board

CLASSIC = load_shipped_skin("classic")
GREY = (192, 192, 192)
BOARD = """
    #####
    12321
    00000
    12321
    #####
"""


def bare(skin):
    """The skin with plain fields for open and closed cells: nothing around them."""
    sprites = []
    for sprite in skin.sprites:
        pixels = sprite.pixels_bgr.copy()
        pixels[[0, -1]] = pixels[:, [0, -1]] = (90, 160, 90) if sprite.state in ("closed", "flag") else GREY
        sprites.append(replace(sprite, pixels_bgr=pixels))
    return replace(skin, name="bare", sprites=tuple(sprites), exact={})


def lined(skin):
    """The skin with plain fields for open and closed cells, all with the same line around them."""
    sprites = []
    for sprite in skin.sprites:
        pixels = sprite.pixels_bgr.copy()
        pixels[:3] = pixels[-3:] = pixels[:, :3] = pixels[:, -3:] = GREY if sprite.state.isdecimal() else (90, 160, 90)
        pixels[[0, -1]] = pixels[:, [0, -1]] = (90, 90, 90)
        sprites.append(replace(sprite, pixels_bgr=pixels))
    return replace(skin, name="lined", sprites=tuple(sprites), exact={})


def without(skin, state):
    sprites = tuple(sprite for sprite in skin.sprites if sprite.state != state)
    return replace(skin, sprites=sprites, exact={})


def painted(skin, ground=None, noise=0):
    """A picture of the board: 3s on that ground, noise on all cells of another seed each."""
    rng = np.random.default_rng(1)
    rows = BOARD.split()
    picture = np.full((5 * 16 + 8, 5 * 16 + 8, 3), 60, dtype=np.uint8)
    for (row, col), sign in np.ndenumerate([list(line) for line in rows]):
        cell = skin.sprites_of("closed" if sign == "#" else sign)[0].pixels_bgr.astype(np.int16)
        if sign == "3" and ground is not None:
            cell[(cell == GREY).all(axis=2)] = ground
        cell += rng.integers(-noise, noise + 1, cell.shape)
        picture[4 + 16 * row :, 4 + 16 * col :][:16, :16] = np.clip(cell, 0, 255)
    return Frame(picture), Grid(Pixel(4, 4), (16, 16), 5, 5)


def met(skin, frame, grid, moves=()):
    """What was told, and the rows as they are read afterwards."""
    appearances = UnknownAppearances(without(skin, "3"))
    reading = read_board(frame, grid, appearances.skin)
    assert reading.unknown == ((1, 2), (3, 2))
    told = appearances.meet(frame, reading, None, moves)
    return told, read_board(frame, grid, appearances.skin).board.cells, appearances


@pytest.mark.parametrize(("ground", "noise"), [(None, 2), ((150, 215, 240), 0), ((240, 200, 210), 1)])
def test_a_number_on_a_noisy_or_tinted_ground_is_an_open_cell(ground, noise):
    frame, grid = painted(CLASSIC, ground, noise)
    told, cells, _ = met(CLASSIC, frame, grid)
    assert told, "nothing was learned"
    assert (cells == OPEN_UNKNOWN).sum() == 2
    cells = np.where(cells == OPEN_UNKNOWN, 3, cells)
    assert format_rows(cells) == format_rows(parse_board(BOARD).cells)


def test_noisy_pictures_of_one_number_are_one_appearance():
    frame, grid = painted(CLASSIC, noise=2)
    _, _, appearances = met(CLASSIC, frame, grid)
    reading = read_board(frame, grid, appearances.skin, 6)
    appearances.narrow(frame, reading)
    assert len(appearances.learned) == 1


def test_a_flat_field_without_lines_is_an_open_cell_only_where_play_clicked():
    skin = bare(CLASSIC)
    frame, grid = painted(skin, (150, 215, 240))
    assert met(skin, frame, grid)[0] == []
    clicked = [Move(Action.OPEN, cell) for cell in ((1, 2), (3, 2))]
    told, cells, _ = met(skin, frame, grid, clicked)
    assert told
    assert (cells == OPEN_UNKNOWN).sum() == 2


def test_a_number_is_an_open_cell_where_closed_cells_have_the_same_line_around_them():
    skin = lined(CLASSIC)
    frame, grid = painted(skin)
    told, cells, _ = met(skin, frame, grid)
    assert told
    assert (cells == OPEN_UNKNOWN).sum() == 2


def test_a_number_is_an_open_cell_where_closed_cells_are_dotted_with_the_ground_of_open_ones():
    sprites = []
    for sprite in lined(CLASSIC).sprites:
        pixels = sprite.pixels_bgr.copy()
        if sprite.state == "closed":
            pixels[1:-1, 1:-1] = GREY
            pixels[1:-1, 1:-1][np.indices((14, 14)).sum(axis=0) % 2 == 0] = (90, 160, 90)
            pixels[8, 8] = (90, 160, 90)
        sprites.append(replace(sprite, pixels_bgr=pixels))
    skin = replace(CLASSIC, name="dotted", sprites=tuple(sprites), exact={})
    frame, grid = painted(skin)
    told, cells, _ = met(skin, frame, grid)
    assert told
    assert (cells == OPEN_UNKNOWN).sum() == 2


def test_a_number_is_an_open_cell_where_signs_reach_the_line_around_it():
    sprites = []
    for sprite in lined(without(CLASSIC, "8")).sprites:
        pixels = sprite.pixels_bgr.copy()
        if sprite.state.isdecimal() and sprite.state != "0":
            pixels[1:-1, 7:9] = pixels[8, 8] if sprite.state != "3" else (10, 20, 250)
        sprites.append(replace(sprite, pixels_bgr=pixels))
    skin = replace(CLASSIC, name="large", sprites=tuple(sprites), exact={})
    frame, grid = painted(skin)
    told, cells, _ = met(skin, frame, grid)
    assert told
    assert (cells == OPEN_UNKNOWN).sum() == 2
    for row in (1, 3):  # with a field of one colour over it inside its line
        frame.pixels_bgr[5 + 16 * row : 19 + 16 * row, 37:51] = (150, 215, 240)
    assert met(skin, frame, grid)[0] == []


@pytest.mark.parametrize("ground", [(150, 215, 240), (40, 40, 40)])
def test_what_lies_over_a_cell_is_no_open_cell(ground):
    frame, grid = painted(CLASSIC)
    for row in (1, 3):
        frame.pixels_bgr[4 + 16 * row : 20 + 16 * row, 36:52] = ground
    assert met(CLASSIC, frame, grid)[0] == []


def test_a_number_that_is_known_on_another_ground_alone_may_be_guessed_by():
    """A chequered board has two sprites of each number, and a skin may have but one of a rare one."""
    tinted = CLASSIC.sprites_of("3")[0].pixels_bgr.copy()
    tinted[(tinted == GREY).all(axis=2)] = (240, 200, 210)
    skin = without(CLASSIC, "3")
    appearances = UnknownAppearances(replace(skin, sprites=(*skin.sprites, Sprite("3", tinted))))
    frame, grid = painted(CLASSIC)
    assert appearances.meet(frame, read_board(frame, grid, appearances.skin), None, ())
    positions = appearances.positions(frame, read_board(frame, grid, appearances.skin))
    assert [(board[1, 2], board[3, 2]) for board in positions] == [(3, 3)]


def test_an_appearance_that_the_skin_has_under_several_numbers_is_worked_out():
    doubtful = Sprite("4", CLASSIC.sprites_of("3")[0].pixels_bgr)
    skin = replace(CLASSIC, sprites=(*(one for one in CLASSIC.sprites if one.state != "4"), doubtful), exact={})
    appearances = UnknownAppearances(skin)
    frame, grid = painted(skin)
    reading = read_board(frame, grid, appearances.skin, 6)
    assert reading.unknown == ((1, 2), (3, 2))
    assert appearances.meet(frame, reading, None, ())
    told = appearances.narrow(frame, read_board(frame, grid, appearances.skin, 6))
    assert told == ["the look that was new is a 3"]
    assert [sprite.state for sprite in appearances.proven] == ["3"]
    assert format_rows(read_board(frame, grid, appearances.skin, 6).board.cells) == format_rows(
        parse_board(BOARD).cells
    )


def test_an_appearance_that_the_skin_has_for_a_mine_too_stays_unknown():
    doubtful = Sprite("mine", CLASSIC.sprites_of("3")[0].pixels_bgr)
    skin = replace(CLASSIC, sprites=(*CLASSIC.sprites, doubtful), exact={})
    frame, grid = painted(skin)
    reading = read_board(frame, grid, skin, 6)
    assert reading.unknown == ((1, 2), (3, 2))
    assert UnknownAppearances(skin).meet(frame, reading, None, ()) == []


def shaded(skin):
    """The skin with plain fields, closed ones once more as with the pointer on them: with a shadow on each side."""
    sprites = []
    for sprite in lined(skin).sprites:
        pixels = sprite.pixels_bgr.copy()
        if sprite.state == "closed":
            pixels[:] = (90, 160, 90)
            dark = pixels.copy()
            dark[:3], dark[-3:], dark[3:-3, :3], dark[3:-3, -3:] = (
                (40, 90, 40),
                (50, 100, 50),
                (60, 110, 60),
                (30, 80, 30),
            )
            sprites.append(replace(sprite, pixels_bgr=dark))
        pixels[[0, -1]] = pixels[:, [0, -1]] = pixels[1, 1]
        sprites.append(replace(sprite, pixels_bgr=pixels))
    return replace(skin, name="shaded", sprites=tuple(sprites), exact={})


def test_a_number_is_an_open_cell_where_closed_cells_have_rims_with_nothing_in_common():
    skin = shaded(CLASSIC)
    frame, grid = painted(skin)
    told, cells, _ = met(skin, frame, grid)
    assert told
    assert (cells == OPEN_UNKNOWN).sum() == 2


def test_a_clicked_cell_of_which_a_corner_is_hidden_is_no_open_cell():
    frame, grid = painted(CLASSIC)
    for row in (1, 3):
        frame.pixels_bgr[4 + 16 * row :, 4 + 32 :][:4, :4] = (200, 240, 250)
    clicked = [Move(Action.OPEN, cell) for cell in ((1, 2), (3, 2))]
    assert met(CLASSIC, frame, grid, clicked)[0] == []
