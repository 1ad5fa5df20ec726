"""The ways of the pointer: where they begin and end, how they bend, and how long they take."""

from __future__ import annotations

import math
import random
from itertools import pairwise
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.errors import UsageError
from bot.models import Grid, Pixel, Region
from bot.playing.speeds import FAST_S, SPEEDS, STEP_S, _FastSpeed, _HumanSpeed, _MaxSpeed, speed_named
from solver.board import Action, Move

SAFE = Move(Action.OPEN, (0, 0))
GUESS = Move(Action.OPEN, (0, 0), p_mine=0.3)
EXPERT = Grid(Pixel(300, 200), (16, 16), 16, 30)

CELLS = st.builds(Region, st.integers(-2000, 2000), st.integers(-500, 2000), st.integers(8, 80), st.integers(8, 80))
PIXELS = st.builds(Pixel, st.integers(-2000, 2000), st.integers(-500, 2000))
SEEDS = st.integers(0, 2**32)


def approach(speed, start, cell, move=SAFE):
    """One way from a place to a cell: (target, steps)."""
    target = speed.target(cell)
    return target, list(speed.approach(start, target, cell, move))


def tour(speed, n_moves, seed=1):
    """Moves from cell to cell of an Expert board, two or three cells apart as in a game: (start, target, steps)."""
    rng = random.Random(seed)
    at, (row, col) = EXPERT.cell_region((8, 15)).middle, (8, 15)
    for _ in range(n_moves):
        row = min(max(row + rng.randint(-3, 3), 0), 15)
        col = min(max(col + rng.randint(-3, 3), 0), 29)
        target, steps = approach(speed, at, EXPERT.cell_region((row, col)))
        yield at, target, steps
        at = target


def seconds(steps):
    return sum(step.wait_s for step in steps)


# --- names


@pytest.mark.parametrize(("name", "kind"), [("max", _MaxSpeed), ("fast", _FastSpeed), ("human", _HumanSpeed)])
def test_speed_named_is_that_speed(name, kind):
    assert type(speed_named(name)) is kind
    assert name in SPEEDS


@pytest.mark.parametrize("name", ["", "MAX", "slow", "humane", "max "])
def test_speed_named_of_no_such_name_is_a_usage_error(name):
    with pytest.raises(UsageError, match="expected a speed of max, fast, human, got") as raised:
        speed_named(name)
    assert repr(name) in str(raised.value)


def test_only_the_quickest_speed_clicks_ahead():
    assert {name: speed_named(name).most_ahead for name in SPEEDS} == {"max": 8, "fast": 1, "human": 1}


# --- max and fast


@given(CELLS, PIXELS)
def test_max_goes_to_the_middle_at_once(cell, start):
    target, steps = approach(_MaxSpeed(), start, cell)
    assert steps == []
    assert abs(2 * (target.x - cell.left) - cell.width) <= 1
    assert abs(2 * (target.y - cell.top) - cell.height) <= 1


@given(CELLS, PIXELS)
def test_fast_waits_once_and_shows_no_way(cell, start):
    target, steps = approach(_FastSpeed(), start, cell)
    assert target == cell.middle
    assert [(step.wait_s, step.pixel) for step in steps] == [(FAST_S, None)]
    assert FAST_S == 1 / 20


# --- human: where


@given(CELLS, PIXELS, SEEDS)
def test_human_clicks_inside_the_middle_part_of_the_cell(cell, start, seed):
    target, _ = approach(_HumanSpeed(seed), start, cell)
    for at, first, size in ((target.x, cell.left, cell.width), (target.y, cell.top, cell.height)):
        assert first + size // 5 <= at <= first + size - 1 - size // 5


def test_human_spreads_its_clicks_around_the_middle():
    cell, hand = Region(100, 200, 30, 30), _HumanSpeed(5)
    targets = [hand.target(cell) for _ in range(1000)]
    for axis, middle in enumerate((115, 215)):
        places = [target[axis] for target in targets]
        assert len(set(places)) > 10
        assert abs(sum(places) / len(places) - middle) < 1
        assert (min(places), max(places)) == (middle - 9, middle + 8), "as far as the middle part goes"
        assert 2 < math.sqrt(sum((place - middle) ** 2 for place in places) / len(places)) < 5


@given(CELLS, PIXELS, SEEDS, st.sampled_from([SAFE, GUESS]))
def test_human_way_ends_on_the_target_and_begins_near_the_start(cell, start, seed, move):
    target, steps = approach(_HumanSpeed(seed), start, cell, move)
    way = [step.pixel for step in steps[1:]]
    assert steps[0].pixel is None, "first a thought"
    if start == target:
        assert way == []
        return
    assert way[-1] == target
    assert math.dist(way[0], start) <= 0.51 * math.dist(start, target) + 1
    assert all(step.wait_s > 0 for step in steps)


