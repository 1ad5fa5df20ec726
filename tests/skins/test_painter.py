"""The painter, and the art it paints with."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from painted import paint

from bot.images import encode_ppm
from skins.errors import SkinError
from skins.profile_read import load_shipped_skin, shipped_skin_names
from skins.profile_write import _encode_png
from skins.skin import CLOSED, STATES, Skin, Sprite

ROOT = Path(__file__).resolve().parents[2]
WORDS = [*map(str, range(9)), *STATES]


@pytest.fixture(scope="module")
def skin():
    return load_shipped_skin("minebot")


def two_sprite_skin() -> Skin:
    closed = Sprite("closed", np.full((2, 3, 3), 200, dtype=np.uint8))
    other = Sprite("closed", np.full((2, 3, 3), 100, dtype=np.uint8))
    return Skin("tiny", "", (3, 2), (200, 200, 200), (closed, other, Sprite("0", np.zeros((2, 3, 3), dtype=np.uint8))))


def test_paint_puts_each_sprite_in_its_cell(skin):
    rng = np.random.default_rng(3)
    states = rng.choice(WORDS, size=(7, 11)).tolist()
    picture = paint(skin, states)
    assert (picture.dtype, picture.shape) == (np.uint8, (7 * 24, 11 * 24, 3))
    for row in range(7):
        for col in range(11):
            cell = picture[row * 24 : row * 24 + 24, col * 24 : col * 24 + 24]
            np.testing.assert_array_equal(cell, skin.pictures([states[row][col]])[states[row][col]])


def test_paint_keeps_width_and_height_apart():
    picture = paint(two_sprite_skin(), [["closed", "0", "closed"]])
    assert picture.shape == (2, 9, 3)
    assert picture[0, :, 0].tolist() == [200] * 3 + [0] * 3 + [200] * 3


@pytest.mark.parametrize("states", [[], [[]]])
def test_paint_refuses_an_empty_board(states):
    with pytest.raises(SkinError, match="at least one cell"):
        paint(two_sprite_skin(), states)


def test_paint_names_a_ragged_row():
    with pytest.raises(SkinError, match="expected 2 cells in row 1, got 1"):
        paint(two_sprite_skin(), [["0", "0"], ["0"]])


def test_paint_names_a_state_without_a_sprite():
    with pytest.raises(SkinError, match=r"skin tiny: expected a look of state 'flag', got only closed, 0"):
        paint(two_sprite_skin(), [["flag"]])


def test_sprites_are_by_state(skin):
    assert set(skin.pictures(["0", "mine"])) == {"0", "mine"}


def test_png_and_ppm_keep_every_pixel():
    picture = np.random.default_rng(1).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    for encoded in (_encode_png(picture), encode_ppm(picture)):
        decoded = cv2.imdecode(np.frombuffer(encoded, np.uint8), cv2.IMREAD_COLOR)
        np.testing.assert_array_equal(decoded, picture)


def test_minebot_is_shipped_with_every_state_distinct(skin):
    assert "minebot" in shipped_skin_names()
    assert [sprite.state for sprite in skin.sprites] == [*WORDS, CLOSED]  # the last one with the cross of a hint
    pictures = [sprite.pixels_bgr.astype(float) for sprite in skin.sprites]
    for i, a in enumerate(pictures):
        for b in pictures[:i]:
            assert np.sqrt(((a - b) ** 2).mean()) > 2 * skin.tolerance.accept


def test_minebot_closed_colour_is_most_of_a_closed_cell_and_of_no_open_one(skin):
    def share(state: str) -> float:
        distance = np.abs(skin.pictures([state])[state].astype(int) - skin.closed_bgr).max(axis=2)
        return float((distance <= skin.tolerance.colour).mean())

    assert share("closed") > 0.75
    assert min(share("flag"), share("question")) > 0.5
    assert max(share(str(number)) for number in range(9)) < 0.05
    assert max(map(share, ("mine", "exploded", "wrong_flag"))) < 0.05
