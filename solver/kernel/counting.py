"""Counting the models of a cluster: `solver.counting` in floating point, compiled.

A dynamic programme over supercells. A state is how many mines each open constraint still needs, a few bits each in one
64-bit integer; its polynomial says in how many ways it is reached, by the mines placed so far. A constraint takes a
slot when its first supercell is placed and gives it back after its last: then it needs no more mines, since only moves
that leave every constraint possible are made, and the slot is empty again.

The forward pass keeps its states, moves and polynomials. The backward pass starts from the weights that everything
outside the cluster gives to each of its numbers of mines; it can be run again with other weights. Counts are sums and
products of non-negative terms; they are wide numbers (`solver.kernel.wide`) where an array of polynomials has two rows.
"""

from __future__ import annotations

import math

import numpy as np

from solver.kernel.compiler import stage
from solver.kernel.status import (
    DONE,
    FULL_ARENAS,
    NO_MODEL,
    NO_SLOT,
    TOO_WIDE,
)
from solver.kernel.wide import add_multiple, carry_back, clear, plus_product, side_by_side

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
