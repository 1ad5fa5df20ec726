"""The sequential test of two policies: how often it errs, by games that are drawn."""

import numpy as np
import pytest
from benches.sequential import DECIDED, Bounds, Pairs

ERROR = 0.05
N_TESTS = 2000
BATCH = 250
BOUNDS = Bounds(0.0, 0.02)
SAME = 0.88
"""Share of the boards that both policies win or both lose, as `fast` and `strong` do on Expert."""


def share_called_high(gain, bounds=BOUNDS, same=SAME):
    """The share of tests that call the gain high, where it is known; the rest call it low."""
    rng = np.random.default_rng(1)
    chances = [(1 - same + gain) / 2, (1 - same - gain) / 2, same]
    n_high = 0
    for _ in range(N_TESTS):
        counts, ratio = np.zeros(3, dtype=int), 0.0
        while abs(ratio) < DECIDED:
            counts += rng.multinomial(BATCH, chances)
            ratio = bounds.ratio(Pairs(int(counts.sum()), int(counts[0]), int(counts[1])))
        n_high += ratio > 0
    return n_high / N_TESTS


@pytest.mark.parametrize("bounds", [BOUNDS, Bounds(-0.01, 0.01), Bounds(0.01, 0.04)])
def test_errs_no_more_often_than_promised(bounds):
    assert share_called_high(bounds.low, bounds) < ERROR + 0.01
    assert share_called_high(bounds.high, bounds) > 1 - ERROR - 0.01


@pytest.mark.parametrize("same", [0.5, 0.97])
def test_errs_no_more_often_however_alike_the_policies_are(same):
    assert share_called_high(BOUNDS.low, same=same) < ERROR + 0.01
    assert share_called_high(BOUNDS.high, same=same) > 1 - ERROR - 0.01


def test_errs_less_often_beyond_the_bounds():
    assert share_called_high(BOUNDS.low - 0.01) < 0.01
    assert share_called_high(BOUNDS.high + 0.01) > 0.99


@pytest.mark.parametrize(
    "pairs", [Pairs(100, 5, 3), Pairs(100, 0, 3), Pairs(100, 5, 0), Pairs(100, 0, 0), Pairs(1, 1, 0)]
)
@pytest.mark.parametrize("bounds", [BOUNDS, Bounds(-0.02, 0.0), Bounds(-0.3, 0.2)])
def test_ratio_is_that_of_the_likeliest_chances(pairs, bounds):
    def likeliest(gain):
        lost = np.linspace(max(0, -gain), (1 - gain) / 2, 200_001)
        counts = np.array([[pairs.gained], [pairs.lost], [pairs.n - pairs.gained - pairs.lost]])
        chances = np.array([lost + gain, lost, 1 - 2 * lost - gain]).clip(1e-300)
        return float((counts * np.log(chances)).sum(axis=0).max())

    assert bounds.ratio(pairs) == pytest.approx(likeliest(bounds.high) - likeliest(bounds.low), abs=1e-6)
