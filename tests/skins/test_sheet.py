"""A sprite sheet of any size becomes a whole profile, or is refused with what is missing."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
import sheet_maker

from skins import SkinError
from skins.pixels import nearest_pair
from skins.skin import STATES
from skins.sprite_sheet import MAX_CELL_PX, MIN_CELL_PX, _skin_from_sheet, load_sheet

ALL_STATES = {*map(str, range(9)), *STATES}


@pytest.mark.parametrize("cell_px", [10, 16, 20, 24, 28, 32, 33, 48])
@pytest.mark.parametrize("style", ["classic", "classic-98", "winemine"])
def test_skin_from_sheet_is_complete_at_any_size(style, cell_px):
    skin = _skin_from_sheet(sheet_maker.scaled(sheet_maker.sheet(style), cell_px), "x", "x")
    assert skin.pitch_px == (cell_px, cell_px)
    assert {sprite.state for sprite in skin.sprites} == ALL_STATES
    assert {sprite.state for sprite in skin.passing} == {"pressed", "pressed_question"}
    assert set(skin.exact.values()) == ALL_STATES
    assert skin.closed_bgr == {"winemine": (0, 128, 0)}.get(style, (192, 192, 192))
    assert skin.counter is not None
    assert "".join(sprite.state for sprite in skin.counter.digits) == "0123456789-"
    assert len(skin.faces) == 5
    assert skin.tolerance.accept <= nearest_pair(skin.sprites).apart / 2


@pytest.mark.parametrize(
    ("cell_px", "is_one"), [(MIN_CELL_PX - 1, False), (MAX_CELL_PX, True), (MAX_CELL_PX + 1, False)]
)
def test_skin_from_sheet_refuses_cells_of_a_size_that_no_clone_has(cell_px, is_one):
    sheet = sheet_maker.scaled(sheet_maker.sheet(), cell_px)
    if is_one:
        assert _skin_from_sheet(sheet, "x", "x").pitch_px == (cell_px, cell_px)
    else:
        with pytest.raises(SkinError, match="expected a sheet of 144 x 122 pixels"):
            _skin_from_sheet(sheet, "x", "x")


def test_skin_from_sheet_takes_each_sprite_from_its_place():
    sheet = sheet_maker.scaled(sheet_maker.sheet(), 32)
    skin = _skin_from_sheet(sheet, "x", "x")
    for state in ALL_STATES:
        expected = sheet_maker.scaled_cell("classic", state, 32)
        assert np.array_equal(skin.sprites_of(state)[0].pixels_bgr, expected), state


def test_skin_from_sheet_scales_places_and_frame():
    skin = _skin_from_sheet(sheet_maker.scaled(sheet_maker.sheet(), 32), "x", "x")
    assert skin.new_game.spot_px == (0, -56)
    assert skin.counter.spots_px == ((12, -76), (10, -76))
    assert skin.counter.stride_px == 26
    assert skin.counter.digit_px == (22, 42)
    border = skin.border
    assert border.depth_px == 6
    assert border.left_bgr == border.top_bgr == ((128, 128, 128), (166, 166, 166))
    assert border.right_bgr == border.bottom_bgr == ((255, 255, 255),)


def test_skin_from_sheet_stands_smooth_scaling():
    sheet = sheet_maker.scaled(sheet_maker.sheet(), 24, cv2.INTER_LINEAR)
    skin = _skin_from_sheet(sheet, "x", "x")
    assert {sprite.state for sprite in skin.sprites} == ALL_STATES
    assert skin.closed_bgr == (192, 192, 192)


@pytest.mark.parametrize("size", [(144, 121), (145, 122), (288, 122), (144, 144), (54, 46), (16, 16), (1440, 1000)])
def test_skin_from_sheet_refuses_other_sizes(size):
    picture = cv2.resize(sheet_maker.sheet(), size)
    with pytest.raises(SkinError, match=rf"144 x 122.*216 x 183.*got {size[0]} x {size[1]}"):
        _skin_from_sheet(picture, "x", "x")


@pytest.mark.parametrize("state", ["1", "8", "closed", "mine", "flag", "wrong_flag", "exploded"])
def test_skin_from_sheet_refuses_a_missing_state(state):
    with pytest.raises(SkinError, match=f"expected a sprite of the state {state}"):
        _skin_from_sheet(sheet_maker.sheet(without=(state,)), "x", "x")


def test_skin_from_sheet_does_without_marks_digits_and_faces():
    left_out = ("question", "pressed", "pressed_question", "digits", "faces")
    skin = _skin_from_sheet(sheet_maker.sheet(without=left_out), "x", "x")
    assert {sprite.state for sprite in skin.sprites} == ALL_STATES - {"question"}
    assert skin.passing == skin.faces == ()
    assert skin.counter is None


@pytest.mark.parametrize(
    "pair",
    [("7", "8"), ("mine", "exploded"), ("closed", "question"), ("0", "closed"), ("closed", "mine"), ("closed", "5")],
)
def test_skin_from_sheet_names_states_drawn_alike(pair):
    skin = _skin_from_sheet(sheet_maker.sheet(alike=pair), "x", "x")
    assert any({*pair} <= {*states} for states in skin.same_states())


@pytest.mark.parametrize("suffix", [".png", ".bmp"])
def test_load_sheet_reads_files(tmp_path, suffix):
    path = tmp_path / f"sheet{suffix}"
    path.write_bytes(cv2.imencode(suffix, sheet_maker.sheet())[1].tobytes())
    assert load_sheet(path, "own").title == f"From the sprite sheet sheet{suffix}"


def test_load_sheet_reads_256_colours(tmp_path):
    path = tmp_path / "sheet.bmp"
    plain = sheet_maker.sheet(without=("faces",))
    path.write_bytes(sheet_maker.bmp_with_palette(plain))
    skin, expected = load_sheet(path, "own"), _skin_from_sheet(plain, "own", "own")
    assert skin.exact == expected.exact


@pytest.mark.parametrize("content", [b"", b"text", b"BM" + bytes(60)])
def test_load_sheet_refuses_what_is_no_picture(tmp_path, content):
    path = tmp_path / "sheet.bmp"
    path.write_bytes(content)
    with pytest.raises(SkinError, match=r"sheet\.bmp: expected a picture"):
        load_sheet(path, "own")


def test_load_sheet_names_a_missing_file(tmp_path):
    with pytest.raises(SkinError, match=r"none\.bmp: cannot be read"):
        load_sheet(tmp_path / "none.bmp", "own")
