"""What the window says of a screen: a board that is known, one that is not, or none."""

import queue

import numpy as np
import pytest

from bot.errors import UsageError
from bot.images import load_frame
from bot.launcher.sight import NOTHING, PICTURE_PX, Looker, look_at, shrunk
from bot.models import Frame, Pixel
from skins import load_shipped_skins


@pytest.fixture(scope="module")
def skins():
    return load_shipped_skins()


def test_known_board_is_named_with_its_size_and_mines(screens, skins):
    sight = look_at(load_frame(screens / "winemine-expert-fresh.png"), skins, None)
    assert sight.words == "winemine: Expert 16x30, 99 mines."
    assert sight.is_playable
    assert sight.picture_bgr.shape[:2] == (sight.region.height, sight.region.width) == (256, 480)
    assert sight.board.splitlines()[-1] == "#" * 30


def test_board_with_something_over_it_is_not_called_playable(screens, skins):
    frame = load_frame(screens / "winemine-expert-fresh.png")
    board = look_at(frame, skins, None).region
    top, left = board.top - frame.top + 64, board.left - frame.left + 64
    frame.pixels_bgr[top : top + 48, left : left + 48] = (90, 40, 160)
    sight = look_at(frame, skins, None)
    assert "9 cells cannot be read" in sight.words
    assert (sight.is_playable, sight.board) == (False, None)


def test_of_two_boards_the_one_under_the_pointer_is_named(screens, skins):
    one = load_frame(screens / "winemine-expert-fresh.png").pixels_bgr
    other = load_frame(screens / "msx-skin-colorsonly-mid.png").pixels_bgr
    both = np.zeros((max(len(one), len(other)), one.shape[1] + other.shape[1], 3), np.uint8)
    both[: len(one), : one.shape[1]] = one
    both[: len(other), one.shape[1] :] = other
    frame = Frame(both, 0, 0)
    middles = [look_at(frame, skins, Pixel(x, 200)).words.partition(":")[0] for x in (350, one.shape[1] + 150)]
    assert middles == ["winemine", "classic"]


def test_board_of_no_skin_is_told_where_the_pointer_is_on_it(screens, skins):
    frame = load_frame(screens / "winemine-expert-fresh.png")
    others = [skin for skin in skins if skin.name == "xbomb"]
    place = look_at(frame, skins, None).region
    assert "that no skin knows, about 16x30" in look_at(frame, others, place.middle).words
    assert look_at(frame, others, None) == NOTHING
    assert look_at(frame, others, Pixel(1, 1)) == NOTHING


class Platform:
    """A desktop whose screen shows one picture, or fails."""

    def __init__(self, frame, failures=0):
        self._frame, self._failures = frame, failures

    def machine(self):
        return self

    asks_person = False

    def screen(self):
        return self

    def grab(self):
        self._failures -= 1
        if self._failures >= 0:
            raise OSError("the screen is locked")
        return self._frame

    def close(self):
        pass


def sights_of(platform, load_skins, n):
    """The first sights of a looker."""
    heard = queue.SimpleQueue()
    looker = Looker(platform, load_skins, heard.put)
    sights = [heard.get(timeout=600).words for _ in range(n)]
    looker.close()
    return sights


def test_looker_goes_on_after_a_failure_which_is_told(screens, skins):
    frame = load_frame(screens / "winemine-expert-fresh.png")
    words = sights_of(Platform(frame, failures=1), lambda: skins, 2)
    assert words == ["the screen is locked", "winemine: Expert 16x30, 99 mines."]


def test_looker_tells_why_there_are_no_skins(screens):
    def load():
        raise UsageError("settings.toml: skins: there is no skin 'nope'")

    frame = load_frame(screens / "winemine-expert-fresh.png")
    assert sights_of(Platform(frame), load, 1) == ["settings.toml: skins: there is no skin 'nope'"]


@pytest.mark.parametrize("shape", [(256, 480, 3), (2000, 30, 3), (50, 50, 3)])
def test_picture_is_made_small_and_never_large(shape):
    small = shrunk(np.zeros(shape, np.uint8), 1.0)
    assert small.shape[1] <= min(PICTURE_PX[0], shape[1])
    assert small.shape[0] <= min(PICTURE_PX[1], shape[0])
