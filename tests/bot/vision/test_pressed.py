"""Cells that are held down on a picture are not known; true zeros are."""

from __future__ import annotations

import numpy as np
import pytest
from painted import paint

from bot.commands.loading import read_frame
from bot.images import load_frame
from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.reading import doubt_pressed, read_board
from skins import load_shipped_skins
from solver.board import format_rows, parse_board

SKINS = [skin for skin in load_shipped_skins() if not skin.drawing.is_in_blocks]


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("msx-pressed", [(5, 5)]),
        ("msx-pressed-middle", [(row, col) for row in (4, 5, 6) for col in (4, 5, 6)]),
    ],
)
def test_cells_held_down_are_unreadable(screens, name, held):
    path = screens / f"{name}.png"
    ((reading, count),) = read_frame(load_frame(path), path, "auto", None)
    assert list(reading.unknown) == held
    assert [reading.alternatives[cell] for cell in held] == [frozenset({"0", "closed"})] * len(held)
    assert (np.argwhere(reading.scores == 0).tolist(), count.mines) == ([list(cell) for cell in held], 40)


def read_of(skin, text):
    words = [["closed" if symbol == "#" else "flag" if symbol == "F" else symbol for symbol in row] for row in text]
    frame = Frame(paint(skin, words))
    board = find_boards(frame, [skin])[0]
    return doubt_pressed(read_board(frame, board.grid, skin))


@pytest.mark.parametrize("skin", SKINS, ids=[skin.name for skin in SKINS])
def test_zeros_among_open_cells_stay_and_flags_beside_them_prove_nothing(skin):
    text = ["00F1", "0011", "0000", "1121", "####", "##0#"]
    assert format_rows(read_of(skin, text).board.cells) == [*text[:5], "##!#"]


def test_real_boards_are_left_as_they_are(screens):
    for path in sorted(screens.glob("*.txt")):
        frame = load_frame(path.with_suffix(".png"))
        (board,) = find_boards(frame, SKINS)
        reading = doubt_pressed(read_board(frame, board.grid, board.skin))
        assert np.array_equal(reading.board.cells, parse_board(path.read_text()).cells), path.stem
