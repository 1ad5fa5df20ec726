"""Colours that changed as a whole, and skins in them."""

from __future__ import annotations

import numpy as np
import pytest

from skins import load_shipped_skin
from skins.colours import ColourChange, recoloured, to_levels, to_light

HALF = ColourChange(np.column_stack([np.eye(3) / 2, [0, 0, 0]]))


def test_light_and_levels_are_each_others_inverse():
    levels = np.arange(256.0)
    assert np.allclose(to_levels(to_light(levels)), levels)
    assert to_light([0, 255]).tolist() == [0, 1]
    assert to_light(188) == pytest.approx(0.5, abs=0.01)  # IEC 61966-2-1


def test_a_change_mixes_channels_and_ends_at_black_and_white():
    change = ColourChange(np.array([[0, 0, 1, 0], [0, 2, 0, 0], [0, 0, 1, -0.5]]))
    assert change.colour((10, 100, 200)) == (200, 200, 72)
    assert change.colour((0, 200, 0)) == (0, 255, 0)


@pytest.mark.parametrize("name", ["classic", "google", "gnome-mines", "xbomb"])
def test_all_colours_of_a_skin_change_and_nothing_else(name):
    skin = load_shipped_skin(name)
    half = recoloured(skin, HALF)
    assert half.origin is skin
    assert half.closed_bgr == HALF.colour(skin.closed_bgr)
    for look, dim in zip(skin.looks, half.looks, strict=True):
        assert dim.state == look.state
        assert np.abs(dim.pixels_bgr * 2.0 - look.pixels_bgr).max() <= 1
    assert half.exact == {}
    assert half.tolerance.accept == skin.tolerance.accept / 2
    half.drawing.check_signs(half.signs)


def test_tints_do_not_follow_from_changed_colours():
    assert recoloured(load_shipped_skin("4d"), HALF) is None
