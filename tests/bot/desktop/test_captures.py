"""Captures, as they come back from a screen with more pixels than places to click at."""

from __future__ import annotations

import numpy as np
import pytest

from bot.errors import ScreenError
from bot.models import Region

ASKED = Region(-30, 40, 5, 3)


@pytest.fixture
def screen(monkeypatch):
    """The port, with a library that returns these pixels (uint8, H x W x 4) whatever it is asked for."""
    import bot.desktop.general.screen as module

    class Shots:
        monitors = ({"left": -30, "top": 0, "width": 60, "height": 60},)

        def grab(self, place):
            assert place == {"left": -30, "top": 40, "width": 5, "height": 3}
            return self

        def show(self, pixels):
            self.height, self.width = pixels.shape[:2]
            self.raw = pixels.tobytes()

    shots = Shots()
    monkeypatch.setattr(module.mss, "MSS", lambda: shots)

    def grab(pixels):
        shots.show(pixels)
        return module.MssScreen().grab(ASKED)

    return grab


@pytest.mark.parametrize("scale", [1, 2, 3])
def test_capture_has_one_pixel_for_each_place_to_click_at(screen, scale):
    points = np.random.default_rng(1).integers(0, 256, (3, 5, 4), dtype=np.uint8)
    frame = screen(points.repeat(scale, axis=0).repeat(scale, axis=1))
    assert frame.region == ASKED
    assert (frame.pixels_bgr == points[:, :, :3]).all()


@pytest.mark.parametrize("size", [(3, 10), (4, 7), (6, 5), (1, 2)])
def test_capture_of_another_size_is_refused(screen, size):
    with pytest.raises(ScreenError, match=f"{size[1]} x {size[0]} pixels came back"):
        screen(np.zeros((*size, 4), dtype=np.uint8))
