"""Counting the models of a cluster: `solver.counting` in floating point, compiled.

A dynamic programme over supercells. A state is how many mines each open constraint still needs, a few bits each in one
64-bit integer; its polynomial says in how many ways it is reached, by the mines placed so far. A constraint takes a
slot when its first supercell is placed and gives it back after its last: then it needs no more mines, since only moves
that leave every constraint possible are made, and the slot is empty again.

The forward pass keeps its states, moves and polynomials. The backward pass starts from the weights that everything
outside the cluster gives to each of its numbers of mines; it can be run again with other weights. Counts are sums and
products of non-negative terms; they are wide numbers (`solver.kernel.wide`) where an array of polynomials has two rows.

Wide numbers: floats that neither overflow nor vanish, for counts of large boards.

An array of polynomials has one row, of plain floats, or two: then its numbers are *wide* [1]. The second row says by
which power of 2^960 the first is multiplied, which stays from 2^-480 to 2^480; zero has the power -inf. Whatever the
size of the board, nothing overflows and nothing but zero becomes zero, and the rounding is that of plain floats: a sum
leaves out its smaller term only where that is below 2^-480 of the larger. So no term need be scaled, cut off or
refused, and tiny risks are as near the truth as others. Plain floats are quicker, and enough for most positions: all
counts of a cluster of few cells lie between 1 and the largest float.

[1] T. Fukushima, Numerical computation of spherical harmonics of arbitrary degree and order by extending exponent of
floating point numbers, J. Geodesy 86 (2012): "X-numbers".

Joining clusters by the number of mines: `solver.exact` in floating point, compiled.

Clusters are multiplied in pairs, the products in pairs again: a binary tree, down which the binomial weights of the
uncharted cells are then shared out. It takes as much room as there are models by number of mines on each level.

Polynomials are plain or wide, as `solver.kernel.counting` says. A plain one is scaled by a power of two, which is
exact, so that its largest term is near 1. A product that is not zero but far below what a plain float can hold is
noticed, and the whole position counted again in wide numbers, which need no scale.
"""

from __future__ import annotations

import math

import numpy as np

from solver.kernel.compiler import stage
from solver.kernel.requests import DONE, FULL_ARENAS, NO_MODEL, NO_SLOT, TOO_WIDE

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


STATE_BITS = 62
NOT_OPEN = -1


@stage
def plan_slots(first, last, cl_con, need, left, room, slot):
    """Prepare a cluster's constraints; return the bits of a slot and how many slots a state has."""
    most = 1
    for place in range(first, last):
        j = cl_con[place]
        most = max(most, need[j])
        room[j] = left[j]
        slot[j] = NOT_OPEN
    bits = 1
    while (1 << bits) <= most:
        bits += 1
    return bits, STATE_BITS // bits


