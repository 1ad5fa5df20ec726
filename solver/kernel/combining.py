"""Joining clusters by the number of mines: `solver.combining` in floating point, compiled.

Clusters are multiplied in pairs, the products in pairs again: a binary tree, down which the binomial weights of the
uncharted cells are then shared out. It takes as much room as there are models by number of mines on each level.

Polynomials are plain or wide, as `solver.kernel.counting` says. A plain one is scaled by a power of two, which is
exact, so that its largest term is near 1. A product that is not zero but far below what a plain float can hold is
noticed, and the whole position counted again in wide numbers, which need no scale.
"""

from __future__ import annotations

import math

from solver.kernel.compiler import stage
from solver.kernel.wide import RADIX_BITS, clear, plus, plus_product, side_by_side, times

VANISHING = 1e-280
"""A term below this is as good as lost."""
LOST = -1


@stage
def scale(values, start, end):
    """Bring the largest value near 1 by a power of two, unless they are wide.

    Returns:
        The power that was taken out; LOST (and 0) when a value came too near zero.
    """
    largest = 0.0
    if len(values) == 1:
        for i in range(start, end):
            largest = max(largest, values[0, i])
    if largest == 0.0:
        return 0, 0
    _, power = math.frexp(largest)
    for i in range(start, end):
        if values[0, i] > 0.0:
            values[0, i] = math.ldexp(values[0, i], -power)
            if values[0, i] < VANISHING:
                return 0, LOST
    return power, 0


