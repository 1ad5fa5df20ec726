"""Pictures as the colour-blind see them: risks, marks and curves stay apart."""

from __future__ import annotations

from itertools import combinations, pairwise

import cv2
import numpy as np
import pytest
from colour_vision import VISIONS, apart, lab, seen

from bot.models import Region
from bot.reporting.drawing import ink, marks

TENTHS = [ink.risk_colour((n + 0.5) / 10) for n in range(10)]
SIDE_PX = 40


def test_simulation_leaves_greys_and_confuses_what_it_should():
    for vision in VISIONS:
        assert apart((200, 200, 200), (200, 200, 200), vision) == 0
        assert abs(lab((119, 119, 119), vision)[0] - 50) < 1
    red, green = (40, 60, 200), (40, 120, 110)
    assert apart(red, green, "normal") > 60
    assert apart(red, green, "deuteranopia") < 25


@pytest.mark.parametrize("vision", VISIONS)
def test_risks_a_tenth_apart_are_told_apart_by_lightness_alone(vision):
    lightness = [lab(colour, vision)[0] for colour in TENTHS]
    assert all(lower - higher >= 6 for lower, higher in pairwise(lightness))
    assert all(apart(one, other, vision) >= 7 for one, other in combinations(TENTHS, 2))


@pytest.mark.parametrize("vision", VISIONS)
def test_safe_mine_and_best_are_no_risks_colour_nor_each_others(vision):
    named = [ink.GREEN, ink.VERMILION, ink.YELLOW]
    assert all(apart(one, other, vision) >= 20 for one, other in combinations(named, 2))
    assert all(apart(colour, risk, vision) >= 20 for colour in named for risk in TENTHS)


@pytest.mark.parametrize("vision", VISIONS)
def test_figures_can_be_read_on_their_risk(vision):
    for colour in TENTHS:
        one, other = (_luminance(seen(c, vision)) for c in (colour, ink.on_colour(colour)))
        assert (max(one, other) + 0.05) / (min(one, other) + 0.05) >= 4.5  # what WCAG 2.1 (1.4.3) asks of text


def _luminance(colour_bgr):
    lightness = lab(colour_bgr)[0]
    return ((lightness + 16) / 116) ** 3


@pytest.mark.parametrize("vision", VISIONS)
def test_marks_of_every_two_kinds_look_different(vision):
    drawn = {kind: _swatch(samples[0], vision) for kind, (samples, _) in marks.LEGEND.items()}
    for one, other in combinations(drawn, 2):
        difference = np.linalg.norm(drawn[one] - drawn[other], axis=2)
        assert (difference > 10).mean() > 0.02, (one, other)


def _swatch(mark, vision):
    pixels = np.full((SIDE_PX + 20, SIDE_PX + 20, 3), 192, dtype=np.uint8)
    mark.draw(pixels, Region(10, 10, SIDE_PX, SIDE_PX))
    return cv2.cvtColor(seen(pixels, vision).astype(np.float32) / 255, cv2.COLOR_BGR2Lab)


@pytest.mark.parametrize("vision", VISIONS)
def test_rings_of_every_two_kinds_look_different(vision):
    drawn = [_swatch(ring, vision) for ring in (marks.BEST, marks.WARNED, marks.ASKED, marks.CLUE)]
    for one, other in combinations(drawn, 2):
        assert (np.linalg.norm(one - other, axis=2) > 10).mean() > 0.02


def test_best_and_asked_differ_in_shape():
    """Both mark closed cells: the middles of the sides are free on the one that is asked about."""
    plain = _swatch(marks.Mark(frozenset(), lambda _pixels, _region: None), "normal")
    best, asked = ((_swatch(ring, "normal") != plain).any(axis=2) for ring in (marks.BEST, marks.ASKED))
    middle = slice(10 + SIDE_PX // 2 - 3, 10 + SIDE_PX // 2 + 3)
    assert best[middle].any()
    assert not asked[middle].any()
    assert asked.any()


@pytest.mark.parametrize("vision", VISIONS)
def test_curves_and_their_bands_stay_apart(vision):
    curves = [ink.BLUE, ink.VERMILION, ink.GREY, ink.BAND, ink.PAPER]
    assert all(apart(one, other, vision) >= 10 for one, other in combinations(curves, 2))
