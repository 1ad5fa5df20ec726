"""Whether a policy wins more than another: a sequential test, which ends as soon as the boards played have told.

Both play the same boards. A board is gained, lost, or the same for both. The test is Wald's [1] of the mean gain, a low
one against a high one. How many boards are the same for both is not known beforehand: under either hypothesis it is
what makes the results likeliest. That is a generalized ratio [2]; for pairs Tango has the solution in closed form [3].

[1] A. Wald, Sequential tests of statistical hypotheses, Annals of Mathematical Statistics 16 (1945), 117-186.
[2] M. Van den Bergh, The generalized maximum likelihood ratio for the expectation value of a distribution (2018), as
    chess engines are tested by.
[3] T. Tango, Equivalence test and confidence interval for the difference in proportions for the paired-sample design,
    Statistics in Medicine 17 (1998), 891-908.
"""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple

ERROR = 0.05
"""Chance of either error: to call a low gain high, and a high one low."""
DECIDED = log((1 - ERROR) / ERROR)
"""Log-likelihood ratio at which the gain is called high; at its negative it is called low."""


class Pairs(NamedTuple):
    """Boards that a policy and its baseline both played.

    Attributes:
        n: how many.
        gained: those that only the policy won.
        lost: those that only the baseline won.
    """

    n: int
    gained: int
    lost: int


class Bounds(NamedTuple):
    """Two gains to be told apart, as shares of all games.

    Attributes:
        low: the first hypothesis is that the gain is this or less.
        high: the second is that it is this or more; above `low`, both between -1 and 1.
    """

    low: float
    high: float

    def ratio(self, pairs: Pairs) -> float:
        """The logarithm of how much likelier the high gain makes the results than the low one does."""
        return _log_likelihood(pairs, self.high) - _log_likelihood(pairs, self.low)


def _log_likelihood(pairs: Pairs, gain: float) -> float:
    """The largest log-likelihood of the results among the distributions that have this mean gain."""
    n, gained, lost = pairs
    linear = (2 * n - gained + lost) * gain - gained - lost
    p_lost = (sqrt(linear**2 + 8 * n * lost * gain * (1 - gain)) - linear) / (4 * n)
    chances = ((gained, p_lost + gain), (lost, p_lost), (n - gained - lost, 1 - 2 * p_lost - gain))
    return sum(count * log(p) for count, p in chances if count)
