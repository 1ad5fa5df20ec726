"""Boards in colours that changed as a whole are read, or not known: no cell is taken for another."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from amounts import count
from rendered import not_a_board, screen, wrong_cells

from bot.images import load_frame
from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.other_colours import find_in_other_colours
from bot.vision.reading import read_board
from skins import load_shipped_skins
from skins.colours import ColourChange
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


def found_on(frame, skins=SKINS):
    return find_all(frame, skins) or find_in_other_colours(frame, skins, find_all)


def change_of(blue=1.0, green=1.0, red=1.0, offset=0.0):
    return ColourChange(np.column_stack([np.diag([blue, green, red]), [offset] * 3]))


def random_change(rng):
    """A dimmed screen, a night light, another display or any other affine change."""
    kind = rng.randrange(4)
    if kind == 0:
        return change_of(*[rng.uniform(0.4, 0.95)] * 3)
    if kind == 1:
        return change_of(rng.uniform(0.4, 0.85), rng.uniform(0.7, 0.95))
    if kind == 2:
        gains = np.diag([rng.uniform(0.6, 1.05) for _ in range(3)])
        crossed = np.array([[rng.uniform(-0.06, 0.06) * (i != j) for j in range(3)] for i in range(3)])
        return ColourChange(np.column_stack([gains + crossed, [rng.uniform(-0.1, 0.1) for _ in range(3)]]))
    share = rng.uniform(0.3, 1.2)
    return ColourChange(np.column_stack([np.eye(3) * (1 - share) + DISPLAY_P3 * share, [0] * 3]), of_light=True)


def test_a_board_in_the_colours_of_another_display_is_read_exactly():
    frame = load_frame(CASE)
    assert find_all(frame, SKINS) == []
    (board,) = find_in_other_colours(frame, SKINS, find_all)
    reading = read_board(frame, board.grid, board.skin)
    assert format_rows(reading.board.cells) == TRUTH
    own, shown = reading.shift
    assert (reading.skin, own) == ("google", (81, 215, 170))
    assert np.abs(np.subtract(shown, (102, 212, 180))).max() <= 1


@pytest.mark.parametrize("name", ["classic", "google", "sgt-mines", "xdemineur"])
def test_a_board_under_a_night_light_is_read(name):
    skin = next(skin for skin in SKINS if skin.name == name)
    shown = screen(skin, state="mid", level="beginner", seed=4, size=(500, 400))
    frame = Frame(change_of(blue=0.6, green=0.85).pixels(shown.frame.pixels_bgr))
    (board,) = found_on(frame)
    assert board.skin.name == name
    assert wrong_cells(shown, frame, board) == []
    assert len(read_board(frame, board.grid, board.skin).unknown) <= 8


@pytest.mark.parametrize("skin", DRAWN, ids=lambda skin: skin.name)
def test_no_cell_of_a_board_in_other_colours_is_read_wrongly(skin):
    for seed in range(count("MINEBOT_SHIFTS", gate=3, full=200)):
        rng = random.Random(f"{skin.name} {seed}")
        change, state = random_change(rng), rng.choice(["mid", "mid", "lost", "won"])
        shown = screen(skin, scale=rng.choice([1.0, 1.5]), state=state, level="beginner", seed=seed, size=(600, 480))
        frame = Frame(change.pixels(shown.frame.pixels_bgr))
        for board in find_in_other_colours(frame, SKINS, find_all):
            assert wrong_cells(shown, frame, board) == [], f"{seed=} {board.skin.name} {change.matrix.tolist()}"


def test_closed_cells_alone_are_not_known():
    google = next(skin for skin in SKINS if skin.name == "google")
    shown = screen(google, state="fresh", level="beginner", scale=1.5, seed=1, size=(400, 400))
    pixels = np.full_like(shown.frame.pixels_bgr, 250)
    region = shown.region
    inside = np.s_[region.top : region.top + region.height, region.left : region.left + region.width]
    pixels[inside] = change_of(0.8, 0.8, 0.8).pixels(shown.frame.pixels_bgr[inside])
    frame = Frame(pixels)
    assert found_on(frame, [google]) == []


@pytest.mark.parametrize("seed", range(6))
def test_what_is_no_board_is_none_in_other_colours(seed):
    assert find_in_other_colours(Frame(not_a_board(seed, (500, 400))), SKINS, find_all) == []
