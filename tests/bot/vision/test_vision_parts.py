"""The parts of seeing, each by itself: grids of fractional pitch, unscaling, lattices, sites, borders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from painted import paint
from rendered import Frame, enlarged, screen

from bot.images import load_frame
from bot.models import Grid, Kernel, Pixel, Region
from bot.vision.board_edge import BorderWatch, watch_border
from bot.vision.lattice import Faces, _find_lattices, _Marks, find_flat_lattices, lattices_of
from bot.vision.matching import Matcher
from bot.vision.own_size import _find_windows, find_exact
from bot.vision.reading import Reader, read_board
from bot.vision.sites import LIKE, MINE_CAPABLE, NO_CELL, OPEN, find_patches
from bot.vision.unscale import Unscaler
from skins import load_shipped_skin
from skins.skin import Sprite
from solver.board import UNREADABLE, parse_board

CLASSIC = load_shipped_skin("classic")


def test_cells_of_a_fractional_pitch_are_of_two_sizes_and_leave_no_gap():
    grid = Grid(Pixel(10, 20), (22.5, 22.5), 3, 5)
    assert [grid.cell_region((0, col)).width for col in range(5)] == [23, 22, 23, 22, 23]
    assert grid.region == Region(10, 20, 113, 68)
    for cell in np.ndindex(3, 5):
        assert grid.cell_at(grid.cell_region(cell).middle) == cell
    assert grid.cell_at(Pixel(123, 30)) is None


def test_region_shares_with_another_what_lies_in_both():
    region = Region(10, 20, 30, 40)
    assert (region.right, region.bottom, region.n_pixels) == (40, 60, 1200)
    assert region.shared(Region(0, 50, 25, 25)) == Region(10, 50, 15, 10)
    assert region.shared(Region(40, 20, 5, 5)).n_pixels == 0
    assert np.arange(4800).reshape(60, 80)[region.slices].shape == (40, 30)


def test_a_grid_remembers_the_part_of_a_pixel():
    grid = Grid.at((10.4, -3.6), (20.0, 20.0), 2, 2)
    assert grid.origin == (10, -4)
    assert grid.corner == pytest.approx((10.4, -3.6))
    assert not grid.is_whole
    assert Grid(Pixel(1, 1), (16, 16), 2, 2).is_whole


@pytest.mark.parametrize(
    ("kernel", "name", "scale"),
    [
        (Kernel.LINEAR, "linear", 1.5),
        (Kernel.LINEAR, "linear", 2.5),
        (Kernel.AREA, "area", 1.25),
        (Kernel.NEAREST, "area", 2.0),
        (Kernel.CORNER, "nearest", 1.25),
    ],
)
def test_unscaled_cells_are_what_they_were(kernel, name, scale):
    words = [["closed", "flag", "3", "0"], ["1", "2", "closed", "mine"], ["0", "5", "4", "closed"]]
    picture = paint(CLASSIC, words)
    frame = Frame(enlarged(picture, scale, name), left=100, top=-50)
    grid = Grid(Pixel(100, -50), (16 * scale, 16 * scale), 3, 4)
    cells = Unscaler(grid, (16, 16), kernel).cells(frame)
    native = picture.reshape(3, 16, 4, 16, 3).swapaxes(1, 2).reshape(12, 16, 16, 3)
    assert np.sqrt(((cells.astype(float) - native) ** 2).mean(axis=(1, 2, 3))).max() < 8
    one = Unscaler(grid, (16, 16), kernel).cell(frame, 1, 2)
    assert np.array_equal(one, cells[6])


def test_find_lattices_finds_pitch_and_corner_of_scattered_points():
    rng = np.random.default_rng(0)
    col, row = np.divmod(rng.permutation(80)[:40], 8)
    x, y = 100.3 + (col + 0.5) * 27.5, 40.8 + (row + 0.5) * 27.5
    wobble = rng.uniform(-0.4, 0.4, (2, 40))
    half, pitch = np.full(40, 0.5), np.full(40, 27.0)
    marks = _Marks(x + wobble[0], y + wobble[1], half, half, pitch, pitch, np.ones(40, dtype=bool))
    (lattice,) = _find_lattices(marks, [27.0])
    assert lattice.pitch_px == pytest.approx((27.5, 27.5), abs=0.05)
    assert lattice.corner == pytest.approx((100.3, 40.8), abs=0.5)
    assert lattice.n_marks == 40


def test_a_table_of_empty_fields_is_followed_up_only_where_boards_of_few_closed_cells_are_looked_for():
    words = [["closed"] * 6, *[["0"] * 6] * 5]
    board = enlarged(paint(CLASSIC, words), 1.5, "linear")
    table = enlarged(paint(CLASSIC, [["0"] * 12] * 12), 1.5, "linear")
    pixels = np.full((600, 800, 3), (90, 60, 30), dtype=np.uint8)
    pixels[20 : 20 + board.shape[0], 30 : 30 + board.shape[1]] = board
    pixels[250 : 250 + table.shape[0], 300 : 300 + table.shape[1]] = table
    faces = Faces(Frame(pixels))
    corners = {
        of_many: {grid.corner for grid, _ in lattices_of(faces, CLASSIC, of_many_closed=of_many)}
        for of_many in (True, False)
    }
    assert [tuple(map(round, corner)) for corner in corners[True]] == [(30, 20)]
    assert {tuple(map(round, corner)) for corner in corners[False]} == {(30, 20), (300, 250)}


def test_find_patches_wants_mines_and_trims_what_is_only_alike():
    sites = np.full((8, 8), NO_CELL, dtype=np.int8)
    sites[1:7, 1:7] = OPEN
    assert find_patches(sites) == []
    sites[2, 2] = MINE_CAPABLE
    (patch,) = find_patches(sites)
    assert (patch.top, patch.left, patch.rows, patch.cols) == (1, 1, 6, 6)
    sites[0, 3] = LIKE
    assert find_patches(sites) == [patch]
    sites[0, 1:7] = LIKE
    assert find_patches(sites)[0].rows == 7


def test_find_native_tells_two_skins_with_the_same_closed_cells_by_their_numbers(screens):
    red = {"1": (0, 0, 200), "2": (200, 0, 0)}
    other = replace(CLASSIC, name="other", exact={}, sprites=tuple(tinted(sprite, red) for sprite in CLASSIC.sprites))
    frame = load_frame(screens / "msx-winxp-expert-mid.png")
    boards = find_exact(frame, [other, CLASSIC])
    assert max(boards, key=lambda board: board.n_named + board.n_known).skin is CLASSIC


def tinted(sprite, colours):
    pixels = sprite.pixels_bgr.copy()
    if sprite.state in colours:
        pixels[4:12, 4:12] = colours[sprite.state]
    return Sprite(sprite.state, pixels)


def test_states_drawn_alike_are_alternatives_and_unreadable():
    seven = next(sprite for sprite in CLASSIC.sprites if sprite.state == "7")
    sprites = tuple(Sprite("8", seven.pixels_bgr) if sprite.state == "8" else sprite for sprite in CLASSIC.sprites)
    skin = replace(CLASSIC, sprites=sprites, exact={})
    frame = Frame(paint(skin, [["7", "closed"], ["question", "0"]]))
    reading = read_board(frame, Grid(Pixel(0, 0), (16, 16), 2, 2), skin)
    assert reading.alternatives == {(0, 0): frozenset({"7", "8"})}
    assert reading.unknown == ((0, 0),)
    assert reading.board[0, 0] == UNREADABLE


def test_states_that_mean_the_same_are_read_though_drawn_alike():
    closed = next(sprite for sprite in CLASSIC.sprites if sprite.state == "closed")
    sprites = tuple(
        Sprite("question", closed.pixels_bgr) if one.state == "question" else one for one in CLASSIC.sprites
    )
    reading = read_board(
        Frame(paint(CLASSIC, [["closed"]])), Grid(Pixel(0, 0), (16, 16), 1, 1), replace(CLASSIC, sprites=sprites)
    )
    assert reading.alternatives == {}
    assert reading.unknown == ()


@pytest.mark.parametrize("name", ["classic", "classic-98", "minebot", "winemine"])
def test_a_plain_field_is_no_sprite_that_has_lines(name):
    skin = load_shipped_skin(name)
    matcher = Matcher(skin)
    for sprite in skin.sprites:
        mean = np.full_like(sprite.pixels_bgr, sprite.pixels_bgr.reshape(-1, 3).mean(axis=0).round().astype(np.uint8))
        face = np.full_like(sprite.pixels_bgr, sprite.pixels_bgr[12, 12])
        assert not matcher.name(np.stack([mean, face]), 1.4).is_known.any(), sprite.state


def test_find_repeats_finds_a_grid_of_unknown_appearance():
    rng = np.random.default_rng(3)
    pixels = np.full((300, 400, 3), 70, dtype=np.uint8)
    for row in range(8):
        for col in range(10):
            pixels[40 + 25 * row : 62 + 25 * row, 60 + 25 * col : 82 + 25 * col] = rng.integers(90, 255)
    best = find_flat_lattices(pixels)[0]
    assert (best.rows, best.cols) == (8, 10)
    assert best.pitch_px == pytest.approx((25, 25), abs=0.1)


def test_border_watch_sees_a_window_that_moved(screens):
    frame = load_frame(screens / "msx-winxp-expert-mid.png")
    grid = Grid(Pixel(21, 102), (16, 16), 16, 30)
    watch = BorderWatch(frame, grid)
    assert watch.is_still_there(frame.crop(watch.region))
    inside = frame.pixels_bgr.copy()
    inside[200, 200] = 1
    assert watch.is_still_there(Frame(inside))
    assert not watch.is_still_there(Frame(np.roll(frame.pixels_bgr, 1, axis=1)))
    covered = frame.pixels_bgr.copy()
    covered[95:110, 300:330] = 255
    assert not watch.is_still_there(Frame(covered))


@pytest.mark.parametrize(
    "pixel", [(200, 19), (200, 503), (100, 250), (359, 250)], ids=["left", "right", "top", "bottom"]
)
def test_border_watch_watches_every_side(screens, pixel):
    frame = load_frame(screens / "msx-winxp-expert-mid.png")
    watch = BorderWatch(frame, Grid(Pixel(21, 102), (16, 16), 16, 30))
    changed = frame.pixels_bgr.copy()
    changed[pixel] ^= 255
    assert not watch.is_still_there(Frame(changed))
    watch.forgive(Frame(changed))
    assert watch.is_still_there(Frame(changed)), "that side, and no other, is left out"
    assert not watch.is_still_there(Frame(np.roll(changed, 1, axis=0)))


def test_matcher_names_nothing_that_is_as_near_to_another_state():
    generous = replace(CLASSIC, tolerance=replace(CLASSIC.tolerance, accept=255.0), exact={})
    one, two = (CLASSIC.sprites_of(state)[0].pixels_bgr.astype(np.float64) for state in ("1", "2"))
    shares = np.array([0.0, 0.2, 0.45, 0.5, 0.55, 0.8, 1.0])
    cells = np.stack([np.round(one + share * (two - one)).astype(np.uint8) for share in shares])
    named = Matcher(generous).name(cells).codes
    assert CLASSIC.tolerance.margin == 1.5
    assert named.tolist() == [1, 1, UNREADABLE, UNREADABLE, UNREADABLE, 2, 2]


def test_border_watch_tells_of_a_move_when_every_side_has_been_left_out_once(screens):
    frame = load_frame(screens / "msx-winxp-expert-mid.png")
    watch = BorderWatch(frame, Grid(Pixel(21, 102), (16, 16), 16, 30))
    changed = frame.pixels_bgr.copy()
    for pixel in [(200, 19), (200, 503), (100, 250), (359, 250)]:
        changed[pixel] ^= 255
        watch.forgive(Frame(changed))
        assert watch.is_still_there(Frame(changed))
    assert not watch.is_still_there(Frame(np.roll(changed, 1, axis=0)))


@pytest.mark.parametrize("name", ["linear", "cubic", "area"])
@pytest.mark.parametrize("scale", [1.25, 1.5, 2.0, 2.5])
def test_border_watch_of_an_enlarged_board_minds_no_cell_that_is_opened(scale, name):
    frames = []
    for state in ("closed", "1", "flag"):
        picture = np.random.default_rng(5).integers(0, 255, (300, 300, 3), dtype=np.uint8)
        picture[60 : 60 + 144, 40 : 40 + 144] = paint(CLASSIC, [[state] * 9] * 9)
        frames.append(Frame(enlarged(picture, scale, name)))
    watch = watch_border(frames[0], Grid.at((40 * scale, 60 * scale), (16 * scale, 16 * scale), 9, 9), CLASSIC)
    assert all(watch.is_still_there(frame) for frame in frames)
    assert not watch.is_still_there(Frame(np.roll(frames[0].pixels_bgr, 1, axis=1)))


def test_border_watch_at_the_very_edge_of_a_picture():
    shown = screen(CLASSIC, place=(0, 0), level="beginner", size=(600, 400))
    watch = BorderWatch(shown.frame, Grid(Pixel(0, 0), (16, 16), 9, 9))
    assert watch.region == Region(0, 0, 147, 147)
    assert watch.is_still_there(shown.frame)


def reading_of(text, mines=None):
    board = parse_board(text).with_mines(mines)
    grid = Grid(Pixel(0, 0), (16, 16), *board.shape)
    unknown = tuple((int(r), int(c)) for r, c in np.argwhere(board.cells == UNREADABLE))
    base = Reader(CLASSIC, grid).read(Frame(np.zeros((16 * grid.rows, 16 * grid.cols, 3), dtype=np.uint8)))
    return replace(base, board=board, unknown=unknown, state=board.state)


@pytest.mark.parametrize("name", ["xdemineur", "sgt-mines", "minebot"])
def test_a_skin_has_the_same_windows_beside_skins_of_narrower_cells(name):
    """Beside those its rows are looked up by a part of them first, by itself as a whole."""
    skin = load_shipped_skin(name)
    pixels = screen(skin, state="mid", level="intermediate", seed=5).frame.pixels_bgr
    alone = _find_windows(pixels, [skin])
    assert alone
    assert [window for window in _find_windows(pixels, [skin, CLASSIC]) if skin in window.skins] == alone


def test_rows_whose_first_part_is_plain_are_looked_up_by_another():
    """Cells with all that tells them apart at their right side, wider than those of another skin."""
    skin = load_shipped_skin("minebot")
    sides = [replace(sprite, pixels_bgr=np.roll(sprite.pixels_bgr[:, ::-1], -1, axis=1)) for sprite in skin.sprites]
    late = [
        np.concatenate([side.pixels_bgr[:, :1].repeat(18, axis=1), side.pixels_bgr[:, 18:]], axis=1) for side in sides
    ]
    skin = replace(
        skin, sprites=tuple(replace(sprite, pixels_bgr=pixels) for sprite, pixels in zip(sides, late, strict=True))
    )
    picture = np.full((400, 500, 3), 77, dtype=np.uint8)
    picture[40 : 40 + 8 * 24, 60 : 60 + 9 * 24] = paint(skin, [["closed"] * 9] * 8)
    (alone,) = _find_windows(picture, [skin])
    assert alone.x_phase == 60 % 24
    assert [window for window in _find_windows(picture, [skin, CLASSIC]) if skin in window.skins] == [alone]
