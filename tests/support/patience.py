"""How long tests wait: for what should come, until it comes. A test that gives up earlier is a test of speed."""

from __future__ import annotations

import time

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
