"""Cells of four dimensions and their places on the screen; what is beside a cell in any number of dimensions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.blocks import Blocks
from bot.models import Grid, Pixel, Region
from bot.reporting.recording import _grid_as_json, _grid_of_json
from bot.vision.reading import _joined, is_near

SIDES = st.tuples(*[st.integers(2, 4)] * 4)


@given(SIDES)
def test_blocks_place_of_is_block_row_and_row_then_block_column_and_column(shape):
    blocks = Blocks(shape)
    for x, y, z, w in np.ndindex(shape):
        place = (x * shape[2] + z, y * shape[3] + w)
        assert blocks.place_of((x, y, z, w)) == place
        assert blocks.cell_at(place) == (x, y, z, w)
    assert (blocks.rows, blocks.cols) == (shape[0] * shape[2], shape[1] * shape[3])


def test_blocks_to_board_puts_every_value_where_its_cell_is():
    blocks = Blocks((2, 3, 4, 2))
    screen = np.arange(blocks.rows * blocks.cols).reshape(blocks.rows, blocks.cols)
    board = blocks.to_board(screen)
    assert board.shape == (2, 3, 4, 2)
    assert all(board[blocks.cell_at(place)] == value for place, value in np.ndenumerate(screen))
    assert np.array_equal(blocks.to_board(screen.ravel()), board)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6).map(tuple))
def test_blocks_of_any_dimensions_have_one_place_a_cell_and_there_and_back(shape):
    blocks = Blocks(shape)
    surface = blocks.to_surface(np.arange(np.prod(shape)).reshape(shape))
    assert surface.shape == (blocks.rows, blocks.cols)
    assert np.array_equal(blocks.to_board(surface), np.arange(np.prod(shape)).reshape(shape))
    for number, cell in enumerate(np.ndindex(shape)):
        assert surface[blocks.place_of(cell)] == number
        assert blocks.cell_at(blocks.place_of(cell)) == cell


@pytest.mark.parametrize(("shape", "size"), [((7,), (1, 7)), ((3, 5), (3, 5)), ((2, 3, 4), (3, 8))])
def test_blocks_of_few_dimensions_are_a_row_a_board_and_boards_side_by_side(shape, size):
    blocks = Blocks(shape)
    assert (blocks.rows, blocks.cols) == size


def test_blocks_depth_tells_where_blocks_begin_and_blocks_of_blocks():
    blocks = Blocks((2, 2, 2, 2, 3))
    assert [blocks.depth(0, col) for col in range(12)] == [0, 0, 0, 1, 0, 0, 2, 0, 0, 1, 0, 0]
    assert [blocks.depth(1, row) for row in range(4)] == [0, 0, 1, 0]


@pytest.mark.parametrize(
    ("given_sides", "shape"),
    [
        ((16, 16, 4, 4), (4, 4, 4, 4)),
        ((16, 16, None, None), (4, 4, 4, 4)),
        ((12, 20, 4, 5), (3, 4, 4, 5)),
        ((9, 16, None, 4), (3, 4, 3, 4)),
        ((16, 30, None, None), None),
        ((16, 15, 4, 4), None),
        ((4, 16, 4, 4), None),
        ((8, 8, None, None), None),
    ],
)
def test_blocks_of_sides_takes_whole_blocks_only(given_sides, shape):
    blocks = Blocks.of_sides(*given_sides)
    assert (None if blocks is None else blocks.shape) == shape


def grid_in_blocks():
    return Grid(
        Pixel(10, 20),
        (30, 31),
        4,
        4,
        x_edges=(10, 40, 80, 110, 138),
        y_edges=(20, 51, 92, 123, 151),
        cell_px=(28, 28),
        blocks=Blocks((2, 2, 2, 2)),
    )


def test_grid_maps_cells_of_four_dimensions_to_pixels_and_back():
    grid = grid_in_blocks()
    assert grid.shape == (2, 2, 2, 2)
    assert grid.cell_region((0, 1, 1, 0)) == Region(80, 51, 28, 28)
    assert grid.region == Region(10, 20, 128, 131)
    for cell in np.ndindex(grid.shape):
        region = grid.cell_region(cell)
        corners = itertools.product((region.left, region.left + 27), (region.top, region.top + 27))
        assert all(grid.cell_at(Pixel(*corner)) == cell for corner in corners)
    assert grid.cell_at(Pixel(38, 20)) is None  # between two cells
    assert grid.cell_at(Pixel(10, 80)) is None  # between two blocks
    assert grid.cell_at(Pixel(138, 20)) is None


def test_grid_names_lines_by_the_indices_their_cells_share():
    grid = grid_in_blocks()
    assert [grid.line_name(0, col) for col in range(4)] == ["0,0", "0,1", "1,0", "1,1"]
    assert [grid.line_name(1, row) for row in range(4)] == ["0,0", "0,1", "1,0", "1,1"]
    for x, y, z, w in np.ndindex(2, 2, 2, 2):
        row, col = grid.blocks.place_of((x, y, z, w))
        assert (grid.line_name(1, row), grid.line_name(0, col)) == (f"{x},{z}", f"{y},{w}")
    assert Grid(Pixel(0, 0), (16, 16), 9, 9).line_name(1, 8) == "8"


def test_grid_json_is_the_same_grid_from_its_own_corner_on():
    grid = grid_in_blocks()
    again = _grid_of_json(_grid_as_json(grid), (28, 28))
    assert (again.origin, again.shape, again.cell_px) == (Pixel(0, 0), grid.shape, grid.cell_px)
    for cell in np.ndindex(grid.shape):
        here, there = grid.cell_region(cell), again.cell_region(cell)
        assert (here.left - 10, here.top - 20, here.width, here.height) == (
            there.left,
            there.top,
            there.width,
            there.height,
        )


@pytest.mark.parametrize(
    "broken",
    [{"shape": [2, 2, 2]}, {"shape": [2, 2, 4, 2]}, {"edges": [[0, 1], [0, 1]]}, {"edges": [[0, 0, 1, 2, 3]] * 2}],
)
def test_grid_json_refuses_what_is_no_grid(broken):
    with pytest.raises(ValueError, match="expected"):
        _grid_of_json(_grid_as_json(grid_in_blocks()) | broken, (28, 28))


SHAPES = st.lists(st.integers(1, 3), min_size=1, max_size=4).map(tuple)


@given(SHAPES, st.randoms(use_true_random=False))
def test_is_near_finds_marked_cells_and_their_neighbours(shape, rng):
    marked = np.zeros(shape, dtype=bool)
    cells = list(np.ndindex(shape))
    for cell in rng.sample(cells, len(cells) // 3):
        marked[cell] = True
    near = is_near(marked)
    for cell in cells:
        beside = [other for other in cells if max(abs(a - b) for a, b in zip(cell, other, strict=True)) <= 1]
        assert near[cell] == any(marked[other] for other in beside)


def test_joined_follows_marked_cells_round_corners_and_stops_at_gaps():
    marked = np.array([[1, 0, 0, 1], [0, 1, 0, 1], [1, 0, 0, 0]], dtype=bool)
    seeds = np.zeros_like(marked)
    seeds[2, 0] = seeds[0, 1] = True
    assert _joined(marked, seeds).astype(int).tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]]
