"""The border that is learned from a recorded screen is the one that the clone's shipped skin has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from bot.images import load_frame
from bot.models import Frame
from bot.vision.finding import find_boards
from calibration.border import with_border
from calibration.cells import AS_THEY_ARE, Cut
from skins import load_shipped_skin
from skins.skin import OwnPixels

SCREENS = Path(__file__).parents[1] / "screens"
BORDERED = {
    "classic": ["msx-winxp-expert-mid"],
    "winemine": ["winemine-beginner-fresh", "winemine-expert-fresh"],
    "sgt-mines": ["clones/sgt-mines-expert-mid", "clones/sgt-mines-expert-lost", "clones/sgt-mines-start"],
    "minebot": ["minebot-expert-mid"],
}
UNBORDERED = {"xdemineur": ["clones/xdemineur-expert-fresh", "clones/xdemineur-expert-flags"]}
SIDES = ("left_bgr", "top_bgr", "right_bgr", "bottom_bgr")


def cuts_of(skin, names):
    """The boards on these screens."""
    frames = [load_frame(SCREENS / f"{name}.png") for name in names]
    return [Cut.of(frame, find_boards(frame, [skin])[0].grid, AS_THEY_ARE) for frame in frames]


def as_learned(skin):
    """A skin before its border is learned, which knows one size."""
    return replace(skin, border=None, drawing=OwnPixels())


@pytest.mark.parametrize("name", BORDERED)
def test_border_is_learned_as_the_shipped_skin_has_it(name):
    shipped = load_shipped_skin(name)
    learned = with_border(as_learned(shipped), cuts_of(shipped, BORDERED[name])).border
    assert learned.depth_px >= shipped.border.depth_px
    assert learned.blends == shipped.border.blends
    for side in SIDES:
        (colour,) = getattr(learned, side)
        assert colour in getattr(shipped.border, side)


@pytest.mark.parametrize("name", UNBORDERED)
def test_lines_as_between_two_cells_are_no_border(name):
    shipped = load_shipped_skin(name)
    assert with_border(as_learned(shipped), cuts_of(shipped, UNBORDERED[name])).border is None


@pytest.mark.parametrize("axis", [0, 1])
def test_side_that_something_covers_on_one_picture_teaches_no_border(axis):
    shipped = load_shipped_skin("sgt-mines")
    whole, covered = cuts_of(shipped, BORDERED["sgt-mines"][:2])
    board, pixels = covered.grid.region, covered.frame.pixels_bgr.copy()
    corner, far = [board.left, board.top], [board.right, board.bottom]
    corner[axis] = far[axis]
    far[axis] += 40
    cv2.rectangle(pixels, corner, far, (10, 20, 30), cv2.FILLED)
    covered = replace(covered, frame=Frame(pixels))
    assert with_border(as_learned(shipped), [whole, covered]).border is None
    assert with_border(as_learned(shipped), [whole]).border is not None
