"""Counting the models of clusters, and joining them by the number of mines: in floating point, compiled.

`solver.exact` does the same in whole numbers. A dynamic programme over supercells. A state is how many mines each open
constraint still needs, a few bits each in one 64-bit integer; its polynomial says in how many ways it is reached, by
the mines placed so far. A constraint takes a slot when its first supercell is placed and gives it back after its last:
then it needs no more mines, since only moves that leave every constraint possible are made, and the slot is empty
again.

The forward pass keeps its states, moves and polynomials. The backward pass starts from the weights that everything
outside the cluster gives to each of its numbers of mines; it can be run again with other weights. Counts are sums and
products of non-negative terms.

Clusters are multiplied in pairs, the products in pairs again: a binary tree, down which the binomial weights of the
uncharted cells are then shared out. It takes as much room as there are models by number of mines on each level.

An array of polynomials has one row, of plain floats, or two: then its numbers are *wide* [1]. The second row says by
which power of 2^960 the first is multiplied, which stays from 2^-480 to 2^480; zero has the power -inf. Whatever the
size of the board, nothing overflows and nothing but zero becomes zero, and the rounding is that of plain floats: a sum
leaves out its smaller term only where that is below 2^-480 of the larger. So no term need be scaled, cut off or
refused, and tiny risks are as near the truth as others. Plain floats are quicker, and enough for most positions: all
counts of a cluster of few cells lie between 1 and the largest float. A plain polynomial of the tree is scaled by a
power of two, which is exact, so that its largest term is near 1. A product that is not zero but far below what a plain
float can hold is noticed, and the whole position counted again in wide numbers.

[1] T. Fukushima, Numerical computation of spherical harmonics of arbitrary degree and order by extending exponent of
floating point numbers, J. Geodesy 86 (2012): "X-numbers".
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from solver.kernel.compiler import inlined, stage
from solver.kernel.workspace import DONE, FULL_ARENAS, NO_MODEL, NO_SLOT, TOO_WIDE

RADIX_BITS = 960  # a wide number is a float times a power of 2^960
_RADIX = 2.0**RADIX_BITS
_HIGH, _LOW = 2.0 ** (RADIX_BITS // 2), 2.0 ** (-RADIX_BITS // 2)


@stage
def _times(value, power, other, other_power):
    """The product of two wide numbers; the second float may be anything from LOW to HIGH, or 0."""
    value *= other
    power += other_power
    if value >= _HIGH:
        return value / _RADIX, power + 1.0
    if value < _LOW:
        if value == 0.0:
            return 0.0, -math.inf
        return value * _RADIX, power - 1.0
    return value, power


@stage
def plus(value, power, other, other_power):
    """The sum of two wide numbers."""
    if power < other_power:
        value, power, other, other_power = other, other_power, value, power
    if other_power == power:
        value += other
    elif other_power == power - 1.0:
        value += other / _RADIX
    if value >= _HIGH:
        return value / _RADIX, power + 1.0
    return value, power


@stage
def _plus_product(value, power, one, one_power, other, other_power):
    """The first wide number and the product of the two others, added."""
    product, product_power = _times(one, one_power, other, other_power)
    return plus(value, power, product, product_power)


@stage
def _side_by_side(value, power, other, other_power):
    """Two wide numbers, not both 0, as floats in the same ratio; what is not 0 stays so."""
    if power < other_power or (power == other_power and value < other):
        return max(math.ldexp(value / other, int(max(power - other_power, -3.0)) * RADIX_BITS), _least(value)), 1.0
    return 1.0, max(math.ldexp(other / value, int(max(other_power - power, -3.0)) * RADIX_BITS), _least(other))


@stage
def _least(value):
    """The least float that is still 0, or still not, as `value`."""
    return 5e-324 if value > 0.0 else 0.0


@stage
def _clear(values, start, end):
    """Set numbers, plain or wide, to 0."""
    values[0, start:end] = 0.0
    if len(values) == 2:
        values[1, start:end] = -math.inf


@stage
def _add_multiple(ways, start, end, shift, factor):
    """Add to the wide numbers that lie `shift` farther on `factor` times those from `start` to `end`."""
    for v in range(start, end):
        at = v + shift
        ways[0, at], ways[1, at] = _plus_product(ways[0, at], ways[1, at], ways[0, v], ways[1, v], factor, 0.0)


@stage
def _carry_back(ways, onward, start, end, shift, factor):
    """The reverse in `onward`; return the sum of what is added, each times its number in `ways`: all wide."""
    both, both_power = 0.0, -math.inf
    for v in range(start, end):
        rest, power = _times(onward[0, v + shift], onward[1, v + shift], factor, 0.0)
        onward[0, v], onward[1, v] = plus(onward[0, v], onward[1, v], rest, power)
        both, both_power = _plus_product(both, both_power, ways[0, v], ways[1, v], rest, power)
    return both, both_power


# ---------------------------------------------------------------- a cluster forward and back

_STATE_BITS = 62
_NOT_OPEN = -1


class Packing(NamedTuple):
    """How a state holds the needs of the open constraints."""

    bits: int
    """The bits of a slot."""
    n_slots: int


@stage
def plan_slots(c, clusters, position, slots):
    """Prepare a cluster's constraints; return how its states hold them."""
    most = 1
    for place in range(clusters.start[c], clusters.start[c + 1]):
        j = clusters.con[place]
        most = max(most, position.need[j])
        slots.need[j] = position.need[j]
        slots.room[j] = position.left[j]
        slots.at[j] = _NOT_OPEN
    bits = 1
    while (1 << bits) <= most:
        bits += 1
    return Packing(bits, _STATE_BITS // bits)


@stage
def _open_and_fill(s, size, free, packing, graph, slots):
    """Give slots to the constraints that supercell `s` opens, and take its cells from what is left of all its own.

    Returns:
        The free slots (-1: none was left); what opening adds to a state; what one mine takes from it; the checks.
    """
    sc_start, sc_con = graph.sc_start, graph.sc_con
    room, slot, checks = slots.room, slots.at, slots.checks
    added = np.int64(0)
    delta = np.int64(0)
    n_checks = 0
    for place in range(sc_start[s], sc_start[s + 1]):
        j = sc_con[place]
        if slot[j] == _NOT_OPEN:
            at = 0
            while at < packing.n_slots and not (free >> at) & 1:
                at += 1
            if at == packing.n_slots:
                return np.int64(-1), added, delta, n_checks
            free &= ~(np.int64(1) << at)
            slot[j] = at * packing.bits
            added += np.int64(slots.need[j]) << slot[j]
        room[j] -= size
        delta += np.int64(1) << slot[j]
        checks[0, n_checks] = slot[j]
        checks[1, n_checks] = room[j]
        n_checks += 1
    for place in range(sc_start[s], sc_start[s + 1]):
        j = sc_con[place]
        if room[j] == 0:
            free |= np.int64(1) << (slot[j] // packing.bits)
    return free, added, delta, n_checks


@stage
def forward(c, packing, state_limit, clusters, supercells, graph, slots, layers):
    """Reach every state of a cluster, from where the arenas of `layers` end.

    Returns:
        DONE, or what is in the way.
    """
    layer = clusters.order_start[c] + c
    at = np.int64(layers.start[layer])
    first_state = at
    end = _begin(at, layers)
    free = (np.int64(1) << packing.n_slots) - 1
    for i in range(clusters.order_start[c], clusters.order_start[c + 1]):
        s = clusters.order[i]
        size = supercells.size[s]
        free, added, delta, n_checks = _open_and_fill(s, size, free, packing, graph, slots)
        if free < 0:
            return NO_SLOT
        if end - first_state > state_limit:
            return TOO_WIDE
        n_places = _places_for((end - at) * (size + 1), end, layers.move_start[layer], layers)
        if n_places == 0:
            return FULL_ARENAS
        step = _Step(at, end, size, layer, added, delta, n_checks, n_places)
        next_at = _move(step, packing, slots.checks, layers)
        if next_at == end:
            return NO_MODEL
        for target in range(end, next_at):
            layers.first[target + 1] = layers.first[target] + layers.span[1, target] - layers.span[0, target] + 1
        if layers.first[next_at] >= layers.ways.shape[1]:  # the next cluster starts there
            return FULL_ARENAS
        _clear(layers.ways, layers.first[end], layers.first[next_at])
        _add_ways(layer, size, layers)
        layer += 1
        at = end
        end = next_at
    # Every constraint is complete, so there is one last state, and it needs nothing.
    layers.start[layer + 1] = end
    layers.move_start[layer + 1] = layers.move_start[layer]
    return DONE


class _Step(NamedTuple):
    """A supercell that is to be placed."""

    at: int
    """Its layer's states lie from here ..."""
    end: int
    """... to here, where the next layer begins."""
    size: int
    layer: int
    added: int
    delta: int
    n_checks: int
    n_places: int


@inlined
def _begin(at, layers):
    """Write the first state of a cluster, which needs nothing and was reached in one way; return its end."""
    layers.key[at] = 0
    layers.span[0, at] = 0
    layers.span[1, at] = 0
    layers.ways[0, layers.first[at]] = 1.0
    if len(layers.ways) == 2:
        layers.ways[1, layers.first[at]] = 0.0
    layers.first[at + 1] = layers.first[at] + 1
    return at + 1


@inlined
def _places_for(most_moves, end, n_moves, layers):
    """The places of the table for so many states; 0 when the arenas are full."""
    n_places = 4
    while n_places < 2 * most_moves:
        n_places *= 2
    if (
        end + most_moves + 2 > layers.key.size
        or n_moves + most_moves > layers.moves.shape[1]
        or n_places > layers.table_state.size
    ):
        return 0
    return n_places


@inlined
def _move(step, packing, checks, layers):
    """Place a supercell after every state, with every number of mines that is possible; return the states' new end."""
    key, span, moves = layers.key, layers.span, layers.moves
    table_state, table_turn = layers.table_state, layers.table_turn
    layers.turn[0] += 1
    turn = layers.turn[0]
    mask_of_slot = (np.int64(1) << packing.bits) - 1
    mask_of_place = step.n_places - 1
    n_moves = layers.move_start[step.layer]
    next_at = step.end
    for state in range(step.at, step.end):
        needs = key[state] + step.added
        low = 0
        high = step.size
        for check in range(step.n_checks):
            needed = (needs >> checks[0, check]) & mask_of_slot
            high = min(high, needed)
            low = max(low, needed - checks[1, check])
        for k in range(low, high + 1):
            reached = needs - k * step.delta
            place = ((reached * 7046029254386353131) >> 32) & mask_of_place
            while table_turn[place] == turn and key[table_state[place]] != reached:
                place = (place + 1) & mask_of_place
            if table_turn[place] == turn:
                target = table_state[place]
                span[0, target] = min(span[0, target], span[0, state] + k)
                span[1, target] = max(span[1, target], span[1, state] + k)
            else:
                target = next_at
                next_at += 1
                table_turn[place] = turn
                table_state[place] = target
                key[target] = reached
                span[0, target] = span[0, state] + k
                span[1, target] = span[1, state] + k
            moves[0, n_moves] = state
            moves[1, n_moves] = target
            moves[2, n_moves] = k
            n_moves += 1
    layers.start[step.layer + 1] = step.end
    layers.move_start[step.layer + 1] = n_moves
    return next_at


@inlined
def _add_ways(layer, size, layers):
    """Add up in how many ways the states after a layer are reached."""
    first, span, moves, ways = layers.first, layers.span, layers.moves, layers.ways
    is_wide = len(ways) == 2
    for move in range(layers.move_start[layer], layers.move_start[layer + 1]):
        state = moves[0, move]
        target = moves[1, move]
        k = moves[2, move]
        n_choices = layers.choose[size, k]
        shift = first[target] + span[0, state] + k - span[0, target] - first[state]
        if is_wide:
            _add_multiple(ways, first[state], first[state + 1], shift, n_choices)
        else:
            for v in range(first[state], first[state + 1]):
                ways[0, v + shift] += n_choices * ways[0, v]


@stage
def backward(c, tree, weights, clusters, supercells, layers, sums):
    """From the last layer back: sum up the mines of every supercell, and its safe cells, over all weighted models.

    Args:
        c: the cluster.
        tree: so far behind the polynomial of its models lie the weights of its numbers of mines.
        weights: how far.
        clusters, supercells: the clusters.
        layers: what `forward` left; `onward` is overwritten.
        sums: they are written here; if the numbers are wide, both divided by the larger.
    """
    first, onward = layers.first, layers.onward
    start, stop = clusters.order_start[c], clusters.order_start[c + 1]
    end_state = layers.start[stop + c]
    for row in range(len(onward)):
        for i in range(first[end_state + 1] - first[end_state]):
            onward[row, first[end_state] + i] = tree.values[row, weights + clusters.model_start[c] + i]
    for i in range(stop - 1, start - 1, -1):
        s = clusters.order[i]
        _clear(onward, first[layers.start[i + c]], first[layers.start[i + c + 1]])
        sums.mined[s], sums.unmined[s] = _carry_layer_back(i + c, supercells.size[s], layers)


@inlined
def _carry_layer_back(layer, size, layers):
    """Go back over the moves of a layer; return the mines they place, and the safe cells, over all weighted models."""
    first, span, moves, ways, onward = layers.first, layers.span, layers.moves, layers.ways, layers.onward
    is_wide = len(ways) == 2
    n_mined, mined_power = 0.0, -math.inf
    n_unmined, unmined_power = 0.0, -math.inf
    for move in range(layers.move_start[layer], layers.move_start[layer + 1]):
        state = moves[0, move]
        target = moves[1, move]
        k = moves[2, move]
        n_choices = layers.choose[size, k]
        shift = first[target] + span[0, state] + k - span[0, target] - first[state]
        if is_wide:
            both, power = _carry_back(ways, onward, first[state], first[state + 1], shift, n_choices)
            n_mined, mined_power = _plus_product(n_mined, mined_power, both, power, float(k), 0.0)
            n_unmined, unmined_power = _plus_product(n_unmined, unmined_power, both, power, float(size - k), 0.0)
            continue
        both = 0.0
        for v in range(first[state], first[state + 1]):
            rest = n_choices * onward[0, v + shift]
            onward[0, v] += rest
            both += ways[0, v] * rest
        n_mined += k * both
        n_unmined += (size - k) * both
    if is_wide:
        n_mined, n_unmined = _side_by_side(n_mined, mined_power, n_unmined, unmined_power)
    return n_mined, n_unmined


# ---------------------------------------------------------------- joining clusters by the number of mines

_VANISHING = 1e-280  # a term below this is as good as lost
_LOST = -1


class Joined(NamedTuple):
    """What all clusters and the uncharted cells are together."""

    mined: float
    """The weighted sum of mined uncharted cells; of wide numbers it and the next are divided by the larger."""
    unmined: float
    """The weighted sum of safe uncharted cells."""
    total: float
    """The sum over all models: 0 when there is none, negative when plain floats do not suffice."""
    power: int
    """The power of two by which the total was divided."""
    n_uncharted_mines: int
    """Whose binomial it was divided by."""


@stage
def scale(values, start, end):
    """Bring the largest value near 1 by a power of two, unless they are wide.

    Returns:
        The power that was taken out; whether a value came too near zero (then 0).
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
            if values[0, i] < _VANISHING:
                return 0, _LOST
    return power, 0


@stage
def fill_binomials(values, start, n_values, n_cells, n_mines):
    """Write C(n_cells, n_mines - m) for m from 0, all divided by the largest of them.

    Returns:
        The number of mines with the largest (-1: all are zero); whether a value came too near zero.
    """
    is_wide = len(values) == 2
    low = max(0, n_mines - n_values + 1)
    high = min(n_mines, n_cells)
    _clear(values, start, start + n_values)
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
                value, power = _times(value, power, factor, 0.0)
            elif value < _VANISHING:
                return largest, _LOST
            else:
                value *= factor
            r += step
    return largest, 0


@stage
def plan_tree(n_clusters, model_start, tree):
    """Lay out the nodes behind the polynomials of the clusters; return where the last of them ends."""
    for c in range(n_clusters):
        tree.start[n_clusters + c] = model_start[c]
        tree.end[n_clusters + c] = model_start[c + 1]
    end = model_start[n_clusters]
    for i in range(n_clusters - 1, 0, -1):
        tree.start[i] = end
        end += tree.end[2 * i] - tree.start[2 * i] + tree.end[2 * i + 1] - tree.start[2 * i + 1] - 1
        tree.end[i] = end
    if n_clusters == 0:  # the root is the empty product
        tree.start[1] = 0
        tree.end[1] = end = 1
    return end


@stage
def combine(n_clusters, tree, weights, n_uncharted, n_mines):
    """Weigh every cluster's numbers of mines by the ways of all the rest.

    Args:
        n_clusters: how many clusters.
        tree: as `plan_tree` left it, with every cluster's models by number of mines, from its fewest on, wide or
            scaled. Behind the polynomial of every node its weights are written.
        weights: how far behind: what `plan_tree` returned.
        n_uncharted: unknown cells under no constraint.
        n_mines: mines that are left when every cluster has its fewest.
    """
    power, is_lost = _multiply_up(n_clusters, tree)
    if is_lost:
        return Joined(0.0, 0.0, -1.0, power, 0)
    root, span = tree.start[1], tree.end[1] - tree.start[1]
    largest, is_lost = fill_binomials(tree.values, weights + root, span, n_uncharted, n_mines)
    if is_lost:
        return Joined(0.0, 0.0, -1.0, power, largest)
    mined, unmined, total, total_power = _sum_up(tree.values, root, span, weights, n_uncharted, n_mines)
    if total > 0.0:
        power += total_power
        if _share_out(n_clusters, tree, weights):
            total = -1.0
    return Joined(mined, unmined, total, power, largest)


@stage
def _multiply_up(n_clusters, tree):
    """Multiply the polynomials of the clusters, up to the root.

    Returns:
        The power of two taken out; whether a term came too near zero.
    """
    power = 0
    if n_clusters == 0:
        tree.values[0, 0] = 1.0
        if len(tree.values) == 2:
            tree.values[1, 0] = 0.0
    for node in range(n_clusters - 1, 0, -1):
        if _multiply(tree, node):
            return power, _LOST
        taken, is_lost = scale(tree.values, tree.start[node], tree.end[node])
        if is_lost:
            return power, _LOST
        power += taken
    return power, 0


@stage
def _multiply(tree, node):
    """Write the product of a node's children; return whether a term came too near zero."""
    values = tree.values
    one, one_end = tree.start[2 * node], tree.end[2 * node]
    other, other_end = tree.start[2 * node + 1], tree.end[2 * node + 1]
    is_wide = len(values) == 2
    at = tree.start[node]
    _clear(values, at, tree.end[node])
    at -= other
    for i in range(one, one_end):
        value = values[0, i]
        if is_wide:
            power = values[1, i]
            for j in range(other, other_end):
                values[0, at + j], values[1, at + j] = _plus_product(
                    values[0, at + j], values[1, at + j], value, power, values[0, j], values[1, j]
                )
        else:
            for j in range(other, other_end):
                both = value * values[0, j]
                if both < _VANISHING and value > 0.0 and values[0, j] > 0.0:
                    return _LOST
                values[0, at + j] += both
        at += 1
    return 0


@stage
def _sum_up(values, root, span, weights, n_uncharted, n_mines):
    """Sum over all models, by the numbers of mines of the root and their weights.

    Returns:
        Mined and safe uncharted cells; the models (0: none; negative: a term came too near zero), and the power of two
        they are divided by.
    """
    is_wide = len(values) == 2
    total, mined, unmined = 0.0, 0.0, 0.0
    total_power, mined_power, unmined_power = -math.inf, -math.inf, -math.inf
    for m in range(span):
        at = root + m
        other = weights + at
        n_left = float(n_mines - m)
        if is_wide:
            both, both_power = _times(values[0, at], values[1, at], values[0, other], values[1, other])
            if both > 0.0:
                total, total_power = plus(total, total_power, both, both_power)
                mined, mined_power = _plus_product(mined, mined_power, both, both_power, n_left, 0.0)
                n_safe = n_uncharted - n_left
                unmined, unmined_power = _plus_product(unmined, unmined_power, both, both_power, n_safe, 0.0)
        else:
            both = values[0, at] * values[0, other]
            if both < _VANISHING and values[0, at] > 0.0 and values[0, other] > 0.0:
                return 0.0, 0.0, -1.0, 0
            total += both
            mined += both * n_left
            unmined += both * (n_uncharted - n_left)
    if not is_wide or total == 0.0:
        return mined, unmined, total, 0
    if n_uncharted:
        mined, unmined = _side_by_side(mined, mined_power, unmined, unmined_power)
    return mined, unmined, total, int(total_power) * RADIX_BITS


@stage
def _share_out(n_clusters, tree, weights):
    """Write the weights of every node below the root; return whether a term came too near zero."""
    for node in range(2, 2 * n_clusters):
        if _weigh(tree, weights, node):
            return _LOST
        _, is_lost = scale(tree.values, weights + tree.start[node], weights + tree.end[node])
        if is_lost:
            return _LOST
    return 0


@stage
def _weigh(tree, weights, node):
    """Write a node's weights: its parent's, each with the ways in which the sibling has the mines between them.

    Returns:
        Whether a term came too near zero.
    """
    values = tree.values
    sibling, sibling_end = tree.start[node ^ 1], tree.end[node ^ 1]
    is_wide = len(values) == 2
    at = weights + tree.start[node // 2] - sibling
    for target in range(weights + tree.start[node], weights + tree.end[node]):
        total = 0.0
        if is_wide:
            power = -math.inf
            for j in range(sibling, sibling_end):
                total, power = _plus_product(
                    total, power, values[0, j], values[1, j], values[0, at + j], values[1, at + j]
                )
            values[1, target] = power
        else:
            for j in range(sibling, sibling_end):
                both = values[0, j] * values[0, at + j]
                if both < _VANISHING and values[0, j] > 0.0 and values[0, at + j] > 0.0:
                    return _LOST
                total += both
        values[0, target] = total
        at += 1
    return 0


@stage
def risk(mined, unmined):
    """The share of `mined`; 0 and 1 only when exact."""
    if mined == 0.0:
        return 0.0
    if unmined == 0.0:
        return 1.0
    return min(max(mined / (mined + unmined), 5e-324), 1.0 - 2.0**-53)
