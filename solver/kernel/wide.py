"""Wide numbers: floats that neither overflow nor vanish, for counts of large boards.

An array of polynomials has one row, of plain floats, or two: then its numbers are *wide* [1]. The second row says by
which power of 2^960 the first is multiplied, which stays from 2^-480 to 2^480; zero has the power -inf. Whatever the
size of the board, nothing overflows and nothing but zero becomes zero, and the rounding is that of plain floats: a sum
leaves out its smaller term only where that is below 2^-480 of the larger. So no term need be scaled, cut off or
refused, and tiny risks are as near the truth as others. Plain floats are quicker, and enough for most positions: all
counts of a cluster of few cells lie between 1 and the largest float.

[1] T. Fukushima, Numerical computation of spherical harmonics of arbitrary degree and order by extending exponent of
floating point numbers, J. Geodesy 86 (2012): "X-numbers".
"""

from __future__ import annotations

import math

from solver.kernel.compiler import stage

RADIX_BITS = 960
"""A wide number is a float times a power of 2^960."""
RADIX = 2.0**RADIX_BITS
HIGH, LOW = 2.0 ** (RADIX_BITS // 2), 2.0 ** (-RADIX_BITS // 2)


@stage
def times(value, power, other, other_power):
    """The product of two wide numbers; the second float may be anything from LOW to HIGH, or 0."""
    value *= other
    power += other_power
    if value >= HIGH:
        return value / RADIX, power + 1.0
    if value < LOW:
        if value == 0.0:
            return 0.0, -math.inf
        return value * RADIX, power - 1.0
    return value, power


@stage
def plus(value, power, other, other_power):
    """The sum of two wide numbers."""
    if power < other_power:
        value, power, other, other_power = other, other_power, value, power
    if other_power == power:
        value += other
    elif other_power == power - 1.0:
        value += other / RADIX
    if value >= HIGH:
        return value / RADIX, power + 1.0
    return value, power


@stage
def plus_product(value, power, one, one_power, other, other_power):
    """The first wide number and the product of the two others, added."""
    product, product_power = times(one, one_power, other, other_power)
    return plus(value, power, product, product_power)


@stage
def side_by_side(value, power, other, other_power):
    """Two wide numbers, not both 0, as floats in the same ratio; what is not 0 stays so."""
    if power < other_power or (power == other_power and value < other):
        return max(math.ldexp(value / other, int(max(power - other_power, -3.0)) * RADIX_BITS), least(value)), 1.0
    return 1.0, max(math.ldexp(other / value, int(max(other_power - power, -3.0)) * RADIX_BITS), least(other))


@stage
def least(value):
    """The least float that is still 0, or still not, as `value`."""
    return 5e-324 if value > 0.0 else 0.0


@stage
def clear(values, start, end):
    """Set numbers, plain or wide, to 0."""
    values[0, start:end] = 0.0
    if len(values) == 2:
        values[1, start:end] = -math.inf


@stage
def add_multiple(ways, start, end, shift, factor):
    """Add to the wide numbers that lie `shift` farther on `factor` times those from `start` to `end`."""
    for v in range(start, end):
        at = v + shift
        ways[0, at], ways[1, at] = plus_product(ways[0, at], ways[1, at], ways[0, v], ways[1, v], factor, 0.0)


@stage
def carry_back(ways, onward, start, end, shift, factor):
    """The reverse in `onward`; return the sum of what is added, each times its number in `ways`: all wide."""
    both, both_power = 0.0, -math.inf
    for v in range(start, end):
        rest, power = times(onward[0, v + shift], onward[1, v + shift], factor, 0.0)
        onward[0, v], onward[1, v] = plus(onward[0, v], onward[1, v], rest, power)
        both, both_power = plus_product(both, both_power, ways[0, v], ways[1, v], rest, power)
    return both, both_power