@given(CELLS, PIXELS, SEEDS)
def test_human_way_bends_little_and_never_turns_back(cell, start, seed):
    target, steps = approach(_HumanSpeed(seed), start, cell)
    way = [start, *(step.pixel for step in steps[1:])]
    length = math.dist(start, target)
    if len(way) < 3:
        return
    unit = ((target.x - start.x) / length, (target.y - start.y) / length)
    along = [(pixel.x - start.x) * unit[0] + (pixel.y - start.y) * unit[1] for pixel in way]
    aside = [(pixel.x - start.x) * unit[1] - (pixel.y - start.y) * unit[0] for pixel in way]
    assert all(later >= sooner - 1.5 for sooner, later in pairwise(along))
    assert all(-1.5 <= place <= length + 1.5 for place in along)
    assert max(map(abs, aside)) <= 6 * 0.06 * length + 1.5, "six times its usual bend is unheard of"


def test_human_ways_bend_to_both_sides_and_are_rarely_straight():
    start, target, cell = Pixel(0, 0), Pixel(800, 0), Region(790, -10, 20, 20)
    hand = _HumanSpeed(3)
    bends = []
    for _ in range(300):
        ys = [step.pixel.y for step in hand.approach(start, target, cell, SAFE) if step.pixel is not None]
        bends.append(max(ys, key=abs))
    assert sum(bend > 0 for bend in bends) > 100
    assert sum(bend < 0 for bend in bends) > 100
    assert 10 < median(abs(bend) for bend in bends) < 100


def test_human_hand_is_slow_at_both_ends_and_fast_between():
    start, target, cell = Pixel(0, 0), Pixel(1000, 0), Region(990, -10, 20, 20)
    way = [step.pixel for step in _HumanSpeed(1).approach(start, target, cell, SAFE) if step.pixel is not None]
    strides = [math.dist(here, there) for here, there in pairwise([start, *way])]
    third = len(strides) // 3
    middle = min(strides[third:-third])
    assert max(strides[:3]) < middle
    assert max(strides[-3:]) < middle


# --- human: when


def test_human_makes_two_to_six_clicks_a_second():
    times = [seconds(steps) for _, _, steps in tour(_HumanSpeed(7), 1000)]
    assert 2 < len(times) / sum(times) < 6
    assert 2 < 1 / median(times) < 6
    assert sum(times_s < 0.08 for times_s in times) == 0, "nobody is quicker than that"
    assert sum(times_s > 1.5 for times_s in times) < 10
    assert max(times) > 2 * min(times), "no hand is a machine"


def test_human_way_takes_longer_the_farther_and_the_smaller_the_cell():
    def takes(distance, size):
        cell = Region(distance - size // 2, -size // 2, size, size)
        steps = _HumanSpeed(1).approach(Pixel(0, 0), Pixel(distance, 0), cell, SAFE)
        return sum(step.wait_s for step in steps if step.pixel is not None)

    assert takes(40, 16) < takes(160, 16) < takes(640, 16)
    assert takes(640, 64) < takes(640, 32) < takes(640, 16)
    # Every doubling of a far way costs the same: Fitts's law.
    steps = [takes(16 * 2**n, 16) for n in (5, 6, 7)]
    assert steps[2] - steps[1] == pytest.approx(steps[1] - steps[0], rel=0.05)


def test_human_pointer_is_seen_about_as_often_as_a_mouse_reports():
    waits = [step.wait_s for _, _, steps in tour(_HumanSpeed(2), 200) for step in steps if step.pixel is not None]
    assert 0.8 * STEP_S < median(waits) < 1.2 * STEP_S


def test_human_thinks_longer_before_a_guess():
    cell = Region(0, 0, 16, 16)
    hand = _HumanSpeed(4)
    safe, guess = (
        sorted(approach(hand, Pixel(40, 40), cell, move)[1][0].wait_s for _ in range(500)) for move in (SAFE, GUESS)
    )
    assert 0.09 < median(safe) < 0.16
    assert 4 * median(safe) < median(guess) < 1.0
    for thoughts in (safe, guess):
        assert 1.3 < thoughts[400] / thoughts[250] < 1.7, "one thought in five takes half as long again"
        assert thoughts[0] < median(thoughts) / 2


def test_human_thinks_again_where_the_pointer_is_already():
    cell = Region(0, 0, 16, 16)
    steps = list(_HumanSpeed(4).approach(Pixel(5, 5), Pixel(5, 5), cell, SAFE))
    assert [step.pixel for step in steps] == [None]
    assert steps[0].wait_s > 0


# --- human: whose hand


@given(SEEDS)
def test_human_equal_seeds_are_equal_hands(seed):
    assert list(tour(_HumanSpeed(seed), 5)) == list(tour(speed_named("human", seed), 5))


def test_human_other_seeds_are_other_hands():
    tours = [[target for _, target, _ in tour(_HumanSpeed(seed), 30)] for seed in (1, 2, None, None)]
    assert all(tours[a] != tours[b] for a in range(4) for b in range(a))
