"""Repeats along rows, and what becomes of them: boards at other scales, told at a glance."""

import math
from dataclasses import replace

import numpy as np
import pytest
from painted import paint
from rendered import KERNELS, enlarged, not_a_board, screen

from bot.models import Frame, Kernel, Region
from bot.vision import rescaled
from bot.vision.finding import find_boards
from bot.vision.lattice import may_be_faces
from bot.vision.reading import Reader, read_board
from bot.vision.row_repeats import find_row_repeats
from skins import load_shipped_skin, load_shipped_skins
from skins.skin import CLOSED, Sprite

CLASSIC, WINEMINE = load_shipped_skin("classic"), load_shipped_skin("winemine")


def desk(*shown, left=0, top=0):
    """A plain screen with pictures on it, each at its place: (picture, x, y)."""
    pixels = np.full((700, 1000, 3), (90, 60, 30), dtype=np.uint8)
    for picture, x, y in shown:
        pixels[y : y + picture.shape[0], x : x + picture.shape[1]] = picture
    return Frame(pixels, left, top)


def fresh(skin, scale=1.5, kernel="linear", side=9):
    return enlarged(paint(skin, [[CLOSED] * side] * side), scale, kernel)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scale", [1.25, 1.5, 2.0, 27.5 / 16])
def test_cells_of_one_board_are_one_repeat_of_their_pitch(scale, kernel):
    board = fresh(CLASSIC, scale, kernel)
    frame = desk((board, 200, 120), left=-50, top=30)
    (repeat,) = find_row_repeats(frame)
    assert repeat.pitch_px == pytest.approx(16 * scale, abs=0.3)
    whole = Region(150, 150, board.shape[1], board.shape[0])
    assert whole.holds(repeat.region)
    assert repeat.region.widened(math.ceil(16 * scale), frame.region).holds(whole)
    assert may_be_faces(repeat, CLASSIC)
    assert not may_be_faces(repeat, WINEMINE)


def test_boards_far_apart_are_repeats_of_their_own():
    frame = desk((fresh(CLASSIC), 10, 10), (fresh(CLASSIC), 700, 400), (fresh(CLASSIC, 2.0), 10, 400))
    found = {round(repeat.pitch_px): [] for repeat in find_row_repeats(frame)}
    for repeat in find_row_repeats(frame):
        found[round(repeat.pitch_px)].append(repeat.region.corner)
    assert sorted(found) == [24, 32]
    assert len(found[24]) == 2


@pytest.mark.parametrize(
    "frame",
    [
        Frame(np.zeros((2, 40, 3), dtype=np.uint8)),
        Frame(np.zeros((300, 400, 3), dtype=np.uint8)),
        Frame(np.random.default_rng(1).integers(0, 256, (300, 400, 3), dtype=np.uint8)),
        desk((fresh(CLASSIC)[:24], 100, 100)),
        desk((fresh(CLASSIC)[:, :72], 100, 100)),
    ],
    ids=["two rows", "plain", "noise", "a row of buttons", "three columns"],
)
def test_what_is_no_board_repeats_nowhere(frame):
    assert find_row_repeats(frame) == []


def test_boards_that_repeat_are_all_found_without_a_look_at_the_rest(monkeypatch):
    def forbidden(*_, **__):
        raise AssertionError("the whole frame was looked at")

    monkeypatch.setattr(rescaled._Search, "add_anywhere", forbidden)
    frame = desk((fresh(CLASSIC), 20, 30), (fresh(WINEMINE, 2.0), 500, 300), (fresh(CLASSIC, 1.75), 400, 10))
    found = {(board.skin.name, board.grid.region.corner) for board in find_boards(frame, load_shipped_skins())}
    assert found == {("classic", (20, 30)), ("winemine", (500, 300)), ("classic", (400, 10))}


def test_a_board_that_does_not_repeat_exactly_is_found_too():
    noise = np.random.default_rng(2).integers(-2, 3, (700, 1000, 3))
    shown = desk((fresh(CLASSIC), 200, 120)).pixels_bgr
    frame = Frame(np.clip(shown.astype(int) + noise, 0, 255).astype(np.uint8))
    assert find_row_repeats(frame) == []
    (board,) = find_boards(frame, load_shipped_skins())
    assert (board.skin.name, board.grid.region) == ("classic", Region(200, 120, 216, 216))


@pytest.mark.parametrize("is_first", [True, False])
def test_of_two_skins_that_know_every_cell_the_nearer_one_is_found(is_first):
    darker = tuple(
        Sprite(sprite.state, np.where(sprite.pixels_bgr == 255, 245, sprite.pixels_bgr).astype(np.uint8))
        if sprite.state == CLOSED
        else sprite
        for sprite in CLASSIC.sprites
    )
    other = replace(CLASSIC, name="other", exact={}, sprites=darker)
    skins = [CLASSIC, other] if is_first else [other, CLASSIC]
    for skin in skins:
        (board,) = find_boards(desk((fresh(skin), 200, 120)), skins)
        assert board.skin is skin


@pytest.mark.parametrize(("kernel", "expected"), [("nearest", Kernel.NEAREST), ("linear", Kernel.LINEAR)])
def test_a_board_that_was_found_says_how_it_was_enlarged_and_reads_the_same_without(kernel, expected):
    shown = screen(CLASSIC, scale=1.5, kernel=kernel, level="intermediate", seed=3)
    (board,) = find_boards(shown.frame, [CLASSIC])
    assert board.grid.kernel is expected
    unsaid = replace(board.grid, kernel=None)
    assert unsaid == board.grid
    assert np.array_equal(read_board(shown.frame, unsaid, CLASSIC).board.cells, shown.codes)
    assert np.array_equal(Reader(CLASSIC, board.grid).read(shown.frame).board.cells, shown.codes)


def test_nothing_is_found_where_tables_and_buttons_repeat():
    frames = [Frame(not_a_board(seed)) for seed in range(12)]
    assert any(find_row_repeats(frame) for frame in frames)
    assert not any(find_boards(frame, load_shipped_skins()) for frame in frames)
