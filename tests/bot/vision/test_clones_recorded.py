"""gnome-mines, sgt-mines and xdemineur as they were recorded: read exactly, and near the sprites we drew of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from chunks import in_chunks
from clone_screens import NearestSprite, load_recording, recording_names

from bot.images import load_frame
from bot.models import Frame
from bot.vision.finding import find_boards
from bot.vision.reading import read_board
from skins import load_shipped_skin, load_shipped_skins
from solver.board import format_rows

ROOT = Path(__file__).resolve().parents[3]

OWN_SIZE = [
    "gnome-mines-109px",
    "gnome-mines-33px-lost",
    "gnome-mines-54px",
    "gnome-mines-beginner-gdk-scale-2",
    "gnome-mines-classic-33px-lost",
    "gnome-mines-classic-74px",
    "gnome-mines-default-42px",
    "gnome-mines-expert-flags",
    "gnome-mines-expert-fresh",
    "gnome-mines-expert-lost",
    "gnome-mines-expert-mid",
    "gnome-mines-gdk-scale-2",
    "minegauler-digits",
    "minegauler-expert-flags",
    "minegauler-expert-fresh",
    "minegauler-expert-lost",
    "sgt-mines-20230410",
    "sgt-mines-digits",
    "sgt-mines-expert-fresh",
    "sgt-mines-expert-lost",
    "sgt-mines-expert-mid",
    "sgt-mines-expert-won",
    "sgt-mines-lost",
    "sgt-mines-start",
    "sgt-mines-won",
    "xbomb-easy-flags",
    "xbomb-easy-lost",
    "xbomb-expert-flags",
    "xbomb-expert-fresh",
    "xbomb-expert-lost",
    "xbomb-medium-mid",
    "xdemineur-7",
    "xdemineur-8",
    "xdemineur-expert-flags",
    "xdemineur-expert-fresh",
    "xdemineur-expert-lost",
    "xdemineur-lost",
    "xdemineur-mid",
    "xdemineur-won",
]
OTHER_SIZES = [
    "sgt-mines-16px",
    "sgt-mines-27px",
    "sgt-mines-48px",
    "sgt-mines-gdk-scale-2",
]
HOVERED = {"gnome-mines-beginner-gdk-scale-2", "gnome-mines-classic-33px-lost", "gnome-mines-expert-lost"}
"""With cells that gnome-mines draws as closed under the pointer, and as open in a lost game."""


def test_every_recording_is_read():
    assert sorted(OWN_SIZE + OTHER_SIZES) == recording_names()


@in_chunks("name", OWN_SIZE, 4, name=str)
@pytest.mark.parametrize("by_name", [False, True], ids=["auto", "by name"])
def test_recordings_are_read_exactly(name, by_name):
    recording = load_recording(name)
    frame = Frame(recording.pixels_bgr)
    skins = [load_shipped_skin(recording.skin_name)] if by_name else load_shipped_skins()
    (board,) = find_boards(frame, skins)
    assert board.skin.name == recording.skin_name
    assert (board.grid.edges(0), board.grid.edges(1)) == (recording.x_edges, recording.y_edges)
    reading = read_board(frame, board.grid, board.skin)
    assert format_rows(reading.board.cells) == recording.rows


@pytest.mark.parametrize("name", OTHER_SIZES)
def test_recordings_of_other_sizes_are_never_read_wrongly(name):
    recording = load_recording(name)
    frame = Frame(recording.pixels_bgr)
    for board in find_boards(frame, load_shipped_skins()):
        reading = read_board(frame, board.grid, board.skin)
        named = format_rows(reading.board.cells)
        assert len(named) == len(recording.rows)
        pairs = list(zip("".join(named), "".join(recording.rows), strict=True))
        assert [pair for pair in pairs if pair[0] not in ("!", pair[1])] == []


AT_150_PERCENT = {
    "fresh": ["########"] * 8,
    "mid": ["#101####", "#1012###", "11001###", "00002###", "01222###", "01######", "01222###", "00001###"],
}


@pytest.mark.parametrize("name", AT_150_PERCENT)
def test_seams_that_a_fractional_scale_leaves_between_cells_hide_none(name):
    frame = load_frame(ROOT / f"tests/screens/cases/gnome-mines-150-percent-{name}.png")
    (board,) = find_boards(frame, load_shipped_skins())
    assert format_rows(read_board(frame, board.grid, board.skin).board.cells) == AT_150_PERCENT[name]
    assert bool(board.grid.clipped) == (name == "mid"), "that picture ends with the board"


DRAWN = [name for name in OWN_SIZE + OTHER_SIZES if not name.startswith("xbomb")]
"""Of xbomb a font draws the digits, which are known by their ink, and the rest is known to the pixel at every size."""


@pytest.mark.parametrize("name", DRAWN)
def test_sprites_are_nearest_to_the_real_cells_of_their_state(name):
    recording = load_recording(name)
    ratios = NearestSprite(load_shipped_skin(recording.skin_name)).own_over_other(recording)
    truth = np.array(list("".join(recording.rows)))
    if name in HOVERED:  # equal pixels, two meanings
        alike = np.isclose(ratios, 1.0)
        assert set(truth[alike]) <= {"0", "#"}
        ratios = ratios[~alike]
    assert ratios.max() <= 0.65
