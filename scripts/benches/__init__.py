"""The benches of `scripts/bench.py`, and what they share."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def cpu_ms(work: Callable[[], object]) -> float:
    """CPU milliseconds of this process that some work takes."""
    start = time.process_time_ns()
    work()
    return (time.process_time_ns() - start) / 1e6


def spread(values: Sequence[float], last: int = 100) -> tuple[float, float, float]:
    """The median, the 95th percentile and the largest of some values, or another percentile in the last's place."""
    median, p95, most = np.percentile(values, [50, 95, last])
    return float(median), float(p95), float(most)
