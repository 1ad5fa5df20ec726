"""Clones that paint over a lost game: in another colour, all of their window, or the cells that a person had opened."""

import numpy as np
import pytest
from player_table import BEGINNER, CLASSIC
from unknown_clone import UnknownClone, simulate_all_time

from bot.playing.manner import Ports
from calibration.live.session import LiveOptions, learn_live
from solver.game import GameState


class Reddening(UnknownClone):
    """Its whole window turns red."""

    def _picture(self, seen):
        pixels = super()._picture(seen)
        if self.game.state is GameState.LOST:
            own = self._window.region
            top, left = max(own.top - seen.top, 0), max(own.left - seen.left, 0)
            bottom, right = own.top + own.height - seen.top, own.left + own.width - seen.left
            pixels[top : max(bottom, 0), left : max(right, 0), 2] |= 0x3F
        return pixels


class Outlining(UnknownClone):
    """Every open cell gets a frame."""

    def _picture(self, seen):
        pixels = super()._picture(seen)
        if self.game.state is GameState.LOST:
            for cell in np.argwhere(self.game.board.cells >= 0).tolist():
                own = self.grid.cell_region(tuple(cell))
                y, x = own.top - seen.top, own.left - seen.left
                if min(y, x) >= 0 and y + own.height <= seen.height and x + own.width <= seen.width:
                    pixels[[y, y + own.height - 1], x : x + own.width] = (0, 255, 0)
                    pixels[y : y + own.height, [x, x + own.width - 1]] = (0, 255, 0)
        return pixels


def _inside(look):
    """What a frame around it leaves of a look."""
    return look.pixels_bgr[1:-1, 1:-1]


@pytest.mark.parametrize("painted", [Reddening, Outlining])
def test_clone_that_paints_a_lost_game_is_learned_from_what_it_showed_before(monkeypatch, painted):
    desktop, said = painted(CLASSIC, BEGINNER, seed=1), []
    simulate_all_time(monkeypatch, desktop.clock)
    ports = Ports(desktop, desktop, desktop, desktop)
    learned = learn_live(ports, desktop.control, LiveOptions("mine", has_consent=True), said.append)
    assert learned.is_verified, said
    assert {"0", "1", "2", "closed", "flag"} <= {look.state for look in learned.skin.looks}
    for look in learned.skin.looks:
        assert any(np.array_equal(_inside(look), _inside(one)) for one in CLASSIC.looks_of(look.state)), look.state
    assert not any("paused" in text for text in said)
