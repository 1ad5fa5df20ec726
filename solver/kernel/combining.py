"""Joining clusters by the number of mines: `solver.combining` in floating point, compiled.

Every polynomial is scaled by a power of two, which is exact, so that its largest term is near 1. A product that is not
zero but far below what a float can hold is noticed, and the whole position left to the exact twin.
"""

from __future__ import annotations

import math

from solver.kernel.compiler import stage

VANISHING = 1e-280
"""A term below this is as good as lost."""
LOST = -1


@stage
def scale(values, start, end):
    """Bring the largest value near 1 by a power of two.

    Returns:
        The power that was taken out; LOST (and 0) when a value came too near zero.
    """
    largest = 0.0
    for i in range(start, end):
        largest = max(largest, values[i])
    if largest == 0.0:
        return 0, 0
    _, power = math.frexp(largest)
    for i in range(start, end):
        if values[i] > 0.0:
            values[i] = math.ldexp(values[i], -power)
            if values[i] < VANISHING:
                return 0, LOST
    return power, 0


@stage
def fill_binomials(values, start, n_values, n_cells, n_mines):
    """Write C(n_cells, n_mines - m) for m from 0, all divided by the largest of them.

    Returns:
        The number of mines with the largest (-1: all are zero); LOST (or 0) when a value came too near zero.
    """
    low = max(0, n_mines - n_values + 1)
    high = min(n_mines, n_cells)
    for i in range(n_values):
        values[start + i] = 0.0
    if low > high:
        return -1, 0
    largest = min(max(n_cells // 2, low), high)
    value = 1.0
    for r in range(largest, high + 1):
        values[start + n_mines - r] = value
        if value < VANISHING:
            return largest, LOST
        value *= (n_cells - r) / (r + 1)
    value = 1.0
    for r in range(largest, low - 1, -1):
        values[start + n_mines - r] = value
        if value < VANISHING:
            return largest, LOST
        value *= r / (n_cells - r + 1)
    return largest, 0


@stage
def combine(n_cl, model_start, values, n_uncharted, n_mines):
    """Weigh every cluster's numbers of mines by the ways of all the rest.

    Args:
        n_cl: how many clusters.
        model_start: of each, where in `values` its models by number of mines start (scaled, from its fewest on); the
            end of the last one too. From there on `values` is free, for 4 times as many plus what `room_needed` says.
        values: float64.
        n_uncharted: unknown cells under no constraint.
        n_mines: mines that are left when every cluster has its fewest.

    Returns:
        Where the clusters' weights start, in the order and of the lengths of the models; the weighted sums of mined
        and of safe uncharted cells; the sum over all models, the power of two it was divided by, and the number of
        uncharted mines whose binomial it was divided by. The sum is 0 when there is no model, LOST when floats do not
        suffice.
    """
    end = model_start[n_cl]
    span = 1
    for c in range(n_cl):
        span += model_start[c + 1] - model_start[c] - 1
    weights = end
    before = weights + end
    after = before + (n_cl + 1) * span
    power = 0

    values[before] = 1.0
    n_before = 1
    for c in range(n_cl):
        n_models = model_start[c + 1] - model_start[c]
        source = before + c * span
        target = source + span
        for i in range(n_before + n_models - 1):
            values[target + i] = 0.0
        for i in range(n_before):
            for j in range(n_models):
                both = values[source + i] * values[model_start[c] + j]
                if both < VANISHING and values[source + i] > 0.0 and values[model_start[c] + j] > 0.0:
                    return weights, 0.0, 0.0, -1.0, power, 0
                values[target + i + j] += both
        n_before += n_models - 1
        taken, lost = scale(values, target, target + n_before)
        if lost:
            return weights, 0.0, 0.0, -1.0, power, 0
        power += taken

    last = before + n_cl * span
    source = after + n_cl * span
    largest, lost = fill_binomials(values, source, span, n_uncharted, n_mines)
    if lost:
        return weights, 0.0, 0.0, -1.0, power, largest
    total = 0.0
    mined = 0.0
    unmined = 0.0
    for m in range(span):
        both = values[last + m] * values[source + m]
        if both < VANISHING and values[last + m] > 0.0 and values[source + m] > 0.0:
            return weights, 0.0, 0.0, -1.0, power, largest
        total += both
        mined += both * (n_mines - m)
        unmined += both * (n_uncharted - n_mines + m)

    n_after = span
    for c in range(n_cl - 1, -1, -1):
        first = model_start[c]
        n_models = model_start[c + 1] - first
        source = after + (c + 1) * span
        n_after -= n_models - 1  # the mines that the clusters before this one can have, beyond their fewest
        ahead = before + c * span
        for j in range(n_models):
            weight = 0.0
            for m in range(n_after):
                both = values[ahead + m] * values[source + m + j]
                if both < VANISHING and values[ahead + m] > 0.0 and values[source + m + j] > 0.0:
                    return weights, 0.0, 0.0, -1.0, power, largest
                weight += both
            values[weights + first + j] = weight
        _, lost = scale(values, weights + first, weights + first + n_models)
        if lost:
            return weights, 0.0, 0.0, -1.0, power, largest
        target = source - span
        for m in range(n_after):
            rest = 0.0
            for j in range(n_models):
                both = values[first + j] * values[source + m + j]
                if both < VANISHING and values[first + j] > 0.0 and values[source + m + j] > 0.0:
                    return weights, 0.0, 0.0, -1.0, power, largest
                rest += both
            values[target + m] = rest
        _, lost = scale(values, target, target + n_after)
        if lost:
            return weights, 0.0, 0.0, -1.0, power, largest
    return weights, mined, unmined, total, power, largest


@stage
def risk(mined, unmined):
    """The share of `mined`; 0 and 1 only when exact."""
    if mined == 0.0:
        return 0.0
    if unmined == 0.0:
        return 1.0
    return min(max(mined / (mined + unmined), 5e-324), 1.0 - 2.0**-53)
