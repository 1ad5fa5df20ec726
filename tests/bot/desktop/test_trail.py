"""Where a mouse was left, by a system whose answers are late."""

from __future__ import annotations

import pytest

from bot.desktop import trail as trail_module
from bot.desktop.trail import Trail
from bot.models import Pixel

HERE, THERE, ELSEWHERE = Pixel(10, 10), Pixel(20, 10), Pixel(700, 500)


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self):
        self.now_s = 100.0

    def perf_counter(self):
        return self.now_s

    def sleep(self, seconds):
        self.now_s += seconds


@pytest.fixture
def clock(monkeypatch):
    fake = Clock()
    monkeypatch.setattr(trail_module, "time", fake)
    return fake


def trail_told(answers):
    """A trail that is given these answers, the last one for ever; answers are late by 0.1 s at most."""
    remaining = list(answers)
    return Trail(lambda: remaining.pop(0) if len(remaining) > 1 else remaining[0], 0.1)


def test_place_where_the_bot_was_before_is_asked_for_again(clock):
    trail = trail_told([HERE, HERE, HERE, THERE])
    trail.leave(HERE)
    trail.leave(THERE)
    assert trail.see() == THERE
    assert clock.now_s == pytest.approx(100.003)


def test_place_where_the_pointer_stays_is_where_it_is(clock):
    trail = trail_told([HERE])
    trail.leave(HERE)
    trail.leave(THERE)
    assert not trail.is_taken(HERE)
    assert trail.see() == HERE
    assert clock.now_s == pytest.approx(100.1, abs=0.002)
    assert trail.last == HERE


def test_place_of_nobody_but_a_person_is_taken_at_once(clock):
    trail = trail_told([ELSEWHERE])
    assert not trail.is_taken(ELSEWHERE), "nothing is known yet"
    trail.leave(HERE)
    assert not trail.is_taken(HERE)
    assert trail.is_taken(ELSEWHERE)
    assert trail.see() == ELSEWHERE
    assert not trail.is_taken(ELSEWHERE), "it was seen"
    assert clock.now_s == 100.0


def test_place_where_the_bot_was_long_ago_is_a_persons(clock):
    trail = trail_told([HERE])
    trail.leave(HERE)
    trail.leave(THERE)
    clock.now_s += 2.1
    assert trail.is_taken(HERE)
    assert trail.see() == HERE
    assert clock.now_s == pytest.approx(102.1)


def test_place_left_many_moves_ago_may_be_told_of_late(clock):
    places = [Pixel(n, 0) for n in range(500)]
    trail = trail_told([*places[:3], places[-1]])
    for place in places:
        trail.leave(place)
    assert trail.see() == places[-1]
