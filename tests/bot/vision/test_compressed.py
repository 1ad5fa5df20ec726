"""Compressed pictures: what JPEG leaves on a cell is no sign, and what it hides is unreadable."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from amounts import count
from rendered import as_jpeg, screen, wrong_cells

from bot.images import load_frame
from bot.vision.fields import FieldCells
from bot.vision.finding import find_boards
from bot.vision.matching import SignReader
from bot.vision.reading import doubt_pressed, read_board
from skins import load_shipped_skins
from solver.board import format_rows

CASES = Path(__file__).parents[2] / "screens" / "cases"
SKINS = [skin for skin in load_shipped_skins() if skin.name != "4d"]
GOOGLE = next(skin for skin in SKINS if skin.name == "google")
TRUTH = ["000000001#", "111000001#", "##10000011", "##21000000"]
"""The cells of `google-q55.jpg`."""


def test_blank_cells_of_a_picture_that_was_posted_are_no_number():
    frame = load_frame(CASES / "google-q55.jpg")
    (board,) = find_boards(frame, SKINS, every_scale=True)
    seen = "".join(format_rows(read_board(frame, board.grid, board.skin).board.cells))
    assert {pair for pair in zip(seen, "".join(TRUTH), strict=True) if pair[0] not in ("!", pair[1])} == set()
    assert seen.count("0") >= 15


def test_no_blank_cell_of_it_is_said_to_have_a_number():
    frame = load_frame(CASES / "google-q55.jpg")
    (board,) = find_boards(frame, SKINS, every_scale=True)
    cells = FieldCells(GOOGLE, board.grid)
    blank = [cell for cell in np.ndindex(board.grid.shape) if TRUTH[cell[0]][cell[1]] == "0"]
    assert not any(cells.has_number(frame, frame.crop(board.grid.cell_region(cell)).pixels_bgr) for cell in blank)


def test_a_faint_stain_of_the_shape_of_a_digit_is_no_number():
    reader = SignReader(GOOGLE.signs)
    shape = next(shape for number, shape in GOOGLE.signs.shapes if number == 7)
    ink = np.pad(np.kron(shape, np.ones((2, 2))), 6)[:, :, None]
    assert [reader.number_by_shape(ink * np.array([-strength] * 3)) for strength in (15, 120)] == [0, 7]


def test_a_stain_of_the_colour_of_a_faint_digit_is_no_number():
    """White digits stand on light grey in GNOME Mines: stains of compression have half their ink."""
    picture = load_frame(CASES.parent / "clones" / "gnome-mines-expert-mid.png")
    frame = as_jpeg(picture, 45)
    boards = [find_boards(one, SKINS, every_scale=True, is_whole=True)[0] for one in (picture, frame)]
    truth, seen = (read_board(one, b.grid, b.skin).board.cells for one, b in zip((picture, frame), boards, strict=True))
    assert not ((seen >= 0) & (seen != truth)).any()
    assert (seen == truth).mean() > 0.5


@pytest.mark.parametrize("skin", SKINS, ids=lambda skin: skin.name)
def test_no_cell_of_a_compressed_picture_is_read_wrongly(skin):
    for seed in range(count("MINEBOT_JPEGS", gate=5, full=100)):
        quality, scale = 30 + seed * 37 % 66, (1.0, 1.5, 1.3, 2.25)[seed % 4]
        state, kernel = ("mid", "mid", "lost")[seed % 3], ("linear", "cubic")[seed % 2]
        shown = screen(skin, scale=scale, kernel=kernel, state=state, level="beginner", seed=seed, size=(700, 560))
        frame = as_jpeg(shown.frame, quality)
        for board in find_boards(frame, SKINS, every_scale=True):
            reading = doubt_pressed(read_board(frame, board.grid, board.skin))
            assert wrong_cells(shown, reading) == [], f"{seed=} {quality=} {board.skin.name}"


@pytest.mark.parametrize("seed", [0, 73])
def test_blank_cells_of_another_skin_are_not_taken_for_closed_ones(seed):
    skin = next(skin for skin in SKINS if skin.name == "minegauler")
    shown = screen(skin, scale=2.25, kernel="cubic", state="lost", level="beginner", seed=seed, size=(700, 560))
    frame = as_jpeg(shown.frame, 30)
    for board in find_boards(frame, [skin for skin in SKINS if skin.name == "sgt-mines"], every_scale=True):
        assert wrong_cells(shown, doubt_pressed(read_board(frame, board.grid, board.skin))) == []
