"""Boards that a browser shows at another zoom than their skin was learned at: drawn anew, lines as wide as before."""

from dataclasses import replace

import numpy as np
import pytest
from amounts import count
from drawn_pages import CLOSED_BGR, INKS, OPEN_BGR, RNG, page, skin_of, some_cells

from bot.models import Frame, Grid
from bot.vision.finding import find_boards
from bot.vision.reading import namer_of, read_board
from bot.vision.zoomed import zoomed_matcher_of
from skins import Skin, Sprite
from solver.board import UNREADABLE

OWN_PX, CORNER = 32.0, (61.0, 48.0)
ZOOMS = (0.67, 0.8, 0.9, 1.1, 1.25, 1.5, 2.0)
N_BOARDS = count("MINEBOT_ZOOMED_BOARDS", gate=2, full=40)


def skin_of_alike_cells():
    shown = [some_cells(9, 12, seed) for seed in range(4)]
    skin = skin_of([(page(cells, OWN_PX, CORNER), cells) for cells in shown], OWN_PX, CORNER)
    return replace(skin, is_verified=True), 2


def skin_of_equal_cells():
    """The skin of a page without dither: whole cells, as they are."""
    states = {}
    for seed in range(4):
        cells = some_cells(9, 12, seed)
        frame = page(cells, OWN_PX, CORNER, grain=0)
        grid = Grid.at((frame.left + CORNER[0], frame.top + CORNER[1]), (OWN_PX, OWN_PX), *cells.shape)
        for (row, col), code in np.ndenumerate(cells):
            cell = frame.crop(grid.place_region(row, col)).pixels_bgr
            states.setdefault("closed" if code < 0 else str(code), cell)
    sprites = tuple(Sprite(state, cell) for state, cell in states.items())
    return Skin("page", "a page", (32, 32), CLOSED_BGR, sprites, is_verified=True), 0


def boards_at(zoom, grain):
    """Pages at a zoom, each with its cells."""
    for seed in range(4, 4 + N_BOARDS):
        cells = some_cells(9, 12, seed)
        yield page(cells, OWN_PX * zoom, (61.3, 47.8), size=(1000, 760), grain=grain), cells


LEARNED = pytest.mark.parametrize("make_skin", [skin_of_alike_cells, skin_of_equal_cells])


@LEARNED
@pytest.mark.parametrize("zoom", ZOOMS)
def test_board_is_read_at_another_zoom_than_its_skin_was_learned_at(make_skin, zoom):
    skin, grain = make_skin()
    for frame, cells in boards_at(zoom, grain):
        (found,) = find_boards(frame, [skin], is_whole=True)
        read = read_board(frame, found.grid, found.skin).board.cells
        assert read.shape == cells.shape
        is_known = read != UNREADABLE
        assert np.array_equal(read[is_known], cells[is_known])
        assert is_known.mean() >= 0.95
        assert not namer_of(found.skin, found.grid).tells_new_appearances, "it would be learned at a wrong size"


@LEARNED
@pytest.mark.parametrize("zoom", ZOOMS)
def test_what_lies_over_a_zoomed_board_is_none_of_its_cells(make_skin, zoom):
    """A window of nearly the colour of cells or of the page, and a page that dims."""
    skin, grain = make_skin()
    rng = np.random.default_rng(5)
    for frame, cells in boards_at(zoom, grain):
        (found,) = find_boards(frame, [skin], is_whole=True)
        pixels = frame.pixels_bgr.copy()
        left, top = rng.integers(60, 260, 2).tolist()
        shade = rng.choice([-1, 1]) * rng.integers(7, 11) + rng.choice([CLOSED_BGR, OPEN_BGR, (255, 255, 255)])
        pixels[top : top + 90, left : left + 150] = np.clip(shade, 0, 255)
        for covered in (pixels, (pixels * 0.8).astype(np.uint8)):
            read = read_board(Frame(covered, frame.left, frame.top), found.grid, found.skin).board.cells
            is_known = read != UNREADABLE
            assert np.array_equal(read[is_known], cells[is_known])


@pytest.mark.parametrize("zoom", ZOOMS)
@pytest.mark.parametrize("grows", [False, True])
@pytest.mark.parametrize("side", [16, 32])
def test_cells_that_only_a_bevel_tells_apart_are_never_taken_for_each_other(side, grows, zoom):
    """The classic look of pages: closed cells are as grey as open ones, but for light and dark edges."""

    def picture(cells, scale):
        bevel = round(2 * scale) if grows else 2
        drawn = np.full((600, 800, 3), 255, dtype=np.uint8)
        edges = [round(40 + k * side * scale) for k in range(max(cells.shape) + 1)]
        for (row, col), code in np.ndenumerate(cells):
            box = drawn[edges[row] : edges[row + 1], edges[col] : edges[col + 1]]
            box[:] = 192
            if code < 0:
                box[:bevel], box[:, :bevel], box[-bevel:], box[:, -bevel:] = 255, 255, 128, 128
            else:
                box[0], box[:, 0] = 128, 128
            if code > 0:
                third = len(box) // 3
                box[third:-third, third:-third] = INKS[code - 1]
        return Frame(drawn)

    cells = some_cells(9, 9, 3)
    native, grid = picture(cells, 1), Grid.at((40, 40), (side, side), 9, 9)
    states = {}
    for place, code in np.ndenumerate(cells):
        cell = native.crop(grid.place_region(*place)).pixels_bgr
        states.setdefault("closed" if code < 0 else str(code), cell)
    sprites = tuple(Sprite(state, cell) for state, cell in states.items())
    skin = Skin("page", "a page", (side, side), (192, 192, 192), sprites, is_verified=True)
    for seed in range(4, 4 + N_BOARDS):
        cells = some_cells(9, 9, seed)
        frame = picture(cells, zoom)
        for found in find_boards(frame, [skin], is_whole=True):
            read = read_board(frame, found.grid, found.skin).board.cells
            left, top = (round((a - 40) / (side * zoom)) for a in (found.grid.region.left, found.grid.region.top))
            shown = cells[top : top + read.shape[0], left : left + read.shape[1]]
            is_known = read != UNREADABLE
            assert np.array_equal(read[is_known], shown[is_known])


def test_board_is_read_by_the_matcher_that_found_it():
    """A step is rounded; at the limits of what counts as another size that decides once."""
    pictures = RNG().integers(0, 255, (3, 30, 30, 3), dtype=np.uint8)
    sprites = tuple(map(Sprite, ("closed", "0", "1"), pictures))
    skin = Skin("page", "a page", (30, 30), CLOSED_BGR, sprites, is_verified=True)
    found = [zoomed_matcher_of(skin, (step, step)) for near in (15.0, 29.4, 30.6, 120.0) for step in _steps_near(near)]
    assert None in found
    for matcher in filter(None, found):
        assert zoomed_matcher_of(skin, matcher.drawing.step_px) is not None


def _steps_near(step):
    return (step + np.linspace(-0.02, 0.02, 41)).tolist()
