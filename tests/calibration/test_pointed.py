"""The board under the pointer, wherever on it or beside it the pointer rests."""

from __future__ import annotations

import numpy as np
import pytest
from amounts import count
from chunks import spread

from bot.images import load_frame
from bot.models import Frame, Grid, Pixel
from calibration.errors import CalibrationError
from calibration.grids import find_cuts
from calibration.live import locating
from calibration.live.locating import _is_of_cells, locate_board
from calibration.pointed import _edges, _likenesses, find_pointed

LEFT, TOP = 300, 120
"""Where the window lies on the screen, in pixels."""
SEEN = {
    "clones/sgt-mines-expert-fresh": Grid(Pixel(38, 64), (20, 20), 16, 30),
    "winemine-beginner-fresh": Grid(Pixel(13, 61), (16, 16), 9, 9),
    "msx-skin-win98-fresh": Grid(Pixel(21, 102), (16, 16), 16, 16),
}
"""Recorded windows of fresh games, and where their boards lie in them."""
RESTS = [(0.5, 0.5), (0.04, 0.07), (0.31, 0.9), (0.97, 0.98), (-0.2, 0.4), (-0.1, -0.1), (1.2, 0.3), (0.6, -0.3)]
"""Where the pointer rests, as shares of the board's width and height from its corner."""


def _on_black(root, name):
    window = load_frame(root / f"tests/screens/{name}.png").pixels_bgr
    screen = np.zeros((800, 1280, 3), dtype=np.uint8)
    screen[TOP : TOP + window.shape[0], LEFT : LEFT + window.shape[1]] = window
    return Frame(screen)


@pytest.mark.parametrize("name", SEEN)
def test_board_is_the_same_wherever_the_pointer_rests(name, request, monkeypatch):
    frame, inside = _on_black(request.config.rootpath, name), SEEN[name].region
    cuts = find_cuts(frame)  # they do not depend on the pointer
    monkeypatch.setattr(locating, "find_cuts", lambda _: cuts)
    left, top = LEFT + inside.left, TOP + inside.top
    for right, down in spread(RESTS, count("MINEBOT_RESTS", gate=4, full=len(RESTS))):
        pointer = Pixel(round(left + right * inside.width), round(top + down * inside.height))
        grid, _ = locate_board(frame, pointer, lambda _: None, None)
        assert (tuple(grid.origin), grid.shape) == ((left, top), SEEN[name].shape), pointer


def _grainy(grid, size, seed=5):
    """A screen with a board of cells with rims, whose pixels differ by a level or two."""
    rng = np.random.default_rng(seed)
    screen = np.full((*size, 3), 240, dtype=np.uint8)
    for row, col in np.ndindex(grid.rows, grid.cols):
        place = grid.place_region(row, col)
        cell = np.full((place.height, place.width, 3), 170, dtype=np.uint8)
        cell[:2], cell[:, :2], cell[-2:], cell[:, -2:] = 220, 220, 110, 110
        cell += rng.integers(0, 3, cell.shape, dtype=np.uint8)
        screen[place.top : place.top + place.height, place.left : place.left + place.width] = cell
    return screen


@pytest.mark.parametrize("is_cut", [False, True])
def test_grainy_board_of_a_fractional_pitch_is_not_learned_from_where_the_screen_may_cut_it(is_cut):
    grid = Grid.at((40.0, 30.0), (27.8, 27.8), 10, 12)
    screen = _grainy(grid, (360, 420))
    pointer = grid.cell_region((4, 5)).middle
    if not is_cut:
        assert locate_board(Frame(screen), pointer, lambda _: None, None)[0].shape == (10, 12)
        return
    right = grid.cell_region((0, 10)).left + 12
    with pytest.raises(CalibrationError, match=r"may go on past the edge of the screen \(right\)"):
        locate_board(Frame(screen[:, :right].copy()), pointer, lambda _: None, None)


def test_plain_page_beside_a_board_makes_no_cells():
    grid = Grid(Pixel(200, 200), (30, 30), 9, 9)
    frame = Frame(_grainy(grid, (700, 900)))
    for pointer in (Pixel(340, 330), Pixel(206, 206), Pixel(460, 250)):
        found = find_pointed(frame, pointer)
        assert found is not None
        assert found.grid.shape == (9, 9), pointer
    for pointer in (Pixel(150, 330), Pixel(180, 180), Pixel(560, 560)):
        found = find_pointed(frame, pointer)
        assert found is None or found.grid.shape == (9, 9), pointer


