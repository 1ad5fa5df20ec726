"""Random numbers of compiled code: splitmix64, by G. Steele, D. Lea and C. Flood (OOPSLA 2014).

Compiled code can call numpy's generators as well. But numpy allocates an array for each whole number. Two thirds of the
time of `solver.kernel.sampling` went into that.
"""

from __future__ import annotations

import numpy as np

from solver.kernel.compiler import stage

GOLDEN = -7046029254386353131  # 2^64 divided by the golden ratio: the steps of splitmix64


@stage
def mix(word):
    """A well mixed 64-bit integer from another: the finalizer of splitmix64, with its shifts made logical."""
    word = (word ^ ((word >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
    word = (word ^ ((word >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
    return word ^ ((word >> 31) & 0x1FFFFFFFF)


@stage
def set_seed(state, seed, number):
    """Begin the random numbers of one piece of work: the same whatever was drawn before.

    Args:
        state: int64 (1), as the other functions take it.
        seed: int64, of all the work.
        number: int64, of this piece.
    """
    state[0] = mix(seed * GOLDEN + mix(number + 1))


@stage
def draw_share(state):
    """A random float from 0 up to 1."""
    state[0] += np.int64(GOLDEN)
    return ((mix(state[0]) >> 11) & 0x1FFFFFFFFFFFFF) * 2.0**-53


@stage
def draw_below(state, n):
    """A random whole number from 0 to n - 1, for n far below 2^53."""
    return np.int64(draw_share(state) * n)
