"""Clones that do not exist, in windows on cluttered screens: whatever they look like, no label is wrong."""

import random

import numpy as np
import pytest
from calibration_runs import Outcome, run, share_labelled, shown, wrong_labels
from made_looks import MADE

from calibration.learning import learn

SHIPPED = ("classic", "classic-98", "winemine", "xdemineur", "sgt-mines", "minebot")


def screens(look, seed=0):
    rng = random.Random(f"{look} {seed}")
    return [shown(look, state, rng) for state in ("fresh", "mid")]


@pytest.mark.parametrize("look", [*SHIPPED, *MADE])
def test_every_label_of_two_screens_is_proven_and_true(look):
    shots = screens(look)
    learned = learn("made", [frame for frame, _ in shots], ["fresh", "mid"])
    assert wrong_labels(learned.appearances, learned.labelling, [words for _, words in shots]) == {}
    assert share_labelled(learned.appearances, learned.labelling) >= 0.98
    marks = np.isin([words for _, words in shots], ["flag", "question"])
    assert learned.share_read >= 0.98 - marks.mean()


@pytest.mark.parametrize("look", ["classic", "checkered"])
def test_a_skin_of_two_games_reads_a_third_exactly(look):
    assert run(look, "plain", seed=0) == Outcome(found=True, n_wrong=0, shares=(1.0, 1.0), made=True, read="exact")
