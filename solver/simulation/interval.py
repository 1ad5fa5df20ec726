"""How sure a win rate is.

References:
    [1] E. B. Wilson: Probable inference, the law of succession, and statistical inference, JASA 22 (1927), 209-212.
"""

from __future__ import annotations

import math

_Z_OF_95 = 1.959963984540054
"""The normal distribution has 2.5 % beyond it on either side."""


def win_interval(n_won: int, n_games: int) -> tuple[float, float]:
    """The 95 % interval of a win rate, by Wilson's score [1]: sensible for a handful of games, and for none lost.

    Raises:
        ValueError: there is no game, or more were won than played.
    """
    if not 0 <= n_won <= n_games or n_games == 0:
        raise ValueError(f"expected 0 to {n_games} of at least 1 game won, got {n_won} of {n_games}")
    rate, z_square = n_won / n_games, _Z_OF_95**2
    middle = rate + z_square / (2 * n_games)
    reach = _Z_OF_95 * math.sqrt(rate * (1 - rate) / n_games + z_square / (4 * n_games**2))
    low, high = ((middle + sign * reach) / (1 + z_square / n_games) for sign in (-1, 1))
    return max(low, 0.0), min(high, 1.0)
