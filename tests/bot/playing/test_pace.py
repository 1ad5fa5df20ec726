"""What is learned of a clone's speed: told times, checked against calculations of its own."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.playing.clicks import DEAD_S, FIRST_RETRY_S, MOST_AHEAD, SLOW_S, SLOWEST_RETRY_S, SURE, ClickPace
from bot.playing.decide import EVEN, Prices
from solver.board import Action

SKIN_S = 0.25
QUICK_S, SLUGGISH_S = 0.004, 0.06
ONE_IN_A_MILLION = Fraction(1, 10**6)

EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("effect"), st.floats(0.0, 2.0), st.integers(1, 5)),
        st.tuples(st.just("lost")),
    ),
    max_size=150,
)
"""What becomes of clicks, one after the other."""


def told(events, retry_s=SKIN_S, most_ahead=MOST_AHEAD):
    pace = ClickPace(retry_s, most_ahead)
    for kind, *what in events:
        if kind == "effect":
            pace.had_effect(*what)
        else:
            pace.was_lost()
    return pace


def used_to(after_s, n_clicks, most_ahead=MOST_AHEAD):
    return told([("effect", after_s, 1)] * n_clicks, most_ahead=most_ahead)


# --- patience


@given(EVENTS, st.floats(FIRST_RETRY_S, 2.0), st.integers(1, 200))
def test_patience_is_never_below_its_floor_nor_above_its_cap(events, retry_s, n_tries):
    patience_s = told(events, retry_s).patience_s(n_tries)
    assert FIRST_RETRY_S <= patience_s <= max(SLOWEST_RETRY_S, retry_s)


@given(EVENTS, st.floats(FIRST_RETRY_S, 2.0))
def test_patience_doubles_with_every_try_up_to_the_cap(events, retry_s):
    pace = told(events, retry_s)
    waits = [pace.patience_s(n) for n in range(1, 12)]
    for shorter, longer in pairwise(waits):
        assert longer == pytest.approx(min(2 * shorter, max(SLOWEST_RETRY_S, waits[0])))


@given(st.lists(st.floats(0.0, 2.0), max_size=100))
def test_patience_is_the_skins_until_twenty_effects_tell_better(effects):
    pace = told([("effect", after_s, 1) for after_s in effects])
    expected = SKIN_S if len(effects) < 20 else min(SKIN_S, max(FIRST_RETRY_S, 4 * max(effects[-60:])))
    assert pace.patience_s(1) == pytest.approx(expected)


@pytest.mark.parametrize(("n_effects", "patience_s"), [(0, 0.8), (19, 0.8), (20, 0.2), (60, 0.2)])
def test_patience_of_a_slow_skin_is_kept_until_enough_is_known(n_effects, patience_s):
    pace = told([("effect", 0.05, 1)] * n_effects, retry_s=0.8)
    assert pace.patience_s(1) == pytest.approx(patience_s)
    assert pace.patience_s(9) == pytest.approx(0.8 if n_effects < 20 else SLOWEST_RETRY_S)


def test_patience_forgets_what_was_long_ago():
    pace = told([("effect", 0.05, 1)] * 30 + [("effect", QUICK_S, 1)] * 59)
    assert pace.patience_s(1) == pytest.approx(0.2)
    pace.had_effect(QUICK_S, 1)
    assert pace.patience_s(1) == FIRST_RETRY_S


def test_patience_learns_nothing_from_clicks_that_were_made_again():
    pace = told([("effect", QUICK_S, 2)] * 100)
    assert pace.patience_s(1) == SKIN_S
    assert pace.effect_s is None


# --- what is known


@given(st.lists(st.floats(0.0, 2.0), min_size=1, max_size=100))
def test_effect_is_the_median_of_the_last_sixty(effects):
    effect_s = told([("effect", after_s, 1) for after_s in effects]).effect_s
    last = effects[-60:]
    assert effect_s in last
    assert 2 * sum(after_s < effect_s for after_s in last) <= len(last)
    assert 2 * sum(after_s > effect_s for after_s in last) <= len(last)


def test_effect_is_not_known_before_the_first():
    assert ClickPace(SKIN_S).effect_s is None


def test_p_lost_is_a_tenth_while_nothing_is_known():
    assert ClickPace(SKIN_S).p_lost == pytest.approx(0.1)


@given(EVENTS)
def test_p_lost_stays_within_what_can_be_believed(events):
    assert 0.05 <= told(events).p_lost <= 0.9


@pytest.mark.parametrize("n_tries", [1, 2, 3, 6])
def test_p_lost_comes_near_the_share_of_the_lost(n_tries):
    pace = told([("effect", QUICK_S, n_tries)] * 60)
    share = Fraction(n_tries - 1, n_tries)
    assert pace.p_lost == pytest.approx(max(0.05, float(share)), abs=0.07)


@given(st.integers(0, 40), st.integers(0, 40))
def test_p_lost_grows_with_the_lost(n_before, n_good):
    few, many = ([("effect", QUICK_S, 1)] * n_good + [("effect", QUICK_S, n)] for n in (2, 4))
    before = [("effect", QUICK_S, 2)] * n_before
    assert told(before + few).p_lost <= told(before + many).p_lost


# --- giving up


@given(EVENTS, st.integers(1, 400), st.floats(0.0, 100.0))
def test_gives_up_needs_time_and_tries(events, n_tries, waited_s):
    pace = told(events)
    all_lost_by_chance = Fraction(pace.p_lost) ** n_tries
    is_hopeless = all_lost_by_chance < ONE_IN_A_MILLION
    assert pace.gives_up(n_tries, waited_s) is (is_hopeless and waited_s >= 12)


def test_gives_up_constants_are_what_the_tests_count_with():
    assert pytest.approx(float(ONE_IN_A_MILLION)) == SURE
    assert DEAD_S == 12


@pytest.mark.parametrize("share_lost", [Fraction(0), Fraction(1, 2), Fraction(3, 4)])
def test_gives_up_later_the_likelier_losses_are(share_lost):
    n_tries = 1 / (1 - share_lost)
    pace = told([("effect", QUICK_S, int(n_tries))] * 60)
    needed = next(n for n in range(1, 500) if pace.gives_up(n, 60.0))
    expected = next(n for n in range(1, 500) if Fraction(max(0.05, float(share_lost))) ** n < ONE_IN_A_MILLION)
    assert 0.75 * expected <= needed <= 1.25 * expected
    assert not pace.gives_up(needed, 11.9)
    assert pace.gives_up(needed, 12.0)


def test_gives_up_even_where_nearly_all_clicks_are_lost():
    pace = told([("effect", QUICK_S, 60)])
    needed = next(n for n in range(1, 500) if pace.gives_up(n, 60.0))
    n_tries, waited_s = 1, 0.0
    while not pace.gives_up(n_tries, waited_s):
        waited_s += pace.patience_s(n_tries)
        n_tries += 1
    assert n_tries == needed == 132
    assert waited_s < 70, "a person waits no longer for a game that hangs"


# --- clicking ahead


def test_n_ahead_grows_by_one_after_every_sixth_click_on_a_slow_clone():
    assert [used_to(SLUGGISH_S, n).n_ahead for n in (0, 5, 6, 11, 12, 18, 42, 48, 500)] == [1, 1, 2, 2, 3, 4, 8, 8, 8]


@pytest.mark.parametrize("after_s", [0.0, QUICK_S, SLOW_S])
def test_n_ahead_stays_at_one_on_a_quick_clone(after_s):
    assert used_to(after_s, 500).n_ahead == 1


def test_n_ahead_stops_growing_when_a_clone_turns_quick():
    pace = used_to(SLUGGISH_S, 12)
    for _ in range(200):
        pace.had_effect(QUICK_S, 1)
    assert pace.n_ahead < 8
    grown = pace.n_ahead
    for _ in range(200):
        pace.had_effect(QUICK_S, 1)
    assert pace.n_ahead == grown


@pytest.mark.parametrize("most_ahead", [1, 2, 5])
def test_n_ahead_never_exceeds_what_the_speed_allows(most_ahead):
    assert used_to(SLUGGISH_S, 500, most_ahead).n_ahead == most_ahead


@pytest.mark.parametrize(("n_clicks", "before", "after", "safe"), [(12, 3, 1, 2), (24, 5, 2, 4), (60, 8, 4, 7)])
def test_n_ahead_is_halved_by_a_loss_and_comes_back_slowly_to_where_it_happened(n_clicks, before, after, safe):
    pace = used_to(SLUGGISH_S, n_clicks)
    assert pace.n_ahead == before
    pace.was_lost()
    assert pace.n_ahead == after
    reached = []
    for _ in range(500):
        pace.had_effect(SLUGGISH_S, 1)
        reached.append(pace.n_ahead)
    assert reached[:5] == [after] * 5, "clicks before the loss count no more"
    assert reached.index(safe) == 6 * (safe - after) - 1
    assert reached.index(safe + 1) == 59


def test_n_ahead_loss_of_a_single_click_is_no_ceiling():
    pace = used_to(SLUGGISH_S, 3)
    pace.was_lost()
    for _ in range(500):
        pace.had_effect(SLUGGISH_S, 1)
    assert pace.n_ahead == 8


@given(EVENTS, st.integers(1, 8))
def test_n_ahead_is_always_one_at_least_and_below_the_place_of_the_last_loss_for_sixty_clicks(events, most_ahead):
    pace = ClickPace(SKIN_S, most_ahead)
    ceiling, n_since = most_ahead, 0
    for kind, *what in events:
        if kind == "effect":
            pace.had_effect(*what)
            n_since += what[1] == 1
        else:
            ceiling = pace.n_ahead - 1 if pace.n_ahead > 1 else ceiling
            pace.was_lost()
            n_since = 0
        assert 1 <= pace.n_ahead <= most_ahead
        assert n_since >= 60 or pace.n_ahead <= max(1, ceiling)


# --- prices


def used_for(costs_s, effect_s=QUICK_S):
    """A pace that was told what clicks of each kind took, one after the other."""
    pace = used_to(effect_s, 30)
    for action, cost_s, n_clicks in costs_s:
        for _ in range(n_clicks):
            pace.took(action, cost_s, is_again=False)
    return pace


def test_prices_are_even_where_nothing_was_clicked_yet():
    assert ClickPace(SKIN_S).prices == EVEN
    assert used_to(QUICK_S, 5).prices == EVEN
    assert used_for([(Action.CHORD, 1.0, 9)]).prices == EVEN, "nothing to compare with"


def test_prices_of_what_was_never_clicked_are_those_of_a_click_that_is_waited_for():
    assert used_for([(Action.OPEN, 0.005, 60)]).prices == EVEN
    clicked_ahead = used_for([(Action.OPEN, 0.01, 60)], effect_s=SLUGGISH_S)
    assert clicked_ahead.prices == Prices(flag=6.0, chord=6.0)


@pytest.mark.parametrize(("n_chords", "price"), [(0, 1.0), (1, 1.25), (5, 1.5), (15, 1.75), (60, 2.0)], ids=str)
def test_prices_follow_what_chords_take_the_more_the_more_there_were(n_chords, price):
    pace = used_for([(Action.OPEN, 0.005, 60), (Action.CHORD, 0.01, n_chords), (Action.FLAG, 0.005, 10)])
    assert pace.prices == Prices(flag=1.0, chord=price)


def test_prices_of_a_click_that_was_made_again_are_those_of_both():
    pace = used_for([(Action.OPEN, 0.005, 60)])
    for _ in range(60):
        pace.took(Action.CHORD, 0.005, is_again=False)
        pace.took(Action.CHORD, 0.01, is_again=True)
    assert pace.prices == Prices(flag=1.0, chord=2.75)


def test_prices_are_no_less_than_that_of_a_click_on_a_cell_nor_led_by_a_stall():
    pace = used_for(
        [(Action.OPEN, 0.005, 60), (Action.CHORD, 0.001, 60), (Action.FLAG, 0.005, 59), (Action.FLAG, 9, 1)]
    )
    assert pace.prices == EVEN


@given(EVENTS, st.lists(st.tuples(st.sampled_from(Action), st.floats(0.0, 20.0), st.booleans()), max_size=80))
def test_prices_are_one_at_least_in_whole_quarters_and_finite(events, costs):
    pace = told(events)
    for action, cost_s, is_again in costs:
        pace.took(action, cost_s, is_again=is_again)
    for price in (pace.prices.flag, pace.prices.chord):
        assert price >= 1.0
        assert (4 * price).is_integer()
