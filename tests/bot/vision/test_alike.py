"""Boards as a browser draws them: dithered, at a pitch of no whole number, digits between pixels."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest
from amounts import count
from drawn_pages import LINE_BGR, RNG, page, skin_of, some_cells

from bot.images import load_frame
from bot.learning.unknown_appearances import UnknownAppearances
from bot.models import Frame, Grid, Pixel, Region
from bot.vision.alike import (
    BETWEEN_PIXELS,
    IN_PLACE,
    Comparer,
    _without_false_zeros,
    alike_matcher_of,
)
from bot.vision.cell_edges import has_lines_of
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from bot.vision.sites import MINE_CAPABLE, NO_CELL, OPEN, PLAIN
from calibration.appearances import Codebook
from calibration.pointed import find_pointed
from skins import load_skin, save_skin
from skins.errors import SkinError
from skins.skin import Alike
from solver import board as codes
from solver.board import Action, Move, parse_board
from solver.game import Game
from solver.layout import Layout

N_PAGES = count("MINEBOT_ALIKE_PAGES", gate=1, full=8)
SCREENS = Path(__file__).resolve().parents[2] / "screens" / "page"


@pytest.mark.parametrize("pitch", [32.0, 28.6, 35.2])
def test_board_is_found_and_read_where_no_two_cells_are_equal(pitch):
    corner = (61.3, 47.8) if pitch % 1 else (61.0, 48.0)
    shown = [some_cells(9, 12, seed) for seed in range(4)]
    skin = skin_of([(page(cells, pitch, corner), cells) for cells in shown], pitch, corner)
    assert len(skin.sprites) < 40
    for seed in range(4, 4 + N_PAGES):
        cells = some_cells(9, 12, seed)
        frame = page(cells, pitch, corner)
        (board,) = find_boards(frame, [skin])
        assert board.grid.shape == cells.shape
        off = [one - two for one, two in zip(board.grid.corner, (30 + corner[0], 20 + corner[1]), strict=True)]
        assert max(map(abs, off)) <= 1
        read = read_board(frame, board.grid, skin).board.cells
        assert not ((read != codes.UNREADABLE) & (read != cells)).any()
        assert (read == cells).mean() > 0.97


def test_place_where_no_cell_is_like_a_sprite_is_not_moved():
    shown = [some_cells(9, 12, seed) for seed in range(4)]
    skin = skin_of([(page(cells, 32.0, (61.0, 48.0)), cells) for cells in shown], 32.0, (61.0, 48.0))
    dark = Frame(np.full((560, 760, 3), 10, dtype=np.uint8), 30, 20)
    raster = alike_matcher_of(skin)._nearest_raster(dark, Grid.at((91.0, 68.0), (32.0, 32.0), 9, 12))
    assert [(91 - x) % 32 for x in raster.corner[:1]] == [(68 - y) % 32 for y in raster.corner[1:]] == [0]


def test_board_of_the_smallest_cells_is_found():
    shown = [some_cells(9, 12, seed) for seed in range(4)]
    skin = skin_of([(page(cells, 12.0, (61.0, 48.0)), cells) for cells in shown], 12.0, (61.0, 48.0))
    (board,) = find_boards(page(shown[0], 12.0, (64.0, 51.0)), [skin])
    assert board.grid == Grid.at((94.0, 71.0), (12.0, 12.0), 9, 12)


@pytest.mark.parametrize("corner", [(61.0, 48.0), (62.0, 48.0), (61.0, 49.0)])
def test_open_board_without_a_closed_cell_is_found_by_its_digits_wherever_its_pixels_lie(corner):
    shown = [some_cells(9, 12, seed) for seed in range(4)]
    skin = skin_of([(page(cells, 24.0, (61.0, 48.0)), cells) for cells in shown], 24.0, (61.0, 48.0))
    cells = np.where(shown[0] < 0, 1, shown[0])
    cells[2, 3] = cells[5, 9] = codes.CLOSED
    (board,) = find_boards(page(cells, 24.0, corner), [skin])
    assert board.grid == Grid.at((30 + corner[0], 20 + corner[1]), (24.0, 24.0), 9, 12)


@pytest.mark.parametrize("pitch", [32.0, 28.6])
def test_board_that_pales_has_its_lines_and_one_that_something_covers_has_not(pitch):
    corner = (61.3, 47.8) if pitch % 1 else (61.0, 48.0)
    grid = Grid.at((30 + corner[0], 20 + corner[1]), (pitch, pitch), 9, 12)
    for seed in range(4):
        frame = page(some_cells(9, 12, seed), pitch, corner)
        frame.pixels_bgr[:] = frame.pixels_bgr // 3 + 160
        assert has_lines_of(frame, grid)
        picture = cv2.GaussianBlur(RNG().uniform(0, 255, frame.pixels_bgr.shape), (0, 0), 1.5 + 2 * seed) * (
            4 + 4 * seed
        )
        picture -= picture.mean() - 128
        assert not has_lines_of(Frame(np.clip(picture, 0, 255).astype(np.uint8), 30, 20), grid)
        row, col = divmod(seed, 3)
        place = grid.place_region(3 * row, 4 * col)
        frame.crop(Region(place.left, place.top, round(4 * pitch), round(3 * pitch))).pixels_bgr[:] = (200, 220, 210)
        assert not has_lines_of(frame, grid)


@pytest.mark.parametrize("gap_px", [2, 4, 6])
def test_tiles_with_gaps_between_them_have_their_lines_whatever_colour_the_gaps_take(gap_px):
    grid = Grid(Pixel(40, 30), (22, 22), 8, 9)
    frame = Frame(np.full((260, 300, 3), (0, 0, 250), dtype=np.uint8))
    for cell in np.ndindex(grid.shape):
        place, margin = grid.cell_region(cell), gap_px // 2
        side = 22 - gap_px
        tile = frame.crop(Region(place.left + margin, place.top + margin, side, side)).pixels_bgr
        tile[:] = 170 if sum(cell) % 3 else 225
    assert has_lines_of(frame, grid)
    frame.crop(grid.cell_region((6, 6))).pixels_bgr[:] = 170
    assert has_lines_of(frame, grid)
    frame.crop(Region(110, 100, 120, 100)).pixels_bgr[:] = (0, 0, 250)
    assert not has_lines_of(frame, grid)


@pytest.mark.parametrize("pitch", [32.0, 28.6])
def test_board_under_a_window_full_of_text_has_not_its_lines(pitch):
    corner = (61.3, 47.8) if pitch % 1 else (61.0, 48.0)
    grid = Grid.at((30 + corner[0], 20 + corner[1]), (pitch, pitch), 9, 12)
    for seed, (row, col) in enumerate(((0, 0), (0, 4), (3, 0), (3, 4))):
        frame = page(some_cells(9, 12, seed), pitch, corner)
        place = grid.place_region(row, col)
        cover = frame.crop(Region(place.left, place.top, round(8 * pitch), round(6 * pitch))).pixels_bgr
        cover[:] = (240, 245, 242)
        for line, y in enumerate(range(12, cover.shape[0], 14)):
            text = "what another window says, line by line"[line % 9 :]
            cv2.putText(cover, text, (3, y), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (20, 20, 20), 1)
        assert not has_lines_of(frame, grid), (row, col)


def test_two_shades_of_bare_cells_in_turn_are_two_appearances():
    codebook = Codebook(22.0, is_shifted=True)
    cells = np.stack([np.full((20, 20, 3), shade, dtype=np.uint8) for shade in ((248, 238, 243), (245, 223, 231))])
    grainy = np.clip(cells + RNG().integers(-2, 3, cells.shape), 0, 255).astype(np.uint8)
    codebook.equalled(np.concatenate([cells, grainy]))
    assert len(codebook.appearances) == 2


def test_page_beside_a_board_that_looks_like_open_cells_goes_and_the_board_stays():
    telling, plain = np.full((9, 9), OPEN, dtype=np.int8), np.int8(PLAIN)
    board = np.where(np.indices((9, 9)).sum(axis=0) % 3 == 0, telling, plain)
    board[0, :] = board[:, 0] = board[:, -1] = OPEN
    board[4, 0] = MINE_CAPABLE
    sites = np.zeros((14, 14), dtype=np.int8)
    sites[2:11, 3:12] = board
    sites[1:12, 1:3] = PLAIN  # beside a closed cell
    left = _without_false_zeros(sites, sites == MINE_CAPABLE, np.ones(sites.shape))
    assert (left[2:11, 3:12] == board).all()
    assert (left[:, :3] == NO_CELL).all()


def test_page_beside_open_cells_goes_where_it_is_less_like_them_than_they_are():
    sites = np.full((9, 9), OPEN, dtype=np.int8)
    sites[2:5, 2:5] = sites[:, 7:] = PLAIN
    likeness = np.ones((9, 9))
    likeness[2, 2], likeness[:, 8] = 0.9, 0.7
    left = _without_false_zeros(sites, np.zeros((9, 9), dtype=np.bool_), likeness)
    assert (left[:, 8] == NO_CELL).all()
    assert (left[:, :8] == sites[:, :8]).all()


@pytest.mark.parametrize("pitch", [32.0, 28.6])
def test_fresh_board_is_found_where_its_lines_are_though_its_cells_are_alike_some_pixels_on(pitch):
    corner = (61.3, 47.8) if pitch % 1 else (61.0, 48.0)
    drawn = partial(page, pitch=pitch, corner=corner, grain=0, line=(0, 3))
    skin = skin_of([(drawn(cells), cells) for cells in map(partial(some_cells, 9, 12), range(4))], pitch, corner)
    (board,) = find_boards(drawn(np.full((9, 12), -1)), [skin])
    assert board.grid.shape == (9, 12)
    off = [one - two for one, two in zip(board.grid.corner, (30 + corner[0], 20 + corner[1]), strict=True)]
    assert off == pytest.approx([-1.5, -1.5], abs=0.6), "a line lies in the middle of where two cells meet"


def test_lost_board_of_one_closed_cell_is_found_by_thin_digits_that_lie_between_pixels():
    skin = load_skin(SCREENS / "page-of-thin-digits")
    frame = load_frame(SCREENS / "thin-digits-lost.png")
    truth = parse_board((SCREENS / "thin-digits-lost.txt").read_text(encoding="utf-8")).cells
    (board,) = find_boards(frame, [skin])
    assert np.array_equal(read_board(frame, board.grid, skin).board.cells, truth)


def test_cell_that_shows_something_else_is_unknown():
    cells = some_cells(9, 12, seed=1)
    frame = page(cells, 32.0, (61.0, 48.0))
    skin = skin_of([(frame, cells)], 32.0, (61.0, 48.0))
    grid = Grid(Pixel(91, 68), (32, 32), 9, 12)
    place = grid.place_region(4, 5)
    frame.pixels_bgr[place.top - 20 + 10 : place.top - 20 + 20, place.left - 30 + 8 : place.left - 30 + 24] = (
        10,
        200,
        250,
    )
    read = read_board(frame, grid, skin)
    assert read.unknown == ((4, 5),)


@pytest.mark.parametrize("pitch", [32.0, 28.6])
def test_number_that_the_skin_lacks_is_an_open_cell_and_worked_out(pitch):
    corner = (61.3, 47.8) if pitch % 1 else (61.0, 48.0)
    shown = [np.minimum(some_cells(9, 12, seed), 3) for seed in range(4)]
    skin = skin_of([(page(cells, pitch, corner), cells) for cells in shown], pitch, corner)
    mines = [(2, 2), (2, 4), (4, 2), (4, 4), (0, 9)]
    game = Game.on(Layout.of_cells((9, 12), mines))
    for cell in [(8, 11), (3, 3), (2, 3), (3, 2)]:
        game.open(cell)
    cells = game.board.cells
    assert (cells == 4).sum() == 1
    frame = page(np.where(cells == codes.CLOSED, -1, cells), pitch, corner)
    grid = Grid.at((30 + corner[0], 20 + corner[1]), (pitch, pitch), 9, 12)
    first = read_board(frame, grid, skin, len(mines))
    assert first.unknown == ((3, 3),)
    appearances = UnknownAppearances(skin)
    appearances.meet(frame, first, None, ())
    assert read_board(frame, grid, appearances.skin).board[3, 3] == codes.OPEN_UNKNOWN
    assert appearances.narrow(frame, read_board(frame, grid, appearances.skin, len(mines))) == [
        "the look that was new is a 4"
    ]
    assert read_board(frame, grid, appearances.skin).board[3, 3] == 4
    assert [sprite.state for sprite in appearances.proven] == ["4"]


def met_on_changing_ground(apart, *, row=4, is_clicked=False, before=None):
    """Whether play learns a 4 whose ground changes by this much from its top to its bottom, and has one of no other.

    Its row is 4, among 3s, or 2, below 0s. Before, it was read as that code; None: nothing was read before.
    """
    cells = np.full((9, 12), 3)
    cells[0], cells[1] = -1, 0
    skin = skin_of([(page(cells, 32.0, (61.0, 48.0)), cells)], 32.0, (61.0, 48.0))
    cells[row, 4] = 4
    frame = page(cells, 32.0, (61.0, 48.0))
    grid = Grid(Pixel(91, 68), (32, 32), 9, 12)
    shade = np.linspace(0, apart, 32)[:, None, None]
    cell = frame.pixels_bgr[48 + row * 32 : 48 + (row + 1) * 32, 61 + 4 * 32 : 61 + 5 * 32]
    cell[:] = np.clip(cell - shade, 0, 255).astype(np.uint8)
    reading = read_board(frame, grid, skin)
    assert reading.unknown == ((row, 4),)
    appearances = UnknownAppearances(skin)
    known = None
    if before is not None:
        cells = reading.board.cells.copy()
        cells[row, 4] = before
        known = replace(reading, board=replace(reading.board, cells=cells), unknown=())
    return bool(appearances.meet(frame, reading, known, [Move(Action.OPEN, (row, 4))] if is_clicked else []))


@pytest.mark.parametrize(("apart", "is_clicked", "is_open"), [(12, True, True), (12, False, False), (64, True, False)])
def test_number_whose_ground_changes_a_little_is_an_open_cell_where_play_clicked(apart, is_clicked, is_open):
    assert met_on_changing_ground(apart, is_clicked=is_clicked) is is_open


@pytest.mark.parametrize(("apart", "is_open"), [(12, True), (64, False)])
def test_number_whose_ground_changes_a_little_is_an_open_cell_beside_a_0(apart, is_open):
    assert met_on_changing_ground(apart, row=2) is is_open


@pytest.mark.parametrize(
    ("apart", "before", "is_open"), [(12, codes.OPEN_UNKNOWN, True), (64, codes.OPEN_UNKNOWN, False), (12, 3, False)]
)
def test_number_whose_ground_changes_a_little_is_an_open_cell_where_it_was_one_before(apart, before, is_open):
    assert met_on_changing_ground(apart, before=before) is is_open


def test_new_sprite_of_a_number_leaves_the_same_number_on_another_shade_readable():
    cells = np.full((9, 12), 3)
    cells[0], cells[1] = -1, 0
    skin = skin_of([(page(cells, 28.6, (61.3, 47.8)), cells)], 28.6, (61.3, 47.8))
    moved = page(cells, 28.6, (61.7, 47.8))
    darker = Frame(moved.pixels_bgr.copy(), 30, 20)
    darker.pixels_bgr[105:] = cv2.subtract(darker.pixels_bgr[105:], (23, 23, 23, 0))
    grid = Grid.at((91.7, 67.8), (28.6, 28.6), 9, 12)
    unknown = read_board(darker, grid, skin)
    appearances = UnknownAppearances(skin)
    appearances.meet(darker, unknown, None, [Move(Action.OPEN, cell) for cell in unknown.unknown])
    assert appearances.has_open
    assert (read_board(moved, grid, skin).board.cells == cells).all()
    assert (read_board(moved, grid, appearances.skin).board.cells == cells).all()


def test_closed_cells_of_a_paled_board_are_not_read_as_zeros():
    cells = np.full((9, 12), -1)
    cells[:5], cells[4] = 0, 1
    skin = skin_of([(page(cells, 32.0, (61.0, 48.0), grain=0), cells)], 32.0, (61.0, 48.0))
    grid = Grid(Pixel(91, 68), (32, 32), 9, 12)
    plain = next(sprite for sprite in skin.sprites if sprite.state == "0").pixels_bgr[16, 16]
    fresh = page(np.full((9, 12), -1), 32.0, (61.0, 48.0), grain=0)
    fresh.pixels_bgr[48 : 48 + 8 * 32, 61 : 61 + 12 * 32] = plain
    assert (read_board(fresh, grid, skin).board.cells[8] == -1).all()
    fresh.pixels_bgr[48 + 8 * 32 : 48 + 9 * 32, 61 : 61 + 12 * 32] //= 2
    assert (read_board(fresh, grid, skin).board.cells == codes.UNREADABLE).all()


def test_something_over_a_closed_cell_is_no_open_cell():
    cells = some_cells(9, 12, seed=1)
    frame = page(cells, 32.0, (61.0, 48.0))
    skin = skin_of([(frame, cells)], 32.0, (61.0, 48.0))
    row, col = next((row, col) for row, col in np.argwhere(cells < 0).tolist() if row > 2)
    frame.pixels_bgr[48 + 32 * row :, 61 + 32 * col :][8:24, 8:24] = (10, 200, 250)
    reading = read_board(frame, Grid(Pixel(91, 68), (32, 32), 9, 12), skin)
    assert reading.unknown == ((row, col),)
    assert UnknownAppearances(skin).meet(frame, reading, None, ()) == []


@pytest.mark.parametrize("pitch", [32.0, 37.5, 28.6])
def test_fresh_board_under_the_pointer_is_found_to_the_pixel(pitch):
    corner = (61.0, 48.0)
    frame = page(np.full((9, 12), -1), pitch, corner)
    found = find_pointed(frame, Pixel(30 + 61 + int(5 * pitch), 20 + 48 + int(4 * pitch)))
    assert found is not None
    assert found.grid.shape == (9, 12)
    assert max(abs(one - two) for one, two in zip(found.grid.corner, (91, 68), strict=True)) <= 1
    assert found.grid.pitch_px[0] == pytest.approx(pitch, abs=0.05)


def test_line_a_cell_away_from_the_board_makes_no_column():
    frame = page(np.full((9, 9), -1), 32.0, (61.0, 48.0), grain=0)
    frame.pixels_bgr[48 : 48 + 288, 61 + 288 + 32] = LINE_BGR
    found = find_pointed(frame, Pixel(91 + 144, 68 + 144))
    assert found is not None
    assert found.grid.shape == (9, 9)
    assert tuple(found.grid.origin) == (91, 68)


def bare_page(rows, cols, pitch, corner, cell, size=(760, 560)):
    """A fresh board alone: `cell(shade, height, width)` draws each cell, shades in turn."""
    picture = np.full((size[1], size[0], 3), (250, 246, 240), dtype=np.uint8)
    edges = [
        [int(np.floor(first + k * pitch + 0.5)) for k in range(n + 1)]
        for first, n in zip(corner, (cols, rows), strict=True)
    ]
    for row, col in np.ndindex(rows, cols):
        left, top, right, bottom = edges[0][col], edges[1][row], edges[0][col + 1], edges[1][row + 1]
        picture[top:bottom, left:right] = cell((row + col) % 2, bottom - top, right - left)
    return Frame(picture)


def shaded(shade, height, width):
    """A cell of one of two shades, lighter above."""
    fall = np.linspace(1.1, 0.9, height)[:, None, None]
    return np.rint(np.array((81, 215, 170) if shade else (66, 199, 155)) * fall) + np.zeros((1, width, 1))


@pytest.mark.parametrize("pitch", [36, 30.8])
def test_chequered_board_of_gradients_is_cut_into_cells_not_into_pairs_of_them(pitch):
    frame = bare_page(9, 9, pitch, (111, 92), shaded)
    found = find_pointed(frame, Pixel(111 + int(4.5 * pitch), 92 + int(4.5 * pitch)))
    assert found is not None
    assert found.grid.shape == (9, 9)
    assert max(abs(one - two) for one, two in zip(found.grid.corner, (111, 92), strict=True)) <= 1


def test_nothing_is_found_on_a_page_of_dots_or_of_one_colour():
    dots = np.full((560, 760, 3), 246, dtype=np.uint8)
    assert find_pointed(Frame(dots), Pixel(300, 300)) is None
    text = RNG().integers(0, 255, (560, 760, 3), dtype=np.uint8)
    assert find_pointed(Frame(text), Pixel(300, 300)) is None


def test_digit_between_pixels_is_near_itself_and_far_from_others():
    cells = np.array([[1, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3], [4, 4, 4, 4]])
    frame = page(cells, 37.4, (20.0, 20.0), grain=1)
    grid = Grid.at((50, 40), (37.4, 37.4), 4, 4)
    inside = [
        np.stack(
            [
                frame.pixels_bgr[r.top - 20 + 3 : r.top - 20 + 34, r.left - 30 + 3 : r.left - 30 + 34]
                for r in (grid.place_region(row, col) for col in range(4))
            ]
        )
        for row in range(4)
    ]
    between, still = Comparer(BETWEEN_PIXELS), Comparer(IN_PLACE)
    for digit, own in enumerate(inside):
        assert between.apart(own, own).max() <= 24
        for other in inside[digit + 1 :]:
            assert between.apart(own, other).min() > 40
    assert still.apart(inside[0], inside[0]).max() > between.apart(inside[0], inside[0]).max()


def test_profile_with_cells_that_are_alike_is_written_and_read_again(tmp_path):
    cells = some_cells(9, 12, seed=1)
    skin = skin_of([(page(cells, 37.5, (61.0, 48.0)), cells)], 37.5, (61.0, 48.0))
    save_skin(skin, tmp_path / "page")
    again = load_skin(tmp_path / "page")
    assert again.drawing == skin.drawing
    assert [sprite.state for sprite in again.sprites] == [sprite.state for sprite in skin.sprites]
    with pytest.raises(SkinError, match="inside"):
        Alike((9.0, 9.0), 3, 8.0)