@stage
def open_and_fill(s, n_slots, bits, free, sc_size, sc_start, sc_con, need, room, slot, checks):
    """Give slots to the constraints that supercell `s` opens, and take its cells from what is left of all its own.

    Returns:
        The free slots (-1: none was left); what opening adds to a state; what one mine takes from it; the checks.
    """
    added = np.int64(0)
    delta = np.int64(0)
    n_checks = 0
    for place in range(sc_start[s], sc_start[s + 1]):
        j = sc_con[place]
        if slot[j] == NOT_OPEN:
            at = 0
            while at < n_slots and not (free >> at) & 1:
                at += 1
            if at == n_slots:
                return np.int64(-1), added, delta, n_checks
            free &= ~(np.int64(1) << at)
            slot[j] = at * bits
            added += np.int64(need[j]) << slot[j]
        room[j] -= sc_size[s]
        delta += np.int64(1) << slot[j]
        checks[0, n_checks] = slot[j]
        checks[1, n_checks] = room[j]
        n_checks += 1
    for place in range(sc_start[s], sc_start[s + 1]):
        j = sc_con[place]
        if room[j] == 0:
            free |= np.int64(1) << (slot[j] // bits)
    return free, added, delta, n_checks


@stage
def forward(
    order_from,
    order_to,
    layer,
    n_slots,
    bits,
    state_limit,
    order,
    sc_size,
    sc_start,
    sc_con,
    need,
    room,
    slot,
    checks,
    layer_start,
    move_start,
    state_key,
    state_span,
    state_value,
    moves,
    ways,
    choose,
    table_state,
    table_turn,
):
    """Reach every state of a cluster from where `layer_start[layer]` and the other arenas' ends say.

    Layer `layer + i` holds the states before the i-th supercell, the one after the last the final state.

    Args:
        order_from, order_to: the cluster's supercells in `order`.
        state_key: int64, one a state.
        state_span: int32 (2, states): fewest and most mines placed so far.
        state_value: int64: where in `ways` its polynomial starts.
        moves: int32 (3, moves): from state, to state, mines placed.
        ways: float64 (1 or 2, values), the polynomials; with two rows they are wide.
        choose: float64 (n, k), binomial coefficients.
        table_state, table_turn: a hash table and, for every place, the turn in which it was written.

    Returns:
        DONE, or what is in the way.
    """
    first_state = layer_start[layer]
    at = first_state
    state_key[at] = 0
    state_span[0, at] = 0
    state_span[1, at] = 0
    is_wide = len(ways) == 2
    ways[0, state_value[at]] = 1.0
    if is_wide:
        ways[1, state_value[at]] = 0.0
    state_value[at + 1] = state_value[at] + 1
    end = at + 1
    free = (np.int64(1) << n_slots) - 1
    mask_of_slot = (np.int64(1) << bits) - 1
    for i in range(order_from, order_to):
        s = order[i]
        size = sc_size[s]
        free, added, delta, n_checks = open_and_fill(
            s, n_slots, bits, free, sc_size, sc_start, sc_con, need, room, slot, checks
        )
        if free < 0:
            return NO_SLOT
        n_states = end - at
        if end - first_state > state_limit:
            return TOO_WIDE
        most_moves = n_states * (size + 1)
        if end + most_moves + 2 > state_key.size:
            return FULL_ARENAS
        n_moves = move_start[layer]
        if n_moves + most_moves > moves.shape[1]:
            return FULL_ARENAS
        n_places = 4
        while n_places < 2 * most_moves:
            n_places *= 2
        if n_places > table_state.size:
            return FULL_ARENAS
        table_turn[table_turn.size - 1] += 1
        turn = table_turn[table_turn.size - 1]
        next_at = end
        for state in range(at, end):
            key = state_key[state] + added
            low = 0
            high = size
            for check in range(n_checks):
                needed = (key >> checks[0, check]) & mask_of_slot
                high = min(high, needed)
                low = max(low, needed - checks[1, check])
            for k in range(low, high + 1):
                reached = key - k * delta
                place = ((reached * 7046029254386353131) >> 32) & (n_places - 1)
                while table_turn[place] == turn and state_key[table_state[place]] != reached:
                    place = (place + 1) & (n_places - 1)
                if table_turn[place] == turn:
                    target = table_state[place]
                    state_span[0, target] = min(state_span[0, target], state_span[0, state] + k)
                    state_span[1, target] = max(state_span[1, target], state_span[1, state] + k)
                else:
                    target = next_at
                    next_at += 1
                    table_turn[place] = turn
                    table_state[place] = target
                    state_key[target] = reached
                    state_span[0, target] = state_span[0, state] + k
                    state_span[1, target] = state_span[1, state] + k
                moves[0, n_moves] = state
                moves[1, n_moves] = target
                moves[2, n_moves] = k
                n_moves += 1
        if next_at == end:
            return NO_MODEL
        for target in range(end, next_at):
            state_value[target + 1] = state_value[target] + state_span[1, target] - state_span[0, target] + 1
        if state_value[next_at] >= ways.shape[1]:  # the next cluster starts there
            return FULL_ARENAS
        clear(ways, state_value[end], state_value[next_at])
        for move in range(move_start[layer], n_moves):
            state = moves[0, move]
            target = moves[1, move]
            k = moves[2, move]
            n_choices = choose[size, k]
            shift = state_value[target] + state_span[0, state] + k - state_span[0, target] - state_value[state]
            if is_wide:
                add_multiple(ways, state_value[state], state_value[state + 1], shift, n_choices)
            else:
                for v in range(state_value[state], state_value[state + 1]):
                    ways[0, v + shift] += n_choices * ways[0, v]
        layer += 1
        layer_start[layer] = end
        move_start[layer] = n_moves
        at = end
        end = next_at
    # Every constraint is complete, so there is one last state, and it needs nothing.
    layer_start[layer + 1] = end
    move_start[layer + 1] = move_start[layer]
    return DONE


@stage
def backward(
    order_from,
    order_to,
    layer,
    weight_from,
    weights,
    order,
    sc_size,
    layer_start,
    move_start,
    state_span,
    state_value,
    moves,
    ways,
    onward,
    choose,
    mined,
    unmined,
):
    """From the last layer back: sum up the mines of every supercell, and its safe cells, over all weighted models.

    Args:
        weights: from `weight_from` on, the weight of every number of mines the cluster can have; wide if `ways` is.
        onward: as large as `ways`: the weighted ways from a state to the end, by the mines placed before it.
        mined, unmined: float64, one a supercell: the sums; if `ways` is wide, both divided by the larger.
    """
    is_wide = len(ways) == 2
    last = layer + order_to - order_from
    end_state = layer_start[last]
    for row in range(len(ways)):
        for i in range(state_value[end_state + 1] - state_value[end_state]):
            onward[row, state_value[end_state] + i] = weights[row, weight_from + i]
    for i in range(order_to - 1, order_from - 1, -1):
        last -= 1
        s = order[i]
        size = sc_size[s]
        clear(onward, state_value[layer_start[last]], state_value[layer_start[last + 1]])
        n_mined, mined_power = 0.0, -math.inf
        n_unmined, unmined_power = 0.0, -math.inf
        for move in range(move_start[last], move_start[last + 1]):
            state = moves[0, move]
            target = moves[1, move]
            k = moves[2, move]
            n_choices = choose[size, k]
            shift = state_value[target] + state_span[0, state] + k - state_span[0, target] - state_value[state]
            if is_wide:
                both, power = carry_back(ways, onward, state_value[state], state_value[state + 1], shift, n_choices)
                n_mined, mined_power = plus_product(n_mined, mined_power, both, power, float(k), 0.0)
                n_unmined, unmined_power = plus_product(n_unmined, unmined_power, both, power, float(size - k), 0.0)
                continue
            both = 0.0
            for v in range(state_value[state], state_value[state + 1]):
                rest = n_choices * onward[0, v + shift]
                onward[0, v] += rest
                both += ways[0, v] * rest
            n_mined += k * both
            n_unmined += (size - k) * both
        if is_wide:
            n_mined, n_unmined = side_by_side(n_mined, mined_power, n_unmined, unmined_power)
        mined[s] = n_mined
        unmined[s] = n_unmined


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
