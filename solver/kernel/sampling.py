"""Walking at random through the models of clusters too wide to be counted.

Block Gibbs sampling. A step takes a few cells that hang together, lists every way to fill them that leaves all numbers
as they are, and draws one of these by its weight; the rest of the model stays. Each step keeps the distribution of the
weighted models, since neither the choice of the block nor the limits on its listing look at what is inside it. What a
step adds to the tallies are the chances it drew from, not the draw alone: that takes half the noise away at no cost.

Not shown is that a walk comes everywhere: models that differ in more cells than a block has may be out of reach. That
is why the results are estimates, and why many walks from far apart are taken.
"""

from __future__ import annotations

import numpy as np
from numba import float64, int8, int32, int64, types

from solver.kernel.compiler import entry, stage
from solver.kernel.requests import IMPOSSIBLE, SEEN_MINE, SEEN_SAFE

MOST_CELLS = 24
"""Cells of a block: its fillings are listed as bits of one integer. Half as many, and a quarter more, did worse."""
MOST_FILLINGS = 1 << 12
MOST_NODES = 1 << 13
"""Of the search for the fillings of one block; a block with more of either is left as it is."""

_INTS = int32[::1]
_FLOATS = float64[::1]


@stage
def choose_block(con_start, con_cell, cell_start, cell_con, n_cells, rng, is_inside, block):
    """Fill `block` with a random cell, then others that share a constraint with one before; return how many."""
    block[0] = rng.integers(0, n_cells)
    is_inside[block[0]] = 1
    size = 1
    wanted = rng.integers(2, MOST_CELLS + 1)
    for _ in range(3 * wanted):
        cell = block[rng.integers(0, size)]
        j = cell_con[rng.integers(cell_start[cell], cell_start[cell + 1])]
        other = con_cell[rng.integers(con_start[j], con_start[j + 1])]
        if not is_inside[other] and size < wanted:
            is_inside[other] = 1
            block[size] = other
            size += 1
    for i in range(size):
        is_inside[block[i]] = 0
    return size


@stage
def list_fillings(size, block, cell_start, cell_con, model, needed, room, tried, fillings):
    """List every way to fill a block that leaves all numbers as they are, depth first.

    Args:
        needed, room: int32, one a constraint: all 0 before and after.
        tried: int8, as long as a block.
        fillings: int64: a bit for every cell of the block, set for a mine.

    Returns:
        How many there are (-1: too many), and the nodes of the search.
    """
    for i in range(size):
        for place in range(cell_start[block[i]], cell_start[block[i] + 1]):
            needed[cell_con[place]] += model[block[i]]
            room[cell_con[place]] += 1
    n_fillings = 0
    nodes = 0
    bits = np.int64(0)
    depth = 0
    tried[0] = -1
    while depth >= 0:
        cell = block[depth]
        if tried[depth] >= 0:
            bits &= ~(np.int64(tried[depth]) << depth)
            for place in range(cell_start[cell], cell_start[cell + 1]):
                needed[cell_con[place]] += tried[depth]
                room[cell_con[place]] += 1
        tried[depth] += 1
        if tried[depth] > 1 or nodes > MOST_NODES or n_fillings == MOST_FILLINGS:
            depth -= 1
            continue
        nodes += 1
        bits |= np.int64(tried[depth]) << depth
        is_possible = True
        for place in range(cell_start[cell], cell_start[cell + 1]):
            j = cell_con[place]
            needed[j] -= tried[depth]
            room[j] -= 1
            if needed[j] < 0 or needed[j] > room[j]:
                is_possible = False
        if is_possible and depth < size - 1:
            depth += 1
            tried[depth] = -1
        elif is_possible:
            fillings[n_fillings] = bits
            n_fillings += 1
    for i in range(size):
        for place in range(cell_start[block[i]], cell_start[block[i] + 1]):
            needed[cell_con[place]] = 0
            room[cell_con[place]] = 0
    if nodes > MOST_NODES or n_fillings == MOST_FILLINGS:
        return -1, nodes
    return n_fillings, nodes


@entry(_INTS, _INTS, _INTS, _INTS, _FLOATS, types.npy_rng, int64, int8[::1], _FLOATS, _FLOATS, _FLOATS, int8[::1])
def walk(con_start, con_cell, cell_start, cell_con, log_weight, rng, n_nodes, model, mined, drawn, totals, seen):
    """Walk from one model through others, for a number of search nodes.

    Args:
        con_start, con_cell: int32, the cells of each constraint, one after the other.
        cell_start, cell_con: int32, the constraints of each cell, at least one.
        log_weight: float64, the logarithm of a model's weight by its number of mines.
        rng: of the random numbers.
        n_nodes: nodes of search until the walk ends; the tallies begin after a quarter of them.
        model: int8, 1 where a mine is; must meet every constraint. Changed in place.
        mined, drawn: float64, one a cell: the chances of a mine, summed, and how many there are.
        totals: float64, by number of mines: how many steps ended there.
        seen: int8, one a cell: SEEN_SAFE and SEEN_MINE, where a model was met that has it so.
    """
    n_cells = model.size
    n_mines = 0
    for cell in range(n_cells):
        n_mines += model[cell]
    needed = np.zeros(con_start.size - 1, dtype=np.int32)
    room = np.zeros(con_start.size - 1, dtype=np.int32)
    is_inside = np.zeros(n_cells, dtype=np.int8)
    block = np.zeros(MOST_CELLS, dtype=np.int32)
    tried = np.zeros(MOST_CELLS, dtype=np.int8)
    fillings = np.zeros(MOST_FILLINGS, dtype=np.int64)
    weights = np.zeros(MOST_FILLINGS)
    chance = np.zeros(MOST_CELLS)
    spent = 0
    while spent < n_nodes:
        size = choose_block(con_start, con_cell, cell_start, cell_con, n_cells, rng, is_inside, block)
        n_fillings, nodes = list_fillings(size, block, cell_start, cell_con, model, needed, room, tried, fillings)
        spent += nodes + size
        if n_fillings < 0:
            continue
        outside = n_mines
        for i in range(size):
            outside -= model[block[i]]
        heaviest = -np.inf
        for f in range(n_fillings):
            inside = 0
            for i in range(size):
                inside += (fillings[f] >> i) & 1
            weights[f] = log_weight[outside + inside]
            heaviest = max(heaviest, weights[f])
        total = 0.0
        chance[:] = 0.0
        for f in range(n_fillings):
            is_model = weights[f] > IMPOSSIBLE
            weights[f] = np.exp(weights[f] - heaviest)
            total += weights[f]
            for i in range(size):
                is_mine = (fillings[f] >> i) & 1
                chance[i] += weights[f] * is_mine
                if is_model:
                    seen[block[i]] |= SEEN_MINE if is_mine else SEEN_SAFE
        rest = rng.random() * total
        chosen = 0
        while chosen < n_fillings - 1 and rest > weights[chosen]:
            rest -= weights[chosen]
            chosen += 1
        is_tallied = 4 * spent > n_nodes and heaviest > IMPOSSIBLE
        n_mines = outside
        for i in range(size):
            model[block[i]] = (fillings[chosen] >> i) & 1
            n_mines += model[block[i]]
            if is_tallied:
                mined[block[i]] += chance[i] / total
                drawn[block[i]] += 1.0
        if is_tallied:
            totals[n_mines] += 1.0
