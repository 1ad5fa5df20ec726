"""The two hot keys' state, from one thread and from two."""

from __future__ import annotations

import threading
import time

import pytest
from patience import PATIENCE_S

from bot.errors import Aborted, TimeIsUp
from bot.playing.control import Control
from bot.playing.results import Tally
from bot.playing.session import PlayOptions, play

LONG_S = 3 * PATIENCE_S
"""Longer than any test may take: a wait that is not cut short fails by the clock."""


def soon(action):
    """Do something from another thread, a moment from now."""
    timer = threading.Timer(0.02, action)
    timer.start()
    return timer


@pytest.fixture
def at_once():
    """Fail a test that waited for much longer than for another thread."""
    begun_at = time.perf_counter()
    yield
    assert time.perf_counter() - begun_at < PATIENCE_S


def test_control_runs_only_after_the_key():
    control = Control()
    assert not control.is_running
    control.toggle()
    assert control.is_running
    control.toggle()
    assert not control.is_running


def test_control_at_once_runs_without_the_key():
    control = Control(running=True)
    assert control.is_running
    control.check()


def test_control_check_blocks_until_another_thread_toggles(at_once):
    control = Control()
    timer = soon(control.toggle)
    control.check()
    assert control.is_running
    timer.join()


def test_control_check_while_paused_raises_when_another_thread_aborts(at_once):
    control = Control()
    timer = soon(control.abort)
    with pytest.raises(Aborted):
        control.check()
    timer.join()


def test_control_wait_wakes_at_once_for_abort(at_once):
    control = Control(running=True)
    timer = soon(control.abort)
    with pytest.raises(Aborted):
        control.wait(LONG_S)
    timer.join()


def test_control_wait_lasts_its_time_and_is_not_cut_short_by_the_start_key():
    control = Control(running=True)
    timer = soon(control.toggle)
    begun_at = time.perf_counter()
    control.wait(0.1)
    assert time.perf_counter() - begun_at >= 0.1
    timer.join()


def test_control_abort_is_for_good():
    control = Control(running=True)
    control.abort()
    control.toggle()
    control.toggle()
    assert not control.is_running
    for ask in (control.check, lambda: control.wait(0), control.check):
        with pytest.raises(Aborted):
            ask()


def test_control_abort_is_told_where_what_was_interrupted_answers_by_an_error_of_its_own():
    """numpy compares structured arrays with the help of Python code, and makes a TypeError of whatever that raises."""
    control = Control(running=True)

    def compare():
        try:
            control.abort()
            control.stop_thinking()
        except Aborted:
            raise TypeError("Cannot compare structured arrays unless they have a common dtype.") from None

    with pytest.raises(Aborted), control.thinking():
        compare()


def test_control_leaves_an_error_as_it_is_where_nobody_stopped():
    with pytest.raises(TypeError, match="a fault"), Control(running=True).thinking():
        raise TypeError("a fault")


def test_control_pause_blocks_the_next_check(at_once):
    control = Control(running=True)
    control.pause()
    assert not control.is_running
    timer = soon(control.toggle)
    control.check()
    assert control.is_running
    timer.join()


def test_control_pauses_are_counted_once_each():
    control = Control()
    counts = []
    for act in (control.toggle, control.toggle, control.pause, control.toggle, control.pause, control.pause):
        act()
        counts.append(control.n_pauses)
    assert counts == [0, 1, 1, 1, 2, 2], "starting is no pause, and a paused play cannot be paused"


class _Listener:
    """Notes what play does."""

    def __init__(self):
        self.states = []

    def entered(self, word):
        self.states.append(word)


def test_play_says_which_key_it_waits_for_before_it_looks_at_anything():
    control, listener = Control(start_key="f9"), _Listener()
    control.end_in_time("the time is up (1 min)")
    with pytest.raises(TimeIsUp, match="the time is up"):
        play(None, [], PlayOptions(), control, listener, tally=Tally(), recorder=None)
    assert listener.states == ["waiting for F9"]
