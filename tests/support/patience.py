"""How long tests wait: for what should come, until it comes. A test that gives up earlier is a test of speed."""

from __future__ import annotations

import time
from itertools import pairwise
from statistics import median

PATIENCE_S = 600.0
"""Longest wait for one thing, in seconds: a net under what never comes, on a machine however busy."""
_PAUSE_S = 0.005


def wait_until(is_so, what="it never came"):
    """Wait until `is_so()` is true; returns what it returned.

    Args:
        is_so: asked again and again.
        what: what did not come, in words; or a function that tells it when all patience is gone.

    Raises:
        AssertionError: it never came.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not (answer := is_so()):
        assert time.monotonic() < deadline, f"{what() if callable(what) else what} (waited {PATIENCE_S:.0f} s)"
        time.sleep(_PAUSE_S)
    return answer


STOP_MS = 50
"""How soon after the event play has stopped, in milliseconds."""
STOP_PRESSES = 10
"""Number of presses that play makes in that time at its fastest."""


def stop_ms(presses):
    """How soon play has stopped on a machine that may be busy, by the times of all presses that it made there.

    A program that is seldom let run stops late by the clock, and presses seldom, too: so it is `STOP_MS`, or as long as
    `STOP_PRESSES` take at the pace of these.

    Args:
        presses: what has a `time_ms`, in order of time.
    """
    gaps_ms = [after.time_ms - before.time_ms for before, after in pairwise(presses)]
    return max(STOP_MS, STOP_PRESSES * median(gaps_ms)) if gaps_ms else STOP_MS