@stage
def fill_binomials(values, start, n_values, n_cells, n_mines):
    """Write C(n_cells, n_mines - m) for m from 0, all divided by the largest of them.

    Returns:
        The number of mines with the largest (-1: all are zero); LOST (or 0) when a value came too near zero.
    """
    is_wide = len(values) == 2
    low = max(0, n_mines - n_values + 1)
    high = min(n_mines, n_cells)
    clear(values, start, start + n_values)
    if low > high:
        return -1, 0
    largest = min(max(n_cells // 2, low), high)
    for step in (1, -1):
        value, power = 1.0, 0.0
        r = largest
        while low <= r <= high:
            at = start + n_mines - r
            values[0, at] = value
            factor = (n_cells - r) / (r + 1) if step > 0 else r / (n_cells - r + 1)
            if is_wide:
                values[1, at] = power
                value, power = times(value, power, factor, 0.0)
            elif value < VANISHING:
                return largest, LOST
            else:
                value *= factor
            r += step
    return largest, 0


@stage
def multiply(values, node_start, node_end, node):
    """Write the product of a node's children; return LOST (or 0) when a term came too near zero."""
    one, one_end = node_start[2 * node], node_end[2 * node]
    other, other_end = node_start[2 * node + 1], node_end[2 * node + 1]
    is_wide = len(values) == 2
    at = node_start[node]
    clear(values, at, node_end[node])
    at -= other
    for i in range(one, one_end):
        value = values[0, i]
        if is_wide:
            power = values[1, i]
            for j in range(other, other_end):
                values[0, at + j], values[1, at + j] = plus_product(
                    values[0, at + j], values[1, at + j], value, power, values[0, j], values[1, j]
                )
        else:
            for j in range(other, other_end):
                both = value * values[0, j]
                if both < VANISHING and value > 0.0 and values[0, j] > 0.0:
                    return LOST
                values[0, at + j] += both
        at += 1
    return 0


@stage
def weigh(values, node_start, node_end, weights, node):
    """Write a node's weights: its parent's, each with the ways in which the sibling has the mines between them.

    Returns:
        LOST (or 0) when a term came too near zero.
    """
    sibling, sibling_end = node_start[node ^ 1], node_end[node ^ 1]
    is_wide = len(values) == 2
    at = weights + node_start[node // 2] - sibling
    for target in range(weights + node_start[node], weights + node_end[node]):
        total = 0.0
        if is_wide:
            power = -math.inf
            for j in range(sibling, sibling_end):
                total, power = plus_product(
                    total, power, values[0, j], values[1, j], values[0, at + j], values[1, at + j]
                )
            values[1, target] = power
        else:
            for j in range(sibling, sibling_end):
                both = values[0, j] * values[0, at + j]
                if both < VANISHING and values[0, j] > 0.0 and values[0, at + j] > 0.0:
                    return LOST
                total += both
        values[0, target] = total
        at += 1
    return 0


@stage
def plan_tree(n_cl, model_start, node_start, node_end):
    """Lay out a binary tree of products: node i has the children 2 i and 2 i + 1, from n_cl on nodes are the clusters.

    Args:
        node_start, node_end: int32, where in `values` each node's polynomial lies: those of the clusters are already
            there, as `model_start` says.

    Returns:
        Where the last of them ends.
    """
    for c in range(n_cl):
        node_start[n_cl + c] = model_start[c]
        node_end[n_cl + c] = model_start[c + 1]
    end = model_start[n_cl]
    for i in range(n_cl - 1, 0, -1):
        node_start[i] = end
        end += node_end[2 * i] - node_start[2 * i] + node_end[2 * i + 1] - node_start[2 * i + 1] - 1
        node_end[i] = end
    if n_cl == 0:  # the root is the empty product
        node_start[1] = 0
        node_end[1] = end = 1
    return end


@stage
def combine(n_cl, node_start, node_end, values, weights, n_uncharted, n_mines):
    """Weigh every cluster's numbers of mines by the ways of all the rest.

    Args:
        n_cl: how many clusters.
        node_start, node_end: as `plan_tree` left them.
        values: float64 (1 or 2, values): every cluster's models by number of mines, from its fewest on, wide or scaled.
        weights: what `plan_tree` returned. For every node, the weights of its numbers of mines are written so much
            behind its polynomial.
        n_uncharted: unknown cells under no constraint.
        n_mines: mines that are left when every cluster has its fewest.

    Returns:
        The weighted sums of mined and of safe uncharted cells (if wide, both divided by the larger); the sum over all
        models, the power of two it was divided by, and the number of uncharted mines whose binomial it was divided by.
        The sum is 0 when there is no model, LOST when plain floats do not suffice.
    """
    is_wide = len(values) == 2
    power = 0
    if n_cl == 0:
        values[0, 0] = 1.0
        if is_wide:
            values[1, 0] = 0.0
    for i in range(n_cl - 1, 0, -1):
        if multiply(values, node_start, node_end, i):
            return 0.0, 0.0, -1.0, power, 0
        taken, lost = scale(values, node_start[i], node_end[i])
        if lost:
            return 0.0, 0.0, -1.0, power, 0
        power += taken

    root = node_start[1]
    span = node_end[1] - root
    largest, lost = fill_binomials(values, weights + root, span, n_uncharted, n_mines)
    if lost:
        return 0.0, 0.0, -1.0, power, largest
    total, mined, unmined = 0.0, 0.0, 0.0
    total_power, mined_power, unmined_power = -math.inf, -math.inf, -math.inf
    for m in range(span):
        at = root + m
        other = weights + at
        n_left = float(n_mines - m)
        if is_wide:
            both, both_power = times(values[0, at], values[1, at], values[0, other], values[1, other])
            if both > 0.0:
                total, total_power = plus(total, total_power, both, both_power)
                mined, mined_power = plus_product(mined, mined_power, both, both_power, n_left, 0.0)
                n_safe = n_uncharted - n_left
                unmined, unmined_power = plus_product(unmined, unmined_power, both, both_power, n_safe, 0.0)
        else:
            both = values[0, at] * values[0, other]
            if both < VANISHING and values[0, at] > 0.0 and values[0, other] > 0.0:
                return 0.0, 0.0, -1.0, power, largest
            total += both
            mined += both * n_left
            unmined += both * (n_uncharted - n_left)
    if total == 0.0:
        return 0.0, 0.0, 0.0, power, largest
    if is_wide:
        power += int(total_power) * RADIX_BITS
        if n_uncharted:
            mined, unmined = side_by_side(mined, mined_power, unmined, unmined_power)

    for i in range(2, 2 * n_cl):
        if weigh(values, node_start, node_end, weights, i):
            return 0.0, 0.0, -1.0, power, largest
        _, lost = scale(values, weights + node_start[i], weights + node_end[i])
        if lost:
            return 0.0, 0.0, -1.0, power, largest
    return mined, unmined, total, power, largest


@stage
def risk(mined, unmined):
    """The share of `mined`; 0 and 1 only when exact."""
    if mined == 0.0:
        return 0.0
    if unmined == 0.0:
        return 1.0
    return min(max(mined / (mined + unmined), 5e-324), 1.0 - 2.0**-53)
