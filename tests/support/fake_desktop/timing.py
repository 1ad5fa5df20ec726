"""Simulated time: captures and waits make it pass, nothing else does; what is due happens as it passes."""

from __future__ import annotations

import heapq
import itertools
import time

from bot.playing.control import Control

MOST_IDLE_STEPS = 20_000
"""So many looks at the clock without a moment passing are an endless loop."""


class HangError(AssertionError):
    """The player goes on for ever: past its limit of simulated time or of steps, or without time passing at all."""


class Clock:
    """Stands in for the module `time`.

    Attributes:
        now: seconds; begins at 100.
        limit: no moment later than this is ever reached.
        most_steps: how often time may pass.
    """

    def __init__(self):
        self.now = 100.0
        self.limit = float("inf")
        self.most_steps = float("inf")
        self.n_steps = 0
        self._n_idle = 0
        self._agenda = []
        self._order = itertools.count()

    def perf_counter(self):
        """The time now; asking for it again and again without end is noticed."""
        self._n_idle += 1
        if self._n_idle > MOST_IDLE_STEPS:
            raise HangError(f"{MOST_IDLE_STEPS} looks at the clock, and no time passes")
        return self.now

    monotonic = perf_counter

    @staticmethod
    def strftime(form):
        """The real date: names of files may have it."""
        return time.strftime(form)

    def advance(self, seconds):
        """Let time pass; what is due in it happens, each thing at its time."""
        self.n_steps += 1
        self._n_idle = 0 if seconds > 0 else self._n_idle + 1
        if self._n_idle > MOST_IDLE_STEPS:
            raise HangError(f"{MOST_IDLE_STEPS} waits, and no time passes")
        if self.n_steps > self.most_steps:
            raise HangError(f"still going on after {self.most_steps} looks and waits")
        if self.now + seconds > self.limit:
            raise HangError(f"still going on at {self.limit:.1f} s")
        until = self.now + seconds
        self.catch_up(until)
        self.now = until

    def at(self, at_s, happen):
        """Let something happen at a time, or now if that is over."""
        heapq.heappush(self._agenda, (at_s, next(self._order), happen))

    def after(self, seconds, happen):
        """Let something happen after so many seconds."""
        self.at(self.now + seconds, happen)

    def catch_up(self, until=None):
        """Make happen what is due by `until`, or by now where a test has moved the time by hand."""
        end = self.now if until is None else until
        while self._agenda and self._agenda[0][0] <= end:
            at_s, _, happen = heapq.heappop(self._agenda)
            now = self.now
            self.now = max(now, at_s) if until is not None else now
            happen()


class SimulatedControl(Control):
    """A real control whose waits take simulated time; `on_wait` is called after each.

    Attributes:
        resumes_s: a person presses the start key when play has been paused for so long; None: nobody does.
    """

    _SLICE_S = 0.05

    def __init__(self, clock, *, running=True):
        super().__init__(running=running)
        self._clock = clock
        self._paused_at = None
        self.resumes_s = None
        self.on_wait = lambda: None

    def wait(self, seconds):
        self._pass(seconds)
        self.on_wait()
        super().wait(0)

    def check(self):
        while self.resumes_s is not None and not (self._running or self._aborted):
            self._pass(self._SLICE_S)
        super().check()

    def _pass(self, seconds):
        self._clock.advance(seconds)
        if self._running or self._aborted:
            self._paused_at = None
        elif self._paused_at is None:
            self._paused_at = self._clock.now
        elif self.resumes_s is not None and self._clock.now - self._paused_at >= self.resumes_s:
            self._paused_at = None
            self.toggle()