def _chequered(grid, size, seed=5):
    """A plain screen with a board of two shades in turn, without a line, whose pixels differ by a level."""
    rng = np.random.default_rng(seed)
    screen = np.full((*size, 3), 250, dtype=np.uint8)
    for row, col in np.ndindex(grid.rows, grid.cols):
        place = grid.place_region(row, col)
        shade = np.array((81, 215, 170) if (row + col) % 2 == 0 else (73, 209, 162))
        cell = shade + rng.integers(0, 2, (place.height, place.width, 1))
        screen[place.top : place.top + place.height, place.left : place.left + place.width] = cell
    return screen


@pytest.mark.parametrize("pitch_px", [32.0, 37.5])
def test_chequered_board_is_seen_to_a_pixel_from_its_corners_and_edges(pitch_px):
    grid = Grid.at((200.0, 160.0), (pitch_px, pitch_px), 9, 9)
    frame = Frame(_chequered(grid, (700, 900)))
    side = 9 * pitch_px
    for right, down in ((0.5, 0.5), (0.04, 0.07), (0.97, 0.98), (0.31, 0.9), (0.97, 0.04), (0.03, 0.6)):
        pointer = Pixel(round(200 + right * side), round(160 + down * side))
        found = find_pointed(frame, pointer)
        assert found is not None, pointer
        assert found.grid.shape == (9, 9), pointer
        assert np.allclose(found.grid.corner, (200, 160), atol=0.6), pointer
        assert np.allclose(found.grid.pitch_px, pitch_px, atol=0.06), pointer


@pytest.mark.parametrize(
    ("name", "n_cells", "pitch_px"), [("bevel-on-dots-fresh", 12, 26.4), ("bricks-on-stripes-fresh", 9, 30.8)]
)
def test_board_of_a_page_with_a_thick_bevel_or_without_an_edge_between_some_cells(request, name, n_cells, pitch_px):
    frame = load_frame(request.config.rootpath / f"tests/screens/page/{name}.png")
    for cell in ((n_cells / 2, n_cells / 2), (0.5, 0.4), (n_cells - 0.5, 0.4), (n_cells / 2 + 1, 1.4)):
        found = find_pointed(frame, Pixel(*(round(a + n * pitch_px) for a, n in zip((24, 60), cell, strict=True))))
        assert found is not None, cell
        assert found.grid.shape == (n_cells, n_cells), cell
        assert np.allclose(found.grid.corner, (24, 60), atol=0.6), cell
        assert np.allclose(found.grid.pitch_px, pitch_px, atol=0.06), cell


def test_board_is_the_one_that_other_places_show_too_where_its_other_half_shows_another(request):
    page = load_frame(request.config.rootpath / "tests/screens/page/bricks-on-stripes-fresh.png").pixels_bgr
    screen = np.random.default_rng(11).integers(0, 30, (900, 1400, 3), dtype=np.uint8)
    screen[297 : 297 + page.shape[0], 53 : 53 + page.shape[1]] = page
    found = find_pointed(Frame(screen), Pixel(141, 408))
    assert found is not None
    assert found.grid.shape == (9, 9)
    assert np.allclose(found.grid.corner, (77, 357), atol=0.6)


@pytest.mark.parametrize("shape", [(300, 300), (41, 77), (5, 23)])
def test_likeness_of_edges_is_their_correlation_at_every_distance(shape):
    edges = _edges(np.random.default_rng(3).integers(0, 256, (*shape, 3), dtype=np.uint8))
    edges[:, ::16] += 9
    for lag, found in enumerate(_likenesses(edges)[1:-1], 1):
        pairs = np.stack([edges[:, :-lag].ravel(), edges[:, lag:].ravel()]).astype(np.float64)
        correlation = np.corrcoef(pairs)[0, 1] if pairs.std(axis=1).all() else 0.0
        assert found == pytest.approx(correlation, abs=1e-6), lag


def test_an_even_picture_is_like_nothing():
    assert not _likenesses(np.full((30, 40), 7, dtype=np.float32)).any()


@pytest.mark.parametrize(("beyond", "is_of_cells"), [(7, False), (1, True), (2, True)])
def test_rows_beyond_a_board_are_its_own_where_they_look_as_others_of_it(beyond, is_of_cells):
    """A board of a page whose cells are equal was taken to have a row of the page above it, and one below."""
    within = Grid.at((105.0, 266.0), (36.0, 36.0), 12, 12)
    grid = Grid.at((105.0, 230.0), (36.0, 36.0), 14, 12)
    prints = np.indices(grid.shape).sum(axis=0) % 2 + 1
    prints[[0, -1]] = beyond
    assert _is_of_cells(grid, prints, within) == is_of_cells
    assert _is_of_cells(within, prints[1:-1], within)
