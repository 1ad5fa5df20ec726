"""Boards in colours that changed as a whole are read, or not known: no cell is taken for another."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from amounts import count
from rendered import not_a_board, screen, wrong_cells

from bot.commands.loading import read_frame
from bot.errors import BoardNotFoundError
from bot.images import load_frame
from bot.models import Frame
from bot.vision.finding import find_boards, locate_board
from bot.vision.other_colours import find_in_other_colours
from bot.vision.reading import doubt_pressed, read_board
from skins import load_shipped_skins
from solver.board import format_rows

CASE = Path(__file__).parents[2] / "screens" / "cases" / "google-other-display-colours.png"
SKINS = load_shipped_skins()
DRAWN = [skin for skin in SKINS if skin.name != "4d"]
TRUTH = [
    "001F10001F2F########",
    "001110001133########",
    "22100000001F########",
    "FF1001232112########",
    "332012FFF222########",
    "1F113F433##F########",
    "1234FF21222#########",
    "01FFF632F11#########",
]
"""The cells of `google-other-display-colours.png`."""
DISPLAY_P3 = np.array([[0.9108, 0.0724, 0.0171], [0, 0.9669, 0.0332], [0, 0.1774, 0.8225]])
"""The light of sRGB as a Display P3 has it: blue, green, red; by the primaries of SMPTE EG 432-1 and ITU-R BT.709."""

find_all = partial(find_boards, every_scale=True)


def gains(blue=1.0, green=1.0, red=1.0):
    return np.diag([blue, green, red])


def changed(frame, matrix, offset=0.0, *, of_light=False):
    """A picture whose levels, or the light they stand for (IEC 61966-2-1), all go through one affine change."""
    share = frame.pixels_bgr / 255
    if of_light:
        share = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    share = np.clip(share @ matrix.T + offset, 0, 1)
    if of_light:
        share = np.where(share <= 0.0031308, share * 12.92, 1.055 * share ** (1 / 2.4) - 0.055)
    return Frame(np.rint(255 * share).astype(np.uint8))


def randomly_changed(frame, rng):
    """A picture on a dimmed screen, under a night light, on another display, or after any other affine change."""
    kind = rng.randrange(4)
    if kind == 0:
        return changed(frame, gains(*[rng.uniform(0.4, 0.95)] * 3))
    if kind == 1:
        return changed(frame, gains(rng.uniform(0.4, 0.85), rng.uniform(0.7, 0.95)))
    if kind == 2:
        matrix = gains(*[rng.uniform(0.6, 1.05) for _ in range(3)])
        matrix += [[rng.uniform(-0.06, 0.06) * (i != j) for j in range(3)] for i in range(3)]
        return changed(frame, matrix, [rng.uniform(-0.1, 0.1) for _ in range(3)])
    share = rng.uniform(0.3, 1.2)
    return changed(frame, np.eye(3) * (1 - share) + DISPLAY_P3 * share, of_light=True)


def test_a_board_in_the_colours_of_another_display_is_read_exactly():
    frame = load_frame(CASE)
    assert find_all(frame, SKINS) == []
    (found,) = find_in_other_colours(frame, SKINS, find_all)
    assert format_rows(found.reading.board.cells) == TRUTH
    own, shown = found.reading.shift
    assert (found.reading.skin, own) == ("google", (81, 215, 170))
    assert np.abs(np.subtract(shown, (102, 212, 180))).max() <= 1


@pytest.mark.parametrize("name", ["classic", "google", "sgt-mines", "xdemineur"])
def test_a_board_under_a_night_light_is_read(name):
    skin = next(skin for skin in SKINS if skin.name == name)
    shown = screen(skin, state="mid", level="beginner", seed=4, size=(500, 400))
    frame = changed(shown.frame, gains(blue=0.6, green=0.85))
    assert find_all(frame, SKINS) == []
    (found,) = find_in_other_colours(frame, SKINS, find_all)
    assert found.skin.name == name
    assert wrong_cells(shown, found.reading) == []
    assert len(found.reading.unknown) <= 8


@pytest.mark.parametrize("skin", DRAWN, ids=lambda skin: skin.name)
def test_no_cell_of_a_board_in_other_colours_is_read_wrongly(skin):
    for seed in range(count("MINEBOT_SHIFTS", gate=3, full=200)):
        rng = random.Random(f"{skin.name} {seed}")
        scale, state = rng.choice([1.0, 1.5]), rng.choice(["mid", "mid", "lost", "won"])
        shown = screen(skin, scale=scale, state=state, level="beginner", seed=seed, size=(600, 480))
        for found in find_in_other_colours(randomly_changed(shown.frame, rng), SKINS, find_all):
            assert wrong_cells(shown, found.reading) == [], f"{seed=} {found.skin.name}"


def test_who_plays_is_told_what_the_colours_are_and_what_to_do():
    with pytest.raises(BoardNotFoundError) as caught:
        locate_board(load_frame(CASE), SKINS)
    told, what_to_do = str(caught.value).split("\n")
    assert "google's look in other colours, changed as a whole: closed cells are 180,212,102, not 170,215,81" in told
    assert "'minebot read' can read it" in told
    assert "night light" in what_to_do
    assert "minebot-calibrate" in what_to_do


def test_a_board_that_cannot_be_read_exactly_is_named_all_the_same():
    pixels = load_frame(CASE).pixels_bgr.copy()
    (found,) = find_in_other_colours(Frame(pixels), SKINS, find_all)
    for cell in np.ndindex(8, 20):
        if sum(cell) % 3 == 0:
            middle = found.reading.grid.cell_region(cell).middle
            pixels[middle.y - 6 : middle.y + 6, middle.x - 6 : middle.x + 6] = (200, 0, 200)
    with pytest.raises(BoardNotFoundError, match=r"google's look in other colours, .* cannot read it exactly"):
        read_frame(Frame(pixels), "a picture", "auto", None)


@pytest.mark.parametrize(
    ("name", "scale", "share", "state", "seed"),
    [
        ("gnome-mines", 1.25, 0.95, "mid", 1),
        ("gnome-mines", 1.25, 0.6, "mid", 1),
        ("gnome-mines", 2.0, 0.6, "lost", 2),
        ("sgt-mines", 1.5, 0.7, "lost", 2),
    ],
)
def test_a_colour_that_dimming_makes_of_another_is_not_taken_for_closed_cells(name, scale, share, state, seed):
    skin = next(skin for skin in SKINS if skin.name == name)
    shown = screen(skin, scale=scale, state=state, level="beginner", seed=seed, size=(700, 560))
    frame = Frame(np.rint(shown.frame.pixels_bgr * share).astype(np.uint8))
    for board in find_all(frame, SKINS):
        assert wrong_cells(shown, doubt_pressed(read_board(frame, board.grid, board.skin))) == []


def test_closed_cells_alone_are_not_known():
    google = next(skin for skin in SKINS if skin.name == "google")
    shown = screen(google, state="fresh", level="beginner", scale=1.5, seed=1, size=(400, 400))
    pixels = np.full_like(shown.frame.pixels_bgr, 250)
    region = shown.region
    inside = np.s_[region.top : region.top + region.height, region.left : region.left + region.width]
    pixels[inside] = changed(shown.frame, gains(0.8, 0.8, 0.8)).pixels_bgr[inside]
    assert find_all(Frame(pixels), [google]) == []
    assert find_in_other_colours(Frame(pixels), [google], find_all) == []


@pytest.mark.parametrize("seed", range(6))
def test_what_is_no_board_is_none_in_other_colours(seed):
    assert find_in_other_colours(Frame(not_a_board(seed, (500, 400))), SKINS, find_all) == []
