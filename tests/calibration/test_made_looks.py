"""Clones that do not exist, in windows on cluttered screens: whatever they look like, no label is wrong."""

import random
from collections import Counter

import cv2
import numpy as np
import pytest
from made_looks import MADE, paint_made
from rendered import _paste, desktop, position

from bot.models import Frame
from calibration.appearances import group
from calibration.grids import find_cuts, find_like
from calibration.labels import label
from calibration.learning import learn
from skins import load_shipped_skin
from skins.painter import paint

SAME = {"question": "flag", "exploded": "mine"}
SHIPPED = ("classic", "classic-98", "winemine", "xdemineur", "sgt-mines", "minebot")
EVERY_STATE = load_shipped_skin("classic")


def shown(look, state, rng):
    """A screen with a clone's window on it, and the truth."""
    skin = EVERY_STATE if look in MADE else load_shipped_skin(look)
    words = position(rng, "intermediate", state, skin)
    picture = paint_made(look, words) if look in MADE else paint(skin, words)
    picture = cv2.copyMakeBorder(picture, 10, 10, 10, 10, cv2.BORDER_CONSTANT, value=(205, 203, 201))
    height, width = picture.shape[:2]
    pixels = desktop(rng, (width + 220, height + 200))
    _paste(pixels, picture, rng.randrange(220), rng.randrange(200))
    return Frame(pixels), words


def screens(look, seed=0):
    rng = random.Random(f"{look} {seed}")
    return [shown(look, state, rng) for state in ("fresh", "mid")]


def wrong_labels(appearances, labelling, truths):
    """Looks whose proven label is not what every one of their cells is."""
    meant = [Counter() for _ in labelling.labels]
    for board, words in zip(appearances.boards, truths, strict=True):
        assert board.shape == (len(words), len(words[0]))
        for cell, number in np.ndenumerate(board):
            word = words[cell[0]][cell[1]]
            meant[number][SAME.get(word, word)] += 1
    return {
        number: (label, meant[number]) for number, label in labelling.proven.items() if set(meant[number]) != {label}
    }


@pytest.mark.parametrize("look", [*SHIPPED, *(name for name in MADE if name != "checkered")])
def test_every_label_of_two_screens_is_proven_and_true(look):
    shots = screens(look)
    learned = learn("made", [frame for frame, _ in shots], ["fresh", "mid"])
    assert wrong_labels(learned.appearances, learned.labelling, [words for _, words in shots]) == {}
    n_proven = sum(int(learned.appearances.counts[number]) for number in learned.labelling.proven)
    assert n_proven >= 0.98 * learned.appearances.counts.sum()
    assert learned.share_read >= 0.98


def test_no_label_of_a_checkered_board_is_wrong():
    shots = screens("checkered")
    mid = find_cuts(shots[1][0])[0]
    appearances = group([find_like(shots[0][0], mid).cells, mid.cells])
    labelling = label(appearances)
    assert wrong_labels(appearances, labelling, [words for _, words in shots]) == {}
    assert {"0", "1", "2", "closed"} <= set(labelling.proven.values())
