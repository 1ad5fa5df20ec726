"""The clone's own mine counter is read exactly, or not at all."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
import sheet_maker
from chunks import in_chunks
from counters import board_with_counter, shows

from bot.game.art import digit_sprites
from bot.game.plan import plan_window
from bot.game.sizes import BoardSize
from bot.images import load_frame
from bot.models import Frame, Grid, Pixel
from bot.vision.finding import find_boards
from bot.vision.mine_counter import count_on, read_counter
from bot.vision.reading import read_board
from skins import load_shipped_skin, load_shipped_skins
from skins.sprite_sheet import _skin_from_sheet
from solver.board import FLAG, WRONG_FLAG, GameState

# What the counter shows and, where the whole board can be seen, how many mines that makes with the flags on it.
RECORDED = {
    "arbiter-counters-cover-board": [(10, None)],
    "arbiter-expert-fresh": [(99, 99)],
    "minebot-expert-mid": [(99, 99)],
    "msx-pressed": [(40, 40)],
    "msx-pressed-middle": [(40, 40)],
    "msx-skin-colorsonly-mid": [(22, None)],  # another sheet: its digits on the cells are not ours, its counter is
    "msx-skin-win98-fresh": [(40, 40)],
    "msx-skin-win98-lost": [(13, 40)],
    "msx-skin-win98-mid": [(13, 40)],
    "msx-skin-winxp-fresh": [(40, 40)],
    "msx-skin-winxp-mid": [(13, 40)],
    "msx-skin-winxp-won": [(0, 40)],
    "msx-winxp-expert-fresh": [(99, 99)],
    "msx-winxp-expert-mid": [(26, 99)],
    "msx-winxp-expert-won": [(None, None)],  # a dialog covers it
    "two-boards-msx-arbiter": [(99, 99), (99, 99)],
    "winemine-beginner-fresh": [(10, 10)],
    "winemine-beginner-won-list": [(None, None)],  # likewise
    "winemine-beginner-won-name": [(None, None)],  # likewise
    "winemine-dpi144-first": [(40, 40), (72, None)],
    "winemine-expert-fresh": [(99, 99)],
    "winemine-expert-lost": [(99, 99)],
    "winemine-expert-mid": [(38, 99)],
    "winemine-expert-won": [(0, None)],
    "winemine-expert-won-popup": [(0, None)],
}
SCALES = [1.25, 1.5, 1.75, 2.0, 2.5, 3.0]


def boards_of(screens, name):
    frame = load_frame(screens / f"{name}.png")
    return frame, find_boards(frame, load_shipped_skins())


def test_recorded_covers_every_screen_with_a_board(screens):
    without_board = {"msx-skin-mario-mid"}  # a sheet of its own
    assert sorted(RECORDED) == sorted({path.stem for path in screens.glob("*.png")} - without_board)


@pytest.mark.parametrize("name", RECORDED)
def test_read_counter_of_recorded_screens(screens, name):
    frame, boards = boards_of(screens, name)
    assert len(boards) == len(RECORDED[name])
    for board, (shown, mines) in zip(boards, RECORDED[name], strict=True):
        assert read_counter(frame, board.grid, board.skin) == shown
        reading = read_board(frame, board.grid, board.skin)
        if mines is not None:
            cells = reading.board.cells
            assert not reading.unknown
            assert shown + int(np.isin(cells, [FLAG, WRONG_FLAG]).sum()) == mines
            assert count_on(frame, reading, board.skin)[1].source == "counter"


@pytest.mark.parametrize("name", [skin.name for skin in load_shipped_skins() if skin.counter is not None])
@in_chunks("shown", [0, 1, 23, 45, 67, 89, 998, -1, -50, -98], 1)
def test_read_counter_reads_every_digit(name, shown):
    skin = load_shipped_skin(name)
    frame, grid = board_with_counter(skin, [["closed"] * 9] * 9, f"{shown:03d}")
    assert read_counter(frame, grid, skin) == shown


@pytest.mark.parametrize("text", ["999", "-99", "1-2", "---", "00-"])
def test_read_counter_claims_nothing_of_its_ends_and_of_nonsense(text):
    skin = load_shipped_skin("classic")
    frame, grid = board_with_counter(skin, [["closed"] * 9] * 9, text)
    assert read_counter(frame, grid, skin) is None


def test_read_counter_without_one_in_sight():
    skin = load_shipped_skin("classic")
    frame, grid = board_with_counter(skin, [["closed"] * 9] * 9, "")
    assert read_counter(frame, grid, skin) is None
    assert read_counter(frame.crop(grid.region), grid, skin) is None


def test_read_counter_under_a_pointer_is_none(screens):
    frame, (board,) = boards_of(screens, "msx-winxp-expert-mid")
    pixels = frame.pixels_bgr.copy()
    for i in range(9):  # a black arrow with a white rim over the last digit
        pixels[68 + i, 55 : 56 + i] = 0
        pixels[68 + i, 56 + i] = 255
    assert read_counter(Frame(pixels), board.grid, board.skin) is None


@pytest.mark.parametrize("spread", [2, 6, 12])
def test_read_counter_stands_noise(screens, spread):
    frame, (board,) = boards_of(screens, "winemine-expert-mid")
    noise = np.random.default_rng(spread).integers(-spread, spread + 1, frame.pixels_bgr.shape)
    noisy = Frame(np.clip(frame.pixels_bgr + noise, 0, 255).astype(np.uint8))
    assert read_counter(noisy, board.grid, board.skin) == 38


def test_read_counter_never_misreads_what_is_painted_over():
    skin = load_shipped_skin("classic")
    frame, grid = board_with_counter(skin, [["closed"] * 9] * 9, "038")
    generator = np.random.default_rng(4)
    for _ in range(200):
        pixels = frame.pixels_bgr.copy()
        left, top = int(generator.integers(30, 70)), int(generator.integers(45, 70))
        pixels[top : top + 8, left : left + 10] = generator.integers(0, 256, 3)
        assert read_counter(Frame(pixels), grid, skin) in (38, None)


@pytest.mark.parametrize("interpolation", [cv2.INTER_NEAREST, cv2.INTER_LINEAR, cv2.INTER_CUBIC])
def test_read_counter_of_scaled_screens_is_right_or_none(screens, interpolation):
    n_read = n_seen = 0
    for name in ["msx-winxp-expert-mid", "winemine-expert-mid", "minebot-expert-mid", "arbiter-expert-fresh"]:
        frame, (board,) = boards_of(screens, name)
        for scale in SCALES:
            larger = cv2.resize(frame.pixels_bgr, None, fx=scale, fy=scale, interpolation=interpolation)
            origin = Pixel(round(board.grid.origin.x * scale), round(board.grid.origin.y * scale))
            pitch = round(board.skin.pitch_px[0] * scale)
            shown = read_counter(Frame(larger), Grid(origin, (pitch, pitch), 16, 30), board.skin)
            assert shown in (RECORDED[name][0][0], None)
            n_seen += 1
            n_read += shown is not None
    assert n_read >= 0.8 * n_seen


@pytest.mark.parametrize("cell_px", [16, 24, 32, 33])
def test_read_counter_of_an_imported_sheet(cell_px):
    skin = _skin_from_sheet(sheet_maker.scaled(sheet_maker.sheet(), cell_px), "x", "x")
    frame, grid = board_with_counter(skin, [["closed"] * 9] * 9, "047")
    assert read_counter(frame, grid, skin) == 47


def test_minebot_counter_is_the_built_in_games_own():
    skin = load_shipped_skin("minebot")
    sprites = digit_sprites()
    assert {sprite.state for sprite in skin.counter.digits} == set(sprites)
    assert all(np.array_equal(sprite.pixels_bgr, sprites[sprite.state]) for sprite in skin.counter.digits)
    for cols in range(4, 31):
        plan = plan_window(skin, BoardSize((9, cols), 10))
        spot = plan.mine_counter.left + 4 - plan.grid.origin.x, plan.mine_counter.top + 4 - plan.grid.origin.y
        assert spot in skin.counter.spots_px


def test_count_on_tells_a_custom_board_from_a_standard_one(screens):
    frame, (board,) = boards_of(screens, "winemine-beginner-fresh")
    custom = shows(frame, board.grid, board.skin, "012")
    reading, count = count_on(custom, read_board(custom, board.grid, board.skin), board.skin)
    assert (count.mines, count.source) == (12, "counter")
    assert "12 mines where a standard 9x9 board has 10" in count.remark
    assert reading.board.mines == 12


def test_count_on_knows_a_won_board_by_its_counter():
    skin = load_shipped_skin("classic")
    rows = [["0"] * 10, ["1", "1", "1", *["0"] * 7], ["1", "closed", "1", *["0"] * 7], ["1", "1", "1", *["0"] * 7]]
    frame, grid = board_with_counter(skin, rows, "001")
    reading = read_board(frame, grid, skin)
    assert reading.state is GameState.PLAYING
    assert count_on(frame, reading, skin)[0].state is GameState.WON


def test_part_of_a_larger_board_is_not_taken_for_a_board_of_a_size_that_was_learned():
    winemine = load_shipped_skin("winemine")
    skin = replace(winemine, counter=None, border=None, is_verified=True, levels={(9, 9): 10})
    picture = np.random.default_rng(0).integers(0, 255, (400, 400, 3), dtype=np.uint8)
    closed = skin.sprites_of("closed")[0].pixels_bgr
    picture[60:204, 40:184] = np.tile(closed, (9, 9, 1))  # of 16x16 cells; what lies over the rest may be anything
    frame = Frame(picture)
    (board,) = find_boards(frame, [skin])
    assert board.grid.clipped
    assert count_on(frame, read_board(frame, board.grid, skin), skin)[1].mines is None
    (whole,) = find_boards(frame, [skin], is_whole=True)
    assert count_on(frame, read_board(frame, whole.grid, skin), skin)[1].mines == 10
