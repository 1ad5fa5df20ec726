"""Drawing a layout at random from all that agree with a position, each as likely as any other.

The forward pass of every cluster says in how many ways each state was reached, by the mines placed so far. So a layout
is drawn from the end backwards: the mines in all clusters together; their shares, down the tree of products; in each
cluster the moves from its last state back to the first; and at last which cells of a supercell they are.
"""

from __future__ import annotations

import numpy as np

from solver.kernel.clusters import IS_MINE, UNKNOWN
from solver.kernel.compiler import stage
from solver.kernel.counting import fill_binomials
from solver.kernel.pipeline import (
    I_CLUSTERS,
    I_REST,
    I_UNCHARTED,
    S_CHOOSE,
    S_GRID,
    S_INFO,
    S_MODEL_START,
    S_MOVES,
    S_STATE_SPAN,
    S_STATE_VALUE,
    S_VALUES,
    S_WAYS,
)

GOLDEN = -7046029254386353131
"""2^64 divided by the golden ratio: the steps of splitmix64."""


@stage
def mix(word):
    """A well mixed 64-bit integer from another: the finalizer of splitmix64, with its shifts made logical."""
    word = (word ^ ((word >> 30) & 0x3FFFFFFFF)) * -4658895280553007687
    word = (word ^ ((word >> 27) & 0x1FFFFFFFFF)) * -7723592293110705685
    return word ^ ((word >> 31) & 0x1FFFFFFFF)


@stage
def set_seed(state, seed, number):
    """Begin the random numbers of one playout: the same whatever was drawn before."""
    state[0] = mix(seed * GOLDEN + mix(number + 1))


@stage
def random(state):
    """A random float from 0 up to 1, by splitmix64."""
    state[0] += np.int64(GOLDEN)
    return ((mix(state[0]) >> 11) & 0x1FFFFFFFFFFFFF) * 2.0**-53


@stage
def draw(state, space, mines):
    """Draw a layout.

    Args:
        state: int64 (1), of the random numbers.
        space: the arguments of `solver.kernel.pipeline.count_all`, after that was called, of plain floats.
        mines: int8, one a cell: 1 for a mine, 0 for any other cell.
    """
    choose, grid, info = space[S_CHOOSE], space[S_GRID], space[S_INFO]
    state_value, state_span, model_start = space[S_STATE_VALUE], space[S_STATE_SPAN], space[S_MODEL_START]
    moves, ways, values = space[S_MOVES], space[S_WAYS], space[S_VALUES]
    value, sc_of, sc_size, order = grid[0], grid[2], grid[7], grid[17]
    layer_start, move_start, fewest, order_start = grid[23], grid[24], grid[25], grid[26]
    node_start, node_end = grid[31], grid[32]
    share, placed = grid[13], grid[14]  # working space of the orders: mines of every node; mines of every supercell
    n_cl = info[I_CLUSTERS]

    n_left = info[I_REST]  # the mines to be placed, in the end those of the uncharted cells
    for c in range(n_cl):
        n_left -= fewest[c]
    if n_cl:
        root = node_start[1]
        span = node_end[1] - root
        weights = node_end[1] if n_cl > 1 else model_start[n_cl]
        fill_binomials(values, weights, span, info[I_UNCHARTED], n_left)
        total = 0.0
        for m in range(span):
            weight = values[0, root + m] * values[0, weights + m]
            total += weight
            if weight > 0.0 and random(state) * total < weight:
                share[1] = m
        n_left -= share[1]
        for node in range(1, n_cl):
            one, other = node_start[2 * node], node_start[2 * node + 1]
            n_one, n_other = node_end[2 * node] - one, node_end[2 * node + 1] - other
            total = 0.0
            for m in range(max(0, share[node] - n_other + 1), min(share[node], n_one - 1) + 1):
                weight = values[0, one + m] * values[0, other + share[node] - m]
                total += weight
                if weight > 0.0 and random(state) * total < weight:
                    share[2 * node] = m
            share[2 * node + 1] = share[node] - share[2 * node]

    layer = 0
    for c in range(n_cl):
        layer += order_start[c + 1] - order_start[c]
        back = layer
        at = layer_start[layer]
        so_far = fewest[c] + share[n_cl + c]
        for i in range(order_start[c + 1] - 1, order_start[c] - 1, -1):
            back -= 1
            size = sc_size[order[i]]
            total = 0.0
            source, taken = 0, 0
            for move in range(move_start[back], move_start[back + 1]):
                if moves[1, move] != at:
                    continue
                state_before, k = moves[0, move], moves[2, move]
                place = so_far - k - state_span[0, state_before]
                if place < 0 or place > state_span[1, state_before] - state_span[0, state_before]:
                    continue
                weight = choose[size, k] * ways[0, state_value[state_before] + place]
                total += weight
                if weight > 0.0 and random(state) * total < weight:
                    source, taken = state_before, k
            placed[order[i]] = taken
            at = source
            so_far -= taken
        layer += 1

    n_uncharted = info[I_UNCHARTED]
    for cell in range(mines.size):
        mines[cell] = 0
        if value[cell] == IS_MINE:
            mines[cell] = 1
        elif value[cell] == UNKNOWN:
            s = sc_of[cell]
            if s < 0:
                if n_left == n_uncharted or (n_left > 0 and random(state) * n_uncharted < n_left):
                    mines[cell] = 1
                    n_left -= 1
                n_uncharted -= 1
            else:
                if placed[s] == sc_size[s] or (placed[s] > 0 and random(state) * sc_size[s] < placed[s]):
                    mines[cell] = 1
                    placed[s] -= 1
                sc_size[s] -= 1
    for cell in range(mines.size):  # the sizes as they were
        if value[cell] == UNKNOWN and sc_of[cell] >= 0:
            sc_size[sc_of[cell]] += 1


@stage
def count_numbers(mines, near_start, near, truth):
    """Write every cell's number, -1 for a mine."""
    truth[:] = 0
    for cell in range(mines.size):
        if mines[cell]:
            for edge in range(near_start[cell], near_start[cell + 1]):
                truth[near[edge]] += 1
    for cell in range(mines.size):
        if mines[cell]:
            truth[cell] = -1
